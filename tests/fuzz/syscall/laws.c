// SPDX-License-Identifier: GPL-2.0
/*
 * The laws: what must hold of values, and exact counts of what is done here.
 */
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fuzz.h"

/* Times are read at one moment and compared with another clock of ours. */
#define CLOCK_SLACK	1000000ULL

/* The law of time holds at any moment, for threads that run, wait, come and go meanwhile. */
static void law_waits(struct event *e)
{
	struct {
		struct pev_value value;
		struct pev_waits waits;
	} r;
	struct pev_waits *w = &r.waits;

	if (e->attr.type != PEV_TYPE_WAIT || e->attr.flags & PEV_F_READ_GROUP ||
	    k_read(e->fd, &r, sizeof(r)) != sizeof(r))
		return;
	add(&all->laws, 1);
	if (w->enabled != w->run + w->blocked + w->runnable + w->folded)
		broken("enabled %llu of waits is not run %llu + blocked %llu + runnable %llu + folded %llu",
		       (llu)w->enabled, (llu)w->run, (llu)w->blocked, (llu)w->runnable,
		       (llu)w->folded);
	if (!e->attr.period && w->folded)
		broken("%llu ns of waits folded without a threshold", (llu)w->folded);
	if (e->own && w->enabled > now_ns() - e->opened + CLOCK_SLACK)
		broken("%llu ns of a thread that is followed for %llu", (llu)w->enabled,
		       (llu)(now_ns() - e->opened));
}

/* A value, with what holds of each at any time; of some only while they are off. */
struct pev_value law_value(struct event *e)
{
	struct pev_value v[2];
	ssize_t got;

	memset(v, 0xff, sizeof(v));
	got = k_read(e->fd, v, sizeof(v[0]));
	add(&all->laws, 1);
	law_waits(e);
	if (got == -ENOSPC && e->attr.flags & PEV_F_READ_GROUP) {
		struct pev_value group[EVENTS + 64];

		got = k_read(e->fd, group, sizeof(group));
		if (got > 0)
			v[0] = group[0];
	}
	if (got < 0) {
		memset(v, 0, sizeof(v));
		if (got != -ENOMEM && got != -EINTR && got != -ENOSPC)
			broken("read() of an event: %s", strerror(-got));
		return v[0];
	}
	if (v[0].time_running > v[0].time_enabled)
		broken("time_running %llu is more than time_enabled %llu, type %u",
		       (llu)v[0].time_running, (llu)v[0].time_enabled, e->attr.type);
	/* one thread is on one CPU at a time */
	if (e->own && !(e->attr.flags & PEV_F_MARKED) &&
	    v[0].time_enabled > now_ns() - e->opened + CLOCK_SLACK)
		broken("time_enabled %llu of a thread that has it for %llu ns",
		       (llu)v[0].time_enabled, (llu)(now_ns() - e->opened));
	if (!e->attr.filter && v[0].filtered && e->one)
		broken("%llu filtered without a filter", (llu)v[0].filtered);
	return v[0];
}

/*
 * Where all occurrences went, and what a trigger did, at one moment. Only events with a period
 * of 1 that are off have their books balanced.
 */
static uint64_t law_counts(struct event *e)
{
	struct pev_counts n = { .size = sizeof(n) };
	uint64_t due;

	if (k_ioctl(e->fd, PEV_IOC_READ_COUNTS, (uintptr_t)&n))
		return 0;
	if (n.fired && !(e->attr.flags & (PEV_F_START | PEV_F_STOP | PEV_F_FREEZE)))
		broken("an event that is not a trigger has fired %llu times", (llu)n.fired);
	if (!e->one)
		return 0;
	due = n.samples + n.lost + n.unarmed;
	return n.value != due ? n.value - due : n.fired ? n.fired - due : 0;
}

static void read_members(struct channel *c)
{
	for (unsigned int i = 0; i < c->nr_ids; i++) {
		struct member *m = &c->members[i];
		struct pev_value v;

		if (!m->used || !m->event)
			continue;
		v = law_value(m->event);
		m->value = v.value;
		m->samples = v.samples;
		m->lost = v.lost;
		m->off_by = law_counts(m->event);
	}
}

