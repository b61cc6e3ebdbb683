// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that are lent to guests: who may lend them, what is refused, and, where the kernel has KVM
 * and counters that tell guests from the host, what a guest counts with them: exactly what its
 * code does. QEMU's TCG emulates AMD's processors, and POWER's.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include "grant_util.h"
#include "pev_refused.h"

#define ANYBODY 65533
#define MAX_RATE "/proc/sys/kernel/pev_max_sample_rate"

FIXTURE(grant)
{
	struct pev_levels before;
	int why_not; /* -errno; 0: this kernel lends counters */
};

FIXTURE_SETUP(grant)
{
	int fd;

	PEV_NEEDS_ROOT(return );
	PEV_DEFAULT_LEVELS(&self->before);
	fd = grant_open(getpid(), 1);
	self->why_not = fd == -EOPNOTSUPP || fd == -ENODEV ? fd : 0;
	if (fd >= 0)
		close(fd);
}

FIXTURE_TEARDOWN(grant)
{
	pev_set_levels(self->before);
}

/* Not every kernel lends, and says why not. */
TEST_F(grant, not_here)
{
	struct pev_attr attr = grant_attr(getpid(), 1);

	if (!self->why_not)
		SKIP(return, "this kernel lends counters");
	EXPECT_EQ(self->why_not, pev_open(&attr));
	EXPECT_LT(20, strlen(pev_reason())) TH_LOG("%s", pev_reason());
}

