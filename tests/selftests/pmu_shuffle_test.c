// SPDX-License-Identifier: GPL-2.0
/*
 * All who use counters at once, each coming and going as it likes: the hard lockup detector, perf
 * that counts and samples, pev that counts and samples by its own driver or by perf's, and a
 * guest of KVM with counters of its own. Whatever each is told is exact, or says what it
 * missed; nobody is left without for good. PEV_SHUFFLE_SECONDS says for how long.
 *
 * perf itself may warn of overflows of counters that it has stopped (AMD's PerfMonV2, as soon as
 * its events move between counters, with events of pev or without): that is no panic here. What
 * is looked for in the log is an NMI that nobody knows.
 */
#include <linux/perf_event.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include "kselftest_harness.h"
#include "pmu_util.h"

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define PERF_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define PERF_SHARE	"/proc/sys/kernel/perf_cpu_time_max_percent"
#define PANIC_ON_WARN	"/proc/sys/kernel/panic_on_warn"
#define SECONDS		2
#define MORE		60000000000ULL
#define ROUNDS		20000
#define PERIOD		20011
/* Turns alone, of which all have to count the same. */
#define ALONE		5

/**
 * struct tally - what came of the turns of one of them
 * @exact:    the whole of it was counted, or sampled
 * @scaled:   less, and it was told so
 * @refused:  there was no counter to be had
 * @wrong:    anything else
 * @own:      turns of pev's that could have its own driver
 * @expected: what a turn counts where nobody else is
 * @saw:      the last one that was wrong
 */
struct tally {
	unsigned long exact;
	unsigned long scaled;
	unsigned long refused;
	unsigned long wrong;
	unsigned long own;
	uint64_t expected;
	uint64_t saw;
};

/* ---- what is counted; one copy, as constants take different numbers of instructions ---- */

static __attribute__((noipa)) void work(int fd, unsigned long on, unsigned long off)
{
	ioctl(fd, on, 0);
	pmu_loop(ROUNDS);
	ioctl(fd, off, 0);
}

/* @all: it was counted all the time that it was on */
static void judge(struct tally *t, uint64_t value, bool all)
{
	if (!t->expected && all)
		t->expected = value;
	if (all && value == t->expected) {
		t->exact++;
	} else if (!all && value <= t->expected) {
		t->scaled++;
	} else {
		t->wrong++;
		t->saw = value;
	}
}

/* ---- perf ---- */

