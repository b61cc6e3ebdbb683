/* SPDX-License-Identifier: GPL-2.0 */
/* Durations, and how they are spread: all of them are kept, so that percentiles are exact. */
#ifndef PERFCTL_WAITS_DURATIONS_H
#define PERFCTL_WAITS_DURATIONS_H

#include "base/json.h"

/**
 * struct durations - durations in ns
 * @sum:    of all
 * @sorted: they are in order
 */
struct durations {
	uint64_t *v;
	size_t n, cap;
	uint64_t sum;
	bool sorted;
};

void durations_add(struct durations *s, uint64_t ns);
/* Adds all that @more has. */
void durations_merge(struct durations *s, const struct durations *more);
/* Returns the least duration that @percent of them do not exceed; 0 if there are none. */
uint64_t durations_at(struct durations *s, double percent);
uint64_t durations_mean(const struct durations *s);
void durations_free(struct durations *s);

/* Appends the columns that durations_heading() names. */
void durations_columns(struct durations *s, struct strbuf *b);
const char *durations_heading(void);
/* "NAME": an object */
void durations_json(struct durations *s, const char *name, struct json *j);

#endif