static int as_anybody(int cap)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		int fd;

		if (pev_become(ANYBODY, cap))
			_exit(250);
		fd = grant_open(getpid(), 1);
		_exit(fd < 0 ? -fd : 0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(grant, needs_perfmon)
{
	for (int level = -1; level <= 2; level++) {
		ASSERT_EQ(0, pev_set_paranoid(level));
		EXPECT_EQ(EACCES, as_anybody(-1)) TH_LOG("level %d", level);
		/* it runs no machine */
		EXPECT_EQ(self->why_not ? -self->why_not : EINVAL, as_anybody(PEV_CAP_PERFMON))
		TH_LOG("level %d", level);
	}
}

TEST_F(grant, members_without_meaning)
{
	struct pev_attr attr = grant_attr(getpid(), 1);

	attr.flags = PEV_F_DISABLED;
	PEV_REFUSED(attr, EINVAL, flags, "no meaning");
	attr.flags = 0;
	attr.period = 1;
	PEV_REFUSED(attr, EINVAL, period, "no meaning");
	attr.period = 0;
	attr.channel_fd = 3;
	PEV_REFUSED(attr, EINVAL, channel_fd, "no meaning");
}

#if defined(__x86_64__) || defined(__powerpc64__)
#define PERIOD 100000
/*
 * So much a counter counts behind an overflow, until the guest's handler has asked. On POWER the host
 * sees it where the guest was ended, by a timer that was set for 2 us later than it seemed to come.
 */
#define LATE (VMM_ENTRY_IS_GUESTS ? 20 : 3000)
/* Of a counter that overflows all the time: some more than an entry counts. */
#define OFTEN (VMM_ENTRY_IS_GUESTS ? 100 : 1000)

static struct pev_grant stat_of(int fd)
{
	struct pev_grant stat = {};

	if (read(fd, &stat, sizeof(stat)) != sizeof(stat))
		stat.size = 0;
	return stat;
}

TEST_F(lent, refusals)
{
	struct pev_attr attr = grant_attr(getpid(), 2);
	int status;
	pid_t pid;

	PEV_REFUSED(attr, EEXIST, target_id, "already");
	close(self->fd);
	self->fd = -1;
	attr.config = 0;
	PEV_REFUSED(attr, EINVAL, config, "counters");
	EXPECT_EQ(1, pev_why.head.min);
	EXPECT_LE(1, pev_why.head.max);
	EXPECT_GE(PEV_GUEST_COUNTERS, pev_why.head.max);
	attr.config = PEV_GUEST_COUNTERS + 1;
	PEV_REFUSED(attr, EINVAL, config, "counters");
	attr.config = 1ULL << 32 | 1;
	PEV_REFUSED(attr, EINVAL, config, "counters");
	attr = grant_attr(getpid(), 1);
	attr.target = PEV_TARGET_PROCESS;
	PEV_REFUSED(attr, EINVAL, target, "PEV_TARGET_GUEST");
	attr = grant_attr(getppid(), 1);
	PEV_REFUSED(attr, EINVAL, target_id, "no virtual machine");
	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	attr = grant_attr(pid, 1);
	PEV_REFUSED(attr, ESRCH, target_id, "no process");
	attr = grant_attr(-5, 1);
	PEV_REFUSED(attr, ESRCH, target_id, "no process");
	/* it was not refused for what was refused before */
	self->fd = grant_open(getpid(), 1);
	EXPECT_LE(0, self->fd) TH_LOG("%s", pev_reason());
}

/* A grant has the counters from the beginning, or is none. */
TEST_F(lent, others_have_the_counters)
{
	struct pev_attr attr = grant_attr(getpid(), 1);
	struct perf_event_attr perf = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(perf),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
	};
	int fd;

	PMU_SKIP_WITHOUT(SKIP);
	EXPECT_EQ(-1, syscall(__NR_perf_event_open, &perf, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
	close(self->fd);
	self->fd = -1;
	fd = syscall(__NR_perf_event_open, &perf, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, pev_open(&attr));
	EXPECT_LT(20, strlen(pev_reason())) TH_LOG("%s", pev_reason());
	close(fd);
	/* the counters are given back behind the call */
	for (unsigned int i = 0; i < 500 && self->fd < 0; i++) {
		self->fd = pev_open(&attr);
		if (self->fd < 0)
			usleep(10000);
	}
	EXPECT_LE(0, self->fd) TH_LOG("%s", pev_reason());
}

TEST_F(lent, descriptor)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	struct pev_grant stat = stat_of(self->fd);
	uint32_t size = 0;
	char byte;

	EXPECT_EQ(sizeof(stat), stat.size);
	EXPECT_EQ(0, stat.calls);
	EXPECT_EQ(4, read(self->fd, &size, 4));
	EXPECT_EQ(sizeof(stat), size);
	EXPECT_EQ(-1, read(self->fd, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, syscall(SYS_read, self->fd, NULL, sizeof(stat)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, write(self->fd, &byte, 1));
	EXPECT_EQ(-1, ioctl(self->fd, PEV_IOC_ENABLE, 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(0, poll(&p, 1, 0));
}

TEST_F(lent, guest_ends)
{
	struct pev_child child;
	struct pollfd p = {};
	struct vmm m;
	int fd;

	if (!pev_child_start(&child)) {
		if (vmm_open_calls(&m))
			_exit(1);
		pev_child_say(&child, 0);
		pev_child_wait(&child);
		if (!attached(&m))
			_exit(2);
		vmm_area(&m)->event[0] = PEV_HW_INSTRUCTIONS;
		vmm_area(&m)->set = 1;
		if (vmm_call(&m, PEV_GUEST_START, 1))
			_exit(3);
		pev_child_say(&child, 0);
		for (;;)
			vmm_calls(&m, PEV_GUEST_READ, 0, ROUNDS, PEV_GUEST_READ, 0);
	}
	ASSERT_EQ(0, pev_child_hear(&child));
	fd = grant_open(child.pid, 2);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_child_go(&child);
	ASSERT_EQ(0, pev_child_hear(&child));
	p = (struct pollfd){ .fd = fd, .events = POLLIN };
	EXPECT_EQ(0, poll(&p, 1, 0));
	EXPECT_EQ(1, stat_of(fd).vcpus);
	kill(child.pid, SIGKILL);
	EXPECT_EQ(1, poll(&p, 1, 60000));
	EXPECT_EQ(POLLHUP, p.revents);
	EXPECT_EQ(1000 + SIGKILL, pev_child_end(&child));
	EXPECT_LT(1, stat_of(fd).calls);
	close(fd);
}

TEST_F(lent, without_a_grant)
{
	uint32_t hello;

	close(self->fd);
	self->fd = -1;
	hello = vmm_call(&self->m, PEV_GUEST_HELLO, PEV_GUEST_VERSION);
	EXPECT_EQ(PEV_GUEST_VERSION, PEV_GUEST_HELLO_VERSION(hello));
	EXPECT_LE(1, PEV_GUEST_HELLO_MOST(hello));
	EXPECT_EQ(0, PEV_GUEST_HELLO_LENT(hello));
	EXPECT_LE(32, PEV_GUEST_HELLO_BITS(hello));
	/* one that knows less */
	hello = vmm_call(&self->m, PEV_GUEST_HELLO, 1);
	EXPECT_EQ(1, PEV_GUEST_HELLO_VERSION(hello));
	EXPECT_EQ(-EOPNOTSUPP, vmm_call(&self->m, PEV_GUEST_HELLO, 0));
	EXPECT_EQ(-ENODEV, vmm_call(&self->m, PEV_GUEST_ATTACH, VMM_AREA));
	EXPECT_EQ(-ENODEV, vmm_call(&self->m, PEV_GUEST_DETACH, 0));
	EXPECT_EQ(-ENODEV, vmm_call(&self->m, PEV_GUEST_START, 0));
	EXPECT_EQ(-ENODEV, vmm_call(&self->m, PEV_GUEST_STOP, 0));
	EXPECT_EQ(-ENODEV, vmm_call(&self->m, PEV_GUEST_READ, 0));
}

TEST_F(lent, what_can_be_counted)
{
	uint32_t hello = vmm_call(&self->m, PEV_GUEST_HELLO, PEV_GUEST_VERSION + 7);

	EXPECT_EQ(PEV_GUEST_VERSION, PEV_GUEST_HELLO_VERSION(hello));
	EXPECT_EQ(2, PEV_GUEST_HELLO_LENT(hello));
	EXPECT_LE(1, vmm_call(&self->m, PEV_GUEST_CHECK, PEV_HW_INSTRUCTIONS));
	EXPECT_LE(1, vmm_call(&self->m, PEV_GUEST_CHECK, PEV_HW_BRANCHES));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_CHECK, PEV_HW_MAX));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_CHECK, 0xffffffff));
}

TEST_F(lent, guest_is_refused)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	struct pev_grant stat;

	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_ATTACH, VMM_AREA + 8));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_ATTACH, VMM_AREA + 2));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_ATTACH, VMM_AREA + 256 + PEV_GUEST_WHOLE));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_ATTACH, VMM_MEMORY));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_ATTACH, 0xffffff00));
	ASSERT_TRUE(attached(&self->m));
	stat = stat_of(self->fd);
	EXPECT_EQ(1, stat.vcpus);
	/* no event was told, a counter too many, an event that is none, an unknown operation */
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_START, 1));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_START, 4));
	area->set = 1;
	area->event[0] = ~0ULL;
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_START, 1));
	area->event[0] = PEV_HW_INSTRUCTIONS | PEV_GUEST_NO_USER | PEV_GUEST_NO_KERNEL;
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_START, 1));
	area->set = 4;
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_START, 0));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_READ, 2));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_STOP, 2));
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, 99, 0));
	EXPECT_LE(stat.refused + 8, stat_of(self->fd).refused);
	EXPECT_EQ(0, vmm_call(&self->m, PEV_GUEST_DETACH, 0));
	EXPECT_EQ(0, stat_of(self->fd).vcpus);
}

