// SPDX-License-Identifier: GPL-2.0
/*
 * perfctl off-cpu: where threads waited, by the call chains that they had when
 * they left the processor.
 */
#include "cmd/commands.h"
#include "base/output.h"
#include "base/say.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/suggest.h"
#include "cli/term.h"
#include "event/target.h"
#include "session/sched.h"
#include "session/session.h"
#include "profile/load.h"
#include "report/out.h"
#include "report/report.h"
#include "session/fetch.h"
#include "views/family.h"
#include "views/flame_svg.h"
#include "views/waker.h"

#include <errno.h>
#include <stdlib.h>

#define SWITCH	      "sched:sched_switch"
#define WAKING	      "sched:sched_waking"
/* in place of a waker */
#define PREEMPTED     UINT32_MAX
#define HOW	      "\"perfctl record --off-cpu -- COMMAND\""
#define DEFAULT_SORT  "comm,symbol"
#define DEFAULT_LIMIT 0.1
#define BRANCH_LIMIT  0.5
/* pixels, as perfctl flame has them */
#define FLAME_WIDTH   1200
#define FLAME_LEAST   0.3
/* characters of names in a message */
#define NAMES_SHOWN   300

struct offcpu_opts {
	const char *input;
	const char *sort;
	const char *time;
	const char *json;
	const char *csv;
	const char *color;
	const char *flame;
	const char *state;
	const char *comm;
	struct rows_config rows;
	double limit;
	uint64_t least_us;
	bool flat;
	bool no_open;
	bool folded;
	bool all;
};

/**
 * struct waiting - a thread that left its processor
 * @since: ns since the epoch; 0: it is running, or was not seen yet
 * @key:   its cpu is the number of the waker, until all functions are known
 */
struct waiting {
	uint32_t tid;
	int64_t since;
	bool blocked;
	struct cell_key key;
};

/* Columns that only this command has */
enum own_column {
	COLUMN_WAKER,
	COLUMN_USER,
	OWN_COLUMNS,
};

static const char *const own_columns[OWN_COLUMNS] = { "waker", "user" };

struct offcpu_run {
	struct offcpu_opts opts;
	struct session session;
	struct profile profile;
	struct wakers wakers;
	int columns[OWN_COLUMNS]; /* places in cell_key.value, -1: not asked for */
	struct family family; /* if only its waits are wanted */
	struct waiting *waits;
	size_t n, cap;
	struct htab h;
	struct sched_fields *fields; /* by class */
	bool *is_switch;
	int64_t from, to;
	uint64_t open;
	uint64_t switches;
	uint64_t unseen; /* threads that left twice and never came back in between */
	bool chains;
};

static const struct opt offcpu_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording (of sched:sched_switch)" },
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct offcpu_opts, input) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 's', OPT_STRING, "sort", "KEY[,KEY]",
	  "columns: comm, pid, tid, dso, symbol (the function "
	  "that waited), parent, user (the program's function that called the kernel), waker (who ended "
	  "the wait, by sched:sched_waking) (default: " DEFAULT_SORT ")",
	  offsetof(struct offcpu_opts, sort) },
	{ 0, OPT_FLAG, "flat", NULL, "no call trees", offsetof(struct offcpu_opts, flat) },
	{ 0, OPT_STRING, "state", "STATE",
	  "only waits of this kind: blocked (for something to "
	  "happen) or preempted (for a processor)",
	  offsetof(struct offcpu_opts, state) },
	{ 0, OPT_U64, "least", "US", "leave out waits shorter than so many microseconds",
	  offsetof(struct offcpu_opts, least_us) },
	{ 0, OPT_FLAG, "no-open", NULL, "leave out waits that had not ended when the recording did",
	  offsetof(struct offcpu_opts, no_open) },
	{ 0, OPT_DOUBLE, "percent-limit", "PERCENT",
	  "leave out rows and branches below "
	  "(default: 0.1, branches 0.5)",
	  offsetof(struct offcpu_opts, limit) },
	{ 0, OPT_FLAG, "full-names", NULL,
	  "functions of C++ with parameters and the arguments of "
	  "templates",
	  offsetof(struct offcpu_opts, rows.full_names) },
	{ 'a', OPT_FLAG, "all", NULL,
	  "all programs (default: of a recorded command, what it and its "
	  "children waited for)",
	  offsetof(struct offcpu_opts, all) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs (globs, several by commas)",
	  offsetof(struct offcpu_opts, comm) },
	{ 0, OPT_STRING, "symbol", "NAME", "only these functions",
	  offsetof(struct offcpu_opts, rows.symbol) },
	{ 0, OPT_STRING, "time", "FROM,TO",
	  "only waits that end within, in seconds since the "
	  "trace's begin",
	  offsetof(struct offcpu_opts, time) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 'j', OPT_STRING, "json", "FILE", "write JSON to a file, \"-\" for the standard output",
	  offsetof(struct offcpu_opts, json) },
	{ 0, OPT_STRING, "csv", "FILE", "the same as CSV; weights are ns",
	  offsetof(struct offcpu_opts, csv) },
	{ 0, OPT_STRING, "flame", "FILE", "draw a flame graph by the time waited, as SVG",
	  offsetof(struct offcpu_opts, flame) },
	{ 0, OPT_FLAG, "folded", NULL,
	  "call chains as text, one a line, with ns, for other programs",
	  offsetof(struct offcpu_opts, folded) },
	{ 0, OPT_STRING, "color", "WHEN", "auto, always or never",
	  offsetof(struct offcpu_opts, color) },
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

