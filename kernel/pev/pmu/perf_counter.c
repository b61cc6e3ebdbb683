// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the counters that perf drives for pev: which there are, and how one is read and
 * aimed. Must not know what their events do with it (pmu/perf_source.c).
 *
 * perf has no calls to move the next overflow of an event while tasks are switched. What it
 * does itself to change a period is done here: stop the event by its driver's callback,
 * write what is left, start it. An event that is on no counter of the hardware keeps what
 * was written for the next time.
 *
 * Locks: counters_lock for the list, and in it that of base/perf.c, and pev_control.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/pev_refuse.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "base/work.h"
#include "choose.h"
#include "perf_counter.h"
#include "perf_driver.h"
#include "perf_kinds.h"
#include "perf_source.h"
#include "pmu.h"

/*
 * To make a counter, and to remove it, interrupts all CPUs: one of users who may count no CPUs
 * stays for so long without an event. Where it may not stay, they make no more of them meanwhile
 * than there may be at once.
 */
#define LINGER		HZ
#define LINGER_STEP	(HZ / 10)

static LIST_HEAD(counters);
static unsigned int nr_lent;
/* So was the hardware when the first was made: pev's own driver does not wait for it. */
static bool left_to_perf;
/* Lent ones that were made, and since when, in jiffies. */
static unsigned int nr_made;
static unsigned long made_since = INITIAL_JIFFIES;
static DEFINE_MUTEX(counters_lock);

/* ---- what perf calls events ---- */

#define CACHE(cache, op, result)						\
	{ PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache |			\
	  PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16 }

static const struct {
	u32	type;
	u64	config;
} codes[PEV_HW_MAX] = {
	[PEV_HW_CYCLES]		= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	[PEV_HW_REF_CYCLES]	= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	[PEV_HW_INSTRUCTIONS]	= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	[PEV_HW_BRANCHES]	= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	[PEV_HW_BRANCH_MISSES]	= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	[PEV_HW_CACHE_REFS]	= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	[PEV_HW_CACHE_MISSES]	= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	[PEV_HW_STALLED_FRONT]	= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	[PEV_HW_STALLED_BACK]	= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	[PEV_HW_BUS_CYCLES]	= { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	[PEV_HW_L1D_LOADS]	= CACHE(L1D, READ, ACCESS),
	[PEV_HW_L1D_MISSES]	= CACHE(L1D, READ, MISS),
	[PEV_HW_L1I_MISSES]	= CACHE(L1I, READ, MISS),
	[PEV_HW_LLC_LOADS]	= CACHE(LL, READ, ACCESS),
	[PEV_HW_LLC_MISSES]	= CACHE(LL, READ, MISS),
	[PEV_HW_DTLB_LOADS]	= CACHE(DTLB, READ, ACCESS),
	[PEV_HW_DTLB_MISSES]	= CACHE(DTLB, READ, MISS),
	[PEV_HW_ITLB_MISSES]	= CACHE(ITLB, READ, MISS),
};

#define DOMAINS	(PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL | PEV_F_EXCLUDE_HV | \
		 PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST)

void pev_perf_encode(const struct pev_attr *attr, struct pev_perf_code *code)
{
	u64 config = attr->config;

	*code = (struct pev_perf_code){
		.type		= PERF_TYPE_RAW,
		.config		= config,
		.config1	= attr->config1,
		.config2	= attr->config2,
		.flags		= attr->flags & DOMAINS,
		.precise	= PEV_F_PRECISE_LEVEL(attr->flags),
		.some		= attr->pmu != PEV_PMU_CORE,
	};
	if (attr->pmu != PEV_PMU_CORE)
		code->type = attr->pmu;
	if (attr->type != PEV_TYPE_HARDWARE)
		return;
	config = array_index_nospec(config, PEV_HW_MAX);
	code->type = codes[config].type;
	/* 0 leaves the choice to perf, for each CPU */
	code->config = codes[config].config | (u64)attr->pmu << PERF_PMU_TYPE_SHIFT;
}