TEST_F(lent, area_goes_away)
{
	struct kvm_userspace_memory_region none = { .slot = 0 };
	struct kvm_userspace_memory_region less = {
		.memory_size = VMM_AREA,
		.userspace_addr = (uintptr_t)self->m.memory,
	};
	struct kvm_userspace_memory_region more = {
		.slot = 1,
		.guest_phys_addr = VMM_AREA_END,
		.memory_size = VMM_MEMORY - VMM_AREA_END,
		.userspace_addr = (uintptr_t)self->m.memory + VMM_AREA_END,
	};

	ASSERT_TRUE(attached(&self->m));
	ASSERT_EQ(0, ioctl(self->m.vm, KVM_SET_USER_MEMORY_REGION, &none));
	ASSERT_EQ(0, ioctl(self->m.vm, KVM_SET_USER_MEMORY_REGION, &less));
	ASSERT_EQ(0, ioctl(self->m.vm, KVM_SET_USER_MEMORY_REGION, &more));
	EXPECT_EQ(-EFAULT, vmm_call(&self->m, PEV_GUEST_START, 0));
	EXPECT_EQ(-EFAULT, vmm_call(&self->m, PEV_GUEST_STOP, 0));
	EXPECT_EQ(0, vmm_call(&self->m, PEV_GUEST_READ, 0));
}

