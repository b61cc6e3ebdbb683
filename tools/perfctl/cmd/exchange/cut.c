// SPDX-License-Identifier: GPL-2.0
/* perfctl cut: a part of a recording as a recording. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/say.h"
#include "base/text.h"
#include "cut/info.h"
#include "cut/records.h"
#include "profile/load.h"
#include "profile/rows.h"
#include "record/trace_dir.h"
#include "session/use.h"

#include <errno.h>
#include <stdlib.h>

struct cut_opts {
	const char *input;
	const char *output;
	const char *time;
	const char *event;
	const char *comm;
	const char *pids;
	const char *tids;
	bool json;
};

static const struct opt cut_options[] = {
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct cut_opts, input) },
	{ 'o', OPT_STRING, "output", "DIR",
	  "directory of the new trace; an older one of that name becomes DIR.old (default: cut.trace)",
	  offsetof(struct cut_opts, output) },
	{ 0, OPT_HEADING, .help = "What it has (names may be globs, several by commas)" },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "seconds since the trace's begin; either may be missing",
	  offsetof(struct cut_opts, time) },
	{ 'e', OPT_STRING, "event", "NAME", "only these events", offsetof(struct cut_opts, event) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs", offsetof(struct cut_opts, comm) },
	{ 0, OPT_STRING, "pid", "PID", "only these processes", offsetof(struct cut_opts, pids) },
	{ 0, OPT_STRING, "tid", "TID", "only these threads", offsetof(struct cut_opts, tids) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 'j', OPT_FLAG, "json", NULL, "print what was written as JSON",
	  offsetof(struct cut_opts, json) },
	{ 0 },
};

/* What says which processes and code there were is needed from the begin on. */
static bool wanted(const struct cut_opts *o, struct session *s, const struct pev_event *ev,
		   const struct session_class *cls, int64_t from)
{
	const struct thread *t;

	if (cls->kind != SESSION_EVENT)
		return cls->kind != SESSION_INVENTORY; /* that was added before */
	t = session_thread(s, ev);
	return pev_event_ns(ev) >= from && (!o->event || globs_match(o->event, ev->cls->name)) &&
	       (!o->comm || globs_match(o->comm, machine_comm_name(&s->machine, t->comm))) &&
	       numbers_match(o->pids, t->pid) && numbers_match(o->tids, t->tid);
}

static int failed(int err, const char *path, struct msg *m)
{
	return msg_set(m, err == -ENOSPC || err == -EDQUOT || err == -EFBIG ? err : -EIO, "%s: %s",
		       path, strerror(-err));
}

static int add_record(void *records, const struct pev_event *ev)
{
	return cut_records_add(records, ev);
}

/* What the machine had is of any time, and is needed whole. */
static int copy_inventory(const struct session *s, struct cut_records *c)
{
	bool *those = xcalloc(s->n_classes + 1, sizeof(*those)), any = false;
	int err = 0;

	for (unsigned int i = 0; i < s->n_classes; i++) {
		those[i] = s->classes[i].kind == SESSION_INVENTORY;
		any |= those[i];
	}
	for (unsigned int i = 0; any && !err && i < pev_trace_nr_streams(s->trace); i++) {
		const struct pev_stream *stream = pev_trace_stream(s->trace, i);

		err = pev_stream_scan(stream, 0, stream->nr_packets, those, add_record, c);
	}
	free(those);
	return err;
}

static int copy(const struct cut_opts *o, struct session *s, struct cut_records *c,
		uint64_t *chosen, struct msg *m)
{
	const struct session_class *cls;
	const struct pev_event *ev;
	int err, ret;

	err = copy_inventory(s, c);
	if (err)
		return failed(err, o->output, m);
	err = session_seek(s, c->begin, m);
	if (err)
		return err;
	session_progress(s, "reading");
	while ((ret = session_next(s, &ev, &cls, m)) > 0 && pev_event_ns(ev) <= c->end) {
		if (!wanted(o, s, ev, cls, c->begin))
			continue;
		err = cut_records_add(c, ev);
		if (err)
			return failed(err, o->output, m);
		*chosen += cls->kind == SESSION_EVENT;
	}
	session_progress(s, NULL);
	err = ret < 0 ? ret : cut_records_end(c);
	return err && ret >= 0 ? failed(err, o->output, m) : err;
}

