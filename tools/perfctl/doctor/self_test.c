// SPDX-License-Identifier: GPL-2.0
/*
 * perfctl doctor --self-test: do the counters count what they should? Loops
 * with a known number of instructions tell. Owners of real processors can confirm
 * what was only tested on emulated ones.
 */
#include "self_test.h"
#include "base/clock.h"
#include "base/util.h"
#include "event/pmu_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRIES	     20
#define LOOP	     1000000
#define PERIOD	     100003
#define SAMPLES	     200
#define MAX_EVENTS   32
#define TURNS_NS     400000000

/**
 * struct self_tests - a run
 * @by_perf: perf's driver counts, which refuses some of what pev's does
 */
struct self_tests {
	const struct pev_info *info;
	bool by_perf;
	unsigned int failed;
};

enum verdict {
	PASS,
	FAIL,
	SKIP,
};

static void verdict(struct self_tests *t, enum verdict v, const char *what, const char *fmt, ...)
	PRINTF(4, 5);

static void verdict(struct self_tests *t, enum verdict v, const char *what, const char *fmt, ...)
{
	static const char *const words[] = { "PASS", "FAIL", "SKIP" };
	va_list ap;

	t->failed += v == FAIL;
	printf("%s  %-28s ", words[v], what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* Instructions and branches of each turn of loop() */
#if defined(__x86_64__)
#define LOOP_INSTRUCTIONS 2

static __attribute__((noinline)) void loop(uint64_t n)
{
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}
#elif defined(__aarch64__)
#define LOOP_INSTRUCTIONS 2

static __attribute__((noinline)) void loop(uint64_t n)
{
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(n) : : "cc");
}
#else
#define LOOP_INSTRUCTIONS 1

static __attribute__((noinline)) void loop(uint64_t n)
{
	__asm__ volatile("mtctr %0; 1: bdnz 1b" : : "r"(n) : "ctr");
}
#endif

static bool counts(const struct self_tests *t, uint32_t event)
{
	return t->info->hardware >> event & 1;
}

static void make_attr(struct pev_attr *attr, uint32_t event, uint64_t flags)
{
	pev_attr_event(attr, PEV_TYPE_HARDWARE, event, NULL);
	attr->flags = flags;
}

static uint64_t value_of(int fd)
{
	struct pev_value v = { 0 };

	pev_fd_read(fd, &v);
	return v.value;
}

/* Runs the same instructions around the loop for any number of turns. */
static __attribute__((noinline)) uint64_t measure(int fd, uint64_t turns)
{
	uint64_t before = value_of(fd);

	loop(turns);
	return value_of(fd) - before;
}

/* An interrupt may add an instruction or two: takes the best of some tries. */
static void test_exact(struct self_tests *t, uint32_t event, uint64_t each)
{
	const char *name = pev_config_name(PEV_TYPE_HARDWARE, event);
	char what[64];
	uint64_t best = UINT64_MAX, want = each * LOOP;
	struct pev_attr attr;
	struct pev_error why;
	int fd;

	snprintf(what, sizeof(what), "%s, exactly", name);
	if (!counts(t, event)) {
		verdict(t, SKIP, what, "not counted by this processor");
		return;
	}
	make_attr(&attr, event, PEV_F_EXCLUDE_KERNEL);
	fd = pev_attr_open(&attr, 0, &why);
	if (fd < 0) {
		verdict(t, FAIL, what, "%s", why.text);
		return;
	}
	for (int i = 0; i < TRIES && best != want; i++) {
		uint64_t once = measure(fd, LOOP), more = measure(fd, 2 * LOOP) - once;

		if (best == UINT64_MAX || llabs((long long)(more - want)) <
					  llabs((long long)(best - want)))
			best = more;
	}
	close(fd);
	verdict(t, best == want ? PASS : FAIL, what,
		"%llu more for %d turns of a loop, expected %llu", (unsigned long long)best, LOOP,
		(unsigned long long)want);
}

static void some_calls(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		syscall(SYS_getppid);
}

/* The counts of user mode and of the kernel must add up to the total. */
static void test_modes(struct self_tests *t)
{
	static const uint64_t flags[] = { 0, PEV_F_EXCLUDE_KERNEL, PEV_F_EXCLUDE_USER };
	int fds[3] = { -1, -1, -1 };
	struct pev_value v[3];
	struct pev_attr attr;
	struct pev_error why;
	double all, sum;
	int n = 0;

	if (t->by_perf) {
		verdict(t, SKIP, "user + kernel = all", "by perf's driver they can't be one group");
		return;
	}
	for (; n < 3; n++) {
		make_attr(&attr, PEV_HW_INSTRUCTIONS,
			  flags[n] | (n ? 0 : PEV_F_DISABLED | PEV_F_READ_GROUP));
		attr.group_fd = fds[0];
		fds[n] = pev_attr_open(&attr, 0, &why);
		if (fds[n] < 0)
			break;
	}
	if (n < 3) {
		verdict(t, fds[n] == -EACCES || fds[n] == -EPERM ? SKIP : FAIL, "user + kernel = all",
			"%s", why.text);
	} else {
		pev_fd_enable(fds[0], PEV_IOF_GROUP);
		some_calls(20000);
		pev_fd_disable(fds[0], PEV_IOF_GROUP);
		if (pev_fd_read_group(fds[0], v, 3) == 3) {
			all = (double)v[0].value;
			sum = (double)v[1].value + (double)v[2].value;
			verdict(t, v[1].value && v[2].value && sum > 0.99 * all && sum < 1.01 * all ?
				PASS : FAIL, "user + kernel = all", "%llu + %llu instructions, %llu in all",
				(unsigned long long)v[1].value, (unsigned long long)v[2].value,
				(unsigned long long)v[0].value);
		} else {
			verdict(t, FAIL, "user + kernel = all", "the group cannot be read");
		}
	}
	while (n > 0)
		close(fds[--n]);
}

/*
 * A scaled value must lie within its bound. One in twenty may miss it, so that more than a third of
 * them do once in a thousand times; those that are scaled wrongly all do.
 */
static bool is_near(int fd, double truth, double *off)
{
	struct pev_multiplexed m;
	struct pev_estimate e;

	*off = 100;
	if (pev_fd_read_multiplexed(fd, &m) || pev_multiplexed_estimate(&m, &e))
		return false;
	*off = 100 * ((double)e.value - truth) / truth;
	return (double)e.value - truth < 2 * e.bound + truth / 20 &&
	       truth - (double)e.value < 2 * e.bound + truth / 20;
}

/**
 * struct turns - events that shared counters
 * @n:      events
 * @waited: of them, those that had to wait for a counter
 * @near:   of them, those whose scaled value lies within its bound
 * @low:    how far the values are from the true one, in percent: the least
 * @high:   and the most
 */
struct turns {
	int n;
	unsigned int waited, near;
	double low, high;
};

/* Return: 0, or what pev_attr_open() returned for one of @want events. */
static int measure_turns(struct turns *r, int want, struct pev_error *why)
{
	int fds[MAX_EVENTS], n = 0, err = 0;
	struct pev_attr attr;
	double turns = 0;

	*r = (struct turns){ .n = want };
	make_attr(&attr, PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_KERNEL);
	while (n < want && (fds[n] = pev_attr_open(&attr, 0, why)) >= 0)
		n++;
	if (n < want)
		err = fds[n];
	for (uint64_t end = now_ns() + TURNS_NS; !err && now_ns() < end; turns += LOOP / 10)
		loop(LOOP / 10);
	for (int i = 0; i < n && !err; i++) {
		struct pev_value v = { 0 };
		double off;

		pev_fd_read(fds[i], &v);
		r->waited += v.time_running < v.time_enabled;
		r->near += is_near(fds[i], turns * LOOP_INSTRUCTIONS, &off);
		r->low = off < r->low ? off : r->low;
		r->high = off > r->high ? off : r->high;
	}
	while (n > 0)
		close(fds[--n]);
	return err;
}

/*
 * With more events than counters, scaled values must be near unscaled ones. What else the machine
 * does takes the loop's time away in pieces that are long beside a turn: once in three times it may
 * leave it alone.
 */
static void test_turns(struct self_tests *t)
{
	int want = (int)t->info->pmu_counters * 2 + 1;
	struct pev_error why;
	struct turns r;
	bool good = false;

	if (t->by_perf) {
		verdict(t, SKIP, "turns",
			"by perf's driver, events that count the same share a counter");
		return;
	}
	if (want > MAX_EVENTS)
		want = MAX_EVENTS;
	for (int i = 0; i < 3 && !good; i++) {
		if (measure_turns(&r, want, &why)) {
			verdict(t, FAIL, "turns", "%s", why.text);
			return;
		}
		good = r.waited && (int)r.near >= r.n - r.n / 3;
	}
	verdict(t, good ? PASS : FAIL, "turns",
		"%d events, of which %u had to wait, %u within the bounds, off by %+.1f to %+.1f %%",
		r.n, r.waited, r.near, r.low, r.high);
}

/**
 * struct distances - differences between successive samples
 * @n:        samples
 * @elsewhere: not in loop()
 * @last:     value at the sample before
 * @exact:    distances that are the period exactly
 * @least:    shortest
 * @most:     longest
 */
struct distances {
	unsigned int n;
	unsigned int elsewhere;
	uint64_t last;
	unsigned int exact;
	uint64_t least;
	uint64_t most;
};

static void add_sample(struct distances *d, const struct pev_event *ev)
{
	uint64_t distance;

	if (!ev->values_len || !ev->values)
		return;
	distance = ev->values[0] - d->last;
	d->last = ev->values[0];
	d->elsewhere += ev->ip < (uintptr_t)loop || ev->ip > (uintptr_t)loop + 64;
	if (!d->n++)
		return;
	d->exact += distance == PERIOD;
	if (!d->least || distance < d->least)
		d->least = distance;
	if (distance > d->most)
		d->most = distance;
}

static void read_ring(struct pev_ring *ring, struct pev_decoder *dec,
		      const struct pev_meta *meta, struct distances *d)
{
	uint32_t size = pev_ring_packet_size(ring);
	const struct pev_event *ev;
	struct pev_piece piece;

	while (pev_ring_next(ring, &piece) > 0) {
		for (size_t at = 0; at < piece.len; at += size) {
			if (pev_decoder_packet(dec, meta, (const char *)piece.data + at, size))
				continue;
			while (pev_decoder_next(dec, &ev) > 0)
				add_sample(d, ev);
		}
	}
	pev_ring_release(ring);
}

static int read_samples(int channel_fd, struct distances *d)
{
	struct pev_channel *channel = NULL;
	struct pev_decoder *dec = NULL;
	struct pev_meta *meta = NULL;
	char *text = NULL;
	size_t len;
	int err;

	pev_fd_flush(channel_fd);
	err = pev_fd_metadata(channel_fd, &text, &len);
	if (!err)
		err = pev_meta_parse(text, len, 0, &meta, NULL);
	if (!err)
		err = pev_channel_map(channel_fd, 0, &channel);
	if (!err)
		err = pev_decoder_new(0, &dec);
	for (unsigned int nr = 0; !err && nr < pev_channel_nr_rings(channel); nr++) {
		struct pev_ring *ring = pev_channel_ring(channel, nr);

		/* each CPU has its own values */
		d->last = 0;
		if (ring)
			read_ring(ring, dec, meta, d);
	}
	pev_decoder_free(dec);
	pev_channel_unmap(channel);
	pev_meta_free(meta);
	free(text);
	return err;
}

static void sample(struct self_tests *t, int channel)
{
	struct distances d = { 0 };
	struct pev_value v = { 0 };
	struct pev_attr attr;
	struct pev_error why;
	int fd, err;

	make_attr(&attr, PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_KERNEL | PEV_F_DISABLED);
	pev_attr_record(&attr, channel, PERIOD, PEV_SAMPLE_TID | PEV_SAMPLE_IP | PEV_SAMPLE_READ);
	fd = pev_attr_open(&attr, 0, &why);
	if (fd < 0) {
		verdict(t, fd == -EOPNOTSUPP ? SKIP : FAIL, "samples", "%s", why.text);
		return;
	}
	pev_fd_enable(fd, 0);
	loop((uint64_t)PERIOD * SAMPLES / LOOP_INSTRUCTIONS);
	pev_fd_disable(fd, 0);
	pev_fd_read(fd, &v);
	err = read_samples(channel, &d);
	close(fd);
	if (err) {
		verdict(t, FAIL, "samples", "the ring cannot be read: %s", strerror(-err));
		return;
	}
	/* the last one may not have arrived when counting ends */
	verdict(t, d.n == v.value / PERIOD || d.n + 1 == v.value / PERIOD ? PASS : FAIL,
		"number of samples",
		"%u for %llu instructions, one for each %d", d.n, (unsigned long long)v.value, PERIOD);
	verdict(t, d.n > 2 && d.elsewhere <= d.n / 20 ? PASS : FAIL, "places of samples",
		"%u of %u in the loop that ran", d.n - d.elsewhere, d.n);
	verdict(t, d.n > 2 && d.least > PERIOD - PERIOD / 10 && d.most < PERIOD + PERIOD / 10 ?
		PASS : FAIL, "distances of samples", "%llu to %llu, %u of %u exact",
		(unsigned long long)d.least, (unsigned long long)d.most, d.exact,
		d.n ? d.n - 1 : 0);
}

static void test_samples(struct self_tests *t)
{
	struct pev_attr attr;
	struct pev_error why;
	int channel;

	pev_attr_channel(&attr, 1 << 18);
	channel = pev_attr_open(&attr, 0, &why);
	if (channel < 0) {
		verdict(t, FAIL, "samples", "the ring: %s", why.text);
		return;
	}
	sample(t, channel);
	close(channel);
}

/* Values of the register must lie between those of read() before and after. */
static void test_self(struct self_tests *t)
{
	unsigned int wrong = 0, slow = 0;
	uint64_t cost = UINT64_MAX;
	struct pev_self self;
	struct pev_attr attr;
	struct pev_error why;
	int ret;

	if (!(t->info->pmu_features & PEV_PMU_USER_READS)) {
		verdict(t, SKIP, "reading in user mode", "this processor does not let it");
		return;
	}
	make_attr(&attr, PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_KERNEL);
	ret = pev_self_open(&attr, &self, &why);
	if (ret <= 0) {
		verdict(t, ret ? FAIL : SKIP, "reading in user mode", "%s",
			ret ? why.text : "the kernel or the C library does not let it");
		if (!ret)
			close(self.fd);
		return;
	}
	for (int i = 0; i < 1000; i++) {
		uint64_t a = value_of(self.fd), b = 0, c = 0, d;

		pev_self_read(&self, &b);
		pev_self_read(&self, &c);
		slow += !self.page->counter;
		d = value_of(self.fd);
		wrong += a > b || b > c || c > d;
		if (c - b < cost)
			cost = c - b;
	}
	pev_self_unmap(&self);
	close(self.fd);
	verdict(t, wrong || slow > 500 ? FAIL : PASS, "reading in user mode",
		"%u of 1000 out of order with read(), %u without a counter; %llu instructions each",
		wrong, slow, (unsigned long long)cost);
}

static void test_cycles(struct self_tests *t)
{
	struct pev_attr attr;
	struct pev_error why;
	uint64_t start, ns, value;
	int fd;

	if (!counts(t, PEV_HW_CYCLES)) {
		verdict(t, SKIP, "cycles", "not counted by this processor");
		return;
	}
	make_attr(&attr, PEV_HW_CYCLES, PEV_F_EXCLUDE_KERNEL);
	fd = pev_attr_open(&attr, 0, &why);
	if (fd < 0) {
		verdict(t, FAIL, "cycles", "%s", why.text);
		return;
	}
	start = now_ns();
	loop(100 * LOOP);
	ns = now_ns() - start;
	value = value_of(fd);
	close(fd);
	/* allow from the fastest processor down to the slowest emulator */
	verdict(t, (double)value < 10.0 * (double)ns && (double)value > 0.001 * (double)ns ?
		PASS : FAIL, "cycles", "%.3f GHz", (double)value / (double)ns);
}

static bool counted_by_perf(void)
{
	struct pmu_text p;
	struct msg m;
	bool yes;

	if (pmu_text_read(&p, &m))
		return false;
	yes = !strcmp(p.driver, "perf");
	pmu_text_free(&p);
	return yes;
}

unsigned int self_test(const struct pev_info *info)
{
	struct self_tests t = { .info = info };

	if (!info->pmu_counters) {
		verdict(&t, SKIP, "all", "there is no PMU here that pev can use; \"perfctl doctor\" says "
			"why");
		return 0;
	}
	t.by_perf = counted_by_perf();
	if (t.by_perf)
		printf("%s: perf's driver counts\n", info->pmu);
	else
		printf("%s, %u counters\n", info->pmu, info->pmu_counters);
	test_exact(&t, PEV_HW_INSTRUCTIONS, LOOP_INSTRUCTIONS);
	test_exact(&t, PEV_HW_BRANCHES, 1);
	test_cycles(&t);
	test_modes(&t);
	test_turns(&t);
	test_samples(&t);
	test_self(&t);
	printf("%s\n", t.failed ? "some failed" : "none failed");
	return t.failed;
}
