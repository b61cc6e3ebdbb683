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
	} else if (filtered) {
		print_error("no samples in %s match", pev_trace_path(f->trace));
	} else {
		no_samples(f);
	}
	session_note_damage(f);
}
