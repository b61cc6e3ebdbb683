// SPDX-License-Identifier: GPL-2.0
/*
 * perfctl top: where time goes now. Samples are decoded where they lie in the
 * rings; nothing is written but a description of what runs at the beginning.
 */
#include "commands.h"
#include "cli/term.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/sampling.h"
#include "record/recorder.h"
#include "profile/load.h"
#include "report/out.h"
#include "report/report.h"
#include "tui/tui.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_HZ    499
#define DEFAULT_DELAY 2.0
#define DEFAULT_SORT  "comm,dso,symbol"
#define POLL_MS	      100
/* older samples count less: 7/8 after each refresh; in fixed point, to fade out */
#define SCALE	      1024
/* chains that are remembered before all are forgotten: what a day of top may take */
#define CHAINS_MOST   500000

struct top_opts {
	struct target_opts target;
	struct event_list events;
	const char *sort;
	const char *color;
	struct rows_config rows;
	double delay;
	double limit;
	uint64_t freq;
	uint64_t count;
	uint64_t lines;
	bool no_graph;
	bool stdio;
};

struct top_run {
	struct top_opts opts;
	struct target target;
	struct event_plan plan;
	struct recorder recorder;
	struct session session;
	struct load load;
	struct pev_decoder *decoder;
	char *dir;
	int64_t last_own;
	uint64_t samples;
	uint64_t last_samples;
	uint64_t lost;
};

static const struct opt top_options[] = {
	TARGET_OPTS(struct top_opts, target, "the whole machine"),
	ENGINE_OPT,
	{ 0, OPT_HEADING, .help = "What to sample" },
	{ 'e', OPT_CALL, "event", "EVENT[,EVENT]",
	  "(default: cycles, or cpu-clock, a timer, where there is "
	  "no PMU)",
	  offsetof(struct top_opts, events), event_list_option },
	{ 'F', OPT_U64, "freq", "HZ", "samples a second on each CPU (default: 499)",
	  offsetof(struct top_opts, freq) },
	{ 0, OPT_FLAG, "no-call-graph", NULL, "no call chains",
	  offsetof(struct top_opts, no_graph) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 'd', OPT_DOUBLE, "delay", "SECONDS", "between two pictures (default: 2)",
	  offsetof(struct top_opts, delay) },
	{ 's', OPT_STRING, "sort", "KEY[,KEY]",
	  "columns: comm, pid, tid, cpu, dso, symbol "
	  "(default: " DEFAULT_SORT ")",
	  offsetof(struct top_opts, sort) },
	{ 0, OPT_FLAG, "children", NULL, "add up what a function called, and sort by that",
	  offsetof(struct top_opts, rows.children) },
	{ 0, OPT_DOUBLE, "percent-limit", "PERCENT", "leave out rows below (default: 0.5)",
	  offsetof(struct top_opts, limit) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 0, OPT_FLAG, "stdio", NULL, "print tables; so also if the output is no terminal",
	  offsetof(struct top_opts, stdio) },
	{ 'n', OPT_U64, "count", "N", "tables to print before the end (default: until Ctrl-C)",
	  offsetof(struct top_opts, count) },
	{ 'l', OPT_U64, "lines", "N", "lines of a printed table (default: 20)",
	  offsetof(struct top_opts, lines) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never",
	  offsetof(struct top_opts, color) },
	{ 0 },
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Processor time of this process, in ms. */
static int64_t own_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Records of one packet. @sideband: these, else all others. */
static void take_packet(struct top_run *r, const void *data, size_t len, bool sideband)
{
	struct load_part part = { .profile = &r->load.profile };
	const struct pev_event *ev;

	if (pev_decoder_packet(r->decoder, pev_trace_meta(r->session.trace, 0), data, len))
		return;
	while (pev_decoder_next(r->decoder, &ev) > 0) {
		const struct session_class *cls;

		if (ev->cls->index >= r->session.n_classes)
			continue;
		cls = &r->session.classes[ev->cls->index];
		if (sideband != (cls->kind != SESSION_EVENT))
			continue;
		if (sideband) {
			session_sideband(&r->session, cls, ev);
			continue;
		}
		r->samples++;
		load_event(&r->load, &part, ev, cls, 0);
	}
	r->load.chains |= part.chains;
}

static void take_piece(struct top_run *r, const struct pev_piece *piece, bool sideband)
{
	size_t at = 0;

	while (at + sizeof(struct pev_packet) <= piece->len) {
		const struct pev_packet *p = (const void *)((const char *)piece->data + at);
		size_t size = p->packet_size / 8;

		if (!size || size > piece->len - at)
			break;
		take_packet(r, p, size, sideband);
		at += size;
	}
}

/*
 * All complete packets of all rings: first what changed in processes, so that
 * a sample that was taken on another CPU after that finds it.
 */
static void take_all(struct top_run *r)
{
	struct pev_channel *channel = r->recorder.channel;
	struct pev_piece *pieces = NULL;
	size_t n = 0, cap = 0;

	pev_channel_map_new(channel);
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(channel); nr++) {
		struct pev_ring *ring = pev_channel_ring(channel, nr);
		struct pev_piece piece;

		while (ring && pev_ring_next(ring, &piece) > 0)
			*ARRAY_PUSH(pieces, n, cap) = piece;
	}
	for (size_t i = 0; i < n; i++)
		take_piece(r, &pieces[i], true);
	for (size_t i = 0; i < n; i++)
		take_piece(r, &pieces[i], false);
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(channel); nr++)
		if (pev_channel_ring(channel, nr))
			pev_ring_release(pev_channel_ring(channel, nr));
	free(pieces);
	r->lost = pev_channel_lost(channel);
}

