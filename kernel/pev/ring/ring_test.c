// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the ring in the kernel: with the machine's own local operations,
 * clocks, and interrupts that nest in a writer. Nesting at every point is
 * tests/unit/ring's, in user space.
 */
#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/pev_clock.h>
#include <linux/unaligned.h>
#include "ring.h"

#define PACKET		4096U
#define PACKETS		4U
#define RECORDS		30000

/**
 * struct rig - a ring and those who write to it
 * @ring:    under test
 * @timer:   writes from its interrupt
 * @work:    writes from its own
 * @written: attempts, by any of them
 * @refused: of these, attempts that found no room
 * @nested:  attempts from an interrupt that came within a record
 * @inside:  a task is within a record
 * @wakes:   of the consumer
 */
struct rig {
	struct pev_ring		ring;
	struct hrtimer		timer;
	struct irq_work		work;
	local64_t		written;
	local64_t		refused;
	unsigned int		nested;
	bool			inside;
	local_t			wakes;
};

struct reader {
	u64			pos;
	u64			time;
	u64			end;
	u64			discarded;
	u64			records;
};

static void count_wake(struct pev_ring *ring)
{
	/* by nested writers, too */
	local_inc(&container_of(ring, struct rig, ring)->wakes);
}

static struct rig *make_rig(struct kunit *test, u32 clock, bool overwrite)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	struct pev_ring *ring;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	ring = &rig->ring;
	ring->kernel = kunit_kzalloc(test, sizeof(*ring->kernel), GFP_KERNEL);
	ring->user = kunit_kzalloc(test, sizeof(*ring->user), GFP_KERNEL);
	ring->data = kunit_kzalloc(test, PACKETS * PACKET, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ring->kernel);
	KUNIT_ASSERT_NOT_NULL(test, ring->user);
	KUNIT_ASSERT_NOT_NULL(test, ring->data);
	ring->data_mask = PACKETS * PACKET - 1;
	ring->packet_size = PACKET;
	ring->limit = PACKET;
	ring->watermark = PACKET;
	ring->wake_at = PACKET;
	ring->clock = clock;
	ring->overwrite = overwrite;
	ring->wake = count_wake;
	return rig;
}

/* The length and all words of a record follow from its first word. */
static u32 body_of(u32 seed)
{
	return 4 + 8 * (seed % 37);
}

static u32 id_of(u32 seed)
{
	return seed % 40;
}

static void write_record(struct rig *rig)
{
	u32 seed = local64_add_return(1, &rig->written) * 2654435761U >> 4;
	u32 *words, i;

	words = pev_ring_reserve(&rig->ring, id_of(seed), body_of(seed));
	if (!words) {
		local64_inc(&rig->refused);
		return;
	}
	for (i = 0; i < body_of(seed) / 4; i++)
		WRITE_ONCE(words[i], seed + i);
	pev_ring_commit(&rig->ring);
}

/* A CTF reader, in short: up to @head. */
static void read_ring(struct kunit *test, struct rig *rig, struct reader *r, u64 head)
{
	u64 mask = (1ULL << PEV_TIME_BITS) - 1;

	while (r->pos < head) {
		u64 start = round_down(r->pos, PACKET), end = head;
		struct pev_packet *p = (void *)rig->ring.data + (start & rig->ring.data_mask);

		if (r->pos == start) {
			KUNIT_ASSERT_EQ(test, p->magic, PEV_PACKET_MAGIC);
			KUNIT_ASSERT_EQ(test, p->packet_seq_num, start / PACKET);
			KUNIT_ASSERT_GE(test, p->timestamp_begin, r->end);
			r->time = p->timestamp_begin;
			r->pos += sizeof(*p);
		}
		if (start + PACKET <= head)
			end = start + p->content_size / 8;
		while (r->pos < end) {
			u32 *rec = (void *)p + (r->pos - start);
			u32 id = *rec & PEV_ID_EXTENDED, header = PEV_HEADER_COMPACT, i;
			u64 time = (r->time & ~mask) | *rec >> PEV_ID_BITS;

			if (time < r->time)
				time += mask + 1;
			if (id == PEV_ID_EXTENDED) {
				header = PEV_HEADER_EXTENDED;
				id = *rec >> PEV_ID_BITS;
				time = get_unaligned((u64 *)(rec + 1));
			}
			KUNIT_ASSERT_GE(test, time, r->time);
			rec += header / 4;
			KUNIT_ASSERT_EQ(test, id, id_of(rec[0]));
			for (i = 1; i < body_of(rec[0]) / 4; i++)
				KUNIT_ASSERT_EQ(test, rec[i], rec[0] + i);
			r->time = time;
			r->records++;
			r->pos += header + body_of(rec[0]);
		}
		KUNIT_ASSERT_EQ(test, r->pos, end);
		if (start + PACKET > head)
			break;
		KUNIT_ASSERT_GE(test, p->timestamp_end, r->time);
		KUNIT_ASSERT_GE(test, p->events_discarded, r->discarded);
		r->end = p->timestamp_end;
		r->discarded = p->events_discarded;
		r->pos = start + PACKET;
	}
}

