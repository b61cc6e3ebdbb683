// SPDX-License-Identifier: GPL-2.0
/*
 * Drives the backend as the PMU core does, against a modelled host. Each case runs in a
 * process of its own.
 */
#include <uapi/linux/pev_guest.h>
#include <linux/pev_pmu.h>
#include <linux/pev_refuse.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

#define CHECK(cond)                                                         \
	do {                                                                \
		if (!(cond)) {                                              \
			printf("# %s:%d: %s\n", __func__, __LINE__, #cond); \
			failed = 1;                                         \
		}                                                           \
	} while (0)
#define CHECK_EQ(a, b)                                                                            \
	do {                                                                                      \
		long long a_ = (a), b_ = (b);                                                     \
		if (a_ != b_) {                                                                   \
			printf("# %s:%d: %s is %lld (%#llx), not %s, %lld\n", __func__, __LINE__, \
			       #a, a_, a_, #b, b_);                                               \
			failed = 1;                                                               \
		}                                                                                 \
	} while (0)

const struct pev_pmu *pev_pmu;
static int failed;

/* ---- the core, as small as can be; see kernel/pev/pmu/counter.h ---- */

/**
 * struct mini - an event on a counter
 * @period:  of samples, 0: only counts
 * @left:    to the next
 * @raw:     counter when it was folded last
 * @count:   all that was counted
 * @samples: taken
 */
static struct mini {
	s64 period, left;
	u64 raw, count;
	int samples;
} mini[PEV_GUEST_COUNTERS];

static u64 active, lost, overflows;
static bool updating, deferred;
static int incidents[PEV_PMU_INCIDENTS], deferrals;

int pev_pmu_register(const struct pev_pmu *p)
{
	pev_pmu = p;
	return 0;
}

void pev_pmu_report(enum pev_pmu_incident what)
{
	incidents[what]++;
}

/* Of each counter, what the backend said that it missed. */
static u64 stood[PEV_GUEST_COUNTERS];

bool pev_pmu_stood(unsigned int counter, u64 ns, bool pmi)
{
	CHECK(pmi == host.in_nmi || !updating);
	if (pmi && updating)
		return false;
	stood[counter] += ns;
	return true;
}

void pev_pmu_lose(u64 counters)
{
	CHECK(!(lost & counters));
	lost |= counters;
}

#define MASK ((1ULL << HOST_BITS) - 1)

static void fold(int i)
{
	struct mini *e = &mini[i];
	u64 raw = pev_pmu->ops->read(i), delta = (raw - e->raw) & MASK;

	CHECK(raw <= MASK);
	e->raw = raw;
	e->count += delta;
	e->left -= delta;
}

static void load(int i, s64 min)
{
	struct mini *e = &mini[i];

	e->raw = e->period ? -max(e->left, min) & MASK : 1ULL << (HOST_BITS - 3);
	pev_pmu->ops->write(i, e->raw);
}

static void sample_all(u64 set, s64 min)
{
	int i;

	for (i = 0; i < 8; i++) {
		if (!(set >> i & 1))
			continue;
		struct mini *e = &mini[i];

		fold(i);
		for (; e->period && e->left <= 0; e->left += e->period)
			e->samples++;
		load(i, min);
	}
}

void pev_pmu_overflow(u64 counters, const struct pev_pmu_sample *sample)
{
	CHECK(!host.on);
	overflows |= counters;
	if (updating) {
		deferred = true;
		deferrals++;
		return;
	}
	sample_all(counters & active, 2);
	pev_pmu->ops->thaw(active, false);
}

static void update_begin(void)
{
	host.kernel = true;
	updating = true;
	barrier();
	pev_pmu->ops->freeze();
	CHECK(!host.on);
}

static void update_end(void)
{
	s64 min = 16;

	for (;;) {
		if (deferred) {
			deferred = false;
			min *= 2;
			sample_all(active, min);
		}
		pev_pmu->ops->thaw(active, false);
		barrier();
		updating = false;
		barrier();
		if (!deferred)
			break;
		updating = true;
		barrier();
		CHECK(min < 1 << 20);
	}
	host.kernel = false;
	CHECK_EQ(host.on, active & ~lost);
}

/* As pev_pmu_event_fold(): reads while it runs. */
static void look(int i)
{
	host.kernel = true;
	updating = true;
	barrier();
	fold(i);
	barrier();
	updating = false;
	barrier();
	if (deferred) {
		updating = true;
		update_end();
	}
	host.kernel = false;
}

/* ---- set-up ---- */

static int encode(u32 type, u64 config, u64 flags, struct pev_pmu_code *code, struct pev_refuse *r)
{
	struct pev_pmu_request req = {
		.type = type, .config = config, .flags = flags, .name = "the event"
	};

	memset(r, 0, sizeof(*r));
	memset(code, 0, sizeof(*code));
	return pev_pmu->ops->encode(&req, code, r);
}

/* In an update. */
static void attach(int counter, s64 period, u64 flags)
{
	struct pev_pmu_code code;
	struct pev_refuse r;

	CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_INSTRUCTIONS, flags, &code, &r), 0);
	CHECK(code.alt[0].counters >> counter & 1);
	CHECK_EQ(code.period_min, 2);
	mini[counter] = (struct mini){ .period = period, .left = period };
	pev_pmu->ops->set(counter, code.alt[0].config);
	load(counter, 2);
	active |= BIT_ULL(counter);
}

