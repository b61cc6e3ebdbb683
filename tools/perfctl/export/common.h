/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers that several formats share. */
#ifndef PERFCTL_EXPORT_COMMON_H
#define PERFCTL_EXPORT_COMMON_H

#include "export.h"

/**
 * struct export_sample - what formats want of a sample
 * @frame:  where it was taken, FRAME_NONE if that is not known
 * @chain:  CHAIN_NONE without call chain
 * @weight: what it stands for: its period
 * @samples: that it stands for
 * @request: number in profile.values of the request's trace id, 0: none, or the format
 *           doesn't ask for it
 */
struct export_sample {
	const struct thread *thread;
	uint32_t frame;
	uint32_t chain;
	uint64_t weight;
	uint64_t samples;
	uint32_t request;
};

/* Returns false if the sample has neither an address nor a call chain. */
bool export_sample_of(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		      struct export_sample *s);
bool export_class_has_samples(const struct pev_class *cls);
/* Returns the frames of a cell or sample, innermost first; a single frame has no chain. */
const uint32_t *export_frames(const struct stacks *s, uint32_t chain, const uint32_t *frame,
			      uint32_t *n);
/* Returns the function's name, clean UTF-8, valid to the end; resolves new frames. */
const char *export_func_name(struct export *x, uint32_t func);
/* Returns the number of the function of a frame; resolves new frames. */
uint32_t export_frame_func(struct export *x, uint32_t frame);
/* Returns ns since the beginning of the trace. */
int64_t export_time(const struct export *x, const struct pev_event *ev);
/* Returns the unit of an event's weights: "nanoseconds" or "count". */
const char *export_unit(const struct pev_class *cls);
/* Returns whether a field is the length or offset of another one. */
bool export_is_plumbing(const struct pev_class *cls, const struct pev_field *f);

/* Adds a sample's weight by event, comm and so on: profile_add() with the whole key. */
void export_add(struct export *x, const struct session_class *cls, const struct export_sample *s);
/* Is exporter.event of formats that write nothing before the end: adds up samples. */
int export_add_event(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		     struct msg *m);

/**
 * struct export_columns - the events that have samples, each a column of weights
 * @events: their numbers, in the order of columns
 */
struct export_columns {
	uint32_t *events;
	size_t n, cap;
};

/* Returns the column of an event, a new one if it has none. */
size_t export_column(struct export_columns *c, uint32_t event);

/**
 * struct call_tree - functions by who called them
 * @nodes: number 0 is the root
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

#endif
