// SPDX-License-Identifier: GPL-2.0
/* Folded stacks: "program;main;work 17", a line for each call chain. */
#include "common.h"
#include "export.h"
#include "formats.h"
#include "base/output.h"
#include "base/say.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * A line has only one number: the event is the first of the recording that has samples,
 * in the order of -e, as in a flame graph.
 */
static uint32_t first_event(struct export *x)
{
	const struct profile *p = &x->profile;
	uint64_t samples = 0;
	uint32_t first = 0;
	bool others = false;

	for (size_t i = 0; i < p->n_cells; i++)
		if (!i || p->cells[i].key.event < first)
			first = p->cells[i].key.event;
	for (size_t i = 0; i < p->n_cells; i++) {
		if (p->cells[i].key.event == first)
			samples += p->cells[i].samples;
		else
			others = true;
	}
	x->exported = samples;
	if (others)
		note("folded stacks hold one event: %s; choose another one with -e",
		     strtab_get(&x->session.names, first));
	return first;
}

/* Replaces semicolons and newlines, which would end a frame. */
static void put_name(struct strbuf *b, const char *name)
{
	for (; *name; name++)
		strbuf_putc(b, *name == ';' ? ':' : *name == '\n' ? ' ' : *name);
}

static void put_node(struct export *x, const struct call_tree *t, uint32_t node, struct strbuf *b)
{
	const struct call_node *n = &t->nodes[node];

	if (!n->parent) {
		char *comm = xstrdup(machine_comm_name(&x->session.machine, n->func));

		for (char *p = comm; *p; p++)
			if ((unsigned char)*p < 0x20 || *p == 0x7f)
				*p = '?';
		put_name(b, comm);
		free(comm);
		return;
	}
	put_node(x, t, n->parent, b);
	strbuf_putc(b, ';');
	put_name(b, export_func_name(x, n->func));
}

static int end(struct export *x, struct msg *m)
{
	struct profile *p = &x->profile;
	struct call_tree t = { 0 };
	struct strbuf line = { 0 };
	uint32_t event = first_event(x);

	(void)m;
	stacks_resolve_all(p->stacks);
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];
		const uint32_t *frames;
		uint32_t n, node;

		if (c->key.event != event)
			continue;
		node = call_tree_child(&t, 0, c->key.comm);
		frames = export_frames(p->stacks, c->key.chain, &c->key.frame, &n);
		while (n--)
			node = call_tree_child(&t, node, stacks_frame_func(p->stacks, frames[n]));
		t.nodes[node].weight += c->weight;
	}
	for (uint32_t i = 1; i < t.n && !out_failed(&x->out); i++) {
		if (!t.nodes[i].weight)
			continue;
		strbuf_reset(&line);
		put_node(x, &t, i, &line);
		strbuf_addf(&line, " %" PRIu64 "\n", t.nodes[i].weight);
		out_write(&x->out, line.s, line.len);
	}
	strbuf_free(&line);
	call_tree_free(&t);
	return 0;
}

const struct exporter export_folded = {
	.name = "folded",
	.file = "-",
	.samples = true,
	.event = export_add_event,
	.end = end,
};
