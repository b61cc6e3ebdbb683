// SPDX-License-Identifier: GPL-2.0
/* Marks of programs on their way into the trace. See user_marks.h. */
#include "user_marks.h"
#include "base/say.h"
#include "event/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

/* Class of their streams: 0 is the channel's, 1 that of folded samples */
#define STREAM 2

struct user_stream {
	uint64_t producer;
	uint32_t ring;
	const struct pev_meta *meta;
	struct pev_encoder *enc;
};

bool user_marks_are(const struct planned_event *e)
{
	return e->attr.type == PEV_TYPE_USER;
}

static bool any_marks(const struct event_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (user_marks_are(&plan->events[i]))
			return true;
	return false;
}

int user_marks_init(struct user_marks *u, const struct event_plan *plan,
		    const struct user_marks_limits *limits, struct msg *m)
{
	*u = (struct user_marks){ 0 };
	if (!any_marks(plan))
		return 0;
	if (limits->overwrite || limits->fold)
		return msg_set(m, -EINVAL,
			       "marks of programs go to the disk as they come: leave "
			       "%s out",
			       limits->fold ? "--fold" : "--overwrite");
	if (limits->clock != PEV_CLOCK_DEFAULT)
		return msg_set(m, -EINVAL,
			       "marks of programs have the kernel's best clock: leave "
			       "--clock out");
	return pev_user_new(&u->user) ? msg_set(m, -ENOMEM, "no memory for the marks of programs") :
					0;
}

int user_marks_listen(struct user_marks *u, const struct event_set *set, struct msg *m)
{
	int err = 0;

	for (size_t i = 0; u->user && i < set->plan->n && !err; i++)
		for (size_t k = 0; user_marks_are(&set->plan->events[i]) && k < set->n_ids && !err;
		     k++)
			err = pev_user_listen(u->user, set->fds[i * set->n_ids + k],
					      set->plan->events[i].name);
	return err ? msg_set(m, err, "the marks of programs: %s", strerror(-err)) : 0;
}

/* ---- metadata ---- */

static bool is_text(const struct pev_user_field *f)
{
	/* readers of the traces have no floating-point numbers: they are text */
	return f->kind == PEV_USER_TEXT || f->kind == PEV_USER_DOUBLE;
}

/*
 * Numbers and lengths first, as only bytes may lie anywhere. An underscore before a name is no
 * part of it in TSDL, and keeps it from being a keyword.
 */
static void add_fields(struct strbuf *text, const struct pev_user_class *cls)
{
	for (uint32_t i = 0; i < cls->nr_fields; i++) {
		const struct pev_user_field *f = &cls->fields[i];
		const char *type = f->kind == PEV_USER_UNSIGNED || is_text(f) ? "uint64_t" :
				   f->kind == PEV_USER_HEX		      ? "xint64_t" :
										"int64_t";

		strbuf_addf(text, "		%s _%s%s;\n", type, f->name,
			    is_text(f) ? "_len" : "");
	}
	for (uint32_t i = 0; i < cls->nr_fields; i++)
		if (is_text(&cls->fields[i]))
			strbuf_addf(text, "		text_t _%s[_%s_len];\n",
				    cls->fields[i].name, cls->fields[i].name);
}

int user_marks_metadata(const struct user_marks *u, struct strbuf *text)
{
	const struct pev_user_class *cls;
	char *stream;
	size_t len;
	int err;

	if (!u->user)
		return 0;
	err = pev_meta_stream(STREAM, 0, &stream, &len);
	if (err)
		return err;
	strbuf_add(text, stream, len);
	free(stream);
	for (uint32_t i = 0; (cls = pev_user_class(u->user, i)); i++) {
		strbuf_addf(text,
			    "event {\n	name = \"user:%s\";\n	id = %" PRIu32
			    ";\n	stream_id = %d;\n"
			    "	model.emf.uri = \"pev:user?period=1\";\n"
			    "	context := struct { uint32_t pid; };\n	fields := struct {\n",
			    cls->name, i, STREAM);
		add_fields(text, cls);
		strbuf_puts(text,
			    "		struct { } align(64) ___end;\n	} align(64);\n};\n\n");
	}
	return 0;
}

bool user_marks_wants_metadata(const struct user_marks *u)
{
	return u->user && (!u->n_metas || pev_user_count(u->user) > u->known);
}

int user_marks_described(struct user_marks *u, const char *text, size_t len)
{
	struct pev_meta *meta;
	int err;

	if (!user_marks_wants_metadata(u))
		return 0;
	err = pev_meta_parse(text, len, 0, &meta, NULL);
	if (err)
		return err;
	*ARRAY_PUSH(u->metas, u->n_metas, u->cap_metas) = meta;
	u->known = pev_user_count(u->user);
	return 0;
}

