// SPDX-License-Identifier: GPL-2.0
/* From samples to rows of a store. See collect.h. */
#include "collect.h"
#include "ids.h"
#include "store/wire.h"

#include <inttypes.h>
#include <stdlib.h>

/* of names that other programs chose */
#define NAME_MOST 512

void collect_init(struct collect *c, struct session *session, const char *host, service_fn service,
		  void *arg)
{
	*c = (struct collect){ .session = session, .host = host, .service = service, .arg = arg };
}

void collect_forget(struct collect *c)
{
	for (size_t i = 0; i < c->n_services; i++) {
		free(c->services[i].name);
		free(c->services[i].version);
	}
	c->n_services = c->n_stacks = c->n_frames = c->n_rows = 0;
	htab_clear(&c->h_services);
	htab_clear(&c->h_stacks);
	htab_clear(&c->h_rows);
}

void collect_free(struct collect *c)
{
	collect_forget(c);
	htab_free(&c->h_services);
	htab_free(&c->h_stacks);
	htab_free(&c->h_rows);
	free(c->services);
	free(c->stacks);
	free(c->rows);
	free(c->frames);
	*c = (struct collect){ 0 };
}

/* ---- adding up ---- */

static uint32_t service_of(struct collect *c, uint32_t pid)
{
	struct service s = c->service(c->arg, pid);
	uint64_t id = id_text(id_text(0, s.name), s.version);
	struct collect_service *e;

	if (HTAB_GET(e, &c->h_services, hash_u64(id), e->id == id, c->services, c->n_services,
		     c->cap_services))
		*e = (struct collect_service){ id, xstrdup(s.name), xstrdup(s.version) };
	return (uint32_t)(e - c->services);
}

static uint32_t stack_of(struct collect *c, const struct pev_event *ev, const struct seen *who)
{
	struct stacks *st = &c->session->stacks;
	struct collect_stack key = { .comm = who->thread.comm }, *e;

	if (ev->kstack_len || ev->ustack_len)
		key.chain = stacks_chain(st, who->space, ev->kstack, ev->kstack_len, ev->ustack,
					 ev->ustack_len);
	else if (ev->cls->sample & PEV_SAMPLE_IP)
		key.frame = stacks_sampled(st, who->space, ev->ip, ev->guest);
	if (HTAB_GET(e, &c->h_stacks, hash_2u64(hash_pair(key.comm, key.chain), key.frame),
		     e->comm == key.comm && e->chain == key.chain && e->frame == key.frame,
		     c->stacks, c->n_stacks, c->cap_stacks))
		*e = key;
	return (uint32_t)(e - c->stacks);
}

/* A period in the record is the one that it was taken by. */
uint64_t collect_weight(const struct pev_event *ev, const struct session_class *cls,
			unsigned int times)
{
	if (ev->cls->sample & PEV_SAMPLE_PERIOD)
		return ev->period;
	return cls->scale > 1 ? cls->scale * times : cls->scale;
}

void collect_event(struct collect *c, const struct pev_event *ev, const struct session_class *cls,
		   int64_t ns, unsigned int times)
{
	const struct seen *who = machine_seen(&c->session->machine, ev->pid, ev->tid);
	uint64_t second = ns > 0 ? (uint64_t)ns / 1000000000 : 0, samples, weight;
	struct collect_row key = { .event = cls->event }, *row;
	/* the unit comes with the event's class */
	uint32_t pid = who->thread.pid;

	ev = session_unwind(c->session, who, ev);
	key.time = (uint32_t)(min_u64(second, UINT32_MAX) / STORE_WINDOW * STORE_WINDOW);
	key.stack = stack_of(c, ev, who);
	key.service = service_of(c, pid);
	samples = session_samples(cls, ev);
	weight = collect_weight(ev, cls, times);
	if (HTAB_GET(row, &c->h_rows,
		     hash_2u64(hash_pair(key.time, key.stack), hash_pair(key.event, key.service)),
		     row->time == key.time && row->service == key.service &&
			     row->event == key.event && row->stack == key.stack,
		     c->rows, c->n_rows, c->cap_rows))
		*row = key;
	row->samples += samples;
	row->weight += weight;
}

