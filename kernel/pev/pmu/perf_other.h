/* SPDX-License-Identifier: GPL-2.0 */
/* PMUs of perf's other than that of the cores, and rights that perf's drivers ask for. */
#ifndef _PEV_PMU_PERF_OTHER_H
#define _PEV_PMU_PERF_OTHER_H

struct pev_attr;
struct pev_hw_event;
struct pev_refuse;

/**
 * pev_perf_other() - find out how a PMU that is not PEV_PMU_CORE counts an event, or refuse it
 * @attr: what is asked for
 * @hw:   the event: @perf is set, @where, @perf.always and @perf.aside are filled in
 * @name: of the event, in refusals
 * @r:    refusal
 *
 * Context: Process context of the opener, may sleep.
 * Return: 0 or a negative errno.
 */
int pev_perf_other(const struct pev_attr *attr, struct pev_hw_event *hw, const char *name,
		   struct pev_refuse *r);

/**
 * pev_perf_permit() - would perf count an event for the opener itself?
 * @attr: what is asked for
 * @hw:   the event: @perf is set
 * @name: of the event, in refusals
 * @r:    refusal
 *
 * Counters are made with the kernel's rights, but some codes take rights that only perf's
 * driver knows of.
 *
 * Context: Process context of the opener, may sleep.
 * Return: 0 or a negative errno.
 */
int pev_perf_permit(const struct pev_attr *attr, struct pev_hw_event *hw, const char *name,
		    struct pev_refuse *r);

#endif