/* Waits and threads that end are recorded while their event is off, too: how many were by now? */
static uint64_t came_late(struct member *m)
{
	struct pev_value v;

	if (m->attr.type != PEV_TYPE_WAIT)
		return 0;
	v = law_value(m->event);
	m->lost = v.lost;
	return v.samples - m->samples;
}

/* Finds the first one with books that don't balance. */
static struct member *unbalanced(struct channel *c)
{
	for (unsigned int i = 0; i < c->nr_ids; i++) {
		struct member *m = &c->members[i];
		/* read before the last occurrence had ended, one on each CPU */
		uint64_t slack = !m->used ? 0 : m->event ? came_late(m) : nr_cpus;

		if (m->used && !m->reset &&
		    (m->off_by || m->parsed - m->samples > slack))
			return m;
	}
	return NULL;
}

/* Threads may tell stacks at any time, also while all events are off: nobody owes any, from here on. */
static void end_debts(struct channel *c)
{
	for (unsigned int i = 0; i < c->nr_ids; i++) {
		struct member *m = &c->members[i];

		if (m->used && m->event && m->attr.type == PEV_TYPE_USTACK)
			k_ioctl(m->event->fd, PEV_IOC_FLUSH, 0);
	}
}

/* Each cookie has its stack, but for those that were counted as lost, or came to a closed channel. */
static void law_stacks(struct channel *c)
{
	bool all_told = true;

	for (unsigned int i = 0; i < c->nr_ids; i++) {
		struct member *m = &c->members[i];

		if (m->used && m->attr.type == PEV_TYPE_USTACK)
			all_told &= m->event && m->value == m->samples && !m->reset;
	}
	if (c->told > c->owing || (all_told && c->told != c->owing))
		broken("stacks of %llu records, of %llu that have none", (llu)c->told,
		       (llu)c->owing);
}

/*
 * The books of a channel: its events are off, and each record that they say was
 * written is found, each that was lost is one that the rings lost. Another CPU may be
 * in the middle of an occurrence when it is told: that one ends first.
 */
void law_channel(struct channel *c)
{
	uint64_t lost = 0, ring_lost = 0, slack = 0;
	struct member *bad;
	bool reset = false;

	if (!c->followed || k_ioctl(c->fd, PEV_IOC_DISABLE, 0))
		return;
	/* a record that owes a stack ends, and then who tells one */
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	end_debts(c);
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	read_members(c);
	k_ioctl(c->fd, PEV_IOC_FLUSH, 0);
	if (!rings_drain(c))
		return;
	bad = unbalanced(c);
	if (bad)
		broken("event %u of a channel: %llu samples, %llu records, value off by %lld; type %u config %llu name %s target %u flags %#llx sample %#llx %s",
		       (unsigned int)(bad - c->members), (llu)bad->samples, (llu)bad->parsed,
		       (long long)bad->off_by, bad->attr.type, (llu)bad->attr.config,
		       bad->attr.name ? (const char *)(uintptr_t)bad->attr.name : "-",
		       bad->attr.target, (llu)bad->attr.flags, (llu)bad->attr.sample,
		       bad->event ? "open" : "closed");
	law_stacks(c);
	for (unsigned int i = 0; i < c->nr_ids; i++) {
		struct member *m = &c->members[i];

		lost += m->lost;
		/* nor did a ring lose it */
		reset |= m->reset || m->attr.type == PEV_TYPE_PROBE ||
			 m->attr.type == PEV_TYPE_USTACK;
		slack += m->used && (!m->event || m->attr.type == PEV_TYPE_WAIT) ? nr_cpus : 0;
	}
	for (unsigned int i = 0; i < c->info.nr_rings; i++)
		if (c->rings[i].map)
			ring_lost += ((const struct pev_ring_kernel *)c->rings[i].map)->lost;
	if (!reset && ring_lost - lost > slack)
		broken("%llu lost of events, %llu of rings", (llu)lost, (llu)ring_lost);
	add(&all->laws, 1);
}

/* ---- what is done here, counted ---- */

