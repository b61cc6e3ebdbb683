/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tests of stacks that come later share: a channel with an event of PEV_TYPE_USTACK and
 * others that put their stacks off, and what became of each cookie.
 */
#ifndef USTACK_UTIL_H
#define USTACK_UTIL_H

#include "kselftest_harness.h"
#include "pev_child.h"

#define SAMPLE (PEV_SAMPLE_TID | PEV_SAMPLE_USTACK | PEV_SAMPLE_COOKIE)
#define MAX_EVENTS 8
#define MAX_IDS 31 /* of all events that the channel ever had */

/* What a record is, by the id of its event. */
enum kind {
	KIND_NONE,
	KIND_USTACK,
	KIND_TIMER,
	KIND_WAIT,
	KIND_CALL,
};

/* A record; @cookie is of its context or, of a stack, its own. */
struct entry {
	enum kind kind;
	unsigned int event;
	uint32_t tid;
	uint64_t time;
	uint64_t cookie;
	uint32_t missing;
	uint32_t records;
	uint32_t nr_user;
	uint64_t user[8];
};

/**
 * struct sums - what became of all cookies of a channel
 * @owing:    records with a cookie
 * @at_once:  records without one, that have a stack
 * @bare:     records without one, that have none
 * @cookies:  different ones
 * @stacks:   cookies that have a stack
 * @missing:  cookies whose stack is said not to come
 * @lost:     cookies of which there is nothing
 * @wrong:    stacks that come twice or of nothing, of another thread, count wrongly, or are
 *            empty and say not why
 */
struct sums {
	uint64_t owing, at_once, bare, cookies, stacks, missing, lost, wrong;
};

FIXTURE(ustack)
{
	int channel;
	struct pev_map map;
	int fds[MAX_EVENTS];
	enum kind kinds[MAX_EVENTS];
	uint64_t ids[MAX_EVENTS];
	bool owes[MAX_EVENTS];
	unsigned int nr;
	struct pev_child child;
	struct entry *entries;
	size_t nr_entries;
};

FIXTURE_SETUP(ustack)
{
	memset(self, 0, sizeof(*self));
	self->channel = -1;
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->channel = pev_open_channel(1 << 24, 1 << 16, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
}

FIXTURE_TEARDOWN(ustack)
{
	if (self->child.pid > 0) {
		kill(self->child.pid, SIGKILL);
		pev_child_end(&self->child);
	}
	for (unsigned int i = 0; i < self->nr; i++)
		if (self->fds[i] >= 0)
			close(self->fds[i]);
	free(self->entries);
	if (self->channel >= 0) {
		pev_unmap_channel(&self->map);
		close(self->channel);
	}
}

/* ---- events ---- */

static UNUSED struct pev_attr attr_of(const FIXTURE_DATA(ustack) * self, enum kind kind,
				      uint32_t target, int id)
{
	struct pev_attr attr = {
		.target = target,
		.target_id = id,
		.flags = PEV_F_DISABLED,
		.sample = SAMPLE,
		.channel_fd = self->channel,
		.group_fd = -1,
	};

	switch (kind) {
	case KIND_USTACK:
		attr.type = PEV_TYPE_USTACK;
		attr.sample &= ~PEV_SAMPLE_COOKIE;
		break;
	case KIND_TIMER:
		attr.type = PEV_TYPE_TIMER;
		attr.config = target == PEV_TARGET_CPUS ? PEV_TIMER_CPU_CLOCK :
							  PEV_TIMER_TASK_CLOCK;
		attr.period = 100000;
		break;
	case KIND_WAIT:
		attr.type = PEV_TYPE_WAIT;
		break;
	default:
		attr.type = PEV_TYPE_TRACEPOINT;
		attr.name = (uintptr_t)PEV_CALL_EVENT;
		attr.period = 1;
	}
	return attr;
}

/* Return: as pev_open(); the event is on. */
static UNUSED int add_attr(FIXTURE_DATA(ustack) * self, enum kind kind, struct pev_attr *attr)
{
	int fd = pev_open(attr);

	if (fd < 0)
		return fd;
	self->kinds[self->nr] = kind;
	self->ids[self->nr] = pev_event_id(fd);
	self->owes[self->nr] = attr->sample & PEV_SAMPLE_COOKIE;
	self->fds[self->nr++] = fd;
	return pev_on(fd) ? -errno : fd;
}

static UNUSED int add(FIXTURE_DATA(ustack) * self, enum kind kind, uint32_t target, int id)
{
	struct pev_attr attr = attr_of(self, kind, target, id);

	return add_attr(self, kind, &attr);
}

/* Nothing is recorded from here on, and nobody owes anything. Return: 0, or -errno. */
static UNUSED int all_off(FIXTURE_DATA(ustack) * self)
{
	for (unsigned int i = 0; i < self->nr; i++)
		if (self->fds[i] >= 0 && self->kinds[i] != KIND_USTACK && pev_off(self->fds[i]))
			return -errno;
	for (unsigned int i = 0; i < self->nr; i++)
		if (self->fds[i] >= 0 && self->kinds[i] == KIND_USTACK &&
		    ioctl(self->fds[i], PEV_IOC_FLUSH, 0))
			return -errno;
	return 0;
}

/* ---- records ---- */

static UNUSED size_t payload_of(enum kind kind)
{
	switch (kind) {
	case KIND_USTACK:
		return sizeof(struct pev_ustack_record);
	case KIND_WAIT:
		return offsetof(struct pev_wait_record, stack);
	case KIND_CALL:
		return 16; /* the number, padded, and one argument */
	default:
		return 0;
	}
}

static UNUSED void decode(const FIXTURE_DATA(ustack) * self, const struct pev_record *r,
			  struct entry *e, size_t *size)
{
	const uint64_t *p = (const void *)r->payload;
	struct pev_ustack_record late;
	const uint32_t *nr;

	*e = (struct entry){ .tid = r->tid, .time = r->time };
	for (unsigned int i = 0; i < self->nr; i++) {
		if (self->ids[i] != r->id)
			continue;
		e->kind = self->kinds[i];
		e->event = i;
	}
	if (self->owes[e->event])
		e->cookie = *p++;
	nr = (const void *)p++;
	e->nr_user = nr[1];
	p += nr[0];
	memcpy(e->user, p, 8 * (nr[1] < 8 ? nr[1] : 8));
	p += nr[1];
	if (e->kind == KIND_USTACK) {
		memcpy(&late, p, sizeof(late));
		e->cookie = late.cookie;
		e->missing = late.missing;
		e->records = late.records;
	}
	*size = (const uint8_t *)p - r->payload + payload_of(e->kind);
}

static UNUSED bool keep(FIXTURE_DATA(ustack) * self, const struct entry *e)
{
	if (!(self->nr_entries & (self->nr_entries + 1023)) || !self->entries) {
		size_t room = self->nr_entries ? 2 * self->nr_entries : 1024;
		void *more = realloc(self->entries, (room + 1024) * sizeof(*e));

		if (!more)
			return false;
		self->entries = more;
	}
	self->entries[self->nr_entries++] = *e;
	return true;
}

/* Takes all that there is out of the channel. Return: 0, or -1 if it is damaged. */
static UNUSED int take_all(FIXTURE_DATA(ustack) * self)
{
	static const int sizes[MAX_IDS] = { 0 };

	if (ioctl(self->channel, PEV_IOC_FLUSH, 0))
		return -1;
	for (unsigned int cpu = 0; cpu < self->map.info.nr_rings; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, MAX_IDS);
		struct pev_record r;
		struct entry e;
		size_t size;
		int ret;

		while ((ret = pev_walk_next(&walk, &r)) > 0) {
			decode(self, &r, &e, &size);
			walk.pos += (size + 7) / 8 * 8;
			if (!e.kind || !keep(self, &e))
				return -1;
		}
		if (ret < 0)
			return -1;
		pev_walk_release(&walk);
	}
	return 0;
}

