// SPDX-License-Identifier: GPL-2.0
/* perfctl merge: several recordings in one directory, on one axis of time. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/say.h"
#include "base/text.h"
#include "cut/info.h"
#include "cut/join.h"
#include "record/trace_dir.h"

#include <errno.h>
#include <pev/pev.h>
#include <stdlib.h>
#include <sys/stat.h>

struct merge_opts {
	const char *output;
	bool json;
};

/**
 * struct merge_input - a recording
 * @path:  of it
 * @shift: ns to add to its times
 * @name:  of its directory in the new one
 */
struct merge_input {
	char *path;
	int64_t shift;
	char *name;
	struct pev_trace *trace;
};

/**
 * struct merge - all of them
 * @json:  what was written is printed as such
 * @bytes: that were written
 * @lost:  records, of all
 */
struct merge {
	const char *output;
	bool json;
	struct merge_input *in;
	unsigned int n;
	uint64_t bytes;
	uint64_t lost;
};

static const struct opt merge_options[] = {
	{ 'o', OPT_STRING, "output", "DIR",
	  "directory of the new recording (default: merged.trace)",
	  offsetof(struct merge_opts, output) },
	{ 'j', OPT_FLAG, "json", NULL, "print what was written as JSON",
	  offsetof(struct merge_opts, json) },
	{ 0 },
};

/* Takes "@+1.5s" or "@-200ms" off the end of a name, unless there is a directory of the whole. */
static int parse_input(struct merge_input *in, const char *text, struct msg *m)
{
	char *at;
	struct stat st;
	uint64_t ns;

	in->path = xstrdup(text);
	at = strrchr(in->path, '@');
	if (!at || !stat(text, &st))
		return 0;
	if ((at[1] != '+' && at[1] != '-') || parse_time(at + 2, &ns))
		return msg_set(m, -EINVAL,
			       "%s: behind @ stands what to add to its times, such as "
			       "DIR@+1.5s or DIR@-200ms",
			       text);
	in->shift = at[1] == '-' ? -(int64_t)ns : (int64_t)ns;
	*at = '\0';
	return 0;
}

static bool is_taken(const struct merge *g, const char *name)
{
	for (unsigned int i = 0; i < g->n; i++)
		if (g->in[i].name && !strcmp(g->in[i].name, name))
			return true;
	return false;
}

