/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands that another program sends while something is measured, a line each, by a FIFO or a
 * descriptor, in perf's words. Knows nothing of what they do.
 */
#ifndef PERFCTL_RECORD_CONTROL_H
#define PERFCTL_RECORD_CONTROL_H

#include "base/util.h"

/* Longer lines are refused */
#define CONTROL_LINE 512

/**
 * struct control - where commands come from
 * @in:  -1: from nowhere
 * @out: where answers go, -1: nowhere
 * @line: what has come of the next one
 * @len: of it
 * @long_line: the rest of it is passed over
 */
struct control {
	int in;
	int out;
	char line[CONTROL_LINE];
	size_t len;
	bool long_line;
};

/**
 * struct control_ops - what commands do; each returns 0 or -errno with a sentence
 * @enable:   switches events on or off; @event: a name or glob, NULL: all
 * @snapshot: of a flight recorder; of a recording in parts the next part
 * @stop:     the measurement ends
 * @list:     adds a line for each event
 */
struct control_ops {
	int (*enable)(void *arg, const char *event, bool on, struct msg *m);
	int (*snapshot)(void *arg, struct msg *m);
	int (*stop)(void *arg, struct msg *m);
	void (*list)(void *arg, struct strbuf *out);
};

/* @text: "fifo:PATH[,PATH]", "fd:N[,N]"; @c->in is -1 if it fails */
int control_open(struct control *c, const char *text, struct msg *m);
/* Does what has come, and answers "ack", or "error: " and why not. Never waits. */
void control_read(struct control *c, const struct control_ops *ops, void *arg);
void control_close(struct control *c);

#endif
