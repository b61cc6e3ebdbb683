// SPDX-License-Identifier: GPL-2.0
/*
 * Where threads say for which request they work: an address that is taken or refused as it
 * should be, and memory behind it of all kinds. The law is in records.c, too: a record has
 * the request that is said here, CONTEXT_TRACE, or none.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"

static __thread struct pev_thread_context own;
static __thread const void *pointer;

static int attach(uint64_t at)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CONTEXT,
		.config = at,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return k_event(&attr);
}

static void write_own(void)
{
	const uint64_t trace = htobe64(CONTEXT_TRACE);

	memset(&own, 0x5a, sizeof(own));
	memcpy(own.trace_id, &trace, sizeof(trace));
	own.valid = 1;
}

/* Where no record is, whatever lies there. */
static const void *nowhere(struct rng *r)
{
	static const uint64_t kernel[] = { 0xffff888000000000, 0xffffffff81000000,
					   0xc000000000000000, 0xffffc90000000000 };

	switch (below(r, 4)) {
	case 0:
		return (void *)(uintptr_t)(kernel[below(r, ARRAY_SIZE(kernel))] +
					   below(r, 1 << 20));
	case 1:
		return (void *)(uintptr_t)(1ULL << 63 | rnd(r));
	case 2:
		return (void *)(uintptr_t)below(r, 4096);
	default:
		return NULL;
	}
}

static void point_at(const void *record)
{
	*(const void *volatile *)&pointer = record;
	for (unsigned int i = 0; i < 4; i++)
		getppid();
}

static void say_something(struct rng *r)
{
	for (unsigned int i = 0; i < 8; i++) {
		switch (below(r, 4)) {
		case 0:
			point_at(nowhere(r));
			break;
		case 1:
			/* the end of it may not be there */
			point_at(edge(r, &own, sizeof(own)));
			break;
		case 2:
			*(volatile uint8_t *)&own.valid = 2 + below(r, 254);
			point_at(&own);
			*(volatile uint8_t *)&own.valid = 1;
			break;
		default:
			point_at(&own);
		}
	}
	point_at(one_in(r, 3) ? NULL : &own);
}

/* No way to say it was switched off. */
static bool may_fail(int err)
{
	return err == -ENOMEM || err == -EACCES;
}

static void refused(uint64_t at)
{
	int ret = attach(at);

	if (!ret)
		broken("a context at %#llx was taken", (unsigned long long)at);
	if (ret != -EFAULT && ret != -EINVAL && !may_fail(ret))
		broken("a context at %#llx was refused by %d", (unsigned long long)at, ret);
}

void world_context(struct player *w, const struct op *op, struct rng *r)
{
	int ret;

	(void)w;
	(void)op;
	write_own();
	point_at(NULL);
	if (one_in(r, 4))
		refused(1ULL << 63 | rnd(r));
	if (one_in(r, 4))
		refused((uintptr_t)&pointer + 1 + below(r, 7));
	ret = attach((uintptr_t)&pointer);
	if (ret && !may_fail(ret))
		broken("a plain context was refused: %s: %s", strerror(-ret), k_reason());
	if (ret)
		return;
	say_something(r);
	if (one_in(r, 3) && attach(0) && pointer)
		point_at(NULL);
}