/* ---- what the numbers mean ---- */

/*
 * Puts the function of a place that other machines cannot find by themselves. What the kernel has
 * for programs is the same in all of them, so that a place without a function has its offset.
 */
static void name_here(struct objects *os, uint32_t *object, uint64_t at, struct strbuf *name)
{
	uint32_t symbol = objects_resolve(os, object, &at);

	if (symbol != SYM_NONE)
		strbuf_puts(name, objects_symbol_name(os, *object, symbol));
	else if (os->o[*object].kind == OBJECT_VDSO)
		strbuf_addf(name, "%s+0x%" PRIx64, object_name(os, *object), at);
}

struct frame_text {
	enum store_frame kind;
	char build_id[41];
	char *path;
	uint64_t place;
	char *name;
};

static void describe_frame(struct collect *c, const struct frame *f, struct frame_text *t)
{
	struct objects *os = &c->session->objects;
	uint32_t object = f->object;
	struct strbuf name = { 0 };
	const struct object *o;

	*t = (struct frame_text){ .kind = STORE_FRAME_NAMED };
	switch (os->o[object].kind) {
	case OBJECT_FILE:
		t->kind = STORE_FRAME_FILE;
		t->place = f->at;
		build_id_text(&os->o[object].id, t->build_id);
		break;
	case OBJECT_KERNEL:
	case OBJECT_MODULE:
		t->kind = STORE_FRAME_KERNEL;
		name_here(os, &object, f->at, &name);
		break;
	case OBJECT_VDSO:
	case OBJECT_CODE:
		name_here(os, &object, f->at, &name);
		break;
	default:
		t->kind = STORE_FRAME_NOWHERE;
		t->place = f->at != 0;
		break;
	}
	/* the numbers of processes would make the same code another one on each machine */
	o = &os->o[object];
	t->path = xstrndup(o->kind == OBJECT_CODE ? "[jit]" :
			   o->kind == OBJECT_FILE ? o->path :
						    o->name,
			   4 * NAME_MOST);
	t->name = xstrndup(name.s ? name.s : "", NAME_MOST);
	strbuf_free(&name);
}

static uint64_t put_frame(struct collect *c, struct store_batch *b, const struct frame *f)
{
	struct strbuf *to = &b->rows[STORE_FRAMES];
	struct frame_text t;
	uint64_t id;

	describe_frame(c, f, &t);
	id = id_text(id_text(id_text(id_u64(id_u64(0, t.kind), t.place), t.build_id), t.path),
		     t.name);
	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u64(to, id);
	wire_put_u8(to, (uint8_t)t.kind);
	wire_put_text(to, t.build_id);
	wire_put_text(to, t.path);
	wire_put_u64(to, t.place);
	wire_put_text(to, t.name);
	free(t.path);
	free(t.name);
	return id;
}

/* Frames in a batch: what was put in an earlier one may never arrive. */
static uint64_t frame_id(struct collect *c, struct store_batch *b, uint32_t frame)
{
	const struct stacks *st = &c->session->stacks;

	if (c->n_frames < st->n_frames) {
		c->frames = xrealloc(c->frames, st->n_frames * sizeof(*c->frames));
		memset(c->frames + c->n_frames, 0,
		       (st->n_frames - c->n_frames) * sizeof(*c->frames));
		c->n_frames = st->n_frames;
	}
	if (!c->frames[frame])
		c->frames[frame] = put_frame(c, b, &st->frames[frame]);
	return c->frames[frame];
}

