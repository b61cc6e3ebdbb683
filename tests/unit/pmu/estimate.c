// SPDX-License-Identifier: GPL-2.0
/*
 * Does the truth lie within the bound of pev_multiplexed_estimate()? Workloads
 * of many kinds, counted by 10 events that are rotated on 4 counters, as the kernel
 * does it: turns of 1 ms, up to a quarter more or less. 30 to 200 of them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <linux/pev.h>
#include <pev/pev.h>
#include "count.h"
#include "tap.h"

#define EVENTS		10
#define COUNTERS	4
#define MS		1000000.0
#define MAX_PIECES	2000000

/* Fewer prove nothing, but are enough for the sanitizers. */
#ifdef __SANITIZE_ADDRESS__
#define RUNS		10
#else
#define RUNS		1000
#endif

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

static void growth(double ms)
{
	while (piece(ms * MS, 0.01 + at[nr] / end))
		;
}

static void phases(double unused)
{
	(void)unused;
	piece(even() * end, 1);
	piece(end, 0.01);
}

/* At random, from 0.2 to 50 ms */
#define ANY_MS		0

struct workload {
	const char	*name;
	void		(*make)(double ms);
	double		ms;
};

static const struct workload workloads[] = {
	{ "noise", noise, 0.02 },
	{ "rare events, 100 ms apart", rare, 100 },
	{ "rare events, 10 ms apart", rare, 10 },
	{ "bursts of 0.1 ms", equal_bursts, 0.1 },
	{ "bursts of 1 ms", equal_bursts, 1 },
	{ "bursts of 10 ms", equal_bursts, 10 },
	{ "bursts of 0.2 ms in 1", short_bursts, 0.2 },
	{ "bursts of 1 ms in 5", short_bursts, 1 },
	{ "bursts of 4 ms in 20", short_bursts, 4 },
	{ "drift in 0.5 ms", drift, 0.5 },
	{ "drift in 5 ms", drift, 5 },
	{ "drift in 50 ms", drift, 50 },
	{ "growth", growth, 0.5 },
	{ "two phases", phases, 0 },
	{ "square wave of any period", square, ANY_MS },
	{ "pulses of any period", pulse, ANY_MS },
	{ "sine wave of any period", sine, ANY_MS },
};

/* In these, fixed turns and the workload keep step. */
static const struct workload resonances[] = {
	{ "square wave of 1 ms", square, 1 },
	{ "square wave of 1.67 ms", square, 5.0 / 3 },
	{ "square wave of 2 ms", square, 2 },
	{ "square wave of 2.5 ms", square, 2.5 },
	{ "square wave of 3.33 ms", square, 10.0 / 3 },
	{ "square wave of 4 ms", square, 4 },
	{ "square wave of 5 ms", square, 5 },
	{ "square wave of 10 ms", square, 10 },
	{ "pulses of 2.5 ms", pulse, 2.5 },
	{ "pulses of 5 ms", pulse, 5 },
	{ "pulses of 10 ms", pulse, 10 },
	{ "sine wave of 2.5 ms", sine, 2.5 },
	{ "sine wave of 5 ms", sine, 5 },
};

/**
 * struct queue - who is next; see rotate_queue() in the kernel
 * @place:  round, and the place in it; the lowest are on the counters
 * @random: each round has an order of its own
 */
struct queue {
	u64	place[EVENTS];
	bool	random;
	u32	ended;
};

static u64 new_place(struct queue *q, u64 round)
{
	return round << 32 | (q->random ? (u32)rnd() : q->ended++);
}

/* Is it the turn of event 0? */
static bool its_turn(const struct queue *q)
{
	unsigned int i, before = 0;

	for (i = 1; i < EVENTS; i++)
		before += q->place[i] < q->place[0];
	return before < COUNTERS;
}

static void rotate(struct queue *q)
{
	unsigned int i, n, first[COUNTERS];
	u64 after = 0;

	for (n = 0; n < COUNTERS; n++) {
		first[n] = EVENTS;
		for (i = 0; i < EVENTS; i++)
			if (q->place[i] >= after &&
			    (first[n] == EVENTS || q->place[i] < q->place[first[n]]))
				first[n] = i;
		after = q->place[first[n]] + 1;
	}
	for (n = 0; n < COUNTERS; n++)
		q->place[first[n]] = new_place(q, (q->place[first[n]] >> 32) + q->random);
}

/* What the kernel would say of event 0 after all of it */
static void count(struct pev_multiplexed *m, bool random)
{
	struct queue q = { .random = random };
	struct pev_windows w = { 0 };
	unsigned int i, piece = 0;
	double now = 0, next;

	memset(m, 0, sizeof(*m));
	for (i = rnd() % EVENTS; i < 2 * EVENTS; i++)
		q.place[i % EVENTS] = new_place(&q, 0);
	for (; now < end; now = next, rotate(&q)) {
		next = fmin(end, now + (u64)(MS * (0.75 + even() / 2)));
		if (its_turn(&q)) {
			u64 x = occurred(now, &piece);

			x = occurred(next, &piece) - x;
			m->value += x;
			m->time_running += next - now;
			/* the last one is not over */
			if (next < end)
				pev_windows_add(&w, x, next - now);
		}
	}
	m->time_enabled = end;
	m->windows = w.nr;
	memcpy(m->sum_tt, w.tt, sizeof(w.tt));
	memcpy(m->sum_xt, w.xt, sizeof(w.xt));
	memcpy(m->sum_xx, w.xx, sizeof(w.xx));
}

