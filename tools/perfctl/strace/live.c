// SPDX-License-Identifier: GPL-2.0
/* System calls as they happen. See live.h. */
#include "live.h"
#include "compat.h"
#include "base/say.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/set.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define PACKET_MOST (64u << 10)
#define SIGNAL "signal:signal_deliver"

static int open_channel(struct live *l, uint64_t ring, struct msg *m)
{
	struct pev_attr attr;
	struct pev_error why;

	do {
		pev_attr_channel(&attr, ring);
		attr.packet_size = (uint32_t)min_u64(max_u64(attr.ring_size / 16, PEV_MIN_PACKET),
						     PACKET_MOST);
		attr.watermark = (uint32_t)min_u64(attr.ring_size / 4, 1u << 30);
		l->fd = pev_engine_open(engine(), &attr, 0, &why);
		ring /= 2;
	} while ((l->fd == -EPERM || l->fd == -ENOMEM) && ring >= PEV_MIN_PACKET * 4);
	return l->fd < 0 ? kernel_refused(m, l->fd, &why, "the rings") : 0;
}

/* Returns what the kernel gives of texts and structures; older ones have neither. */
static uint64_t text_flags(void)
{
	struct pev_info info;
	struct msg ignored;

	if (kernel_info(&info, &ignored) || !(info.event_flags & PEV_F_TEXT))
		return 0;
	return info.event_flags & (PEV_F_TEXT | PEV_F_STRUCTS);
}

static int plan_calls(struct live *l, const struct live_opts *o, struct msg *m)
{
	uint64_t texts = o->text ? text_flags() : 0;
	struct event_list list = { 0 };
	int err = event_list_parse(&list, "raw_syscalls:sys_enter,raw_syscalls:sys_exit", m);

	if (!err && o->filter)
		err = event_list_filter(&list, o->filter, m);
	if (!err)
		err = event_plan_make(&l->plan, &list, PLAN_SAMPLE, m);
	for (size_t i = 0; i < l->plan.n; i++) {
		struct pev_attr *a = &l->plan.events[i].attr;

		pev_attr_record(a, l->fd, 1, PEV_SAMPLE_TID | PEV_SAMPLE_PID);
		if (!texts)
			continue;
		a->flags |= texts;
		a->config = min_u64(o->text, PEV_MAX_CALL_TEXT);
	}
	event_list_free(&list);
	return err;
}

/* Calls are worth more than signals, which fewer users may see: that is no error. */
static void open_signals(struct live *l, const struct target *t, uint64_t flags)
{
	struct event_list list = { 0 };
	struct msg m;
	int err = event_list_parse(&list, SIGNAL, &m);

	if (!err)
		err = event_plan_make(&l->signal_plan, &list, PLAN_SAMPLE, &m);
	for (size_t i = 0; i < l->signal_plan.n; i++)
		pev_attr_record(&l->signal_plan.events[i].attr, l->fd, 1,
				PEV_SAMPLE_TID | PEV_SAMPLE_PID);
	if (!err)
		err = event_set_open(&l->signals, &l->signal_plan, t, flags, &m);
	event_list_free(&list);
	if (err)
		note("signals are not shown: %s (--no-signals asks for none)", m.text);
}

static int plan_events(struct live *l, const char *events, struct msg *m)
{
	struct event_list list = { 0 };
	int err = event_list_parse(&list, events, m);

	if (!err)
		err = event_plan_make(&l->event_plan, &list, PLAN_RECORD, m);
	for (size_t i = 0; i < l->event_plan.n; i++) {
		struct planned_event *e = &l->event_plan.events[i];

		pev_attr_record(&e->attr, l->fd, e->attr.period ? e->attr.period : 1,
				PEV_SAMPLE_TID | PEV_SAMPLE_PID);
	}
	event_list_free(&list);
	return err;
}

static void find_texts(struct live_text_fields *t, const struct pev_class *cls)
{
	char name[16];

	t->copied = pev_class_field(cls, "text_copied");
	t->cut = pev_class_field(cls, "text_cut");
	t->kind = pev_class_field(cls, "text_kind");
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "arg%d_text", i);
		t->text[i] = pev_class_field(cls, name);
	}
}