static void boot(int grant)
{
	host.there = true;
	host.grant = grant;
	CHECK_EQ(x86_pev_guest_init(), 0);
	CHECK_EQ(pev_pmu->present, (1ULL << HOST_COUNTERS) - 1);
}

static void up(int grant)
{
	struct pev_refuse r;

	boot(grant);
	CHECK_EQ(pev_pmu->ops->reserve(&r), 0);
	CHECK_EQ(pev_pmu->ops->cpu_start(), 0);
	CHECK(!host.on);
}

static void down(void)
{
	update_begin();
	active = 0;
	update_end();
	pev_pmu->ops->cpu_stop();
	CHECK(!host.on);
	CHECK_EQ(host.lent, 0);
	pev_pmu->ops->release();
	host_nmi_point();
	CHECK_EQ(host.unknown, 0);
}

#define USER PEV_F_EXCLUDE_KERNEL

/* ---- cases ---- */

static void absent(void)
{
	CHECK_EQ(x86_pev_guest_init(), -ENODEV);
	CHECK_EQ(host.calls[PEV_GUEST_HELLO], 0);
	host.there = true;
	host.secret = true;
	CHECK_EQ(x86_pev_guest_init(), -ENODEV);
	CHECK_EQ(host.calls[PEV_GUEST_HELLO], 0);
	host.secret = false;
	host.old = true;
	CHECK_EQ(x86_pev_guest_init(), -ENODEV);
	CHECK_EQ(host.calls[PEV_GUEST_HELLO], 1);
	CHECK(!pev_pmu);
}

static void other_version(void)
{
	host.there = true;
	host.hello = 0 | 8 << 8 | 48L << 24;
	CHECK_EQ(x86_pev_guest_init(), -ENODEV);
	host.hello = 3 | 8 << 8 | 48L << 24;
	CHECK_EQ(x86_pev_guest_init(), -ENODEV);
	host.hello = 1 | 0 << 8 | 48L << 24;
	CHECK_EQ(x86_pev_guest_init(), -ENODEV);
	host.hello = 1 | 8 << 8 | 64L << 24;
	CHECK_EQ(x86_pev_guest_init(), -ENODEV);
	host.hello = -EOPNOTSUPP;
	CHECK_EQ(x86_pev_guest_init(), -ENODEV);
	CHECK(!pev_pmu);
	/* more than there is room for */
	host.hello = 1 | 200 << 8 | 48L << 24;
	CHECK_EQ(x86_pev_guest_init(), 0);
	CHECK_EQ(pev_pmu->present, 0xff);
	CHECK_EQ(pev_pmu->counters[7].user, -1);
}