/*
 * What an entry counts in the guest's kernel: one on AMD's processors. On POWER, where this kernel is
 * a guest itself, so many instructions of KVM-HV each time. 0: it could not be found out.
 */
static uint64_t entry_cost(struct vmm *m)
{
#if defined(__x86_64__)
	(void)m;
	return 1;
#else
	vmm_area(m)->event[0] = PEV_HW_INSTRUCTIONS;
	vmm_area(m)->start[0] = 0;
	if (!undisturbed(m, 1, 0) || vmm_area(m)->value[0] - VMM_CALLS_INSNS(0) > 200)
		return 0;
	return vmm_area(m)->value[0] - VMM_CALLS_INSNS(0);
#endif
}

/* The second counter's event, and what it counts of a turn. */
#if VMM_COUNTS_BRANCHES
#define SECOND_EVENT PEV_HW_BRANCHES
#define SECOND_COUNT(rounds) VMM_CALLS_BRANCHES(rounds)
#else
#define SECOND_EVENT PEV_HW_INSTRUCTIONS
#define SECOND_COUNT(rounds) VMM_CALLS_INSNS(rounds)
#endif

TEST_F(lent, counts_exactly)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	uint64_t cost;

	PMU_SKIP_WITHOUT(SKIP);
	if (!pmu_is_exact())
		SKIP(return, "not a machine that counts exactly");
	ASSERT_TRUE(attached(&self->m));
	cost = entry_cost(&self->m);
	ASSERT_LT(0, cost);
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->event[1] = SECOND_EVENT | PEV_GUEST_NO_USER;
	for (uint32_t rounds = 0; rounds <= 2 * ROUNDS; rounds += ROUNDS) {
		area->start[1] = rounds ? 1000 : 0;
		ASSERT_TRUE(undisturbed(&self->m, 3, rounds));
		EXPECT_EQ(VMM_CALLS_INSNS(rounds) + cost, area->value[0]);
		EXPECT_EQ(area->start[1] + SECOND_COUNT(rounds) + cost, area->value[1]);
		EXPECT_EQ(area->value[0], vmm_call(&self->m, PEV_GUEST_READ, 0));
		EXPECT_EQ(area->value[1], vmm_call(&self->m, PEV_GUEST_READ, 1));
		EXPECT_EQ(0, area->over);
		EXPECT_EQ(0, area->missed);
	}
	/* the guest is in its kernel all the time */
	area->event[1] = SECOND_EVENT | PEV_GUEST_NO_KERNEL;
	area->start[1] = 7;
	ASSERT_TRUE(undisturbed(&self->m, 3, ROUNDS));
	EXPECT_EQ(7, area->value[1]);
}

/* Whatever interrupts, it is an entry more and nothing else. */
TEST_F(lent, entries_count)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	uint64_t cost, extra;
	int64_t entries;

	PMU_SKIP_WITHOUT(SKIP);
	if (!pmu_is_exact())
		SKIP(return, "not a machine that counts exactly");
	ASSERT_TRUE(attached(&self->m));
	cost = entry_cost(&self->m);
	ASSERT_LT(0, cost);
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->set = 1;
	entries = vmm_entries(&self->m);
	ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 1, VMM_ROUNDS, PEV_GUEST_STOP, 0));
	entries = vmm_entries(&self->m) - entries;
	extra = area->value[0] - VMM_CALLS_INSNS(VMM_ROUNDS);
	/* on POWER KVM counts exits that were none: a timer had expired before the guest was entered */
	if (VMM_ENTRY_IS_GUESTS)
		EXPECT_EQ(entries - 2, extra);
	EXPECT_EQ(0, extra % cost);
	EXPECT_GE(entries - 2, extra / cost);
	EXPECT_LE(1, extra / cost);
}

