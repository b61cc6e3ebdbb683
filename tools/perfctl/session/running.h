/* SPDX-License-Identifier: GPL-2.0 */
/* The running kernel, if it is the one that was recorded. */
#ifndef PERFCTL_SESSION_RUNNING_H
#define PERFCTL_SESSION_RUNNING_H

#include "session.h"

/*
 * Adds all its functions to those that the recording has, which are only the functions of its
 * addresses; for code, which calls others. Call it before anything is resolved.
 */
void session_add_running(struct session *f);

#endif