static struct waiting *wait_of(struct offcpu_run *r, uint32_t tid)
{
	struct waiting *w;

	if (HTAB_GET(w, &r->h, hash_u64(tid), w->tid == tid, r->waits, r->n, r->cap))
		w->tid = tid;
	return w;
}

static void wait_ends(struct offcpu_run *r, struct waiting *w, int64_t now)
{
	uint64_t ns = (uint64_t)(now - w->since);
	bool wanted = !r->opts.state || (w->blocked == !strcmp(r->opts.state, "blocked"));

	/* shares are of what was asked for */
	if (r->opts.comm &&
	    !globs_match(r->opts.comm, machine_comm_name(&r->session.machine, w->key.comm)))
		wanted = false;
	if (r->family.n && !family_has(&r->family, w->key.pid))
		wanted = false;
	if (w->since && now > w->since && now >= r->from && now <= r->to && wanted &&
	    ns >= r->opts.least_us * 1000)
		profile_add(&r->profile, &w->key, ns);
	w->since = 0;
}

static void wait_begins(struct offcpu_run *r, struct waiting *w, const struct pev_event *event,
			const struct sched_fields *f, uint32_t number, int64_t now)
{
	struct profile *p = &r->profile;
	const struct seen *who = sched_prev(&p->session->machine, event, f);
	const struct pev_event *ev = session_unwind(&r->session, who, event);

	if (sched_state(ev, f) == SCHED_DEAD)
		return;
	r->unseen += w->since != 0;
	w->since = now;
	w->blocked = sched_state(ev, f) == SCHED_BLOCKED;
	w->key = (struct cell_key){ .event = number, .comm = who->thread.comm,
				    .pid = who->thread.pid, .tid = who->thread.tid,
				    .cpu = w->blocked ? 0 : PREEMPTED };
	if (ev->kstack_len || ev->ustack_len) {
		r->chains = true;
		w->key.chain = stacks_chain(p->stacks, who->space, ev->kstack, ev->kstack_len,
					    ev->ustack, ev->ustack_len);
		w->key.frame = p->stacks->chain_frames[p->stacks->chains[w->key.chain].first];
	}
}

/* The first to wake a thread that waits */
static void wait_is_ended_by(struct offcpu_run *r, const struct pev_event *ev)
{
	uint32_t tid, nr = wakers_event(&r->wakers, ev, &tid);
	struct waiting *w = nr ? wait_of(r, tid) : NULL;

	if (w && w->since && w->blocked && !w->key.cpu)
		w->key.cpu = nr;
}

