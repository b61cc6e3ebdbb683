// SPDX-License-Identifier: GPL-2.0
/* System calls as they happen. See live.h. */
#include "live.h"
#include "kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define PACKET_MOST (64u << 10)

static int open_channel(struct live *l, uint64_t ring, struct msg *m)
{
	struct pev_attr attr;
	struct pev_why why;

	do {
		pev_attr_channel(&attr, ring);
		attr.packet_size = (uint32_t)min_u64(max_u64(attr.ring_size / 16, PEV_MIN_PACKET),
						     PACKET_MOST);
		attr.watermark = (uint32_t)min_u64(attr.ring_size / 4, 1u << 30);
		l->fd = pev_open_why(&attr, &why);
		ring /= 2;
	} while ((l->fd == -EPERM || l->fd == -ENOMEM) && ring >= PEV_MIN_PACKET * 4);
	return l->fd < 0 ? kernel_refused(m, l->fd, &why, "the rings") : 0;
}

static void plan_names(struct live *l)
{
	static const struct {
		uint64_t config;
		const char *name;
	} all[] = { { PEV_SB_COMM, "comm" }, { PEV_SB_FORK, "fork" } };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct planned_event *e =
			ARRAY_PUSH(l->side_plan.events, l->side_plan.n, l->side_plan.cap);

		e->name = xstrdup(all[i].name);
		e->label = xasprintf("the %s events that name threads", all[i].name);
		e->unit = "";
		pev_attr_event(&e->attr, PEV_TYPE_SIDEBAND, all[i].config, NULL);
		pev_attr_record(&e->attr, l->fd, 0, PEV_SAMPLE_TID);
	}
}

/* A kernel that is older gives no texts. */
static bool has_texts(void)
{
	struct pev_info info;
	struct msg ignored;

	return !kernel_info(&info, &ignored) && (info.event_flags & PEV_F_TEXT);
}

static int plan_calls(struct live *l, const struct live_opts *o, struct msg *m)
{
	bool texts = o->text && has_texts();
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
		a->flags |= PEV_F_TEXT;
		a->config = min_u64(o->text, PEV_MAX_CALL_TEXT);
	}
	event_list_free(&list);
	return err;
}

static void find_texts(struct live_text_fields *t, const struct pev_class *cls)
{
	char name[16];

	t->copied = pev_class_field(cls, "text_copied");
	t->cut = pev_class_field(cls, "text_cut");
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "arg%d_text", i);
		t->text[i] = pev_class_field(cls, name);
	}
}

static int read_metadata(struct live *l, struct msg *m)
{
	struct pev_error e;
	char *text;
	size_t len;
	int err = pev_read_metadata(l->fd, &text, &len);

	if (err)
		return msg_set(m, err, "reading the channel's metadata: %s", strerror(-err));
	err = pev_meta_parse(text, len, &l->meta, &e);
	free(text);
	if (err)
		return msg_set(m, err, "the channel's metadata: %s", e.text);
	l->enter = pev_meta_class_by_name(l->meta, "raw_syscalls:sys_enter");
	l->exit = pev_meta_class_by_name(l->meta, "raw_syscalls:sys_exit");
	l->fork = pev_meta_class_by_name(l->meta, "pev:fork");
	if (!l->enter || !l->exit)
		return msg_set(m, -ENOENT, "the channel's metadata lack the system calls");
	l->nr[0] = pev_class_field(l->enter, "id");
	l->nr[1] = pev_class_field(l->exit, "id");
	l->args = pev_class_field(l->enter, "args");
	l->ret = pev_class_field(l->exit, "ret");
	find_texts(&l->texts[0], l->enter);
	find_texts(&l->texts[1], l->exit);
	return 0;
}

int live_open(struct live *l, const struct target *t, const struct live_opts *o, struct msg *m)
{
	int err;

	*l = (struct live){ .fd = -1 };
	err = open_channel(l, o->ring, m);
	if (!err) {
		plan_names(l);
		err = event_set_open(&l->side, &l->side_plan, t, 0, m);
	}
	if (!err)
		err = plan_calls(l, o, m);
	if (!err)
		err = event_set_open(&l->set, &l->plan, t, PEV_F_DISABLED |
				     (t->workload ? PEV_F_ENABLE_ON_EXEC : 0), m);
	if (!err)
		err = read_metadata(l, m);
	if (!err) {
		err = pev_channel_map(l->fd, &l->channel);
		if (err)
			msg_set(m, err, "mapping the rings: %s", strerror(-err));
	}
	return err;
}

int live_start(struct live *l, const struct target *t, struct msg *m)
{
	return t->workload ? 0 : event_set_enable(&l->set, true, m);
}

/* Most calls have none, and take no memory. */
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

