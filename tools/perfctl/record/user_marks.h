/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks that programs write themselves: their way from the programs' rings into the trace. Each
 * ring is a stream of the trace.
 */
#ifndef PERFCTL_RECORD_USER_MARKS_H
#define PERFCTL_RECORD_USER_MARKS_H

#include "event/set.h"
#include "base/text.h"

#include <pev/pev.h>

/* So often programs' rings are looked at, ms: they wake no reader, and a busy one is soon full */
#define USER_MARKS_MS 10

struct user_stream;

/**
 * struct user_marks - what programs write
 * @user:    the reader; NULL: no event asks for it
 * @writer:  of the trace
 * @streams: one for each ring, by producer and number
 * @metas:   all metadata so far, which streams have been opened with
 * @known:   marks that the newest of them describes
 */
struct user_marks {
	struct pev_user *user;
	struct pev_writer *writer;
	struct user_stream *streams;
	size_t n_streams;
	size_t cap_streams;
	struct pev_meta **metas;
	size_t n_metas;
	size_t cap_metas;
	uint32_t known;
};

/* Is it the marks of programs that an event is about? */
bool user_marks_are(const struct planned_event *e);
/**
 * struct user_marks_limits - what a recording wants that marks can't have
 * @overwrite: a flight recorder
 * @fold:      sums of samples
 * @clock:     enum pev_clock
 */
struct user_marks_limits {
	bool overwrite;
	bool fold;
	uint32_t clock;
};

/* Before the events are opened: no record is older. */
int user_marks_init(struct user_marks *u, const struct event_plan *plan,
		    const struct user_marks_limits *limits, struct msg *m);
/* Listens by the events of @set, which are open. */
int user_marks_listen(struct user_marks *u, const struct event_set *set, struct msg *m);
/* Appends the classes of the marks that were found; returns -errno. */
int user_marks_metadata(const struct user_marks *u, struct strbuf *text);
/* The classes of marks that are new must be written first; see user_marks_described(). */
bool user_marks_wants_metadata(const struct user_marks *u);
/* @text: all of the metadata, as it was written */
int user_marks_described(struct user_marks *u, const char *text, size_t len);
/* Finds programs, and what their marks are; hands out nothing yet. Returns -errno. */
int user_marks_find(struct user_marks *u);
/* Moves what was written into the trace; returns the number of records or -errno. */
int64_t user_marks_drain(struct user_marks *u, struct pev_writer *w);
/* Records so far. */
uint64_t user_marks_records(const struct user_marks *u);
/* The last packets; before the writer is closed. */
int user_marks_close_streams(struct user_marks *u);
void user_marks_free(struct user_marks *u);

#endif
