/* SPDX-License-Identifier: GPL-2.0 */
/* Draws the lines. */
#ifndef PERFCTL_TUI_DRAW_H
#define PERFCTL_TUI_DRAW_H

#include "tui.h"

void tui_draw(struct tui *t);
/* The next key; ERR after @timeout_ms (-1: never), or if tui_ended(). */
int tui_key(int timeout_ms);
/* Has a signal come, or has the terminal gone? */
bool tui_ended(void);
void tui_help(void);
/* Asks for a line of text; returns false if the user gave up. */
bool tui_ask(const char *what, char *buf, size_t size);
/* Lines of text with a title, to be scrolled through. */
struct tui_text {
	char *text;
	int color; /* 0: plain, 1: much, 2: some, 3: soft */
};
void tui_pages(const char *title, const struct tui_text *lines, size_t n, size_t at);
int tui_body_height(void);

#endif