static void take(const struct live *l, struct live_event *out, const struct pev_event *ev)
{
	const struct pev_class *cls = ev->cls;
	size_t count = 0;
	const void *args;

	*out = (struct live_event){ .time = ev->time, .pid = ev->pid, .tid = ev->tid };
	if (cls->id == l->enter->id) {
		out->kind = LIVE_ENTER;
		out->nr = (int32_t)pev_event_int(ev, l->nr[0]);
		args = pev_event_locate(ev, l->args, &count);
		if (args)
			memcpy(out->args, args, min_u64(count, 6) * sizeof(out->args[0]));
		out->text = take_text(&l->texts[0], ev);
	} else if (cls->id == l->exit->id) {
		out->kind = LIVE_EXIT;
		out->nr = (int32_t)pev_event_int(ev, l->nr[1]);
		out->args[0] = pev_event_int(ev, l->ret);
		out->text = take_text(&l->texts[1], ev);
	} else {
		out->kind = l->fork && cls->id == l->fork->id ? LIVE_FORK : LIVE_COMM;
		out->pid = (uint32_t)pev_event_int(ev, pev_class_field(cls, "pid"));
		out->tid = (uint32_t)pev_event_int(ev, pev_class_field(cls, "tid"));
		pev_event_copy_text(ev, pev_class_field(cls, "comm"), (char *)out->args, 16);
	}
}

static void read_packet(struct live *l, const void *packet, size_t len)
{
	struct pev_decoder dec;
	struct pev_event ev;
	int got;

	if (pev_decode_packet(&dec, l->meta, packet, len)) {
		l->damaged++;
		return;
	}
	while ((got = pev_decode_next(&dec, &ev)) > 0) {
		struct live_event *w = ARRAY_PUSH(l->waiting, l->n, l->cap);

		take(l, w, &ev);
		if (w->time > l->newest)
			l->newest = w->time;
	}
	l->damaged += got < 0;
}

static void read_ring(struct live *l, struct pev_ring *ring)
{
	size_t size = pev_ring_packet_size(ring);
	struct pev_piece piece;

	while (pev_ring_next(ring, &piece) > 0) {
		for (size_t at = 0; at + size <= piece.len; at += size)
			read_packet(l, (const char *)piece.data + at, size);
		pev_ring_release(ring);
	}
}

/* What came of one ring, from @middle on, goes between what is there. */
static void merge(struct live *l, size_t middle)
{
	size_t a = 0, b = middle, to = 0;

	if (middle == l->n || !middle || l->waiting[middle - 1].time <= l->waiting[middle].time)
		return;
	if (l->merged_cap < l->n) {
		l->merged_cap = l->cap;
		l->merged = xrealloc(l->merged, l->merged_cap * sizeof(*l->merged));
	}
	while (a < middle && b < l->n)
		l->merged[to++] = l->waiting[a].time <= l->waiting[b].time ? l->waiting[a++] :
									     l->waiting[b++];
	/* what is left of the second part lies where it belongs, the first part moves up to it */
	for (size_t i = middle; i-- > a;)
		l->waiting[to + i - a] = l->waiting[i];
	memcpy(l->waiting, l->merged, to * sizeof(*l->merged));
}

int live_read(struct live *l, bool all, live_fn fn, void *arg, struct msg *m)
{
	/* nothing older than what was seen last time can lie outside of a whole packet now */
	uint64_t limit = all ? UINT64_MAX : l->newest;
	int err = pev_flush(l->fd);
	size_t i;

	if (!err)
		err = pev_channel_map_new(l->channel);
	if (err < 0)
		return msg_set(m, err, "reading the rings: %s", strerror(-err));
	for (unsigned int cpu = 0; cpu < pev_channel_nr_cpus(l->channel); cpu++) {
		struct pev_ring *ring = pev_channel_ring(l->channel, cpu);
		size_t before = l->n;

		if (ring)
			read_ring(l, ring);
		merge(l, before);
	}
	for (i = 0; i < l->n && l->waiting[i].time <= limit; i++) {
		fn(arg, &l->waiting[i]);
		free(l->waiting[i].text);
	}
	l->n -= i;
	if (l->n)
		memmove(l->waiting, l->waiting + i, l->n * sizeof(*l->waiting));
	return 0;
}

uint64_t live_lost(const struct live *l)
{
	return l->channel ? pev_channel_lost(l->channel) : 0;
}

uint64_t live_ns(const struct live *l, uint64_t ticks)
{
	return (uint64_t)(pev_meta_ns(l->meta, ticks) - pev_meta_ns(l->meta, 0));
}

void live_close(struct live *l)
{
	pev_channel_unmap(l->channel);
	event_set_close(&l->set);
	event_set_close(&l->side);
	event_plan_free(&l->plan);
	event_plan_free(&l->side_plan);
	pev_meta_free(l->meta);
	for (size_t i = 0; i < l->n; i++)
		free(l->waiting[i].text);
	free(l->waiting);
	free(l->merged);
	if (l->fd >= 0)
		close(l->fd);
	*l = (struct live){ .fd = -1 };
}