static int load(struct offcpu_run *r, struct msg *m)
{
	const struct session_class *cls;
	const struct pev_event *ev;
	int64_t now = 0;
	int err;

	session_progress(&r->session, "reading");
	while ((err = session_next(&r->session, &ev, &cls, m)) > 0) {
		const struct sched_fields *f = &r->fields[ev->cls->index];
		uint32_t prev, next;

		wait_is_ended_by(r, ev);
		family_event(&r->family, cls, ev);
		if (!r->is_switch[ev->cls->index])
			continue;
		r->switches++;
		now = pev_event_ns(ev);
		prev = (uint32_t)pev_event_int(ev, f->prev_pid);
		next = (uint32_t)pev_event_int(ev, f->next_pid);
		if (next)
			wait_ends(r, wait_of(r, next), now);
		if (prev)
			wait_begins(r, wait_of(r, prev), ev, f, cls->event, now);
	}
	now = pev_trace_end_ns(r->session.trace);
	for (size_t i = 0; !err && i < r->n; i++) {
		if (!r->waits[i].since)
			continue;
		r->open++;
		if (!r->opts.no_open)
			wait_ends(r, &r->waits[i], now);
	}
	return err;
}

/* The functions that lead to a switch end every chain, and say nothing about the wait. */
static bool is_scheduler(const char *name)
{
	static const char *const globs =
		"__schedule*,schedule,schedule_*,"
		"preempt_schedule*,io_schedule*,irqentry_exit*,__cond_resched*,asm_sysvec_*,sysvec_*";

	return globs_match(globs, name);
}

/* Appends the innermost function of a chain that is none of the kernel's. */
static void user_function(const struct profile *p, uint32_t chain, struct strbuf *b)
{
	const struct chain *c = &p->stacks->chains[chain];

	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t func = stacks_frame_func(p->stacks, p->stacks->chain_frames[c->first + i]);
		enum object_kind kind = p->session->objects.o[p->stacks->funcs[func].object].kind;

		if (kind != OBJECT_KERNEL && kind != OBJECT_MODULE) {
			stacks_func_name(p->stacks, func, b);
			return;
		}
	}
	strbuf_puts(b, "[kernel]");
}

/* Fills the columns that functions were needed for. */
static void fill_columns(struct offcpu_run *r, struct cell_key *key)
{
	struct strbuf b = { 0 };

	for (int c = 0; c < OWN_COLUMNS; c++) {
		if (r->columns[c] < 0)
			continue;
		strbuf_reset(&b);
		if (c == COLUMN_USER)
			user_function(&r->profile, key->chain, &b);
		else if (key->cpu == PREEMPTED)
			strbuf_puts(&b, "[a processor]");
		else
			wakers_name(&r->wakers, key->cpu, &b);
		key->value[r->columns[c]] = strtab_id(&r->profile.values, b.s);
	}
	key->cpu = 0;
	strbuf_free(&b);
}

/* Adds the cells up again, each from the function that waited. */
static void drop_scheduler(struct offcpu_run *r)
{
	struct profile *p = &r->profile;
	struct cell *cells = p->cells;
	size_t n = p->n_cells;
	uint8_t *verdicts;

	stacks_resolve(p->stacks);
	verdicts = xcalloc(p->stacks->n_funcs, 1);
	p->cells = NULL;
	p->n_cells = p->cap_cells = 0;
	htab_clear(&p->h_cells);
	for (size_t i = 0; i < n; i++) {
		struct cell_key key = cells[i].key;
		uint32_t skip = 0;

		fill_columns(r, &key);
		for (; skip + 1 < p->stacks->chains[key.chain].n; skip++) {
			uint32_t first = p->stacks->chains[key.chain].first + skip;
			uint32_t func = stacks_frame_func(p->stacks,
							  p->stacks->chain_frames[first]);
			struct strbuf b = { 0 };

			if (!verdicts[func]) {
				stacks_func_name(p->stacks, func, &b);
				verdicts[func] = is_scheduler(b.s) ? 1 : 2;
				strbuf_free(&b);
			}
			if (verdicts[func] == 2)
				break;
		}
		if (p->stacks->chains[key.chain].n) {
			key.chain = stacks_chain_from(p->stacks, key.chain, skip);
			key.frame = p->stacks->chain_frames[p->stacks->chains[key.chain].first];
		}
		profile_add_many(p, &key, cells[i].samples, cells[i].weight);
	}
	free(cells);
	free(verdicts);
}

static void find_switches(struct offcpu_run *r)
{
	r->fields = xcalloc(r->session.n_classes, sizeof(*r->fields));
	r->is_switch = xcalloc(r->session.n_classes, sizeof(*r->is_switch));
	for (unsigned int c = 0; c < r->session.n_classes; c++)
		r->is_switch[c] = sched_is_switch(pev_trace_class(r->session.trace, c),
						  &r->fields[c]);
}

