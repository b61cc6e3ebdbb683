// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware counters of guests and of the host alone, exactly: the test runs a guest of its own by
 * KVM, whose code is known to the last instruction. It needs a processor whose counters tell them
 * apart, as AMD's do, or a KVM that switches them, as POWER's does: QEMU's TCG emulates both.
 */
#include "kselftest_harness.h"
#include "pmu_util.h"

#if defined(__x86_64__) || defined(__powerpc64__)
#include "vmm.h"

#define TURNS 3
/* So long that a busy host does not make the interrupts too many. */
#define PERIOD 100003
/* The host has little to do. */
#define HOST_PERIOD 1009
/* Counters that are started one after the other count how that is done. */
#define SLACK 5000
/* From EFER.SVME's change until KVM tells of it, the host is not counted. */
#define SVM_SLACK 500

#define GUEST PEV_F_EXCLUDE_HOST
#define HOST PEV_F_EXCLUDE_GUEST

/* What a record of HIT_SAMPLE holds. */
struct hit {
	uint64_t ip;
	uint64_t guest;
};

#define HIT_SAMPLE (PEV_SAMPLE_TID | PEV_SAMPLE_IP | PEV_SAMPLE_GUEST)

/* Sums of the records of one event. */
struct hits {
	uint64_t all;
	uint64_t guest;
	uint64_t user;
	uint64_t wrong;
};

FIXTURE(guest_counter)
{
	struct vmm m;
};

/* Does this PMU count guests alone? */
static bool tells(void)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, GUEST);

	close(fd);
	return fd >= 0;
}

static bool starts_at_once(void)
{
	const char *pmu = getenv("PEV_PMU");

	return pmu && (!strcmp(pmu, "amd-v2") || !strncmp(pmu, "power", 5)) && !pmu_by_perf();
}

FIXTURE_SETUP(guest_counter)
{
	self->m = (struct vmm){ .kvm = -1, .vm = -1, .vcpu = -1 };
	PEV_NEEDS_ROOT(return );
	PMU_SKIP_WITHOUT(SKIP);
	vmm_load_kvm();
	if (access("/dev/kvm", R_OK | W_OK))
		SKIP(return, "no /dev/kvm");
	if (!tells())
		SKIP(return, "this PMU does not count guests alone");
}

FIXTURE_TEARDOWN(guest_counter)
{
	vmm_close(&self->m);
}

/* A guest that has been in its loop: what is touched for the first time was. */
static bool begin(struct vmm *m, bool user)
{
	return !vmm_open(m, user) && !vmm_round(m);
}

static bool turns(struct vmm *m, unsigned int n)
{
	while (n--)
		if (vmm_round(m))
			return false;
	return true;
}

/* What @fd, or the group that it leads, counts of TURNS; *@entries: of them. */
static bool counted(struct vmm *m, int fd, int64_t *entries)
{
	int64_t before = vmm_entries(m);
	bool ran;

	ioctl(fd, PEV_IOC_RESET, PEV_IOF_GROUP);
	ioctl(fd, PEV_IOC_ENABLE, PEV_IOF_GROUP);
	ran = turns(m, TURNS);
	ioctl(fd, PEV_IOC_DISABLE, PEV_IOF_GROUP);
	*entries = vmm_entries(m) - before;
	return ran && before >= 0 && *entries >= TURNS;
}

/*
 * What an entry counts, in the guest's kernel mode: VMRUN on AMD's processors, which is an
 * instruction and a branch of the guest. On POWER, where this kernel is a guest itself, the
 * instructions of KVM-HV between its switching the counters and calling its hypervisor, and
 * the same on the way back: so many each time.
 */
