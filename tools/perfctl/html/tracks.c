// SPDX-License-Identifier: GPL-2.0
/*
 * What ran on each CPU, and single events, for the timeline of a page.
 *
 * With sched:sched_switch in the recording, runs are exact; else a thread is
 * taken to have run where it was sampled. Runs that are shorter than what a
 * screen can show are joined; of too many events every n-th is kept.
 */
#include "tracks.h"
#include "base/text.h"
#include "session/sched.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>

#define RUNS_MOST 60000
#define MARKERS_MOST 4000
#define BINS 40000 /* of all CPUs */
#define SAMPLE_BINS 600
#define CPUS_MOST 4096 /* a higher number is taken for damage */

struct bin_run {
	uint32_t cpu;
	uint32_t thread;
	uint64_t begin;
	uint64_t end;
};

struct marker {
	uint64_t at;
	uint32_t cpu;
	uint32_t thread;
	uint32_t event;
	uint32_t text;
};

struct tracks {
	struct html_enc *enc;
	struct html_threads *threads;
	const struct load *l;
	struct session session;
	int64_t begin;
	uint64_t duration;
	size_t cpus;
	bool sched;
	bool join;
	uint64_t kinds;
	uint64_t bin;
	struct bin_run *open; /* by CPU: the run that the next one may extend */
	size_t n_open, cap_open;
	struct bin_run *runs;
	size_t n_runs, cap_runs;
	uint64_t *counts; /* by event */
	uint64_t *seen;
	struct marker *markers;
	size_t n_markers, cap_markers;
};

static struct bin_run *open_of(struct tracks *s, uint32_t cpu)
{
	while (s->n_open <= cpu)
		ARRAY_PUSH(s->open, s->n_open, s->cap_open);
	return &s->open[cpu];
}

static void close_run(struct tracks *s, struct bin_run *r)
{
	if (r->end > r->begin)
		*ARRAY_PUSH(s->runs, s->n_runs, s->cap_runs) = *r;
	r->end = r->begin = 0;
}

/* Joins adjacent runs; a run shorter than a bin gives way to the next one. */
static void add_run(struct tracks *s, uint32_t cpu, uint32_t thread, uint64_t begin, uint64_t end)
{
	struct bin_run *r = open_of(s, cpu);

	if (r->end > r->begin && r->thread == thread && begin <= r->end + s->bin) {
		r->end = end;
		return;
	}
	if (r->end > r->begin && r->end - r->begin < s->bin && end - r->begin < 2 * s->bin &&
	    s->join) {
		if (end - begin > r->end - r->begin)
			r->thread = thread;
		r->end = end;
		return;
	}
	close_run(s, r);
	*r = (struct bin_run){ .cpu = cpu, .thread = thread, .begin = begin, .end = end };
}

static void put_text_of(struct strbuf *b, const struct pev_event *ev)
{
	for (unsigned int i = 0; i < ev->cls->nr_fields && b->len < 200; i++) {
		char value[128];

		pev_event_print_field(ev, &ev->cls->fields[i], PEV_PRINT_LABEL, value,
				      sizeof(value));
		strbuf_addf(b, "%s%s=", i ? " " : "", ev->cls->fields[i].name);
		text_name(b, value);
	}
	strbuf_add(b, "", 0);
}

/* Keeps every event of a rare kind, every n-th of a frequent one. */
static void add_marker(struct tracks *s, const struct pev_event *ev,
		       const struct session_class *cls, uint64_t at, uint32_t thread)
{
	uint64_t step = s->counts[cls->event] * s->kinds / MARKERS_MOST + 1;
	struct strbuf b = { 0 };
	struct marker *mk;

	if (s->seen[cls->event]++ % step)
		return;
	mk = ARRAY_PUSH(s->markers, s->n_markers, s->cap_markers);
	put_text_of(&b, ev);
	*mk = (struct marker){ .at = at,
			       .cpu = ev->cpu,
			       .thread = thread,
			       .event = cls->event,
			       .text = html_string(s->enc, b.s) };
	strbuf_free(&b);
}

static bool is_marker(const struct pev_class *cls)
{
	return cls->type == PEV_TYPE_TRACEPOINT || cls->type == PEV_TYPE_MARKER ||
	       cls->type == PEV_TYPE_PROBE;
}

/* @sf: fields of a switch, to find the thread that leaves; NULL for other events */
static uint32_t thread_of(struct tracks *s, const struct pev_event *ev,
			  const struct sched_fields *sf, uint32_t *tid)
{
	struct machine *m = &s->session.machine;
	struct thread t = sf ? sched_prev(m, ev, sf)->thread :
			       machine_seen(m, ev->pid, ev->tid)->thread;

	*tid = t.tid;
	return html_thread(s->threads,
			   strtab_id(&s->l->session->machine.comms, machine_comm_name(m, t.comm)),
			   t.pid, t.tid);
}

static void event(struct tracks *s, const struct pev_event *ev, const struct session_class *cls,
		  int64_t *since)
{
	uint64_t at = (uint64_t)(pev_event_ns(ev) - s->begin);
	struct sched_fields sf;
	uint32_t thread, tid;
	bool is_switch = sched_is_switch(ev->cls, &sf);

	if (!s->l->verdicts[cls->event])
		return;
	thread = thread_of(s, ev, is_switch ? &sf : NULL, &tid);
	if (is_marker(ev->cls) && !is_switch)
		add_marker(s, ev, cls, at, thread);
	if (s->sched && is_switch) {
		if (tid && at > (uint64_t)since[ev->cpu])
			add_run(s, ev->cpu, thread, (uint64_t)since[ev->cpu], at);
		since[ev->cpu] = (int64_t)at;
	} else if (!s->sched && tid) {
		uint64_t from = at - at % s->bin;

		add_run(s, ev->cpu, thread, from, from + s->bin);
	}
}