static void nothing_lent(void)
{
	struct pev_refuse r = {};

	boot(0);
	CHECK_EQ(pev_pmu->ops->reserve(&r), -EBUSY);
	CHECK(strstr(r.text, "perfctl guest grant"));
	CHECK(!host.handler);
	/* between reserve() and this it was taken back */
	CHECK_EQ(pev_pmu->ops->cpu_start(), -ENODEV);
	host.old = true;
	CHECK_EQ(pev_pmu->ops->cpu_start(), -ENODEV);
}

static void words(void)
{
	const u64 all = PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL;
	struct pev_pmu_code code;
	struct pev_refuse r;

	boot(4);
	CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_BRANCHES, USER, &code, &r), 0);
	CHECK_EQ(code.alt[0].config, PEV_HW_BRANCHES | PEV_GUEST_NO_KERNEL);
	CHECK_EQ(code.alt[0].counters, 0xff);
	CHECK_EQ(encode(PEV_TYPE_RAW, 0x4c0, PEV_F_EXCLUDE_USER, &code, &r), 0);
	CHECK_EQ(code.alt[0].config, 0x4c0 | PEV_GUEST_RAW | PEV_GUEST_NO_USER);
	CHECK_EQ(encode(PEV_TYPE_RAW, 1ULL << 48, 0, &code, &r), -EINVAL);
	CHECK_EQ(r.field, PEV_FIELD(config));
	CHECK_EQ(encode(PEV_TYPE_RAW, 0xc0, all, &code, &r), -EINVAL);
	CHECK_EQ(encode(PEV_TYPE_RAW, 0xc0, PEV_F_MARKED, &code, &r), -EOPNOTSUPP);
	CHECK_EQ(encode(PEV_TYPE_RAW, 0xc0, PEV_F_EXCLUDE_HOST, &code, &r), -EOPNOTSUPP);
	CHECK_EQ(encode(PEV_TYPE_RAW, 0xc0, PEV_F_EXCLUDE_GUEST, &code, &r), 0);
	shim_features = 1ULL << X86_FEATURE_SVM;
	CHECK_EQ(encode(PEV_TYPE_RAW, 0xc0, PEV_F_EXCLUDE_GUEST, &code, &r), -EOPNOTSUPP);
	CHECK(strstr(r.text, "PEV_F_EXCLUDE_GUEST"));
	CHECK_EQ(encode(PEV_TYPE_RAW, 0xee, 0, &code, &r), -EOPNOTSUPP);
	CHECK(strstr(r.text, "code 0xee: the host"));
	CHECK_EQ(encode(PEV_TYPE_HARDWARE, PEV_HW_REF_CYCLES, 0, &code, &r), -EOPNOTSUPP);
	CHECK(strstr(r.text, "the event: the host"));
	host.old = true;
	CHECK_EQ(encode(PEV_TYPE_RAW, 0xc0, 0, &code, &r), -EOPNOTSUPP);
	CHECK(strstr(r.text, "lends no counters"));
}

static void counts(void)
{
	up(4);
	CHECK_EQ(lost, 0xf0);
	update_begin();
	attach(0, 0, USER);
	attach(1, 1000, USER);
	update_end();
	host_run(10500);
	CHECK_EQ(mini[1].samples, 10);
	CHECK_EQ(host.nmis, 10);
	update_begin();
	fold(0);
	fold(1);
	update_end();
	CHECK_EQ(mini[0].count, 10500);
	CHECK_EQ(mini[1].count, 10500);
	look(0);
	host_run(1);
	look(0);
	CHECK_EQ(mini[0].count, 10501);
	CHECK_EQ(host.calls[PEV_GUEST_READ], 0);
	CHECK_EQ(host.rdpmcs, 2);
	down();
}

/* Of a host of version 1 there is no register to read, and no time. */
static void first_version(void)
{
	host.first = true;
	up(4);
	CHECK(!host.whole);
	update_begin();
	attach(0, 0, USER);
	attach(1, 1000, USER);
	update_end();
	host_run(1000);
	host.starve = 1;
	host_run(500);
	host.starve = 0;
	look(0);
	look(1);
	CHECK_EQ(mini[0].count, 1000);
	CHECK_EQ(mini[1].count, 1500);
	CHECK_EQ(host.calls[PEV_GUEST_READ], 2);
	CHECK_EQ(host.rdpmcs, 0);
	update_begin();
	update_end();
	CHECK_EQ(incidents[PEV_PMU_PAUSED], 1);
	CHECK_EQ(stood[0] | stood[1], 0);
	down();
}