u32 pev_perf_pmu(const struct pev_perf_code *code)
{
	return code->type == PERF_TYPE_HARDWARE || code->type == PERF_TYPE_HW_CACHE ?
		       code->config >> PERF_PMU_TYPE_SHIFT : code->type;
}

struct perf_event_attr pev_perf_attr(const struct pev_perf_code *code)
{
	return (struct perf_event_attr){
		.type		= code->type,
		.size		= sizeof(struct perf_event_attr),
		.config		= code->config,
		.config1	= code->config1,
		.config2	= code->config2,
		.sample_period	= code->samples ? PEV_PERF_FAR : 0,
		.precise_ip	= code->precise,
		/* no batches of records, of which a handler in the kernel gets the last one */
		.wakeup_events	= !!code->precise,
		.pinned		= !!(code->flags & PEV_F_PINNED),
		.exclude_user	= !!(code->flags & PEV_F_EXCLUDE_USER),
		.exclude_kernel	= !!(code->flags & PEV_F_EXCLUDE_KERNEL),
		.exclude_hv	= !!(code->flags & PEV_F_EXCLUDE_HV),
		.exclude_host	= !!(code->flags & PEV_F_EXCLUDE_HOST),
		.exclude_guest	= !!(code->flags & PEV_F_EXCLUDE_GUEST),
	};
}

/**
 * struct trial - does perf count an event on all kinds of cores?
 * @attr: the event
 * @err:  0, or why not
 */
struct trial {
	struct perf_event_attr	attr;
	int			err;
};

static bool try_on(unsigned int cpu, void *arg)
{
	struct trial *trial = arg;

	trial->err = pev_perf_try(&trial->attr, cpu);
	return !trial->err;
}

static int try_count(unsigned int config)
{
	const struct pev_attr event = { .type = PEV_TYPE_HARDWARE, .config = config };
	/* unless there is a CPU to ask */
	struct trial trial = { .err = -ENODEV };
	struct pev_perf_code code;

	pev_perf_encode(&event, &code);
	trial.attr = pev_perf_attr(&code);
	pev_perf_each_kind(try_on, &trial);
	return trial.err;
}

/* Was the event refused for what may be over the next time? */
static bool passes(int err)
{
	return err == -EBUSY || err == -ENOMEM || err == -ENODEV || err == -EINTR;
}

u64 pev_perf_hardware(void)
{
	static unsigned int asked;
	static u64 found;
	bool lasting = true;
	unsigned int kinds;
	u64 now = 0;

	guard(mutex)(&counters_lock);
	kinds = pev_perf_look_for_kinds();
	/* a kind that was offline then, as all its CPUs were, may count less */
	if (found && !(kinds & ~asked))
		return found;
	for (unsigned int i = 0; i < PEV_HW_MAX; i++) {
		int err = try_count(i);

		now |= err ? 0 : BIT_ULL(i);
		lasting &= !passes(err);
	}
	/* none is no answer: a driver may come later, or what holds the counters may go */
	if (lasting) {
		found = now;
		asked = kinds;
	}
	return now;
}

/* ---- making and finding counters ---- */

static bool same_code(const struct pev_perf_code *a, const struct pev_perf_code *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2 && a->flags == b->flags && a->precise == b->precise &&
	       a->samples == b->samples && a->some == b->some;
}

