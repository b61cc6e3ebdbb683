/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl report on a terminal. tui.c: the loop and the keys. tui_list.c: which
 * lines there are. tui_draw.c: how they look. Nothing else knows of curses.
 */
#ifndef PERFCTL_TUI_H
#define PERFCTL_TUI_H

#include "load.h"
#include "report.h"

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

/* What was zoomed into, to get back from it. */
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
 * @dirty:   samples came since the rows were made
 */
struct tui {
	struct load *load;
	struct feed *feed;
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
	bool dirty;
	bool done;
	bool failed;
	bool color;
	double limit;
	struct msg msg;
};

#ifdef HAVE_CURSES
#define TUI_AVAILABLE true
#else
#define TUI_AVAILABLE false
#endif

/* Reads and shows at once; 0 or -errno. Only if TUI_AVAILABLE. */
int tui_run(struct load *l, const struct rows_config *config, double limit, bool color,
	    struct msg *m);

/* tui_list.c */
void tui_make_rows(struct tui *t);
void tui_make_lines(struct tui *t);
void tui_toggle(struct tui *t, bool all);
void tui_close(struct tui *t);
bool tui_find(struct tui *t, int step);
/* The function of a line; UINT32_MAX if it is none. */
uint32_t tui_line_func(const struct tui *t, const struct tui_line *l);
void tui_list_free(struct tui *t);

/* tui_draw.c */
void tui_draw(struct tui *t);
void tui_help(void);
/* Asks for a line of text; false: given up. */
bool tui_ask(const char *what, char *buf, size_t size);
/* Lines of text with a title, to be scrolled through. */
struct tui_text {
	char *text;
	int color; /* 0: plain, 1: much, 2: some, 3: soft */
};
void tui_pages(const char *title, const struct tui_text *lines, size_t n, size_t at);
int tui_body_height(void);

#endif