static int read_metadata(struct live *l, struct msg *m)
{
	struct pev_error e;

	l->meta = pev_reader_metadata(l->reader, &e);
	if (!l->meta)
		return msg_set(m, -(int)e.error, "the channel's metadata: %s", e.text);
	l->enter = pev_meta_class_by_name(l->meta, "raw_syscalls:sys_enter");
	l->exit = pev_meta_class_by_name(l->meta, "raw_syscalls:sys_exit");
	l->fork = pev_meta_class_by_name(l->meta, "pev:fork");
	l->signal = pev_meta_class_by_name(l->meta, SIGNAL);
	if (!l->set.fds)
		return 0;
	if (!l->enter || !l->exit)
		return msg_set(m, -ENOENT, "the channel's metadata lack the system calls");
	l->nr[0] = pev_class_field(l->enter, "id");
	l->nr[1] = pev_class_field(l->exit, "id");
	l->args = pev_class_field(l->enter, "args");
	l->ret = pev_class_field(l->exit, "ret");
	find_texts(&l->texts[0], l->enter);
	find_texts(&l->texts[1], l->exit);
	l->tells = l->texts[0].kind && l->texts[1].kind;
	return 0;
}

int live_open(struct live *l, const struct target *t, const struct live_opts *o, struct msg *m)
{
	uint64_t flags = PEV_F_DISABLED | (t->workload ? PEV_F_ENABLE_ON_EXEC : 0);
	struct pev_error e;
	int err;

	*l = (struct live){ .fd = -1 };
	err = open_channel(l, o->ring, m);
	if (!err) {
		event_plan_sideband(&l->side_plan, l->fd, 1u << PEV_SB_COMM | 1u << PEV_SB_FORK,
				    "name threads");
		err = event_set_open(&l->side, &l->side_plan, t, 0, m);
	}
	if (!err && o->calls)
		err = plan_calls(l, o, m);
	if (!err && o->calls)
		err = event_set_open(&l->set, &l->plan, t, flags, m);
	if (!err && o->events)
		err = plan_events(l, o->events, m);
	if (!err && o->events)
		err = event_set_open(&l->events, &l->event_plan, t, flags, m);
	if (!err && o->signals)
		open_signals(l, t, flags);
	if (!err) {
		err = pev_reader_open(engine(), l->fd, 0, &l->reader, &e);
		if (err)
			msg_set(m, err, "%s", e.text);
	}
	return err ? err : read_metadata(l, m);
}

int live_start(struct live *l, const struct target *t, struct msg *m)
{
	const struct event_set *sets[] = { &l->set, &l->signals, &l->events };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sets) && !err && !t->workload; i++)
		if (sets[i]->fds)
			err = event_set_enable(sets[i], true, m);
	return err;
}

static void take_kinds(struct live_text *t, const struct pev_field *f, const struct pev_event *ev)
{
	size_t count = 0;
	const void *from = f ? pev_event_locate(ev, f, &count) : NULL;

	t->kinds = from && count == sizeof(t->kind);
	if (t->kinds)
		memcpy(t->kind, from, sizeof(t->kind));
}

/* Takes the texts of a call; most have none, and need no memory. */
static struct live_text *take_text(const struct live_text_fields *f, const struct pev_event *ev)
{
	uint8_t copied = (uint8_t)pev_event_int(ev, f->copied);
	struct live_text *t;
	size_t count, all = 0;

	if (!copied)
		return NULL;
	t = xmalloc(sizeof(*t) + PEV_MAX_CALL_TEXT);
	t->copied = copied;
	t->cut = (uint8_t)pev_event_int(ev, f->cut);
	t->later = false;
	take_kinds(t, f->kind, ev);
	for (int i = 0; i < 6; i++) {
		const void *from;

		count = 0;
		from = f->text[i] ? pev_event_locate(ev, f->text[i], &count) : NULL;
		if (!from || count > PEV_MAX_CALL_TEXT - all)
			count = 0;
		if (count)
			memcpy(t->bytes + all, from, count);
		t->at[i] = (uint16_t)all;
		t->len[i] = (uint16_t)count;
		all += count;
	}
	return xrealloc(t, sizeof(*t) + all);
}

