/* SPDX-License-Identifier: GPL-2.0 */
/* What is told about the PMU and its events. */
#ifndef _PEV_PMU_STATUS_H
#define _PEV_PMU_STATUS_H

#include <linux/types.h>

struct file;
struct pev_event;
struct pev_info;
struct pev_multiplexed;
struct pev_strbuf;

void pev_pmu_info(struct pev_info *info);
void pev_pmu_catalog(struct pev_strbuf *text);
struct file *pev_pmu_file(void (*more)(struct pev_strbuf *text));
void pev_pmu_read_multiplexed(struct pev_event *event, struct pev_multiplexed *m);

/**
 * struct pev_pmu_status - what the text of PEV_TYPE_PMU is made of
 * @only_perf: perf drives all
 * @hardware:  mask of PEV_HW_* that perf counts
 * @more:      appends the lines of what lies above
 */
struct pev_pmu_status {
	bool	only_perf;
	u64	hardware;
	void	(*more)(struct pev_strbuf *text);
};

#if IS_ENABLED(CONFIG_KUNIT)
void pev_pmu_put_status(struct pev_strbuf *text, void *arg);
#endif

#endif
