/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples that are added up here by thread and call chains, which are kept once each and compared
 * as a whole. Knows nothing of where samples come from.
 */
#ifndef PERFCTL_FOLD_ROWS_H
#define PERFCTL_FOLD_ROWS_H

#include "base/util.h"

/**
 * struct fold_chain - addresses, innermost first
 */
struct fold_chain {
	const uint64_t *ips;
	size_t n;
};

/**
 * struct fold_sample - a sample
 * @event: number of its event
 * @time:  of the trace's clock
 * @period: how much it stands for
 */
struct fold_sample {
	uint32_t event;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint64_t period;
	struct fold_chain kernel;
	struct fold_chain user;
};

/**
 * struct fold_sum - a row
 * @kernel: number of a chain ...
 * @user:   ... and of another
 * @sum:    of the periods
 * @last:   time of the last sample
 */
struct fold_sum {
	uint32_t event;
	uint32_t pid;
	uint32_t tid;
	uint32_t kernel;
	uint32_t user;
	uint64_t count;
	uint64_t sum;
	uint64_t last;
};

/**
 * struct fold_stack - where a chain is in @frames
 */
struct fold_stack {
	size_t at;
	uint32_t n;
};

/**
 * struct fold_rows - rows and their chains
 * @most_rows:   that there may be
 * @most_frames: likewise, of all chains; a sample that finds no row has room in any case
 */
struct fold_rows {
	size_t most_rows;
	size_t most_frames;
	struct fold_sum *v;
	size_t n, cap;
	struct htab by_key;
	struct fold_stack *stacks;
	size_t n_stacks, cap_stacks;
	struct htab by_content;
	uint64_t *frames;
	size_t n_frames, cap_frames;
};

/* Returns false, and adds nothing, if there is no room: clear the rows first. */
bool fold_rows_add(struct fold_rows *r, const struct fold_sample *s);
/* The addresses of a chain of a row, until the next fold_rows_add() */
struct fold_chain fold_rows_chain(const struct fold_rows *r, uint32_t stack);
/* Forgets all, and keeps the memory. */
void fold_rows_clear(struct fold_rows *r);
void fold_rows_free(struct fold_rows *r);

#endif
