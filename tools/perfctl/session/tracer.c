// SPDX-License-Identifier: GPL-2.0
/* Tells by their names what functions of the kernel do. See tracer.h. */
#include "tracer.h"

#include <pev/sym.h>
#include <pthread.h>
#include <stdlib.h>

/**
 * struct tracer - the functions of a trace's kernel
 * @lock: several walks ask
 * @syms: of its own, as those of sessions are in use elsewhere; NULL: not asked yet
 * @none: the kernel's symbols were not recorded
 */
struct tracer {
	const struct pev_trace *trace;
	pthread_mutex_t lock;
	struct pev_syms *syms;
	bool none;
};

struct tracer *tracer_new(const struct pev_trace *trace)
{
	struct tracer *t = xcalloc(1, sizeof(*t));

	t->trace = trace;
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

void tracer_free(struct tracer *t)
{
	if (!t)
		return;
	pev_syms_free(t->syms);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static bool load_symbols(struct tracer *t)
{
	size_t len;
	char *text;

	if (t->syms || t->none)
		return t->syms;
	t->none = pev_trace_info_file(t->trace, "kallsyms", &text, &len) ||
		  pev_syms_new(0, &t->syms);
	if (t->none)
		return false;
	pev_syms_set_kernel(t->syms, text, len);
	free(text);
	return true;
}

/* What pev, perf and ftrace put between a tracepoint and the call chain */
static bool is_machinery(const char *name)
{
	static const char *const begins[] = {
		"pev_", "__pev_", "__traceiter_", "perf_trace_", "perf_tp_", "perf_event_",
		"perf_call_", "perf_swevent_", "__perf_", "trace_event_raw_event_", "__bpf_trace_",
		"trace_call_bpf", "get_perf_callchain", "perf_callchain",
	};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static void find(struct tracer *t, struct tracer_place *place)
{
	struct pev_sym sym;
	const char *name;

	pthread_mutex_lock(&t->lock);
	if (load_symbols(t) && pev_sym_find(t->syms, PEV_SYM_KERNEL, place->addr, &sym) == 1) {
		name = pev_sym_raw_name(t->syms, sym.object, sym.index);
		place->own = is_machinery(name);
		place->exec = strstr(name, "execve");
	}
	pthread_mutex_unlock(&t->lock);
}

static const struct tracer_place *place_of(struct tracer *t, struct tracer_cache *c,
					   uint64_t addr)
{
	struct tracer_place *place = &c->places[hash_u64(addr) % TRACER_PLACES];

	if (place->addr != addr) {
		*place = (struct tracer_place){ .addr = addr };
		find(t, place);
	}
	return place;
}

uint32_t tracer_frames(struct tracer *t, struct tracer_cache *c, const struct pev_event *ev)
{
	uint32_t type = ev->cls->type, n = 0;

	/* samples are of what was interrupted, whatever that is */
	if (type != PEV_TYPE_TRACEPOINT && type != PEV_TYPE_MARKER && type != PEV_TYPE_SOFTWARE)
		return 0;
	while (n + 1 < ev->kstack_len && place_of(t, c, ev->kstack[n])->own)
		n++;
	return n;
}

bool tracer_in_exec(struct tracer *t, struct tracer_cache *c, const struct pev_event *ev)
{
	for (uint32_t i = 0; i < ev->kstack_len; i++)
		if (place_of(t, c, ev->kstack[i])->exec)
			return true;
	return false;
}