/* What perf_event_read() gives with both times. */
struct perf_value {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

static struct perf_event_attr perf_attr(uint64_t config, uint64_t period)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = period,
		.disabled = 1,
		.exclude_kernel = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static int perf_open(uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = perf_attr(config, period);

	return syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void perf_turn(struct tally *t, uint64_t period)
{
	struct perf_value v = {};
	int fd = perf_open(PERF_COUNT_HW_INSTRUCTIONS, period);

	if (fd < 0) {
		t->refused++;
		return;
	}
	work(fd, PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE);
	if (read(fd, &v, sizeof(v)) != sizeof(v))
		t->wrong++;
	else
		judge(t, v.value, v.enabled == v.running);
	close(fd);
}

static void perf_counts(struct tally *t)
{
	perf_turn(t, 0);
}

static void perf_samples(struct tally *t)
{
	perf_turn(t, PERIOD);
}

/* ---- pev ---- */

static void pev_counts(struct tally *t)
{
	struct pev_multiplexed m;
	int fd;

	t->own += !pmu_by_perf();
	fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	if (fd < 0) {
		t->refused++;
		return;
	}
	work(fd, PEV_IOC_ENABLE, PEV_IOC_DISABLE);
	m = pmu_multiplexed(fd);
	judge(t, pev_read(fd).value, m.time_enabled == m.time_running);
	close(fd);
}

/* No more samples than periods; as many, if it was on all the time and none was lost. */
static bool has_its_samples(const struct pev_value *v, bool all)
{
	uint64_t due = v->value / PERIOD, got = v->samples + v->lost;

	return got <= due && (!all || got == due);
}

static void pev_samples(struct tally *t)
{
	int channel = pev_open_channel(1 << 16, 1 << 12, 0), fd;
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, channel, PERIOD);
	struct pev_multiplexed m;
	struct pev_value v;

	t->own += !pmu_by_perf();
	fd = pev_open(&attr);
	if (channel < 0) {
		t->wrong++;
	} else if (fd < 0) {
		t->refused++;
	} else {
		work(fd, PEV_IOC_ENABLE, PEV_IOC_DISABLE);
		m = pmu_multiplexed(fd);
		v = pev_read(fd);
		if (has_its_samples(&v, m.time_enabled == m.time_running))
			judge(t, v.value, m.time_enabled == m.time_running);
		else
			t->wrong++;
	}
	close(fd);
	close(channel);
}

/* ---- the detector ---- */

static void detector(struct tally *t)
{
	if (pev_put_number(WATCHDOG, 0) || pev_put_number(WATCHDOG, 1))
		t->wrong++;
	else
		t->exact++;
}

/* ---- a guest ---- */

#if defined(__x86_64__)
#include "vmm.h"

#define GUEST_ROUNDS	100000
#define GUEST_RESULT	0x2000
/* Instructions between the one that begins to count and the one that ends it, beside the loop's */
#define GUEST_AROUND	3

/* clang-format off */
static const uint8_t guest_code[] = {
	0xb9, 0x00, 0x00, 0x01, 0xc0,	/* mov $MSR_K7_EVNTSEL0, %ecx */
	0x31, 0xd2,			/* xor %edx, %edx */
	0x31, 0xc0,			/* xor %eax, %eax */
	0x0f, 0x30,			/* wrmsr: off */
	0x83, 0xc1, 0x04,		/* add $4, %ecx: MSR_K7_PERFCTR0 */
	0x0f, 0x30,			/* wrmsr: 0 */
	0x83, 0xe9, 0x04,		/* sub $4, %ecx */
	0xb8, 0xc0, 0x00, 0x43, 0x00,	/* mov $INSTRUCTIONS | USR | OS | EN, %eax */
	0x0f, 0x30,			/* wrmsr: on */
	0xbb, GUEST_ROUNDS & 0xff, GUEST_ROUNDS >> 8 & 0xff, GUEST_ROUNDS >> 16, 0,
					/* mov $GUEST_ROUNDS, %ebx */
	0x4b,				/* dec %ebx */
	0x75, 0xfd,			/* jnz, to the dec */
	0x31, 0xc0,			/* xor %eax, %eax */
	0x0f, 0x30,			/* wrmsr: off */
	0x83, 0xc1, 0x04,		/* add $4, %ecx */
	0x0f, 0x32,			/* rdmsr */
	0xa3, GUEST_RESULT & 0xff, GUEST_RESULT >> 8, 0, 0,
					/* mov %eax, GUEST_RESULT */
	0xe6, VMM_PORT,			/* out %al, $VMM_PORT */
	0xeb, 0xcc,			/* jmp, to the beginning */
};
/* clang-format on */

static bool guest_counts(struct vmm *m, uint64_t *count, uint64_t *entries)
{
	int64_t before = vmm_entries(m);
	uint32_t value;

	if (before < 0 || vmm_round(m))
		return false;
	memcpy(&value, m->memory + GUEST_RESULT, sizeof(value));
	*count = value;
	*entries = vmm_entries(m) - before;
	return true;
}

/*
 * A guest does not learn that its host had no counter for it: it counts less. What it does around
 * its loop is emulated by KVM, which counts it or not. Each entry counts for the guest.
 */
static void guest_judge(struct tally *t, uint64_t count, uint64_t entries)
{
	const uint64_t least = 2 * GUEST_ROUNDS;

	if (count >= least && count <= least + GUEST_AROUND + entries)
		count = least;
	judge(t, count, count >= least);
}

static void guest(struct tally *t)
{
	uint64_t count, entries;
	struct vmm m;

	if (vmm_open(&m, false) || vmm_show_counters(&m)) {
		t->wrong++;
		vmm_close(&m);
		return;
	}
	vmm_load(&m, guest_code, sizeof(guest_code));
	for (unsigned int i = 0; i < 3; i++) {
		if (guest_counts(&m, &count, &entries))
			guest_judge(t, count, entries);
		else
			t->wrong++;
	}
	vmm_close(&m);
}

static bool has_guests(void)
{
	vmm_load_kvm();
	return !access("/dev/kvm", R_OK | W_OK);
}
#else
static void guest(struct tally *t)
{
}

static bool has_guests(void)
{
	return false;
}
#endif

/* ---- all together ---- */

enum { DETECTOR, PERF_COUNTS, PERF_SAMPLES, PEV_COUNTS, PEV_SAMPLES, GUEST, ALL };

static const struct {
	const char *name;
	void (*turn)(struct tally *t);
} users[ALL] = {
	[DETECTOR]	= { "the detector", detector },
	[PERF_COUNTS]	= { "perf counts", perf_counts },
	[PERF_SAMPLES]	= { "perf samples", perf_samples },
	[PEV_COUNTS]	= { "pev counts", pev_counts },
	[PEV_SAMPLES]	= { "pev samples", pev_samples },
	[GUEST]		= { "a guest", guest },
};

FIXTURE(shuffle)
{
	struct tally *tally;
	bool here[ALL];
	bool own;
	int panics;
	int rate;
	int share;
};

/* perf stops what samples faster than its limit, and says so in no time. */
static void without_limit(FIXTURE_DATA(shuffle) * self)
{
	self->rate = pev_get_number(PERF_RATE, 100000);
	self->share = pev_get_number(PERF_SHARE, 25);
	/* the rate can't be set while the share is none */
	pev_put_number(PERF_SHARE, 25);
	pev_put_number(PERF_RATE, 10000000);
	pev_put_number(PERF_SHARE, 0);
}

static void with_limit(FIXTURE_DATA(shuffle) * self)
{
	pev_put_number(PERF_SHARE, 25);
	pev_put_number(PERF_RATE, self->rate);
	pev_put_number(PERF_SHARE, self->share);
}

FIXTURE_SETUP(shuffle)
{
	PEV_NEEDS_ROOT(return );
	PMU_SKIP_WITHOUT(SKIP);
	self->tally = mmap(NULL, sizeof(*self->tally) * ALL, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->tally);
	for (unsigned int i = 0; i < ALL; i++)
		self->here[i] = true;
	self->here[DETECTOR] = !access(WATCHDOG, W_OK) && !pev_put_number(WATCHDOG, 1) &&
			       pev_get_number(WATCHDOG, 0) == 1;
	self->here[GUEST] = has_guests();
	pev_put_number(WATCHDOG, 0);
	self->own = !pmu_by_perf();
	self->panics = pev_get_number(PANIC_ON_WARN, 0);
	pev_put_number(PANIC_ON_WARN, 0);
	without_limit(self);
}

FIXTURE_TEARDOWN(shuffle)
{
	pev_put_number(WATCHDOG, 0);
	with_limit(self);
	pev_put_number(PANIC_ON_WARN, self->panics);
}

/* One after the other, so that what each turn counts is known. */
static void alone(struct __test_metadata *_metadata, FIXTURE_DATA(shuffle) * self)
{
	for (unsigned int i = 0; i < ALL; i++) {
		struct tally *t = &self->tally[i];

		if (!self->here[i])
			continue;
		/* what is touched for the first time is not counted the first time */
		users[i].turn(t);
		*t = (struct tally){};
		for (unsigned int turn = 0; turn < ALONE; turn++)
			users[i].turn(t);
		EXPECT_LE(ALONE, t->exact) TH_LOG("%s: expected %lu, saw %lu", users[i].name,
						  (unsigned long)t->expected,
						  (unsigned long)t->saw);
		EXPECT_EQ(0, t->wrong + t->scaled + t->refused) TH_LOG("%s", users[i].name);
	}
	pev_put_number(WATCHDOG, 0);
}

/* Until @end, and on a busy machine until it had a counter once, but not for ever. */
static void take_turns(unsigned int who, struct tally *t, uint64_t end)
{
	const unsigned long before = t->exact;
	uint64_t now;

	srandom(who + 1);
	while ((now = pev_clock_ns(CLOCK_MONOTONIC)) < end ||
	       (t->exact == before && now < end + MORE)) {
		users[who].turn(t);
		/* long enough that others find the counters free */
		usleep(random() % 16 ? random() % 1000 : random() % 50000);
	}
}

/* Return: how many events of perf have a counter of @cpu at once. */
static unsigned int room(unsigned int cpu)
{
	struct perf_event_attr attr = perf_attr(PERF_COUNT_HW_CPU_CYCLES, 0);
	struct perf_value v;
	unsigned int nr = 0;
	bool has = true;
	int fds[32];

	pev_pin(cpu);
	attr.pinned = 1;
	attr.disabled = 0;
	while (has && nr < ARRAY_SIZE(fds)) {
		fds[nr] = syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		has = fds[nr++] >= 0;
		/* of one without a counter there is nothing to read */
		for (unsigned int i = 0; has && i < nr; i++)
			has = read(fds[i], &v, sizeof(v)) == sizeof(v);
	}
	for (unsigned int i = 0; i < nr; i++)
		close(fds[i]);
	return nr - !has;
}

/* It has a counter of each CPU, which is missing when it is switched off. Leaves it on. */
static bool detects(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int with[8];
	bool all = pev_get_number(WATCHDOG, 0) == 1 && cpus <= 8;

	for (long cpu = 0; all && cpu < cpus; cpu++)
		with[cpu] = room(cpu);
	all = all && !pev_put_number(WATCHDOG, 0);
	for (long cpu = 0; all && cpu < cpus; cpu++)
		all = room(cpu) == with[cpu] + 1;
	return all && !pev_put_number(WATCHDOG, 1);
}

static bool log_has(const char *text)
{
	static char log[1 << 20];
	int size = klogctl(3 /* SYSLOG_ACTION_READ_ALL */, log, sizeof(log) - 1);

	log[size < 0 ? 0 : size] = '\0';
	return strstr(log, text);
}

/* It is switched on while pev's own driver has the counters, which it gets afterwards. */
TEST_F(shuffle, detector_that_comes_meanwhile)
{
	int fd;

	if (!self->here[DETECTOR] || !self->own)
		SKIP(return, "no detector, or no driver of pev's");
	fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(0, pev_put_number(WATCHDOG, 1));
	EXPECT_FALSE(pmu_by_perf());
	EXPECT_EQ(pmu_count(fd, ROUNDS), pmu_count(fd, ROUNDS));
	close(fd);
	for (unsigned int i = 0; i < 1000 && !pmu_by_perf(); i++)
		usleep(10000);
	EXPECT_TRUE(pmu_by_perf());
	EXPECT_TRUE(detects());
}

TEST_F_TIMEOUT(shuffle, of_all, 900)
{
	const char *seconds = getenv("PEV_SHUFFLE_SECONDS");
	uint64_t end;

	alone(_metadata, self);
	end = pev_clock_ns(CLOCK_MONOTONIC) + (seconds ? atoi(seconds) : SECONDS) * 1000000000ULL;
	for (unsigned int i = 0; i < ALL; i++) {
		if (!self->here[i] || fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		take_turns(i, &self->tally[i], end);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	for (unsigned int i = 0; i < ALL; i++) {
		const struct tally *t = &self->tally[i];

		if (!self->here[i])
			continue;
		TH_LOG("%s: %lu exact, %lu scaled, %lu refused, %lu by pev's own driver",
		       users[i].name, t->exact, t->scaled, t->refused, t->own);
		EXPECT_EQ(0, t->wrong) TH_LOG("%s: %lu for %lu", users[i].name,
					      (unsigned long)t->saw, (unsigned long)t->expected);
		/* beyond those of when it was alone */
		EXPECT_LT(ALONE * (i == GUEST ? 3 : 1), t->exact) TH_LOG("%s", users[i].name);
	}
	if (self->own)
		EXPECT_LT(ALONE, self->tally[PEV_COUNTS].own);
	if (self->here[DETECTOR]) {
		EXPECT_EQ(0, pev_put_number(WATCHDOG, 1));
		EXPECT_TRUE(detects());
	}
	EXPECT_FALSE(log_has("Uhhuh"));
	EXPECT_FALSE(log_has("Dazed and confused"));
}

TEST_HARNESS_MAIN