/* The number of a call, with whose it is, as far as the kernel says that. */
static int32_t take_number(const struct live_text_fields *f, const struct pev_field *nr,
			   const struct pev_event *ev)
{
	int32_t number = (int32_t)pev_event_int(ev, nr);
	size_t count = 0;
	const uint8_t *kind = f->kind ? pev_event_locate(ev, f->kind, &count) : NULL;

	return kind && count && *kind == PEV_CALL_COMPAT && number >= 0 ? number | COMPAT_CALL :
									  number;
}

/* Names of threads, whose fields are not those of whom they happened to */
static bool is_side(const struct live *l, const struct pev_class *cls)
{
	return (l->fork && cls->id == l->fork->id) || !strcmp(cls->name, "pev:comm");
}

static void take(const struct live *l, struct live_event *out, const struct pev_event *ev)
{
	const struct pev_class *cls = ev->cls;
	size_t count = 0;
	const void *args;

	*out = (struct live_event){ .time = ev->time, .pid = ev->pid, .tid = ev->tid };
	if (l->enter && cls->id == l->enter->id) {
		out->kind = LIVE_ENTER;
		out->nr = take_number(&l->texts[0], l->nr[0], ev);
		args = pev_event_locate(ev, l->args, &count);
		if (args)
			memcpy(out->args, args, min_u64(count, 6) * sizeof(out->args[0]));
		out->text = take_text(&l->texts[0], ev);
	} else if (l->exit && cls->id == l->exit->id) {
		out->kind = LIVE_EXIT;
		out->nr = take_number(&l->texts[1], l->nr[1], ev);
		out->args[0] = pev_event_int(ev, l->ret);
		out->text = take_text(&l->texts[1], ev);
	} else if (l->signal && cls->id == l->signal->id) {
		out->kind = LIVE_SIGNAL;
		out->nr = (int32_t)pev_event_int(ev, pev_class_field(cls, "sig"));
		out->args[0] = pev_event_int(ev, pev_class_field(cls, "code"));
		out->args[1] = pev_event_int(ev, pev_class_field(cls, "sa_handler"));
	} else if (!is_side(l, cls)) {
		out->kind = LIVE_EVENT;
		out->event = ev;
	} else {
		out->kind = l->fork && cls->id == l->fork->id ? LIVE_FORK : LIVE_COMM;
		out->pid = (uint32_t)pev_event_int(ev, pev_class_field(cls, "pid"));
		out->tid = (uint32_t)pev_event_int(ev, pev_class_field(cls, "tid"));
		pev_event_copy_text(ev, pev_class_field(cls, "comm"), (char *)out->args, 16);
		if (out->kind != LIVE_FORK)
			return;
		out->parent = (uint32_t)pev_event_int(ev, pev_class_field(cls, "ptid"));
		out->parent_pid = (uint32_t)pev_event_int(ev, pev_class_field(cls, "ppid"));
	}
}

int live_read(struct live *l, bool all, live_fn fn, void *arg, struct msg *m)
{
	const struct pev_event *ev;
	struct live_event event;
	struct pev_error e;
	int err = pev_reader_fetch(l->reader, all ? PEV_FETCH_ALL : 0, &e);

	if (err)
		return msg_set(m, err, "%s", e.text);
	while (pev_reader_next(l->reader, &ev) > 0) {
		take(l, &event, ev);
		fn(arg, &event);
		free(event.text);
	}
	return 0;
}

uint64_t live_lost(const struct live *l)
{
	return l->reader ? pev_channel_lost(pev_reader_channel(l->reader)) : 0;
}

uint64_t live_ns(const struct live *l, uint64_t ticks)
{
	return (uint64_t)(pev_meta_ns(l->meta, ticks) - pev_meta_ns(l->meta, 0));
}

uint64_t live_damaged(const struct live *l)
{
	return l->reader ? pev_reader_damaged(l->reader) : 0;
}

void live_close(struct live *l)
{
	pev_reader_close(l->reader);
	event_set_close(&l->set);
	event_set_close(&l->side);
	event_set_close(&l->signals);
	event_set_close(&l->events);
	event_plan_free(&l->event_plan);
	event_plan_free(&l->plan);
	event_plan_free(&l->signal_plan);
	event_plan_free(&l->side_plan);
	if (l->fd >= 0)
		pev_engine_close(engine(), l->fd);
	*l = (struct live){ .fd = -1 };
}
