// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds source lines and inlined functions, by libdw, and keeps what it has read: the
 * ranges of all compilation units at first; the functions of a unit, and what was
 * inlined into a function, when one of their addresses is looked up.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include "dwarf/lines.h"
#include "util/vec.h"

/* nothing sane nests deeper */
#define DEPTH_MAX 64

/**
 * struct inlined - a function that was inlined into another
 * @depth: 1: into the function itself
 * @first, @n: its ranges in unit.ranges
 */
struct inlined {
	Dwarf_Die	die;
	uint32_t	depth;
	uint32_t	first, n;
};

/**
 * struct func - a function with code
 * @scanned: @inl is what was inlined
 */
struct func {
	Dwarf_Die	die;
	bool		scanned;
	VEC(struct inlined) inl;
};

struct range {
	uint64_t	low, high;
	uint32_t	what;
};

struct ranges {
	struct range	*p;
	size_t		n, cap;
};

/**
 * struct unit - a compilation unit
 * @die:    with lines and files
 * @tree:   with functions: another one if debug information was split
 * @funcs:  functions with code
 * @spans:  where these lie, sorted
 * @ranges: of what was inlined
 */
struct unit {
	Dwarf_Die	die;
	Dwarf_Die	tree;
	bool		scanned;
	VEC(struct func) funcs;
	struct ranges	spans;
	struct ranges	ranges;
};

/**
 * struct line_table - debug information of an object
 * @units: all of them
 * @spans: where they lie, sorted
 * @names: readable names by offset of the DIE
 */
struct line_table {
	Dwarf		*dw;
	uint64_t	bias;
	VEC(struct unit) units;
	struct ranges	spans;
	struct hmap	names;
	VEC(const char *) shown;
	struct texts	texts;
};

static int by_low(const void *va, const void *vb)
{
	const struct range *a = va, *b = vb;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? 1 : a->high > b->high ? -1 : 0;
}

/* Finds the last range that begins at or before the address, if it reaches that far. */
static const struct range *find(const struct range *r, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r[mid].low <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* try a few, as one may lie within another */
	for (unsigned int tries = 0; lo && tries < 8; lo--, tries++)
		if (addr < r[lo - 1].high)
			return &r[lo - 1];
	return NULL;
}

static uint32_t add_ranges(struct ranges *to, Dwarf_Die *die, uint32_t what)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	uint32_t n = 0;

	/* most are declarations, which dwarf_ranges() rejects much later */
	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
		return 0;
	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		struct range *r = low < high && low ? VEC_PUSH(to) : NULL;

		if (r) {
			*r = (struct range){ low, high, what };
			n++;
		}
	}
	return n;
}

struct line_table *line_table_new(void *dwarf, uint64_t bias)
{
	struct line_table *l = calloc(1, sizeof(*l));
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;
	uint8_t type;

	if (!l)
		return NULL;
	l->dw = dwarf;
	l->bias = bias;
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &sub)) {
		struct unit *u;

		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		u = VEC_PUSH(&l->units);
		if (!u)
			break;
		u->die = die;
		u->tree = type == DW_UT_skeleton && sub.addr ? sub : die;
		add_ranges(&l->spans, &u->die, (uint32_t)(l->units.n - 1));
	}
	if (l->spans.n)
		qsort(l->spans.p, l->spans.n, sizeof(*l->spans.p), by_low);
	return l;
}

void line_table_free(struct line_table *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->units.n; i++) {
		struct unit *u = &l->units.p[i];

		for (size_t k = 0; k < u->funcs.n; k++)
			free(u->funcs.p[k].inl.p);
		free(u->funcs.p);
		free(u->spans.p);
		free(u->ranges.p);
	}
	free(l->units.p);
	free(l->spans.p);
	hmap_free(&l->names);
	free(l->shown.p);
	texts_free(&l->texts);
	free(l);
}

static void add_func(struct unit *u, Dwarf_Die *die)
{
	struct func *f;

	if (!add_ranges(&u->spans, die, (uint32_t)u->funcs.n))
		return;
	f = VEC_PUSH(&u->funcs);
	if (f)
		f->die = *die;
	else
		u->spans.n = 0;
}

