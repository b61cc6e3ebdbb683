// SPDX-License-Identifier: GPL-2.0
/* perfctl timeline: who ran where and when, as tracks of characters. */
#include "commands.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/term.h"
#include "session/sched.h"
#include "session/session.h"
#include "profile/load.h"
#include "profile/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CPUS_MOST   4096
#define LETTERS	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define WIDTH_LEAST 20
#define LABEL	    24

struct timeline_opts {
	const char *input;
	const char *time;
	const char *comm;
	const char *color;
	uint64_t width;
	uint64_t most;
	bool threads;
};

/* What a thread does at a time. */
enum doing {
	DOING_NOTHING,
	DOING_SLEEP,
	DOING_WAIT, /* for a processor */
	DOING_RUN,
	DOING_MAX,
};

/**
 * struct tl_thread - a thread, over time
 * @time: ns of each column that it did each thing; DOING_MAX numbers a column
 */
struct tl_thread {
	uint32_t tid;
	uint32_t comm;
	enum doing now;
	int64_t since;
	uint64_t ran;
	uint64_t *time;
};

struct track {
	uint32_t running; /* tid; 0: idle */
	int64_t since;
	uint32_t *comms;  /* for each column the program that ran longest */
	uint64_t *most;
	uint64_t *busy;
};

struct timeline_run {
	struct timeline_opts opts;
	struct session session;
	int64_t from, to, begin;
	unsigned int width;
	struct track *tracks;
	size_t n_tracks;
	struct tl_thread *threads;
	size_t n, cap;
	struct htab h;
	uint64_t *by_comm;
	size_t n_comms;
	bool color;
};

static const struct opt timeline_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording (of sched:sched_switch)" },
	{ 'i', OPT_STRING, "input", "DIR", "the trace (default: pev.trace)",
	  offsetof(struct timeline_opts, input) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 't', OPT_FLAG, "threads", NULL,
	  "a track for each thread: when it ran, waited for a "
	  "processor, slept (default: a track for each CPU)",
	  offsetof(struct timeline_opts, threads) },
	{ 'm', OPT_U64, "most", "N",
	  "with --threads: so many, those that ran longest "
	  "(default: 20)",
	  offsetof(struct timeline_opts, most) },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "seconds since the trace's begin; either may be missing",
	  offsetof(struct timeline_opts, time) },
	{ 0, OPT_STRING, "comm", "NAME",
	  "only threads of these programs (globs, several by commas)",
	  offsetof(struct timeline_opts, comm) },
	{ 0, OPT_U64, "width", "COLUMNS", "(default: what the terminal has, else 100)",
	  offsetof(struct timeline_opts, width) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never",
	  offsetof(struct timeline_opts, color) },
	{ 0 },
};

static struct tl_thread *thread_of(struct timeline_run *r, uint32_t tid)
{
	struct tl_thread *t;

	if (HTAB_GET(t, &r->h, hash_u64(tid), t->tid == tid, r->threads, r->n, r->cap)) {
		t->tid = tid;
		t->since = r->from;
	}
	return t;
}

static unsigned int column(const struct timeline_run *r, int64_t ns)
{
	__int128 c = (__int128)(ns - r->from) * r->width / (r->to - r->from);

	return c < 0 ? 0 : c >= r->width ? r->width - 1 : (unsigned int)c;
}

static int64_t column_begin(const struct timeline_run *r, unsigned int c)
{
	return r->from + (int64_t)((__int128)(r->to - r->from) * c / r->width);
}

/* Calls @fn with each column's part of a span. */
static void spread(struct timeline_run *r, int64_t from, int64_t to, void *arg,
		   void (*fn)(void *arg, unsigned int column, uint64_t ns))
{
	if (from < r->from)
		from = r->from;
	if (to > r->to)
		to = r->to;
	if (from >= to)
		return;
	for (unsigned int c = column(r, from); c < r->width && from < to; c++) {
		int64_t end = column_begin(r, c + 1) < to ? column_begin(r, c + 1) : to;

		if (end > from)
			fn(arg, c, (uint64_t)(end - from));
		from = end > from ? end : from;
	}
}

static void add_doing(void *arg, unsigned int c, uint64_t ns)
{
	struct tl_thread *t = arg;

	t->time[c * DOING_MAX + t->now] += ns;
}

