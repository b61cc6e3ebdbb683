// SPDX-License-Identifier: GPL-2.0
/*
 * Does the truth lie within the bound that libpev gives of values whose events took
 * turns? Ten events count what a pinned one counts, too, on work whose rate varies
 * in several ways; the kernel rotates them and keeps the sums. In one of the ways most of
 * the events come in the middle, and with them a rate that is ten times as high.
 *
 * usage: bound [RUNS]
 */
#include <math.h>
#include <signal.h>
/* the selftests have a function of that name, which is no part of the library */
#define pev_open	libpev_open
#include <pev/pev.h>
#undef pev_open
#include "pev_child.h"
#include "pmu_util.h"

#define EVENTS		10
#define ROTATE		"/proc/sys/kernel/pev_rotate_us"
#define TURN_US		200
#define WORK_US		12000	/* some 30 turns for each */
#define KINDS 5
/* of this kind, two events are alone at first, while there are few branches */
#define LATER 4
#define ALONE 2

static const char *const kinds[KINDS] = { "noisy", "bursty", "drifting", "periodic",
					  "shared later" };

/* ---- the work: branches at an unknown rate ---- */

static uint64_t state;

static unsigned int dice(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

/* About @ns instructions in all, of which one in @distance is a branch. */
static void branches(unsigned int distance, unsigned int ns)
{
#if defined(__x86_64__)
	unsigned long rounds;

	if (distance > 16) {
		rounds = ns / 42 + 1;
		asm volatile("1:	.rept 40; add $1, %%rax; .endr\n"
			     "	dec %0; jnz 1b" : "+r" (rounds) : : "rax", "cc");
	} else if (distance > 4) {
		rounds = ns / 10 + 1;
		asm volatile("1:	.rept 8; add $1, %%rax; .endr\n"
			     "	dec %0; jnz 1b" : "+r" (rounds) : : "rax", "cc");
	} else {
		rounds = ns / 2 + 1;
		asm volatile("1:	dec %0; jnz 1b" : "+r" (rounds) : : "cc");
	}
#else
	(void)distance;
	pmu_loop(ns / PMU_ROUND + 1);
#endif
}

static void work(unsigned int kind)
{
	static const unsigned int distances[] = { 2, 10, 42 };
	unsigned int left = WORK_US * 1000, period = 0, high = 0, ns;

	if (kind == 3) {
		period = TURN_US * 1000 * (3 + dice() % 17) / (1 + dice() % 8);
		high = period / (2 + dice() % 4);
	}
	while (left > 1000) {
		unsigned int done = WORK_US * 1000 - left, distance = 10;

		ns = 5000 + dice() % 60000;
		switch (kind) {
		case 0:
		case LATER:
			distance = distances[dice() % 3];
			break;
		case 1:
			distance = dice() % 8 ? 42 : 2;
			ns = dice() % 200000;
			break;
		case 2:
			/* the mixture changes slowly */
			ns /= 4;
			distance = dice() % (WORK_US * 1000) < done ? 2 : 42;
			break;
		case 3:
			distance = done % period < high ? 2 : 42;
			ns = 2000;
			break;
		}
		ns = ns < left ? ns : left;
		branches(distance, ns);
		left -= ns;
	}
}

static void worker(struct pev_child *c)
{
	for (unsigned int run = 0;; run++) {
		pev_child_wait(c);
		state = run * 0x9e3779b97f4a7c15ULL;
		if (run % KINDS == LATER) {
			for (unsigned int i = 0; i < 100; i++)
				branches(42, WORK_US * 10);
			pev_child_say(c, run);
			pev_child_wait(c);
		}
		work(run % KINDS);
		pev_child_say(c, run);
	}
}

/* ---- what comes of it ---- */

struct tally {
	unsigned int	inside;
	unsigned int	all;
	double		width;		/* sum of bounds, in parts of the truth */
	double		off;		/* of errors */
};

static void judge(struct tally *t, uint64_t truth, int fd)
{
	struct pev_multiplexed m = pmu_multiplexed(fd);
	struct pev_estimate e;

	t->all++;
	if (pev_multiplexed_estimate(&m, &e))
		return;
	t->inside += fabs((double)e.value - truth) <= e.bound;
	t->width += e.bound / truth;
	t->off += fabs((double)e.value - truth) / truth;
}

/* Return: is the child there? */
static bool let_work(struct pev_child *c, unsigned int run)
{
	pev_child_go(c);
	return pev_child_hear(c) == run;
}

/* The same, with most of the events for the second half only. */
static bool let_work_alone(struct pev_child *c, unsigned int run, const int *fds)
{
	for (int i = ALONE; i < EVENTS; i++)
		ioctl(fds[i], PEV_IOC_DISABLE, 0);
	if (!let_work(c, run))
		return false;
	for (int i = ALONE; i < EVENTS; i++)
		ioctl(fds[i], PEV_IOC_ENABLE, 0);
	return true;
}

static int open_one(pid_t pid, uint64_t flags)
{
	struct pev_attr attr = pmu_attr(PEV_HW_BRANCHES, USER_ONLY | flags, -1, 0);
	int fd;

	attr.target_id = pid;
	attr.flags &= ~PEV_F_DISABLED;
	fd = pev_open(&attr);
	if (fd < 0) {
		printf("not ok - open: %s\n", pev_reason());
		exit(1);
	}
	return fd;
}

/* Return: is the child there? */
static bool measure(struct pev_child *c, unsigned int run, int pinned, const int *fds,
		    struct tally *tally)
{
	bool later = run % KINDS == LATER;
	uint64_t truth;

	ioctl(pinned, PEV_IOC_RESET, 0);
	for (int i = 0; i < EVENTS; i++)
		ioctl(fds[i], PEV_IOC_RESET, 0);
	if ((later && !let_work_alone(c, run, fds)) || !let_work(c, run))
		return false;
	truth = pev_read(pinned).value;
	for (int i = 0; i < (later ? ALONE : EVENTS); i++)
		judge(&tally[run % KINDS], truth, fds[i]);
	return true;
}

/* Return: is a bound missed too often, or too wide? */
static int report(const struct tally *tally)
{
	struct tally sum = {};
	int bad = 0;

	for (int k = 0; k <= KINDS; k++) {
		const struct tally *t = k < KINDS ? &tally[k] : &sum;
		double share = 100.0 * t->inside / t->all;
		/* all of it as promised; a quarter of it may have some bad luck */
		bool good = share >= (k < KINDS ? 90 : 95);

		printf("%sok %d - %s: %u of %u within the bound (%.1f %%); mean bound %.1f %%, mean error %.1f %%\n",
		       good ? "" : "not ", k + 1, k < KINDS ? kinds[k] : "all kinds", t->inside,
		       t->all, share, 100 * t->width / t->all, 100 * t->off / t->all);
		/* one so wide that nothing can be outside would be of no use */
		if (t == &sum && t->width > 5 * t->off) {
			printf("# the bounds are far too wide\n");
			bad = 1;
		}
		bad |= !good;
		sum.inside += t->inside;
		sum.all += t->all;
		sum.width += t->width;
		sum.off += t->off;
	}
	return bad;
}

int main(int argc, char **argv)
{
	unsigned int runs = argc > 1 ? atoi(argv[1]) : 200;
	int pinned, fds[EVENTS], old = pev_get_number(ROTATE, 0);
	struct tally tally[KINDS] = {};
	struct pev_child c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!pev_present() || !pmu_info().pmu_counters) {
		printf("1..0 # SKIP this machine has no PMU\n");
		return 0;
	}
	printf("TAP version 13\n1..%d\n", KINDS + 1);
	pev_put_number(ROTATE, TURN_US);
	if (pev_child_start(&c) < 0)
		return 1;
	if (!c.pid)
		worker(&c);
	pinned = open_one(c.pid, PEV_F_PINNED);
	for (int i = 0; i < EVENTS; i++)
		fds[i] = open_one(c.pid, 0);
	for (unsigned int run = 0; run < runs; run++) {
		if (!measure(&c, run, pinned, fds, tally)) {
			printf("not ok - the child is gone\n");
			return 1;
		}
	}
	kill(c.pid, SIGKILL);
	pev_put_number(ROTATE, old);
	return report(tally);
}
