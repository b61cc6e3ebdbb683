/* SPDX-License-Identifier: GPL-2.0 */
/* Sets how often samples are taken, and what is in them. */
#ifndef PERFCTL_EVENT_SAMPLING_H
#define PERFCTL_EVENT_SAMPLING_H

#include "plan.h"
#include "cli/opt.h"

/* As many samples a second as the kernel allows */
#define FREQ_MAX UINT64_MAX

#define FREQ_OPT(type, member, default_hz)                                                   \
	{ 'F', OPT_CALL, "freq", "HZ", default_hz "; max: as often as the kernel allows",     \
	  offsetof(type, member), freq_option }

/* Handles -F: a number, or "max". */
int freq_option(void *freq, const char *arg, struct msg *m);

/**
 * struct sampling - how often samples are taken, and what is in them
 * @freq:  samples a second, or FREQ_MAX, of timers and hardware events without a typed
 *         period ...
 * @usual_freq: ... where none were asked for: fewer if the kernel allows no more
 * @count: occurrences for each sample; 0: @freq, and each occurrence of events that
 *         have none
 * @chains: with call chains ...
 * @max_stack: ... of at most so many frames, 0: the kernel's limit
 * @stack_user: ... made later, of registers and so many bytes of the stack; 0:
 *         made by the kernel
 * @guests: they say whether a guest was hit
 * @exits:  with why the guest was left for which the host works
 * @context: with the request that the thread says it works for
 * @deferred: the program's part of call chains comes later: see event_plan_deferred()
 */
struct sampling {
	uint64_t freq;
	uint64_t usual_freq;
	uint64_t count;
	bool chains;
	uint32_t max_stack;
	uint32_t stack_user;
	bool guests;
	bool exits;
	bool context;
	bool deferred;
};

/*
 * With s->deferred adds what brings the stacks that others put off. @other: an option that it does
 * not go with, or NULL. Returns 0, -errno with @m set.
 */
int event_plan_deferred(struct event_plan *plan, const struct sampling *s,
			const struct pev_info *info, const char *other, struct msg *m);
void event_plan_sampling(struct event_plan *plan, const struct sampling *s);
/* The same for events from @first on, of event_plan_more(): these have no frequency. */
void event_plan_sampling_more(struct event_plan *plan, size_t first, const struct sampling *s);
/*
 * Returns what to sample by default: cycles if they can be sampled now, else a timer.
 * Notes what is in the way, unless @quiet is set and the reason is only that there is
 * no PMU.
 */
const char *event_to_sample(const struct pev_info *info, bool quiet);

#endif
