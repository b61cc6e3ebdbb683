// SPDX-License-Identifier: GPL-2.0
/*
 * A virtual machine of the worker's own, where KVM is: events on its guest come and go while
 * it runs, and while it ends. What they count can't be known, but that nothing of the host
 * is among it.
 */
#include "fuzz.h"

#if defined(__x86_64__)
#include "vmm.h"

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
#else
void attack_guest(struct player *w, const struct op *op, struct rng *r)
{
	(void)w;
	(void)op;
	(void)r;
}
#endif