/* What is not set goes on from where it was. */
TEST_F(lent, goes_on)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	uint64_t cost, first;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_TRUE(attached(&self->m));
	cost = entry_cost(&self->m);
	area->event[0] = PEV_HW_INSTRUCTIONS;
	ASSERT_TRUE(undisturbed(&self->m, 1, ROUNDS));
	first = area->value[0];
	area->set = 0;
	area->start[0] = 12345;
	ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 1, ROUNDS, PEV_GUEST_STOP, 0));
	EXPECT_LE(2 * first, area->value[0]);
	EXPECT_GE(2 * first + 100 * cost, area->value[0]);
	first = area->value[0];
	/* one that is off stands still */
	ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 0, ROUNDS, PEV_GUEST_STOP, 0));
	EXPECT_EQ(first, area->value[0]);
}

/* Instructions take a certain time. */
static bool time_is_exact(void)
{
	const char *icount = getenv("PEV_ICOUNT");

	return icount && !strcmp(icount, "1");
}

TEST_F(lent, overflow_is_an_nmi)
{
	uint64_t mask = bits_mask(&self->m);
	struct pev_guest_area *area = vmm_area(&self->m);
	struct vmm_mail *mail = vmm_mail(&self->m);
	/* on POWER a timer ends the guest before the second call */
	bool in_time = VMM_ENTRY_IS_GUESTS || time_is_exact();
	struct pev_grant stat;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_TRUE(attached(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->start[0] = mask + 1 - PERIOD;
	area->set = 1;
	ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 1, VMM_ROUNDS, PEV_GUEST_STOP, 0));
	EXPECT_EQ(0, mail->result);
	EXPECT_EQ(1, mail->nmis);
	EXPECT_EQ(0, mail->other_nmis);
	EXPECT_EQ(1, mail->over);
	/* answered: it is none of the second call's */
	if (in_time) {
		EXPECT_EQ(0, mail->last_result);
		EXPECT_EQ(0, area->over);
	}
	EXPECT_GT(in_time ? PERIOD : 2 * VMM_ROUNDS, area->value[0]);
	stat = stat_of(self->fd);
	EXPECT_EQ(1, stat.overflows);
	EXPECT_EQ(1, stat.nmis);
	EXPECT_EQ(0, stat.throttled);
}

/* Each overflow is told, and what was counted behind it until then is not lost. */
TEST_F(lent, samples)
{
	uint64_t mask = bits_mask(&self->m), cost, extra;
	struct pev_guest_area *area = vmm_area(&self->m);
	struct vmm_mail *mail = vmm_mail(&self->m);
	struct pev_grant before, stat;
	int64_t entries;
	unsigned int at_end;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_TRUE(attached(&self->m));
	cost = entry_cost(&self->m);
	before = stat_of(self->fd);
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->start[0] = mask + 1 - PERIOD;
	area->set = 1;
	mail->again = 1;
	entries = vmm_entries(&self->m);
	ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 1, VMM_ROUNDS, PEV_GUEST_STOP, 0));
	EXPECT_EQ(0, mail->again_result);
	EXPECT_EQ(0, mail->other_nmis);
	EXPECT_EQ(0, area->missed);
	stat = stat_of(self->fd);
	EXPECT_EQ(mail->nmis, stat.overflows - before.overflows);
	EXPECT_EQ(mail->nmis, stat.nmis - before.nmis);
	if (!pmu_is_exact())
		return;
	/* the last call may find one, whose NMI comes behind it, and starts what nobody reads */
	at_end = mail->last_result;
	/* nothing counts in one at the beginning, one at the end, and one of each NMI */
	entries = vmm_entries(&self->m) - entries - 2 - mail->nmis - at_end;
	/* periods, what came behind each, and the rest are what the guest did, and entries */
	extra = (uint64_t)mail->nmis * PERIOD + mail->late - VMM_CALLS_INSNS(VMM_ROUNDS) -
		(uint64_t)(mail->nmis - at_end) * VMM_NMI_INSNS;
	if (!at_end) {
		EXPECT_GT(PERIOD, (area->value[0] - area->start[0]) & mask);
		extra += (area->value[0] - area->start[0]) & mask;
	}
	ASSERT_LT(0, cost);
	EXPECT_EQ(0, extra % cost);
	EXPECT_GE(entries, (int64_t)(extra / cost));
	/* one that an interrupt ends at once is not an instruction */
	EXPECT_LE(mail->nmis + !at_end, (int64_t)(extra / cost));
	if (!time_is_exact())
		return;
	EXPECT_GE((uint64_t)mail->nmis * LATE, mail->late)
	TH_LOG("%u NMIs, %lu instructions late in all", mail->nmis, (unsigned long)mail->late);
	EXPECT_LE(2 * VMM_ROUNDS / (PERIOD + LATE), mail->nmis);
}

