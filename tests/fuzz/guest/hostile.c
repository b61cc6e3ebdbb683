// SPDX-License-Identifier: GPL-2.0
/*
 * Guests that make hypercalls of linux/pev_guest.h by chance: any operation, addresses beyond memory,
 * read-only or without a page behind them, areas full of nonsense, counters that overflow at each
 * instruction; and read counters by any number that the processor may know, and on POWER write them
 * and their controls, too. The host lends them counters and takes them back meanwhile, and kills
 * them in the middle. What it counts of its own work must be exact all the time, and be seen by none
 * of them. guest.h has what is the guests'.
 *
 * usage: hostile [CALLS [SEED]]
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "guest.h"
#include "pmu_util.h"
#include "tap.h"

#define GUESTS 2
#define ROUNDS 2000
#define SAMPLED 5000 /* instructions of the host's kernel */

/* What all processes share. */
static struct shared {
	uint64_t calls;
	uint64_t refused;
	uint64_t nmis;
	uint64_t reads;
	uint64_t faults;
	uint64_t leaks;
	uint64_t fell; /* over, and were set up again */
} * all;

/* ---- a guest and its process ---- */

static uint32_t some_word(void)
{
	static const uint32_t words[] = {
		VMM_AREA,
		VMM_AREA,
		VMM_AREA,
		VMM_AREA,
		VMM_AREA,
		VMM_AREA | PEV_GUEST_WHOLE,
		VMM_AREA | PEV_GUEST_WHOLE,
		VMM_AREA | PEV_GUEST_WHOLE,
		(VMM_AREA + 0x100) | PEV_GUEST_WHOLE,
		VMM_AREA + 0xf00,
		VMM_AREA + 8,
		GUEST_TABLES,
		VMM_MEMORY - 256,
		VMM_MEMORY,
		VMM_MEMORY - 128,
		GUEST_READ_ONLY,
		GUEST_HOLE,
		0xffffff00,
		0x80000000,
		0,
		1,
		2,
		3,
		4,
		5,
		7,
		15,
		255,
		0xffff,
		0xfffffff0,
		0xffffffff,
		PEV_HW_INSTRUCTIONS,
		PEV_HW_BRANCHES,
		PEV_HW_CYCLES,
		PEV_HW_MAX,
		0x10000000,
		0x50000000,
		0x90000000,
		0xc0000000,
	};

	return words[below(sizeof(words) / sizeof(*words))];
}

static uint64_t some_event(void)
{
	static const uint64_t modes[] = {
		0,
		0,
		0,
		PEV_GUEST_NO_USER,
		PEV_GUEST_NO_KERNEL,
		PEV_GUEST_NO_USER | PEV_GUEST_NO_KERNEL,
		1ULL << 61,
	};
	uint64_t mode = modes[below(sizeof(modes) / sizeof(*modes))];

	switch (below(4)) {
	case 0:
		return mode | PEV_GUEST_RAW | (below(2) ? 0xc0 : rnd() & PEV_GUEST_EVENT_CODE);
	case 1:
		return mode | below(PEV_HW_MAX + 2);
	default:
		return rnd();
	}
}

static uint64_t some_start(void)
{
	switch (below(4)) {
	case 0:
		return rnd();
	case 1:
		return 0;
	default:
		/* of 48 bits, or a few */
		return (1ULL << 48) - 1 - (below(3) ? below(2000) : 0);
	}
}

static void some_call(uint32_t call[2])
{
	switch (below(10)) {
	case 0:
		call[0] = PEV_GUEST_ATTACH;
		call[1] = VMM_AREA | (below(4) ? PEV_GUEST_WHOLE : 0);
		break;
	case 1 ... 5:
		call[0] = PEV_GUEST_START;
		call[1] = below(8) ? 1 : below(16);
		break;
	case 6 ... 7:
		call[0] = PEV_GUEST_STOP;
		call[1] = below(2);
		break;
	default:
		call[0] = below(4) ? PEV_GUEST_READ : PEV_GUEST_CHECK;
		call[1] = below(4);
	}
}

/* What the guest takes its words from. */
static void fill(struct vmm *m)
{
	static const uint32_t often[] = {
		PEV_GUEST_ATTACH, PEV_GUEST_STOP, PEV_GUEST_START, PEV_GUEST_START, PEV_GUEST_READ,
	};
	struct pev_guest_area *area = (struct pev_guest_area *)(m->memory + TEMPLATE);
	uint32_t *ops = (uint32_t *)(m->memory + OPS), *words = (uint32_t *)(m->memory + WORDS);

	for (unsigned int i = 0; i < 16; i++)
		ops[i] = i < 8 ? i : often[below(sizeof(often) / sizeof(*often))];
	if (!below(4))
		ops[7] = (uint32_t)rnd();
	for (unsigned int i = 0; i < 64; i++)
		words[i] = some_word();
	for (unsigned int i = 0; i < 32; i++)
		some_call((uint32_t *)(m->memory + PAIRS) + 2 * i);
	area->set = below(8) ? 1 : below(4) ? below(16) : rnd();
	for (unsigned int i = 0; i < PEV_GUEST_COUNTERS; i++) {
		area->event[i] = below(8) ? PEV_HW_INSTRUCTIONS : some_event();
		area->start[i] = some_start();
	}
	guest_fill(m);
}