static void check_idle(struct kunit *test, struct rig *rig)
{
	KUNIT_ASSERT_EQ(test, local_read(&rig->ring.nest), 0);
	KUNIT_ASSERT_EQ(test, rig->ring.kernel->head, (u64)local64_read(&rig->ring.pos));
	KUNIT_ASSERT_EQ(test, rig->ring.kernel->lost, (u64)local64_read(&rig->refused));
	KUNIT_ASSERT_EQ(test, local64_read(&rig->ring.lost), local64_read(&rig->refused));
}

static void one_record(struct kunit *test)
{
	struct rig *rig = make_rig(test, PEV_CLOCK_MONOTONIC, false);
	u64 one = sizeof(struct pev_packet) + PEV_HEADER_COMPACT + 12;
	void *body;

	preempt_disable();
	body = pev_ring_reserve(&rig->ring, 3, 12);
	preempt_enable();
	KUNIT_ASSERT_NOT_NULL(test, body);
	KUNIT_EXPECT_EQ(test, (unsigned long)body % 8, 4);
	KUNIT_EXPECT_EQ(test, rig->ring.kernel->head, 0);
	pev_ring_commit(&rig->ring);
	KUNIT_EXPECT_EQ(test, rig->ring.kernel->head, one);
	check_idle(test, rig);
}

/* A record that would end where its packet does goes to the next one. */
static void no_exact_fill(struct kunit *test)
{
	struct rig *rig = make_rig(test, PEV_CLOCK_MONOTONIC, false);
	u32 room = PACKET - sizeof(struct pev_packet) - PEV_HEADER_COMPACT;
	u32 most = pev_ring_max_body(PACKET);

	preempt_disable();
	if (pev_ring_reserve(&rig->ring, 3, 4))
		pev_ring_commit(&rig->ring);
	/* as much as is left */
	if (pev_ring_reserve(&rig->ring, 3, room - 8))
		pev_ring_commit(&rig->ring);
	KUNIT_EXPECT_EQ(test, rig->ring.kernel->head, sizeof(struct pev_packet) + 8);
	KUNIT_EXPECT_EQ(test, rig->ring.kernel->lost, 1);
	if (pev_ring_reserve(&rig->ring, 100, most))
		pev_ring_commit(&rig->ring);
	KUNIT_EXPECT_EQ(test, rig->ring.kernel->head, 2 * PACKET - 8);
	KUNIT_EXPECT_NULL(test, pev_ring_reserve(&rig->ring, 100, most + 8));
	preempt_enable();
	KUNIT_EXPECT_EQ(test, rig->ring.kernel->lost, 2);
}