static void set_doing(struct timeline_run *r, struct tl_thread *t, enum doing what, int64_t now)
{
	if (r->opts.threads && !t->time)
		t->time = xcalloc((size_t)r->width * DOING_MAX, sizeof(*t->time));
	if (t->time)
		spread(r, t->since, now, t, add_doing);
	if (t->now == DOING_RUN) {
		int64_t begin = t->since > r->from ? t->since : r->from;
		int64_t end = now < r->to ? now : r->to;

		t->ran += end > begin ? (uint64_t)(end - begin) : 0;
	}
	t->now = what;
	t->since = now;
}

struct track_part {
	struct track *track;
	uint32_t comm;
};

static void add_track(void *arg, unsigned int c, uint64_t ns)
{
	struct track_part *p = arg;

	p->track->busy[c] += ns;
	if (ns > p->track->most[c]) {
		p->track->most[c] = ns;
		p->track->comms[c] = p->comm;
	}
}

static struct track *track_of(struct timeline_run *r, uint32_t cpu)
{
	struct track *l = &r->tracks[cpu];

	if (!l->comms) {
		l->comms = xcalloc(r->width, sizeof(*l->comms));
		l->most = xcalloc(r->width, sizeof(*l->most));
		l->busy = xcalloc(r->width, sizeof(*l->busy));
		l->since = r->from;
	}
	return l;
}

static enum doing doing_of(enum sched_state state)
{
	return state == SCHED_DEAD ? DOING_NOTHING : state == SCHED_BLOCKED ? DOING_SLEEP :
								      DOING_WAIT;
}

static bool comm_wanted(const struct timeline_run *r, uint32_t comm)
{
	return !r->opts.comm ||
	       globs_match(r->opts.comm, machine_comm_name(&r->session.machine, comm));
}

static void switched(struct timeline_run *r, const struct pev_event *ev,
		     const struct sched_fields *f, int64_t now)
{
	struct thread who = sched_prev(&r->session.machine, ev, f)->thread;
	uint32_t prev = (uint32_t)pev_event_int(ev, f->prev_pid);
	uint32_t next = (uint32_t)pev_event_int(ev, f->next_pid);
	struct track *l = track_of(r, ev->cpu);
	struct track_part part = { l, who.comm };

	if (prev) {
		struct tl_thread *t = thread_of(r, prev);

		/* who leaves was running, even if it was not seen to come */
		if (t->now == DOING_NOTHING) {
			t->now = DOING_RUN;
			t->since = l->since;
		}
		t->comm = who.comm;
		set_doing(r, t, doing_of(sched_state(ev, f)), now);
		if (comm_wanted(r, who.comm))
			spread(r, l->since, now, &part, add_track);
	}
	if (next)
		set_doing(r, thread_of(r, next), DOING_RUN, now);
	l->running = next;
	l->since = now;
}

static void woken(struct timeline_run *r, const struct pev_event *ev, int64_t now)
{
	const struct pev_field *pid = pev_class_field(ev->cls, "pid");
	struct tl_thread *t;

	if (!pid || !pev_event_int(ev, pid))
		return;
	t = thread_of(r, (uint32_t)pev_event_int(ev, pid));
	if (t->now != DOING_RUN)
		set_doing(r, t, DOING_WAIT, now);
}

static int load(struct timeline_run *r, struct msg *m)
{
	const struct session_class *cls;
	const struct pev_event *ev;
	struct sched_fields f;
	bool any = false;
	int err;

	while ((err = session_next(&r->session, &ev, &cls, m)) > 0) {
		int64_t now = pev_event_ns(ev);

		if (cls->kind != SESSION_EVENT || ev->cpu >= r->n_tracks)
			continue;
		if (sched_is_switch(ev->cls, &f)) {
			switched(r, ev, &f, now);
			any = true;
		} else if (!strncmp(ev->cls->name, "sched:sched_wakeup", 18)) {
			woken(r, ev, now);
		}
	}
	if (err)
		return err;
	if (!any)
		return msg_set(m, -EBADMSG,
			       "%s has no sched:sched_switch; record with \"perfctl "
			       "record -a -e sched:sched_switch -e sched:sched_wakeup\"",
			       pev_trace_path(r->session.trace));
	for (size_t i = 0; i < r->n; i++)
		set_doing(r, &r->threads[i], r->threads[i].now, r->to);
	return 0;
}

