/* SPDX-License-Identifier: GPL-2.0 */
/* Names of numbers in records, by what the recording says that its machine had. */
#ifndef PERFCTL_SCRIPT_NAMES_H
#define PERFCTL_SCRIPT_NAMES_H

#include "inventory/table.h"
#include "session/session.h"
#include "strace/fds.h"

struct names_class;

/**
 * struct script_names - what is known, and what calls have opened and closed since
 * @has:     of the machine
 * @fds:     of the processes, as far as the recording says
 * @certain: nothing was skipped that may have opened or closed any
 * @classes: what is to be named, by class
 * @calls:   that threads are in
 */
struct script_names {
	const struct session *session;
	struct inventory has;
	struct fds fds;
	bool certain;
	struct names_class *classes;
	unsigned int n_classes;
	struct names_call {
		uint32_t tid;
		bool open;
		uint64_t args[6];
	} * calls;
	size_t n_calls, cap_calls;
	struct htab h_calls;
};

/* @whole: all of the recording is read from its begin */
void script_names_init(struct script_names *n, const struct session *s, bool whole);
/* To be told of each event of the recording, in order, after it was printed. */
void script_names_event(struct script_names *n, const struct pev_event *ev,
			const struct session_class *cls, uint32_t pid);
/* Adds "(eth0)" behind a number that has a name. @f: a field of the payload */
void script_names_put(struct script_names *n, const struct pev_event *ev, uint32_t pid,
		      const struct pev_field *f, struct strbuf *b);
void script_names_free(struct script_names *n);

#endif
