/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small things that every part of perfctl uses: memory that never fails,
 * growing strings and arrays, one-sentence messages, hash chains.
 */
#ifndef PERFCTL_BASE_UTIL_H
#define PERFCTL_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF(f, a) __attribute__((format(printf, f, a)))

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Out of memory ends the program with status 70. */
void *checked(void *p);
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) PRINTF(1, 2);

/* Grows an array that maps the numbers of another array to room for @to of them. */
uint32_t *map_grow(uint32_t *map, size_t from, size_t to);

/* Makes room for one more element by doubling the array. */
void *array_grow(void *p, size_t n, size_t *cap, size_t elem);
#define ARRAY_PUSH(arr, n, cap)                                          \
	((arr) = array_grow((arr), (n), &(cap), sizeof(*(arr))),         \
	 memset(&(arr)[(n)], 0, sizeof(*(arr))), &(arr)[(n)++])

/**
 * struct msg - one sentence that says what went wrong
 * @text: without a final newline
 *
 * Functions that can fail return -errno and fill one of these.
 */
struct msg {
	char text[1024];
};

/* Sets the text and returns @err, so that "return msg_set(m, -EINVAL, ..." works. */
int msg_set(struct msg *m, int err, const char *fmt, ...) PRINTF(3, 4);

/**
 * struct strbuf - a string that grows
 * @s:   always NUL-terminated once something was added
 * @len: bytes without the NUL
 * @cap: bytes allocated
 */
struct strbuf {
	char *s;
	size_t len;
	size_t cap;
};

void strbuf_add(struct strbuf *b, const void *data, size_t len);
/* Prints as "%*llx" in a tenth of the time: a script has millions of addresses. */
void strbuf_hex(struct strbuf *b, uint64_t v, unsigned int width);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) PRINTF(2, 3);
void strbuf_reset(struct strbuf *b);
void strbuf_free(struct strbuf *b);

static inline void strbuf_puts(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

static inline void strbuf_putc(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

/**
 * struct htab - hash chains over an array that the caller owns
 * @slots: open addressing, a reference is an index + 1
 * @size:  a power of two
 * @used:  slots in use
 *
 * Usage: for (ref = htab_first(h, hash, &pos); ref; ref = htab_next(h, hash, &pos))
 *		if (equal(&items[ref - 1]))
 *			return ref - 1;
 * or HTAB_GET() if one is to be added otherwise.
 */
struct htab_slot {
	uint32_t hash;
	uint32_t ref;
};

struct htab {
	struct htab_slot *slots;
	uint32_t size;
	uint32_t used;
};

void htab_add(struct htab *h, uint32_t hash, uint32_t index);
/* Forgets everything, but keeps the memory. */
void htab_clear(struct htab *h);
void htab_free(struct htab *h);

static inline uint32_t htab_next(const struct htab *h, uint32_t hash, uint32_t *pos)
{
	for (;; ++*pos) {
		const struct htab_slot *s = &h->slots[*pos & (h->size - 1)];

		if (!s->ref)
			return 0;
		if (s->hash == hash) {
			++*pos;
			return s->ref;
		}
	}
}

static inline uint32_t htab_first(const struct htab *h, uint32_t hash, uint32_t *pos)
{
	if (!h->size)
		return 0;
	*pos = hash;
	return htab_next(h, hash, pos);
}

/*
 * Points @e to the element for which @equal, a condition on @e, is true. If there is
 * none, adds a zeroed one at the end and is true: @e has to be filled then.
 */
#define HTAB_GET(e, h, hash, equal, arr, n, cap)                                   \
	__extension__({                                                            \
		uint32_t hash_ = (hash), pos_, ref_ = htab_first((h), hash_, &pos_); \
										   \
		for (; ref_; ref_ = htab_next((h), hash_, &pos_)) {                \
			(e) = &(arr)[ref_ - 1];                                    \
			if (equal)                                                 \
				break;                                             \
		}                                                                  \
		if (!ref_) {                                                       \
			(e) = ARRAY_PUSH((arr), (n), (cap));                       \
			htab_add((h), hash_, (uint32_t)((n) - 1));                 \
		}                                                                  \
		!ref_;                                                             \
	})

static inline uint32_t hash_u64(uint64_t v)
{
	v ^= v >> 32;
	v *= 0x9e3779b97f4a7c15ULL;
	return (uint32_t)(v >> 32);
}

static inline uint32_t hash_2u64(uint64_t a, uint64_t b)
{
	return hash_u64(a * 0xff51afd7ed558ccdULL + b);
}

static inline uint64_t hash_pair(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* Mixes two numbers: xor of the halves of their product, to which every bit contributes. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint32_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325ULL ^ len, w[2];

	for (; len >= sizeof(w); len -= sizeof(w), p += sizeof(w)) {
		memcpy(w, p, sizeof(w));
		h = hash_fold(w[0] ^ 0x9e3779b97f4a7c15ULL, w[1] ^ h);
	}
	if (len >= sizeof(w[0])) {
		memcpy(w, p, sizeof(w[0]));
		h = hash_fold(w[0] ^ 0x9e3779b97f4a7c15ULL, h);
		len -= sizeof(w[0]);
		p += sizeof(w[0]);
	}
	if (len) {
		w[0] = 0;
		memcpy(w, p, len);
		h = hash_fold(w[0] ^ 0x9e3779b97f4a7c15ULL, h);
	}
	return hash_u64(h);
}

/* Strings to small numbers; the same string always gives the same number. */
struct strtab {
	char **s;
	size_t n;
	size_t cap;
	struct htab h;
};

uint32_t strtab_id(struct strtab *t, const char *s);
void strtab_free(struct strtab *t);

static inline const char *strtab_get(const struct strtab *t, uint32_t id)
{
	return t->s[id];
}

/* Parse a whole number with nothing behind it. */
int parse_u64(const char *s, uint64_t *out);
/* "100ms", "2s", "1.5m"; without a unit: seconds. At least 1 ns */
int parse_time(const char *s, uint64_t *ns);
/* "64K", "1M", "2GiB" */
int parse_size(const char *s, uint64_t *out);

bool glob_match(const char *pattern, const char *s);
/* "main,lib*"; one that is a name costs no more than a comparison. */
bool globs_match(const char *globs, const char *s);

/* Reads a small file (procfs and such), NUL-terminated; NULL with errno if that fails. */
char *file_read(const char *path, size_t *len);
/*
 * Opens what a path that others chose leads to, if that is a regular file: anything else is not
 * even opened. Of a file that others may write while it is mapped, a copy. -1 with errno.
 */
int file_open_constant(const char *path);
/* Reads what is open to its end, and closes it: NULL with errno if that is more than @most. */
char *file_read_open(int fd, size_t most, size_t *len);
/* Reads the regular file at such a path as file_read() does, unless it is larger than @most. */
char *file_read_regular(const char *path, size_t most, size_t *len);

#endif
