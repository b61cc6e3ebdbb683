/* SPDX-License-Identifier: GPL-2.0 */
/* What a store has of spans of time by labels, block by block of each span. */
#ifndef PERFCTL_FLEET_SUMS_H
#define PERFCTL_FLEET_SUMS_H

#include "pull.h"
#include "store/query.h"

enum { LABEL_HOST, LABEL_SERVICE, LABEL_VERSION, LABELS };

#define SUMS_SPANS 2

/**
 * struct sums_row - what has the same labels
 * @text:    of each label that is asked for
 * @block:   weight in each block of each span
 * @samples: of each span
 */
struct sums_row {
	char *text[LABELS];
	double *block[SUMS_SPANS];
	uint64_t samples[SUMS_SPANS];
};

/**
 * struct sums - all that the spans have
 * @by:    the labels that are apart
 * @query: of each of @spans, which the caller makes: all have a step, the length of a block
 * @nr:    whole blocks of each span
 * @event: its name ...
 * @id:    ... and number
 * @clock: it counts nanoseconds of processors
 * @names: of rows
 */
struct sums {
	bool by[LABELS];
	unsigned int spans;
	struct store_query query[SUMS_SPANS];
	unsigned int nr[SUMS_SPANS];
	char *event;
	uint64_t id;
	bool clock;
	struct sums_row *rows;
	size_t n, cap;
	struct strtab names;
};

const char *sums_label(int label);
/* @by: labels with commas between them */
int sums_parse_by(struct sums *s, const char *by, struct msg *m);
struct pull_shape sums_shape(const struct sums *s);
/* @event: NULL: the one with most samples. sums_free() is called after a failure, too. */
int sums_ask(struct sums *s, const struct pull_opts *o, const char *event, struct msg *m);
void sums_free(struct sums *s);

/* What a block's weight is divided by for what a second has: CPUs, or events */
static inline double sums_scale(const struct sums *s)
{
	return s->query[0].step * (s->clock ? 1e9 : 1);
}

static inline const char *sums_unit(const struct sums *s)
{
	return s->clock ? "CPUs" : "events/s";
}

/* The labels of rows as columns: each as wide as the widest, and the last one as it is */
struct sums_widths {
	size_t of[LABELS];
};
void sums_measure(const struct sums *s, const struct sums_row *row, struct sums_widths *w);
void sums_print_head(const struct sums *s, const struct sums_widths *w);
void sums_print_labels(const struct sums *s, const struct sums_row *row,
		       const struct sums_widths *w);

#endif
