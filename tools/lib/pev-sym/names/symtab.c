// SPDX-License-Identifier: LGPL-2.1-only
/* A table of functions, sorted by address. Knows nothing of files. */
#include <stdlib.h>
#include <string.h>
#include "names/demangle.h"
#include "names/symtab.h"

/* how far a function without a size may reach if no other one follows */
#define OPEN_END (1u << 20)

bool symtab_add(struct symtab *t, uint64_t start, uint64_t end, const char *name, size_t len,
		uint32_t rank, int owner, bool keep)
{
	struct symbol *s;

	if (!keep)
		name = texts_add(&t->names, name, len);
	s = name ? VEC_PUSH(&t->s) : NULL;
	if (!s)
		return false;
	s->start = start;
	s->end = end;
	s->name = name;
	s->rank = rank;
	s->owner = owner;
	return true;
}

uint32_t symtab_rank(const char *name, bool sized, bool weak, bool global)
{
	size_t underscores = strspn(name, "_"), len = strlen(name);

	return (sized ? 1u << 31 : 0) | (weak ? 0 : 1u << 30) | (global ? 1u << 29 : 0) |
	       (uint32_t)(63 - (underscores < 63 ? underscores : 63)) << 16 |
	       (uint32_t)(len < 0xffff ? len : 0xffff);
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

static void close_end(struct symbol *s, uint64_t next)
{
	uint64_t limit = s->start + OPEN_END < s->start ? UINT64_MAX : s->start + OPEN_END;

	if (s->end <= s->start)
		s->end = next < limit ? next : limit;
	/* a function within another one ends it: lookups don't go past it */
	else if (s->end > next)
		s->end = next;
}

/* The kernel's functions are already sorted, except for those at the same address. */
static void sort(struct symbol *s, size_t n)
{
	size_t run;

	for (size_t i = 1; i < n; i++)
		if (s[i].start < s[i - 1].start) {
			qsort(s, n, sizeof(*s), by_address);
			return;
		}
	for (size_t i = 0; i < n; i += run) {
		for (run = 1; i + run < n && s[i + run].start == s[i].start; run++)
			;
		if (run > 1)
			qsort(s + i, run, sizeof(*s), by_address);
	}
}

void symtab_finish(struct symtab *t)
{
	struct symbol *s = t->s.p;
	size_t kept = 0;

	sort(s, t->s.n);
	for (size_t i = 0; i < t->s.n; i++) {
		struct symbol *last = kept ? &s[kept - 1] : NULL;

		if (!last || s[i].start != last->start)
			s[kept++] = s[i];
		else if (!last->end)
			last->end = s[i].end;
	}
	t->s.n = kept;
	for (size_t i = 0; i < kept; i++)
		close_end(&s[i], i + 1 < kept ? s[i + 1].start : UINT64_MAX);
}

uint32_t symtab_find(const struct symtab *t, uint64_t addr)
{
	size_t lo = 0, hi = t->s.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (t->s.p[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr >= t->s.p[lo - 1].end)
		return SYM_NONE;
	return (uint32_t)(lo - 1);
}

const char *symtab_name(struct symtab *t, uint32_t index)
{
	struct symbol *s = &t->s.p[index];
	char *readable;

	if (!s->shown) {
		readable = demangle(s->name);
		if (readable)
			s->shown = texts_add(&t->names, readable, strlen(readable));
		free(readable);
		if (!s->shown)
			s->shown = s->name;
	}
	return s->shown;
}

void symtab_free(struct symtab *t)
{
	free(t->s.p);
	texts_free(&t->names);
	*t = (struct symtab){ 0 };
}