static int set_up(struct vmm *m)
{
	memset(m->memory, 0, VMM_MEMORY);
	*(uint32_t *)(m->memory + STATE) = (uint32_t)rnd() | 1;
	if (guest_set_up(m))
		return -1;
	fill(m);
	return 0;
}

static int add_memory(struct vmm *m, uint32_t slot, uint64_t at)
{
	bool hole = at == GUEST_HOLE;
	void *page = mmap(NULL, GUEST_PAGE, hole ? PROT_READ : GUEST_READ_ONLY_PROT,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = {
		.slot = slot,
		.flags = hole ? 0 : GUEST_READ_ONLY_FLAGS,
		.guest_phys_addr = at,
		.memory_size = GUEST_PAGE,
		.userspace_addr = (uintptr_t)page,
	};
	int err = page == MAP_FAILED || ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &region);

	if (!err && hole)
		munmap(page, GUEST_PAGE);
	return err;
}

/* What the guest counted since it was asked last. */
static void take(struct vmm *m)
{
	static const struct {
		unsigned int at;
		size_t to;
	} counts[] = {
		{ CALLS, offsetof(struct shared, calls) },
		{ REFUSED, offsetof(struct shared, refused) },
		{ NMIS, offsetof(struct shared, nmis) },
		{ READS, offsetof(struct shared, reads) },
		{ FAULTS, offsetof(struct shared, faults) },
		{ LEAKS, offsetof(struct shared, leaks) },
	};

	guest_judge(m);
	for (unsigned int i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		uint32_t *count = (uint32_t *)(m->memory + counts[i].at);

		__atomic_fetch_add((uint64_t *)((char *)all + counts[i].to), *count,
				   __ATOMIC_RELAXED);
		*count = 0;
	}
}

static void guest_main(void)
{
	struct vmm m;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (guest_open(&m) || add_memory(&m, 1, GUEST_READ_ONLY) || add_memory(&m, 2, GUEST_HOLE) ||
	    set_up(&m))
		_exit(1);
	for (;;) {
		bool fell = vmm_round(&m);

		take(&m);
		__atomic_fetch_add(&all->fell, fell, __ATOMIC_RELAXED);
		/* what it wrote over its tables is its ruin at the next NMI, unless it is set up */
		if (fell || !below(4)) {
			if (set_up(&m))
				_exit(2);
		} else {
			fill(&m);
		}
	}
}

struct guest {
	pid_t pid;
	int grant;
};

static bool guest_start(struct guest *g)
{
	uint64_t next = rnd();

	g->grant = -1;
	g->pid = fork();
	if (!g->pid) {
		seed = next | 1;
		guest_main();
	}
	return g->pid > 0;
}

/* ---- the host ---- */

/**
 * struct sums - what the host saw
 * @ended: guests that ended by themselves
 * @samples: of the host's own kernel
 */
struct sums {
	uint64_t measured, wrong;
	uint64_t lent, killed, ended;
	uint64_t samples;
	struct pev_grant grants;
};

static void give_back(struct guest *g, struct sums *s)
{
	struct pev_grant stat;

	if (g->grant < 0)
		return;
	if (read(g->grant, &stat, sizeof(stat)) == sizeof(stat)) {
		s->grants.calls += stat.calls;
		s->grants.refused += stat.refused;
		s->grants.overflows += stat.overflows;
		s->grants.nmis += stat.nmis;
		s->grants.missed += stat.missed;
		s->grants.throttled += stat.throttled;
	}
	close(g->grant);
	g->grant = -1;
}

static void lend(struct guest *g, struct sums *s)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_GRANT,
		.target = PEV_TARGET_GUEST,
		.target_id = g->pid,
		.config = 1 + below(4),
		.channel_fd = -1,
		.group_fd = -1,
	};

	if (g->grant >= 0)
		return;
	/* it may have no machine yet */
	g->grant = pev_open(&attr);
	s->lent += g->grant >= 0;
}

static void end(struct guest *g, struct sums *s)
{
	int status;

	kill(g->pid, SIGKILL);
	waitpid(g->pid, &status, 0);
	if (WIFEXITED(status)) {
		s->ended++;
		printf("# a guest's process ended with %d\n", WEXITSTATUS(status));
	}
	/* before or after its process is gone */
	give_back(g, s);
	s->killed++;
}