/* The guest is told at its next call, and its counters are the host's again. */
TEST_F(lent, taken_back)
{
	struct pev_guest_area *area = vmm_area(&self->m);

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_TRUE(attached(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->set = 1;
	ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(-ENODEV, vmm_call(&self->m, PEV_GUEST_STOP, 0));
	EXPECT_EQ(-ENODEV, vmm_call(&self->m, PEV_GUEST_ATTACH, VMM_AREA));
	self->fd = grant_open(getpid(), 1);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(-ENODEV, vmm_call(&self->m, PEV_GUEST_STOP, 0));
	EXPECT_EQ(1, vmm_call(&self->m, PEV_GUEST_ATTACH, VMM_AREA));
	/* a new counter knows no event */
	area->set = 0;
	EXPECT_EQ(-EINVAL, vmm_call(&self->m, PEV_GUEST_START, 1));
}

/* The value goes with the thread that runs the guest's processor, wherever that is. */
TEST_F(lent, goes_with_its_thread)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	uint64_t cost;
	int64_t entries;
	pid_t pid;

	PMU_SKIP_WITHOUT(SKIP);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one CPU");
	ASSERT_TRUE(attached(&self->m));
	cost = VMM_ENTRY_IS_GUESTS ? 1 : 200;
	area->event[0] = PEV_HW_INSTRUCTIONS;
	pid = mover();
	ASSERT_LT(0, pid);
	for (int i = 0; i < 20; i++) {
		entries = entries_of_turn(&self->m, 1, VMM_ROUNDS);
		ASSERT_LE(0, entries);
		/* one that an interrupt ends at once is not an instruction */
		EXPECT_LT(VMM_CALLS_INSNS(VMM_ROUNDS), area->value[0]);
		EXPECT_GE(VMM_CALLS_INSNS(VMM_ROUNDS) + (entries - 2) * cost, area->value[0]);
		EXPECT_EQ(0, area->missed);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A guest whose counter overflows all the time has it stand still at times, and is told. */
TEST_F(lent, overflows_too_often)
{
	uint64_t mask = bits_mask(&self->m);
	struct pev_guest_area *area = vmm_area(&self->m);
	long rate = pev_get_number(MAX_RATE, 0);
	struct pev_grant stat;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_EQ(0, pev_put_number(MAX_RATE, 1000));
	ASSERT_TRUE(attached(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->start[0] = mask + 1 - OFTEN;
	vmm_mail(&self->m)->again = 1;
	/* until it was found out; each turn begins with it */
	for (unsigned int i = 0; i < 1000; i++) {
		area->set = 1;
		ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 1, ROUNDS, PEV_GUEST_STOP, 0));
		stat = stat_of(self->fd);
		if (stat.throttled && stat.missed)
			break;
	}
	EXPECT_LT(0, stat.throttled);
	EXPECT_LT(0, stat.missed);
	EXPECT_EQ(0, stat.refused);
	EXPECT_EQ(0, vmm_mail(&self->m)->other_nmis);
	EXPECT_EQ(0, pev_put_number(MAX_RATE, rate));
	/* others count as before */
	area->start[0] = 0;
	vmm_mail(&self->m)->again = 0;
	ASSERT_TRUE(undisturbed(&self->m, 1, ROUNDS));
	EXPECT_LE(VMM_CALLS_INSNS(ROUNDS) + 1, area->value[0]);
}

/* Host and guest count at once, each its own. */
TEST_F(lent, host_counts_too)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_EXCLUDE_GUEST);
	uint64_t alone, beside;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pmu_count(fd, ROUNDS);
	alone = pmu_count(fd, ROUNDS);
	ASSERT_TRUE(attached(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	ASSERT_TRUE(undisturbed(&self->m, 1, ROUNDS));
	beside = area->value[0];
	area->set = 1;
	ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
	EXPECT_EQ(alone, pmu_count(fd, ROUNDS));
	pev_on(fd);
	ASSERT_TRUE(undisturbed(&self->m, 1, ROUNDS));
	pev_off(fd);
	EXPECT_EQ(beside, area->value[0]);
	close(fd);
}

/* Counters that others need first stand still, and the guest is told for how long. */
TEST_F(lent, stands_still)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, PEV_F_PINNED, -1, 0);
	/* one of POWER's counts cycles alone */
	uint32_t counters = pmu_info().pmu_counters - !VMM_COUNTS_BRANCHES;
	int fds[64], nr = 0;
	uint64_t begin, lost;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->event[1] = PEV_HW_INSTRUCTIONS;
	area->start[1] = 777;
	/* behind the guest's in the queue, but there before they are started */
	while (nr < (int)counters - 1 && nr < 64) {
		fds[nr] = pev_open(&attr);
		ASSERT_LE(0, fds[nr]) TH_LOG("%s", pev_reason());
		pev_on(fds[nr++]);
	}
	area->set = 3;
	begin = pev_clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 3, VMM_ROUNDS, PEV_GUEST_STOP, 0));
	begin = pev_clock_ns(CLOCK_MONOTONIC) - begin;
	ASSERT_EQ(0, vmm_mail(&self->m)->result);
	EXPECT_EQ(2, area->missed);
	EXPECT_EQ(0, area->lost[0]);
	EXPECT_LT(VMM_CALLS_INSNS(VMM_ROUNDS), area->value[0]);
	/* with another processor the thread may leave and come back, before the others in the queue */
	EXPECT_GE(777 + area->value[0], area->value[1]);
	EXPECT_GE(begin, area->lost[1]);
	EXPECT_LT(area->value[1] == 777 && time_is_exact() ? begin / 2 : 0, area->lost[1]);
	/* in the middle of it they are given back */
	ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 3, VMM_ROUNDS, PEV_GUEST_HELLO, 2));
	while (nr)
		close(fds[--nr]);
	begin = pev_clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_HELLO, 2, VMM_ROUNDS, PEV_GUEST_STOP, 0));
	begin = pev_clock_ns(CLOCK_MONOTONIC) - begin;
	EXPECT_EQ(2, area->missed);
	lost = area->lost[1];
	EXPECT_LT(0, lost);
	EXPECT_LT(777 + VMM_CALLS_INSNS(VMM_ROUNDS), area->value[1]);
	/* that was all */
	ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 3, ROUNDS, PEV_GUEST_STOP, 0));
	EXPECT_EQ(0, area->missed);
	EXPECT_EQ(0, area->lost[1]);
	EXPECT_EQ(VMM_CALLS_READS, !!area->reg[1]);
}

