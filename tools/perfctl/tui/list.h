/* SPDX-License-Identifier: GPL-2.0 */
/* The list of lines. */
#ifndef PERFCTL_TUI_LIST_H
#define PERFCTL_TUI_LIST_H

#include "tui.h"

void tui_make_rows(struct tui *t);
void tui_make_lines(struct tui *t);
void tui_toggle(struct tui *t, bool all);
void tui_close(struct tui *t);
bool tui_find(struct tui *t, int step);
/* Returns the function of a line, UINT32_MAX if it has none. */
uint32_t tui_line_func(const struct tui *t, const struct tui_line *l);
void tui_list_free(struct tui *t);

#endif
