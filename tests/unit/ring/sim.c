// SPDX-License-Identifier: GPL-2.0
/*
 * Simulated nesting: at each access that ring.[ch] makes, the test may do what
 * an interrupt or NMI could do there, or what the consumer on another CPU
 * could have done by then. Exhaustive for one and two interruptions, random
 * for long runs and deep nests.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

#define PACKET		256U
#define MAX_DEPTH	4

enum op {
	OP_SMALL, /* a record of 16 bytes */
	OP_LARGE, /* one that seldom fits */
	OP_EXTENDED, /* id > 30, after a pause of about 2^27 ticks */
	OP_FLUSH,
	OP_CONSUME, /* the other CPU reads all there is */
	OP_STOP, /* by this CPU */
	OP_START,
	OP_LATE, /* the other CPU closes the ring for a stop of before */
	OP_NR,
	OP_HOSTILE = OP_NR, /* the other CPU writes nonsense */
};

static const char *const op_names[] = { "small", "large", "extended", "flush",	"consume",
					"stop",	 "start", "late",     "hostile" };

static struct model m;
static u64 now;
static bool steps_back;
static bool hostile;

/* The plan: at the when[d]-th point at depth d, do what[d + 1]. */
static struct {
	bool active;
	bool random;
	int depth;		/* -1: no writer */
	int when[MAX_DEPTH];
	int count[MAX_DEPTH];
	enum op what[MAX_DEPTH + 1];
	u64 oneof;		/* random: interrupt each so many points */
	u64 interrupts;
} plan = { .depth = -1 };

static u64 rnd(void)
{
	static u64 x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

void fail(const char *fmt, ...)
{
	va_list args;
	int i;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n# %s ring of %" PRIu64 ", pos %" PRId64 ", head %" PRIu64 "; plan:",
	       m.ring.overwrite ? "overwrite" : "discard", (uint64_t)m.ring.data_mask + 1,
	       (int64_t)m.ring.pos.v, (uint64_t)m.kernel.head);
	for (i = 0; i < MAX_DEPTH; i++)
		printf(" %s@%d(%d)", op_names[plan.what[i]], plan.when[i], plan.count[i]);
	printf("\n");
	exit(1);
}

u64 model_now(void)
{
	return now;
}

static u64 tick(void)
{
	ring_point();
	now++;
	if (steps_back && rnd() % 4 == 0)
		now -= rnd() % 3 ? 1 : now < 5000 ? 0 : rnd() % 5000;
	return now;
}

unsigned long long get_cycles(void)
{
	return tick();
}

unsigned long long ktime_get_mono_fast_ns(void)
{
	return tick();
}

/* Read all that is published, in place, as another CPU may at any moment. */
static void consume(void)
{
	bool active = plan.active;
	u64 head = m.kernel.head;

	plan.active = false;
	if (m.ring.overwrite) {
		struct walk w = { .pos = m.kernel.oldest };

		model_walk(&m, &w, head);
	} else {
		model_walk(&m, &m.reader, head);
		/* to the last record, or only to its packet */
		m.user.tail = rnd() & 1 ? m.reader.pos : round_down(m.reader.pos, PACKET);
	}
	plan.active = active;
}

static void scribble(void)
{
	u64 head = m.kernel.head;

	switch (rnd() % 6) {
	case 0:
		m.user.tail = rnd();
		break;
	case 1:
		m.user.tail = head + rnd() % 4096;
		break;
	case 2:
		m.user.tail = m.ring.pos.v;
		break;
	case 3:
		m.user.tail = m.ring.tail - rnd() % 512;
		break;
	case 4:
		m.user.tail = head;
		break;
	default:
		m.user.tail = head - rnd() % 512;
	}
}

static void do_op(enum op op)
{
	switch (op) {
	case OP_SMALL:
		model_write(&m, 3, 12);
		break;
	case OP_LARGE:
		model_write(&m, 30, 100);
		break;
	case OP_EXTENDED:
		now += (1ULL << PEV_TIME_BITS) - 2 + rnd() % 5;
		model_write(&m, 31 + rnd() % 2 * 1000, 20);
		break;
	case OP_FLUSH:
		pev_ring_flush(&m.ring);
		break;
	case OP_CONSUME:
		consume();
		break;
	case OP_STOP:
		model_act(&m, PEV_ACT_STOP);
		break;
	case OP_START:
		model_act(&m, PEV_ACT_START);
		break;
	case OP_LATE:
		pev_ring_close_other(&m.ring);
		break;
	default:
		scribble();
	}
}