#if defined(__x86_64__)
static uint64_t entry_cost(struct vmm *m)
{
	(void)m;
	return 1;
}
#else
/* Some exits that KVM counts were none: a timer had expired before the guest was entered. */
static uint64_t entry_cost(struct vmm *m)
{
	static uint64_t cost;
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, GUEST | PEV_F_EXCLUDE_USER);

	for (unsigned int i = 0; i < 10 && !cost && fd >= 0; i++) {
		int64_t entries;
		uint64_t extra;

		if (!counted(m, fd, &entries))
			break;
		extra = pev_read(fd).value - TURNS * VMM_INSNS;
		if (extra < 200ULL * entries && !(extra % entries))
			cost = extra / entries;
	}
	close(fd);
	return cost;
}
#endif

/* Is @count what the guest did, and @cost for each of no more than @entries? */
static bool is_guests(uint64_t count, uint64_t want, uint64_t cost, int64_t entries)
{
	uint64_t extra = count - want;

	if (cost <= 1 || count < want)
		return extra == cost * entries;
	return !(extra % cost) && extra / cost <= (uint64_t)entries && extra / cost >= TURNS;
}

static void expect_guest(struct __test_metadata *_metadata, struct vmm *m, struct pev_attr attr,
			 uint64_t want, uint64_t cost)
{
	int fd = pev_open(&attr);
	struct pev_multiplexed times;
	int64_t entries;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(counted(m, fd, &entries));
	times = pmu_multiplexed(fd);
	EXPECT_EQ(times.time_enabled, times.time_running);
	EXPECT_TRUE(is_guests(pev_read(fd).value, TURNS * want, cost, entries))
	TH_LOG("event %lu, flags %#lx: %lu, not %lu and %lu for each of %ld entries",
	       (unsigned long)attr.config, (unsigned long)attr.flags,
	       (unsigned long)pev_read(fd).value, (unsigned long)(TURNS * want),
	       (unsigned long)cost, (long)entries);
	close(fd);
}

TEST_F(guest_counter, guest_alone)
{
	const uint64_t user = PEV_F_EXCLUDE_KERNEL, kernel = PEV_F_EXCLUDE_USER;
	struct pev_attr attr;
	uint64_t cost;

	ASSERT_TRUE(begin(&self->m, false));
	cost = entry_cost(&self->m);
	ASSERT_LT(0, cost);
	expect_guest(_metadata, &self->m, pmu_attr(PEV_HW_INSTRUCTIONS, GUEST, -1, 0), VMM_INSNS,
		     cost);
	if (VMM_COUNTS_BRANCHES)
		expect_guest(_metadata, &self->m, pmu_attr(PEV_HW_BRANCHES, GUEST, -1, 0),
			     VMM_BRANCHES, cost);
	expect_guest(_metadata, &self->m, pmu_attr(PEV_HW_INSTRUCTIONS, GUEST | kernel, -1, 0),
		     VMM_INSNS, cost);
	expect_guest(_metadata, &self->m, pmu_attr(PEV_HW_INSTRUCTIONS, GUEST | user, -1, 0), 0, 0);
	/* as that of timers: the flag need not be given */
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, 0, -1, 0);
	attr.target = PEV_TARGET_GUEST;
	attr.target_id = getpid();
	expect_guest(_metadata, &self->m, attr, VMM_INSNS, cost);
}

TEST_F(guest_counter, guest_in_user_mode)
{
	ASSERT_TRUE(begin(&self->m, true));
	expect_guest(_metadata, &self->m,
		     pmu_attr(PEV_HW_INSTRUCTIONS, GUEST | PEV_F_EXCLUDE_KERNEL, -1, 0), VMM_INSNS,
		     VMM_ENTRY_IS_GUESTS);
	if (VMM_ENTRY_IS_GUESTS)
		expect_guest(_metadata, &self->m,
			     pmu_attr(PEV_HW_INSTRUCTIONS, GUEST | PEV_F_EXCLUDE_USER, -1, 0), 0,
			     0);
}