static uint64_t sum_of_cpus(int fd)
{
	static __thread struct pev_value values[MAX_CPUS];
	struct pev_cpu_values arg = { .values = (uintptr_t)values, .nr = MAX_CPUS };
	uint64_t sum = 0;

	memset(values, 0, sizeof(values));
	if (k_ioctl(fd, PEV_IOC_READ_CPUS, (uintptr_t)&arg))
		return ~0ULL;
	for (unsigned int i = 0; i < arg.nr && i < MAX_CPUS; i++)
		sum += values[i].value;
	return sum;
}

/* No other thread of a worker, and none of its children, makes this call. */
static void calls(unsigned int n, unsigned int *sevens)
{
	for (unsigned int i = 0; i < n; i++) {
		syscall(SYS_getsid, (pid_t)(i % 9 ? (i & 1 ? 7 : 0) : 1 << 29));
		*sevens += i % 9 && i & 1;
	}
}

/* System calls of this thread by an event of theirs, with and without a filter. */
void law_exact(struct player *w, struct rng *r)
{
	struct channel *c = one_in(r, 2) ? pick_channel(w, rnd(r)) : NULL;
	bool filter = one_in(r, 3), raw = one_in(r, 4);
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL,
		.target = PEV_TARGET_TASK + below(r, 2),
		.name = (uintptr_t)(raw ? "raw_syscalls:sys_enter" : "syscalls:sys_enter_getsid"),
		.channel_fd = c ? c->fd : -1, .group_fd = -1, .period = !!c,
	};
	unsigned int n = 1 + below(r, 60), sevens = 0;
	char text[64];
	uint64_t wanted, filtered, got;
	struct layout layout;
	struct pev_value v;
	struct event e;
	int fd;

	snprintf(text, sizeof(text), raw ? "id == %d" : "pid == %d",
		 raw ? (int)SYS_getsid : 7);
	if (filter || raw)
		attr.filter = (uintptr_t)text;
	attr_layout((const char *)(uintptr_t)attr.name, &layout);
	fd = k_event(&attr);
	if (fd < 0) {
		if (fd != -ENOMEM && fd != -EINTR && fd != -EMFILE && fd != -EPERM && fd != -ENOSPC)
			broken("a plain event was refused: %s: %s", strerror(-fd), k_reason());
		return;
	}
	event_opened(&e, fd, &attr, &layout, c);
	calls(n, &sevens);	/* off: not counted */
	sevens = 0;
	k_ioctl(fd, PEV_IOC_ENABLE, 0);
	calls(n, &sevens);
	k_ioctl(fd, PEV_IOC_DISABLE, 0);
	calls(1, &(unsigned int){ 0 });
	wanted = raw || !filter ? n : sevens;
	filtered = filter && !raw ? n - sevens : 0;
	memset(&v, 0xff, sizeof(v));
	k_read(fd, &v, sizeof(v));
	got = sum_of_cpus(fd);
	add(&all->laws, 1);
	/* raw: its own calls for switching off and on are filtered, too */
	if (v.value != wanted || got != v.value || (!raw && v.filtered != filtered))
		broken("%u calls, %u of them with 7: value %llu (by CPUs %llu) filtered %llu, for %llu and %llu; %s, target %u, raw %d",
		       n, sevens, (llu)v.value, (llu)got, (llu)v.filtered, (llu)wanted,
		       (llu)filtered, text, attr.target, raw);
	if (c && law_counts(&e))
		broken("%llu samples + %llu lost of %llu", (llu)v.samples, (llu)v.lost,
		       (llu)v.value);
	event_close(&e);
}

