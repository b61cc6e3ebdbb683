/* SPDX-License-Identifier: GPL-2.0 */
/* A recording for as long as a command reads it. */
#ifndef PERFCTL_SESSION_USE_H
#define PERFCTL_SESSION_USE_H

#include "session.h"

/**
 * typedef session_use_fn - what a command does with a recording
 * @opts: the command's options
 */
typedef int session_use_fn(struct session *session, const void *opts, struct msg *m);

/* Returns true with @m set if both operands and -i, or several operands, name recordings. */
bool session_given_twice(int n, char **args, const char *input, struct msg *m);

/**
 * session_use() - open the recording that a command is given, have it used, and close it
 * @n: number of operands, of which there is at most one: the recording
 * @args: operands
 * @input: the argument of -i, or NULL
 *
 * What the recording lacks is noted at the end, if all else went well.
 *
 * Return: 0, or a negative errno with @m set.
 */
int session_use(int n, char **args, const char *input, session_use_fn *use, const void *opts,
		struct msg *m);

#endif