/* What the host does in user mode is the same for each turn, and the guest is none of it. */
TEST_F(guest_counter, host_alone)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, HOST | USER_ONLY);
	uint64_t counts[3];

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(begin(&self->m, true));
	for (unsigned int i = 0; i < 3; i++) {
		ioctl(fd, PEV_IOC_RESET, 0);
		pev_on(fd);
		ASSERT_TRUE(turns(&self->m, i + 1));
		pev_off(fd);
		counts[i] = pev_read(fd).value;
	}
	EXPECT_LT(0, counts[0]);
	EXPECT_GT(10000, counts[0]);
	EXPECT_EQ(counts[1] - counts[0], counts[2] - counts[1]);
	close(fd);
}

/* A group of all that happens, the guest's and the host's; returns 0, or -errno. */
static int open_group(int fds[3], uint32_t target, uint64_t *cpus)
{
	static const uint64_t flags[3] = { 0, GUEST, HOST };
	int err = 0;

	for (unsigned int i = 0; i < 3; i++) {
		struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, flags[i], -1, 0);

		attr.target = target;
		if (cpus) {
			attr.cpus = (uintptr_t)cpus;
			attr.cpus_size = sizeof(*cpus);
		}
		if (!i)
			attr.flags |= pmu_leads();
		attr.group_fd = i ? fds[0] : -1;
		fds[i] = pev_open(&attr);
		err = err ?: fds[i] < 0 ? fds[i] : 0;
	}
	return err;
}

static void expect_sum(struct __test_metadata *_metadata, const int fds[3], uint64_t slack)
{
	uint64_t all, sum;

	if (!starts_at_once())
		slack = SLACK;
	all = pev_read(fds[0]).value;
	sum = pev_read(fds[1]).value + pev_read(fds[2]).value;
	EXPECT_LE(all, sum + slack);
	EXPECT_GE(all + slack, sum);
}

TEST_F(guest_counter, host_and_guest_are_all)
{
	uint64_t cost;
	int64_t entries;
	int fds[3];

	ASSERT_TRUE(begin(&self->m, false));
	cost = entry_cost(&self->m);
	ASSERT_EQ(0, open_group(fds, PEV_TARGET_TASK, NULL)) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(counted(&self->m, fds[0], &entries));
	EXPECT_TRUE(is_guests(pev_read(fds[1]).value, TURNS * VMM_INSNS, cost, entries));
	EXPECT_LT(1000, pev_read(fds[2]).value);
	expect_sum(_metadata, fds, 0);
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
}

/*
 * The processor counts "the host alone" only while guests may run: that begins with the first
 * machine and ends with the last one (kvm.enable_virt_at_load=0), while a CPU is counted.
 */
TEST_F(guest_counter, guests_become_possible)
{
	cpu_set_t before, one;
	uint64_t cpu = 1;
	int64_t entries;
	int fds[3];

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(before), &before));
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	ASSERT_EQ(0, open_group(fds, PEV_TARGET_CPUS, &cpu)) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, ioctl(fds[0], PEV_IOC_ENABLE, PEV_IOF_GROUP));
	pmu_loop(100000);
	ASSERT_TRUE(begin(&self->m, false));
	entries = vmm_entries(&self->m);
	ASSERT_TRUE(turns(&self->m, TURNS));
	vmm_close(&self->m);
	pmu_loop(100000);
	ASSERT_EQ(0, ioctl(fds[0], PEV_IOC_DISABLE, PEV_IOF_GROUP));
	EXPECT_LT(0, entries);
	EXPECT_LT((TURNS + 1) * VMM_INSNS, pev_read(fds[1]).value);
	EXPECT_GT((TURNS + 2) * VMM_INSNS, pev_read(fds[1]).value);
	EXPECT_LT(200000 * PMU_ROUND, pev_read(fds[2]).value);
	expect_sum(_metadata, fds, SVM_SLACK);
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
	sched_setaffinity(0, sizeof(before), &before);
}

