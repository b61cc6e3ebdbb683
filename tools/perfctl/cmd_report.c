// SPDX-License-Identifier: GPL-2.0
/* perfctl report: where the samples of a recording were taken. */
#include "feed.h"
#include "perfctl.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define DEFAULT_SORT  "comm,dso,symbol"
#define DEFAULT_LIMIT 0.1
#define BRANCH_LIMIT  0.5

struct report_opts {
	const char *input;
	const char *sort;
	const char *event;
	const char *json;
	struct rows_config rows;
	double limit;
	bool graph;
	bool no_graph;
	bool samples;
	bool stdio;
};

struct report_run {
	struct report_opts opts;
	struct feed feed;
	struct report_style style;
	bool chains;
	uint8_t *verdicts;
};

static int set_graph(void *opts, const char *arg, struct msg *m)
{
	struct report_opts *o = opts;

	(void)m;
	o->no_graph = arg && !strcmp(arg, "none");
	o->graph = !o->no_graph;
	return 0;
}

static bool is_graph_mode(const char *word)
{
	return !strcmp(word, "none") || !strcmp(word, "tree");
}

static const struct opt report_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording" },
	{ 'i', OPT_STRING, "input", "DIR", "the trace (default: pev.trace)",
	  offsetof(struct report_opts, input) },
	{ 0, OPT_HEADING, .help = "What to show" },
	{ 's', OPT_STRING, "sort", "KEY[,KEY]", "columns: comm, dso, symbol, pid, tid, cpu, event "
	  "(default: " DEFAULT_SORT ")", offsetof(struct report_opts, sort) },
	{ 'g', OPT_CALL, "call-graph", "none", "call trees below the rows: who called a function, "
	  "or with --children what it called (default if the recording has call chains)", 0,
	  set_graph, is_graph_mode },
	{ 0, OPT_FLAG, "children", NULL, "add up what a function called, and sort by that",
	  offsetof(struct report_opts, rows.children) },
	{ 0, OPT_DOUBLE, "percent-limit", "PERCENT", "leave out rows and branches below "
	  "(default: 0.1, branches 0.5)", offsetof(struct report_opts, limit) },
	{ 'n', OPT_FLAG, "show-nr-samples", NULL, "a column with the number of samples",
	  offsetof(struct report_opts, samples) },
	{ 0, OPT_HEADING, .help = "Which samples (names may be globs, several by commas)" },
	{ 'e', OPT_STRING, "event", "EVENT", "only these events",
	  offsetof(struct report_opts, event) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs",
	  offsetof(struct report_opts, rows.comm) },
	{ 0, OPT_STRING, "dso", "NAME", "only these objects",
	  offsetof(struct report_opts, rows.dso) },
	{ 0, OPT_STRING, "symbol", "NAME", "only these functions",
	  offsetof(struct report_opts, rows.symbol) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 0, OPT_FLAG, "stdio", NULL, "print text (there is nothing else yet)",
	  offsetof(struct report_opts, stdio) },
	{ 'j', OPT_STRING, "json", "FILE", "write JSON to a file, \"-\" for the standard output",
	  offsetof(struct report_opts, json) },
	{ 0 },
};

/* Only what rows will be told apart by goes into the cells. */
static struct cell_key make_key(struct report_run *r, const struct pev_event *ev,
				const struct feed_class *cls)
{
	unsigned int mask = r->opts.rows.sort.mask;
	const struct thread *t = feed_thread(&r->feed, ev);
	struct profile *p = &r->feed.profile;
	const struct mapset *space = p->machine.processes[t->process].space;
	struct cell_key key = { .event = cls->event };

	if ((mask & (1u << SORT_COMM)) || r->opts.rows.comm)
		key.comm = t->comm;
	if (mask & (1u << SORT_PID))
		key.pid = t->pid;
	if (mask & (1u << SORT_TID))
		key.tid = t->tid;
	if (mask & (1u << SORT_CPU))
		key.cpu = ev->cpu;
	if (ev->kstack_len || ev->ustack_len) {
		r->chains = true;
		key.chain = profile_chain(p, space, ev->kstack, ev->kstack_len, ev->ustack,
					  ev->ustack_len);
	}
	if (ev->cls->sample & PEV_SAMPLE_IP)
		key.frame = profile_frame(p, space, ev->ip);
	else if (key.chain)
		key.frame = p->chain_frames[p->chains[key.chain].first];
	return key;
}

/* Asked once for each event: 1 wanted, 2 not. */
static bool event_wanted(struct report_run *r, uint32_t event)
{
	uint8_t *v = &r->verdicts[event];

	if (!*v)
		*v = !r->opts.event ||
		     globs_match(r->opts.event, strtab_get(&r->feed.names, event)) ? 1 : 2;
	return *v == 1;
}