static void full(struct kunit *test)
{
	struct rig *rig = make_rig(test, PEV_CLOCK_MONOTONIC, false);
	struct reader r = {};
	long wakes;

	preempt_disable();
	while (!local64_read(&rig->refused))
		write_record(rig);
	wakes = local_read(&rig->wakes);
	write_record(rig);
	/* the consumer was told once that it holds the writers up */
	KUNIT_EXPECT_TRUE(test, pev_ring_readable(&rig->ring));
	KUNIT_EXPECT_LE(test, local_read(&rig->wakes), wakes + 1);
	preempt_enable();
	check_idle(test, rig);
	read_ring(test, rig, &r, rig->ring.kernel->head);
	KUNIT_EXPECT_EQ(test, r.records + local64_read(&rig->refused),
			local64_read(&rig->written));
	smp_store_release(&rig->ring.user->tail, r.pos);	/* pev_ring:C */
	preempt_disable();
	write_record(rig);
	preempt_enable();
	read_ring(test, rig, &r, rig->ring.kernel->head);
	KUNIT_EXPECT_EQ(test, r.records + local64_read(&rig->refused),
			local64_read(&rig->written));
}

static void hostile_tail(struct kunit *test)
{
	static const s64 from_head[] = { 1, PACKET, -1, 0x7fffffffffffffff, -(s64)PACKET * 9 };
	struct rig *rig = make_rig(test, PEV_CLOCK_MONOTONIC, false);
	struct pev_ring *ring = &rig->ring;
	u64 head = 0;
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		WRITE_ONCE(ring->user->tail, ring->kernel->head + from_head[i % 5]);
		preempt_disable();
		write_record(rig);
		preempt_enable();
		KUNIT_ASSERT_GE(test, ring->kernel->head, head);
		KUNIT_ASSERT_LE(test, ring->tail, ring->kernel->head);
		KUNIT_ASSERT_LE(test, ring->kernel->head - round_down(ring->tail, PACKET),
				PACKETS * PACKET);
		head = ring->kernel->head;
	}
	check_idle(test, rig);
}

static void flushed(struct kunit *test)
{
	struct rig *rig = make_rig(test, PEV_CLOCK_MONOTONIC, false);
	unsigned long flags;

	local_irq_save(flags);
	KUNIT_EXPECT_EQ(test, pev_ring_flush(&rig->ring), 0);
	KUNIT_EXPECT_EQ(test, rig->ring.kernel->head, 0);
	if (pev_ring_reserve(&rig->ring, 3, 12)) {
		/* as an interrupt in the middle of a record */
		KUNIT_EXPECT_EQ(test, pev_ring_flush(&rig->ring), PACKET);
		KUNIT_EXPECT_FALSE(test, pev_ring_published(&rig->ring, PACKET));
		pev_ring_commit(&rig->ring);
	}
	KUNIT_EXPECT_EQ(test, rig->ring.kernel->head, PACKET);
	KUNIT_EXPECT_TRUE(test, pev_ring_published(&rig->ring, PACKET));
	KUNIT_EXPECT_EQ(test, pev_ring_flush(&rig->ring), PACKET);
	KUNIT_EXPECT_EQ(test, rig->ring.kernel->head, PACKET);
	local_irq_restore(flags);
	check_idle(test, rig);
}

/* A counter that starts over: times go on, and soon at the counter's pace. */
static void counter_set_back(struct kunit *test)
{
	struct rig *rig = make_rig(test, PEV_CLOCK_CYCLES, true);
	struct pev_ring *ring = &rig->ring;
	u64 hours = 1ULL << 44, last, now;

	if (!pev_clock_cycles_hz())
		kunit_skip(test, "the cycle counter is no clock here");
	ring->second = pev_clock_cycles_hz();
	preempt_disable();
	write_record(rig);
	/* as if it had shown so much more until now */
	ring->last = get_cycles() + hours;
	last = ring->last;
	write_record(rig);
	KUNIT_EXPECT_EQ(test, ring->clock, PEV_RING_SHIFTED);
	KUNIT_EXPECT_EQ(test, ring->kernel->clock_shift, ring->shift);
	KUNIT_EXPECT_GE(test, ring->last, last);
	KUNIT_EXPECT_LT(test, ring->last - last, ring->second);
	last = ring->last;
	now = get_cycles();
	while (get_cycles() - now < 100000)
		cpu_relax();
	write_record(rig);
	KUNIT_EXPECT_GE(test, ring->last - last, 100000);
	/* and again, to a time that another clock knows */
	last = ring->last;
	pev_ring_shift(ring, hours);
	write_record(rig);
	KUNIT_EXPECT_GE(test, ring->last - last, hours);
	preempt_enable();
}