static enum op random_op(void)
{
	if (hostile && rnd() % 4 == 0)
		return OP_HOSTILE;
	switch (rnd() % 20) {
	case 16:
		return OP_STOP;
	case 17 ... 18:
		return OP_START;
	case 19:
		return OP_LATE;
	case 0 ... 7:
		return OP_SMALL;
	case 8 ... 10:
		return OP_LARGE;
	case 11 ... 12:
		return OP_EXTENDED;
	case 13:
		return OP_FLUSH;
	default:
		return hostile ? OP_SMALL : OP_CONSUME;
	}
}

static void enter(enum op op)
{
	plan.depth++;
	plan.count[plan.depth] = 0;
	if (plan.random && rnd() % 16 == 0)
		model_write(&m, rnd() % 40, 4 + 8 * (rnd() % 21));
	else
		do_op(op);
	plan.depth--;
}

void ring_point(void)
{
	int d = plan.depth;

	expect(m.ring.tail <= m.kernel.head, "tail %llu", m.ring.tail);
	if (!plan.active || d < 0 || d + 1 >= MAX_DEPTH)
		return;
	if (plan.random) {
		if (rnd() % plan.oneof)
			return;
		plan.interrupts++;
		enter(random_op());
	} else if (plan.count[d]++ == plan.when[d]) {
		enter(plan.what[d + 1]);
	}
}

/* While nothing writes, all must add up, and all that is there must decode. */
static void quiesce(void)
{
	model_check(&m);
	if (hostile)
		return;
	consume();
	if (!m.ring.overwrite)
		expect(m.reader.records + m.lost + m.unarmed == m.generated,
		       "%llu + %llu + %llu of %llu", m.reader.records, m.lost, m.unarmed,
		       m.generated);
}

/*
 * Bring the ring to where the scenario starts; in the last ones it was stopped, and no writer
 * has seen yet that it is not any more, or still is.
 */
static void prefill(int state)
{
	static const int records[] = { 0, 1, 9, 10, 11, 21, 200, 9, 10, 9 };
	int i, n = records[state];

	model_reset(&m);
	now = 1000;
	plan.active = false;
	for (i = 0; i < n; i++)
		model_write(&m, 3, 12);
	if (state == 1)
		pev_ring_flush(&m.ring);
	if (state >= 7)
		model_act(&m, PEV_ACT_STOP);
	if (state == 7 || state == 8)
		model_act(&m, PEV_ACT_START);
}

/* Where a scenario starts, which is copied, not written again, for each of its interleavings. */
static struct {
	struct model m;
	u64 now;
	u8 data[4 * PACKET];
	struct note notes[4 * PACKET / 4];
} begin;

static void keep_begin(void)
{
	u64 size = m.ring.data_mask + 1;

	begin.m = m;
	begin.now = now;
	memcpy(begin.data, m.ring.data, size);
	memcpy(begin.notes, m.notes, size / 4 * sizeof(*m.notes));
}

static void back_to_begin(void)
{
	u64 size = m.ring.data_mask + 1;

	m = begin.m;
	now = begin.now;
	memcpy(m.ring.data, begin.data, size);
	memcpy(m.notes, begin.notes, size / 4 * sizeof(*m.notes));
}

/* One interruption of @first by @second at each point, itself interrupted. */
static u64 exhaust(enum op first, enum op second, enum op third, int state)
{
	u64 runs = 0;
	int i, j;

	prefill(state);
	keep_begin();
	for (i = 0;; i++) {
		for (j = 0;; j++) {
			back_to_begin();
			plan.what[0] = first;
			plan.what[1] = second;
			plan.what[2] = third;
			plan.when[0] = i;
			plan.when[1] = j;
			plan.when[2] = -1;
			plan.count[0] = 0;
			plan.count[1] = 0;
			plan.active = true;
			enter(first);
			plan.active = false;
			quiesce();
			/* and the ring goes on as if nothing had been */
			do_op(OP_START);
			do_op(OP_SMALL);
			do_op(OP_LARGE);
			do_op(OP_FLUSH);
			quiesce();
			runs++;
			if (plan.count[1] <= j)
				break;
		}
		if (plan.count[0] <= i)
			break;
	}
	return runs;
}

static u64 exhaust_all(void)
{
	u64 runs = 0;
	int state, i;

	for (state = 0; state < 10; state++)
		for (i = 0; i <= OP_FLUSH * OP_NR * OP_NR + OP_NR * OP_NR - 1; i++)
			runs += exhaust(i / (OP_NR * OP_NR), i / OP_NR % OP_NR, i % OP_NR, state);
	return runs;
}

