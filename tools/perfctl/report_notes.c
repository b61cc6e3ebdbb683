// SPDX-License-Identifier: GPL-2.0
/* perfctl report: what the user should know about the samples. */
#include "report.h"
#include "perfctl.h"
#include "text.h"

#include <stdlib.h>

/* Code without frame pointers hides its callers; how much of it there is. */
static void broken_chains(const struct feed *f)
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
static void objects_without_symbols(const struct feed *f)
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

static void no_samples(const struct feed *f)
{
	const struct pev_trace *t = f->trace;

	if (pev_trace_nr_streams(t) == 0 || pev_trace_begin_ns(t) == 0)
		complain("no samples: nothing was recorded in %s", pev_trace_path(t));
	else if (pev_trace_lost(t))
		complain("no samples: all of them were lost; record with a larger ring (-m)");
	else
		complain("no samples: the program slept or ended before the first one was due; "
			 "record for longer, or with a higher frequency (-F)");
}

void report_notes(const struct feed *f, bool filtered)
{
	if (f->profile.n_cells) {
		objects_without_symbols(f);
		broken_chains(f);
		unwind_note(f->profile.unwind);
	} else if (filtered) {
		complain("no samples in %s match", pev_trace_path(f->trace));
	} else {
		no_samples(f);
	}
	feed_note_damage(f);
}