/* Of all records; returns 0, or -1: a ring is damaged. */
static int read_hits(int channel, struct pev_map *map, struct hits *hits)
{
	static const int sizes[] = { sizeof(struct hit) };
	struct pev_record record;
	int more = 0;

	*hits = (struct hits){};
	if (ioctl(channel, PEV_IOC_FLUSH, 0))
		return -1;
	for (unsigned int cpu = 0; cpu < map->nr && !more; cpu++) {
		struct pev_walk walk = pev_walk_begin(map, cpu, sizes, 1);

		while ((more = pev_walk_next(&walk, &record)) > 0) {
			struct hit hit;
			bool guest, inside;

			memcpy(&hit, record.payload, sizeof(hit));
			guest = hit.guest & PEV_GUEST_CODE;
			inside = hit.ip >= VMM_CODE && hit.ip < VMM_CODE_END;
			hits->all++;
			hits->guest += guest;
			hits->user += !!(hit.guest & PEV_GUEST_USER);
			hits->wrong += inside != guest ||
				       (guest && record.tid != (uint32_t)gettid());
		}
		pev_walk_release(&walk);
	}
	return more;
}

static void sampled(struct __test_metadata *_metadata, struct vmm *m, uint64_t flags,
		    uint64_t period, struct hits *hits, struct pev_value *value)
{
	int channel = pev_open_channel(1 << 20, 1 << 16, 0), fd;
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, flags, channel, period);
	struct pev_map map;
	int64_t entries;

	attr.sample = HIT_SAMPLE;
	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(counted(m, fd, &entries));
	*value = pev_read(fd);
	ASSERT_EQ(0, read_hits(channel, &map, hits));
	EXPECT_EQ(0, hits->wrong);
	EXPECT_EQ(value->samples, hits->all);
	EXPECT_EQ(0, value->lost);
	close(fd);
	pev_unmap_channel(&map);
	close(channel);
}

/* Each sample has the guest's address and mode; none is the host's, and none is missing. */
TEST_F(guest_counter, samples_hit_the_guest)
{
	struct pev_value value;
	struct hits hits;

	for (unsigned int user = 0; user < 2; user++) {
		ASSERT_TRUE(begin(&self->m, user));
		sampled(_metadata, &self->m, GUEST, PERIOD, &hits, &value);
		EXPECT_EQ(value.value / PERIOD, hits.all);
		EXPECT_EQ(hits.all, hits.guest);
		EXPECT_EQ(user ? hits.all : 0, hits.user);
		vmm_close(&self->m);
	}
}

TEST_F(guest_counter, samples_hit_the_host)
{
	struct pev_value value;
	struct hits hits;

	ASSERT_TRUE(begin(&self->m, false));
	sampled(_metadata, &self->m, HOST, HOST_PERIOD, &hits, &value);
	EXPECT_LT(0, hits.all);
	EXPECT_EQ(0, hits.guest);
}

/* Of both, each sample says which. */
TEST_F(guest_counter, samples_hit_both)
{
	uint64_t due = TURNS * VMM_INSNS / PERIOD;
	struct pev_value value;
	struct hits hits;

	ASSERT_TRUE(begin(&self->m, false));
	sampled(_metadata, &self->m, 0, PERIOD, &hits, &value);
	EXPECT_LE(hits.guest, hits.all);
	/* what the host does between two samples of the guest is a part of the period */
	EXPECT_LE(due - due / 10, hits.guest);
	EXPECT_GE(2 * due, hits.guest);
}

#if defined(__powerpc64__)
/*
 * A guest that uses the PMU has it for itself, with its own values; what the host would count
 * there stands, and its times say so. Between its rounds the guest freezes it.
 */
