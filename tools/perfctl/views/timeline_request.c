// SPDX-License-Identifier: GPL-2.0
/* From the records of a request to its time and its threads. See timeline_request.h. */
#include "timeline_request.h"
#include "session/request.h"

#include <errno.h>
#include <stdlib.h>

static void add_thread(struct timeline_request *r, uint32_t tid)
{
	uint32_t *t;

	if (HTAB_GET(t, &r->h, hash_u64(tid), *t == tid, r->tids, r->n, r->cap))
		*t = tid;
}

bool timeline_request_has(const struct timeline_request *r, uint32_t tid)
{
	uint32_t hash = hash_u64(tid), pos, ref;

	for (ref = htab_first(&r->h, hash, &pos); ref; ref = htab_next(&r->h, hash, &pos))
		if (r->tids[ref - 1] == tid)
			return true;
	return false;
}

/* A wait is recorded at its end. */
static int64_t begin_of(const struct pev_event *ev, int64_t now)
{
	return ev->cls->type == PEV_TYPE_WAIT ? now - (int64_t)ev->period : now;
}

static void add_record(struct timeline_request *r, const struct pev_event *ev)
{
	int64_t now = pev_event_ns(ev), begin = begin_of(ev, now);

	if (!r->n || begin < r->first)
		r->first = begin;
	if (!r->n || now > r->last)
		r->last = now;
	add_thread(r, ev->tid);
}

static int read_records(struct timeline_request *r, struct session *s, bool *any, struct msg *m)
{
	const struct session_class *cls;
	const struct pev_event *ev;
	struct pev_request request;
	int err;

	while ((err = session_next(s, &ev, &cls, m)) > 0) {
		*any |= (ev->cls->sample & PEV_SAMPLE_CONTEXT) != 0;
		if (pev_event_request(ev, &request) && request_matches(&r->asked, &request))
			add_record(r, ev);
	}
	return err;
}

int timeline_request_find(struct timeline_request *r, const struct session *s, const char *id,
			  struct msg *m)
{
	struct session walk;
	bool any = false;
	int err;

	*r = (struct timeline_request){ 0 };
	err = request_parse(&r->asked, "--request", id, m);
	if (!err)
		err = session_fork(&walk, s, m);
	if (err)
		return err;
	err = read_records(r, &walk, &any, m);
	session_close(&walk);
	if (err || r->n)
		return err;
	return msg_set(m, -ENOENT, "--request: %s has no record of that request%s",
		       pev_trace_path(s->trace),
		       any ? "; \"perfctl report --sort request\" lists those that it has" :
			     ", nor of any other: record with --context");
}

void timeline_request_free(struct timeline_request *r)
{
	free(r->tids);
	htab_free(&r->h);
	*r = (struct timeline_request){ 0 };
}
