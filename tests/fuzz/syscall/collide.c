// SPDX-License-Identifier: GPL-2.0
/*
 * Collisions: two threads do what they like with a few objects that only they have, at once and
 * in any order, closing them included. No law follows these, but for those that hold of each call:
 * it is the kernel that is to find what is used after it was freed, or locked the other way round.
 */
#include <sys/mman.h>
#include "fuzz.h"

#define DOORS 6
#define MOST_ACTS 24

/**
 * struct arena - what the two threads have in common
 * @w: whose
 * @attr: of its events
 * @place: channel or table that they are in, -1: none
 * @doors: descriptors of events; who takes one out has it alone
 * @seeds: of each thread
 */
struct arena {
	struct player *w;
	struct pev_attr attr;
	int place;
	int doors[DOORS];
	uint64_t seeds[2];
};

static int take(int *door, int instead)
{
	return __atomic_exchange_n(door, instead, __ATOMIC_RELAXED);
}

static int look(const int *door)
{
	return __atomic_load_n(door, __ATOMIC_RELAXED);
}

static void open_one(struct arena *a, struct rng *r, int *door)
{
	struct pev_attr attr = a->attr;

	if (one_in(r, 3))
		attr.group_fd = look(&a->doors[below(r, DOORS)]);
	if (one_in(r, 8))
		attr.target = PEV_TARGET_TASK + below(r, 3);
	if (one_in(r, 8))
		attr.flags ^= PEV_F_DISABLED;
	k_close(take(door, k_event(&attr)));
}

static void map_one(int fd)
{
	void *at = k_mmap(fd, PAGE, PROT_READ, MAP_SHARED, 0);

	if (at)
		k_munmap(at, PAGE);
}

static void control_one(struct arena *a, struct rng *r, int fd)
{
	static __thread struct pev_value values[MAX_CPUS];
	struct pev_cpu_values cpus = { .values = (uintptr_t)values, .nr = MAX_CPUS };
	struct pev_multiplexed m = { .size = sizeof(m) };
	struct pev_filter_arg filter = { .flags = one_in(r, 4) };
	uint64_t period = 1 + below(r, 1000);

	switch (below(r, 10)) {
	case 0:
		k_ioctl(fd, PEV_IOC_RESET, one_in(r, 2));
		break;
	case 1:
		if (a->attr.type == PEV_TYPE_TIMER)
			period += 1000000;
		k_ioctl(fd, one_in(r, 2) ? PEV_IOC_PERIOD : PEV_IOC_GROUP_PERIOD,
			(uintptr_t)&period);
		break;
	case 2:
		if (!one_in(r, 3))
			filter.filter = (uintptr_t)attr_filter(r, &a->attr);
		k_ioctl(fd, PEV_IOC_FILTER, (uintptr_t)&filter);
		break;
	case 3:
		k_ioctl(fd, PEV_IOC_READ_CPUS, (uintptr_t)&cpus);
		break;
	case 4:
		k_ioctl(fd, PEV_IOC_READ_MULTIPLEXED, (uintptr_t)&m);
		break;
	case 5:
		k_read(fd, values, sizeof(values));
		break;
	case 6:
		map_one(fd);
		break;
	default:
		k_ioctl(fd, one_in(r, 2) ? PEV_IOC_ENABLE : PEV_IOC_DISABLE, one_in(r, 3));
	}
}

static void control_place(struct rng *r, int fd)
{
	static __thread struct pev_span spans[MAX_CPUS];
	struct pev_snapshot_arg snapshot = { .spans = (uintptr_t)spans, .nr = MAX_CPUS };
	struct pev_table_swap swap = { .size = sizeof(swap), .cpu = below(r, nr_cpus) };
	struct pev_filter_arg filter = { .filter = (uintptr_t)filter_text(r) };

	switch (below(r, 8)) {
	case 0:
		k_ioctl(fd, PEV_IOC_SNAPSHOT, (uintptr_t)&snapshot);
		break;
	case 1:
		k_ioctl(fd, PEV_IOC_TABLE_SWAP, (uintptr_t)&swap);
		break;
	case 2:
		k_ioctl(fd, PEV_IOC_FILTER, (uintptr_t)&filter);
		break;
	case 3:
		k_ioctl(fd, PEV_IOC_ACT, below(r, PEV_ACT_MAX));
		break;
	case 4:
		k_ioctl(fd, PEV_IOC_FLUSH, 0);
		break;
	case 5:
		map_one(fd);
		break;
	default:
		k_ioctl(fd, one_in(r, 2) ? PEV_IOC_ENABLE : PEV_IOC_DISABLE, 0);
	}
}

static void act(struct arena *a, struct rng *r)
{
	int *door = &a->doors[below(r, DOORS)];

	switch (below(r, 10)) {
	case 0:
	case 1:
		open_one(a, r, door);
		break;
	case 2:
		k_close(take(door, -1));
		break;
	case 3:
	case 4:
		attr_excite(&a->attr, r);
		break;
	case 5:
		world_poke(a->w, &(struct op){ .a = below(r, VICTIMS) }, r);
		break;
	case 6:
		if (look(&a->place) >= 0)
			control_place(r, look(&a->place));
		break;
	default:
		if (look(door) >= 0)
			control_one(a, r, look(door));
	}
}

/* The last of each comes to an end in either thread. */
static void play(struct arena *a, uint64_t seed)
{
	struct rng r = { .state = seed };

	for (unsigned int n = 1 + below(&r, MOST_ACTS); n; n--)
		act(a, &r);
	if (one_in(&r, 2))
		k_close(take(&a->place, -1));
	for (unsigned int i = 0; i < DOORS; i++)
		k_close(take(&a->doors[i], -1));
	k_close(take(&a->place, -1));
}

static void play_second(void *arena)
{
	struct arena *a = arena;

	play(a, a->seeds[1]);
}

/* Events in a channel, in a table, or in nothing. */
static void make(struct arena *a, struct rng *r)
{
	struct layout layout;
	struct pev_attr attr;

	attr_event(a->w, r, &a->attr, &layout);
	a->attr.group_fd = -1;
	a->place = -1;
	if (one_in(r, 4)) {
		a->place = table_open(r, &a->attr);
	} else if (a->attr.channel_fd >= 0) {
		attr_channel(r, &attr);
		a->place = k_event(&attr);
	}
	a->attr.channel_fd = a->place;
	for (unsigned int i = 0; i < DOORS; i++)
		a->doors[i] = -1;
	open_one(a, r, &a->doors[0]);
	for (unsigned int i = 0; i < 2; i++)
		a->seeds[i] = rnd(r);
}

void collide(struct player *w, const struct op *op, struct rng *r)
{
	struct arena a = { .w = w };

	(void)op;
	make(&a, r);
	racer_call(w, play_second, &a);
	play(&a, a.seeds[0]);
	racer_wait();
	/* what the one opened behind the other's back */
	for (unsigned int i = 0; i < DOORS; i++)
		k_close(a.doors[i]);
}