/* ---- other code of the guest's ---- */

#if defined(__x86_64__)
#define OTHER_CODE 0x9000
#define PC rip

static const uint8_t leaves[] = {
	0xe6, VMM_PORT, /* out %al, $VMM_PORT */
	0xeb, 0xfc, /* jmp, to the first */
};
#else
#define OTHER_CODE (VMM_CODE + 0x1000)
#define PC pc

static const uint32_t leaves[] = {
	0x3ca00000 | VMM_PORT >> 16, /* lis r5 */
	0x90850000, /* stw r4, 0(r5) */
	0x4bfffff8, /* b, to the first */
};
#endif

/* What the guest goes on with; NULL: that which makes calls. */
static bool give_code(struct vmm *m, const void *code, size_t size)
{
	struct kvm_regs regs;

	if (code)
		memcpy(m->memory + OTHER_CODE, code, size);
	if (ioctl(m->vcpu, KVM_GET_REGS, &regs))
		return false;
	regs.PC = code ? OTHER_CODE : VMM_CODE;
	return !ioctl(m->vcpu, KVM_SET_REGS, &regs);
}

/* of instructions, by four counters */
#define COST_MAX 300

/* With all that the interface has: what is read without an exit, too. */
TEST_F(lent, exits_cost_little)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	int64_t cost[2];

	PMU_SKIP_WITHOUT(SKIP);
	if (!time_is_exact())
		SKIP(return, "instructions take no certain time");
	close(self->fd);
	self->fd = -1;
	for (unsigned int lent = 0; lent < 2; lent++) {
		if (lent) {
			self->fd = grant_open(getpid(), 4);
			ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
			ASSERT_EQ(4,
				  vmm_call(&self->m, PEV_GUEST_ATTACH, VMM_AREA | PEV_GUEST_WHOLE));
			for (unsigned int i = 0; i < 4; i++)
				area->event[i] = i % 2 ? PEV_HW_CYCLES : PEV_HW_INSTRUCTIONS;
			area->set = 15;
			ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 15));
		}
		ASSERT_TRUE(give_code(&self->m, leaves, sizeof(leaves)));
		cost[lent] = vmm_round_trip(&self->m);
		ASSERT_LT(0, cost[lent]);
		ASSERT_TRUE(give_code(&self->m, NULL, 0));
	}
	TH_LOG("%ld instructions, %ld without", (long)cost[1], (long)cost[0]);
	EXPECT_GE(COST_MAX, cost[1] - cost[0]);
	EXPECT_EQ(0, vmm_call(&self->m, PEV_GUEST_STOP, 0));
	EXPECT_EQ(0, area->missed);
	EXPECT_LT(VMM_COST_TRIES * 2 * VMM_COST_TURNS, area->value[0]);
}