static void disturb(struct guest *guests, struct sums *s)
{
	struct guest *g = &guests[below(GUESTS)];

	switch (below(40)) {
	case 0:
		if (below(2))
			give_back(g, s);
		end(g, s);
		guest_start(g);
		break;
	case 1 ... 6:
		give_back(g, s);
		break;
	default:
		lend(g, s);
	}
}

/* What the host does itself is the same each time. */
static void measure(int fd, uint64_t want, struct sums *s)
{
	uint64_t got = pmu_count(fd, ROUNDS);
	struct pev_multiplexed times = pmu_multiplexed(fd);

	s->measured++;
	if (got == want && times.time_running == times.time_enabled)
		return;
	s->wrong++;
	printf("# %llu instructions instead of %llu, in %llu of %llu ns\n", (unsigned long long)got,
	       (unsigned long long)want, (unsigned long long)times.time_running,
	       (unsigned long long)times.time_enabled);
}

static bool text_has_grants(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_PMU, .channel_fd = -1, .group_fd = -1 };
	static char text[65536];
	int fd = pev_open(&attr);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	text[got > 0 ? got : 0] = 0;
	return got < 0 || strstr(text, "\ngrant ");
}

static int can_lend(void)
{
	struct guest g = { .grant = -1 };
	struct sums none = {};
	struct vmm m;

	if (vmm_open(&m, false))
		return -errno;
	g.pid = getpid();
	lend(&g, &none);
	vmm_close(&m);
	if (g.grant >= 0)
		close(g.grant);
	return g.grant < 0 ? g.grant : 0;
}

static void run(uint64_t most, struct sums *s)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, 0, -1, 0);
	struct guest guests[GUESTS];
	int channel = pev_open_channel(65536, 0, 0), beside, sampler;
	uint64_t want;

	/* what guests must not see, at times */
	attr.target = PEV_TARGET_CPUS;
	beside = pev_open(&attr);
	/* addresses of the host's kernel stay where samples are taken */
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_USER, channel, SAMPLED);
	sampler = pev_open(&attr);
	pev_on(sampler);
	pmu_count(fd, ROUNDS);
	want = pmu_count(fd, ROUNDS);
	for (unsigned int i = 0; i < GUESTS; i++)
		guest_start(&guests[i]);
	while (__atomic_load_n(&all->calls, __ATOMIC_RELAXED) < most && s->ended < 10) {
		disturb(guests, s);
		if (!below(4))
			ioctl(beside, below(2) ? PEV_IOC_ENABLE : PEV_IOC_DISABLE, 0);
		measure(fd, want, s);
		usleep(200);
		measure(fd, want, s);
	}
	for (unsigned int i = 0; i < GUESTS; i++)
		end(&guests[i], s);
	measure(fd, want, s);
	s->samples = sampler < 0 ? 0 : pev_read(sampler).value / SAMPLED;
	close(sampler);
	close(channel);
	close(beside);
	close(fd);
}

int main(int argc, char **argv)
{
	uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
	struct sums s = {};
	int err;

	seed = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	vmm_load_kvm();
	err = pmu_info().pmu_counters ? can_lend() : -ENODEV;
	if (err) {
		printf("1..0 # SKIP this kernel lends no counters: %s\n", strerror(-err));
		return 0;
	}
	all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run(most, &s);
	printf("# %llu calls, %llu refused; %llu NMIs; %llu times a guest fell over\n",
	       (unsigned long long)all->calls, (unsigned long long)all->refused,
	       (unsigned long long)all->nmis, (unsigned long long)all->fell);
	printf("# of grants: %llu calls, %llu refused, %llu overflows, %llu NMIs, %llu missed, "
	       "%llu throttled\n",
	       (unsigned long long)s.grants.calls, (unsigned long long)s.grants.refused,
	       (unsigned long long)s.grants.overflows, (unsigned long long)s.grants.nmis,
	       (unsigned long long)s.grants.missed, (unsigned long long)s.grants.throttled);
	printf("# lent %llu times, %llu guests killed, %llu measurements\n",
	       (unsigned long long)s.lent, (unsigned long long)s.killed,
	       (unsigned long long)s.measured);
	OK(all->calls >= most && !s.ended, "guests called by chance until they were killed");
	printf("# counters were read %llu times, and could not be %llu times\n",
	       (unsigned long long)all->reads, (unsigned long long)all->faults);
	OK(all->reads && all->faults, "guests read counters, and tried in vain");
	OK(s.samples && !all->leaks,
	   "... and no other's than their own, while the host was sampled");
	OK(s.measured && !s.wrong, "the host counted its own work exactly all the time");
	OK(all->refused && all->refused < all->calls, "some calls were refused, others were not");
	OK(s.grants.overflows && all->nmis, "counters overflowed, and guests had NMIs");
	OK(s.lent && !text_has_grants(), "nothing is lent when all have ended");
	OK(!can_lend(), "... and can be again");
	return tap_plan();
}
