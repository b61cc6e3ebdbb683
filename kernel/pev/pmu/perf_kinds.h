/* SPDX-License-Identifier: GPL-2.0 */
/* Processors with several kinds of cores, each with a PMU of its own: hybrid ones. */
#ifndef _PEV_PMU_PERF_KINDS_H
#define _PEV_PMU_PERF_KINDS_H

#include <linux/types.h>

struct pev_strbuf;

/**
 * pev_perf_is_kind() - is it the PMU of one of several kinds of cores?
 * @type: number that perf gave it
 *
 * Context: Process context, may sleep.
 * Return: false also where all cores are of one kind, which is PEV_PMU_CORE.
 */
bool pev_perf_is_kind(u32 type);

/* Are there cores of several kinds online? Process context, may sleep. */
bool pev_perf_has_kinds(void);

/**
 * pev_perf_look_for_kinds() - learn of the kinds, for the two below
 *
 * Context: Process context, may sleep.
 * Return: a bit for each that has a CPU which is online, the same one whenever it has.
 */
unsigned int pev_perf_look_for_kinds(void);

/**
 * pev_perf_each_kind() - ask something of a CPU of each kind
 * @good: what
 * @arg:  for it
 *
 * Context: Process context, may sleep.
 * Return: is @good for a CPU of each that is known and not offline, and is there one?
 */
bool pev_perf_each_kind(bool (*good)(unsigned int cpu, void *arg), void *arg);

/* Write "pmu NUMBER NAME" of each that is known, if there are several. May sleep. */
void pev_perf_put_kinds(struct pev_strbuf *text);

#endif
