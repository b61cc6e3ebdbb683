// SPDX-License-Identifier: GPL-2.0
/*
 * Does the truth lie within the bound of pev_multiplexed_estimate(), and is the bound not
 * much wider than it has to be? Workloads of many kinds, counted by events that are rotated
 * as the kernel does it: rounds of random order, turns of 1 ms, up to a quarter more or less.
 *
 * usage: RUNS=10000 estimate
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <linux/pev.h>
#include <pev/pev.h>
#include "count.h"
#include "tap.h"

#define MAX_EVENTS 40
#define MAX_COUNTERS 8
#define MS		1000000.0
#define MAX_PIECES	2000000

/* Fewer prove nothing, but are enough for the sanitizers. */
#ifdef __SANITIZE_ADDRESS__
#define RUNS		10
#else
#define RUNS		1000
#endif
/* as many as the claims are made for */
#define ALL_RUNS 10000

static u64 seed;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1dULL;
}

/* Evenly in [0, 1) */
static double even(void)
{
	return (rnd() >> 11) / 9007199254740992.0;
}

static double exponential(double mean)
{
	return -mean * log(1 - even());
}

static double normal(void)
{
	return sqrt(-2 * log(1 - even())) * cos(2 * M_PI * even());
}

/*
 * What happened: pieces of constant rate. at[i] is the start of a piece, in ns, and
 * sum[i] what has occurred until then.
 */
static double at[MAX_PIECES + 1], sum[MAX_PIECES + 1], end;
static unsigned int nr;

static bool piece(double ns, double rate)
{
	if (at[nr] >= end || nr == MAX_PIECES)
		return false;
	ns = fmin(ns, end - at[nr]);
	at[nr + 1] = at[nr] + ns;
	sum[nr + 1] = sum[nr] + ns * rate;
	nr++;
	return true;
}

/* Occurrences before @ns; calls come in order of time, with the same @i. */
static u64 occurred(double ns, unsigned int *i)
{
	while (*i + 1 < nr && at[*i + 1] <= ns)
		++*i;
	return sum[*i] + (sum[*i + 1] - sum[*i]) * (ns - at[*i]) / (at[*i + 1] - at[*i]);
}

static void noise(double ms)
{
	while (piece(ms * MS, 0.1 * exp(normal())))
		;
}

/* Single occurrences, so many ms apart on average */
static void rare(double ms)
{
	while (piece(exponential(ms * MS), 0) && piece(1, 1.001))
		;
}

static void bursts(double ms, double pause)
{
	while (piece(exponential(ms * MS), 1) && piece(exponential(pause * MS), 0.01))
		;
}

static void equal_bursts(double ms)
{
	bursts(ms, ms);
}

static void short_bursts(double ms)
{
	bursts(ms, 4 * ms);
}

/* Noise that changes its mind so many ms later */
static void drift(double ms)
{
	double x = normal(), keep = exp(-0.05 / ms);

	while (piece(0.05 * MS, 0.1 * exp(x)))
		x = keep * x + sqrt(1 - keep * keep) * normal();
}

static void cycle(double ms, double part)
{
	piece(even() * ms * MS, even() < part ? 1 : 0.01);
	while (piece(part * ms * MS, 1) && piece((1 - part) * ms * MS, 0.01))
		;
}

static void square(double ms)
{
	cycle(ms, 0.5);
}

static void pulse(double ms)
{
	cycle(ms, 0.1);
}

static void sine(double ms)
{
	double phase = even() * 2 * M_PI, step = fmin(ms / 40, 0.1) * MS;

	while (piece(step, 0.1 * (1.01 + sin(phase + 2 * M_PI * at[nr] / (ms * MS)))))
		;
}

/* Counted in whole occurrences at a rate that is always the same */
static void constant(double ms)
{
	while (piece(ms * MS, fmax(0, 20 + sqrt(20) * normal()) / (ms * MS)))
		;
}

static void growth(double ms)
{
	while (piece(ms * MS, (0.01 + at[nr] / end) * exp(normal() / 2)))
		;
}

static void smooth_growth(double ms)
{
	while (piece(ms * MS, 0.01 + at[nr] / end))
		;
}

static void one_change(double unused)
{
	(void)unused;
	piece(even() * end, 1);
	piece(end, 0.01);
}

