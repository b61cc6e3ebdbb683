// SPDX-License-Identifier: GPL-2.0
/* callgrind.out: what functions cost themselves, and what their calls cost. */
#include "common.h"
#include "export.h"
#include "formats.h"
#include "base/output.h"
#include "base/version.h"

#include <inttypes.h>
#include <stdlib.h>

/**
 * struct arc - a function called another one
 * @cost:  by event: of the samples below
 * @calls: samples that saw it; how often it was really called is not known
 * @stamp: of the sample that was counted last, as recursion counts once
 */
struct arc {
	uint32_t caller;
	uint32_t callee;
	uint64_t calls;
	uint64_t stamp;
	uint64_t *cost;
};

/**
 * struct graph - costs by function and by arc
 * @columns: what costs are counted in
 * @self:    by function times columns
 */
struct graph {
	struct export_columns columns;
	uint64_t *self;
	struct arc *arcs;
	size_t n_arcs, cap_arcs;
	struct htab h_arcs;
	uint64_t stamp;
	uint8_t *named_funcs;
	uint8_t *named_objects;
};

static struct arc *arc_get(struct graph *g, uint32_t caller, uint32_t callee)
{
	struct arc *a;

	if (HTAB_GET(a, &g->h_arcs, hash_2u64(caller, callee),
		     a->caller == caller && a->callee == callee, g->arcs, g->n_arcs, g->cap_arcs)) {
		a->caller = caller;
		a->callee = callee;
		a->cost = xcalloc(g->columns.n, sizeof(*a->cost));
	}
	return a;
}

static void add_cell(struct graph *g, const struct profile *p, const struct cell *c)
{
	size_t col = export_column(&g->columns, c->key.event);
	uint32_t n;
	const uint32_t *frames = export_frames(p->stacks, c->key.chain, &c->key.frame, &n);

	g->stamp++;
	g->self[stacks_frame_func(p->stacks, frames[0]) * g->columns.n + col] += c->weight;
	for (uint32_t i = 1; i < n; i++) {
		struct arc *a = arc_get(g, stacks_frame_func(p->stacks, frames[i]),
					stacks_frame_func(p->stacks, frames[i - 1]));

		if (a->stamp == g->stamp)
			continue;
		a->stamp = g->stamp;
		a->calls += c->samples;
		a->cost[col] += c->weight;
	}
}

/* "(3) libc.so.6" the first time, "(3)" from then on */
static void put_func(struct export *x, struct graph *g, const char *prefix, uint32_t func)
{
	struct profile *p = &x->profile;
	uint32_t object = p->stacks->funcs[func].object;

	out_printf(&x->out, "%sob=(%u)", prefix, object + 1);
	if (!g->named_objects[object])
		out_printf(&x->out, " %s", object_name(&p->session->objects, object));
	g->named_objects[object] = 1;
	out_printf(&x->out, "\n%s=(1)\n%sfn=(%u)", *prefix ? "cfi" : "fl", prefix, func + 1);
	if (!g->named_funcs[func])
		out_printf(&x->out, " %s", export_func_name(x, func));
	g->named_funcs[func] = 1;
	out_puts(&x->out, "\n");
}

static void put_costs(struct export *x, const struct graph *g, const uint64_t *cost)
{
	out_puts(&x->out, "0");
	for (size_t i = 0; i < g->columns.n; i++)
		out_printf(&x->out, " %" PRIu64, cost[i]);
	out_puts(&x->out, "\n");
}

static int by_caller(const void *a, const void *b)
{
	const struct arc *p = a, *q = b;

	if (p->caller != q->caller)
		return p->caller < q->caller ? -1 : 1;
	return p->callee < q->callee ? -1 : p->callee > q->callee;
}

static void put_head(struct export *x, const struct graph *g)
{
	const char *command = pev_trace_info(x->session.trace, "command");
	uint64_t *sum = xcalloc(g->columns.n, sizeof(*sum));
	struct strbuf b = { 0 };

	strbuf_puts(&b, command ? command : "");
	for (size_t i = 0; i < b.len; i++)
		if ((unsigned char)b.s[i] < 0x20)
			b.s[i] = ' ';
	out_printf(&x->out, "# callgrind format\nversion: 1\ncreator: perfctl " PERFCTL_VERSION
		   "\ncmd: %s\npositions: line\nevents:", b.s ? b.s : "");
	strbuf_reset(&b);
	for (size_t i = 0; i < g->columns.n; i++) {
		const char *name = strtab_get(&x->session.names, g->columns.events[i]);

		strbuf_putc(&b, ' ');
		for (; *name; name++)
			strbuf_putc(&b, *name <= ' ' || *name == '(' || *name == ')' ? '_' : *name);
	}
	out_printf(&x->out, "%s\nsummary:", b.s ? b.s : "");
	for (size_t f = 0; f < x->session.stacks.n_funcs; f++)
		for (size_t i = 0; i < g->columns.n; i++)
			sum[i] += g->self[f * g->columns.n + i];
	for (size_t i = 0; i < g->columns.n; i++)
		out_printf(&x->out, " %" PRIu64, sum[i]);
	out_puts(&x->out, "\n\nfl=(1) ???\n");
	strbuf_free(&b);
	free(sum);
}

static void put_graph(struct export *x, struct graph *g)
{
	size_t next = 0;

	put_head(x, g);
	for (uint32_t f = 0; f < x->session.stacks.n_funcs && !out_failed(&x->out); f++) {
		const uint64_t *self = g->self + f * g->columns.n;
		bool some = next < g->n_arcs && g->arcs[next].caller == f;

		for (size_t i = 0; i < g->columns.n; i++)
			some = some || self[i];
		if (!some)
			continue;
		put_func(x, g, "", f);
		put_costs(x, g, self);
		for (; next < g->n_arcs && g->arcs[next].caller == f; next++) {
			put_func(x, g, "c", g->arcs[next].callee);
			out_printf(&x->out, "calls=%" PRIu64 " 0\n", g->arcs[next].calls);
			put_costs(x, g, g->arcs[next].cost);
		}
		out_puts(&x->out, "\n");
	}
}

static int end(struct export *x, struct msg *m)
{
	struct profile *p = &x->profile;
	struct graph g = { 0 };

	(void)m;
	stacks_resolve_all(p->stacks);
	for (size_t i = 0; i < p->n_cells; i++)
		export_column(&g.columns, p->cells[i].key.event);
	g.self = xcalloc(p->stacks->n_funcs * g.columns.n + 1, sizeof(*g.self));
	g.named_funcs = xcalloc(p->stacks->n_funcs + 1, 1);
	g.named_objects = xcalloc(p->session->objects.n + 1, 1);
	for (size_t i = 0; i < p->n_cells; i++)
		add_cell(&g, p, &p->cells[i]);
	if (g.n_arcs)
		qsort(g.arcs, g.n_arcs, sizeof(*g.arcs), by_caller);
	put_graph(x, &g);
	for (size_t i = 0; i < g.n_arcs; i++)
		free(g.arcs[i].cost);
	free(g.arcs);
	htab_free(&g.h_arcs);
	free(g.self);
	free(g.columns.events);
	free(g.named_funcs);
	free(g.named_objects);
	return 0;
}

static void done(struct export *x)
{
	(void)x;
}

const struct exporter export_callgrind = {
	.name = "callgrind",
	.file = "callgrind.out",
	.samples = true,
	.event = export_add_event,
	.end = end,
	.free = done,
};
