/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time between a thread's leaving its processor and its coming back, added up by the place
 * where it left. Weights of the profile are ns.
 */
#ifndef PERFCTL_WAITS_OFFCPU_H
#define PERFCTL_WAITS_OFFCPU_H

#include "family.h"
#include "waker.h"
#include "profile/profile.h"
#include "session/sched.h"

#define OFFCPU_SWITCH "sched:sched_switch"
#define OFFCPU_WAKING "sched:sched_waking"
/* in place of a waker */
#define OFFCPU_PREEMPTED UINT32_MAX

/* Columns that only waits have, in the order of offcpu_columns */
enum offcpu_column {
	OFFCPU_WAKER,
	OFFCPU_USER,
	OFFCPU_COLUMNS,
};

extern const char *const offcpu_columns[OFFCPU_COLUMNS];

/**
 * struct waiting - a thread that left its processor
 * @since: ns since the epoch; 0: it is running, or was not seen yet
 * @key:   its cpu is the number of the waker, until all functions are known
 */
struct waiting {
	uint32_t tid;
	int64_t since;
	bool blocked;
	struct cell_key key;
};

/**
 * struct offcpu - the waits of a recording
 * @columns:  places in cell_key.value, -1: not asked for
 * @family:   if only its waits are wanted
 * @state:    "blocked" or "preempted": only waits of this kind; NULL: all
 * @comm:     globs, NULL: all
 * @least_ns: shorter ones are left out
 * @no_open:  leave out waits that had not ended when the recording did
 * @from:     only those that end from here ...
 * @to:       ... to here, ns since the epoch
 * @fields:   by class
 * @unseen:   threads that left twice and never came back in between
 * @chains:   there are call chains
 */
struct offcpu {
	struct session *session;
	struct profile profile;
	struct wakers wakers;
	int columns[OFFCPU_COLUMNS];
	struct family family;
	const char *state;
	const char *comm;
	uint64_t least_ns;
	bool no_open;
	int64_t from, to;

	struct waiting *waits;
	size_t n, cap;
	struct htab h;
	struct sched_fields *fields;
	bool *is_switch;
	uint64_t switches;
	uint64_t unseen;
	bool chains;
};

/* Sets what offcpu_free() undoes; the caller fills in what is wanted. */
void offcpu_init(struct offcpu *o, struct session *session);
void offcpu_free(struct offcpu *o);
/* Reads all; functions are known when it returns. */
int offcpu_load(struct offcpu *o, struct msg *m);

#endif