/* What was counts less and less. */
static void fade(struct profile *p)
{
	size_t kept = 0;

	if (p->stacks->n_chains > CHAINS_MOST) {
		profile_forget(p);
		return;
	}
	for (size_t i = 0; i < p->n_cells; i++) {
		struct cell c = p->cells[i];

		c.weight = c.weight * 7 / 8;
		c.samples = c.weight / SCALE;
		if (c.weight)
			p->cells[kept++] = c;
	}
	p->n_cells = kept;
	profile_rehash_cells(p);
}

static void say_cost(struct top_run *r, double seconds)
{
	int64_t own = own_ms();

	snprintf(r->load.live, sizeof(r->load.live), "%.0f samples/s, costs %.1f %% of a CPU%s",
		 (double)(r->samples - r->last_samples) / seconds,
		 (double)(own - r->last_own) / 10 / seconds, r->lost ? ", some lost" : "");
	r->last_samples = r->samples;
	r->last_own = own;
}

/* A picture's time: takes what comes and fades what was. */
static void gather(struct top_run *r)
{
	int64_t begin = now_ms(), end = begin + (int64_t)(r->opts.delay * 1000);

	pthread_mutex_lock(&r->load.lock);
	fade(&r->load.profile);
	pthread_mutex_unlock(&r->load.lock);
	while (!r->load.stop && now_ms() < end) {
		int64_t left = end - now_ms();

		if (pev_channel_poll(r->recorder.channel, (int)(left < POLL_MS ? left : POLL_MS)) <= 0)
			continue;
		pthread_mutex_lock(&r->load.lock);
		take_all(r);
		pthread_mutex_unlock(&r->load.lock);
	}
	pev_engine_flush(engine(), r->recorder.fd);
	pthread_mutex_lock(&r->load.lock);
	take_all(r);
	say_cost(r, (double)(now_ms() - begin) / 1000 + 1e-9);
	if (r->load.progress)
		r->load.progress(r->load.arg, 0, 0);
	pthread_mutex_unlock(&r->load.lock);
}

/* The thread behind the terminal interface. */
static int live(struct load *l, struct msg *m)
{
	struct top_run *r = l->owner;

	(void)m;
	while (!l->stop)
		gather(r);
	return 0;
}

static volatile bool *stop_flag;

static void on_signal(int sig)
{
	(void)sig;
	*stop_flag = true;
}

static void print_table(struct top_run *r)
{
	struct report_style style = { .out = stdout, .limit = r->opts.limit, .branch = 100,
				      .color = term_color(r->opts.color), .lines = r->opts.lines,
				      .bare = true };

	stacks_resolve(&r->session.stacks);
	printf("# %s\n", r->load.live);
	report_text(&r->load.profile, &r->opts.rows, &style);
	fflush(stdout);
}

static int print_tables(struct top_run *r)
{
	stop_flag = &r->load.stop;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	for (uint64_t n = 0; !r->load.stop && (!r->opts.count || n < r->opts.count); n++) {
		gather(r);
		if (isatty(STDOUT_FILENO))
			fputs("\033[H\033[2J", stdout);
		print_table(r);
		if (ferror(stdout))
			break;
	}
	return 0;
}