static bool comm_known(const struct strtab *comms, const char *globs)
{
	for (size_t i = 0; i < comms->n; i++)
		if (globs_match(globs, comms->s[i]))
			return true;
	return false;
}

/*
 * Refuses recordings that only show one side: times would be of nothing. perf leaves out a
 * switch of a whole CPU now and then without counting it, which is no reason.
 */
static int check_switches(const struct offcpu_run *r, struct msg *m)
{
	const struct pev_trace *t = r->session.trace;
	const char *target = pev_trace_info(t, "target");
	char a[32], b[32], safe[256];

	if (!r->switches)
		return msg_set(m, -EBADMSG, "%s has no " SWITCH "; record with " HOW,
			       pev_trace_path(t));
	if (r->unseen * 100 <= r->switches || pev_trace_lost(t) ||
	    (target && !strcmp(target, TARGET_MACHINE)))
		return 0;
	return msg_set(m, -EBADMSG, "%s: %s of %s switches show a thread leave that is not seen to "
		       "come back, as that is a record of who was there before: this needs the "
		       "switches of all threads, and the recording is of %s; record with " HOW,
		       pev_trace_path(t), text_count(a, r->unseen), text_count(b, r->switches),
		       target ? text_safe(safe, sizeof(safe), target) : "some");
}

/* The names that there are help those who mistyped one. */
static void no_waits(const struct offcpu_run *r)
{
	const struct offcpu_opts *o = &r->opts;
	const struct strtab *comms = &r->session.machine.comms;
	struct suggestion near = { .word = o->comm ? o->comm : "" };
	struct strbuf names = { 0 };

	for (size_t i = 0; o->comm && i < comms->n; i++) {
		suggest_offer(&near, comms->s[i]);
		if (i != COMM_UNKNOWN && names.len < NAMES_SHOWN) {
			strbuf_puts(&names, names.len ? ", " : "");
			text_name(&names, comms->s[i]);
		}
	}
	if (o->comm && !comm_known(comms, o->comm))
		print_error("no wait matches: no program is called \"%s\"; %s%s%s", o->comm,
			    near.best ? "did you mean \"" : "there are ",
			    near.best ? near.best : names.s, near.best ? "\"?" : "");
	else if (o->time || o->state || o->least_us || o->comm)
		print_error("no wait matches");
	else
		print_error("no wait%s began or ended in the recording%s",
			    r->family.n ? " of the command" : "",
			    r->family.n ? "; --all shows those of other programs" : "");
	strbuf_free(&names);
}

/* The same pictures as of samples: weights are ns. */
static int write_flame(struct offcpu_run *r, struct msg *m)
{
	static const struct flame_style style = { .width = FLAME_WIDTH, .least = FLAME_LEAST,
						  .waits = true };
	struct flame f;
	struct out out;
	int err = out_open(&out, r->opts.flame ? r->opts.flame : "-", OUT_WHOLE, m);

	if (err)
		return err;
	flame_make(&f, &r->profile, r->profile.cells[0].key.event, NULL);
	if (r->opts.folded)
		flame_folded(&f, out.f);
	else
		flame_svg(&f, &style, out.f);
	flame_free(&f);
	return out_close(&out, 0, m);
}

static int offcpu(struct offcpu_run *r, struct msg *m)
{
	struct offcpu_opts *o = &r->opts;
	struct report_style style = { .out = stdout, .limit = DEFAULT_LIMIT,
				      .branch = BRANCH_LIMIT, .waits = true };
	int err;

	find_switches(r);
	if (!o->all && !o->comm)
		family_init(&r->family, r->session.trace);
	err = load_parse_time(o->time, pev_trace_begin_ns(r->session.trace), &r->from, &r->to, m);
	if (!err)
		err = load(r, m);
	if (!err)
		err = check_switches(r, m);
	if (err)
		return err;
	drop_scheduler(r);
	stacks_resolve(&r->session.stacks);
	if (o->limit >= 0)
		style.limit = style.branch = o->limit;
	style.graph = r->chains && !o->flat ? GRAPH_TREE : GRAPH_NONE;
	if (r->profile.n_cells && (o->flame || o->folded)) {
		err = write_flame(r, m);
	} else if (o->json) {
		err = report_write_json(&r->profile, &o->rows, &style, o->json, m);
	} else if (o->csv) {
		err = report_write_csv(&r->profile, &o->rows, &style, ",", o->csv, m);
	} else if (r->profile.n_cells) {
		style.color = term_color(o->color);
		term_pager_start();
		if (r->family.n)
			printf("# of the command and what it started; --all: of all programs\n");
		report_text(&r->profile, &o->rows, &style);
		term_pager_end();
	} else {
		no_waits(r);
	}
	if (!r->chains)
		note("the recording has no call chains (record -g): it is not known where threads "
		     "waited");
	return err;
}

