// SPDX-License-Identifier: GPL-2.0
/* Source lines and inlined functions. */
#include "lookup.h"
#include "tests.h"

#include <string.h>

static bool line_is(const struct pev_sym_line *l, const char *function, unsigned int line,
		    bool inlined)
{
	const char *base = l->file ? strrchr(l->file, '/') : NULL;

	return l->function && !strcmp(l->function, function) && l->line == line &&
	       l->inlined == inlined && base && !strcmp(base, "/inline.cc");
}

static void inlined(struct pev_syms *s, const char *file, const char *what)
{
	int o = pev_syms_object(s, object_path(file), NULL, 0);
	uint64_t at = find_function(s, o, "place");
	struct pev_sym_line l[8];
	int n = pev_sym_lines(s, o, at, l, 8);

	IS_NUM(n, 3, what);
	if (n != 3)
		return;
	OK(line_is(&l[0], "innermost", 10, true), "... the innermost one");
	OK(line_is(&l[1], "space::thing::middle(int)", 16, true), "... what called it");
	OK(line_is(&l[2], "space::thing::outer(int)", 23, false), "... the function itself");
	n = pev_sym_lines(s, o, at, l, 1);
	OK(n == 1 && line_is(&l[0], "space::thing::outer(int)", 10, false),
	   "room for one: the function and the line");
}

void test_lines(void)
{
	struct pev_sym_line l[4];
	struct pev_syms *s;
	uint64_t f3;
	int o;

	pev_syms_new(0, &s);
	inlined(s, "inline.5", "two functions inlined into a third (DWARF 5)");
	inlined(s, "inline.4", "... DWARF 4");
	inlined(s, "inline.compressed", "... compressed");
	inlined(s, "inline.split", "... split");
	o = pev_syms_object(s, object_path("plain"), NULL, 0);
	f3 = find_function(s, o, "f3");
	IS_NUM(pev_sym_lines(s, o, f3, l, 4), 0, "without debug information: none");
	IS_NUM(pev_sym_lines(s, o, 1ull << 50, l, 4), 0, "nor outside of the file");
	IS_NUM(pev_sym_lines(s, PEV_SYM_KERNEL, f3, l, 4), 0, "nor in the kernel");
	pev_syms_free(s);
}
