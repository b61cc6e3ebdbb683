// SPDX-License-Identifier: GPL-2.0
/*
 * Records are in order only within one of perf's buffers. perf marks rounds: nothing
 * older than the newest record of the round before follows. Without rounds, a limit
 * takes their place.
 */
#include "sort.h"
#include "file.h"
#include "import.h"
#include "missing.h"
#include "records.h"
#include "write.h"

#include <stdlib.h>

#define MOST (2u << 20) /* records that wait */

/**
 * struct waiting - a record in the queue
 * @own: a copy, to be freed
 */
struct waiting {
	uint64_t time;
	uint64_t seq;
	const struct perf_event_header *r;
	bool own;
};

/**
 * struct import_queue - records that wait for older ones
 * @newest: time of the newest record so far
 * @round:  ... at the end of the last round
 * @first:  time of the first record that has one; those without happened before
 */
struct import_queue {
	struct waiting *w;
	size_t n, cap;
	uint64_t seq;
	uint64_t newest;
	uint64_t round;
	uint64_t first;
	bool begun;
};

static int by_time(const void *a, const void *b)
{
	const struct waiting *p = a, *q = b;

	if (p->time != q->time)
		return p->time < q->time ? -1 : 1;
	return p->seq < q->seq ? -1 : p->seq > q->seq;
}

static int flush(struct import *im, struct import_queue *q, uint64_t limit, struct msg *m)
{
	size_t i;
	int err = 0;

	if (!q->n)
		return 0;
	qsort(q->w, q->n, sizeof(*q->w), by_time);
	/* times of 0 wait until one is known */
	for (i = 0; !q->begun && i < q->n; i++)
		if (q->w[i].time) {
			q->first = q->w[i].time;
			q->begun = true;
		}
	if (!q->begun && limit != UINT64_MAX)
		return 0;
	for (i = 0; i < q->n && q->w[i].time <= limit && !err; i++) {
		uint64_t time = q->w[i].time ? q->w[i].time : q->first;

		err = import_write(im, q->w[i].r, time, m);
		if (q->w[i].own)
			free((void *)q->w[i].r);
	}
	q->n -= i;
	memmove(q->w, q->w + i, q->n * sizeof(*q->w));
	return err;
}

/* Returns whether perf itself wrote a record, which has no time; counts what is missed by that. */
static bool is_user(struct import *im, const struct perf_event_header *r)
{
	if (r->type < PERF_USER_ATTR)
		return false;
	if (r->type == PERF_USER_AUXTRACE)
		im->aux += import_behind(r);
	else if (r->type > PERF_USER_SCHEDSTAT_DOMAIN)
		import_unknown(im, r);
	return true;
}

int import_queue_add(struct import *im, const struct perf_event_header *r, bool stays,
		     struct msg *m)
{
	struct import_queue *q = im->queue;
	struct import_head h;
	struct waiting *w;
	uint64_t round;

	if (!q)
		q = im->queue = xcalloc(1, sizeof(*q));
	if (r->type == PERF_USER_FINISHED_ROUND) {
		round = q->round;
		q->round = q->newest;
		return flush(im, q, round, m);
	}
	if (is_user(im, r))
		return 0;
	if (!import_head(im, r, &h)) {
		im->broken++;
		return 0;
	}
	if (q->n >= MOST) {
		int err = flush(im, q, q->round > q->w[q->n / 2].time ? q->round :
							       q->w[q->n / 2].time, m);

		if (err)
			return err;
		if (q->n >= MOST)
			err = flush(im, q, UINT64_MAX, m);
		if (err)
			return err;
	}
	w = ARRAY_PUSH(q->w, q->n, q->cap);
	*w = (struct waiting){ .time = h.time, .seq = q->seq++, .r = r, .own = !stays };
	if (h.time > q->newest)
		q->newest = h.time;
	if (!stays) {
		w->r = xmalloc(r->size);
		memcpy((void *)w->r, r, r->size);
	}
	return 0;
}

int import_queue_end(struct import *im, struct msg *m)
{
	return im->queue ? flush(im, im->queue, UINT64_MAX, m) : 0;
}

void import_queue_free(struct import *im)
{
	struct import_queue *q = im->queue;

	if (!q)
		return;
	for (size_t i = 0; i < q->n; i++)
		if (q->w[i].own)
			free((void *)q->w[i].r);
	free(q->w);
	free(q);
	im->queue = NULL;
}
