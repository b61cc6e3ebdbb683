/* SPDX-License-Identifier: GPL-2.0 */
/* How the waits of each cell of a profile are spread, and so those of a row. */
#ifndef PERFCTL_WAITS_SPREADS_H
#define PERFCTL_WAITS_SPREADS_H

#include "durations.h"
#include "profile/rows.h"

/**
 * struct spreads - durations by the number of their cell
 */
struct spreads {
	struct durations *v;
	size_t n, cap;
};

/* One more wait of a cell. */
void spreads_add(struct spreads *s, uint32_t cell, uint64_t ns);
/* A cell's waits become those of cell @to of another profile, beside what that has. */
void spreads_move(struct spreads *from, size_t cell, struct spreads *to, uint32_t to_cell);
/* Appends the waits of a row. */
void spreads_of_row(const struct spreads *s, const struct rows *rows, const struct row *row,
		    struct durations *waits);
void spreads_free(struct spreads *s);

#endif