/* Phases with so many ms on average, each with a rate of its own */
static void levels(double ms)
{
	bool more = true;

	while (more) {
		double until = at[nr] + exponential(ms * MS), rate = 0.1 * exp(normal());

		while (more && at[nr] < until)
			more = piece(0.1 * MS, rate * exp(0.2 * normal()));
	}
}

static void walk(double ms)
{
	double rate = 1;

	while (piece(ms * MS, rate))
		rate *= exp(0.02 * normal());
}

/* Ten times as fast, or a tenth, from the middle on, where the crowd may change, too */
static void faster(double ms)
{
	while (piece(ms * MS, (at[nr] < end / 2 ? 0.1 : 1) * exp(normal() / 2)))
		;
}

static void slower(double ms)
{
	while (piece(ms * MS, (at[nr] < end / 2 ? 1 : 0.1) * exp(normal() / 2)))
		;
}

/* At random, from 0.2 to 50 ms */
#define ANY_MS		0

/**
 * struct scenario - a workload, and what shares the counters
 * @name:     as in Documentation/design/multiplexing.rst
 * @make:     the workload
 * @ms:       its argument
 * @events:   of which one is looked at
 * @counters: for them
 * @later:    events in the second half; 0: as many
 * @cpus:     the second has as many events, the third 40, the fourth 6; each does something else
 * @width:    claimed: the mean bound is no wider than so many times the true spread
 */
struct scenario {
	const char	*name;
	void		(*make)(double ms);
	double		ms;
	unsigned int events;
	unsigned int counters;
	unsigned int later;
	unsigned int cpus;
	double width;
};

/* clang-format off */
static const struct scenario claimed[] = {
	{ "constant rate", constant, 1, 10, 4, 0, 1, 1.5 },
	{ "noise, 6 events on 4", noise, 0.02, 6, 4, 0, 1, 1.5 },
	{ "noise, 10 on 4", noise, 0.02, 10, 4, 0, 1, 1.5 },
	{ "noise, 24 on 8", noise, 0.02, 24, 8, 0, 1, 1.5 },
	{ "noise, 40 on 2", noise, 0.1, 40, 2, 0, 1, 1.5 },
	{ "bursts of 0.1 ms", equal_bursts, 0.1, 10, 4, 0, 1, 1.5 },
	{ "bursts of 1 ms", equal_bursts, 1, 10, 4, 0, 1, 1.5 },
	{ "bursts of 10 ms", equal_bursts, 10, 10, 4, 0, 1, 1.5 },
	{ "bursts of 0.2 ms in 1", short_bursts, 0.2, 10, 4, 0, 1, 1.5 },
	{ "bursts of 1 ms in 5", short_bursts, 1, 10, 4, 0, 1, 1.5 },
	{ "bursts of 4 ms in 20", short_bursts, 4, 10, 4, 0, 1, 1.5 },
	{ "drift in 0.5 ms", drift, 0.5, 10, 4, 0, 1, 1.5 },
	{ "drift in 5 ms", drift, 5, 10, 4, 0, 1, 1.5 },
	{ "drift in 5 ms, 40 on 2", drift, 5, 40, 2, 0, 1, 1.5 },
	{ "drift in 50 ms", drift, 50, 10, 4, 0, 1, 1.5 },
	{ "growth with noise", growth, 0.5, 10, 4, 0, 1, 1.5 },
	{ "levels of 30 ms", levels, 30, 10, 4, 0, 1, 1.5 },
	{ "alone, then 10 on 4 and ten times as fast", faster, 0.05, 4, 4, 10, 1, 1.5 },
	{ "alone, then 10 on 4 and a tenth as fast", slower, 0.05, 4, 4, 10, 1, 1.5 },
	{ "alone, then 20 on 4, levels of 10 ms", levels, 10, 4, 4, 20, 1, 1.5 },
	{ "5, then 20 on 4 and ten times as fast", faster, 0.05, 5, 4, 20, 1, 1.5 },
	{ "5, then 20 on 4, drift in 5 ms", drift, 5, 5, 4, 20, 1, 1.5 },
	{ "20, then 6 on 4, drift in 50 ms", drift, 50, 20, 4, 6, 1, 1.5 },
	{ "4 CPUs with 6 to 40 on 4, drift in 3 ms", drift, 3, 10, 4, 0, 4, 1.5 },
	{ "square wave, period 0.2 to 50 ms", square, ANY_MS, 10, 4, 0, 1, 1.5 },
	{ "pulses of a tenth, period 0.2 to 50 ms", pulse, ANY_MS, 10, 4, 0, 1, 1.5 },
	{ "sine wave, period 0.2 to 50 ms", sine, ANY_MS, 10, 4, 0, 1, 1.5 },
	{ "square wave of 1 ms, as a turn", square, 1, 10, 4, 0, 1, 2.5 },
	{ "square wave of 2.5 ms, as a round", square, 2.5, 10, 4, 0, 1, 2.5 },
	{ "pulses of 2.5 ms, as a round", pulse, 2.5, 10, 4, 0, 1, 2.5 },
	{ "pulses of 5 ms, as two rounds", pulse, 5, 10, 4, 0, 1, 2.5 },
	{ "sine wave of 2.5 ms, as a round", sine, 2.5, 10, 4, 0, 1, 2.5 },
};

