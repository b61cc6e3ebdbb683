/* SPDX-License-Identifier: GPL-2.0 */
/* A timeline as lines of characters on the standard output. */
#ifndef PERFCTL_VIEWS_TIMELINE_PRINT_H
#define PERFCTL_VIEWS_TIMELINE_PRINT_H

#include "timeline.h"

/* Returns the columns of a track on a screen of @columns; 0: of this terminal. */
unsigned int timeline_print_width(uint64_t columns);

/* @most: threads to show, those that ran longest. Sorts the threads of @tl. */
void timeline_print(struct timeline *tl, uint64_t most, bool color);
/* The same in numbers: ns of each column. */
void timeline_json(struct timeline *tl, uint64_t most);

#endif
