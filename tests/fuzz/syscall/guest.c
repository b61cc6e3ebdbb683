// SPDX-License-Identifier: GPL-2.0
/*
 * A virtual machine of the worker's own, where KVM is: events on its guest come and go while
 * it runs, and while it ends. What they count can't be known, but that nothing of the host
 * is among it. And counters that are lent to such guests, or to processes that have none.
 */
#include "fuzz.h"

#include <poll.h>

static int grant_open(const struct player *w, struct rng *r, int pid)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_GRANT,
		.target = PEV_TARGET_GUEST,
		.target_id = pid,
		.config = one_in(r, 8) ? strange(r) : below(r, 10),
		.channel_fd = -1,
		.group_fd = -1,
	};
	int fd;

	if (one_in(r, 16))
		attr.target = below(r, PEV_TARGET_MAX + 1);
	fd = k_event(&attr);
	if (fd >= 0 && !w->root)
		broken("a user lends counters to process %d", pid);
	return fd;
}

static void grant_use(int fd, struct rng *r)
{
	struct pollfd p = { .fd = fd, .events = (short)rnd(r) };
	struct pev_grant stat = {};
	ssize_t got;

	if (fd < 0)
		return;
	got = k_read(fd, &stat, one_in(r, 2) ? sizeof(stat) : below(r, sizeof(stat)));
	if (got == sizeof(stat) &&
	    (stat.size != sizeof(stat) || stat.refused > stat.calls || stat.nmis > stat.overflows))
		broken("a grant says %u bytes, %llu of %llu calls refused, %llu NMIs for %llu overflows",
		       stat.size, (llu)stat.refused, (llu)stat.calls, (llu)stat.nmis,
		       (llu)stat.overflows);
	poll(&p, 1, 0);
	if (one_in(r, 4))
		k_ioctl(fd, one_in(r, 2) ? PEV_IOC_ENABLE : (unsigned long)strange(r), strange(r));
}

/* A process, of which most run no machine. */
static int any_process(const struct player *w, struct rng *r)
{
	switch (below(r, 5)) {
	case 0:
		return getpid();
	case 1:
		return getppid();
	case 2:
		return (int)strange(r);
	default:
		return w->victims[below(r, VICTIMS)].pid;
	}
}

#if defined(__x86_64__)
#include "vmm_calls.h"

#define GUEST_EVENTS 6

static int open_one(struct rng *r, uint64_t *flags)
{
	static const uint64_t some[] = { 0, PEV_F_EXCLUDE_USER, PEV_F_EXCLUDE_KERNEL,
					 PEV_F_EXCLUDE_HOST };
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER,
		.target = PEV_TARGET_GUEST,
		.channel_fd = -1,
		.group_fd = -1,
		.period = PEV_MIN_TIMER_NS << below(r, 8),
	};

	if (slow)
		attr.period *= 50;
	if (one_in(r, 6)) {
		attr.type = PEV_TYPE_HARDWARE;
		attr.period = 0;
	}
	attr.flags = some[below(r, ARRAY_SIZE(some))];
	*flags = attr.flags;
	return k_event(&attr);
}

/* A guest in one mode is in no other. */
static void check(int fd, uint64_t flags, bool user)
{
	uint64_t mode = user ? PEV_F_EXCLUDE_USER : PEV_F_EXCLUDE_KERNEL;
	struct pev_value v;

	if (fd < 0 || read(fd, &v, sizeof(v)) != sizeof(v))
		return;
	if (flags & mode && v.value)
		broken("%llu ticks in the mode of a guest that flags %#llx exclude",
		       (unsigned long long)v.value, (unsigned long long)flags);
}

void attack_guest(struct player *w, const struct op *op, struct rng *r)
{
	unsigned int rounds = 1 + below(r, 3), begin = below(r, 4), end = below(r, 4);
	bool user = one_in(r, 2);
	uint64_t flags[GUEST_EVENTS];
	int fds[GUEST_EVENTS];
	struct vmm m;

	(void)w;
	(void)op;
	for (unsigned int i = 0; i < GUEST_EVENTS; i++)
		fds[i] = -1;
	if (!vmm_open(&m, user)) {
		for (unsigned int i = begin; i < GUEST_EVENTS; i++)
			fds[i] = open_one(r, &flags[i]);
		while (rounds-- && !vmm_round(&m))
			;
		for (unsigned int i = 0; i < end; i++)
			k_close(fds[i]);
		for (unsigned int i = end; i < GUEST_EVENTS; i++)
			check(fds[i], flags[i], user);
	}
	vmm_close(&m);
	for (unsigned int i = end; i < GUEST_EVENTS; i++)
		k_close(fds[i]);
}

static uint32_t some_arg(struct rng *r)
{
	static const uint32_t args[] = {
		VMM_AREA,	  VMM_AREA,   VMM_AREA,	  VMM_AREA + 8,
		VMM_MEMORY - 256, VMM_MEMORY, 0xffffff00,
	};

	return one_in(r, 2) ? below(r, 9) :
	       one_in(r, 8) ? (uint32_t)strange(r) :
			      args[below(r, ARRAY_SIZE(args))];
}

/* The guest's own calls, while its counters come and go. */
static void call_from_guest(const struct player *w, struct rng *r)
{
	unsigned int turns = 1 + below(r, 12);
	struct vmm m;
	int fd = -1;

	if (vmm_open_calls(&m))
		turns = 0;
	while (turns--) {
		struct pev_guest_area *area = vmm_area(&m);

		if (fd < 0)
			fd = grant_open(w, r, getpid());
		grant_use(fd, r);
		area->set = one_in(r, 2) ? 1 : rnd(r);
		area->event[0] = one_in(r, 2) ? below(r, PEV_HW_MAX + 1) : rnd(r);
		area->start[0] = (1ULL << 48) - 1 - below(r, 100000);
		vmm_mail(&m)->again = below(r, 2);
		if (vmm_calls(&m, one_in(r, 2) ? PEV_GUEST_ATTACH : below(r, 9), some_arg(r),
			      below(r, 10000), below(r, 8), some_arg(r)))
			break;
		if (fd >= 0 && one_in(r, 3)) {
			k_close(fd);
			fd = -1;
		}
	}
	if (fd >= 0 && one_in(r, 2)) {
		k_close(fd);
		fd = -1;
	}
	vmm_close(&m);
	grant_use(fd, r);
	if (fd >= 0)
		k_close(fd);
}
#else
static void call_from_guest(const struct player *w, struct rng *r)
{
	(void)w;
	(void)r;
}

void attack_guest(struct player *w, const struct op *op, struct rng *r)
{
	(void)w;
	(void)op;
	(void)r;
}
#endif

void attack_grant(struct player *w, const struct op *op, struct rng *r)
{
	int fd, *other = &w->others[op->b % OTHERS];

	if (one_in(r, 4)) {
		call_from_guest(w, r);
		return;
	}
	fd = grant_open(w, r, any_process(w, r));
	grant_use(fd, r);
	if (fd < 0)
		return;
	/* it is held, and others may get it */
	if (*other >= 0)
		k_close(*other);
	*other = fd;
}
