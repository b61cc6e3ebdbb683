// SPDX-License-Identifier: GPL-2.0
/* From a store to a session. See pull.h. */
#include "pull.h"
#include "rebuild.h"
#include "base/say.h"
#include "base/text.h"
#include "store/http.h"
#include "symbols/symfs.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define HOUR 3600
#define SPANS 100
#define REMARKS_MOST 5
/* Of a page: bars of its timeline, and what it has room for */
#define PAGE_SPANS 240
static const struct store_limits page_limits = {
	.events = 8,
	.hosts = 40,
	.services = 40,
	.stacks = 4000,
	.rows = 100000,
};

/* "3d", and what parse_time() takes */
static int parse_ago(const char *text, int64_t *seconds)
{
	uint64_t ns;
	char *end;
	double days = strtod(text, &end);

	if (end != text && !strcmp(end, "d") && days > 0 && days < 36500) {
		*seconds = (int64_t)(days * 86400);
		return 0;
	}
	if (parse_time(text, &ns))
		return -EINVAL;
	*seconds = (int64_t)(ns / 1000000000);
	return 0;
}

int pull_time(const char *text, int64_t now, int64_t *at, struct msg *m)
{
	static const char *const forms[] = { "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S",
					     "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d" };
	int64_t ago;

	if (!parse_ago(text, &ago)) {
		*at = now - ago;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct tm tm = { 0 };
		const char *end = strptime(text, forms[i], &tm);

		if (!end || (*end && strcmp(end, "Z")))
			continue;
		*at = timegm(&tm);
		return 0;
	}
	return msg_set(
		m, -EINVAL,
		"\"%s\" is neither a time ago, such as 2h or 3d, nor one such as \"2026-11-22 "
		"03:00\" (UTC)",
		text);
}

struct pull_shape pull_shape_of(const char *sort)
{
	struct pull_shape shape = { 0 };
	char *copy = xstrdup(sort ? sort : ""), *next = copy, *word;

	while ((word = strsep(&next, ","))) {
		shape.host |= !strcmp(word, "host");
		shape.service |= !strcmp(word, "service");
		shape.spans = strcmp(word, "time") ? shape.spans : SPANS;
	}
	free(copy);
	return shape;
}

struct pull_shape pull_shape_page(void)
{
	return (struct pull_shape){ true, true, PAGE_SPANS, true };
}

int pull_since(struct store_query *q, const struct pull_opts *o, const struct pull_shape *shape,
	       struct msg *m)
{
	/* the second that runs is asked for, too */
	int64_t now = time(NULL), from = now - HOUR, to = now + 1;
	int err = o->since ? pull_time(o->since, now, &from, m) : 0;
	uint32_t least;

	if (!err && o->until)
		err = pull_time(o->until, now, &to, m);
	if (err)
		return err;
	from = from < 0 ? 0 : from / STORE_WINDOW * STORE_WINDOW;
	to = (to + STORE_WINDOW - 1) / STORE_WINDOW * STORE_WINDOW;
	if (from >= to || to > UINT32_MAX)
		return msg_set(m, -EINVAL, "the time that is asked for ends before it begins");
	*q = (struct store_query){ .from = (uint32_t)from,
				   .to = (uint32_t)to,
				   .where = o->where,
				   .by_host = shape->host,
				   .by_service = shape->service,
				   .most = shape->bounded ? &page_limits : NULL };
	least = shape->spans ? (q->to - q->from) / shape->spans : 0;
	q->step = shape->spans ? (least / STORE_WINDOW + 1) * STORE_WINDOW : 0;
	return 0;
}

int pull_answer(const struct pull_opts *o, const struct store_query *q, struct answer *a,
		struct msg *m)
{
	struct store_url url;
	struct http *h = NULL;
	int err = store_url_parse(&url, o->from, &o->store, m);

