// SPDX-License-Identifier: GPL-2.0
/* Folded stacks: "program;main;work 17", a line for each call chain. */
#include "common.h"
#include "export.h"
#include "formats.h"
#include "base/output.h"
#include "base/say.h"

#include <inttypes.h>
#include <stdlib.h>

/* A line has only one number: events other than the first with samples are left out. */
struct folded {
	uint32_t event;
	bool some;
	bool noted;
};

static int begin(struct export *x, struct msg *m)
{
	(void)m;
	x->state = xcalloc(1, sizeof(struct folded));
	return 0;
}

static int event(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		 struct msg *m)
{
	struct folded *f = x->state;
	struct export_sample s;

	(void)m;
	if (cls->kind != SESSION_EVENT || !export_sample_of(x, ev, cls, &s))
		return 0;
	if (!f->some) {
		f->event = cls->event;
		f->some = true;
	}
	if (cls->event == f->event) {
		export_add(x, cls, &s);
	} else {
		x->exported--;
		if (!f->noted)
			note("folded stacks hold one event: %s; choose another one with -e",
			     strtab_get(&x->session.names, f->event));
		f->noted = true;
	}
	return 0;
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

	(void)m;
	stacks_resolve(p->stacks);
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t n, node = call_tree_child(&t, 0, c->key.comm);
		const uint32_t *frames = export_frames(p->stacks, c->key.chain, &c->key.frame, &n);

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

static void done(struct export *x)
{
	free(x->state);
}

const struct exporter export_folded = {
	.name = "folded",
	.file = "-",
	.samples = true,
	.begin = begin,
	.event = event,
	.end = end,
	.free = done,
};
