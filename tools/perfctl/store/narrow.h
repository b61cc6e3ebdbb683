/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounds what a store answers: of hosts, services and call chains the heaviest are apart, and the
 * others are added up; spans of time are as long as the number of rows asks for.
 */
#ifndef PERFCTL_STORE_NARROW_H
#define PERFCTL_STORE_NARROW_H

#include "http.h"

/**
 * struct store_limits - at most so many of each
 * @rows: about; for these, spans of time become longer by some, then call chains fewer, and then
 *        spans as long as it takes
 */
struct store_limits {
	unsigned int events;
	unsigned int hosts;
	unsigned int services;
	unsigned int stacks;
	uint64_t rows;
};

/**
 * struct store_kept - some of a kind
 * @n:     that are apart, or in the answer at all
 * @of:    that there are; of call chains, about
 * @share: of the samples that these have, 0 to 1
 */
struct store_kept {
	size_t n;
	uint64_t of;
	double share;
};

enum { NARROW_EVENT, NARROW_HOST, NARROW_SERVICE, NARROW_STACK, NARROW_KINDS };

/* Samples of a call chain and of all before it, and where the literal of its id ends */
struct narrow_stack {
	uint64_t samples;
	size_t end;
};

/**
 * struct narrowed - how a question is bounded
 * @kept: of each kind
 * @ids:  literals of them, in the order of their samples
 * @step: seconds that are added up
 * @all:  samples that there are
 * @stacks: call chains that are apart
 */
struct narrowed {
	struct store_kept kept[NARROW_KINDS];
	struct strbuf ids[NARROW_KINDS];
	uint32_t step;
	uint64_t all;
	struct narrow_stack *stacks;
};

/*
 * @rows: what stands behind SELECT ..., from the second @from on; @step: seconds that are added up at
 * least
 */
int narrow(struct http *h, const struct store_limits *most, const char *rows, uint32_t from,
	   uint32_t step, struct narrowed *n, struct msg *m);
void narrow_free(struct narrowed *n);
/* A column as it is answered: 0 for all that is not apart */
void narrow_column(const struct narrowed *n, int kind, struct strbuf *sql);
/* A condition on it: it is apart */
void narrow_condition(const struct narrowed *n, int kind, struct strbuf *sql);

#endif
