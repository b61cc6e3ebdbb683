/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where counts by key come from: the kernel's tables (table.c), or, by perf_event_open(2),
 * counters of their own, for all that can be named before (ids.c), and for threads also when
 * they begin later (tasks.c).
 */
#ifndef PERFCTL_BY_SOURCE_H
#define PERFCTL_BY_SOURCE_H

#include "rows.h"
#include "event/cgroups.h"
#include "event/set.h"

/**
 * struct by_counts - what came since the last call
 * @rows:   of all events
 * @other:  of each event, what found no row left
 * @total:  of each event, as its own counters have it
 * @share:  of each event, the part of the time in which it had a counter
 */
struct by_counts {
	struct by_rows rows;
	uint64_t *other;
	uint64_t *total;
	double *share;
};

/**
 * struct by_task - a thread with counters of its own
 * @comm:   its name; "": none yet
 * @cgroup: its path, of counts by cgroup; NULL: not known
 * @fds:    of the events, -1: refused
 * @before: as they were read last
 */
struct by_task {
	int pid;
	int tid;
	char comm[BY_COMM_SIZE + 1];
	char *cgroup;
	int *fds;
	uint64_t *before;
};

/**
 * struct by_tasks - threads with counters of their own
 * @v:       by number
 * @rows:    of what was counted since the last fetch
 * @channel: where @reader reads what threads begin and end; 0: none is open
 * @told:    events that tell it ...
 * @set:     ... and these, opened
 * @joined:  threads that began meanwhile ...
 * @missed:  ... which had ended before they had a counter
 * @ahead:   of each event, what rows had before the whole had it
 * @on:      new ones count at once
 */
struct by_tasks {
	struct by_task *v;
	size_t n, cap;
	struct by_rows rows;
	int channel;
	struct event_plan told;
	struct event_set set;
	struct pev_reader *reader;
	uint64_t joined;
	uint64_t missed;
	uint64_t *ahead;
	bool on;
};

/**
 * struct by_source - events that are open
 * @ops:     how they are read
 * @keys:    what they are split by
 * @room:    rows on each CPU
 * @target:  as asked for
 * @before:  of each event, as it was last read
 * @cgroups: that have names
 * @tables:  of each event, by the kernel's tables
 * @own:     what has counters of its own, else
 * @own_before: of each event and @own id, as it was last read
 * @own_comm: of each id of a task
 * @tasks:  threads, as far as they are told of
 */
struct by_source {
	const struct by_source_ops *ops;
	const struct by_keys *keys;
	uint64_t room;
	const struct target *target;
	struct event_plan *plan;
	struct event_set set;
	struct pev_value *before;
	struct cgroup_names cgroups;
	struct pev_table_reader **tables;
	struct target own;
	uint64_t *own_before;
	char **own_comm;
	struct by_tasks tasks;
};

/**
 * struct by_source_ops - a way to count by key
 * @check: can these be counted? Nothing is open yet
 * @open:  the events of the plan, with PEV_F_* @flags added
 * @on:    switches what @open opened beside by_source.set; NULL: nothing
 * @fd:    to wait for before @take; NULL: there is nothing to take meanwhile
 * @take:  what has come
 * @fetch: adds to the rows, and to what is other
 * @rest:  what is other, once the totals are known, which were read behind the rows; NULL: they
 *         are read before
 * @note:  tells at the end how exact it was; NULL: it is as it looks
 * @close: what @open made, even if it failed
 */
struct by_source_ops {
	int (*check)(const struct by_source *s, struct msg *m);
	int (*open)(struct by_source *s, uint64_t flags, struct msg *m);
	int (*on)(struct by_source *s, bool on, struct msg *m);
	int (*fd)(const struct by_source *s);
	int (*take)(struct by_source *s, struct msg *m);
	int (*fetch)(struct by_source *s, struct by_counts *to, struct msg *m);
	void (*rest)(struct by_source *s, struct by_counts *to);
	void (*note)(const struct by_source *s);
	void (*close)(struct by_source *s);
};

extern const struct by_source_ops by_tables, by_ids, by_tasks;

/* Chooses @ops by the engine and what its kernel has. */
int by_source_init(struct by_source *s, struct msg *m);
int by_source_open(struct by_source *s, uint64_t flags, struct msg *m);
int by_source_enable(struct by_source *s, bool on, struct msg *m);
/* Returns a descriptor to wait for before by_source_take(); -1: none */
int by_source_fd(const struct by_source *s);
int by_source_take(struct by_source *s, struct msg *m);
/* Replaces what is in @to. */
int by_source_fetch(struct by_source *s, struct by_counts *to, struct msg *m);
void by_source_close(struct by_source *s);
void by_source_free(struct by_source *s);

void by_counts_init(struct by_counts *c, const struct by_keys *keys, size_t events);
void by_counts_free(struct by_counts *c);

/* The number of the name of a cgroup, or of the service that it is of */
uint64_t by_cgroup_name(struct by_source *s, struct by_rows *rows, enum by_kind kind, uint64_t id);

#endif