TEST_F(guest_counter, guest_has_the_pmu)
{
	static const uint32_t code[] = {
		0x38000000, /* li r0, 0 */
		0x7c1bc3a6, /* mtspr MMCR0, r0 */
		0x7d17c2a6, /* mfspr r8, PMC5 */
		0x3c800000 | VMM_ROUNDS >> 16, /* lis r4 */
		0x60840000 | (VMM_ROUNDS & 0xffff), /* ori r4, r4 */
		0x7c8903a6, /* mtctr r4 */
		0x38c60001, /* addi r6, r6, 1 */
		0x4200fffc, /* bdnz, to the addi */
		0x7cf7c2a6, /* mfspr r7, PMC5 */
		0x38000001, /* li r0, 1 */
		0x7800f824, /* sldi r0, r0, 31 */
		0x7c1bc3a6, /* mtspr MMCR0, r0: FC */
		0x3ca00000 | VMM_PORT >> 16, /* lis r5 */
		0x90850000, /* stw r4, 0(r5) */
		0x4bffffc8, /* b, to the first */
	};
	struct pev_multiplexed times;
	struct kvm_regs regs;
	int64_t entries;
	int fd;

	ASSERT_EQ(0, vmm_open(&self->m, false));
	vmm_load(&self->m, code, sizeof(code));
	ASSERT_EQ(0, vmm_round(&self->m));
	fd = pmu_open(PEV_HW_INSTRUCTIONS, GUEST);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < TURNS; i++) {
		uint32_t count;

		entries = vmm_entries(&self->m);
		pev_on(fd);
		ASSERT_EQ(0, vmm_round(&self->m));
		pev_off(fd);
		ASSERT_EQ(0, ioctl(self->m.vcpu, KVM_GET_REGS, &regs));
		count = regs.gpr[7] - regs.gpr[8];
		entries = vmm_entries(&self->m) - entries;
		/* three before the loop, and one of the reads; KVM's at entries, where it is a guest */
		EXPECT_LE(2 * VMM_ROUNDS + 4, count);
		EXPECT_GE(2 * VMM_ROUNDS + 4 + 200 * entries, count);
	}
	times = pmu_multiplexed(fd);
	EXPECT_GT(VMM_ROUNDS, pev_read(fd).value);
	EXPECT_LT(2 * times.time_running, times.time_enabled);
	EXPECT_LT(0, times.time_running);
	close(fd);
}

/*
 * A guest whose counters run in kernel mode counts the steps of KVM-HV's in which they run already,
 * or still, and is told where in these one overflows. None of pev's may be among them. Each round
 * the guest lets its host in with the PMC5 that it is given.
 */
static bool begin_steps(struct vmm *m)
{
	static const uint32_t code[] = {
		0x3d408000, /* lis r10, 0x8000: FC */
		0x3d600600, /* lis r11, 0x0600 */
		0x616b4000, /* ori r11, r11, 0x4000: PMAE, FCECE, PMCjCE */
		0x3ca00000 | VMM_PORT >> 16, /* lis r5 */
		0x38000000, /* li r0, 0 */
		0x7d5bc3a6, /* mtspr MMCR0, r10 */
		0x7d17c3a6, /* mtspr PMC5, r8 */
		0x7c1cc3a6, /* mtspr SIAR, r0 */
		0x7d7bc3a6, /* mtspr MMCR0, r11 */
		0x90850000, /* stw r4, 0(r5) */
		0x7cf7c2a6, /* mfspr r7, PMC5 */
		0x7d5bc3a6, /* mtspr MMCR0, r10 */
		0x7cdcc2a6, /* mfspr r6, SIAR */
		0x4bffffe0, /* b, to the first mtspr */
	};

	if (vmm_open(m, false))
		return false;
	vmm_load(m, code, sizeof(code));
	return !vmm_round(m);
}

/* *@count: from @pmc5 on, *@siar: where that overflowed, or 0. */
static bool count_steps(struct vmm *m, uint32_t pmc5, uint32_t *count, uint64_t *siar)
{
	struct kvm_regs regs;

	if (ioctl(m->vcpu, KVM_GET_REGS, &regs))
		return false;
	regs.gpr[8] = pmc5;
	/* the round that was begun ends, and one with this */
	if (ioctl(m->vcpu, KVM_SET_REGS, &regs) || vmm_round(m) || vmm_round(m) ||
	    ioctl(m->vcpu, KVM_GET_REGS, &regs))
		return false;
	*count = (uint32_t)regs.gpr[7] - pmc5;
	*siar = regs.gpr[6];
	return true;
}

