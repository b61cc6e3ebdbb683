/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What asks the program to end: Ctrl-C, SIGTERM, SIGHUP. One that was ignored when
 * the program began stays ignored, as nohup and shells want it.
 */
#ifndef PERFCTL_BASE_STOP_H
#define PERFCTL_BASE_STOP_H

#include <signal.h>
#include <stdbool.h>

/* The signals that count */
void stop_signals(sigset_t *set);
/* They end nothing from here on, but are told by stop_wanted(), and by @flag if there is one. */
void stop_catch(volatile bool *flag);
/* Has one come? Also of those that are blocked, which stay pending. */
bool stop_wanted(void);

#endif
