/* SPDX-License-Identifier: GPL-2.0 */
/* What a store answers: sums of samples, and what their numbers mean. Others wrote it there. */
#ifndef PERFCTL_STORE_ANSWER_H
#define PERFCTL_STORE_ANSWER_H

#include "narrow.h"
#include "tables.h"

struct answer_row {
	uint32_t time;
	uint64_t event, stack, host, service;
	uint64_t samples, weight;
};

struct answer_name {
	uint64_t id;
	enum store_name kind;
	char *name;
	char *more;
};

struct answer_frame {
	uint64_t id;
	enum store_frame kind;
	char *build_id;
	char *path;
	uint64_t place;
	char *name;
};

/* A function of a file, as uploaded */
struct answer_symbol {
	char *build_id;
	uint64_t place;
	uint64_t size;
	char *name;
};

/* @first: in answer.chain */
struct answer_stack {
	uint64_t id;
	char *program;
	size_t first;
	size_t n;
};

/**
 * struct answer - rows in the order of time, and what their numbers mean
 * @symbols: in the order of build ids and places
 * @chain: ids of frames, innermost first
 * @kept:  of a bounded question, what is apart: see narrow.h
 * @step:  seconds that were added up; 0: all
 */
struct answer {
	struct answer_row *rows;
	size_t n_rows, cap_rows;
	struct answer_name *names;
	size_t n_names, cap_names;
	struct answer_frame *frames;
	size_t n_frames, cap_frames;
	struct answer_symbol *symbols;
	size_t n_symbols, cap_symbols;
	struct answer_stack *stacks;
	size_t n_stacks, cap_stacks;
	uint64_t *chain;
	size_t n_chain, cap_chain;
	struct htab h_names, h_frames, h_stacks;
	struct store_kept kept[NARROW_KINDS];
	uint32_t step;
};

void answer_free(struct answer *a);

/* NULL: the store does not say */
const struct answer_name *answer_name(const struct answer *a, enum store_name kind, uint64_t id);
const struct answer_frame *answer_frame(const struct answer *a, uint64_t id);
const struct answer_stack *answer_stack(const struct answer *a, uint64_t id);

/* The parts of an answer in RowBinary; -EBADMSG if it is damaged. For the fuzzer, too. */
int answer_read_rows(struct answer *a, const struct strbuf *b);
int answer_read_names(struct answer *a, const struct strbuf *b);
int answer_read_stacks(struct answer *a, const struct strbuf *b);
int answer_read_frames(struct answer *a, const struct strbuf *b);
int answer_read_symbols(struct answer *a, const struct strbuf *b);

#endif
