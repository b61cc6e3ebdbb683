/* SPDX-License-Identifier: GPL-2.0 */
/* When which threads worked for a request. */
#ifndef PERFCTL_VIEWS_TIMELINE_REQUEST_H
#define PERFCTL_VIEWS_TIMELINE_REQUEST_H

#include "session/session.h"

/**
 * struct timeline_request - what the records of a request tell
 * @asked: the request
 * @first: when the first of them began, ns since the epoch
 * @last:  when the last one ended
 * @tids:  of its threads
 */
struct timeline_request {
	struct pev_request asked;
	int64_t first;
	int64_t last;
	uint32_t *tids;
	size_t n, cap;
	struct htab h;
};

/* Walks through the recording of @s, which may be read from its begin afterwards. */
int timeline_request_find(struct timeline_request *r, const struct session *s, const char *id,
			  struct msg *m);
void timeline_request_free(struct timeline_request *r);
/* Did the thread work for it? */
bool timeline_request_has(const struct timeline_request *r, uint32_t tid);

#endif
