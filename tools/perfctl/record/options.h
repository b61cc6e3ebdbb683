/* SPDX-License-Identifier: GPL-2.0 */
/* What the options of perfctl record ask for. Knows nothing of how it is recorded. */
#ifndef PERFCTL_RECORD_OPTIONS_H
#define PERFCTL_RECORD_OPTIONS_H

#include "event/spec.h"
#include "event/target.h"
#include "event/triggers.h"
#include "measure.h"
#include "parts.h"

/* What off_cpu adds to the events */
#define RECORD_SWITCH "sched:sched_switch"
#define RECORD_WAKING "sched:sched_waking"
/* ... and waits, where the kernel has none of its own */
#define RECORD_WAKEUP "sched:sched_wakeup"

/**
 * struct record_opts - as typed
 * @span:        when to begin and to end
 * @parts:       when to begin another part
 * @control:     where commands come from, see control.h; NULL: from nowhere
 * @paused:      events are off until a command switches them on
 * @freq:        samples a second; 0: @count, or the default
 * @count:       events between two samples
 * @ring_size:   bytes of each CPU's ring; 0: chosen
 * @max_stack:   frames in a call chain; 0: the kernel's limit
 * @output:      directory of the trace
 * @channel:     of the kernel's, which is recorded alone; NULL: none
 * @clock:       enum pev_clock
 * @graph:       record call chains
 * @graph_typed: the user said whether to do so
 * @off_cpu:     record all switches of the scheduler
 * @waits:       record what threads wait for ...
 * @waits_least: ... unless it takes less, in ns
 * @plan_waits: an event of waits tells of them, not the scheduler's
 * @strings:     record what arguments of system calls point to
 * @context:     record the request that the thread says it works for
 * @exits:       record why the guest was left for which the host works
 * @stack_user:  bytes of the stack in each sample; 0: frame pointers are followed
 * @flush:       ns after which a record is on the disk; 0: a second
 * @compress:    packets, by zstd ...
 * @level:       ... of this level, 0: the usual one
 * @no_intern:   write a call chain with each record that has it, not once a packet
 * @writers:     threads that write, each rings of its own; 0: one
 * @overwrite:   keep the newest records in memory until the end
 * @crash:       as @overwrite, in memory that outlives a crash
 * @panic:       the kernel prints its last records if it panics
 * @from_crash:  write what that has from before the machine went down, and record nothing
 * @drop_crash:  drop that
 * @on_exit:     with @overwrite, write at the end only if the command was ended by one of these
 *               signals, a bit each; 0: in any case
 * @triggers:    events that start, stop and freeze it
 * @fold:        count samples by their call chains
 * @no_state:    do not record what the machine has
 * @latency:     the events make pairs, of which records are made ...
 * @least:       ... if they took so long, in ns ...
 * @open:        ... of so many that may be open
 * @pairs:       the table of these; it has none without @latency
 * @quiet:       print only what goes wrong
 */
struct record_opts {
	struct target_opts target;
	struct span_opts span;
	struct event_list events;
	struct parts_opts parts;
	const char *control;
	bool paused;
	uint64_t freq;
	uint64_t count;
	uint64_t ring_size;
	uint64_t max_stack;
	const char *output;
	const char *channel;
	uint32_t clock;
	bool graph;
	bool graph_typed;
	bool off_cpu;
	bool waits;
	uint64_t waits_least;
	bool plan_waits;
	bool strings;
	bool context;
	bool exits;
	bool deferred;
	uint32_t stack_user;
	uint64_t flush;
	bool compress;
	int level;
	bool no_intern;
	uint64_t writers;
	bool overwrite;
	bool crash;
	bool panic;
	bool from_crash;
	bool drop_crash;
	uint64_t on_exit;
	struct triggers triggers;
	bool fold;
	bool no_state;
	const char *latency;
	uint64_t least;
	uint64_t open;
	struct pev_table pairs;
	bool quiet;
};

/* Do they go together? @argv: the command, NULL: none */
int record_options_check(const struct record_opts *o, char **argv, struct msg *m);
/* Adds the events that options stand for, or the usual one, and refuses what these can't do. */
int record_options_events(struct record_opts *o, const struct pev_info *info, struct msg *m);

#endif