/* The last part of where it is, with a number if another one has that */
static char *choose_name(const struct merge *g, const char *path)
{
	char *real = realpath(path, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;
	char *base = xstrdup(slash && slash[1] ? slash + 1 : "trace"), *name = xstrdup(base);

	/* the new directory has one of its own */
	for (unsigned int i = 2;
	     is_taken(g, name) || !strcmp(name, "info") || !strcmp(name, "index"); i++) {
		free(name);
		name = xasprintf("%s.%u", base, i);
	}
	free(base);
	free(real);
	return name;
}

static int open_input(struct merge *g, struct merge_input *in, const char *text, struct msg *m)
{
	struct pev_error e;
	int err = parse_input(in, text, m);

	if (err)
		return err;
	err = pev_trace_open(in->path, 0, &in->trace, &e);
	if (err)
		return msg_set(m, err, "%s", e.text);
	if (pev_trace_nr_metas(in->trace) != 1)
		return msg_set(m, -EINVAL, "%s holds %u recordings: name them one by one", in->path,
			       pev_trace_nr_metas(in->trace));
	in->name = choose_name(g, in->path);
	for (unsigned int i = 0; i < pev_trace_nr_warnings(in->trace); i++)
		note("%s: %s", in->path, pev_trace_warning(in->trace, i));
	g->lost += pev_trace_lost(in->trace);
	return 0;
}

static int copy_stream(struct pev_writer *w, const struct pev_stream *s)
{
	const char *name = s->name + (strncmp(s->name, "stream_", 7) ? 0 : 7);
	int err = 0;

	/* what is damaged stays behind */
	for (size_t i = 0; i < s->nr_packets && !err; i++) {
		const struct pev_packet *packet = pev_stream_packet(s, i);

		err = packet ? pev_writer_named(w, name, packet, s->packets[i].size) : -ENOSPC;
	}
	return err;
}

static int copy_streams(const struct merge_input *in, struct pev_writer *w, struct msg *m)
{
	int err = 0;

	for (unsigned int i = 0; i < pev_trace_nr_streams(in->trace) && !err; i++)
		err = copy_stream(w, pev_trace_stream(in->trace, i));
	if (!err && pev_trace_damaged(in->trace))
		err = pev_writer_info(w, "incomplete", "packets were damaged, and left out");
	return err ? msg_set(m, err == -ENOSPC ? err : -EIO, "%s: %s", in->name, strerror(-err)) :
		     0;
}

static int copy_input(struct merge *g, const struct merge_input *in, struct msg *m)
{
	char *path = xasprintf("%s/%s", g->output, in->name);
	struct pev_writer *w;
	struct pev_error e;
	int err = pev_writer_open(path, 0, &w, &e), close_err;

	free(path);
	if (err)
		return msg_set(m, -EIO, "%s", e.text);
	err = cut_metadata(w, in->trace, in->shift, m);
	if (!err)
		err = cut_info(w, in->path, m);
	if (!err)
		err = copy_streams(in, w, m);
	g->bytes += pev_writer_bytes(w);
	close_err = pev_writer_close(w);
	if (!err && close_err)
		err = msg_set(m, close_err == -ENOSPC ? close_err : -EIO, "%s/%s: %s", g->output,
			      in->name, strerror(-close_err));
	return err;
}

static bool is_same(const struct merge *g, const char *key)
{
	for (unsigned int i = 1; i < g->n; i++) {
		const char *a = pev_trace_info(g->in[0].trace, key);
		const char *b = pev_trace_info(g->in[i].trace, key);

		if (!a || !b || strcmp(a, b))
			return false;
	}
	return true;
}

/* Recordings that follow each other on one machine become one. */
static bool can_join(const struct merge *g, const struct pev_trace **traces)
{
	for (unsigned int i = 0; i < g->n; i++) {
		traces[i] = g->in[i].trace;
		if (g->in[i].shift)
			return false;
	}
	return is_same(g, "hostname") && is_same(g, "build_id") && join_can(traces, g->n);
}

static int join(struct merge *g, struct pev_writer *w, const struct pev_trace **traces,
		struct msg *m)
{
	bool complete = true, damaged = false;
	int err = join_write(w, traces, g->n);

	for (unsigned int i = 0; i < g->n; i++) {
		const char *said = pev_trace_info(traces[i], "complete");

		damaged |= pev_trace_damaged(traces[i]) != 0;
		complete &= !said || !strcmp(said, "yes");
	}
	if (!err && !complete)
		err = pev_writer_info(w, "incomplete", "one of those it was made of is");
	if (!err && damaged)
		err = pev_writer_info(w, "incomplete", "packets were damaged, and left out");
	g->bytes = pev_writer_bytes(w);
	if (err)
		return msg_set(m, err == -ENOSPC ? err : -EIO, "%s: %s", g->output, strerror(-err));
	return cut_info(w, pev_trace_path(traces[0]), m);
}

/* Others stay what they are, side by side. */
static int put_together(struct merge *g, struct pev_writer *w, struct msg *m)
{
	const struct pev_trace **traces = xcalloc(g->n, sizeof(*traces));
	bool one = can_join(g, traces);
	int err = one ? join(g, w, traces, m) : 0;

	for (unsigned int i = 0; i < g->n && !err && !one; i++)
		err = copy_input(g, &g->in[i], m);
	if (!one && !err)
		note("they do not follow each other on one machine: babeltrace2 reads %s in order of "
		     "time, perfctl %s/%s and the others one by one",
		     g->output, g->output, g->in[0].name);
	free(traces);
	return err;
}

static void say_what(const struct merge *g)
{
	char bytes[32], count[32], lost[48] = "nothing lost";
	struct json j = { .out = stdout };

	if (!g->json) {
		if (g->lost)
			snprintf(lost, sizeof(lost), "%s record%s lost", text_count(count, g->lost),
				 text_s(g->lost));
		fprintf(stderr, "[ %s: %u recording%s, %s, %s ]\n", g->output, g->n, text_s(g->n),
			text_bytes(bytes, g->bytes), lost);
		return;
	}
	json_open(&j, NULL, '{');
	json_string(&j, "trace", g->output);
	json_u64(&j, "recordings", g->n);
	json_u64(&j, "bytes", g->bytes);
	json_u64(&j, "lost", g->lost);
	json_close(&j, '}');
	json_end_line(&j);
}

static int merge(struct merge *g, struct msg *m)
{
	struct trace_dir dir;
	struct pev_writer *w;
	int err, close_err;

	for (unsigned int i = 0; i < g->n; i++)
		if (trace_dir_would_move(g->output, g->in[i].path))
			return msg_set(m, -EINVAL,
				       "%s is what is read: choose another name with -o",
				       g->in[i].path);
	err = trace_dir_open(&dir, g->output, &w, m);
	if (err)
		return err;
	err = put_together(g, w, m);
	close_err = pev_writer_close(w);
	trace_dir_free(&dir);
	if (!err && close_err)
		err = msg_set(m, -EIO, "%s: %s", g->output, strerror(-close_err));
	if (!err)
		say_what(g);
	return err;
}

static int merge_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct merge_opts *o = opts;
	struct merge g = { .output = o->output, .json = o->json };
	int err = 0;

	if (n < 2)
		return msg_set(m, -EINVAL, "merge takes two recordings or more");
	g.in = xcalloc((size_t)n, sizeof(*g.in));
	for (int i = 0; i < n && !err; i++) {
		err = open_input(&g, &g.in[i], args[i], m);
		g.n++;
	}
	if (!err)
		err = merge(&g, m);
	for (unsigned int i = 0; i < g.n; i++) {
		pev_trace_close(g.in[i].trace);
		free(g.in[i].path);
		free(g.in[i].name);
	}
	free(g.in);
	return err;
}

const struct command command_merge = {
	.name = "merge",
	.operands = "DIR[@OFFSET]...",
	.summary = "make one recording of several machines or times",
	.about =
		"Recordings that follow each other on one machine, as parts do, become one. Others are "
		"put side by side into one directory, which babeltrace2 reads in order of time. Clocks "
		"of several machines never agree: OFFSET is added to the times of a recording, as in "
		"web.trace@-1.5ms. Losses are carried over.",
	.examples =
		"  perfctl merge -o day.trace host.1 host.2 host.3      parts of --switch-output\n"
		"  perfctl merge web.trace db.trace@+3.2ms\n",
	.opts = merge_options,
	.opts_size = sizeof(struct merge_opts),
	.defaults = &(const struct merge_opts){ .output = "merged.trace" },
	.run = merge_run,
};
