// SPDX-License-Identifier: GPL-2.0
/* What the formats of perfctl export share. See export.h. */
#include "common.h"
#include "export.h"
#include "profile/load.h"

#include <stdlib.h>

bool export_class_has_samples(const struct pev_class *cls)
{
	return cls->sample & (PEV_SAMPLE_IP | PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK);
}

bool export_sample_of(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		      struct export_sample *s)
{
	struct stacks *st = &x->session.stacks;
	const struct mapset *space;

	*s = (struct export_sample){ .thread = session_thread(&x->session, ev) };
	space = x->session.machine.processes[s->thread->process].space;
	s->weight = ev->cls->sample & PEV_SAMPLE_PERIOD ? ev->period : cls->scale;
	s->samples = session_samples(cls, ev);
	if (x->format->requests)
		s->request = load_request(&x->profile, ev);
	if (ev->kstack_len || ev->ustack_len)
		s->chain = stacks_chain(st, space, ev->kstack, ev->kstack_len, ev->ustack,
					ev->ustack_len);
	if (ev->cls->sample & PEV_SAMPLE_IP)
		s->frame = stacks_sampled(st, space, ev->ip, ev->guest);
	else if (s->chain && st->chains[s->chain].n)
		s->frame = st->chain_frames[st->chains[s->chain].first];
	return s->chain || (ev->cls->sample & PEV_SAMPLE_IP);
}

const uint32_t *export_frames(const struct stacks *st, uint32_t chain, const uint32_t *frame,
			      uint32_t *n)
{
	if (chain && st->chains[chain].n) {
		*n = st->chains[chain].n;
		return st->chain_frames + st->chains[chain].first;
	}
	*n = 1;
	return frame;
}

uint32_t export_frame_func(struct export *x, uint32_t frame)
{
	struct stacks *st = &x->session.stacks;

	if (frame >= st->n_resolved)
		stacks_resolve(st);
	return stacks_frame_func(st, frame);
}

const char *export_func_name(struct export *x, uint32_t func)
{
	struct stacks *st = &x->session.stacks;
	struct strbuf b = { 0 };
	size_t n;

	if (func >= x->n_names) {
		n = st->n_funcs > func ? st->n_funcs : func + 1;
		x->names = xrealloc(x->names, n * sizeof(*x->names));
		memset(x->names + x->n_names, 0, (n - x->n_names) * sizeof(*x->names));
		x->n_names = n;
	}
	if (!x->names[func].name) {
		stacks_func_name(st, func, &b);
		x->names[func].name = b.s ? b.s : xstrdup("");
	}
	return x->names[func].name;
}

int64_t export_time(const struct export *x, const struct pev_event *ev)
{
	return pev_event_ns(ev) - x->begin;
}

const char *export_unit(const struct pev_class *cls)
{
	return strstr(cls->name, "cpu-clock") || strstr(cls->name, "task-clock") ? "nanoseconds" :
										  "count";
}

bool export_is_plumbing(const struct pev_class *cls, const struct pev_field *f)
{
	const char *end = strrchr(f->name, '_');
	char owner[64];

	if (strstr(f->name, "__data_loc"))
		return true;
	if (!end || f->shape != PEV_SHAPE_INT)
		return false;
	snprintf(owner, sizeof(owner), "%.*s", (int)(end - f->name), f->name);
	return (!strcmp(end, "_len") || !strcmp(end, "_off")) && pev_class_field(cls, owner);
}

void export_add(struct export *x, const struct session_class *cls, const struct export_sample *s)
{
	struct cell_key key = { .event = cls->event,
				.comm = s->thread->comm,
				.pid = s->thread->pid,
				.frame = s->frame,
				.chain = s->chain,
				.request = s->request };

	profile_add_many(&x->profile, &key, s->samples, s->weight);
}

int export_add_event(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		     struct msg *m)
{
	struct export_sample s;

	(void)m;
	if (cls->kind == SESSION_EVENT && export_sample_of(x, ev, cls, &s))
		export_add(x, cls, &s);
	return 0;
}

size_t export_column(struct export_columns *c, uint32_t event)
{
	size_t i;

	for (i = 0; i < c->n && c->events[i] != event; i++)
		;
	if (i == c->n)
		*ARRAY_PUSH(c->events, c->n, c->cap) = event;
	return i;
}

uint32_t call_tree_child(struct call_tree *t, uint32_t parent, uint32_t func)
{
	struct call_node *node;

	if (!t->n)
		ARRAY_PUSH(t->nodes, t->n, t->cap);
	if (HTAB_GET(node, &t->h, hash_2u64(parent, func),
		     node->parent == parent && node->func == func, t->nodes, t->n, t->cap)) {
		node->parent = parent;
		node->func = func;
	}
	return (uint32_t)(node - t->nodes);
}

void call_tree_free(struct call_tree *t)
{
	free(t->nodes);
	htab_free(&t->h);
	*t = (struct call_tree){ 0 };
}