/* A counter that the host can't show, and a host that answers no rdpmc. */
static void reads(void)
{
	up(2);
	host.hide = 2;
	update_begin();
	attach(0, 0, USER);
	attach(1, 0, USER);
	update_end();
	host_run(100);
	look(0);
	CHECK_EQ(host.rdpmcs, 1);
	CHECK_EQ(host.calls[PEV_GUEST_READ], 0);
	look(1);
	CHECK_EQ(host.rdpmcs, 1);
	CHECK_EQ(host.calls[PEV_GUEST_READ], 1);
	host.hide = 0;
	/* told when all is started again */
	update_begin();
	update_end();
	host_run(100);
	look(1);
	CHECK_EQ(host.rdpmcs, 2);
	host.fault = true;
	look(0);
	look(1);
	CHECK_EQ(host.calls[PEV_GUEST_READ], 3);
	CHECK_EQ(mini[0].count, 200);
	CHECK_EQ(mini[1].count, 200);
	/* what was set and does not run yet stands in the area */
	host.fault = false;
	host.rdpmcs = 0;
	update_begin();
	pev_pmu->ops->write(0, 77);
	CHECK_EQ(pev_pmu->ops->read(0), 77);
	CHECK_EQ(host.rdpmcs, 0);
	mini[0].raw = 77;
	update_end();
	look(0);
	CHECK_EQ(host.rdpmcs, 1);
	CHECK_EQ(mini[0].count, 200);
	down();
}

/* It was moved to a host that knows less, or has other counters. */
static void another_host(void)
{
	up(2);
	CHECK(host.whole);
	pev_pmu->ops->cpu_stop();
	host.first = true;
	lost = 0;
	CHECK_EQ(pev_pmu->ops->cpu_start(), 0);
	CHECK(!host.whole);
	update_begin();
	attach(0, 0, USER);
	update_end();
	host_run(10);
	look(0);
	CHECK_EQ(mini[0].count, 10);
	CHECK_EQ(host.rdpmcs, 0);
	update_begin();
	active = 0;
	update_end();
	pev_pmu->ops->cpu_stop();
	host.hello = 2 | 8 << 8 | 2 << 16 | 40L << 24;
	CHECK_EQ(pev_pmu->ops->cpu_start(), -ENODEV);
}

/* Changes of events, and of who counts; all of it in few calls. */
static void few_calls(void)
{
	int starts, stops;

	up(2);
	update_begin();
	attach(0, 0, USER);
	attach(1, 0, USER);
	update_end();
	CHECK_EQ(host.calls[PEV_GUEST_START], 1);
	CHECK_EQ(host.calls[PEV_GUEST_STOP], 0);
	host_run(7);
	update_begin();
	active = 0;
	fold(0);
	fold(1);
	update_end();
	starts = host.calls[PEV_GUEST_START];
	stops = host.calls[PEV_GUEST_STOP];
	CHECK_EQ(starts, 1);
	CHECK_EQ(stops, 1);
	CHECK_EQ(host.calls[PEV_GUEST_READ], 0);
	/* tasks that nobody counts */
	for (int i = 0; i < 5; i++) {
		update_begin();
		update_end();
		host_run(100);
	}
	CHECK_EQ(host.calls[PEV_GUEST_START], starts);
	CHECK_EQ(host.calls[PEV_GUEST_STOP], stops);
	/* one goes on where it stood; another event goes on with the value of the one before */
	update_begin();
	pev_pmu->ops->set(1, PEV_HW_BRANCHES | PEV_GUEST_NO_KERNEL);
	active = 3;
	update_end();
	host_run(5);
	update_begin();
	fold(0);
	fold(1);
	update_end();
	CHECK_EQ(mini[0].count, 12);
	CHECK_EQ(mini[1].count, 12);
	CHECK_EQ(host.word[1], PEV_HW_BRANCHES | PEV_GUEST_NO_KERNEL);
	CHECK_EQ(host.word[0], PEV_HW_INSTRUCTIONS | PEV_GUEST_NO_KERNEL);
	down();
}