static void counter_in_a_sleep(struct kunit *test)
{
	const u64 hz = 1000, s = NSEC_PER_SEC;

	/* ran on, as well as can be known */
	KUNIT_EXPECT_EQ(test, pev_clock_lag(5000, 15000, 10 * s, hz), 0);
	KUNIT_EXPECT_EQ(test, pev_clock_lag(5000, 14000, 10 * s, hz), 0);
	KUNIT_EXPECT_EQ(test, pev_clock_lag(5000, 16000, 10 * s, hz), 0);
	/* began again; stood still; was set by others */
	KUNIT_EXPECT_EQ(test, pev_clock_lag(5000, 10, 10 * s, hz), 14990);
	KUNIT_EXPECT_EQ(test, pev_clock_lag(5000, 4999, 0, hz), 1);
	KUNIT_EXPECT_EQ(test, pev_clock_lag(5000, 5000, 10 * s, hz), 10000);
	KUNIT_EXPECT_EQ(test, pev_clock_lag(5000, 1000000, 10 * s, hz), (u64)-985000);
}

/* What is refused before it is made counts as what is refused after. */
static void refused(struct kunit *test)
{
	struct rig *rig = make_rig(test, PEV_CLOCK_MONOTONIC, false);
	struct pev_ring *ring = &rig->ring;
	const u32 max = pev_ring_max_body(PACKET);
	long wakes;

	preempt_disable();
	KUNIT_EXPECT_FALSE(test, pev_ring_refuse(ring, max));
	while (pev_ring_reserve(ring, 3, 1004))
		pev_ring_commit(ring);
	KUNIT_EXPECT_EQ(test, ring->kernel->lost, 1);
	wakes = local_read(&rig->wakes);
	KUNIT_EXPECT_TRUE(test, pev_ring_refuse(ring, max));
	KUNIT_EXPECT_EQ(test, ring->kernel->lost, 2);
	/* told already, by the first */
	KUNIT_EXPECT_EQ(test, local_read(&rig->wakes), wakes);
	/* a small one fits behind the last */
	KUNIT_EXPECT_FALSE(test, pev_ring_refuse(ring, 12));
	KUNIT_EXPECT_NOT_NULL(test, pev_ring_reserve(ring, 3, 12));
	pev_ring_commit(ring);
	ring->user->tail = PACKET;
	KUNIT_EXPECT_FALSE(test, pev_ring_refuse(ring, max));
	KUNIT_EXPECT_NOT_NULL(test, pev_ring_reserve(ring, 3, max));
	pev_ring_commit(ring);
	KUNIT_EXPECT_TRUE(test, pev_ring_refuse(ring, max));
	pev_ring_lose(ring);
	KUNIT_EXPECT_EQ(test, ring->kernel->lost, 4);
	preempt_enable();
}

/*
 * Who records what a wake-up does is not woken for that record again; with the lowest
 * watermark, in a ring that takes every record and in one that is full.
 */
static void wakes_once(struct kunit *test, bool overwrite)
{
	struct rig *rig = make_rig(test, PEV_CLOCK_MONOTONIC, overwrite);
	struct pev_ring *ring = &rig->ring;
	unsigned int i;
	long wakes;

	ring->watermark = 1;
	ring->wake_at = 1;
	preempt_disable();
	for (i = 0; i < 2000; i++)
		write_record(rig);
	wakes = local_read(&rig->wakes);
	for (i = 0; i < 2000; i++)
		write_record(rig);
	KUNIT_EXPECT_EQ(test, local_read(&rig->wakes), wakes);
	/* one that has read some of it is told of the next, and again once */
	ring->user->tail = ring->kernel->head;
	for (i = 0; i < 10; i++)
		write_record(rig);
	KUNIT_EXPECT_EQ(test, local_read(&rig->wakes), wakes + 1);
	preempt_enable();
}

