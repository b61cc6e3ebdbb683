/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl export: a recording goes by once, event by event, and a format makes
 * of it what other programs read. What a format keeps are tables (names, call
 * chains, threads), never events: a longer recording takes no more memory.
 */
#ifndef PERFCTL_EXPORT_H
#define PERFCTL_EXPORT_H

#include "feed.h"

/**
 * struct out - the file that is written
 * @f:       where to
 * @path:    for messages
 * @fd:    below it
 * @error: errno of the first failed write, 0: none
 * @is_file: a regular file: can be sought in, removed if it stays incomplete
 */
struct out {
	FILE *f;
	const char *path;
	int fd;
	int error;
	bool is_file;
};

/* @path: "-" for the standard output */
int out_open(struct out *o, const char *path, struct msg *m);
/* @err: what happened so far; an incomplete file is removed. Returns it, or that writing failed. */
int out_close(struct out *o, int err, struct msg *m);

static inline void out_write(struct out *o, const void *data, size_t len)
{
	fwrite_unlocked(data, 1, len, o->f);
}

static inline void out_puts(struct out *o, const char *s)
{
	out_write(o, s, strlen(s));
}

void out_printf(struct out *o, const char *fmt, ...) PRINTF(2, 3);
/* "text", as JSON; what is no clean UTF-8 as \xNN, spelled out */
void strbuf_json(struct strbuf *b, const char *text);

static inline bool out_failed(const struct out *o)
{
	return ferror_unlocked(o->f);
}

struct exporter;

/**
 * struct export - one run of the command
 * @begin:  of the trace, ns since the epoch
 * @state:  the format's own
 * @names:  cache of function names, see export_func_name()
 */
struct export {
	const struct exporter *format;
	struct feed feed;
	struct out out;
	int64_t begin;
	void *state;
	struct {
		char *name;
	} *names;
	size_t n_names;
	uint8_t *verdicts;
	const char *event;
	uint64_t exported;
};

/**
 * struct exporter - a format
 * @name:    as typed
 * @file:    default output
 * @about:   half a sentence for --help
 * @samples: of the recording's events only those that have an address or a
 *           call chain are of use
 * @begin:   writes what comes first; all may be NULL but @event and @free
 * @event:   each event that was asked for, and each sideband event (which has
 *           taken effect already)
 * @end:     writes the rest
 * @free:    frees export.state, which may be NULL
 */
struct exporter {
	const char *name;
	const char *file;
	const char *about;
	bool samples;
	int (*begin)(struct export *x, struct msg *m);
	int (*event)(struct export *x, const struct pev_event *ev, const struct feed_class *cls,
		     struct msg *m);
	int (*end)(struct export *x, struct msg *m);
	void (*free)(struct export *x);
};

extern const struct exporter export_perf, export_pprof, export_folded, export_firefox,
	export_chrome, export_callgrind, export_csv, export_jsonl;

/**
 * struct export_sample - what formats want of a sample
 * @frame:  where it was taken, FRAME_NONE if that is not known
 * @chain:  CHAIN_NONE without call chain
 * @weight: what it stands for: its period
 */
struct export_sample {
	const struct thread *thread;
	uint32_t frame;
	uint32_t chain;
	uint64_t weight;
};

/* False: it has neither an address nor a call chain. */
bool export_sample_of(struct export *x, const struct pev_event *ev, const struct feed_class *cls,
		      struct export_sample *s);
bool export_class_has_samples(const struct pev_class *cls);
/* The frames of a cell or sample, innermost first; a single frame has no chain. */
const uint32_t *export_frames(const struct profile *p, uint32_t chain, const uint32_t *frame,
			      uint32_t *n);
/* The function's name, clean UTF-8; resolves what came since. Stays until the end. */
const char *export_func_name(struct export *x, uint32_t func);
/* The number of the function of a frame; resolves what came since. */
uint32_t export_frame_func(struct export *x, uint32_t frame);
/* ns since the trace's begin */
int64_t export_time(const struct export *x, const struct pev_event *ev);
/* The unit of an event's weights: "nanoseconds" or "count" */
const char *export_unit(const struct pev_class *cls);
/* Lengths and offsets that belong to another field */
bool export_is_plumbing(const struct pev_class *cls, const struct pev_field *f);

/* The weights of samples by event, comm and so on: profile_add() with the whole key. */
void export_add(struct export *x, const struct feed_class *cls, const struct export_sample *s);
/* exporter.event of a format that writes nothing before the end: export_add() of samples. */
int export_add_event(struct export *x, const struct pev_event *ev, const struct feed_class *cls,
		     struct msg *m);

/**
 * struct export_columns - the events that have samples, each a column of weights
 * @events: their numbers, in the order of columns
 */
struct export_columns {
	uint32_t *events;
	size_t n, cap;
};

/* The column of an event, a new one if it has none. */
size_t export_column(struct export_columns *c, uint32_t event);

/**
 * struct call_tree - functions by who called them
 * @nodes: number 0 is nobody
 */
struct call_node {
	uint32_t parent;
	uint32_t func;
	uint64_t weight;
};

struct call_tree {
	struct call_node *nodes;
	size_t n, cap;
	struct htab h;
};

uint32_t call_tree_child(struct call_tree *t, uint32_t parent, uint32_t func);
void call_tree_free(struct call_tree *t);

/**
 * struct spool - many texts that grow at the same time, in one temporary file
 *
 * Each text has one block in memory; full blocks go to the file, with the place
 * of the next one in front.
 */
#define SPOOL_BLOCK 1024

struct spool_text {
	uint64_t first;
	uint64_t at;
	uint64_t blocks;
	uint32_t used;
	char *block;
};

struct spool {
	int fd;
	uint64_t end;
	int error;
};

int spool_open(struct spool *s, const char *beside, struct msg *m);
void spool_add(struct spool *s, struct spool_text *t, const char *data, size_t len);
/* Writes a text out and frees it. */
void spool_take(struct spool *s, struct spool_text *t, struct out *o);
void spool_close(struct spool *s);

#endif