/* The least of some rounds, as timers make others longer; 0: the guest ended. */
static uint32_t least_steps(struct vmm *m)
{
	uint32_t count, least = UINT32_MAX;
	uint64_t siar;

	for (unsigned int i = 0; i < 20; i++) {
		if (!count_steps(m, 0, &count, &siar))
			return 0;
		if (count < least)
			least = count;
	}
	return least;
}

/* The function of the kernel's that @address is in. */
static void find_function(uint64_t address, char name[256])
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long at, best = 0;
	char line[512], found[256], type;

	*name = 0;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c %255s", &at, &type, found) != 3 || !strchr("tT", type) ||
		    at > address || at < best)
			continue;
		best = at;
		snprintf(name, 256, "%s", found);
	}
	if (f)
		fclose(f);
}

TEST_F(guest_counter, guest_counts_none_of_ours)
{
	const uint64_t flags[] = { GUEST, GUEST, 0, HOST };
	uint32_t without, with = 0, count;
	uint64_t siar, last = 0;
	unsigned int places = 0;
	int fds[4];

	ASSERT_TRUE(begin_steps(&self->m));
	without = least_steps(&self->m);
	ASSERT_LT(0, without);
	for (unsigned int i = 0; i < 4; i++) {
		fds[i] = pmu_open(PEV_HW_INSTRUCTIONS, flags[i] | PEV_F_EXCLUDE_USER);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
		pev_on(fds[i]);
		with = least_steps(&self->m);
		EXPECT_EQ(without, with) TH_LOG("with %u counters of the host's", i + 1);
	}
	for (uint32_t left = 1; left <= with; left++) {
		char name[256];

		ASSERT_TRUE(count_steps(&self->m, 0x80000000 - left, &count, &siar));
		if (siar < VMM_MEMORY || siar == last)
			continue;
		last = siar;
		places++;
		find_function(siar, name);
		EXPECT_TRUE(strncmp(name, "pev_", 4) && !strstr(name, "ppc_pev_"))
		TH_LOG("%u before an overflow: %s", left, name);
	}
	/* there are some, or this looked for none */
	EXPECT_LT(0, places);
	TH_LOG("%u instructions, %u places", without, places);
	for (unsigned int i = 0; i < 4; i++)
		close(fds[i]);
}

/* of instructions, by four counters */
#define COST_MAX 350

TEST_F(guest_counter, entries_cost_little)
{
	static const uint32_t code[] = {
		0x3ca00000 | VMM_PORT >> 16, /* lis r5 */
		0x90850000, /* stw r4, 0(r5) */
		0x4bfffff8, /* b, to the first */
	};
	const uint64_t flags[] = { GUEST, HOST, 0 };
	const char *icount = getenv("PEV_ICOUNT");
	int64_t without, with;
	int fds[4];

	if (!icount || strcmp(icount, "1"))
		SKIP(return, "instructions take no certain time");
	ASSERT_EQ(0, vmm_open(&self->m, false));
	vmm_load(&self->m, code, sizeof(code));
	ASSERT_LT(0, vmm_round_trip(&self->m));
	without = vmm_round_trip(&self->m);
	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++) {
		for (unsigned int j = 0; j < 4; j++) {
			fds[j] = pmu_open(PEV_HW_INSTRUCTIONS, flags[i] | PEV_F_EXCLUDE_USER);
			ASSERT_LE(0, fds[j]);
			pev_on(fds[j]);
		}
		with = vmm_round_trip(&self->m);
		TH_LOG("flags %#lx: %ld instructions, %ld without", (unsigned long)flags[i],
		       (long)with, (long)without);
		EXPECT_GE(COST_MAX, with - without);
		for (unsigned int j = 0; j < 4; j++)
			close(fds[j]);
	}
}
#endif
#else
TEST(guests)
{
	SKIP(return, "this kernel tells no guests from the host");
}
#endif

TEST_HARNESS_MAIN
