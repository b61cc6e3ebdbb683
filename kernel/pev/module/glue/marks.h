/* SPDX-License-Identifier: GPL-2.0 */
/*
 * glue/marks.h for a module: its own places of markers, between two objects that are
 * linked first and last, and those of other modules, by the names of their symbols.
 */
#ifndef _PEV_MARKS_H
#define _PEV_MARKS_H

#include <linux/module.h>
#include <linux/pev_marker.h>

extern struct pev_mark pev_marks_begin[];
extern struct pev_mark pev_marks_end[];

/* Places from @begin to before @end. */
struct pev_marks {
	struct pev_mark	*begin;
	struct pev_mark	*end;
};

static inline struct pev_marks pev_marks_of_kernel(void)
{
	return (struct pev_marks){ pev_marks_begin, pev_marks_end };
}

struct pev_marks pev_marks_of(const struct module *mod);

#endif
