/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl record: one channel, the events that go into it, and their way to
 * the disk. Knows nothing of options and signals.
 */
#ifndef PERFCTL_RECORD_RECORDER_H
#define PERFCTL_RECORD_RECORDER_H

#include "checkpoint.h"
#include "event/cpu_watch.h"
#include "event/late.h"
#include "event/pairs.h"
#include "event/plan.h"
#include "event/set.h"
#include "fold/fold.h"
#include "procs/history.h"
#include "relayed.h"
#include "switch.h"
#include "trace_dir.h"
#include "user_marks.h"

/**
 * struct recorder_config - what to record and where
 * @plan:      events; their period and sample are set
 * @target:    where
 * @events:    as they were asked for, for those that come later, NULL: none ...
 * @sampling:  ... and how they are sampled
 * @channel:   of the kernel's, which is recorded instead of @plan; NULL: none
 * @path:      directory of the trace, or of its part that is written; for messages only if
 *             there is a @pipe
 * @pipe:      descriptor that the trace goes into; 0: none
 * @relay:     the relay that the trace goes to; NULL: none
 * @ring_size: bytes for each CPU; 0: @ring_default, or less if there is no room
 * @ring_default: 0: the usual size; more for large records
 * @flush:     ns after which a record is on the disk; recorder_drain() is called twice as often
 * @compress:  packets ...
 * @level:     ... by this level of zstd, 0: the usual one
 * @intern:    write a call chain once a packet; not for who reads the rings beside the recorder
 * @writers:   threads that move packets to the disk; 0: one
 * @overwrite: flight recorder
 * @crash:     in memory that outlives a crash
 * @panic:     the kernel prints its last records if it panics
 * @stopped:   a trigger starts it
 * @waits:     it is of waits, and what tells of them is no event among others
 * @fold:      count samples by their call chains, instead of recording each
 * @max_stack: frames of these at most, 0: all
 * @pairs:     the first two events make pairs in such a table, with @least; NULL: they do not
 * @later:     recorder_start() switches events on, not the command's exec
 * @clock:     enum pev_clock
 * @state:     what the machine has is written, too
 * @command:   for the trace's description ...
 * @command_pid: ... and its process, 0: there is no command
 */
struct recorder_config {
	struct event_plan *plan;
	const struct target *target;
	const struct event_list *events;
	const struct sampling *sampling;
	const char *channel;
	const char *path;
	int pipe;
	const struct relay_url *relay;
	uint64_t ring_size;
	uint64_t ring_default;
	uint64_t flush;
	bool compress;
	int level;
	bool intern;
	unsigned int writers;
	bool overwrite;
	bool crash;
	bool panic;
	bool stopped;
	bool waits;
	bool fold;
	uint32_t max_stack;
	const struct pev_table *pairs;
	bool later;
	uint32_t clock;
	bool state;
	const char *command;
	int command_pid;
};

/**
 * struct recorder - one recording
 * @fd:       the channel
 * @channel:  its rings
 * @lost_before: what was lost in them before the recording
 * @sideband: plan of the sideband events
 * @side:     those events; off in overwrite mode, where @history has them
 * @set:      the events
 * @fold:     where they are counted
 * @pairs:    what those are of
 * @marks:    of programs
 * @cpus:     those that come and go
 * @late:     events that come
 * @writer:   the trace on disk; NULL until it is needed (overwrite mode)
 * @relayed:  what goes to a relay
 * @failed:   -errno of the first failed write, 0: none
 * @synced:   when readers that follow were told last, ns
 * @ending:   the user wants an end, of which no signal is pending any more
 * @full:     times that the pipe had no room since the user wants an end
 * @bytes:    written to what was closed
 * @clock:    for the times at which parts begin
 * @checkpoint: of the processes
 * @said:     counts by event that earlier parts have; NULL: there are none
 * @part_end: of the part before
 */
struct recorder {
	struct recorder_config config;
	int fd;
	struct pev_channel *channel;
	uint64_t lost_before;
	struct event_plan sideband;
	struct event_set side;
	struct proc_history history;
	struct event_set set;
	struct fold fold;
	struct pairs pairs;
	struct user_marks marks;
	struct cpu_watch cpus;
	struct late late;
	struct trace_dir dir;
	struct pev_writer *writer;
	struct relayed relayed;
	int failed;
	uint64_t synced;
	bool ending;
	unsigned int full;
	uint64_t bytes;
	struct switch_clock clock;
	struct checkpoint checkpoint;
	struct pev_value *said;
	struct part_end part_end;
};

/* Opens everything; events wait for recorder_start() or the command's exec. */
int recorder_open(struct recorder *r, const struct recorder_config *config, struct msg *m);
int recorder_start(struct recorder *r, struct msg *m);
/* Reads what each event has recorded and lost; returns -errno with a sentence. */
int recorder_values(struct recorder *r, struct pev_value *values, struct msg *m);
/* Returns the descriptor to wait for before recorder_drain(); -1 in overwrite mode. */
int recorder_fd(const struct recorder *r);
/* Moves complete packets to the disk; < 0 once a write failed. */
int64_t recorder_drain(struct recorder *r);
/* Switches all events off and writes the rest. */
int recorder_end(struct recorder *r, struct msg *m);
/* A trace that recorder_end() has not ended is removed. */
void recorder_close(struct recorder *r);

/* For the other files of the recorder: begins a trace, and says why one ends early. */
int recorder_open_trace(struct recorder *r, const char *path, struct trace_dir *dir,
			struct pev_writer **w, struct msg *m);
/* Chooses how packets are written. */
int recorder_pack(const struct recorder *r, struct pev_writer *w, struct msg *m);
/*
 * Writes what the machine has, if it is wanted; all records get @time. @begun: what is recorded runs
 * already, also if it is a command
 */
int recorder_write_state(const struct recorder *r, struct pev_writer *w,
			 const struct pev_meta *meta, uint64_t time, bool begun, struct msg *m);
int recorder_write_failed(struct recorder *r, int err, struct msg *m);

/* The reason of a failed write */
const char *recorder_strerror(int err);

/* What was written, of all parts */
uint64_t recorder_bytes(const struct recorder *r);
/*
 * How many of @records, which the kernel made, are not on the disk, or at the relay: none unless
 * writing or a connection failed.
 * What the reader of a pipe has got is not known.
 */
uint64_t recorder_missing(const struct recorder *r, uint64_t records);
/* Meanwhile, in all rings */
uint64_t recorder_lost(const struct recorder *r);
/* The same on a ring's CPU */
uint64_t recorder_lost_on(const struct recorder *r, const struct pev_ring *ring);

#endif
