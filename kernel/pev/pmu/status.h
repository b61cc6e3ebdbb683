/* SPDX-License-Identifier: GPL-2.0 */
/* What is told about the PMU and its events. */
#ifndef _PEV_PMU_STATUS_H
#define _PEV_PMU_STATUS_H

struct file;
struct pev_event;
struct pev_info;
struct pev_multiplexed;
struct pev_strbuf;

void pev_pmu_info(struct pev_info *info);
void pev_pmu_catalog(struct pev_strbuf *text);
struct file *pev_pmu_file(void (*more)(struct pev_strbuf *text));
void pev_pmu_read_multiplexed(struct pev_event *event, struct pev_multiplexed *m);

#endif