/* The bound holds, but is wider than that. */
static const struct scenario wide[] = {
	{ "a random walk", walk, 0.5, 12, 4, 0, 1, 5 },
	{ "growth without noise", smooth_growth, 0.5, 10, 4, 0, 1, 5 },
	{ "two phases, 100 to 1", one_change, 1, 10, 4, 0, 1, 5 },
	{ "square wave of 5 ms", square, 5, 10, 4, 0, 1, 5 },
	{ "square wave of 30 ms, 24 on 8", square, 30, 24, 8, 0, 1, 5 },
	{ "sine wave of 5 ms", sine, 5, 10, 4, 0, 1, 5 },
	{ "sine wave of 30 ms", sine, 30, 10, 4, 0, 1, 5 },
	{ "single events, 10 ms apart", rare, 10, 10, 4, 0, 1, 5 },
	{ "single events, 100 ms apart", rare, 100, 10, 4, 0, 1, 5 },
};
/* clang-format on */

/**
 * struct queue - the events of a CPU; see rotate_queue() in the kernel
 * @place:    round, and the place in it; the lowest are on the counters
 * @events:   so many
 * @counters: for them
 */
struct queue {
	u64 place[MAX_EVENTS];
	unsigned int events;
	unsigned int counters;
};

static u64 place_in(u64 round)
{
	return round << 32 | (u32)rnd();
}

/* Is it the turn of event 0? */
static bool its_turn(const struct queue *q)
{
	unsigned int i, before = 0;

	for (i = 1; i < q->events; i++)
		before += q->place[i] < q->place[0];
	return before < q->counters;
}

static void rotate(struct queue *q)
{
	unsigned int i, n, first[MAX_COUNTERS];
	u64 after = 0;

	for (n = 0; n < q->counters; n++) {
		first[n] = q->events;
		for (i = 0; i < q->events; i++)
			if (q->place[i] >= after &&
			    (first[n] == q->events || q->place[i] < q->place[first[n]]))
				first[n] = i;
		after = q->place[first[n]] + 1;
	}
	for (n = 0; n < q->counters; n++)
		q->place[first[n]] = place_in((q->place[first[n]] >> 32) + 1);
}

/* More events come in the round of event 0, or some leave. */
static void resize(struct queue *q, unsigned int events)
{
	for (; q->events < events; q->events++)
		q->place[q->events] = place_in(q->place[0] >> 32);
	q->events = events;
}

/**
 * struct slice - of event 0; see slice_end() in the kernel
 * @windows: sums
 * @last:    the last window
 * @gap:     waited since then
 * @ran:     counted since then
 * @x:       occurrences counted in that time
 */
struct slice {
	struct pev_windows windows;
	struct pev_window last;
	double gap;
	double ran;
	u64 x;
};

static void slice_end(struct slice *s)
{
	if (s->ran > 16 * MS) {
		pev_window_forget(&s->last);
	} else {
		pev_windows_add(&s->windows, &s->last, s->gap, s->x, s->ran);
		s->gap = 0;
	}
	s->ran = 0;
	s->x = 0;
}

