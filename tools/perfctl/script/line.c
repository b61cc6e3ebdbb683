// SPDX-License-Identifier: GPL-2.0
/* An event of a recording as a line of text, and its call chain below. See line.h. */
#include "line.h"
#include "base/say.h"
#include "base/text.h"
#include "cli/suggest.h"
#include "kvm/reasons.h"
#include "session/payload_text.h"
#include "session/request.h"
#include "strace/syscalls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

int script_fields(unsigned int *fields, const char *arg, struct msg *m)
{
	static const struct {
		const char *name;
		unsigned int bit;
	} names[] = {
		{ "comm", SCRIPT_COMM },       { "pid", SCRIPT_PID },
		{ "tid", SCRIPT_TID },	       { "cpu", SCRIPT_CPU },
		{ "time", SCRIPT_TIME },       { "abstime", SCRIPT_ABSTIME },
		{ "event", SCRIPT_EVENT },     { "ip", SCRIPT_IP },
		{ "sym", SCRIPT_IP },	       { "fields", SCRIPT_FIELDS },
		{ "trace", SCRIPT_FIELDS },    { "chain", SCRIPT_CHAIN },
		{ "srcline", SCRIPT_SRCLINE }, { "request", SCRIPT_REQUEST },
		{ "exit", SCRIPT_EXIT },
	};
	static const char all[] = "there are comm, pid, tid, cpu, time, abstime, event, ip, "
				  "request, exit, fields, chain and srcline";
	char *copy = xstrdup(arg), *save, *p;
	int err = 0;

	*fields = 0;
	for (p = strtok_r(copy, ", ", &save); p && !err; p = strtok_r(NULL, ", ", &save)) {
		struct suggestion near = { .word = p };
		size_t i;

		for (i = 0; i < ARRAY_SIZE(names) && strcmp(names[i].name, p); i++)
			suggest_offer(&near, names[i].name);
		if (i < ARRAY_SIZE(names))
			*fields |= names[i].bit;
		else
			err = msg_set(m, -EINVAL, "-F: unknown field \"%s\"; %s%s%s", p,
				      near.best ? "did you mean \"" : all,
				      near.best ? near.best : "", near.best ? "\"?" : "");
	}
	free(copy);
	return err;
}

void script_line_init(struct script_line *l, struct session *s, unsigned int fields, bool inlined,
		      bool whole)
{
	*l = (struct script_line){ .session = s, .fields = fields, .inlined = inlined };
	syscalls_init_trace(&l->calls, s->trace);
	script_names_init(&l->names, s, whole);
}

void script_line_seen(struct script_line *l, const struct pev_event *ev,
		      const struct session_class *cls, const struct thread *t)
{
	script_names_event(&l->names, ev, cls, t->pid);
}

void script_line_free(struct script_line *l)
{
	for (size_t i = 0; i < l->n_places; i++)
		free(l->places[i]);
	free(l->places);
	syscalls_free(&l->calls);
	script_names_free(&l->names);
	strbuf_free(&l->text);
}

static void put_time(struct strbuf *b, int64_t ns)
{
	strbuf_addf(b, " %" PRId64 ".%09" PRId64 ":", ns / 1000000000,
		    (ns < 0 ? -ns : ns) % 1000000000);
}

/* "(openat)" behind the number of a system call */
static void put_call(struct script_line *l, const struct pev_event *ev, const struct pev_field *f)
{
	const struct syscall_desc *d;

	if (strncmp(ev->cls->name, "raw_syscalls:sys_", 17) || strcmp(f->name, "id"))
		return;
	d = syscalls_get(&l->calls, (int64_t)pev_event_int(ev, f));
	if (d)
		strbuf_addf(&l->text, "(%s)", d->name);
}

static void put_field(struct script_line *l, const struct pev_event *ev, const struct pev_field *f,
		      unsigned int flags)
{
	strbuf_addf(&l->text, " %s=", f->name);
	payload_put_value(&l->text, ev, f, flags);
}

/* How long it took since the event that began it, and what that had */
static void put_pair(struct script_line *l, const struct pev_event *ev)
{
	for (unsigned int i = 0; i < ev->cls->nr_context; i++) {
		const struct pev_field *f = &ev->cls->context[i];

		if (!strcmp(f->name, "latency") || !strncmp(f->name, "begin_", 6))
			put_field(l, ev, f, PEV_PRINT_CONTEXT);
	}
}

static void put_payload(struct script_line *l, const struct pev_event *ev, uint32_t pid)
{
	for (unsigned int i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_field *f = &ev->cls->fields[i];

		if (!payload_is_shown(ev, f))
			continue;
		put_field(l, ev, f, 0);
		put_call(l, ev, f);
		script_names_put(&l->names, ev, pid, f, &l->text);
	}
}

static void add_source(const struct script_line *l, struct strbuf *b, const struct pev_sym_line *at)
{
	if (!(l->fields & SCRIPT_SRCLINE) || !at->file)
		return;
	strbuf_putc(b, ' ');
	text_name(b, at->file);
	strbuf_addf(b, ":%u", at->line);
}

/* Prints the function of a frame after those that were inlined there, one a line. */
static char *place_text(const struct script_line *l, uint32_t frame)
{
	struct stacks *st = &l->session->stacks;
	uint32_t func = stacks_frame_func(st, frame);
	const struct frame *f = &st->frames[frame];
	struct pev_sym_line at[64] = { 0 };
	struct strbuf b = { 0 };
	int n = 0;

	if (l->inlined || l->fields & SCRIPT_SRCLINE)
		n = pev_sym_lines(st->objects->syms, (int)f->object, f->at, at,
				  l->inlined ? ARRAY_SIZE(at) : 1);
	for (int i = 0; i < n - 1; i++) {
		text_name(&b, at[i].function ? at[i].function : "?");
		strbuf_puts(&b, " (inlined)");
		add_source(l, &b, &at[i]);
		strbuf_putc(&b, '\n');
	}
	stacks_func_name(st, func, &b);
	strbuf_addf(&b, " (%s)", object_name(st->objects, st->funcs[func].object));
	if (n > 0)
		add_source(l, &b, &at[n - 1]);
	return b.s;
}

