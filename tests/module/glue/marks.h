/* SPDX-License-Identifier: GPL-2.0 */
/* kernel/pev/glue/marks.h for a kernel that does not know marker sections. */
#ifndef _PEV_MARKS_H
#define _PEV_MARKS_H

#include <linux/module.h>
#include <linux/pev_marker.h>

struct pev_marks {
	struct pev_mark	*begin;
	struct pev_mark	*end;
};

struct pev_marks pev_marks_of_kernel(void);
struct pev_marks pev_marks_of(const struct module *mod);

#endif