int pev_perf_refuse(int err, const struct pev_perf_code *code, const char *name,
		    struct pev_refuse *r)
{
	switch (err) {
	case -ENOMEM:
		return err;
	case -EACCES:
	case -EPERM:
		return pev_refuse(r, EACCES, PEV_FIELD(config),
				  "perf lets only users with CAP_PERFMON count %s", name);
	case -EBUSY:
		return pev_refuse(r, EBUSY, PEV_FIELD(type),
				  "pev's own driver has the counters, and perf can lend none: close the events that count by it first");
	case -ENOSPC:
		return pev_refuse(r, EBUSY, PEV_FIELD(type), "perf has no counter left for %s",
				  name);
	default:
		if (code->precise)
			return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
					  "this PMU gives no exact addresses of level %u for %s: do without PEV_F_PRECISE",
					  code->precise, name);
		if (code->some)
			return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
					  "PMU %u does not count %s: its driver refuses the code, or the flags (error %d)",
					  pev_perf_pmu(code), name, -err);
		if (pev_perf_lacks(err) && pev_perf_has_kinds())
			return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(pmu),
					  "there are several kinds of cores here, and not all count %s: give the PMU of one of them",
					  name);
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "perf, which drives the counters here, does not count %s (error %d)",
				  name, -err);
	}
}

static void start_tick(struct irq_work *work)
{
	pev_perf_counter_tick(container_of(work, struct pev_perf_counter_cpu, start_tick));
}

static void counter_init(struct pev_perf_counter *counter)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct pev_perf_counter_cpu *c = per_cpu_ptr(counter->percpu, cpu);

		c->cpu = cpu;
		INIT_LIST_HEAD(&c->running);
		hrtimer_init(&c->tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		c->tick.function = pev_perf_tick;
		c->start_tick = IRQ_WORK_INIT_HARD(start_tick);
		c->move = IRQ_WORK_INIT_HARD(pev_perf_move);
	}
}

static void counter_free(struct pev_perf_counter *counter)
{
	free_percpu(counter->percpu);
	kfree(counter);
}

static struct pev_perf_counter *counter_make(const struct pev_perf_code *code)
{
	/* it is of all who count the same: the first one's limit is not what others wait for */
	struct pev_perf_counter *counter = kzalloc(sizeof(*counter), GFP_KERNEL);
	int err;

	if (!counter)
		return ERR_PTR(-ENOMEM);
	counter->percpu = alloc_percpu(struct pev_perf_counter_cpu);
	if (!counter->percpu) {
		kfree(counter);
		return ERR_PTR(-ENOMEM);
	}
	counter->code = *code;
	counter->perf = (struct pev_perf){
		.attr		= pev_perf_attr(code),
		.handler	= pev_perf_overflow,
		.context	= counter,
		.install	= pev_perf_install,
		.some		= code->some,
	};
	counter_init(counter);
	err = pev_perf_open(&counter->perf);
	if (!err)
		return counter;
	counter_free(counter);
	return ERR_PTR(err);
}

static struct pev_perf_counter *find(const struct pev_perf_code *code)
{
	struct pev_perf_counter *counter;

	list_for_each_entry(counter, &counters, node) {
		if (same_code(&counter->code, code))
			return counter;
	}
	return NULL;
}

static bool any_unused(void)
{
	struct pev_perf_counter *counter;

	list_for_each_entry(counter, &counters, node)
		if (!counter->users)
			return true;
	return false;
}

/* @counter has another user, or one less: is it one of those that are lent? */
static void lend(struct pev_perf_counter *counter, bool lent)
{
	nr_lent += lent - counter->lent;
	counter->lent = lent;
}

/* May another one be made to be lent? */
static bool may_make(void)
{
	if (time_after_eq(jiffies, made_since + LINGER)) {
		made_since = jiffies;
		nr_made = 0;
	}
	return nr_made < PEV_PERF_LENT;
}

/*
 * Return: -EAGAIN: one that is not used is about to be removed, and another may take its place, or
 * so many were made a moment ago.
 */
