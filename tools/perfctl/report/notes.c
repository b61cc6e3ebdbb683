// SPDX-License-Identifier: GPL-2.0
/* perfctl report: notes what the user should know about the samples. */
#include "notes.h"
#include "base/say.h"
#include "base/text.h"
#include "profile/profile.h"

#include <stdlib.h>

/* Notes how much code has no frame pointers, which hides its callers. */
static void broken_chains(const struct profile *p)
{
	uint64_t broken = 0, all = 0;

	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *cell = &p->cells[i];
		const struct chain *c = &p->stacks->chains[cell->key.chain];
		uint32_t last;

		if (!c->n)
			continue;
		last = p->stacks->chain_frames[c->first + c->n - 1];
		all += cell->weight;
		if (p->stacks->frames[last].object == OBJECT_ID_UNKNOWN)
			broken += cell->weight;
	}
	if (broken * 20 > all)
		note("%.0f %% of the call chains break off in an [unknown] place: code that was "
		     "built without frame pointers (-fno-omit-frame-pointer) hides its callers",
		     100.0 * (double)broken / (double)all);
}

/* Notes objects that matter but have no symbols, once each, with their share. */
static void objects_without_symbols(const struct profile *p)
{
	uint64_t *weights = xcalloc(p->session->objects.n, sizeof(*weights)), all = 0;

	for (size_t i = 0; i < p->n_cells; i++) {
		uint32_t func = stacks_frame_func(p->stacks, p->cells[i].key.frame);

		if (p->stacks->funcs[func].symbol == SYM_NONE)
			weights[p->stacks->funcs[func].object] += p->cells[i].weight;
		all += p->cells[i].weight;
	}
	for (size_t i = 0; i < p->session->objects.n; i++) {
		const struct object *o = &p->session->objects.o[i];
		char safe[512];

		if (o->problem && weights[i] * 1000 >= all)
			note("%s: %s (%.1f %% of the samples)",
			     text_safe(safe, sizeof(safe), o->path), o->problem,
			     100.0 * (double)weights[i] / (double)all);
	}
	free(weights);
}

/* Returns whether an event comes with time, not only when something happens. */
static bool has_timer(const struct session *f)
{
	for (unsigned int c = 0; c < f->n_classes; c++) {
		const struct pev_class *cls = pev_trace_class(f->trace, c);

		if (f->classes[c].kind == SESSION_EVENT &&
		    (cls->type == PEV_TYPE_TIMER || cls->freq))
			return true;
	}
	return false;
}

/**
 * struct endings - processes and threads that ended
 * @most: how many are of interest
 */
struct endings {
	uint64_t n;
	uint64_t most;
};

static int count_ending(void *arg, const struct pev_event *ev)
{
	struct endings *e = arg;

	(void)ev;
	return ++e->n > e->most;
}

/* Returns how many are known to have ended, up to one more than @most. */
static uint64_t count_endings(const struct session *f, uint64_t most)
{
	bool *wanted = xcalloc(f->n_classes + 1, sizeof(*wanted));
	struct endings e = { .most = most };

	for (unsigned int c = 0; c < f->n_classes; c++)
		wanted[c] = f->classes[c].kind == SESSION_EXIT;
	for (unsigned int i = 0; i < pev_trace_nr_streams(f->trace) && e.n <= most; i++)
		pev_stream_scan(pev_trace_stream(f->trace, i), 0, SIZE_MAX, wanted, count_ending,
				&e);
	free(wanted);
	return e.n;
}

/* Does each thread of the target have a period of its own? */
static bool has_period_each(const struct session *f)
{
	const char *engine = pev_trace_info(f->trace, "engine");
	const char *target = pev_trace_info(f->trace, "target");

	return has_timer(f) && engine && !strcmp(engine, "perf") && target &&
	       (*target == '\'' || !strncmp(target, "process", 7) || !strncmp(target, "thread", 6));
}

#define FEW_ENDINGS 20

/* Notes that there are more programs than samples: each begins with a whole period. */
static void short_programs(const struct profile *p)
{
	uint64_t samples = 0, endings;
	char a[32];

	if (!has_period_each(p->session))
		return;
	for (size_t i = 0; i < p->n_cells; i++)
		samples += p->cells[i].samples;
	endings = count_endings(p->session, samples > FEW_ENDINGS ? samples : FEW_ENDINGS);
	if (endings > samples && endings > FEW_ENDINGS)
		note("more processes and threads ended than there are samples (%s): by "
		     "perf_event_open(2) each begins with a whole period, so that hardly one is seen "
		     "that runs for less: record with a higher frequency (-F 9999), or the whole "
		     "machine (-a)",
		     text_count(a, samples));
}

static void no_samples(const struct session *f)
{
	const struct pev_trace *t = f->trace;

	if (pev_trace_nr_streams(t) == 0 || pev_trace_begin_ns(t) == 0)
		print_error("no samples: nothing was recorded in %s", pev_trace_path(t));
	else if (pev_trace_lost(t))
		print_error("no samples: all of them were lost; record with a larger ring (-m)");
	else if (!has_timer(f))
		print_error("no samples: none of the events happened while they were recorded in %s",
			    pev_trace_path(t));
	else
		print_error("no samples: the program slept or ended before the first one was due; "
			    "record for longer, or with a higher frequency (-F)");
}

void report_notes(const struct profile *p, bool filtered)
{
	const struct session *f = p->session;

	if (p->n_cells) {
		objects_without_symbols(p);
		broken_chains(p);
		unwind_note(f->unwind);
		owed_note(&f->owes);
		if (!filtered)
			short_programs(p);
	} else if (filtered) {
		print_error("no samples in %s match", pev_trace_path(f->trace));
	} else {
		no_samples(f);
	}
	session_note_damage(f);
}
