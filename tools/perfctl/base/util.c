// SPDX-License-Identifier: GPL-2.0
/* Memory, strings, arrays, hash chains. See util.h. */
#include "util.h"
#include "regular.h"
#include "snapshot.h"
#include "status.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

void *checked(void *p)
{
	if (!p) {
		fprintf(stderr, "perfctl: out of memory\n");
		exit(STATUS_NO_MEMORY);
	}
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t size)
{
	return checked(realloc(p, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return checked(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return checked(n < 0 ? NULL : s);
}

void *array_grow(void *p, size_t n, size_t *cap, size_t elem)
{
	if (n < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 16;
	return checked(reallocarray(p, *cap, elem));
}

uint32_t *map_grow(uint32_t *map, size_t from, size_t to)
{
	return from == to ? map : xrealloc(map, to * sizeof(*map));
}

int msg_set(struct msg *m, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m->text, sizeof(m->text), fmt, ap);
	va_end(ap);
	return err;
}

void strbuf_add(struct strbuf *b, const void *data, size_t len)
{
	if (b->len + len + 1 > b->cap) {
		b->cap = (b->len + len + 1) * 2;
		b->s = xrealloc(b->s, b->cap);
	}
	memcpy(b->s + b->len, data, len);
	b->len += len;
	b->s[b->len] = 0;
}

void strbuf_hex(struct strbuf *b, uint64_t v, unsigned int width)
{
	char text[16];
	unsigned int n = 0;

	do {
		text[sizeof(text) - ++n] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	for (unsigned int pad = n; pad < width; pad++)
		strbuf_putc(b, ' ');
	strbuf_add(b, text + sizeof(text) - n, n);
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	char small[256], *big;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < (int)sizeof(small)) {
		strbuf_add(b, small, n < 0 ? 0 : (size_t)n);
		return;
	}
	va_start(ap, fmt);
	n = vasprintf(&big, fmt, ap);
	va_end(ap);
	if (n >= 0) {
		strbuf_add(b, big, (size_t)n);
		free(big);
	}
}

void strbuf_reset(struct strbuf *b)
{
	b->len = 0;
	if (b->s)
		b->s[0] = 0;
}

void strbuf_free(struct strbuf *b)
{
	free(b->s);
	*b = (struct strbuf){ 0 };
}

static void htab_insert(struct htab *h, struct htab_slot slot)
{
	uint32_t pos = slot.hash;

	while (h->slots[pos & (h->size - 1)].ref)
		pos++;
	h->slots[pos & (h->size - 1)] = slot;
	h->used++;
}

void htab_add(struct htab *h, uint32_t hash, uint32_t index)
{
	if (h->used * 2 >= h->size) {
		struct htab old = *h;

		h->size = old.size ? old.size * 2 : 64;
		h->slots = xcalloc(h->size, sizeof(*h->slots));
		h->used = 0;
		for (uint32_t i = 0; i < old.size; i++)
			if (old.slots[i].ref)
				htab_insert(h, old.slots[i]);
		free(old.slots);
	}
	htab_insert(h, (struct htab_slot){ .hash = hash, .ref = index + 1 });
}

void htab_clear(struct htab *h)
{
	if (h->slots)
		memset(h->slots, 0, h->size * sizeof(*h->slots));
	h->used = 0;
}

void htab_free(struct htab *h)
{
	free(h->slots);
	*h = (struct htab){ 0 };
}

uint32_t strtab_id(struct strtab *t, const char *s)
{
	char **e;

	if (HTAB_GET(e, &t->h, hash_bytes(s, strlen(s)), !strcmp(*e, s), t->s, t->n, t->cap))
		*e = xstrdup(s);
	return (uint32_t)(e - t->s);
}

void strtab_free(struct strtab *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->s[i]);
	free(t->s);
	htab_free(&t->h);
	*t = (struct strtab){ 0 };
}

int parse_u64(const char *s, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*out = strtoull(s, &end, 0);
	if (errno || *end)
		return -EINVAL;
	return 0;
}

int parse_time(const char *s, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
		      { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 } };
	char *end;
	double v = strtod(s, &end);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (end != s && !strcmp(end, units[i].unit) && v * units[i].ns >= 1 &&
		    v * units[i].ns < 1e18) {
			*ns = (uint64_t)(v * units[i].ns);
			return 0;
		}
	return -EINVAL;
}

int parse_size(const char *s, uint64_t *out)
{
	static const char units[] = "KMGT";
	unsigned int shift = 0;
	const char *u;
	char *end;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*out = strtoull(s, &end, 0);
	if (errno)
		return -EINVAL;
	u = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (u) {
		shift = 10 * (unsigned int)(u - units + 1);
		end++;
		if (*end == 'i')
			end++;
	}
	if (*end == 'B' || *end == 'b')
		end++;
	if (*end || *out << shift >> shift != *out)
		return -EINVAL;
	*out <<= shift;
	return 0;
}

bool glob_match(const char *pattern, const char *s)
{
	return fnmatch(pattern, s, 0) == 0;
}

bool globs_match(const char *globs, const char *s)
{
	size_t len, name;
	bool match;
	char *glob;

	for (const char *p = globs;; p += len + 1) {
		name = strcspn(p, ",*?[\\");
		len = name + strcspn(p + name, ",");
		if (name == len) {
			match = len && !strncmp(p, s, len) && !s[len];
		} else {
			glob = xstrndup(p, len);
			match = glob_match(glob, s);
			free(glob);
		}
		if (match || !p[len])
			return match;
	}
}

static char *read_all(int fd, size_t most, size_t *len)
{
	struct strbuf b = { 0 };
	char buf[16384];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0 && b.len + (size_t)n <= most)
		strbuf_add(&b, buf, (size_t)n);
	if (n > 0)
		errno = EFBIG;
	if (n) {
		strbuf_free(&b);
		return NULL;
	}
	strbuf_add(&b, "", 0);
	if (len)
		*len = b.len;
	return b.s;
}

char *file_read_open(int fd, size_t most, size_t *len)
{
	char *s = read_all(fd, most, len);
	int err = errno;

	close(fd);
	errno = err;
	return s;
}

char *file_read(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : file_read_open(fd, SIZE_MAX, len);
}

int file_open_constant(const char *path)
{
	int file = regular_open(path), fd = file;
	struct stat st;

	if (file >= 0 && snapshot_is_needed(file, &st)) {
		fd = (uint64_t)st.st_size > snapshot_most() ? -EFBIG : snapshot_make(file, &st);
		close(file);
	}
	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}

char *file_read_regular(const char *path, size_t most, size_t *len)
{
	int fd = regular_open(path);

	if (fd >= 0)
		return file_read_open(fd, most, len);
	errno = -fd;
	return NULL;
}