static uint64_t put_stack(struct collect *c, struct store_batch *b, const struct collect_stack *s)
{
	const struct stacks *st = &c->session->stacks;
	const struct chain *chain = &st->chains[s->chain];
	const uint32_t *frames = s->chain ? &st->chain_frames[chain->first] : &s->frame;
	uint32_t n = s->chain ? chain->n : 1;
	const char *program = machine_comm_name(&c->session->machine, s->comm);
	struct strbuf *to = &b->rows[STORE_STACKS], ids = { 0 };
	uint64_t id = id_text(0, program);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t frame = frame_id(c, b, frames[i]);

		wire_put_u64(&ids, frame);
		id = id_u64(id, frame);
	}
	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u64(to, id);
	wire_put_text(to, program);
	wire_put_size(to, n);
	strbuf_add(to, ids.s, ids.len);
	strbuf_free(&ids);
	return id;
}

static const char *unit_of(const struct session *s, uint32_t event)
{
	const char *name = NULL;

	for (unsigned int i = 0; i < s->n_classes && !name; i++)
		if (s->classes[i].event == event)
			name = pev_type_name(pev_trace_class(s->trace, i)->type);
	return name ? name : "";
}

static uint64_t put_event(struct collect *c, struct store_batch *b, uint32_t event)
{
	const char *name = strtab_get(&c->session->names, event);
	const char *type = unit_of(c->session, event);
	uint64_t id = id_text(id_text(0, name), type);

	store_batch_name(b, STORE_EVENT, id, name, type);
	return id;
}

/* ---- batches ---- */

static uint32_t first_day(const struct collect *c)
{
	uint32_t time = UINT32_MAX;

	for (size_t i = 0; i < c->n_rows; i++)
		time = c->rows[i].time < time ? c->rows[i].time : time;
	return time / STORE_DAY;
}

/**
 * struct put - ids that a batch has already
 * @services: whether it has each
 * @events:   their ids, 0: none yet
 */
struct put {
	bool *services;
	uint64_t *events;
	uint64_t host;
};

static void put_row(struct collect *c, struct store_batch *b, struct put *p,
		    const struct collect_row *r)
{
	const struct collect_service *service = &c->services[r->service];
	struct collect_stack *stack = &c->stacks[r->stack];
	struct store_row row = { .time = r->time,
				 .host = p->host,
				 .service = service->id,
				 .samples = (uint32_t)min_u64(r->samples, UINT32_MAX),
				 .weight = r->weight };

	if (!p->services[r->service])
		store_batch_name(b, STORE_SERVICE, service->id, service->name, service->version);
	p->services[r->service] = true;
	if (!p->events[r->event])
		p->events[r->event] = put_event(c, b, r->event);
	if (!stack->id)
		stack->id = put_stack(c, b, stack);
	row.event = p->events[r->event];
	row.stack = stack->id;
	store_batch_row(b, &row);
}

bool collect_take(struct collect *c, struct store_batch *b)
{
	struct put p = { 0 };
	size_t kept = 0;

	*b = (struct store_batch){ .day = first_day(c) };
	if (!c->n_rows)
		return false;
	p.services = xcalloc(c->n_services, sizeof(*p.services));
	p.events = xcalloc(c->session->names.n, sizeof(*p.events));
	p.host = id_text(0, c->host);
	store_batch_name(b, STORE_HOST, p.host, c->host, "");
	if (c->remark)
		store_batch_name(b, STORE_REMARK, id_text(p.host, c->remark), c->host, c->remark);
	for (size_t i = 0; i < c->n_stacks; i++)
		c->stacks[i].id = 0;
	c->n_frames = 0;
	for (size_t i = 0; i < c->n_rows; i++) {
		if (c->rows[i].time / STORE_DAY == b->day)
			put_row(c, b, &p, &c->rows[i]);
		else
			c->rows[kept++] = c->rows[i];
	}
	c->n_rows = kept;
	htab_clear(&c->h_rows);
	for (size_t i = 0; i < kept; i++) {
		const struct collect_row *r = &c->rows[i];

		htab_add(&c->h_rows,
			 hash_2u64(hash_pair(r->time, r->stack), hash_pair(r->event, r->service)),
			 (uint32_t)i);
	}
	free(p.services);
	free(p.events);
	return true;
}
