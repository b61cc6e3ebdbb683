// SPDX-License-Identifier: GPL-2.0
/* Unwinds samples by unwind tables. See unwind.h. */
#include "unwind.h"
#include "base/say.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

struct unwind *unwind_new(const struct pev_trace *trace)
{
	struct unwind *w = xcalloc(1, sizeof(*w));
	const char *regs = pev_trace_info(trace, "regs_user");

	w->machine = pev_trace_info(trace, "machine");
	w->regs = regs ? strtoull(regs, NULL, 16) : 0;
	return w;
}

void unwind_free(struct unwind *w)
{
	if (!w)
		return;
	pev_unwind_free(w->u);
	free(w);
}

void unwind_forget(struct unwind *w)
{
	if (!w)
		return;
	pev_unwind_free(w->u);
	w->u = NULL;
}

static bool start(struct unwind *w, struct objects *os)
{
	const char *machine = w->machine ? w->machine : "x86_64";
	uint64_t regs = w->regs ? w->regs : pev_unwind_regs(machine);

	if (w->u || w->failed)
		return w->u;
	w->failed = pev_unwind_new(os->syms, machine, regs, 0, &w->u);
	if (w->failed == -EOPNOTSUPP)
		note("call chains of %s cannot be unwound here", machine);
	else if (w->failed)
		note("the recorded registers are not enough to unwind call chains");
	return w->u;
}

static int find_map(void *arg, uint64_t addr, struct pev_unwind_map *out)
{
	const struct map *map = arg ? mapset_find(arg, addr) : NULL;

	if (!map)
		return 0;
	*out = (struct pev_unwind_map){ map->start, map->end, map->offset, (int)map->object };
	return 1;
}

const struct pev_event *unwind_event(struct unwind *w, struct objects *os,
				     const struct mapset *space, const struct pev_event *ev,
				     enum pev_unwind_end *end)
{
	struct pev_unwind_sample s = {
		.size = sizeof(s),
		.regs = ev->uregs, .nr_regs = ev->uregs_len, .stack = ev->dump,
		.stack_len = ev->dump_len, .find = find_map, .arg = (void *)space,
		.space = space ? space->gen : 0,
	};
	int n;

	*end = PEV_UNWIND_ENDS;
	if (!w || !ev->uregs_len || !start(w, os))
		return ev;
	n = pev_unwind_chain(w->u, &s, w->chain, UNWIND_FRAMES, end);
	/* frame pointers may have come further */
	if (n < 1 || (*end != PEV_UNWIND_DONE && (uint32_t)n < ev->ustack_len))
		return ev;
	w->ev = *ev;
	w->ev.ustack = w->chain;
	w->ev.ustack_len = (uint32_t)n;
	return &w->ev;
}

void unwind_count(struct unwind *w, enum pev_unwind_end end, const struct pev_event *ev)
{
	if (end == PEV_UNWIND_ENDS)
		return;
	w->ends[end]++;
	w->weights[end] += ev->cls->sample & PEV_SAMPLE_PERIOD ? (double)ev->period : 1;
}

void unwind_merge(struct unwind *to, struct unwind *from)
{
	for (unsigned int i = 0; to && from && i < PEV_UNWIND_ENDS; i++) {
		to->ends[i] += from->ends[i];
		to->weights[i] += from->weights[i];
		from->ends[i] = 0;
		from->weights[i] = 0;
	}
}

static void note_end(const struct unwind *w, enum pev_unwind_end end, double all,
		     const char *text)
{
	char count[32];

	/* one in a hundred is always caught in code that cannot be unwound */
	if (w->weights[end] * 100 > all)
		note("%.1f %% of the user call chains (%s) are cut: %s",
		     100.0 * w->weights[end] / all,
		     text_count(count, w->ends[end]), text);
}

void unwind_note(const struct unwind *w)
{
	double all = 0;

	for (unsigned int i = 0; w && i < PEV_UNWIND_ENDS; i++)
		all += w->weights[i];
	if (all <= 0)
		return;
	note_end(w, PEV_UNWIND_SHORT, all, "the stack was deeper than the piece of it that was "
		 "recorded: record more of it (-g dwarf,32760)");
	note_end(w, PEV_UNWIND_NO_INFO, all, "code has neither unwind tables nor frame pointers: "
		 "build it with -fasynchronous-unwind-tables or -fno-omit-frame-pointer");
	note_end(w, PEV_UNWIND_NO_MAP, all, "they lead to places where no code was seen: record "
		 "from the program's start on, or with -p while it runs");
	note_end(w, PEV_UNWIND_BROKEN, all, "unwind tables or the stack make no sense there");
	note_end(w, PEV_UNWIND_ROOM, all, "they have more than 1024 frames");
}
