/* SPDX-License-Identifier: GPL-2.0 */
/* Asking debuginfod servers: what the user sees of it, and how he says no. */
#ifndef PERFCTL_SESSION_FETCH_H
#define PERFCTL_SESSION_FETCH_H

#include "base/util.h"

#define DEBUGINFOD_OPT                                                              \
	{ 0, OPT_CALL, "no-debuginfod", NULL,                                       \
	  "ask no debuginfod server, whatever DEBUGINFOD_URLS says", 0, fetch_none }

/* Handles --no-debuginfod; @opts is not used. */
int fetch_none(void *opts, const char *arg, struct msg *m);
/* For pev_syms_set_fetch(): says that it takes long, and gives up once stop_wanted() */
int fetch_told(void *arg, uint64_t done, uint64_t total);
/* Removes what fetch_told() has shown. */
void fetch_clear(void);
/* Shows nothing from here on: the terminal is not ours to write to. */
void fetch_silently(void);

#endif