/* An overflow before an update, whose NMI comes at the worst of moments in it. */
static void nmi_in_update(void)
{
	int in_it = 0;

	up(3);
	/* the host's PMI comes by 0 to 60 of the guest's instructions late */
	for (host.late = 0; host.late < 60; host.late++) {
		host.drag = 3;
		memset(mini, 0, sizeof(mini));
		deferrals = 0;
		update_begin();
		attach(0, 0, USER);
		attach(1, 100, USER);
		/* in the kernel, too: that is where an NMI can be late */
		attach(2, 37, 0);
		update_end();
		host_run(100);
		for (int i = 0; i < 3; i++) {
			update_begin();
			fold(0);
			fold(1);
			load(1, 2);
			pev_pmu->ops->set(0, PEV_HW_INSTRUCTIONS | PEV_GUEST_NO_KERNEL);
			update_end();
			look(1);
			host_run(50);
		}
		in_it += deferrals;
		update_begin();
		sample_all(7, 2);
		active = 0;
		update_end();
		CHECK_EQ(mini[0].count, 250);
		CHECK_EQ(mini[1].count, 250);
		CHECK_EQ(mini[1].samples, 2);
		CHECK(mini[2].count > 250);
		CHECK_EQ(mini[2].samples, mini[2].count / 37);
		CHECK_EQ(host.unknown, 0);
	}
	CHECK(in_it > 20);
	down();
}