static void summary(const struct cut_opts *o, const struct cut_records *c,
		    const struct pev_writer *w, uint64_t chosen)
{
	char records[32], bytes[32], lost[32];

	fprintf(stderr, "[ %s: %s record%s, %s", o->output, text_count(records, chosen),
		text_s(chosen), text_bytes(bytes, pev_writer_bytes(w)));
	if (c->lost)
		fprintf(stderr, ", %s lost of all events and processes in that time",
			text_count(lost, c->lost));
	fprintf(stderr, " ]\n");
}

static void print_json(const struct cut_opts *o, const struct cut_records *c,
		       const struct pev_writer *w, uint64_t chosen)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "trace", o->output);
	json_u64(&j, "records", chosen);
	json_u64(&j, "bytes", pev_writer_bytes(w));
	json_u64(&j, "lost", c->lost);
	json_close(&j, '}');
	json_end_line(&j);
}

/* Is a call chain written once a packet? */
static bool has_named_chains(const struct pev_trace *trace)
{
	for (unsigned int i = 0; i < pev_trace_nr_classes(trace); i++)
		if (pev_class_context_field(pev_trace_class(trace, i), "kstack_id"))
			return true;
	return false;
}

static int cut_into(const struct cut_opts *o, struct session *s, struct pev_writer *w,
		    struct msg *m)
{
	struct cut_records c;
	uint64_t chosen = 0;
	int64_t from, to;
	int err = load_parse_time(o->time, pev_trace_begin_ns(s->trace), &from, &to, m);

	if (!err && has_named_chains(s->trace) && pev_writer_intern(w))
		err = msg_set(m, -ENOMEM, "out of memory");
	if (!err)
		err = cut_metadata(w, s->trace, 0, m);
	if (!err)
		err = cut_info(w, pev_trace_path(s->trace), m);
	if (err)
		return err;
	cut_records_open(&c, s->trace, w, from, to);
	err = copy(o, s, &c, &chosen, m);
	if (!err && o->json)
		print_json(o, &c, w, chosen);
	else if (!err)
		summary(o, &c, w, chosen);
	cut_records_close(&c);
	return err;
}

static int cut(struct session *s, const void *opts, struct msg *m)
{
	const struct cut_opts *o = opts;
	struct trace_dir dir;
	struct pev_writer *w;
	int err, close_err;

	if (trace_dir_would_move(o->output, pev_trace_path(s->trace)))
		return msg_set(m, -EINVAL, "%s is what is read: choose another name with -o",
			       pev_trace_path(s->trace));
	err = trace_dir_open(&dir, o->output, &w, m);
	if (err)
		return err;
	err = cut_into(o, s, w, m);
	close_err = pev_writer_close(w);
	if (!err && close_err)
		err = failed(close_err, o->output, m);
	if (err)
		trace_dir_discard(&dir);
	else
		trace_dir_free(&dir);
	return err;
}

static int cut_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct cut_opts *o = opts;

	return session_use(n, args, o->input, cut, o, m);
}

const struct command command_cut = {
	.name = "cut",
	.operands = "[DIR]",
	.summary = "make a recording of a part of one: a time, events, processes",
	.about =
		"Writes the records that are chosen into a new recording, as they are, with all that "
		"names their processes and code from the begin on. It says what was lost in its time; "
		"of which events and processes that was is not known.",
	.examples = "  perfctl cut --time 10,12.5           two and a half seconds of pev.trace\n"
		    "  perfctl cut --comm nginx -o nginx.trace old.trace\n"
		    "  perfctl cut -e 'sched:*' --time ,60 -o first.trace\n",
	.opts = cut_options,
	.opts_size = sizeof(struct cut_opts),
	.defaults = &(const struct cut_opts){ .output = "cut.trace" },
	.run = cut_run,
};
