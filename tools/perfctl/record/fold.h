/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl record --fold: samples are counted by their call chains in tables of the kernel, and
 * what was counted becomes records, each of which stands for many samples.
 */
#ifndef PERFCTL_RECORD_FOLD_H
#define PERFCTL_RECORD_FOLD_H

#include "event/plan.h"

/**
 * struct fold_event - what an event's samples would be
 * @table: where they are counted
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

/* A row that becomes a record */
struct fold_row {
	const struct fold_event *event;
	const struct pev_table_row *row;
};

/**
 * struct fold - tables of the events of a plan, and their way to the disk
 * @n:       events
 * @meta:    of @cls and @enc
 * @writer:  where records go
 * @fetched: seconds of a clock when tables were read last, and ...
 * @written: ... when records were written
 * @each:    seconds from then until they are written again
 * @last:    time of the last record
 * @sorted:  by time
 * @rows:    records that were written
 * @other:   samples that found no room in the kernel
 */
struct fold {
	const struct event_plan *plan;
	struct fold_event *events;
	size_t n;
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

/*
 * Opens a table for each event, whose attr counts there from then on. @max_stack: frames of a
 * chain, 0: all
 */
int fold_open(struct fold *f, struct event_plan *plan, uint32_t clock, uint32_t max_stack,
	      struct msg *m);
/* Appends the classes of the records to the metadata of the trace; returns -ENOMEM. */
int fold_metadata(const struct fold *f, struct strbuf *text);
/* @text: all of the metadata; returns -errno with a sentence */
int fold_begin(struct fold *f, struct pev_writer *w, const char *text, size_t len, struct msg *m);
/* Reads the tables now and then, and writes records more rarely; returns -errno. */
int fold_drain(struct fold *f);
/* Reads and writes all that is left. */
int fold_end(struct fold *f);
/* To be called before the writer is closed. */
int fold_close_stream(struct fold *f);
void fold_close(struct fold *f);

#endif