static u32 dice(u32 n)
{
	static u32 seed = 12345;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* 8 counters, groups of which come and go, NMIs of others, late PMIs: all counts exact. */
static void random_programs(void)
{
	u64 truth[PEV_GUEST_COUNTERS];
	int in_it = 0;

	up(8);
	CHECK_EQ(lost, 0);
	for (int program = 0; program < 300; program++) {
		memset(mini, 0, sizeof(mini));
		memset(truth, 0, sizeof(truth));
		memset(host.total, 0, sizeof(host.total));
		host.late = dice(30);
		host.drag = dice(6);
		deferrals = 0;
		update_begin();
		for (int i = 0; i < 8; i++)
			attach(i, i & 1 ? 0 : 20 + dice(2000), i < 7 ? USER : 0);
		update_end();
		for (int step = 0; step < 40; step++) {
			u32 n = dice(700);

			host_run(n);
			for (int i = 0; i < 8; i++)
				truth[i] += active >> i & 1 ? n : 0;
			switch (dice(4)) {
			case 0:
				update_begin();
				for (int i = 0; i < 8; i++)
					if (active >> i & 1)
						fold(i);
				active = dice(256);
				update_end();
				break;
			case 1:
				for (int i = 0; i < 8; i++)
					if (active >> i & 1)
						look(i);
				break;
			case 2:
				host_other_nmi();
				break;
			}
		}
		in_it += deferrals;
		update_begin();
		for (int i = 0; i < 8; i++)
			sample_all(BIT_ULL(i), 2);
		active = 0;
		update_end();
		for (int i = 0; i < 7; i++) {
			CHECK_EQ(mini[i].count, truth[i]);
			if (mini[i].period)
				CHECK_EQ(mini[i].samples, truth[i] / mini[i].period);
		}
		CHECK(mini[7].count >= truth[7]);
		CHECK(mini[7].count <= host.total[7]);
		CHECK_EQ(host.unknown, 0);
	}
	CHECK(in_it > 100);
	CHECK_EQ(incidents[PEV_PMU_PAUSED], 0);
	CHECK_EQ(host.calls[PEV_GUEST_READ], 0);
	CHECK(host.rdpmcs > 1000);
	down();
}

static void foreign_nmis(void)
{
	int stops;

	up(2);
	update_begin();
	attach(0, 0, USER);
	update_end();
	host_run(10);
	CHECK(!host_other_nmi());
	/* nothing was stopped by it */
	CHECK_EQ(host.on, 1);
	host_run(10);
	update_begin();
	fold(0);
	update_end();
	CHECK_EQ(mini[0].count, 20);
	down();
	stops = host.calls[PEV_GUEST_STOP];
	CHECK(!host_other_nmi());
	CHECK_EQ(host.calls[PEV_GUEST_STOP], stops);
}

/* Two overflows and one NMI; an overflow that was loaded again before its NMI came. */
static void one_nmi(void)
{
	up(2);
	update_begin();
	attach(0, 100, USER);
	attach(1, 100, USER);
	update_end();
	host_run(100);
	CHECK_EQ(overflows, 3);
	CHECK_EQ(mini[0].samples, 1);
	CHECK_EQ(mini[1].samples, 1);
	CHECK_EQ(host.nmis, 1);
	CHECK_EQ(incidents[PEV_PMU_LATE], 0);
	host.hold = true;
	host_run(100);
	update_begin();
	sample_all(3, 2);
	update_end();
	CHECK_EQ(host.nmis, 1);
	host.hold = false;
	host_run(1);
	CHECK_EQ(host.nmis, 2);
	CHECK_EQ(incidents[PEV_PMU_LATE], 1);
	host_run(98);
	CHECK_EQ(mini[0].samples, 2);
	host_run(1);
	CHECK_EQ(mini[0].samples, 3);
	down();
}

static void paused(void)
{
	up(2);
	update_begin();
	attach(0, 0, USER);
	attach(1, 0, USER);
	update_end();
	host_run(100);
	host.starve = 2;
	host_run(50);
	host.starve = 0;
	host_run(10);
	CHECK_EQ(incidents[PEV_PMU_PAUSED], 0);
	update_begin();
	fold(0);
	fold(1);
	update_end();
	CHECK_EQ(incidents[PEV_PMU_PAUSED], 1);
	CHECK_EQ(mini[0].count, 160);
	CHECK_EQ(mini[1].count, 110);
	CHECK_EQ(stood[0], 0);
	CHECK_EQ(stood[1], 50 * HOST_NS);
	/* each time is told once, also where an NMI stops first */
	mini[0] = (struct mini){ .period = 100, .left = 100 };
	update_begin();
	load(0, 2);
	update_end();
	host.starve = 2;
	host_run(150);
	host.starve = 0;
	update_begin();
	update_end();
	CHECK_EQ(stood[0], 0);
	CHECK_EQ(stood[1], 200 * HOST_NS);
	/* ... in the middle of an update */
	host.late = 20;
	host.drag = 3;
	host.starve = 2;
	for (int i = 0; i < 20; i++) {
		host_run(50 + i);
		update_begin();
		update_end();
	}
	host.starve = 0;
	update_begin();
	update_end();
	CHECK(deferrals);
	CHECK(stood[1] >= (200 + 20 * 50) * HOST_NS);
	CHECK(stood[1] <= (200 + 20 * 70 + host.nmis * 100) * HOST_NS);
	down();
	CHECK_EQ(stood[0], 0);
	CHECK(incidents[PEV_PMU_PAUSED] > 20);
	CHECK_EQ(lost, 0xfc);
}

static int all_calls(void)
{
	int sum = 0;

	for (int i = 0; i < ARRAY_SIZE(host.calls); i++)
		sum += host.calls[i];
	return sum;
}

/* From the @nth call on all are refused, whatever it is. */
static void refused_from(int nth, long error)
{
	u64 counted;
	int calls;

	/* all as in the first process */
	up(3);
	update_begin();
	attach(0, 0, USER);
	attach(1, 10, USER);
	attach(2, 0, 0);
	update_end();
	host_run(95);
	look(0);
	CHECK_EQ(mini[0].count, 95);
	CHECK_EQ(mini[1].samples, 9);
	host.deny = error;
	host.deny_after = nth;
	for (int i = 0; i < 10; i++) {
		look(0);
		look(2);
		host_run(25);
		update_begin();
		sample_all(7, 2);
		update_end();
	}
	CHECK_EQ(lost, 0xff);
	CHECK_EQ(incidents[PEV_PMU_PAUSED], 1);
	/* no count goes back, or a lap ahead */
	CHECK(mini[0].count >= 95 && mini[0].count <= 95 + 250);
	CHECK(mini[1].count <= 95 + 250);
	CHECK(mini[1].samples <= 34);
	CHECK(mini[2].count < 10000);
	/* and no call is made any more */
	calls = all_calls();
	counted = mini[0].count;
	for (int i = 0; i < 10; i++) {
		host_run(25);
		host_other_nmi();
		host_other_nmi();
		update_begin();
		sample_all(7, 2);
		update_end();
		look(0);
	}
	CHECK_EQ(all_calls(), calls);
	CHECK_EQ(mini[0].count, counted);
	CHECK_EQ(host.unknown, 0);
	/* the core has taken all events away, and tries again */
	pev_pmu->ops->cpu_stop();
	host.deny = 0;
	host.handler = NULL;
	lost = 0;
	active = 0;
	CHECK_EQ(pev_pmu->ops->cpu_start(), 0);
	CHECK_EQ(lost, 0xf8);
	update_begin();
	attach(0, 0, USER);
	update_end();
	host_run(10);
	look(0);
	CHECK_EQ(mini[0].count, 10);
}

static void in_a_process(void (*run)(int nth, long error), int nth, long error)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(60);
		run(nth, error);
		if (failed)
			printf("# ... from call %d on, error %ld\n", nth, -error);
		fflush(stdout);
		_exit(failed);
	}
	waitpid(pid, &status, 0);
	failed |= !!status;
}