/* Adds what a CPU's kernel would say of event 0 after all of it. */
static void count(struct pev_multiplexed *m, struct pev_windows *sums, struct queue *q,
		  unsigned int later)
{
	struct slice s = { .gap = 0 };
	unsigned int i, piece = 0;
	double now = 0, next;

	for (i = 0; i < q->events; i++)
		q->place[i] = place_in(0);
	for (; now < end; now = next) {
		bool turn;

		if (now >= end / 2)
			resize(q, later);
		turn = its_turn(q);
		next = fmin(end, now + (u64)(MS * (0.75 + even() / 2)));
		if (turn) {
			u64 x = occurred(now, &piece);

			x = occurred(next, &piece) - x;
			m->value += x;
			m->time_running += next - now;
			s.x += x;
			s.ran += next - now;
		} else {
			s.gap += next - now;
		}
		if (q->events <= q->counters)
			continue;
		/* the last one is not over */
		if (turn && next < end)
			slice_end(&s);
		rotate(q);
	}
	pev_windows_open(&s.windows, &s.last, s.gap);
	pev_windows_merge(sums, &s.windows);
	m->time_enabled += end;
}

static void take_windows(struct pev_multiplexed *m, const struct pev_windows *w)
{
	m->windows = w->nr;
	m->windows_ns = w->ns;
	m->pairs = w->pairs;
	m->triples = w->triples;
	m->ends = w->ends;
	m->blind_ns = w->blind;
	memcpy(m->sum_gaps, w->gaps, sizeof(w->gaps));
	memcpy(m->sum_first, w->first, sizeof(w->first));
	memcpy(m->sum_second, w->second, sizeof(w->second));
	memcpy(m->sum_fourth, w->fourth, sizeof(w->fourth));
}

/* A run of 30 to 200 windows on each CPU. Returns what happened in all. */
static double run(const struct scenario *s, struct pev_multiplexed *m)
{
	static const unsigned int others[] = { 0, 0, 40, 6 };
	struct pev_windows sums = { .nr = 0 };
	double truth = 0;

	memset(m, 0, sizeof(*m));
	for (unsigned int cpu = 0; cpu < s->cpus; cpu++) {
		struct queue q = { .counters = s->counters,
				   .events = others[cpu] ? others[cpu] : s->events };
		unsigned int later = s->later ? s->later : q.events;
		double crowd = (q.events + later) / 2.0 / q.counters;
		double windows = 30 + (crowd > 8 ? 50 : 170) * even();

		nr = 0;
		end = (u64)(windows * crowd * MS);
		s->make(s->ms ? s->ms : 0.2 * pow(250, even()));
		count(m, &sums, &q, later);
		truth += floor(sum[nr]);
	}
	take_windows(m, &sums);
	return truth;
}

/**
 * struct result - of many runs
 * @inside: percent of them in which the truth lies within the bound
 * @off:    95 of 100 runs are not farther from the truth, percent of it
 * @bound:  mean bound, percent
 */
struct result {
	double inside;
	double off;
	double bound;
};

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct result result_of(const struct scenario *s, unsigned int runs)
{
	double *errors = calloc(runs, sizeof(*errors)), total = 0;
	struct result r = { .inside = 0 };
	struct pev_multiplexed m;
	struct pev_estimate e;

	seed = 88172645463325252ULL;
	for (unsigned int i = 0; i < runs; i++) {
		double truth = run(s, &m);

		pev_multiplexed_estimate(&m, &e);
		errors[i] = fabs(e.value - truth);
		r.inside += errors[i] <= e.bound;
		r.bound += e.bound;
		total += truth;
	}
	qsort(errors, runs, sizeof(*errors), by_size);
	r.inside *= 100.0 / runs;
	r.off = errors[runs * 95 / 100] * runs * 100 / total;
	r.bound *= 100 / total;
	free(errors);
	return r;
}

static unsigned int runs_wanted(void)
{
	const char *text = getenv("RUNS");

	return text ? strtoul(text, NULL, 10) : RUNS;
}

/* With fewer runs than the claims are made for, chance moves the shares by a percent. */
static void covers(const struct scenario *s, unsigned int n, double most)
{
	unsigned int runs = runs_wanted();
	double slack = runs < ALL_RUNS ? 1 : 0;

	for (; n--; s++) {
		struct result r = result_of(s, runs);
		double width = r.bound / r.off;

		if (runs < 1000)
			continue;
		check(r.inside >= 94 - slack && r.inside <= most + slack &&
			      width <= s->width + slack / 10,
		      "%s: %.1f %% inside, 95 of 100 off by up to %.2f %%, bound %.2f %%, %.2f times that",
		      s->name, r.inside, r.off, r.bound, width);
	}
}

static void coverage(void)
{
	covers(claimed, ARRAY_SIZE(claimed), 99);
	covers(wide, ARRAY_SIZE(wide), 100);
}