/* Collects the functions of a unit, also those in namespaces and classes. */
static void scan_unit(struct unit *u, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_func(u, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			scan_unit(u, &die, depth + 1);
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

static void scan_func(struct unit *u, struct func *f, Dwarf_Die *parent, uint32_t depth,
		      unsigned int level)
{
	Dwarf_Die die;

	if (level > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine) {
			uint32_t first = (uint32_t)u->ranges.n;
			struct inlined *i;

			if (!add_ranges(&u->ranges, &die, 0))
				continue;
			i = VEC_PUSH(&f->inl);
			if (!i)
				return;
			*i = (struct inlined){ die, depth, first, (uint32_t)u->ranges.n - first };
			scan_func(u, f, &die, depth + 1, level + 1);
		} else if (tag == DW_TAG_lexical_block) {
			scan_func(u, f, &die, depth, level + 1);
		}
	} while (!dwarf_siblingof(&die, &die));
}

static struct func *find_func(struct unit *u, uint64_t addr)
{
	const struct range *span;
	struct func *f;

	if (!u->scanned) {
		u->scanned = true;
		scan_unit(u, &u->tree, 0);
		if (u->spans.n)
			qsort(u->spans.p, u->spans.n, sizeof(*u->spans.p), by_low);
	}
	span = find(u->spans.p, u->spans.n, addr);
	if (!span)
		return NULL;
	f = &u->funcs.p[span->what];
	if (!f->scanned) {
		f->scanned = true;
		scan_func(u, f, &f->die, 1, 0);
	}
	return f;
}

static bool covers(const struct unit *u, const struct inlined *i, uint64_t addr)
{
	for (uint32_t k = i->first; k < i->first + i->n; k++)
		if (addr >= u->ranges.p[k].low && addr < u->ranges.p[k].high)
			return true;
	return false;
}

static const char *name_of(struct line_table *l, Dwarf_Die *die)
{
	static const unsigned int kinds[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	uint64_t key = dwarf_dieoffset(die);
	uint32_t index = hmap_get(&l->names, key);
	const char *name = NULL, **slot;
	Dwarf_Attribute attr;
	char *readable;

	if (index != UINT32_MAX)
		return l->shown.p[index];
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !name; i++)
		if (dwarf_attr_integrate(die, kinds[i], &attr))
			name = dwarf_formstring(&attr);
	readable = name ? pev_sym_demangle(name) : NULL;
	if (readable)
		name = texts_add(&l->texts, readable, strlen(readable));
	else if (dwarf_attr_integrate(die, DW_AT_name, &attr))
		name = dwarf_formstring(&attr);
	free(readable);
	slot = VEC_PUSH(&l->shown);
	if (slot) {
		*slot = name;
		hmap_add(&l->names, key, (uint32_t)(l->shown.n - 1));
	}
	return name;
}

/* Finds where in the source an inlined function was called from. */
static void call_site(struct unit *u, Dwarf_Die *die, struct pev_sym_line *to)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word v;
	size_t n;

	to->file = NULL;
	to->line = 0;
	if (dwarf_attr(die, DW_AT_call_line, &attr) && !dwarf_formudata(&attr, &v))
		to->line = (uint32_t)v;
	if (dwarf_attr(die, DW_AT_call_file, &attr) && !dwarf_formudata(&attr, &v) &&
	    !dwarf_getsrcfiles(&u->die, &files, &n) && v < n)
		to->file = dwarf_filesrc(files, v, NULL, NULL);
}

static void line_at(struct unit *u, uint64_t addr, struct pev_sym_line *to)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->die, addr);
	int n;

	if (!line)
		return;
	to->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &n))
		to->line = (uint32_t)n;
}

int line_table_find(struct line_table *l, uint64_t vaddr, struct pev_sym_line *out, unsigned int room)
{
	uint64_t addr = vaddr - l->bias;
	const struct range *span = find(l->spans.p, l->spans.n, addr);
	struct inlined *path[DEPTH_MAX];
	unsigned int depth = 0, n = 0;
	struct pev_sym_line here = { 0 };
	struct unit *u;
	struct func *f;

	if (!span || !room)
		return 0;
	u = &l->units.p[span->what];
	line_at(u, addr, &here);
	f = find_func(u, addr);
	/* in the order of the tree, a function that contains the address follows its parent */
	for (size_t i = 0; f && i < f->inl.n; i++) {
		struct inlined *in = &f->inl.p[i];

		if (in->depth <= depth)
			break;
		if (in->depth == depth + 1 && depth < DEPTH_MAX && covers(u, in, addr))
			path[depth++] = in;
	}
	while (depth && n + 1 < room) {
		struct inlined *in = path[--depth];

		here.function = name_of(l, &in->die);
		here.inlined = true;
		out[n++] = here;
		call_site(u, &in->die, &here);
	}
	here.function = f ? name_of(l, &f->die) : NULL;
	here.inlined = false;
	if (f || here.file)
		out[n++] = here;
	return (int)n;
}