static void run_exhaustive(bool overwrite)
{
	static const u32 clocks[] = { PEV_CLOCK_CYCLES, PEV_CLOCK_MONOTONIC };
	u64 runs = 0;
	int c, packets;

	for (c = 0; c < 2; c++) {
		for (packets = 2; packets <= 4; packets *= 2) {
			model_init(&m, packets, PACKET, clocks[c], overwrite);
			m.check_times = true;
			runs += exhaust_all();
			model_free(&m);
		}
	}
	printf("# %" PRIu64 " interleavings\n", (uint64_t)runs);
}

/*
 * A consumer that sleeps until it is woken: it must not sleep through a ring
 * that fills up, nor be woken for each record.
 */
static void run_wake(u64 ops)
{
	static const u32 bodies[] = { 4, 12, 60, 100, 140, 148 };
	u64 i, wakes, slept = 0;
	u32 packets, mark;
	bool awake = true;

	for (packets = 2; packets <= 8; packets *= 2)
		for (mark = 16; mark <= packets * PACKET; mark *= 2) {
			model_init(&m, packets, PACKET, PEV_CLOCK_CYCLES, false);
			m.ring.watermark = mark;
			m.ring.wake_at = mark;
			wakes = 0;
			for (i = 0; i < ops; i++) {
				u64 lost = m.lost, unread;

				model_write(&m, 3, bodies[rnd() % (i & 1024 ? 6 : 2)]);
				awake |= m.wakes > wakes;
				unread = m.kernel.head - m.user.tail;
				expect(awake || unread < mark + 256, "asleep at %llu of %u", unread,
				       mark);
				expect(awake || m.lost == lost, "asleep while the ring is full");
				slept += !awake;
				if (!awake || rnd() % 3)
					continue;
				wakes = m.wakes;
				consume();
				awake = pev_ring_readable(&m.ring);
			}
			expect(m.wakes <= m.kernel.head / (mark / 4) + m.kernel.head / PACKET + 1,
			       "%llu wake-ups for %llu bytes", m.wakes, m.kernel.head);
			model_free(&m);
		}
	printf("# asleep at %" PRIu64 " records\n", (uint64_t)slept);
}

/* In a hostile run: what the kernel believes to be unread is intact. */
static void check_unread(void)
{
	struct walk w = {
		.pos = m.ring.overwrite ? m.kernel.oldest : round_down(m.ring.tail, PACKET),
	};

	model_walk(&m, &w, m.kernel.head);
	expect(m.kernel.head - w.pos <= m.ring.data_mask + 1, "more than the ring holds");
}

static void run_random(bool overwrite, u32 clock, u64 ops)
{
	static const u64 rates[] = { 24, 40, 100, 300 };
	u64 i, interrupts = 0;

	steps_back = clock == PEV_CLOCK_MONOTONIC;
	model_init(&m, 4, PACKET, clock, overwrite);
	m.check_times = !steps_back;
	plan.random = true;
	for (i = 0; i < ops; i++) {
		u64 head = m.kernel.head, tail = m.ring.tail;

		if (i % 1000 == 0)
			plan.oneof = rates[rnd() % 4];
		plan.active = true;
		enter(random_op());
		plan.active = false;
		expect(m.kernel.head >= head, "head goes back");
		expect(m.ring.tail >= tail, "tail goes back");
		model_check(&m);
		if (hostile)
			check_unread();
		else if (rnd() % 4 == 0)
			quiesce();
		/* a cycle counter may step back, but not between nested writers */
		if (clock == PEV_CLOCK_CYCLES && !m.check_times && rnd() % 8 == 0)
			now -= rnd() % 3;
	}
	interrupts = plan.interrupts;
	quiesce();
	model_free(&m);
	printf("# %" PRIu64 " records, %" PRIu64 " interruptions, %" PRIu64 " lost\n",
	       (uint64_t)m.generated, (uint64_t)interrupts, (uint64_t)m.lost);
}

int main(int argc, char **argv)
{
	const char *test = argc > 1 ? argv[1] : "";
	u64 ops = argc > 2 ? strtoull(argv[2], NULL, 0) : 500000;
	bool overwrite = strstr(test, "overwrite");
	u32 clock = strstr(test, "monotonic") ? PEV_CLOCK_MONOTONIC : PEV_CLOCK_CYCLES;

	if (!strncmp(test, "exhaustive", 10)) {
		run_exhaustive(overwrite);
	} else if (!strcmp(test, "wake")) {
		run_wake(ops / 10);
	} else if (!strncmp(test, "random", 6)) {
		run_random(overwrite, clock, ops);
	} else if (!strncmp(test, "hostile", 7)) {
		hostile = true;
		run_random(overwrite, clock, ops);
	} else {
		fprintf(stderr, "usage: sim wake|exhaustive|random|hostile[-overwrite][-monotonic] [ops]\n");
		return 2;
	}
	return 0;
}