static struct pev_perf_counter *find_or_make(const struct pev_perf_code *code, bool lent,
					     const char *name, struct pev_refuse *r)
{
	struct pev_perf_counter *counter;

	guard(mutex)(&counters_lock);
	counter = find(code);
	/* one that others made and leave would stay theirs who borrowed it */
	if (lent && nr_lent >= PEV_PERF_LENT && !(counter && counter->lent))
		return ERR_PTR(any_unused() ? -EAGAIN : -EBUSY);
	if (!counter) {
		if (lent && !may_make())
			return ERR_PTR(-EAGAIN);
		if (list_empty(&counters))
			left_to_perf = pev_pmu_left_to_perf();
		counter = counter_make(code);
		/* one kind of cores may have been interrupted before another refuses */
		if (!IS_ERR(counter) || pev_perf_has_kinds())
			nr_made += lent;
		if (IS_ERR(counter))
			return ERR_PTR(pev_perf_refuse(PTR_ERR(counter), code, name, r));
		list_add(&counter->node, &counters);
	}
	counter->users++;
	counter->borrowers += lent;
	lend(counter, counter->borrowers);
	return counter;
}

/*
 * Has each CPU one counter that counts this? Intel's fixed counter 2 is the only one of reference
 * cycles; perf has a pseudo code for it, whatever number the PMU of a kind of core has. SDM volume
 * 3, fixed-function performance counters.
 */
static bool is_scarce(const struct pev_perf_code *code)
{
#ifdef CONFIG_X86
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return false;
	if (code->type == PERF_TYPE_HARDWARE)
		return (code->config & PERF_HW_EVENT_MASK) == PERF_COUNT_HW_REF_CPU_CYCLES;
	if ((code->config & 0xffff) != 0x0300)
		return false;
	return code->type == PERF_TYPE_RAW || pev_perf_is_kind(code->type);
#else
	return false;
#endif
}

struct pev_perf_counter *pev_perf_counter_get(const struct pev_perf_code *code, bool lent,
					      const char *name, struct pev_refuse *r)
{
	unsigned long limit = jiffies + LINGER + 2 * LINGER_STEP;
	struct pev_perf_counter *counter;

	if (lent && is_scarce(code))
		return ERR_PTR(pev_refuse(r, EACCES, PEV_FIELD(config),
					  "perf has one counter for %s, and pev would keep it on all CPUs, from all others: CAP_PERFMON is needed",
					  name));

	for (;;) {
		counter = find_or_make(code, lent, name, r);
		if (counter == ERR_PTR(-EBUSY) ||
		    (counter == ERR_PTR(-EAGAIN) && time_after(jiffies, limit)))
			return ERR_PTR(pev_refuse(r, EBUSY, PEV_FIELD(config),
						  "users without CAP_PERFMON count %u different things already, or make others all the time, each of which keeps a counter of perf's on all CPUs",
						  PEV_PERF_LENT));
		if (counter != ERR_PTR(-EAGAIN))
			return counter;
		schedule_timeout_killable(LINGER_STEP);
		if (fatal_signal_pending(current))
			return ERR_PTR(-EINTR);
	}
}

static void counter_remove(struct pev_perf_counter *counter)
{
	unsigned int cpu;

	lockdep_assert_held(&counters_lock);
	list_del(&counter->node);
	nr_lent -= counter->lent;
	/* in this order: each is started by the one before */
	pev_perf_close(&counter->perf);
	for_each_possible_cpu(cpu) {
		struct pev_perf_counter_cpu *c = per_cpu_ptr(counter->percpu, cpu);

		irq_work_sync(&c->move);
		irq_work_sync(&c->start_tick);
		hrtimer_cancel(&c->tick);
	}
	counter_free(counter);
}

static void remove_unused(struct work_struct *work);

static DECLARE_DELAYED_WORK(remove_work, remove_unused);

static void remove_unused(struct work_struct *work)
{
	struct pev_perf_counter *counter, *next;

	guard(mutex)(&counters_lock);
	list_for_each_entry_safe(counter, next, &counters, node)
		if (!counter->users && time_after_eq(jiffies, counter->unused + LINGER))
			counter_remove(counter);
	if (any_unused())
		queue_delayed_work(pev_wq, &remove_work, LINGER_STEP);
}