/* Forks of this thread. */
void law_forks(struct player *w, struct rng *r)
{
	struct channel *c = pick_channel(w, rnd(r));
	struct pev_attr attr = {
		.type = PEV_TYPE_SIDEBAND, .config = PEV_SB_FORK, .group_fd = -1,
		.target = PEV_TARGET_TASK, .flags = PEV_F_DISABLED, .period = 1,
	};
	struct layout layout = { .known = true, .fixed = 32, .lens = -1 };
	unsigned int n = 1 + below(r, 2);
	struct pev_value v;
	struct event e;
	pid_t pid;
	int fd;

	if (!c)
		return;
	attr.channel_fd = c->fd;
	fd = k_event(&attr);
	if (fd < 0)
		return;
	event_opened(&e, fd, &attr, &layout, c);
	k_ioctl(fd, PEV_IOC_ENABLE, 0);
	for (unsigned int i = 0; i < n; i++) {
		pid = fork();
		if (!pid)
			_exit(0);
		if (pid < 0) {
			n = i;
			break;
		}
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	k_ioctl(fd, PEV_IOC_DISABLE, 0);
	memset(&v, 0xff, sizeof(v));
	k_read(fd, &v, sizeof(v));
	add(&all->laws, 1);
	if (v.value != n || law_counts(&e))
		broken("%u forks: value %llu, %llu samples, %llu lost", n, (llu)v.value,
		       (llu)v.samples, (llu)v.lost);
	event_close(&e);
}

#if defined(__x86_64__)
#define ROUND 10

static __attribute__((noinline)) void count_rounds(unsigned long rounds)
{
	asm volatile(".balign 64\n"
		     "1:	add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax\n"
		     "	add $1, %%rax; add $1, %%rax; add $1, %%rax; add $1, %%rax\n"
		     "	dec %0; jnz 1b\n"
		     : "+r"(rounds)
		     :
		     : "rax", "cc");
}
#else
#define ROUND 4

static __attribute__((noinline)) void count_rounds(unsigned long rounds)
{
	asm volatile("	mtctr %0\n"
		     "1:	addi 9, 9, 1; addi 9, 9, 1; addi 9, 9, 1\n"
		     "	bdnz 1b\n"
		     :
		     : "r"(rounds)
		     : "r9", "ctr");
}
#endif

/*
 * Instructions of this thread in user mode, whichever driver counts them, and whatever others
 * do with the counters: all of them, or the times say that it waited. Signals are handled in
 * between. Only the machines of tests/qemu count to the instruction.
 */
void law_counter(struct player *w, struct rng *r)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_HARDWARE,
		.config = PEV_HW_INSTRUCTIONS,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL,
		.channel_fd = -1,
		.group_fd = -1,
	};
	struct pev_multiplexed m = { .size = sizeof(m) };
	unsigned long rounds = 1 + below(r, 100000);
	unsigned long long most = (unsigned long long)rounds * ROUND;
	int fd;

	(void)w;
	if (!getenv("PEV_PMU"))
		return;
	fd = k_event(&attr);
	if (fd < 0)
		return;
	k_ioctl(fd, PEV_IOC_ENABLE, 0);
	count_rounds(rounds);
	k_ioctl(fd, PEV_IOC_DISABLE, 0);
	if (!k_ioctl(fd, PEV_IOC_READ_MULTIPLEXED, (unsigned long)&m)) {
		add(&all->laws, 1);
		if (m.value > most + 10000000 ||
		    (m.time_running == m.time_enabled && m.value < most))
			broken("%llu instructions: value %llu, %llu of %llu ns", most, (llu)m.value,
			       (llu)m.time_running, (llu)m.time_enabled);
	}
	k_close(fd);
}

/* Markers of the sample module, that fire in this thread. */
void law_markers(struct player *w, struct rng *r)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_MARKER, .name = (uintptr_t)"pev_sample:plain",
		.target = PEV_TARGET_TASK, .flags = PEV_F_DISABLED,
		.channel_fd = -1, .group_fd = -1,
	};
	unsigned int n = 1 + below(r, 200);
	struct pev_value v;
	char text[32];
	int fd, fire;

	(void)w;
	fire = open("/sys/kernel/debug/pev_sample/fire", O_WRONLY | O_CLOEXEC);
	if (fire < 0)
		return;
	fd = k_event(&attr);
	if (fd >= 0) {
		ssize_t put;

		k_ioctl(fd, PEV_IOC_ENABLE, 0);
		snprintf(text, sizeof(text), "task %u", n);
		do {
			put = write(fire, text, strlen(text));
		} while (put < 0 && errno == EINTR);
		k_ioctl(fd, PEV_IOC_DISABLE, 0);
		memset(&v, 0xff, sizeof(v));
		k_read(fd, &v, sizeof(v));
		add(&all->laws, 1);
		if (put > 0 && v.value != n)
			broken("%u markers: value %llu", n, (llu)v.value);
		k_close(fd);
	}
	close(fire);
}
