// SPDX-License-Identifier: GPL-2.0
/*
 * Counts samples here, for kernels without tables: they go into a channel of their own, which is
 * read and not written down. See source.h.
 */
#include "source.h"
#include "event/engine.h"
#include "event/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

/* The reader sleeps until a ring is a quarter full. */
#define RING_PARTS 4
#define PACKET_PARTS 16
#define PACKET_MOST (64u << 10)
#define RING_LEAST (64u << 10)
#define NO_EVENT UINT32_MAX

/* Unless memory is short, of the size that was asked for */
static int open_channel(const struct fold_limits *limits, struct pev_error *why)
{
	uint64_t ring = limits->ring_size;
	int fd;

	do {
		struct pev_attr attr;

		pev_attr_channel(&attr, ring);
		ring = attr.ring_size;
		attr.packet_size = (uint32_t)min_u64(max_u64(ring / PACKET_PARTS, PEV_MIN_PACKET),
						     PACKET_MOST);
		attr.watermark = (uint32_t)min_u64(max_u64(ring / RING_PARTS, attr.packet_size),
						   1u << 30);
		attr.clock = limits->clock;
		fd = pev_engine_open(engine(), &attr, 0, why);
		ring /= 2;
	} while ((fd == -EPERM || fd == -ENOMEM) && ring >= RING_LEAST);
	return fd;
}

/* What is recorded beside the samples is to be read in time, too. */
static int wait_for_both(struct fold_samples *s, int with)
{
	struct epoll_event on = { .events = EPOLLIN };

	s->wait = epoll_create1(EPOLL_CLOEXEC);
	if (s->wait < 0 || epoll_ctl(s->wait, EPOLL_CTL_ADD, s->fd, &on) ||
	    epoll_ctl(s->wait, EPOLL_CTL_ADD, with, &on))
		return -errno;
	return 0;
}

static int here_open(struct fold *f, const struct fold_limits *limits, struct msg *m)
{
	struct fold_samples *s = &f->samples;
	struct pev_error why;
	int err;

	s->rows.most_rows = FOLD_ROWS;
	s->rows.most_frames = (size_t)FOLD_ROWS * FRAMES_A_ROW;
	s->fd = open_channel(limits, &why);
	if (s->fd < 0)
		return kernel_refused(m, s->fd, &why, "the rings for samples");
	err = pev_reader_open(engine(), s->fd, 0, &s->reader, &why);
	if (err)
		return msg_set(m, err, "%s", why.text);
	err = wait_for_both(s, limits->with);
	return err ? msg_set(m, err, "waiting for samples: %s", strerror(-err)) : 0;
}

static int here_count(struct fold *f, struct planned_event *p, struct fold_event *e,
		      const struct fold_limits *limits, struct msg *m)
{
	(void)e;
	(void)limits;
	(void)m;
	pev_attr_record(&p->attr, f->samples.fd, p->attr.period,
			p->attr.sample | PEV_SAMPLE_TID | PEV_SAMPLE_PID);
	return 0;
}

/* Events of one name share a class of the records. */
static uint32_t event_of(const struct fold *f, const struct pev_class *cls)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct planned_event *e = &f->plan->events[i];
		const char *name = (const char *)(uintptr_t)e->attr.name;

		if (!strcmp(name ? name : e->name, cls->name))
			return (uint32_t)i;
	}
	return NO_EVENT;
}

static uint32_t event_of_class(struct fold *f, const struct pev_class *cls)
{
	struct fold_samples *s = &f->samples;

	while (s->n_classes <= cls->index) {
		s->event_of = xrealloc(s->event_of, (s->n_classes + 1) * sizeof(*s->event_of));
		s->event_of[s->n_classes++] = NO_EVENT - 1;
	}
	/* not looked for yet */
	if (s->event_of[cls->index] == NO_EVENT - 1)
		s->event_of[cls->index] = event_of(f, cls);
	return s->event_of[cls->index];
}

static int add(struct fold *f, const struct pev_event *ev)
{
	struct fold_sample s = {
		.event = event_of_class(f, ev->cls),
		.pid = ev->pid,
		.tid = ev->tid,
		.time = ev->time,
		.period = ev->period ? ev->period : 1,
		.kernel = { ev->kstack, ev->kstack_len },
		.user = { ev->ustack, ev->ustack_len },
	};
	int err;

	if (s.event == NO_EVENT || fold_rows_add(&f->samples.rows, &s))
		return 0;
	err = fold_write(f);
	if (!err)
		fold_rows_add(&f->samples.rows, &s);
	return err;
}

static int here_fetch(struct fold *f, bool all)
{
	const struct pev_event *ev;
	int err = pev_reader_fetch(f->samples.reader, all ? PEV_FETCH_ALL : 0, NULL);

	while (!err && pev_reader_next(f->samples.reader, &ev) > 0)
		err = add(f, ev);
	return err;
}

static size_t here_rows(const struct fold *f)
{
	return f->samples.rows.n;
}

static void here_take(struct fold *f)
{
	const struct fold_rows *rows = &f->samples.rows;

	for (size_t i = 0; i < rows->n; i++) {
		const struct fold_sum *r = &rows->v[i];

		fold_take(f, &(struct fold_row){
				     .event = &f->events[r->event],
				     .pid = r->pid,
				     .tid = r->tid,
				     .count = r->count,
				     .sum = r->sum,
				     .last = r->last,
				     .kernel = fold_rows_chain(rows, r->kernel),
				     .user = fold_rows_chain(rows, r->user),
			     });
	}
}

static void here_clear(struct fold *f)
{
	fold_rows_clear(&f->samples.rows);
}

static void here_close(struct fold *f)
{
	struct fold_samples *s = &f->samples;

	pev_reader_close(s->reader);
	if (s->wait > 0)
		close(s->wait);
	if (s->fd >= 0)
		pev_engine_close(engine(), s->fd);
	free(s->event_of);
	fold_rows_free(&s->rows);
}

const struct fold_source fold_here = {
	.open = here_open,
	.count = here_count,
	.fetch = here_fetch,
	.rows = here_rows,
	.take = here_take,
	.clear = here_clear,
	.close = here_close,
};
