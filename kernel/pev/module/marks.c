// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the way to the markers of other modules: the loader of modules keeps no list of
 * their places, but the names of all symbols, of which each place is one.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include "glue/marks.h"

/* PEV_MARK() calls each place so; compilers put a number behind, or a function in front. */
#define PLACE "__pev_mark"

static bool is_place(const char *symbol)
{
	const char *at = strstr(symbol, PLACE);
	char after;

	if (!at || (at > symbol && at[-1] != '.'))
		return false;
	after = at[strlen(PLACE)];
	return !after || after == '.';
}

/* Where the places of a module are, from @low to before @high. */
struct places {
	const struct module *mod;
	unsigned long low;
	unsigned long high;
	unsigned int nr;
};

static int add_symbol(void *data, const char *symbol, unsigned long addr)
{
	struct places *p = data;

	if (!is_place(symbol) || !within_module_core(addr, p->mod))
		return 0;
	p->low = p->nr ? min(p->low, addr) : addr;
	p->high = max(p->high, addr + sizeof(struct pev_mark));
	p->nr++;
	return 0;
}

/**
 * pev_marks_of() - the places of markers in a module
 * @mod: not pev itself
 *
 * Context: A notifier of modules; takes module_mutex.
 * Return: The range; an empty one if it has no place, or not only places.
 */
struct pev_marks pev_marks_of(const struct module *mod)
{
	struct places p = { .mod = mod };

	module_kallsyms_on_each_symbol(mod->name, add_symbol, &p);
	if (p.high - p.low != p.nr * sizeof(struct pev_mark)) {
		pr_warn("markers of %s: %u places in %lu bytes; none can be listened to\n",
			mod->name, p.nr, p.high - p.low);
		return (struct pev_marks){ };
	}
	return (struct pev_marks){ (struct pev_mark *)p.low, (struct pev_mark *)p.high };
}