/* ---- streams ---- */

/* Each stream is a file: a thousand programs have more than are usually allowed. */
static void raise_fd_limit(void)
{
	struct rlimit rl;

	if (!getrlimit(RLIMIT_NOFILE, &rl) && rl.rlim_cur < rl.rlim_max) {
		rl.rlim_cur = rl.rlim_max;
		setrlimit(RLIMIT_NOFILE, &rl);
	}
}

static int new_stream(struct user_marks *u, const struct pev_user_event *ev,
		      struct user_stream **out)
{
	struct user_stream s = { .producer = ev->producer,
				 .ring = ev->ring,
				 .meta = u->metas[u->n_metas - 1] };
	char name[40];
	int err;

	snprintf(name, sizeof(name), "user_%" PRIu64 "_%" PRIu32, ev->producer, ev->ring);
	err = pev_writer_encoder(u->writer, s.meta, name, UINT32_MAX, &s.enc);
	if (err == -EMFILE) {
		raise_fd_limit();
		err = pev_writer_encoder(u->writer, s.meta, name, UINT32_MAX, &s.enc);
	}
	if (err)
		return err;
	*out = ARRAY_PUSH(u->streams, u->n_streams, u->cap_streams);
	**out = s;
	return 0;
}

/* Records come ring by ring: it is mostly the last one. */
static int stream_of(struct user_marks *u, const struct pev_user_event *ev,
		     struct user_stream **out)
{
	for (size_t i = u->n_streams; i-- > 0;) {
		struct user_stream *s = &u->streams[i];

		if (s->producer != ev->producer || s->ring != ev->ring)
			continue;
		/* to the end, where the next record finds it */
		struct user_stream last = u->streams[u->n_streams - 1];

		u->streams[u->n_streams - 1] = *s;
		*s = last;
		*out = &u->streams[u->n_streams - 1];
		return 0;
	}
	return new_stream(u, ev, out);
}

static int put_text(struct pev_encoder *enc, const char *name, const char *text, size_t len)
{
	return len ? pev_encoder_data(enc, name, text, len) : 0;
}

static int put_field(struct pev_encoder *enc, const struct pev_user_field *f,
		     const struct pev_user_value *v)
{
	char text[40];
	double number;

	switch (f->kind) {
	case PEV_USER_TEXT:
		return put_text(enc, f->name, v->text, v->len);
	case PEV_USER_DOUBLE:
		memcpy(&number, &v->word, sizeof(number));
		return put_text(enc, f->name, text,
				(size_t)snprintf(text, sizeof(text), "%.17g", number));
	default:
		return pev_encoder_int(enc, f->name, v->word);
	}
}

static int take(void *arg, const struct pev_user_event *ev)
{
	struct user_marks *u = arg;
	struct user_stream *s;
	const struct pev_class *cls;
	int err;

	/* what was found meanwhile is described before the next reading */
	if (ev->cls->index >= u->known)
		return 0;
	err = stream_of(u, ev, &s);
	if (err)
		return err;
	cls = pev_meta_class_by_id(s->meta, STREAM, ev->cls->index);
	if (!cls)
		return 0;
	err = pev_encoder_begin(s->enc, cls, ev->time, ev->tid);
	if (!err)
		err = pev_encoder_int(s->enc, "pid", ev->pid);
	for (uint32_t i = 0; i < ev->cls->nr_fields && !err; i++)
		err = put_field(s->enc, &ev->cls->fields[i], &ev->values[i]);
	return err ? err : pev_encoder_commit(s->enc);
}

int user_marks_find(struct user_marks *u)
{
	return u->user ? pev_user_find(u->user) : 0;
}

int64_t user_marks_drain(struct user_marks *u, struct pev_writer *w)
{
	if (!u->user)
		return 0;
	u->writer = w;
	return pev_user_read(u->user, take, u);
}

uint64_t user_marks_records(const struct user_marks *u)
{
	struct pev_user_sums sums = { 0 };

	if (u->user)
		pev_user_sums(u->user, &sums);
	return sums.records;
}

int user_marks_close_streams(struct user_marks *u)
{
	int err = 0;

	for (size_t i = 0; i < u->n_streams; i++) {
		int close_err = pev_encoder_close(u->streams[i].enc);

		err = err ? err : close_err;
	}
	u->n_streams = 0;
	return err;
}

void user_marks_free(struct user_marks *u)
{
	user_marks_close_streams(u);
	for (size_t i = 0; i < u->n_metas; i++)
		pev_meta_free(u->metas[i]);
	free(u->metas);
	free(u->streams);
	pev_user_free(u->user);
	*u = (struct user_marks){ 0 };
}