	if (!err)
		err = http_open(&url, &h, m);
	if (!err)
		err = store_ask(h, q, a, m);
	http_close(h);
	store_url_free(&url);
	err = http_error(err);
	if (!err && !a->n_rows)
		err = msg_set(m, -ENODATA,
			      "%s has no samples of that time%s: agents send each minute, and "
			      "\"perfctl store check\" says what it has",
			      o->from, o->where ? " for which --where holds" : "");
	return err;
}

/* What agents say of the samples of their machines, for some of them */
static void say_remarks(const struct answer *a)
{
	unsigned int said = 0, more = 0;
	char host[256], text[256];

	for (size_t i = 0; i < a->n_names; i++) {
		const struct answer_name *n = &a->names[i];

		if (n->kind != STORE_REMARK)
			continue;
		if (said++ < REMARKS_MOST)
			note("%s %s", text_safe(host, sizeof(host), n->name),
			     text_safe(text, sizeof(text), n->more));
		else
			more++;
	}
	if (more)
		note("%u more remarks on hosts of these days were left out", more);
}

static int write_dir(struct received_dir *dir, const struct pull_opts *o,
		     const struct store_query *q, const struct answer *a, struct msg *m)
{
	struct pev_writer *w;
	struct strbuf what = { 0 };
	int err = received_dir_make(dir, &w, m), close_err;

	if (err)
		return err;
	strbuf_addf(&what, "what %s has%s%s", o->from, o->where ? " for " : "",
		    o->where ? o->where : "");
	err = rebuild_recording(w, q, a, what.s, m);
	if (!err)
		err = symfs_write(dir->path, a, m);
	close_err = pev_writer_close(w);
	if (!err && close_err)
		err = msg_set(m, -EIO, "writing what the store answered: %s", strerror(-close_err));
	strbuf_free(&what);
	if (err)
		received_dir_remove(dir);
	return err;
}

static int pull_dir(struct received_dir *dir, const struct pull_opts *o,
		    const struct store_query *q, struct msg *m)
{
	struct answer a = { 0 };
	int err;

	*dir = (struct received_dir){ 0 };
	err = pull_answer(o, q, &a, m);
	if (!err) {
		say_remarks(&a);
		err = write_dir(dir, o, q, &a, m);
	}
	answer_free(&a);
	return err;
}

int pull_query(struct store_query *q, const char *span, const struct pull_opts *o,
	       const struct pull_shape *shape, struct msg *m)
{
	const char *dots = strstr(span, "..");
	struct pull_opts of = *o;
	char *since, *until;
	int err;

	if (!dots || dots == span || !dots[2])
		return msg_set(m, -EINVAL,
			       "\"%s\" is no span of time: FROM..TO is, such as 26h..25h or "
			       "\"2026-11-22 03:00..2026-11-22 04:00\"",
			       span);
	of.since = since = xstrndup(span, (size_t)(dots - span));
	of.until = until = xstrdup(dots + 2);
	err = pull_since(q, &of, shape, m);
	free(since);
	free(until);
	return err;
}

int pull_span(struct received_dir *dir, const char *span, const struct pull_opts *o,
	      const struct pull_shape *shape, struct msg *m)
{
	struct store_query q;
	int err = pull_query(&q, span, o, shape, m);

	return err ? err : pull_dir(dir, o, &q, m);
}

int pull_session(struct session *s, const char *input, const struct pull_opts *o,
		 const struct pull_shape *shape, struct msg *m)
{
	struct store_query q;
	struct received_dir dir;
	int err;

	*s = (struct session){ 0 };
	if (!o->from && (o->since || o->until || o->where))
		return msg_set(m, -EINVAL, "--%s is asked of a store: name it with --from URL",
			       o->since ? "since" :
			       o->until ? "until" :
					  "where");
	if (!o->from)
		return session_open(s, input, m);
	if (input)
		return msg_set(m, -EINVAL, "--from takes the place of a recording: leave %s out",
			       input);
	err = pull_since(&q, o, shape, m);
	if (!err)
		err = pull_dir(&dir, o, &q, m);
	if (err)
		return err;
	err = session_open(s, dir.path, m);
	if (err)
		received_dir_remove(&dir);
	else
		s->dir = dir;
	return err;
}
