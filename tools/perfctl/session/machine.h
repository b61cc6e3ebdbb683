/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps threads with their names and processes with their address spaces, as they
 * change over the time of a recording. Events must come in order of time.
 */
#ifndef PERFCTL_SESSION_MACHINE_H
#define PERFCTL_SESSION_MACHINE_H

#include "base/util.h"

/**
 * struct map - code in an address space
 * @start:  first address
 * @end:    one past the last
 * @offset: of @start in the object
 * @object: number in struct objects
 */
struct map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t object;
};

/**
 * struct mapset - an address space; shared by fork until one side changes it
 * @maps: sorted by address, not overlapping
 * @n:    their number
 * @cap:  allocated
 * @refs: processes that have it
 * @gen:  number that no other state of an address space ever had
 */
struct mapset {
	struct map *maps;
	size_t n;
	size_t cap;
	uint32_t refs;
	uint32_t gen;
};

/* @round: machine.round when all of it was known */
struct process {
	uint32_t pid;
	uint32_t comm;
	uint32_t round;
	struct mapset *space;
};

struct thread {
	uint32_t tid;
	uint32_t pid;
	uint32_t comm;
	uint32_t process; /* index */
	uint32_t ended;	  /* 0: no; so many calls of machine_forget() will forget it */
};

#define COMM_UNKNOWN 0u

/**
 * struct seen - the thread of a sample, as far as sideband events describe it
 * @thread:  not one of machine.threads if they don't mention it
 * @space:   NULL if nothing is known of the process
 * @version: machine.version when this was looked up
 * @pid:     as in the sample, 0: not in it
 * @tid:     as in the sample
 */
struct seen {
	struct thread thread;
	const struct mapset *space;
	uint64_t version;
	uint32_t pid;
	uint32_t tid;
};

#define SEEN_THREADS 64

/**
 * struct machine - all that runs
 * @comms:     names; number 0 is for threads without one
 * @processes: a pid that is used again starts over; only machine_forget() removes some
 * @threads:   the same
 * @swapper:   the name of the idle threads
 * @version:   grows with each change
 * @round: grows when events are missing: what is known of processes may be wrong since
 * @seen:      by tid: threads of the last samples
 */
struct machine {
	struct strtab comms;
	struct process *processes;
	size_t n_processes;
	size_t cap_processes;
	struct htab h_processes;
	struct thread *threads;
	size_t n_threads;
	size_t cap_threads;
	struct htab h_threads;
	uint32_t last_gen;
	uint32_t swapper;
	uint64_t version;
	uint32_t round;
	struct seen seen[SEEN_THREADS];
};

void machine_init(struct machine *m);
void machine_free(struct machine *m);

void machine_mmap(struct machine *m, uint32_t pid, uint64_t start, uint64_t len, uint64_t offset,
		  uint32_t object);
void machine_comm(struct machine *m, uint32_t pid, uint32_t tid, const char *name);
void machine_fork(struct machine *m, uint32_t parent_pid, uint32_t parent_tid, uint32_t pid,
		  uint32_t tid);
void machine_exec(struct machine *m, uint32_t pid);
void machine_exit(struct machine *m, uint32_t pid, uint32_t tid);
/*
 * For what runs for days: forgets threads that had ended when this was called before, as
 * samples of them may come later than their end, and processes without a thread.
 */
void machine_forget(struct machine *m);

/* Events are missing: what is known of any process may be wrong, until it executes a program. */
void machine_doubt(struct machine *m);
bool machine_doubted(const struct machine *m, uint32_t pid);
/* Lets threads end that do not run any more, as their end may be what is missing. */
void machine_sweep(struct machine *m, bool (*runs)(uint32_t pid, uint32_t tid));

/* Forgets names that no thread or process has; the numbers of the others change. */
void machine_forget_names(struct machine *m);
/* Sets @used[object] of all that is mapped somewhere. */
void machine_objects(const struct machine *m, bool *used);

/* Returns a thread, never NULL; valid until the next thread appears. */
const struct thread *machine_thread(struct machine *m, uint32_t pid, uint32_t tid);
/*
 * Returns the thread of a sample, valid until the next call or change. Samples change
 * nothing, so any part of a recording gives the same answer as the whole.
 */
const struct seen *machine_seen(struct machine *m, uint32_t pid, uint32_t tid);
const struct process *machine_process(struct machine *m, uint32_t pid);
/* Returns the code at an address, or NULL. */
const struct map *mapset_find(const struct mapset *s, uint64_t addr);

static inline const char *machine_comm_name(const struct machine *m, uint32_t comm)
{
	return strtab_get(&m->comms, comm);
}

#endif