static int by_time(const void *va, const void *vb)
{
	const struct tl_thread *a = va, *b = vb;

	if (a->ran != b->ran)
		return a->ran < b->ran ? 1 : -1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static void print_axis(const struct timeline_run *r)
{
	char left[32], right[32];

	snprintf(left, sizeof(left), "%.6f s", (double)(r->from - r->begin) / 1e9);
	snprintf(right, sizeof(right), "%.6f s", (double)(r->to - r->begin) / 1e9);
	printf("%*s %s%*s\n", LABEL, "", left, (int)(r->width - strlen(left)), right);
}

static void print_threads(struct timeline_run *r)
{
	static const char *const marks[] = { " ", "\xc2\xb7", "-", "#" };
	static const char *const colors[] = { "", "\033[2m", "\033[33m", "\033[32m" };
	char comm[64];

	qsort(r->threads, r->n, sizeof(*r->threads), by_time);
	for (size_t i = 0, shown = 0; i < r->n && shown < r->opts.most; i++) {
		const struct tl_thread *t = &r->threads[i];

		if (!t->time || !comm_wanted(r, t->comm))
			continue;
		shown++;
		text_safe(comm, sizeof(comm), machine_comm_name(&r->session.machine, t->comm));
		printf("%-*.15s %7u ", LABEL - 8, comm, t->tid);
		for (unsigned int c = 0; c < r->width; c++) {
			const uint64_t *w = t->time + (size_t)c * DOING_MAX;
			/* running is what is looked for: it shows where there is any */
			int d = w[DOING_RUN] * 3 >= w[DOING_WAIT] + w[DOING_SLEEP] ||
				(w[DOING_RUN] && !w[DOING_WAIT]) ? DOING_RUN :
				w[DOING_WAIT] * 2 > w[DOING_SLEEP] ? DOING_WAIT :
				w[DOING_SLEEP] ? DOING_SLEEP : DOING_NOTHING;

			if (!(w[DOING_RUN] | w[DOING_WAIT] | w[DOING_SLEEP]))
				d = DOING_NOTHING;
			if (r->color && d)
				printf("%s%s\033[m", colors[d], marks[d]);
			else
				fputs(marks[d], stdout);
		}
		printf("\n");
	}
	printf("\n# runs: #   waits for a processor: -   sleeps: \xc2\xb7\n");
}

struct program {
	uint32_t comm;
	uint64_t ran;
};

static int by_ran(const void *va, const void *vb)
{
	const struct program *a = va, *b = vb;

	if (a->ran != b->ran)
		return a->ran < b->ran ? 1 : -1;
	return a->comm < b->comm ? -1 : a->comm > b->comm;
}

static void print_tracks(struct timeline_run *r)
{
	size_t n = r->session.machine.comms.n;
	struct program *p = xcalloc(n, sizeof(*p));
	unsigned char *letter = xcalloc(n, 1);
	uint64_t all = 0, cpus = 0;
	char comm[64];

	for (size_t i = 0; i < n; i++)
		p[i].comm = (uint32_t)i;
	for (size_t i = 0; i < r->n; i++)
		if (comm_wanted(r, r->threads[i].comm))
			p[r->threads[i].comm].ran += r->threads[i].ran;
	qsort(p, n, sizeof(*p), by_ran);
	for (size_t i = 0; i < n; i++)
		letter[p[i].comm] = (unsigned char)(i < sizeof(LETTERS) - 1 ? LETTERS[i] : '*');
	for (size_t cpu = 0; cpu < r->n_tracks; cpu++) {
		const struct track *l = &r->tracks[cpu];

		if (!l->comms)
			continue;
		cpus++;
		printf("%*s%-5zu ", LABEL - 5, "CPU ", cpu);
		for (unsigned int c = 0; c < r->width; c++) {
			uint64_t ns = (uint64_t)(column_begin(r, c + 1) - column_begin(r, c));
			char ch = l->busy[c] ? (char)letter[l->comms[c]] : ' ';

			if (r->color && l->busy[c])
				printf("\033[%s%dm%c\033[m", l->busy[c] * 2 >= ns ? "1;" : "",
				       31 + ch % 6, ch);
			else
				putchar(ch);
		}
		putchar('\n');
	}
	all = cpus * (uint64_t)(r->to - r->from);
	printf("\n");
	for (size_t i = 0; i < n && i < sizeof(LETTERS) - 1 && p[i].ran; i++)
		printf("# %c  %-16s %6.2f %%\n", LETTERS[i],
		       text_safe(comm, sizeof(comm),
				 machine_comm_name(&r->session.machine, p[i].comm)),
		       all ? 100.0 * (double)p[i].ran / (double)all : 0);
	free(p);
	free(letter);
}

static void choose_width(struct timeline_run *r)
{
	struct winsize w = { 0 };
	uint64_t columns = r->opts.width;

	if (!columns && isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w))
		columns = w.ws_col;
	if (!columns)
		columns = 100;
	r->width = (unsigned int)(columns > LABEL + 1 + WIDTH_LEAST ? columns - LABEL - 2 : WIDTH_LEAST);
}

