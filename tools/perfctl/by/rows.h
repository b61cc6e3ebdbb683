/* SPDX-License-Identifier: GPL-2.0 */
/* Counts of several events by key, added up and in the order in which they are shown. */
#ifndef PERFCTL_BY_ROWS_H
#define PERFCTL_BY_ROWS_H

#include "keys.h"

#define BY_COMM_SIZE 16

/**
 * struct by_row - what has a key
 * @key:    a number for each of struct by_keys; of what has a name, its number in by_rows.names
 * @comm:   of a process or thread: the name under which it counted most
 * @most:   how much of the first event that was
 * @values: of each event
 */
struct by_row {
	uint64_t key[BY_MAX];
	char comm[BY_COMM_SIZE];
	uint64_t most;
	uint64_t *values;
};

/**
 * struct by_rows - all rows
 * @events: of each row
 * @names:  the same text has the same number
 */
struct by_rows {
	unsigned int n_keys;
	size_t events;
	struct by_row *v;
	size_t n;
	size_t cap;
	struct htab by_key;
	struct strtab names;
};

/* @comm: NULL: it has none */
void by_rows_add(struct by_rows *r, const uint64_t key[BY_MAX], const char *comm, size_t event,
		 uint64_t value);
/* Has @key a row, or room for one among @most? */
bool by_rows_room(const struct by_rows *r, const uint64_t key[BY_MAX], uint64_t most);
/*
 * Sorts them by what their values come to, each multiplied by @weights of its event, the greatest
 * first; nothing is added any more.
 */
void by_rows_sort(struct by_rows *r, const double *weights);
/* Forgets rows, but not names. */
void by_rows_clear(struct by_rows *r);
void by_rows_free(struct by_rows *r);

#endif
