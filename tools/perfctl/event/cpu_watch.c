// SPDX-License-Identifier: GPL-2.0
/* CPUs that come and go while they are measured. See cpu_watch.h. */
#include "cpu_watch.h"
#include "base/clock.h"
#include "engine.h"
#include "base/say.h"

#include <stdlib.h>

/* Returns its last gap if it is still open. */
static struct cpu_gap *open_gap(struct cpu_watch *w, unsigned int cpu)
{
	for (size_t i = w->n; i-- > 0;)
		if (w->gaps[i].cpu == cpu)
			return w->gaps[i].to < 0 ? &w->gaps[i] : NULL;
	return NULL;
}

static void changed(void *arg, unsigned int cpu, bool online)
{
	struct cpu_watch *w = arg;
	struct cpu_gap *gap = open_gap(w, cpu);

	if (w->target->cpus.n && !cpulist_has(&w->target->cpus, cpu))
		return;
	if (!online && !gap) {
		gap = ARRAY_PUSH(w->gaps, w->n, w->cap);
		*gap = (struct cpu_gap){ cpu, w->looked, -1 };
		note("CPU %u went offline after %.2f s", cpu, w->looked);
	} else if (online) {
		if (!gap)
			gap = ARRAY_PUSH(w->gaps, w->n, w->cap);
		gap->cpu = cpu;
		gap->to = now_s() - w->start;
		note("CPU %u came online, and is measured from %.2f s on", cpu, gap->to);
	}
}

void cpu_watch_look(struct cpu_watch *w)
{
	int err;

	if (!w->target)
		return;
	err = pev_engine_refresh(engine(), changed, w);
	if (err < 0)
		note("a CPU that came online is not measured: %s", strerror(-err));
	w->looked = now_s() - w->start;
}

void cpu_watch_init(struct cpu_watch *w, const struct target *t)
{
	bool cpus = t->type == PEV_TARGET_CPUS || t->type == PEV_TARGET_CGROUP;

	*w = (struct cpu_watch){ .target = cpus ? t : NULL, .start = now_s() };
	/* the kernel tells of CPUs from the first look on */
	cpu_watch_look(w);
}

char *cpu_watch_text(const struct cpu_watch *w)
{
	struct strbuf b = { 0 };

	for (size_t i = 0; i < w->n; i++) {
		strbuf_addf(&b, "%sCPU %u from %.2f s ", b.len ? ", " : "", w->gaps[i].cpu,
			    w->gaps[i].from);
		if (w->gaps[i].to < 0)
			strbuf_puts(&b, "to the end");
		else
			strbuf_addf(&b, "to %.2f s", w->gaps[i].to);
	}
	return b.s;
}

void cpu_watch_free(struct cpu_watch *w)
{
	free(w->gaps);
	*w = (struct cpu_watch){ 0 };
}
