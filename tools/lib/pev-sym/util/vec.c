// SPDX-License-Identifier: LGPL-2.1-only
/* Arrays that grow, numbers by key, many small strings. See vec.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/vec.h"

#define CHUNK (256u << 10)

void *vec_more(void **p, size_t *n, size_t *cap, size_t elem)
{
	char *at;

	if (*n == *cap) {
		size_t more = *cap ? 2 * *cap : 16;
		void *new = more > SIZE_MAX / elem ? NULL : realloc(*p, more * elem);

		if (!new)
			return NULL;
		*p = new;
		*cap = more;
	}
	at = (char *)*p + (*n)++ * elem;
	return memset(at, 0, elem);
}

uint32_t hmap_get(const struct hmap *h, uint64_t key)
{
	if (!h->size)
		return UINT32_MAX;
	for (size_t i = mix(key);; i++) {
		size_t at = i & (h->size - 1);

		if (!h->refs[at])
			return UINT32_MAX;
		if (h->keys[at] == key)
			return h->refs[at] - 1;
	}
}

static void put(struct hmap *h, uint64_t key, uint32_t ref)
{
	size_t i = mix(key);

	while (h->refs[i & (h->size - 1)])
		i++;
	h->keys[i & (h->size - 1)] = key;
	h->refs[i & (h->size - 1)] = ref;
	h->used++;
}

static bool grow(struct hmap *h)
{
	struct hmap big = { .size = h->size ? 2 * h->size : 64 };

	big.keys = malloc(big.size * sizeof(*big.keys));
	big.refs = calloc(big.size, sizeof(*big.refs));
	if (!big.keys || !big.refs) {
		hmap_free(&big);
		return false;
	}
	for (size_t i = 0; i < h->size; i++)
		if (h->refs[i])
			put(&big, h->keys[i], h->refs[i]);
	hmap_free(h);
	*h = big;
	return true;
}

bool hmap_add(struct hmap *h, uint64_t key, uint32_t value)
{
	if (h->used * 3 >= h->size * 2 && !grow(h))
		return false;
	put(h, key, value + 1);
	return true;
}

void hmap_free(struct hmap *h)
{
	free(h->keys);
	free(h->refs);
	*h = (struct hmap){ 0 };
}

const char *texts_add(struct texts *t, const char *s, size_t len)
{
	char *to;

	if (!t->chunks.n || t->room - t->used < len + 1) {
		size_t size = len + 1 > CHUNK ? len + 1 : CHUNK;
		char *chunk = malloc(size), **slot = chunk ? VEC_PUSH(&t->chunks) : NULL;

		if (!slot) {
			free(chunk);
			return NULL;
		}
		*slot = chunk;
		t->used = 0;
		t->room = size;
	}
	to = t->chunks.p[t->chunks.n - 1] + t->used;
	memcpy(to, s, len);
	to[len] = 0;
	t->used += len + 1;
	return to;
}

void texts_free(struct texts *t)
{
	for (size_t i = 0; i < t->chunks.n; i++)
		free(t->chunks.p[i]);
	free(t->chunks.p);
	*t = (struct texts){ 0 };
}

char *text_make(const char *fmt, ...)
{
	char *s;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : s;
}
