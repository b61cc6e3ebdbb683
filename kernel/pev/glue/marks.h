/* SPDX-License-Identifier: GPL-2.0 */
/* Where the linker puts the places of markers. */
#ifndef _PEV_MARKS_H
#define _PEV_MARKS_H

#include <linux/module.h>
#include <linux/pev_marker.h>

/* The kernel's own; the linker defines both. */
extern struct pev_mark __start___pev_marks[];
extern struct pev_mark __stop___pev_marks[];

/* Places from @begin to before @end. */
struct pev_marks {
	struct pev_mark	*begin;
	struct pev_mark	*end;
};

static inline struct pev_marks pev_marks_of_kernel(void)
{
	return (struct pev_marks){ __start___pev_marks, __stop___pev_marks };
}

#ifdef CONFIG_MODULES
/* Context: a notifier of modules. */
static inline struct pev_marks pev_marks_of(const struct module *mod)
{
	return (struct pev_marks){ mod->pev_marks, mod->pev_marks + mod->num_pev_marks };
}
#endif

#endif
