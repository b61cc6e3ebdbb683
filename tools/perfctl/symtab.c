// SPDX-License-Identifier: GPL-2.0
/* Functions by address. See symtab.h. */
#include "symtab.h"

#include <stdlib.h>

#define CHUNK (256u << 10)
/* how far a function without a size may reach if no other one follows */
#define OPEN_END (1u << 20)

static const char *keep_name(struct symtab *t, const char *name)
{
	size_t len = strlen(name) + 1, size = len > CHUNK ? len : CHUNK;
	char *p;

	if (!t->n_chunks || t->at + len > CHUNK) {
		*ARRAY_PUSH(t->chunks, t->n_chunks, t->cap_chunks) = xmalloc(size);
		t->at = 0;
	}
	p = t->chunks[t->n_chunks - 1] + t->at;
	memcpy(p, name, len);
	t->at += len;
	return p;
}

void symtab_add(struct symtab *t, uint64_t start, uint64_t end, const char *name, uint8_t rank,
		uint32_t owner, bool keep)
{
	struct symbol *s = ARRAY_PUSH(t->s, t->n, t->cap);

	s->start = start;
	s->end = end;
	s->name = keep ? name : keep_name(t, name);
	s->rank = rank;
	s->owner = owner;
}

static int by_address(const void *va, const void *vb)
{
	const struct symbol *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

void symtab_finish(struct symtab *t)
{
	size_t kept = 0;

	if (t->n)
		qsort(t->s, t->n, sizeof(*t->s), by_address);
	for (size_t i = 0; i < t->n; i++) {
		struct symbol *last = kept ? &t->s[kept - 1] : NULL;

		if (!last || t->s[i].start != last->start)
			t->s[kept++] = t->s[i];
		else if (!last->end)
			last->end = t->s[i].end;
	}
	t->n = kept;
	for (size_t i = 0; i < kept; i++) {
		struct symbol *s = &t->s[i];
		uint64_t next = i + 1 < kept ? t->s[i + 1].start : UINT64_MAX;
		uint64_t limit = s->start + OPEN_END < s->start ? UINT64_MAX :
								  s->start + OPEN_END;

		if (s->end <= s->start)
			s->end = min_u64(next, limit);
		/* one that lies within another ends it: nobody looks past it */
		else if (s->end > next)
			s->end = next;
	}
}

uint32_t symtab_find(const struct symtab *t, uint64_t addr)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (t->s[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr >= t->s[lo - 1].end)
		return SYM_NONE;
	return (uint32_t)(lo - 1);
}

const char *symtab_name(struct symtab *t, uint32_t index)
{
	struct symbol *s = &t->s[index];

	if (!s->shown) {
		char *readable = demangle(s->name);

		if (readable)
			s->name = keep_name(t, readable);
		free(readable);
		s->shown = true;
	}
	return s->name;
}

void symtab_free(struct symtab *t)
{
	for (size_t i = 0; i < t->n_chunks; i++)
		free(t->chunks[i]);
	free(t->chunks);
	free(t->s);
	*t = (struct symtab){ 0 };
}
