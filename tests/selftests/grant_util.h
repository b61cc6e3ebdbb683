/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest of a few instructions that is lent counters, where the kernel has KVM and counters that tell
 * guests from the host. QEMU's TCG emulates AMD's processors, and POWER's.
 */
#ifndef GRANT_UTIL_H
#define GRANT_UTIL_H

#include "kselftest_harness.h"
#include "pmu_util.h"

static inline struct pev_attr grant_attr(pid_t pid, uint64_t counters)
{
	return (struct pev_attr){
		.type = PEV_TYPE_GRANT,
		.target = PEV_TARGET_GUEST,
		.target_id = pid,
		.config = counters,
		.channel_fd = -1,
		.group_fd = -1,
	};
}

static inline int grant_open(pid_t pid, uint64_t counters)
{
	struct pev_attr attr = grant_attr(pid, counters);

	return pev_open(&attr);
}

#if defined(__x86_64__) || defined(__powerpc64__)
#include "vmm_calls.h"

#define ROUNDS 50000
/* So often a turn is tried until no interrupt of the host's is in it. */
#define TRIES 50

FIXTURE(lent)
{
	struct vmm m;
	int fd;
};

FIXTURE_SETUP(lent)
{
	self->m = (struct vmm){ .kvm = -1, .vm = -1, .vcpu = -1 };
	self->fd = -1;
	PEV_NEEDS_ROOT(return );
	vmm_load_kvm();
	if (access("/dev/kvm", R_OK | W_OK))
		SKIP(return, "no /dev/kvm");
	ASSERT_EQ(0, vmm_open_calls(&self->m));
	self->fd = grant_open(getpid(), 2);
	if (self->fd == -EOPNOTSUPP || self->fd == -ENODEV)
		SKIP(return, "this kernel lends no counters");
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(lent)
{
	vmm_close(&self->m);
	if (self->fd >= 0)
		close(self->fd);
}

static inline bool attached(struct vmm *m)
{
	return vmm_call(m, PEV_GUEST_ATTACH, VMM_AREA) == 2;
}

static inline uint64_t bits_mask(struct vmm *m)
{
	uint32_t hello = vmm_call(m, PEV_GUEST_HELLO, PEV_GUEST_VERSION);

	return (1ULL << PEV_GUEST_HELLO_BITS(hello)) - 1;
}

static inline bool attached_whole(struct vmm *m)
{
	return vmm_call(m, PEV_GUEST_ATTACH, VMM_AREA | PEV_GUEST_WHOLE) == 2;
}

/*
 * A turn in which the counters of @mask are started and stopped. Return: entries into the guest in it;
 * -1: a call was refused, or the guest fell over.
 */
static inline int64_t entries_of_turn(struct vmm *m, uint32_t mask, uint32_t rounds)
{
	int64_t before = vmm_entries(m);

	vmm_area(m)->set = mask;
	if (vmm_calls(m, PEV_GUEST_START, mask, rounds, PEV_GUEST_STOP, 0) || vmm_mail(m)->result ||
	    vmm_mail(m)->last_result)
		return -1;
	return vmm_entries(m) - before;
}

/* A turn in which nothing interrupted but @exits of the guest's own, beside those of the two calls. */
static inline bool undisturbed_but(struct vmm *m, uint32_t mask, uint32_t rounds, int exits)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		int64_t entries = entries_of_turn(m, mask, rounds);

		if (entries < 0 || entries == 3 + exits)
			return entries >= 0;
	}
	return false;
}

/* One entry is counted: that behind PEV_GUEST_START. */
static inline bool undisturbed(struct vmm *m, uint32_t mask, uint32_t rounds)
{
	return undisturbed_but(m, mask, rounds, 0);
}

/* Move the caller between CPUs until killed. */
static inline pid_t mover(void)
{
	pid_t thread = getpid(), pid = fork();

	for (int cpu = 0; !pid; cpu = !cpu)
		if (pev_pin_task(thread, cpu) || getppid() != thread)
			_exit(1);
	return pid;
}
#endif

#endif
