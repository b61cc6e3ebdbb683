/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: events of the processor: their names and codes, reading a counter
 * without a system call, how far a value can be trusted.
 */
#ifndef _PEV_HARDWARE_H
#define _PEV_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/pev.h>
#include <pev/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ---- Codes ----------------------------------------------------------------
 *
 * What attr.config of PEV_TYPE_RAW takes. The names that the processor's maker
 * gives its events come from libpfm4, which is loaded at the first use of one of
 * the functions below: without it they return -ELIBACC, and -ENOTSUP if libpev
 * was built without its header. libpfm4 is one for the whole process, its
 * tables never change once it is loaded, and any thread may ask.
 *
 * Only events of the processor's cores are there, none of the uncore.
 */

/**
 * struct pev_pmu_table - the events of one kind of processor
 * @name:    "skl", "amd64_fam19h_zen4", "power9"
 * @about:   "Intel Skylake"
 * @present: this machine's processor is of that kind
 * @general: only what all processors of its maker have in common
 * @nr_events: events that it has
 * @id:      private
 * @first:   private
 * @reserved: 0
 */
struct pev_pmu_table {
	const char	*name;
	const char	*about;
	bool		present;
	bool		general;
	int		nr_events;
	int		id;
	int		first;
	uint64_t	reserved[4];
};

/**
 * struct pev_pmu_event - an event of a processor
 * @name:    "INST_RETIRED"
 * @about:   one or more sentences
 * @nr_units: unit masks and modifiers that it takes
 * @id:      private
 * @reserved: 0
 */
struct pev_pmu_event {
	const char	*name;
	const char	*about;
	int		nr_units;
	int		id;
	uint64_t	reserved[4];
};

/**
 * struct pev_pmu_unit - a unit mask, or a modifier
 * @name:    "ANY_P"; a modifier's is one letter or a short word
 * @about:   what it counts or does
 * @code:    of a unit mask
 * @is_default: taken if no other is named
 * @is_modifier: takes "=" and a number or 0 or 1
 * @reserved: 0
 */
struct pev_pmu_unit {
	const char	*name;
	const char	*about;
	uint64_t	code;
	bool		is_default;
	bool		is_modifier;
	uint64_t	reserved[4];
};

/**
 * pev_pmu_table_next() - the next kind of processor that has names
 * @pos: 0 at first, then left alone
 *
 * Return: 1 with @table filled, 0 at the end, or -errno.
 */
int pev_pmu_table_next(int *pos, struct pev_pmu_table *table, struct pev_error *err);
/** pev_pmu_event_next() - the next event of a table; as above, without errors */
int pev_pmu_event_next(const struct pev_pmu_table *table, int *pos,
		       struct pev_pmu_event *event);
/** pev_pmu_unit() - a unit mask or modifier by number; 1, or 0 if there is none */
int pev_pmu_unit(const struct pev_pmu_event *event, int nr, struct pev_pmu_unit *unit);

/**
 * pev_pmu_code() - the code of an event
 * @name: "r01c4": the code itself, in hex;
 *        "cpu/event=0xc4,umask=0x01/": its parts (on PowerPC "event" is all of it);
 *        "INST_RETIRED:ANY_P:c=1", also with "." for ":": a name of this machine's
 *        processor, with unit masks and modifiers;
 *        "skl::INST_RETIRED:ANY_P": of the table "skl". Names of processors
 *        that this machine has not want LIBPFM_ENCODE_INACTIVE=1 in the environment
 *        before the first call
 * @code: without the bits that say in which modes to count, and that it does
 *
 * Return: 0, -ENOENT: no such event, -EINVAL: a unit mask or modifier that it has
 * not, or none where one is needed, -EOPNOTSUPP: it takes more than one code;
 * -ELIBACC, -ENOTSUP: see above.
 */
int pev_pmu_code(const char *name, uint64_t *code, struct pev_error *err);

/*
 * ---- Reading one's own counter --------------------------------------------
 *
 *	pev_self_open(&attr, &self, &err);
 *	pev_self_read(&self, &before);
 *	work();
 *	pev_self_read(&self, &after);
 *
 * pev_self_read() is some twenty instructions, none of which is a system call, as
 * long as the event has a counter that user mode can read. Otherwise it calls
 * read(), on its own, each time again. It gives the right value in both cases, and
 * in a thread other than the event's, too.
 */

/**
 * struct pev_self - an event on one thread, for that thread to read
 * @page: mapped; never NULL. page->partial is not 0 if the event had to wait for a
 *        counter at times
 * @rseq: where the thread's struct rseq lies, from its thread pointer
 * @fd:   of the event
 * @reserved: 0
 */
struct pev_self {
	const volatile struct pev_user_page	*page;
	ptrdiff_t				rseq;
	int					fd;
	uint32_t				reserved[5];
};

/**
 * pev_self_open() - open an event to read it oneself, and map it
 * @attr: of an event on one thread; PEV_F_USER_PAGE is added where that is possible
 *
 * Return: as pev_self_map(), with self->fd for the caller to close after
 * pev_self_unmap(); or -errno with @err filled.
 */
int pev_self_open(const struct pev_attr *attr, struct pev_self *self, struct pev_error *err);

