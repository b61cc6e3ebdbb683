/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl report on a terminal. tui.c has the loop and the keys, list.c the
 * list of lines; draw.c draws them. No other file uses curses.
 */
#ifndef PERFCTL_TUI_TUI_H
#define PERFCTL_TUI_TUI_H

#include "profile/load.h"
#include "profile/tree.h"

#include <errno.h>

/* Columns that samples are loaded with, so that they can be shown by any of them. */
#define TUI_MASK (1u << SORT_COMM | 1u << SORT_PID | 1u << SORT_TID)

/**
 * struct tui_line - one that can be seen by scrolling
 * @row:   number of the row
 * @node:  in the row's tree; 0: the row itself
 * @depth: 0 for rows
 * @open:  what is below it is shown
 * @kids:  there is something below it
 */
struct tui_line {
	uint32_t row;
	uint32_t node;
	uint32_t depth;
	bool open;
	bool kids;
};

/* Keeps the state before zooming in, to get back to it. */
struct tui_zoom {
	struct rows_config config;
	char *what;
};

/**
 * struct tui - the whole interface
 * @config:  how rows are made now
 * @zooms:   how they were made before
 * @event:   that is shown
 * @rows:    its rows; their memory is the profile's, read under load.lock
 * @trees:   of opened rows, by row; made when needed
 * @opened:  hashes of what is open, which survive new rows
 * @top:     first line on the screen
 * @at:      the chosen one
 * @search:  what is looked for
 * @forgot:  load.forgot when the rows were made
 * @dirty:   samples came since the rows were made
 */
struct tui {
	struct load *load;
	struct session *session;
	struct rows_config config;
	struct tui_zoom *zooms;
	size_t n_zooms, cap_zooms;
	uint32_t event;
	struct rows rows;
	struct tree *trees;
	uint64_t *opened;
	size_t n_opened, cap_opened;
	struct tui_line *lines;
	size_t n_lines, cap_lines;
	size_t top;
	size_t at;
	unsigned int order;
	char search[128];
	char message[256];
	uint64_t forgot;
	bool dirty;
	bool done;
	bool failed;
	bool color;
	double limit;
	struct msg msg;
};

#ifdef HAVE_CURSES
#define TUI_AVAILABLE true

/* Shows the recording while it is read; returns 0 or -errno. */
int tui_run(struct load *l, const struct rows_config *config, double limit, bool color,
	    struct msg *m);
#else
#define TUI_AVAILABLE false

static inline int tui_run(struct load *l, const struct rows_config *config, double limit,
			  bool color, struct msg *m)
{
	(void)l;
	(void)config;
	(void)limit;
	(void)color;
	return msg_set(m, -ENOTSUP, "perfctl was built without curses");
}
#endif

#endif