static void wakes_discard(struct kunit *test)
{
	wakes_once(test, false);
}

static void wakes_overwrite(struct kunit *test)
{
	wakes_once(test, true);
}

static void write_nested(struct rig *rig)
{
	WRITE_ONCE(rig->nested, rig->nested + READ_ONCE(rig->inside));
	write_record(rig);
}

static void work_writes(struct irq_work *work)
{
	write_nested(container_of(work, struct rig, work));
}

static enum hrtimer_restart timer_writes(struct hrtimer *timer)
{
	struct rig *rig = container_of(timer, struct rig, timer);

	write_nested(rig);
	irq_work_queue(&rig->work);
	hrtimer_forward_now(timer, ns_to_ktime(20000 + local64_read(&rig->written) % 7919));
	return HRTIMER_RESTART;
}

static void stop_nesting(void *data)
{
	struct rig *rig = data;

	hrtimer_cancel(&rig->timer);
	irq_work_sync(&rig->work);
}

/* A task that writes, a timer and an irq_work that interrupt it. */
static void nest(struct kunit *test, u32 clock, bool overwrite)
{
	struct rig *rig = make_rig(test, clock, overwrite);
	struct reader r = {};
	unsigned int i;
	u64 head;

	init_irq_work(&rig->work, work_writes);
	hrtimer_init(&rig->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	rig->timer.function = timer_writes;
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_nesting, rig), 0);
	migrate_disable();
	hrtimer_start(&rig->timer, ns_to_ktime(20000), HRTIMER_MODE_REL_PINNED_HARD);
	/* on an emulator it may take longer until an interrupt comes there */
	for (i = 0; i < RECORDS || (!READ_ONCE(rig->nested) && i < 20 * RECORDS); i++) {
		preempt_disable();
		WRITE_ONCE(rig->inside, true);
		write_record(rig);
		WRITE_ONCE(rig->inside, false);
		preempt_enable();
		if (i % 64 || overwrite)
			continue;
		head = smp_load_acquire(&rig->ring.kernel->head);	/* pev_ring:B */
		read_ring(test, rig, &r, head);
		/* now and then too slow */
		if (i % 4096)
			smp_store_release(&rig->ring.user->tail, r.pos);	/* pev_ring:C */
		cond_resched();
	}
	kunit_release_action(test, stop_nesting, rig);
	migrate_enable();

	check_idle(test, rig);
	if (overwrite)
		r.pos = rig->ring.kernel->oldest;
	read_ring(test, rig, &r, rig->ring.kernel->head);
	KUNIT_EXPECT_GT(test, rig->nested, 0);
	kunit_info(test, "%u of %llu records interrupted another\n", rig->nested,
		   (u64)local64_read(&rig->written));
	if (!overwrite)
		KUNIT_EXPECT_EQ(test, r.records + local64_read(&rig->refused),
				local64_read(&rig->written));
}

static void nested_discard(struct kunit *test)
{
	nest(test, PEV_CLOCK_MONOTONIC, false);
}

static void nested_overwrite(struct kunit *test)
{
	nest(test, PEV_CLOCK_MONOTONIC, true);
}

static void nested_cycles(struct kunit *test)
{
	if (!pev_clock_cycles_hz())
		kunit_skip(test, "the cycle counter is no clock here");
	nest(test, PEV_CLOCK_CYCLES, false);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(one_record),
	KUNIT_CASE(no_exact_fill),
	KUNIT_CASE(full),
	KUNIT_CASE(hostile_tail),
	KUNIT_CASE(flushed),
	KUNIT_CASE(counter_set_back),
	KUNIT_CASE(counter_in_a_sleep),
	KUNIT_CASE(refused),
	KUNIT_CASE(wakes_discard),
	KUNIT_CASE(wakes_overwrite),
	KUNIT_CASE_SLOW(nested_discard),
	KUNIT_CASE_SLOW(nested_overwrite),
	KUNIT_CASE_SLOW(nested_cycles),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "pev_ring",
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