/**
 * struct result - of many runs of a workload
 * @inside: percent of them in which the truth lies within the bound
 * @off:    mean distance from the truth, percent
 * @bound:  mean bound, percent
 */
struct result {
	double inside;
	double off;
	double bound;
};

static struct result result_of(const struct workload *w, bool random)
{
	struct result r = { 0 };
	struct pev_multiplexed m;
	struct pev_estimate e;
	double total = 0;
	unsigned int i;

	seed = 88172645463325252ULL;
	for (i = 0; i < RUNS; i++) {
		double windows = 30 + 170 * even(), error;

		nr = 0;
		end = (u64)(windows * EVENTS / COUNTERS * MS);
		w->make(w->ms ? w->ms : 0.2 * pow(250, even()));
		count(&m, random);
		pev_multiplexed_estimate(&m, &e);
		error = fabs(e.value - floor(sum[nr]));
		r.inside += error <= e.bound;
		r.off += error;
		r.bound += e.bound;
		total += sum[nr];
	}
	r.inside *= 100.0 / RUNS;
	r.off *= 100 / total;
	r.bound *= 100 / total;
	return r;
}

static void covers(const struct workload *w, unsigned int n, bool random, bool claimed)
{
	const char *order = random ? "rounds in any order" : "turns in a fixed order";
	struct result r;
	char text[200];

	for (; n--; w++) {
		r = result_of(w, random);
		snprintf(text, sizeof(text), "%s, %s: %.1f %% inside, off %.1f %%, bound %.1f %%",
			 order, w->name, r.inside, r.off, r.bound);
		if (RUNS < 1000)
			continue;
		if (claimed)
			check(r.inside >= 95, "%s", text);
		else
			printf("# not claimed: %s\n", text);
	}
}

static void coverage(void)
{
	covers(workloads, ARRAY_SIZE(workloads), true, true);
	covers(resonances, ARRAY_SIZE(resonances), true, true);
	covers(workloads, ARRAY_SIZE(workloads), false, true);
	/* nothing in the sums could tell */
	covers(resonances, ARRAY_SIZE(resonances), false, false);
}

static bool close_to(double a, double b)
{
	return fabs(a - b) <= fabs(b) / 1e9;
}

static void edges(void)
{
	struct pev_multiplexed m = { .value = 1000 };
	struct pev_windows w = { 0 };
	struct pev_estimate e;
	double bound;

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
	m.windows = 1;
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 2500 && e.bound == INFINITY,
	      "one window: an estimate without a bound");

	/* 400 and 600 in 20 each: 2 * 100^2 off */
	pev_windows_add(&w, 400, 20);
	pev_windows_add(&w, 600, 20);
	m.windows = 2;
	memcpy(m.sum_tt, w.tt, sizeof(w.tt));
	memcpy(m.sum_xt, w.xt, sizeof(w.xt));
	memcpy(m.sum_xx, w.xx, sizeof(w.xx));
	bound = 1.3 * 12.706 * 2.5 * sqrt(20000 * 0.6 * 2) + 3 * (2.5 - 0.5);
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 2500 && close_to(e.bound, bound),
	      "two windows: the bound by hand");
	memset(m.sum_xx, 0xff, sizeof(m.sum_xx));
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 2500 && e.bound == INFINITY,
	      "a sum that is full: no bound");

	/* as large as it gets, and a rate that never changes */
	memset(&w, 0, sizeof(w));
	m = (struct pev_multiplexed){
		.value = 3ULL << 60, .time_running = 1ULL << 60, .time_enabled = 1ULL << 61,
		.windows = 1 << 20,
	};
	for (unsigned int i = 0; i < 1 << 20; i++)
		pev_windows_add(&w, 3ULL << 40, 1ULL << 40);
	memcpy(m.sum_tt, w.tt, sizeof(w.tt));
	memcpy(m.sum_xt, w.xt, sizeof(w.xt));
	memcpy(m.sum_xx, w.xx, sizeof(w.xx));
	check(!pev_multiplexed_estimate(&m, &e) && e.value == 3ULL << 61 && e.bound < 5,
	      "long and even: an exact estimate, and a bound that says so");
	m.value = UINT64_MAX;
	m.time_enabled = UINT64_MAX;
	check(!pev_multiplexed_estimate(&m, &e) && e.value == UINT64_MAX,
	      "too large: the largest value");
}

int main(void)
{
	edges();
	coverage();
	return tap_done();
}