/**
 * pev_self_map() - prepare to read an event that is open
 * @fd: opened with PEV_F_USER_PAGE; must stay open
 *
 * Return: 1 if counters can be read without a system call here, 0 if every
 * pev_self_read() will be a read(). Nothing else: @self can be used in either case.
 */
int pev_self_map(int fd, struct pev_self *self);
void pev_self_unmap(struct pev_self *self);

/** pev_self_read_slow() - pev_self_read() by read() */
int pev_self_read_slow(const struct pev_self *self, uint64_t *value);

#if defined(__x86_64__)
#define PEV_SELF_READS	1

static inline uint64_t pev_self_register(uint32_t nr)
{
	uint64_t low, high;	/* rdpmc clears their upper halves */

	__asm__ __volatile__("rdpmc" : "=a" (low), "=d" (high) : "c" (nr));
	return high << 32 | low;
}

static inline uint32_t pev_self_cpu(const struct pev_self *self)
{
	uint32_t cpu;

	/* cpu_id of struct rseq */
	__asm__ __volatile__("movl %%fs:4(%1), %0" : "=r" (cpu) : "r" (self->rseq));
	return cpu;
}
#elif defined(__powerpc64__)
#define PEV_SELF_READS	1

static inline uint64_t pev_self_register(uint32_t nr)
{
	uint64_t value;

	switch (nr) {
#define PEV_SELF_SPR(n)								\
	case n:									\
		__asm__ __volatile__("mfspr %0, " #n : "=r" (value));		\
		return value
	PEV_SELF_SPR(771);
	PEV_SELF_SPR(772);
	PEV_SELF_SPR(773);
	PEV_SELF_SPR(774);
	PEV_SELF_SPR(775);
	PEV_SELF_SPR(776);
#undef PEV_SELF_SPR
	default:
		return 0;
	}
}

static inline uint32_t pev_self_cpu(const struct pev_self *self)
{
	const char *thread;

	__asm__("mr %0, 13" : "=r" (thread));
	return *(const volatile uint32_t *)(thread + self->rseq + 4);
}
#endif

/**
 * pev_self_read() - the value of the event now
 *
 * Neither waits for earlier instructions to end nor keeps later ones from
 * starting.
 *
 * Return: 0 or -errno of read().
 */
static inline int pev_self_read(const struct pev_self *self, uint64_t *value)
{
#ifdef PEV_SELF_READS
	const volatile struct pev_user_page *page = self->page;
	uint32_t seq, counter, shift;
	uint64_t delta;

	do {
		/* an odd number is taken for the even one before, and never found again */
		seq = page->seq & ~1U;				/* pev_user:G, pairs with H */
		__asm__ __volatile__("" : : : "memory");
		counter = page->counter;
		if (__builtin_expect(!counter || page->cpu != pev_self_cpu(self), 0))
			return pev_self_read_slow(self, value);
		shift = page->shift;
		delta = pev_self_register(counter - 1) - page->start;
		delta = page->base + (delta << shift >> shift);
		__asm__ __volatile__("" : : : "memory");
	} while (__builtin_expect(page->seq != seq, 0));
	*value = delta;
	return 0;
#else
	return pev_self_read_slow(self, value);
#endif
}

/*
 * ---- Values of events that share counters ---------------------------------
 *
 *	pev_fd_read_multiplexed(fd, &m);
 *	if (!pev_multiplexed_estimate(&m, &e))
 *		printf("%llu, at most %.0f off\n", (unsigned long long)e.value, e.bound);
 */

/**
 * struct pev_estimate - what an event would have counted with a counter all the time
 * @value: the estimate; what was counted if the event always had a counter
 * @bound: the truth is at most so far from @value, 95 times in a hundred; 0: @value
 *         is exact; INFINITY: nothing is known
 * @doubts: PEV_DOUBT_*, assumptions of @bound that don't hold
 * @reserved: 0
 */
struct pev_estimate {
	uint64_t	value;
	double		bound;
	uint32_t doubts;
	uint32_t reserved[3];
};

/* less than 30 windows are compared */
#define PEV_DOUBT_FEW_TURNS (1U << 0)
/* a few windows differ more from the others than all the rest do */
#define PEV_DOUBT_BURSTS (1U << 1)
/* the event never had a turn on CPUs on which it waited for some of the time */
#define PEV_DOUBT_BLIND (1U << 2)
/* sampling was held up, which is when there is the most to count */
#define PEV_DOUBT_THROTTLED (1U << 3)
/* the workload's rate changes about as fast as turns */
#define PEV_DOUBT_IN_STEP (1U << 4)

/**
 * pev_multiplexed_estimate() - scale a value, and say how far it may be off
 * @m: from pev_fd_read_multiplexed(); or the difference of two of them, member by member,
 *     for the time between
 *
 * @bound is INFINITY until the event has had three turns on a CPU. To add up estimates,
 * add their values, and take the root of the sum of the squares of their bounds.
 *
 * What the bound does not cover is in pev_multiplexed_estimate(3).
 *
 * Return: 0, or -ENODATA if the event never had a counter: nothing is known.
 */
int pev_multiplexed_estimate(const struct pev_multiplexed *m, struct pev_estimate *e);

#ifdef __cplusplus
}
#endif

#endif
