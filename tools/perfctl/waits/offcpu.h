/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The time between a thread's leaving its processor and its coming back, added up by the place
 * where it left. Weights of the profile are ns.
 */
#ifndef PERFCTL_WAITS_OFFCPU_H
#define PERFCTL_WAITS_OFFCPU_H

#include "filter.h"
#include "spreads.h"
#include "waits.h"
#include "profile/profile.h"

/* Columns that only waits have, in the order of offcpu_columns */
enum offcpu_column {
	OFFCPU_WAKER,
	OFFCPU_USER,
	OFFCPU_PLACE,
	OFFCPU_FROM,
	OFFCPU_BY,
	OFFCPU_COLUMNS,
};

extern const char *const offcpu_columns[OFFCPU_COLUMNS];

/* What a thread that was preempted waits for */
#define OFFCPU_NO_CPU "[a processor]"

/**
 * struct comm_time - ns that threads of a name were followed
 */
struct comm_time {
	uint32_t comm;
	uint64_t ns;
};

/**
 * struct offcpu - the waits of a recording
 * @columns:  places in cell_key.value, -1: not asked for
 * @filter:   which are wanted, and ...
 * @state:    ...    "blocked" or "preempted": only waits of this kind; NULL: all
 * @raw:      chains are left as they are; columns are not filled, nor @spreads
 * @spreads:  how long each of the waits of a cell took
 * @no_open:  leave out waits that had not ended when the recording did
 * @times:    of names
 */
struct offcpu {
	struct session *session;
	struct waits waits;
	struct profile profile;
	struct spreads spreads;
	int columns[OFFCPU_COLUMNS];
	struct wait_filter filter;
	const char *state;
	bool raw;
	bool no_open;
	struct comm_time *times;
	size_t n_times, cap_times;
	struct htab h_times;
};

/* Sets what offcpu_free() undoes; the caller fills in what is wanted. */
void offcpu_init(struct offcpu *o, struct session *session);
void offcpu_free(struct offcpu *o);
/* Reads all; functions are known when it returns. */
int offcpu_load(struct offcpu *o, struct msg *m);
/* Returns ns that threads of a name were followed, running or not. */
uint64_t offcpu_time(const struct offcpu *o, uint32_t comm);

#endif
