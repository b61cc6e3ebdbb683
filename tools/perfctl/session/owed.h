/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Joins records whose user's stack came later (record --deferred) with that stack, by its
 * cookie. Others are passed through.
 */
#ifndef PERFCTL_SESSION_OWED_H
#define PERFCTL_SESSION_OWED_H

#include <pev/pev.h>

/**
 * struct owed_stack - what a thread told on its way back to user mode
 * @cookie: never 0; 0: the place in the table is free
 * @ustack: and the rest: as in struct pev_event, in the packet
 * @missing: enum pev_missing
 */
struct owed_stack {
	uint64_t cookie;
	const uint64_t *ustack;
	const uint64_t *uregs;
	const uint8_t *dump;
	uint64_t dump_len;
	uint32_t ustack_len;
	uint32_t uregs_len;
	uint32_t missing;
};

/* A stack that has not come when its record could be shown is waited for so long, at most. */
#define OWED_WAIT_MS 2000

/**
 * struct owed - all stacks of a trace
 * @stacks: a table with open addressing, of 1 << @bits places
 * @n:      of them
 * @seen:   packets that were looked at, of each of @n_streams streams
 * @synced: of a trace that is being made: how far it was complete when a stack was asked for last
 * @settled: records up to this time wait no more for their stacks
 * @since:  ms of a clock when a record began to wait; 0: none does
 */
struct owed {
	struct owed_stack *stacks;
	unsigned int bits;
	size_t n;
	size_t *seen;
	unsigned int n_streams;
	uint64_t synced;
	uint64_t settled;
	int64_t since;
};

/**
 * struct owed_sums - records that one reader asked for
 * @joined:  have their stack
 * @missing: by enum pev_missing; the first: nothing came
 */
struct owed_sums {
	uint64_t joined;
	uint64_t missing[PEV_MISSING_MAX];
};

/* Reads the stacks of a trace. Return: NULL if its records owe none. */
struct owed *owed_new(struct pev_trace *trace);
void owed_free(struct owed *o);
/* Takes one more, in a trace that is being made. @o: may be NULL */
void owed_add(struct owed *o, const struct pev_event *ev);
/* Takes what has come since into a trace that is being made. */
void owed_look(struct owed *o, struct pev_trace *trace);
/* Has it come what became of the event's stack? */
bool owed_has(const struct owed *o, const struct pev_event *ev);
/**
 * owed_waits() - is a record of a trace that is being made to wait for its stack?
 * @synced: as pev_trace_synced() tells it
 * @now_ms: of a clock
 *
 * A thread tells its stack when it returns to user mode, which is soon or never. A record
 * waits until the trace is complete up to a later time than that at which it could be shown, as all
 * have been written by then that were told meanwhile; but no longer than OWED_WAIT_MS, as a
 * trace of which nothing comes does not grow.
 */
bool owed_waits(struct owed *o, const struct pev_event *ev, uint64_t synced, int64_t now_ms);
/**
 * owed_join() - an event with the stack that came later
 * @o: NULL: does nothing
 * @sums: counts the event
 * @copy: memory for what is returned
 *
 * Return: @ev itself if it owes nothing, or @copy.
 */
const struct pev_event *owed_join(const struct owed *o, struct owed_sums *sums,
				  const struct pev_event *ev, struct pev_event *copy);
/* Adds the counts of another reader and clears them there. */
void owed_merge(struct owed_sums *to, struct owed_sums *from);
/* Notes how many records lack their stack, and why. */
void owed_note(const struct owed_sums *sums);

#endif