static int load(struct report_run *r, struct msg *m)
{
	const struct pev_event *ev;
	const struct feed_class *cls;
	bool keep_chains = !r->opts.no_graph || r->opts.rows.children;
	int err;

	r->verdicts = xcalloc(r->feed.names.n, 1);
	while ((err = feed_next(&r->feed, &ev, &cls, m)) > 0) {
		struct cell_key key;

		if (cls->kind != FEED_EVENT || !event_wanted(r, cls->event))
			continue;
		key = make_key(r, ev, cls);
		if (!keep_chains)
			key.chain = CHAIN_NONE;
		profile_add(&r->feed.profile, &key,
			    ev->cls->sample & PEV_SAMPLE_PERIOD ? ev->period : cls->scale);
	}
	if (!err)
		profile_resolve(&r->feed.profile);
	return err;
}

static void print_info(const struct feed *f, FILE *out, const char *key, const char *label)
{
	const char *value = pev_trace_info(f->trace, key);
	struct strbuf b = { 0 };

	if (!value || !*value)
		return;
	text_name(&b, value);
	fprintf(out, "# %-9s %s\n", label, b.s);
	strbuf_free(&b);
}

static void print_header(const struct feed *f, FILE *out)
{
	int64_t begin = pev_trace_begin_ns(f->trace), end = pev_trace_end_ns(f->trace);
	time_t t = (time_t)(begin / 1000000000);
	char when[64] = "?";
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &tm);
	print_info(f, out, "command", "command:");
	print_info(f, out, "hostname", "host:");
	print_info(f, out, "release", "kernel:");
	if (begin)
		fprintf(out, "# %-9s %s, for %.2f s\n", "recorded:", when,
			(double)(end - begin) / 1e9);
	fprintf(out, "#\n");
}

/* Code without frame pointers hides its callers; how much of it there is. */
static void note_broken_chains(const struct feed *f)
{
	const struct profile *p = &f->profile;
	uint64_t broken = 0, all = 0;

	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *cell = &p->cells[i];
		const struct chain *c = &p->chains[cell->key.chain];
		uint32_t last;

		if (!c->n)
			continue;
		last = p->chain_frames[c->first + c->n - 1];
		all += cell->weight;
		if (p->frames[last].object == OBJECT_ID_UNKNOWN)
			broken += cell->weight;
	}
	if (broken * 20 > all)
		note("%.0f %% of the call chains break off in an [unknown] place: code that was "
		     "built without frame pointers (-fno-omit-frame-pointer) hides its callers",
		     100.0 * (double)broken / (double)all);
}

/* Objects that matter and have no symbols: said once each, with their share. */
static void note_objects(const struct feed *f)
{
	const struct profile *p = &f->profile;
	uint64_t *weights = xcalloc(p->objects.n, sizeof(*weights)), all = 0;

	for (size_t i = 0; i < p->n_cells; i++) {
		uint32_t func = profile_frame_func(p, p->cells[i].key.frame);

		if (p->funcs[func].symbol == SYM_NONE)
			weights[p->funcs[func].object] += p->cells[i].weight;
		all += p->cells[i].weight;
	}
	for (size_t i = 0; i < p->objects.n; i++) {
		const struct object *o = &p->objects.o[i];
		char safe[512];

		if (o->problem && weights[i] * 1000 >= all)
			note("%s: %s (%.1f %% of the samples)",
			     text_safe(safe, sizeof(safe), o->path), o->problem,
			     100.0 * (double)weights[i] / (double)all);
	}
	free(weights);
}

static bool has_cells(const struct profile *p, uint32_t event)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].key.event == event)
			return true;
	return false;
}

static bool has_addresses(const struct profile *p, uint32_t event)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if ((event == UINT32_MAX || p->cells[i].key.event == event) &&
		    p->cells[i].key.frame != FRAME_NONE)
			return true;
	return false;
}

/* Columns that would be empty are left out, unless nothing else is left. */
static struct rows_config columns_for(const struct report_run *r, uint32_t event)
{
	struct rows_config c = r->opts.rows;
	struct sort_list *s = &c.sort;
	unsigned int n = 0;

	if (has_addresses(&r->feed.profile, event) ||
	    !(s->mask & ~(1u << SORT_DSO | 1u << SORT_SYMBOL)))
		return c;
	for (unsigned int k = 0; k < s->n; k++)
		if (s->keys[k] != SORT_DSO && s->keys[k] != SORT_SYMBOL)
			s->keys[n++] = s->keys[k];
	s->n = n;
	s->mask &= ~(1u << SORT_DSO | 1u << SORT_SYMBOL);
	return c;
}

/* All events in one table, or a table for each. */
static void print_text(struct report_run *r)
{
	struct feed *f = &r->feed;
	bool one = r->opts.rows.sort.mask & (1u << SORT_EVENT);
	struct rows_config columns;
	struct rows rows;

	print_header(f, r->style.out);
	for (uint32_t e = 0; e < (one ? 1 : f->names.n); e++) {
		const char *name = one ? "all events" : strtab_get(&f->names, e);

		if (!one && !has_cells(&f->profile, e))
			continue;
		columns = columns_for(r, one ? UINT32_MAX : e);
		rows_make(&rows, &f->profile, &columns, one ? UINT32_MAX : e);
		report_print(&rows, &r->style, name, &f->names);
		rows_free(&rows);
	}
}