void __pev_teardown pev_perf_counters_teardown(void)
{
	struct pev_perf_counter *counter, *next;

	cancel_delayed_work_sync(&remove_work);
	guard(mutex)(&counters_lock);
	list_for_each_entry_safe(counter, next, &counters, node)
		counter_remove(counter);
}

/* pev's own driver, where there is one, is to find the counters free. */
static bool stays(const struct pev_perf_counter *counter)
{
	return counter->lent && left_to_perf;
}

void pev_perf_counters_review(void)
{
	struct pev_perf_counter *counter, *next;

	guard(mutex)(&counters_lock);
	list_for_each_entry_safe(counter, next, &counters, node)
		if (!counter->users)
			counter_remove(counter);
}

void pev_perf_counter_put(struct pev_perf_counter *counter, bool lent)
{
	guard(mutex)(&counters_lock);
	counter->borrowers -= lent;
	if (--counter->users) {
		lend(counter, counter->borrowers);
		return;
	}
	if (!stays(counter)) {
		counter_remove(counter);
		return;
	}
	counter->unused = jiffies;
	queue_delayed_work(pev_wq, &remove_work, LINGER);
}

/**
 * struct check - whether a counter counts
 * @counter: which
 * @missing: CPUs where it does not
 */
struct check {
	struct pev_perf_counter	*counter;
	atomic_t		missing;
};

static void check_here(void *data)
{
	struct check *check = data;
	struct pev_perf_counter_cpu *c = this_cpu_ptr(check->counter->percpu);

	if (!c->event && check->counter->perf.some)
		return;
	if (!c->event || c->event->state != PERF_EVENT_STATE_ACTIVE)
		atomic_inc(&check->missing);
}

bool pev_perf_counter_counts(struct pev_perf_counter *counter)
{
	struct check check = { .counter = counter };

	on_each_cpu(check_here, &check, 1);
	return !atomic_read(&check.missing);
}

/* ---- one CPU ---- */

void pev_perf_counter_read(struct pev_perf_counter_cpu *c, struct pev_perf_reading *at)
{
	struct perf_event *event = c->event;
	u64 count;

	*at = (struct pev_perf_reading){ };
	if (!event)
		return;
	at->live = event->state >= PERF_EVENT_STATE_INACTIVE &&
		   !perf_event_read_local(event, &count, &at->enabled, &at->running);
	if (at->live)
		return;
	/* a pinned one that found no counter, or of before the CPU was offline */
	at->enabled = event->total_time_enabled;
	at->running = event->total_time_running;
}

static bool on_hardware(const struct perf_event *event)
{
	return READ_ONCE(event->oncpu) == smp_processor_id();
}

bool pev_perf_counter_stop(struct pev_perf_counter_cpu *c, bool pmi)
{
	struct perf_event *event = c->event;

	if (!on_hardware(event))
		return false;
	/* a PMI between two steps of the callback would find it half stopped */
	if (!pmi)
		perf_pmu_disable(event->pmu);
	event->pmu->stop(event, PERF_EF_UPDATE);
	return true;
}

void pev_perf_counter_start(struct pev_perf_counter_cpu *c, bool pmi, bool on, u64 left)
{
	struct perf_event *event = c->event;

	local64_set(&event->hw.period_left, left);
	if (!on)
		return;
	if (!c->stopped) {
		pev_perf_before_start(event, left);
		event->pmu->start(event, PERF_EF_RELOAD);
	}
	if (!pmi)
		perf_pmu_enable(event->pmu);
}

void pev_perf_counter_tick(struct pev_perf_counter_cpu *c)
{
	/* timers of a CPU that goes offline move to another: do not start one */
	if (c->ticking || !cpu_online(c->cpu))
		return;
	c->ticking = true;
	hrtimer_start(&c->tick, ns_to_ktime(TICK_NSEC), HRTIMER_MODE_REL_PINNED_HARD);
}