static void count_events(struct tracks *s)
{
	const struct session *f = s->l->session;
	const struct profile *p = &s->l->profile;
	uint64_t switches = 0;

	for (size_t i = 0; i < p->n_cells; i++)
		s->counts[p->cells[i].key.event] += p->cells[i].samples;
	for (unsigned int c = 0; c < f->n_classes; c++) {
		const struct pev_class *cls = pev_trace_class(f->trace, c);
		uint64_t n = s->counts[f->classes[c].event];
		struct sched_fields sf;

		if (sched_is_switch(cls, &sf))
			switches += n;
		else if (is_marker(cls) && n)
			s->kinds++;
	}
	s->sched = switches != 0;
	s->join = switches > RUNS_MOST;
	s->bin = 1 + s->duration / (!s->sched		 ? SAMPLE_BINS :
				    BINS / s->cpus > 200 ? BINS / s->cpus :
							   200);
}

static int by_cpu(const void *va, const void *vb)
{
	const struct bin_run *a = va, *b = vb;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void put_runs(struct tracks *s, struct strbuf *out)
{
	struct strbuf bytes = { 0 };

	for (size_t i = 0; i < s->n_open; i++)
		close_run(s, &s->open[i]);
	if (s->n_runs)
		qsort(s->runs, s->n_runs, sizeof(*s->runs), by_cpu);
	strbuf_addf(out, "\"exact\": %s,\n\"tracks\": [", s->sched ? "true" : "false");
	for (size_t i = 0; i < s->n_runs;) {
		uint32_t cpu = s->runs[i].cpu;
		uint64_t last = 0;

		strbuf_reset(&bytes);
		for (; i < s->n_runs && s->runs[i].cpu == cpu; i++) {
			const struct bin_run *r = &s->runs[i];
			uint64_t begin = max_u64(r->begin, last);

			html_varint(&bytes, begin - last);
			html_varint(&bytes, r->end > begin ? r->end - begin : 0);
			html_varint(&bytes, r->thread);
			last = max_u64(begin, r->end);
		}
		strbuf_addf(out, "{\"cpu\": %u, ", cpu);
		html_put_bytes(out, "runs", &bytes);
		strbuf_addf(out, "\"end\": 0}%s\n", i < s->n_runs ? "," : "");
	}
	strbuf_puts(out, "],\n");
	strbuf_free(&bytes);
}

static void put_markers(struct tracks *s, struct strbuf *out)
{
	struct strbuf bytes = { 0 }, name = { 0 };
	uint64_t last = 0;

	for (size_t i = 0; i < s->n_markers; i++) {
		const struct marker *mk = &s->markers[i];

		strbuf_reset(&name);
		text_name(&name, strtab_get(&s->l->session->names, mk->event));
		html_varint(&bytes, mk->at - last);
		html_varint(&bytes, mk->cpu);
		html_varint(&bytes, mk->thread);
		html_varint(&bytes, html_string(s->enc, name.s));
		html_varint(&bytes, mk->text);
		last = mk->at;
	}
	html_put_bytes(out, "markers", &bytes);
	strbuf_free(&bytes);
	strbuf_free(&name);
}

int html_put_tracks(struct strbuf *out, struct html_enc *e, struct html_threads *ts,
		    const struct load *l, struct msg *m)
{
	struct tracks s = { .enc = e, .threads = ts, .l = l, .begin = l->begin };
	const struct session_class *cls;
	const struct pev_event *ev;
	int64_t *since;
	int err;

	s.duration = (uint64_t)(pev_trace_end_ns(l->session->trace) - l->begin);
	for (unsigned int i = 0; i < pev_trace_nr_streams(l->session->trace); i++)
		if (pev_trace_stream(l->session->trace, i)->cpu >= (int)s.cpus)
			s.cpus = (size_t)pev_trace_stream(l->session->trace, i)->cpu + 1;
	s.cpus = min_u64(max_u64(s.cpus, 1), CPUS_MOST);
	since = xcalloc(s.cpus, sizeof(*since));
	s.counts = xcalloc(l->session->names.n, sizeof(*s.counts));
	s.seen = xcalloc(l->session->names.n, sizeof(*s.seen));
	count_events(&s);
	err = session_fork(&s.session, l->session, m);
	if (!err)
		session_progress(&s.session, "drawing");
	while (!err && (err = session_next(&s.session, &ev, &cls, m)) > 0) {
		err = 0;
		if (cls->kind == SESSION_EVENT && ev->cpu < s.cpus &&
		    pev_event_ns(ev) >= l->config.from && pev_event_ns(ev) <= l->config.to)
			event(&s, ev, cls, since);
	}
	if (err >= 0) {
		put_runs(&s, out);
		put_markers(&s, out);
		err = 0;
	}
	session_close(&s.session);
	free(since);
	free(s.counts);
	free(s.seen);
	free(s.open);
	free(s.runs);
	free(s.markers);
	return err;
}