static int timeline(struct timeline_run *r, struct msg *m)
{
	const struct pev_trace *t = r->session.trace;
	int err;

	r->begin = pev_trace_begin_ns(t);
	err = load_parse_time(r->opts.time, r->begin, &r->from, &r->to, m);
	if (err)
		return err;
	if (r->from < r->begin)
		r->from = r->begin;
	if (r->to > pev_trace_end_ns(t))
		r->to = pev_trace_end_ns(t);
	if (r->from >= r->to)
		return msg_set(m, -EINVAL, "nothing was recorded in that time");
	choose_width(r);
	for (unsigned int i = 0; i < pev_trace_nr_streams(t); i++)
		if (pev_trace_stream(t, i)->cpu >= (int)r->n_tracks)
			r->n_tracks = (size_t)pev_trace_stream(t, i)->cpu + 1;
	r->n_tracks = min_u64(max_u64(r->n_tracks, 1), CPUS_MOST);
	r->tracks = xcalloc(r->n_tracks, sizeof(*r->tracks));
	err = load(r, m);
	if (err)
		return err;
	r->color = term_color(r->opts.color);
	print_axis(r);
	if (r->opts.threads)
		print_threads(r);
	else
		print_tracks(r);
	return 0;
}

static void release(struct timeline_run *r)
{
	for (size_t i = 0; i < r->n_tracks && r->tracks; i++) {
		free(r->tracks[i].comms);
		free(r->tracks[i].most);
		free(r->tracks[i].busy);
	}
	for (size_t i = 0; i < r->n; i++)
		free(r->threads[i].time);
	free(r->tracks);
	free(r->threads);
	htab_free(&r->h);
	session_close(&r->session);
}

static int timeline_run(const void *opts, int n, char **args, struct msg *m)
{
	struct timeline_run r = { .opts = *(const struct timeline_opts *)opts };
	int err;

	if (command_trace_twice(n, args, r.opts.input, m))
		return -EINVAL;
	if (r.opts.width > 10000)
		return msg_set(m, -EINVAL, "--width takes up to 10000 columns");
	err = term_check_color(r.opts.color, m);
	if (!err)
		err = session_open(&r.session, n ? args[0] : r.opts.input, m);
	if (!err)
		err = timeline(&r, m);
	fflush(stdout);
	if (r.session.trace && !err)
		session_note_damage(&r.session);
	release(&r);
	return err;
}

const struct command command_timeline = {
	.name = "timeline",
	.operands = "[DIR]",
	.summary = "show who ran where and when",
	.about =
		"Prints a track for each CPU, or for each thread, from the scheduler's events. A letter "
		"stands for the program that ran longest in the time of a column. For a picture to "
		"zoom in, see \"perfctl report --html\".",
	.examples = "  perfctl record -a -e sched:sched_switch -e sched:sched_wakeup -- COMMAND\n"
		    "  perfctl timeline\n"
		    "  perfctl timeline --threads --time 0.5,0.6\n",
	.opts = timeline_options,
	.opts_size = sizeof(struct timeline_opts),
	.defaults = &(const struct timeline_opts){ .most = 20 },
	.run = timeline_run,
};