static void refusals(void)
{
	for (int nth = 0; nth < 20; nth++) {
		in_a_process(refused_from, nth, -ENODEV);
		in_a_process(refused_from, nth, -EFAULT);
		in_a_process(refused_from, nth, -EINVAL);
		in_a_process(refused_from, nth, -KVM_ENOSYS);
	}
}

/* The NMI was on its way as the host took its counters back. */
static void forgiven(void)
{
	up(1);
	update_begin();
	attach(0, 100, USER);
	update_end();
	host.hold = true;
	host_run(100);
	CHECK(host.pending);
	host.deny = -ENODEV;
	update_begin();
	update_end();
	CHECK_EQ(lost, 0xff);
	host.hold = false;
	host_nmi_point();
	CHECK_EQ(host.nmis, 1);
	CHECK_EQ(host.unknown, 0);
	/* one, and not for ever */
	CHECK(!host_other_nmi());
	pev_pmu->ops->cpu_stop();
	host.deny = 0;
	lost = 0;
	CHECK_EQ(pev_pmu->ops->cpu_start(), 0);
	lost = 0;
	update_begin();
	update_end();
	host.deny = -ENODEV;
	update_begin();
	update_end();
	shim_now += 1000 * NSEC_PER_MSEC;
	CHECK(!host_other_nmi());
}

static const struct test_case {
	const char *name;
	void (*run)(void);
} cases[] = {
	/* one a line */
	{ "no host, or one that knows nothing of it", absent },
	{ "a host of another version", other_version },
	{ "a host that lends nothing", nothing_lent },
	{ "events and refusals in words", words },
	{ "counts and samples", counts },
	{ "a host of the first version", first_version },
	{ "reads by register and by call", reads },
	{ "a machine that goes on with another host", another_host },
	{ "as few calls as can be", few_calls },
	{ "NMIs in the middle of an update", nmi_in_update },
	{ "eight counters, at random", random_programs },
	{ "NMIs of others", foreign_nmis },
	{ "one NMI for two overflows, or for none", one_nmi },
	{ "counters that the host needed", paused },
	{ "a host that refuses a call, and all that follow", refusals },
	{ "an NMI on its way as counters are taken back", forgiven },
	{ NULL, NULL },
};

int main(void)
{
	bool any = false;

	for (const struct test_case *test = cases; test->run; test++) {
		int status;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid) {
			alarm(60);
			test->run();
			fflush(stdout);
			_exit(failed);
		}
		waitpid(pid, &status, 0);
		any |= !!status;
		printf("%sok - %s\n", status ? "not " : "", test->name);
	}
	return any;
}
