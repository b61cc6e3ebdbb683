/* SPDX-License-Identifier: GPL-2.0 */
/* An event of a recording as a line of text, and its call chain below. */
#ifndef PERFCTL_SCRIPT_LINE_H
#define PERFCTL_SCRIPT_LINE_H

#include "names.h"
#include "session/session.h"
#include "strace/syscalls.h"

/* Columns of a line, in the order of printing. */
enum script_field {
	SCRIPT_COMM = 1u << 0,
	SCRIPT_PID = 1u << 1,
	SCRIPT_TID = 1u << 2,
	SCRIPT_CPU = 1u << 3,
	SCRIPT_TIME = 1u << 4,
	SCRIPT_ABSTIME = 1u << 5,
	SCRIPT_EVENT = 1u << 6,
	SCRIPT_IP = 1u << 7,
	SCRIPT_FIELDS = 1u << 8,
	SCRIPT_CHAIN = 1u << 9,
	SCRIPT_SRCLINE = 1u << 10,
	SCRIPT_REQUEST = 1u << 11,
	SCRIPT_EXIT = 1u << 12,
};

#define SCRIPT_DEFAULT                                                                    \
	(SCRIPT_COMM | SCRIPT_TID | SCRIPT_CPU | SCRIPT_TIME | SCRIPT_EVENT | SCRIPT_IP | \
	 SCRIPT_FIELDS | SCRIPT_CHAIN | SCRIPT_REQUEST | SCRIPT_EXIT)

/**
 * struct script_line - how lines are made, and the last one
 * @begin:  what times count from, in ns since the epoch
 * @fields: SCRIPT_*
 * @inlined: frames of functions that were inlined are printed, by debug information
 * @text:   the line with its end
 * @names:  of numbers
 * @places: what is printed of each frame; NULL: not made yet
 */
struct script_line {
	struct session *session;
	int64_t begin;
	unsigned int fields;
	bool inlined;
	struct strbuf text;
	struct syscalls calls;
	struct script_names names;
	char **places;
	size_t n_places;
};

/* Names of fields by commas or spaces; returns -EINVAL with a sentence. */
int script_fields(unsigned int *fields, const char *arg, struct msg *m);

/*
 * @s: open. @whole: all of it will be read. A line that was not initialised may be freed if it is
 * zeroed.
 */
void script_line_init(struct script_line *l, struct session *s, unsigned int fields, bool inlined,
		      bool whole);
/* What an event changes for lines that follow; to be called for each one, printed or not. */
void script_line_seen(struct script_line *l, const struct pev_event *ev,
		      const struct session_class *cls, const struct thread *t);
void script_line_free(struct script_line *l);
/* @ev: unwound, of thread @t at @ns since the epoch */
void script_line_make(struct script_line *l, const struct pev_event *ev, const struct thread *t,
		      int64_t ns);

#endif