static void json_info(const struct feed *f, struct json *j)
{
	static const char *const keys[] = { "command", "hostname", "release", "machine" };

	json_string(j, "trace", pev_trace_path(f->trace));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (pev_trace_info(f->trace, keys[i]))
			json_string(j, keys[i], pev_trace_info(f->trace, keys[i]));
	json_i64(j, "begin_ns", pev_trace_begin_ns(f->trace));
	json_i64(j, "end_ns", pev_trace_end_ns(f->trace));
	json_u64(j, "lost", pev_trace_lost(f->trace));
	json_u64(j, "damaged_packets", pev_trace_damaged(f->trace));
}

static int print_json(struct report_run *r, struct msg *m)
{
	struct feed *f = &r->feed;
	bool to_stdout = !strcmp(r->opts.json, "-");
	struct json j = { .out = to_stdout ? stdout : fopen(r->opts.json, "we") };
	struct rows rows;

	if (!j.out)
		return msg_set(m, -EIO, "%s: %s", r->opts.json, strerror(errno));
	json_open(&j, NULL, '{');
	json_info(f, &j);
	json_open(&j, "events", '[');
	for (uint32_t e = 0; e < f->names.n; e++) {
		if (!has_cells(&f->profile, e))
			continue;
		json_open(&j, NULL, '{');
		json_string(&j, "event", strtab_get(&f->names, e));
		rows_make(&rows, &f->profile, &r->opts.rows, e);
		report_json(&rows, &r->style, &j, &f->names);
		rows_free(&rows);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
	if (!to_stdout && fclose(j.out))
		return msg_set(m, -EIO, "%s: %s", r->opts.json, strerror(errno));
	return 0;
}

static void no_samples(const struct report_run *r)
{
	const struct pev_trace *t = r->feed.trace;

	if (pev_trace_nr_streams(t) == 0 || pev_trace_begin_ns(t) == 0)
		complain("no samples: nothing was recorded in %s", pev_trace_path(t));
	else if (pev_trace_lost(t))
		complain("no samples: all of them were lost; record with a larger ring (-m)");
	else
		complain("no samples: the program slept or ended before the first one was due; "
			 "record for longer, or with a higher frequency (-F)");
}

static int report_trace(struct report_run *r, struct msg *m)
{
	int err = load(r, m);

	if (err)
		return err;
	r->style = (struct report_style){ .out = stdout, .limit = DEFAULT_LIMIT,
					  .branch = BRANCH_LIMIT, .samples = r->opts.samples };
	if (r->opts.limit >= 0)
		r->style.limit = r->style.branch = r->opts.limit;
	r->style.graph = r->chains && !r->opts.no_graph;
	if (r->opts.rows.children && !r->chains) {
		note("the recording has no call chains (record -g): --children has no effect");
		r->opts.rows.children = false;
	}
	if (r->opts.json)
		err = print_json(r, m);
	else if (r->feed.profile.n_cells)
		print_text(r);
	fflush(stdout);
	if (r->feed.profile.n_cells) {
		note_objects(&r->feed);
		note_broken_chains(&r->feed);
	} else {
		no_samples(r);
	}
	feed_note_damage(&r->feed);
	return err;
}

static int report_run(int argc, char **argv)
{
	struct report_run r = { .opts = { .sort = DEFAULT_SORT, .limit = -1 } };
	struct msg m;
	int n, err, status;

	status = command_options(&command_report, &r.opts, argc, argv, &n);
	if (status >= 0)
		return status;
	if (n > 1 || (n && r.opts.input)) {
		complain("one trace at a time: \"%s\" is one too many", argv[n]);
		return STATUS_USAGE;
	}
	err = sort_parse(&r.opts.rows.sort, r.opts.sort, &m);
	if (!err)
		err = feed_open(&r.feed, n ? argv[1] : r.opts.input, &m);
	if (!err)
		err = report_trace(&r, &m);
	feed_close(&r.feed);
	free(r.verdicts);
	if (err) {
		complain("%s", m.text);
		return status_of(err);
	}
	return STATUS_OK;
}

const struct command command_report = {
	.name = "report",
	.operands = "[DIR]",
	.summary = "show where the samples of a recording were taken",
	.about = "Adds up the samples of a recording by program, object and function, and prints a "
		 "table for each event, with call trees if call chains were recorded.",
	.examples = "  perfctl report                       of pev.trace\n"
		    "  perfctl report --sort dso            by object\n"
		    "  perfctl report --children            with what functions called\n"
		    "  perfctl report --comm sqlite3 -g none  one program, no trees\n",
	.opts = report_options,
	.run = report_run,
};