static int check(const struct offcpu_opts *o, int n, char **args, struct msg *m)
{
	if (command_trace_twice(n, args, o->input, m))
		return -EINVAL;
	if (!!o->json + !!o->csv + !!o->flame + o->folded > 1)
		return msg_set(m, -EINVAL, "--json, --csv, --flame and --folded exclude each other");
	if (o->state && strcmp(o->state, "blocked") && strcmp(o->state, "preempted"))
		return msg_set(m, -EINVAL, "--state takes blocked or preempted, not \"%s\"",
			       o->state);
	return term_check_color(o->color, m);
}

static bool is_own_column(void *arg, const char *name, struct suggestion *near, struct strbuf *all)
{
	(void)arg;
	for (int c = 0; c < OWN_COLUMNS; c++) {
		if (!strcmp(name, own_columns[c]))
			return true;
		suggest_offer(near, own_columns[c]);
		strbuf_addf(all, "%s%s", c ? ", " : "", own_columns[c]);
	}
	return false;
}

static int find_columns(struct offcpu_run *r, struct msg *m)
{
	const struct sort_list *s = &r->opts.rows.sort;

	for (int c = 0; c < OWN_COLUMNS; c++) {
		r->columns[c] = -1;
		for (unsigned int k = 0; k < s->n_fields; k++)
			if (!strcmp(s->fields[k], own_columns[c]))
				r->columns[c] = (int)k;
	}
	if (r->columns[COLUMN_WAKER] >= 0 && !wakers_init(&r->wakers, &r->session))
		return msg_set(m, -EBADMSG, "%s has no " WAKING ", which tells who woke a thread; "
			       "record with " HOW, pev_trace_path(r->session.trace));
	return 0;
}

static int offcpu_run(const void *opts, int n, char **args, struct msg *m)
{
	struct offcpu_run r = { .opts = *(const struct offcpu_opts *)opts };
	int err;

	err = check(&r.opts, n, args, m);
	if (!err)
		err = sort_parse(&r.opts.rows.sort, r.opts.sort, is_own_column, NULL, m);
	if (!err)
		err = session_open(&r.session, n ? args[0] : r.opts.input, m);
	if (!err)
		err = find_columns(&r, m);
	if (!err) {
		profile_init(&r.profile, &r.session);
		err = offcpu(&r, m);
	}
	fflush(stdout);
	if (r.session.trace && !err)
		session_note_damage(&r.session);
	profile_free(&r.profile);
	session_close(&r.session);
	wakers_free(&r.wakers);
	family_free(&r.family);
	free(r.waits);
	htab_free(&r.h);
	free(r.fields);
	free(r.is_switch);
	sort_free(&r.opts.rows.sort);
	return err;
}

const struct command command_offcpu = {
	.name = "off-cpu",
	.operands = "[DIR]",
	.summary = "show where threads waited, and for how long",
	.about = "Adds up the time between a thread's leaving the processor and its coming back, by "
		 "the call chain that it left with. The recording needs sched:sched_switch of all "
		 "CPUs, with call chains.",
	.examples = "  perfctl record --off-cpu -- COMMAND\n"
		    "  perfctl off-cpu\n"
		    "  perfctl off-cpu --comm sqlite3 --state blocked\n"
		    "  perfctl off-cpu --flat --sort comm,user,waker   who waits for whom\n",
	.opts = offcpu_options,
	.opts_size = sizeof(struct offcpu_opts),
	.defaults = &(const struct offcpu_opts){ .sort = DEFAULT_SORT, .limit = -1 },
	.run = offcpu_run,
};
