/* SPDX-License-Identifier: GPL-2.0 */
/* Helps programs that know whether they talk to a terminal. */
#ifndef PERFCTL_CLI_TERM_H
#define PERFCTL_CLI_TERM_H

#include "base/util.h"

/*
 * @when: "auto", "always", "never" or NULL (auto): what --color was given.
 * auto: the standard output is a terminal that can, and NO_COLOR is not set.
 */
bool term_color(const char *when);
/* For an OPT_STRING's value; 0 or -EINVAL. */
int term_check_color(const char *when, struct msg *m);

/*
 * Shows a bar on stderr if that is a terminal and the work takes longer than half a
 * second. Fits load_progress_fn; @arg: what is being done.
 */
void term_progress(void *arg, uint64_t done, uint64_t total);
/* Removes the bar. */
void term_progress_end(void);

/* Sends later output to $PAGER, if the standard output is a terminal. */
void term_pager_start(void);
/* Waits until the user has left the pager. */
void term_pager_end(void);

#endif
