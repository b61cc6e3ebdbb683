// SPDX-License-Identifier: GPL-2.0
/* From a recording to a store. See push.h. */
#include "push.h"
#include "journal.h"

#include <errno.h>
#include <stdlib.h>

/* What is in memory at a time, and is lost as a whole if its answer does not come */
#define ROWS_MOST 200000

/**
 * struct push - one run
 * @nr: of the next batch: a recording gives the same ones each time
 */
struct push {
	const struct push_config *config;
	struct push_result *result;
	struct session session;
	struct collect collect;
	struct journal journal;
	struct http *http;
	size_t nr;
};

static struct service service_of(void *arg, uint32_t pid)
{
	const struct push *p = arg;

	(void)pid;
	return p->config->service;
}

static int send(struct push *p, struct store_batch *b, size_t nr, struct msg *m)
{
	struct journal_batch *j = journal_batch(&p->journal, nr);
	uint64_t id = store_new_id();
	int err = 0;
	bool sent;

	/* what was sent in an earlier run may be there */
	if (j->doubt)
		err = store_void(p->http, j->day, j->id, m);
	if (!err)
		err = journal_begin(&p->journal, nr, id, b->day, m);
	if (!err)
		err = store_insert(p->http, b, id, &sent, m);
	return err ? err : journal_done(&p->journal, nr, m);
}

static int flush(struct push *p, struct msg *m)
{
	struct store_batch b;
	int err = 0;

	while (!err && collect_take(&p->collect, &b)) {
		size_t nr = p->nr++;

		if (journal_batch(&p->journal, nr)->done) {
			p->result->already += b.samples;
		} else {
			err = send(p, &b, nr, m);
			p->result->samples += err ? 0 : b.samples;
		}
		store_batch_free(&b);
	}
	return err;
}

static int send_all(struct push *p, struct msg *m)
{
	const struct session_class *cls;
	const struct pev_event *ev;
	int err = 0, got = 0;

	session_progress(&p->session, "pushing");
	while (!err && (got = session_next(&p->session, &ev, &cls, m)) > 0) {
		if (cls->kind != SESSION_EVENT)
			continue;
		collect_event(&p->collect, ev, cls, pev_event_ns(ev), 1);
		if (p->collect.n_rows >= ROWS_MOST)
			err = flush(p, m);
	}
	session_progress(&p->session, NULL);
	if (!err)
		err = got < 0 ? got : flush(p, m);
	return err;
}

/* A recording that grows would give other batches the next time. */
static int check(const struct push *p, struct msg *m)
{
	const char *complete = pev_trace_info(p->session.trace, "complete");

	if (complete && !strcmp(complete, "no"))
		return msg_set(
			m, -EBUSY,
			"%s is being made, or its recorder was killed: only a recording that "
			"is complete can be pushed",
			p->config->path);
	return 0;
}

int push_recording(const struct push_config *config, struct push_result *r, struct msg *m)
{
	struct push p = { .config = config, .result = r, .journal = { .fd = -1 } };
	const char *host;
	int err = session_open(&p.session, config->path, m);

	*r = (struct push_result){ 0 };
	if (err)
		return err;
	host = config->host ? config->host : pev_trace_info(p.session.trace, "hostname");
	collect_init(&p.collect, &p.session, host ? host : "unknown", service_of, &p);
	err = check(&p, m);
	if (!err)
		err = http_open(config->url, &p.http, m);
	if (!err) {
		char *store = xasprintf("%s%s", config->url->server, config->url->database);

		err = journal_open(&p.journal, pev_trace_path(p.session.trace), store, m);
		free(store);
	}
	if (!err)
		err = send_all(&p, m);
	journal_close(&p.journal);
	collect_free(&p.collect);
	http_close(p.http);
	session_close(&p.session);
	return err;
}