static UNUSED int by_cookie(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->cookie != y->cookie)
		return x->cookie < y->cookie ? -1 : 1;
	/* a stack first */
	return (x->kind != KIND_USTACK) - (y->kind != KIND_USTACK);
}

/* Those from @e on that have its cookie. Return: the first behind. */
static UNUSED const struct entry *add_up_cookie(const struct entry *e, const struct entry *end,
						struct sums *s)
{
	const struct entry *stack = e->kind == KIND_USTACK ? e++ : NULL;
	uint64_t cookie = stack ? stack->cookie : e->cookie;
	uint32_t records = 0, tid = stack ? stack->tid : e->tid;

	for (; e < end && e->cookie == cookie; e++) {
		s->wrong += e->tid != tid || e->kind == KIND_USTACK || e->nr_user;
		records++;
	}
	s->owing += records;
	s->cookies++;
	if (!stack) {
		s->lost++;
		return e;
	}
	s->wrong += stack->records != records || !records;
	s->wrong += !stack->nr_user == !stack->missing || stack->missing >= PEV_MISSING_MAX;
	s->stacks += !stack->missing;
	s->missing += !!stack->missing;
	return e;
}

static UNUSED struct sums add_up(FIXTURE_DATA(ustack) * self)
{
	const struct entry *e = self->entries, *end = e + self->nr_entries;
	struct sums s = {};

	qsort(self->entries, self->nr_entries, sizeof(*self->entries), by_cookie);
	for (; e < end && !e->cookie; e++) {
		s.wrong += e->kind == KIND_USTACK;
		s.at_once += !!e->nr_user;
		s.bare += !e->nr_user;
	}
	while (e < end)
		e = add_up_cookie(e, end, &s);
	return s;
}

static UNUSED struct pev_value stacks_value(const FIXTURE_DATA(ustack) * self)
{
	for (unsigned int i = 0; i < self->nr; i++)
		if (self->kinds[i] == KIND_USTACK)
			return pev_read(self->fds[i]);
	return (struct pev_value){};
}

/* The law; records of others were not lost. */
#define EXPECT_LAW(self, s)                                       \
	do {                                                      \
		struct pev_value v = stacks_value(self);          \
		EXPECT_EQ(0, (s)->wrong);                         \
		EXPECT_EQ(v.value, (s)->cookies);                 \
		EXPECT_EQ(v.samples, (s)->stacks + (s)->missing); \
		EXPECT_EQ(v.lost, (s)->lost);                     \
	} while (0)

#endif /* USTACK_UTIL_H */
