/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the time of threads went: what they ran, were blocked, were runnable, and waited too
 * shortly for a record. It adds up to the time for which they were followed.
 */
#ifndef PERFCTL_REPORT_TIMES_H
#define PERFCTL_REPORT_TIMES_H

#include "base/json.h"
#include "waits/waits.h"

/**
 * struct times - of the threads of a recording
 * @session: another walk through it
 * @waits:   with what each thread did
 * @family:  if a command was recorded, only its threads count
 * @sums:    of all of them
 * @counted: the kernel's own count, ...
 * @exact:   ... which is there
 * @n:       threads that count
 */
struct times {
	struct session session;
	struct waits waits;
	struct family family;
	struct wait_sums sums;
	struct wait_sums counted;
	bool exact;
	size_t n;
};

/* Does the recording tell of waits, beside samples? */
bool times_has(struct session *s);
/* The globs of the events that tell of waits, and are no samples */
const char *times_events(void);
/* Reads all of the recording; times_free() is needed after an error, too. */
int times_read(struct times *t, const struct session *s, struct msg *m);
void times_free(struct times *t);
void times_print(const struct times *t, FILE *out);
/* "time": an object */
void times_json(const struct times *t, struct json *j);

#endif
