// SPDX-License-Identifier: GPL-2.0
/* How long calls of probed functions in files took. */
#include <setjmp.h>
#include "probe_util.h"
#include "pev_child.h"

/* Calls itself, and not as its last act. */
static PROBED long nest(long depth, const char *text);

static long (*volatile nest_fn)(long depth, const char *text) = nest;

static PROBED long nest(long depth, const char *text)
{
	long more = depth ? nest_fn(depth - 1, text) : 0;

	asm volatile("" : : "r"(text) : "memory");
	return more + 1;
}

static jmp_buf away;

/* Leaves without a return if it is given no text. */
static PROBED long leap(long number, const char *text)
{
	if (!text)
		longjmp(away, 1);
	return number;
}

static long (*volatile leap_fn)(long number, const char *text) = leap;

/* Probes returns of the function @at with its duration. Returns the fd. */
static int open_timed(struct pev_probe *probe, struct pev_probe_place *place,
		      struct pev_probe_field *field, const void *at, int channel)
{
	probe->kind = PEV_PROBE_USER_RETURN;
	probe->nr_fields = 1;
	place->offset = pev_place_of(at);
	*field = (struct pev_probe_field){ .name = TIME,
					   .type = PEV_PROBE_U64,
					   .from = PEV_PROBE_DURATION };
	return open_probe(probe, channel);
}

#define DEPTH 20

/* The innermost call returns first, and took the least time. */
static void check_nested(struct __test_metadata *_metadata, const uint8_t *payload, int nr)
{
	static uint64_t last;
	struct payload p;

	memcpy(&p, payload, offsetof(struct payload, off));
	EXPECT_EQ(0, p.head.faults);
	EXPECT_LT(nr % DEPTH ? last : 0, (uint64_t)p.number);
	EXPECT_GT(1000000000000LL, p.number);
	last = p.number;
}

TEST_F(probe, user_duration)
{
	int fd = open_timed(&self->probe, self->places, self->fields, nest, self->channel);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	/* in one ring, records come in the order of the returns */
	ASSERT_EQ(0, pev_pin(0));
	pev_on(fd);
	for (int i = 0; i < NR; i++)
		EXPECT_EQ(DEPTH, nest_fn(DEPTH - 1, "nest"));
	pev_off(fd);
	EXPECT_EQ(NR * DEPTH, pev_read(fd).value);
	EXPECT_EQ(NR * DEPTH,
		  each_record(&self->map, offsetof(struct payload, off), check_nested, _metadata));
	close(fd);
}

static void check_known(struct __test_metadata *_metadata, const uint8_t *payload, int nr)
{
	struct payload p;

	memcpy(&p, payload, offsetof(struct payload, off));
	EXPECT_EQ(0, p.head.faults);
	EXPECT_NE(0, p.number);
}

/* Calls that never return leave entries behind: more of them than there is room for. */
TEST_F(probe, user_duration_after_leaps)
{
	int fd = open_timed(&self->probe, self->places, self->fields, leap, self->channel);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (volatile int i = 0; i < 10000; i++) {
		char room[16 * (i % 8 + 1)];

		asm volatile("" : : "r"(room) : "memory");
		if (!setjmp(away))
			leap_fn(i, NULL);
	}
	for (int i = 0; i < NR; i++)
		EXPECT_EQ(i, leap_fn(i, "here"));
	pev_off(fd);
	EXPECT_EQ(NR, pev_read(fd).value);
	EXPECT_EQ(NR,
		  each_record(&self->map, offsetof(struct payload, off), check_known, _metadata));
	close(fd);
}

static int probe_of_entered;

static PROBED long enter(long number, const char *text)
{
	pev_on(probe_of_entered);
	return number;
}

static long (*volatile enter_fn)(long number, const char *text) = enter;

static void check_unknown(struct __test_metadata *_metadata, const uint8_t *payload, int nr)
{
	struct payload p;

	memcpy(&p, payload, offsetof(struct payload, off));
	EXPECT_EQ(1, p.head.faults);
	EXPECT_EQ(0, p.number);
}

/* The function was entered before the event was switched on. */
TEST_F(probe, user_duration_unknown)
{
	int fd = open_timed(&self->probe, self->places, self->fields, enter, self->channel);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	probe_of_entered = fd;
	EXPECT_EQ(1, enter_fn(1, "enter"));
	pev_off(fd);
	EXPECT_EQ(1, pev_read(fd).value);
	EXPECT_EQ(1,
		  each_record(&self->map, offsetof(struct payload, off), check_unknown, _metadata));
	close(fd);
}

TEST_HARNESS_MAIN