/* Opens all, and reads what runs already from the description. */
static int open_all(struct top_run *r, struct msg *m)
{
	struct recorder_config config = { .plan = &r->plan, .target = &r->target, .command = "top" };
	const char *tmp = getenv("TMPDIR");
	const struct session_class *cls;
	const struct pev_event *ev;
	char *path;
	int err;

	r->dir = xasprintf("%s/perfctl-top.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(r->dir)) {
		err = msg_set(m, -EIO, "%s: %s", r->dir, strerror(errno));
		free(r->dir);
		r->dir = NULL;
		return err;
	}
	path = xasprintf("%s/trace", r->dir);
	config.path = path;
	err = recorder_open(&r->recorder, &config, m);
	if (!err) {
		/* the description is all that is written */
		r->recorder.ended = true;
		pev_writer_close(r->recorder.writer);
		r->recorder.writer = NULL;
		err = session_open(&r->session, path, m);
	}
	if (!err && pev_decoder_new(0, &r->decoder))
		err = msg_set(m, -ENOMEM, "out of memory");
	while (!err && (err = session_next(&r->session, &ev, &cls, m)) > 0)
		err = 0;
	free(path);
	return err;
}

static int show(struct top_run *r, struct msg *m)
{
	const char *term = getenv("TERM");
	bool screen = TUI_AVAILABLE && !r->opts.stdio && !r->opts.count && isatty(STDIN_FILENO) &&
		      isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
	struct load_config config = { .mask = r->opts.rows.sort.mask | TUI_MASK, .chains = true,
				      .from = INT64_MIN, .to = INT64_MAX, .quantum = 1 };

	load_init(&r->load, &r->session, &config);
	r->load.scale = SCALE;
	r->load.owner = r;
	r->last_own = own_ms();
	if (!screen)
		return print_tables(r);
	r->load.run = live;
	return tui_run(&r->load, &r->opts.rows, r->opts.limit, term_color(r->opts.color), m);
}

static int top(struct top_run *r, struct msg *m)
{
	struct target_opts *t = &r->opts.target;
	struct sampling sampling;
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (!t->pids && !t->tids && !t->subtree && !t->cpus && !t->cgroup)
		t->all = true;
	if (!r->opts.events.n)
		err = event_list_parse(&r->opts.events, event_to_sample(&info, true), m);
	if (!err)
		err = sort_parse(&r->opts.rows.sort, r->opts.sort, NULL, NULL, m);
	if (!err)
		err = target_make(&r->target, t, NULL, m);
	if (!err)
		err = event_plan_make(&r->plan, &r->opts.events, PLAN_SAMPLE, m);
	if (err)
		return err;
	sampling = (struct sampling){ .freq = r->opts.freq, .chains = !r->opts.no_graph };
	event_plan_sampling(&r->plan, &sampling);
	err = open_all(r, m);
	if (!err)
		err = recorder_start(&r->recorder, m);
	if (!err)
		err = show(r, m);
	return err;
}

static int top_run(const void *opts, int n, char **args, struct msg *m)
{
	struct top_run r = { .opts = *(const struct top_opts *)opts, .recorder = { .fd = -1 } };
	int err;

	if (n)
		return msg_set(m, -EINVAL, "top takes no operand: \"%s\"", args[0]);
	if (!(r.opts.delay >= 0.1 && r.opts.delay <= 3600) || !r.opts.freq)
		return msg_set(m, -EINVAL, "--delay takes 0.1 to 3600 seconds, --freq at least 1");
	err = term_check_color(r.opts.color, m);
	if (!err)
		err = top(&r, m);
	load_free(&r.load);
	pev_decoder_free(r.decoder);
	session_close(&r.session);
	recorder_close(&r.recorder);
	if (r.dir)
		nftw(r.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(r.dir);
	event_plan_free(&r.plan);
	target_free(&r.target);
	event_list_free(&r.opts.events);
	sort_free(&r.opts.rows.sort);
	return err;
}

const struct command command_top = {
	.name = "top",
	.operands = "",
	.summary = "show where time goes now",
	.about = "Samples the whole machine, or what is asked for, and shows where the time of the "
		 "last seconds went, again and again, with call trees to open. What that costs "
		 "stands above the table.",
	.examples = "  perfctl top\n"
		    "  perfctl top -p 1234 --children\n"
		    "  perfctl top --stdio -n 1 -d 5       one table of five seconds\n",
	.opts = top_options,
	.opts_size = sizeof(struct top_opts),
	.defaults = &(const struct top_opts){ .sort = DEFAULT_SORT,
					      .limit = 0.5,
					      .delay = DEFAULT_DELAY,
					      .freq = DEFAULT_HZ,
					      .lines = 20 },
	.run = top_run,
};