#if defined(__powerpc64__)
/* A guest that uses the PMU itself has it alone, and is told for how long what it is lent stood still. */
TEST_F(lent, guest_has_the_pmu)
{
	static const uint32_t code[] = {
		0x38000000, /* li r0, 0 */
		0x7c1bc3a6, /* mtspr MMCR0, r0 */
		0x3c800000 | VMM_ROUNDS >> 16, /* lis r4 */
		0x60840000 | (VMM_ROUNDS & 0xffff), /* ori r4, r4 */
		0x7c8903a6, /* mtctr r4 */
		0x38c60001, /* addi r6, r6, 1 */
		0x4200fffc, /* bdnz, to the addi */
		0x38000001, /* li r0, 1 */
		0x7800f824, /* sldi r0, r0, 31 */
		0x7c1bc3a6, /* mtspr MMCR0, r0: FC */
		0x3ca00000 | VMM_PORT >> 16, /* lis r5 */
		0x90850000, /* stw r4, 0(r5) */
	};
	struct pev_guest_area *area = vmm_area(&self->m);
	uint64_t began;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->set = 1;
	ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
	began = pev_clock_ns(CLOCK_MONOTONIC);
	ASSERT_TRUE(give_code(&self->m, code, sizeof(code)));
	ASSERT_EQ(0, vmm_round(&self->m));
	began = pev_clock_ns(CLOCK_MONOTONIC) - began;
	ASSERT_TRUE(give_code(&self->m, NULL, 0));
	EXPECT_EQ(0, vmm_call(&self->m, PEV_GUEST_STOP, 0));
	EXPECT_EQ(1, area->missed);
	EXPECT_LT(time_is_exact() ? began / 2 : 0, area->lost[0]);
	EXPECT_GE(began, area->lost[0]);
	EXPECT_GT(VMM_ROUNDS, area->value[0]);
	/* from then on they count again */
	ASSERT_TRUE(undisturbed(&self->m, 1, ROUNDS));
	EXPECT_EQ(0, area->missed);
	EXPECT_EQ(0, area->lost[0]);
	EXPECT_LT(VMM_CALLS_INSNS(ROUNDS), area->value[0]);
}

#endif

#endif

TEST_HARNESS_MAIN
