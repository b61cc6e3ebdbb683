/* SPDX-License-Identifier: GPL-2.0 */
/* Which thread ran on which CPU at what time, in columns of equal length. */
#ifndef PERFCTL_VIEWS_TIMELINE_H
#define PERFCTL_VIEWS_TIMELINE_H

#include "session/session.h"
#include "timeline_request.h"

/* What a thread does at a time. */
enum timeline_state {
	TIMELINE_NOTHING,
	TIMELINE_SLEEP,
	TIMELINE_WAIT, /* for a processor */
	TIMELINE_RUN,
	TIMELINE_GUEST, /* runs in a guest that it is a virtual processor of */
	TIMELINE_STATES,
};

/**
 * struct timeline_thread - a thread, over time
 * @pid:   of a virtual processor
 * @comm:  number of its name
 * @state: what it does at the time that was read up to
 * @since: begin of @state
 * @cpu:   where it last came to a processor, as far as waits tell; -1: not known
 * @vcpu:  the virtual processor that it runs, by KVM's number; -1: none
 * @ran:   ns that it ran
 * @time:  ns of each column that it spent in each state, TIMELINE_STATES numbers a
 *         column; NULL if only CPUs are asked for
 */
struct timeline_thread {
	uint32_t tid;
	uint32_t pid;
	uint32_t comm;
	enum timeline_state state;
	int64_t since;
	int cpu;
	int vcpu;
	uint64_t ran;
	uint64_t *time;
};

/**
 * struct timeline_track - a CPU, over time
 * @since: begin of what runs there now
 * @comms: for each column the program that ran longest without a break
 * @most:  ns that it did so
 * @busy:  ns of each column that any program ran
 */
struct timeline_track {
	int64_t since;
	uint32_t *comms;
	uint64_t *most;
	uint64_t *busy;
};

/**
 * struct timeline - what was read
 * @comm:    globs of the programs to show; NULL: all
 * @request: only its threads; NULL: all
 * @threads: what is to be shown: threads, not CPUs
 * @vcpus:   virtual processors above CPUs; their threads are known by kvm:kvm_entry
 * @begin:   of the recording, ns since the epoch
 * @from:    first time that is shown
 * @to:      last time that is shown
 * @width:   columns
 * @tracks:  of each CPU; no column arrays where nothing ran
 * @thread:  all threads
 */
struct timeline {
	struct session *session;
	const char *comm;
	struct timeline_request *request;
	bool threads;
	bool vcpus;
	int64_t begin;
	int64_t from;
	int64_t to;
	unsigned int width;
	struct timeline_track *tracks;
	size_t n_tracks;
	struct timeline_thread *thread;
	size_t n, cap;
	struct htab h;
};

/* Reads the recording; all members down to @width are set. */
int timeline_load(struct timeline *tl, struct msg *m);
void timeline_free(struct timeline *tl);

/* Is the program to be shown? */
bool timeline_wants(const struct timeline *tl, uint32_t comm);
/* Is the thread, of which there is something to show? */
bool timeline_shows(const struct timeline *tl, const struct timeline_thread *t);
/* Returns the time at which a column begins. */
int64_t timeline_column(const struct timeline *tl, unsigned int column);

#endif