static bool close_to(double a, double b)
{
	return fabs(a - b) <= fabs(b) / 1e9;
}

/* 400, 600 and 800 in 20 ns each, 30 ns apart, and 30 until now */
static void by_hand(void)
{
	struct pev_multiplexed m = { .value = 1800, .time_running = 60, .time_enabled = 150 };
	struct pev_window last = { .any = false };
	struct pev_windows w = { .nr = 0 };
	struct pev_estimate e;
	double first, bound;

	for (u64 x = 400; x <= 800; x += 200)
		pev_windows_add(&w, &last, x > 400 ? 30 : 0, x, 20);
	pev_windows_open(&w, &last, 30);
	take_windows(&m, &w);
	/* two differences of 10 a ns, that do not differ */
	first = 30 * 50 * 10 * 10;
	bound = 12.706 * sqrt(2 * first / 2) + 3 * (1.5 + 0.5);
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 1800 + 750 + 1050 + 1200 &&
		      close_to(e.bound, bound),
	      "three windows on a line: the bound by hand");
	check(e.doubts == PEV_DOUBT_FEW_TURNS, "... and that three are few");
	m.blind_ns = 10;
	m.time_enabled += 10;
	bound += 300 + 3 * 10 / 60.0;
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 4800 + 300 &&
		      close_to(e.bound, bound),
	      "time without any turn: as busy as the rest, or not at all");
	check(e.doubts == (PEV_DOUBT_FEW_TURNS | PEV_DOUBT_BLIND), "... and said");
	m.throttled_ns = 2;
	pev_multiplexed_estimate(&m, &e);
	check(e.doubts & PEV_DOUBT_THROTTLED, "sampling that was held up is said, too");
	memset(m.sum_second, 0xff, sizeof(m.sum_second));
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 5100 && e.bound == INFINITY,
	      "a sum that is full: no bound");
	m.windows = m.pairs = m.triples = 2;
	m.triples = 0;
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 5100 && e.bound == INFINITY,
	      "two windows: no bound");
}

/* One burst; and a rate that never changes, as large as it gets */
static void extremes(void)
{
	struct pev_multiplexed m = { .value = 3ULL << 60,
				     .time_running = 1ULL << 60,
				     .time_enabled = 1ULL << 61 };
	struct pev_window last = { .any = false };
	struct pev_windows w = { .nr = 0 };
	struct pev_estimate e;

	for (unsigned int i = 0; i < 1 << 20; i++)
		pev_windows_add(&w, &last, 1ULL << 40, 3ULL << 40, 1ULL << 40);
	take_windows(&m, &w);
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 3ULL << 61 && e.bound < 5 &&
		      !e.doubts,
	      "long and even: an exact estimate, and a bound that says so");
	m.value = UINT64_MAX;
	check(!pev_multiplexed_estimate(&m, &e) && e.value == UINT64_MAX,
	      "too large: the largest value");

	memset(&w, 0, sizeof(w));
	memset(&last, 0, sizeof(last));
	for (unsigned int i = 0; i < 100; i++)
		pev_windows_add(&w, &last, 2000, i == 50 ? 1000000 : 1000 + i % 2, 1000);
	m = (struct pev_multiplexed){ .value = 1100000,
				      .time_running = 100000,
				      .time_enabled = 300000 };
	take_windows(&m, &w);
	check(!pev_multiplexed_estimate(&m, &e) && e.doubts == PEV_DOUBT_BURSTS,
	      "one window unlike all others is said");
}

static void edges(void)
{
	struct pev_multiplexed m = { .value = 1000 };
	struct pev_estimate e;

	check(!pev_multiplexed_estimate(&m, &e) && e.value == 1000 && e.bound == 0,
	      "never enabled: exact");
	m.time_enabled = 100;
	check(pev_multiplexed_estimate(&m, &e) == -ENODATA && e.bound == INFINITY,
	      "never had a counter: unknown");
	m.time_running = 100;
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 1000 && e.bound == 0,
	      "always had one: exact");
	m.time_running = 101;
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 1000 && e.bound == 0,
	      "clocks that differ a little: exact");
	m.time_running = 40;
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 2500 && e.bound == INFINITY,
	      "no window: an estimate without a bound");
	by_hand();
	extremes();
}

int main(void)
{
	edges();
	coverage();
	return tap_done();
}
