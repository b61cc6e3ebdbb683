/* SPDX-License-Identifier: GPL-2.0 */
/* What user space reads of its own counters without a call. */
#ifndef _PEV_PMU_PAGE_H
#define _PEV_PMU_PAGE_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct pev_attr;
struct pev_event;
struct pev_hw_event;
struct pev_hw_cpu;
struct pev_refuse;
struct mm_struct;
struct vm_area_struct;

int pev_pmu_page_make(struct pev_hw_event *hw, const struct pev_attr *attr,
		      struct pev_refuse *r);
int pev_pmu_page_map(struct pev_event *event, struct vm_area_struct *vma);
void pev_pmu_page_free(struct pev_hw_event *hw);
void pev_pmu_page_init(struct mm_struct *mm);
/* Is there a page, or may all read counters? Then values of others are hidden. */
bool pev_pmu_readable(void);
void pev_pmu_page_update(struct pev_hw_event *hw, const struct pev_hw_cpu *s);

#endif
