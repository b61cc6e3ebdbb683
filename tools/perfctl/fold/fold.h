/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl record --fold: samples are counted by their call chains, in tables of the kernel
 * (tables.c) or here (samples.c), and what was counted becomes records, each of which stands for
 * many samples.
 */
#ifndef PERFCTL_FOLD_FOLD_H
#define PERFCTL_FOLD_FOLD_H

#include "rows.h"
#include "event/plan.h"

/* Of zstd: the first that looks farther back than some hundred KiB, for chains that come again */
#define FOLD_LEVEL 3

/**
 * struct fold_event - what an event's samples would be
 * @table: where they are counted, by tables
 * @cls:   of the records
 * @period: they would have their period
 * @scale: else each stands for so much
 */
struct fold_event {
	struct pev_table_reader *table;
	const struct pev_class *cls;
	bool period;
	uint64_t scale;
};

/**
 * struct fold_row - what becomes a record
 * @last: time of the last sample
 */
struct fold_row {
	const struct fold_event *event;
	uint32_t pid;
	uint32_t tid;
	uint64_t count;
	uint64_t sum;
	uint64_t last;
	struct fold_chain kernel;
	struct fold_chain user;
};

/**
 * struct fold_samples - samples that are counted here
 * @fd:     their channel, -1: none
 * @wait:   a descriptor to wait for them and for what else is recorded, 0: none
 * @event_of: the event of each class, by its index; UINT32_MAX: none's
 */
struct fold_samples {
	int fd;
	int wait;
	struct pev_reader *reader;
	uint32_t *event_of;
	unsigned int n_classes;
	struct fold_rows rows;
};

struct fold_source;

/**
 * struct fold - samples of the events of a plan, and their way to the disk
 * @source:  counts them
 * @n:       events
 * @meta:    of @cls and @enc
 * @writer:  where records go
 * @fetched: seconds of a clock when they were read last, and ...
 * @written: ... when records were written
 * @each:    seconds from then until they are written again
 * @last:    time of the last record
 * @sorted:  by time
 * @rows:    records that were written
 * @other:   samples that found no room in the kernel
 */
struct fold {
	const struct fold_source *source;
	const struct event_plan *plan;
	struct fold_event *events;
	size_t n;
	struct fold_samples samples;
	struct pev_meta *meta;
	struct pev_encoder *enc;
	struct pev_writer *writer;
	double fetched;
	double written;
	double each;
	uint64_t last;
	struct fold_row *sorted;
	size_t n_sorted;
	size_t cap_sorted;
	uint64_t rows;
	uint64_t other;
};

/**
 * struct fold_limits - how it is to be counted
 * @tables:    the kernel has some
 * @clock:     of the trace
 * @max_stack: frames of a chain, 0: all
 * @ring_size: bytes for each CPU of samples that are counted here
 * @with:      another descriptor to wait for
 */
struct fold_limits {
	bool tables;
	uint32_t clock;
	uint32_t max_stack;
	uint64_t ring_size;
	int with;
};

/* Prepares to count samples of each event, whose attr counts there from then on. */
int fold_open(struct fold *f, struct event_plan *plan, const struct fold_limits *limits,
	      struct msg *m);
/* Returns a descriptor to wait for before fold_drain(); -1: it needs none. */
int fold_fd(const struct fold *f);
/* Samples that were lost on the way here, on a CPU or, of -1, on all */
uint64_t fold_lost(const struct fold *f, int cpu);
/* Appends the classes of the records to the metadata of the trace; returns -ENOMEM. */
int fold_metadata(const struct fold *f, struct strbuf *text);
/* @text: all of the metadata; returns -errno with a sentence */
int fold_begin(struct fold *f, struct pev_writer *w, const char *text, size_t len, struct msg *m);
/* Reads what was counted now and then, and writes records more rarely; returns -errno. */
int fold_drain(struct fold *f);
/* Reads and writes all that is left. */
int fold_end(struct fold *f);
/* To be called before the writer is closed. */
int fold_close_stream(struct fold *f);
void fold_close(struct fold *f);

/* For struct fold_source: has a row written with the next records. */
void fold_take(struct fold *f, const struct fold_row *row);
/* Writes records of all rows, and clears them; returns -errno. */
int fold_write(struct fold *f);

#endif