static const char *place(struct script_line *l, uint32_t frame)
{
	struct stacks *st = &l->session->stacks;

	stacks_resolve(st);
	if (l->n_places < st->n_frames) {
		l->places = xrealloc(l->places, st->cap_frames * sizeof(*l->places));
		memset(l->places + l->n_places, 0,
		       (st->cap_frames - l->n_places) * sizeof(*l->places));
		l->n_places = st->cap_frames;
	}
	if (!l->places[frame])
		l->places[frame] = place_text(l, frame);
	return l->places[frame];
}

static void put_address(struct strbuf *b, uint64_t addr)
{
	strbuf_putc(b, ' ');
	strbuf_hex(b, addr, 16);
	strbuf_putc(b, ' ');
}

static void put_place(struct script_line *l, uint32_t frame, uint64_t addr)
{
	const char *text = place(l, frame), *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		put_address(&l->text, addr);
		strbuf_add(&l->text, text, (size_t)(end - text) + 1);
		strbuf_puts(&l->text, "       ");
	}
	put_address(&l->text, addr);
	strbuf_puts(&l->text, text);
}

static void put_chain(struct script_line *l, const struct mapset *space, const uint64_t *chain,
		      uint32_t n)
{
	while (n > 1 && !chain[n - 1])
		n--;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = i && chain[i] ? chain[i] - 1 : chain[i];

		strbuf_puts(&l->text, "\n       ");
		put_place(l, stacks_frame(&l->session->stacks, space, at), chain[i]);
	}
}

static void put_cpu(struct strbuf *b, uint32_t cpu)
{
	if (cpu == UINT32_MAX)
		strbuf_puts(b, " [---]");
	else
		strbuf_addf(b, " [%03u]", cpu);
}

static void put_head(struct script_line *l, const struct pev_event *ev, const struct thread *t,
		     int64_t ns)
{
	unsigned int f = l->fields;
	struct strbuf *b = &l->text;
	char comm[128];

	if (f & SCRIPT_COMM)
		strbuf_addf(b, "%16s",
			    text_safe(comm, sizeof(comm),
				      machine_comm_name(&l->session->machine, t->comm)));
	if (f & SCRIPT_PID)
		strbuf_addf(b, " %7u", t->pid);
	if (f & SCRIPT_TID)
		strbuf_addf(b, " %7u", t->tid);
	if (f & SCRIPT_CPU)
		put_cpu(b, ev->cpu);
	if (f & SCRIPT_ABSTIME)
		put_time(b, ns);
	if (f & SCRIPT_TIME)
		put_time(b, ns - l->begin);
	if (f & SCRIPT_EVENT) {
		strbuf_putc(b, ' ');
		text_name(b, ev->cls->name);
		strbuf_putc(b, ':');
	}
}

static void put_request(struct script_line *l, const struct pev_event *ev)
{
	struct pev_request request;
	char text[REQUEST_TEXT];

	if (pev_event_request(ev, &request))
		strbuf_addf(&l->text, " request=%s", request_whole(text, &request));
}

static void put_exit(struct script_line *l, const struct pev_event *ev)
{
	char text[GUEST_REASON_TEXT];

	if (ev->exit)
		strbuf_addf(&l->text, " exit=%s", guest_exit_reason(text, ev->exit));
}

void script_line_make(struct script_line *l, const struct pev_event *ev, const struct thread *t,
		      int64_t ns)
{
	const struct mapset *space = l->session->machine.processes[t->process].space;
	uint64_t sample = ev->cls->sample;

	strbuf_reset(&l->text);
	put_head(l, ev, t, ns);
	if (l->fields & SCRIPT_REQUEST)
		put_request(l, ev);
	if (l->fields & SCRIPT_EXIT)
		put_exit(l, ev);
	if (l->fields & SCRIPT_FIELDS) {
		if (sample & PEV_SAMPLE_PERIOD)
			strbuf_addf(&l->text, " period=%" PRIu64, ev->period);
		if (sample & PEV_SAMPLE_ADDR)
			strbuf_addf(&l->text, " addr=0x%" PRIx64, ev->addr);
		if (sample & PEV_SAMPLE_PAIR)
			put_pair(l, ev);
		put_payload(l, ev, t->pid);
	}
	if ((l->fields & SCRIPT_IP) && (sample & PEV_SAMPLE_IP) &&
	    !((l->fields & SCRIPT_CHAIN) && (ev->kstack_len || ev->ustack_len)))
		put_place(l, stacks_sampled(&l->session->stacks, space, ev->ip, ev->guest), ev->ip);
	if (l->fields & SCRIPT_CHAIN) {
		put_chain(l, space, ev->kstack, ev->kstack_len);
		put_chain(l, space, ev->ustack, ev->ustack_len);
		if (ev->ustack_cookie && !ev->ustack_len)
			strbuf_puts(&l->text, session_owes(l->session, ev) ?
						      "\n\t[user call chain comes later]" :
						      "\n\t[user call chain lost]");
		if (ev->kstack_len || ev->ustack_len || ev->ustack_cookie)
			strbuf_putc(&l->text, '\n');
	}
	strbuf_putc(&l->text, '\n');
}
