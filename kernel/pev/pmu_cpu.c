// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the counters of each CPU: who has which, whose turn it is, what happens
 * at an overflow. Must not know any processor.
 *
 * A CPU's state is changed by that CPU alone, in one of two ways:
 *
 * - in an update, with interrupts off and @updating set. A PMI that comes
 *   meanwhile touches nothing: it leaves the PMU frozen and sets @deferred, and
 *   the update ends by doing what is left to do;
 * - in a PMI that interrupted no update.
 *
 * So there is a single writer at any time, and no lock and no atomic operation.
 * An update that changes who counts begins with a frozen PMU; one that only
 * reads counters lets it run.
 */
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/sched/task_stack.h>
#include <linux/static_call.h>
#include "clock.h"
#include "pmu.h"
#include "pmu_assign.h"
#include "sample.h"

/**
 * struct pev_pmu_cpu - the PMU of a CPU
 * @up:       the registers are ours
 * @updating: see above
 * @deferred: a PMI left the PMU frozen
 * @dirty:    @wanted or @pinned changed ...
 * @now:      ... at this time
 * @crowded:  somebody waits for a counter
 * @active:   counters that run
 * @known:    counters whose @config is right
 * @on:       who has a counter
 * @config:   what a counter is set to
 * @raw:      the value of a counter that nobody has, or 0
 * @pinned:   slots that want a counter before all others; groups lie together
 * @wanted:   the others, those whose turn it is first in front
 * @round:    the latest in which somebody had a turn
 * @rotate:   ends turns while @crowded
 * @tick:     ends throttling, and adapts periods of events that don't come
 * @ticking:  @tick is on its way
 * @start_tick: starts @tick for a PMI
 * @pmi_since: start of the tick that @pmi_time is of ...
 * @pmi_time: ... how much of it PMIs have taken, in @pmi_clock
 * @random:   for the length and order of turns
 * @incidents: by enum pev_pmu_incident
 * @slots:    scratch of reschedule()
 * @codes:    see @slots
 * @counters: see @slots
 */
struct pev_pmu_cpu {
	bool			up;
	bool			updating;
	bool			deferred;
	bool			dirty;
	bool			crowded;
	bool			ticking;
	u64			now;
	u64			active;
	u64			known;
	struct pev_hw_slot	*on[PEV_PMU_MAX_COUNTERS];
	u64			config[PEV_PMU_MAX_COUNTERS];
	u64			raw[PEV_PMU_MAX_COUNTERS];
	struct list_head	pinned;
	struct list_head	wanted;
	u64			round;
	struct hrtimer		rotate;
	struct hrtimer		tick;
	struct irq_work		start_tick;
	u64			pmi_since;
	u64			pmi_time;
	struct rnd_state	random;
	local64_t		incidents[PEV_PMU_INCIDENTS];

	struct pev_hw_slot	*slots[PEV_PMU_MAX_EVENTS];
	const struct pev_pmu_code *codes[PEV_PMU_MAX_EVENTS];
	s8			counters[PEV_PMU_MAX_EVENTS];
};

static DEFINE_PER_CPU(struct pev_pmu_cpu, pmu_cpus);

/* Turns: how long one is, before it is varied by a quarter up or down. */
unsigned int sysctl_pev_rotate_us = 1000;
/* Samples that an event may take on a CPU in a second. */
unsigned int sysctl_pev_max_sample_rate = 100000;

/* The backend's callbacks that are called often. */
static void no_freeze(void) { }
static void no_thaw(u64 active, bool user) { }
static void no_set(unsigned int counter, u64 config) { }
static u64 no_read(unsigned int counter) { return 0; }
static void no_write(unsigned int counter, u64 value) { }

DEFINE_STATIC_CALL(hw_freeze, no_freeze);
DEFINE_STATIC_CALL(hw_thaw, no_thaw);
DEFINE_STATIC_CALL(hw_set, no_set);
DEFINE_STATIC_CALL(hw_read, no_read);
DEFINE_STATIC_CALL(hw_write, no_write);

void pev_pmu_cpu_ops(const struct pev_pmu_ops *ops)
{
	static_call_update(hw_freeze, ops ? ops->freeze : no_freeze);
	static_call_update(hw_thaw, ops ? ops->thaw : no_thaw);
	static_call_update(hw_set, ops ? ops->set : no_set);
	static_call_update(hw_read, ops ? ops->read : no_read);
	static_call_update(hw_write, ops ? ops->write : no_write);
}

static struct pev_hw_event *hw_of(const struct pev_event *event)
{
	return event->private;
}

static struct pev_hw_slot *hw_slot(const struct pev_event *event)
{
	return this_cpu_ptr(hw_of(event)->slots);
}

static unsigned int bits_of(unsigned int counter)
{
	return pev_pmu->counters[counter].bits;
}

/* ---- counting ---- */

/* Take over what the counter counted. Return: is a sample due? */
static __always_inline bool fold(struct pev_hw_slot *s)
{
	u64 raw = static_call(hw_read)(s->counter);
	u64 delta = pev_count_delta(s->raw, raw, s->bits);

	s->raw = raw;
	local64_add(delta, &s->slot->count);
	s->window_x += delta;
	if (unlikely(s->paged))
		atomic64_add(delta, &hw_of(s->event)->total);
	return s->sampling && pev_period_add(&s->period, delta);
}

/*
 * Where a counter starts whose overflows mean nothing. Not at 0: a PMI comes a
 * little after the overflow, and what was counted until then must be less than
 * a lap.
 */
static u64 fresh(unsigned int counter)
{
	return 1ULL << (bits_of(counter) - 3);
}

/*
 * Load the counter, which was folded: the next overflow is the next sample, but
 * not before @min occurrences.
 */
static __always_inline void load_from(struct pev_hw_slot *s, u64 min)
{
	if (s->sampling)
		s->raw = pev_count_raw(s->period.left > 0 ? s->period.left : 1,
				       max(hw_of(s->event)->code.period_min, min), s->bits);
	else
		s->raw = fresh(s->counter);
	static_call(hw_write)(s->counter, s->raw);
}

static __always_inline void load(struct pev_hw_slot *s)
{
	load_from(s, 1);
}

static void page_update(struct pev_hw_slot *s)
{
	if (unlikely(s->paged))
		pev_pmu_page_update(hw_of(s->event), s);
}

/* ---- time; a slot either counts or waits ---- */

static bool counts(const struct pev_hw_slot *s)
{
	return s->counter >= 0 && !s->throttled;
}

/* Ends a stretch. A PMI may have begun it after @now was read. */
static u64 stretch(struct pev_hw_slot *s, u64 now)
{
	u64 ns = max_t(s64, now - s->since, 0);

	s->since += ns;
	return ns;
}

static void wait_end(struct pev_hw_slot *s, u64 now)
{
	u64 ns = stretch(s, now);

	s->waited += ns;
	s->sampled += ns;
	if (s->throttled)
		s->throttled_ns += ns;
}

/*
 * The time that it ran was brought up to date, and this goes with it. Counters
 * change hands at other times, too: whoever reads then must not find that it
 * waited longer than it ran.
 */
static void show_waited(struct pev_hw_slot *s)
{
	smp_wmb();	/* pev_slot:J, pairs with I */
	WRITE_ONCE(s->slot->waited, s->waited);
}

static void count_end(struct pev_hw_slot *s, u64 now)
{
	s->turn_ran += stretch(s, now);
}

/* ---- a counter gets or loses its event; in an update, frozen ---- */

static void attach(struct pev_pmu_cpu *cpu, struct pev_hw_slot *s, unsigned int counter,
		   u64 now)
{
	u64 config = pev_pmu_code_config(&hw_of(s->event)->code, counter);

	wait_end(s, now);
	s->counter = counter;
	s->bits = bits_of(counter);
	if (!(cpu->known & BIT_ULL(counter)) || cpu->config[counter] != config) {
		cpu->known |= BIT_ULL(counter);
		cpu->config[counter] = config;
		static_call(hw_set)(counter, config);
	}
	/* what only counts takes the counter as it stands, if it can */
	s->raw = cpu->raw[counter];
	/* and what a user page shows must not tell what others counted */
	if (s->sampling || s->paged || s->raw < fresh(counter))
		load(s);
	cpu->on[counter] = s;
	cpu->active |= BIT_ULL(counter);
	page_update(s);
}

static void detach(struct pev_pmu_cpu *cpu, struct pev_hw_slot *s, u64 now)
{
	unsigned int counter = s->counter;

	fold(s);
	if (s->throttled)
		wait_end(s, now);
	else
		count_end(s, now);
	s->throttled = false;
	cpu->on[counter] = NULL;
	cpu->active &= ~BIT_ULL(counter);
	cpu->raw[counter] = s->raw;
	s->last = counter;
	s->counter = -1;
	page_update(s);
}

/* ---- whose turn it is ---- */

static u64 turn_ns(void)
{
	return (u64)READ_ONCE(sysctl_pev_rotate_us) * NSEC_PER_USEC;
}

/* The slot's turn is over: @turn is its group's new place. */
static void turn_end(struct pev_hw_slot *s, u64 turn)
{
	pev_windows_add(&s->windows, s->window_x, s->turn_ran);
	s->window_x = 0;
	s->turn_ran = 0;
	s->turn = turn;
}

static struct list_head *list_of(struct pev_pmu_cpu *cpu, const struct pev_event *event)
{
	return event->leader->flags & PEV_F_PINNED ? &cpu->pinned : &cpu->wanted;
}

static bool same_group(const struct pev_hw_slot *a, const struct pev_hw_slot *b)
{
	return a->event->leader == b->event->leader;
}

/* Behind the last of its group, or else behind the last whose turn is earlier. */
static void enqueue(struct pev_pmu_cpu *cpu, struct pev_hw_slot *s)
{
	struct list_head *list = list_of(cpu, s->event), *at = NULL;
	struct pev_hw_slot *other;

	list_for_each_entry_reverse(other, list, node) {
		if (same_group(s, other)) {
			s->turn = other->turn;
			list_add(&s->node, &other->node);
			return;
		}
		if (!at && other->turn <= s->turn)
			at = &other->node;
		/* a group of one does not look for others */
		if (at && s->event->leader == s->event && list_empty(&s->event->siblings))
			break;
	}
	list_add(&s->node, at ?: list);
}

/*
 * The slot had a turn in this round: a place somewhere in the next. In each round
 * the order is another one, for workloads keep step with one that stays. Who was
 * away for rounds does not make up for them.
 */
static u64 next_place(struct pev_pmu_cpu *cpu, const struct pev_hw_slot *s)
{
	u64 round = s->turn >> 32;

	cpu->round = max(cpu->round, round);
	return max(round + 1, cpu->round) << 32 | prandom_u32_state(&cpu->random);
}

/* Those that had a counter queue up again. Called when a turn is over, in an update. */
static void rotate_queue(struct pev_pmu_cpu *cpu, u64 now)
{
	struct pev_hw_slot *s, *next;
	LIST_HEAD(served);

	list_for_each_entry_safe(s, next, &cpu->wanted, node) {
		if (s->counter < 0)
			continue;
		if (!s->throttled)
			count_end(s, now);
		fold(s);
		list_move_tail(&s->node, &served);
	}
	list_for_each_entry_safe(s, next, &served, node) {
		list_del(&s->node);
		turn_end(s, next_place(cpu, s));
		enqueue(cpu, s);
	}
}

/**
 * struct pick - those who are to have a counter
 * @nr:   how many
 * @full: nobody else will fit
 */
struct pick {
	unsigned int	nr;
	bool		full;
};

/* Add @group, which ends before @end. Return: did it fit? */
static bool pick_group(struct pev_pmu_cpu *cpu, struct pick *pick, struct list_head *group,
		       struct list_head *end)
{
	unsigned int nr = pick->nr;
	bool exclusive = false;

	for (; group != end; group = group->next) {
		struct pev_hw_slot *s = list_entry(group, struct pev_hw_slot, node);

		if (nr == PEV_PMU_MAX_EVENTS)
			return false;
		cpu->slots[nr] = s;
		cpu->codes[nr] = &hw_of(s->event)->code;
		cpu->counters[nr] = s->counter >= 0 ? s->counter : s->last;
		exclusive |= !!(s->event->flags & PEV_F_EXCLUSIVE);
		nr++;
	}
	if (exclusive && pick->nr)
		return false;
	if (!pev_pmu_assign(cpu->codes, cpu->counters, nr, pev_pmu->present, NULL))
		return false;
	pick->nr = nr;
	pick->full = exclusive || nr == hweight64(pev_pmu->present);
	return true;
}

static void pick_from(struct pev_pmu_cpu *cpu, struct pick *pick, struct list_head *list)
{
	struct list_head *group, *end;

	for (group = list->next; group != list; group = end) {
		struct pev_hw_slot *s = list_entry(group, struct pev_hw_slot, node);

		for (end = group->next; end != list; end = end->next)
			if (!same_group(s, list_entry(end, struct pev_hw_slot, node)))
				break;
		if (pick->full || !pick_group(cpu, pick, group, end))
			cpu->crowded = true;
	}
}

/* The common case: there is room for all, and nobody is exclusive. */
static bool pick_all(struct pev_pmu_cpu *cpu, struct pick *pick)
{
	unsigned int nr = 0, max = hweight64(pev_pmu->present);
	struct pev_hw_slot *s;

	if (!list_empty(&cpu->pinned))
		return false;
	list_for_each_entry(s, &cpu->wanted, node) {
		if (nr == max || s->event->flags & PEV_F_EXCLUSIVE)
			return false;
		cpu->slots[nr] = s;
		cpu->codes[nr] = &hw_of(s->event)->code;
		cpu->counters[nr] = s->counter >= 0 ? s->counter : s->last;
		nr++;
	}
	if (!pev_pmu_assign(cpu->codes, cpu->counters, nr, pev_pmu->present, NULL))
		return false;
	pick->nr = nr;
	return true;
}

/* Turns of equal length could keep step with the workload. */
static u64 turn_length(struct pev_pmu_cpu *cpu)
{
	u64 ns = turn_ns();

	return ns - ns / 4 + (prandom_u32_state(&cpu->random) & 1023) * ns / 2048;
}

static void tick_start(struct pev_pmu_cpu *cpu)
{
	if (cpu->ticking)
		return;
	cpu->ticking = true;
	hrtimer_start(&cpu->tick, ns_to_ktime(TICK_NSEC), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Give the counters to those who are to have them; in an update, frozen. */
static void reschedule(struct pev_pmu_cpu *cpu, u64 now)
{
	struct pick pick = { };
	u64 taken = 0;
	unsigned int i;

	cpu->dirty = false;
	cpu->crowded = false;
	if (cpu->up && !pick_all(cpu, &pick)) {
		pick.nr = 0;
		pick_from(cpu, &pick, &cpu->pinned);
		pick_from(cpu, &pick, &cpu->wanted);
	}
	/* first all who leave a counter, then all who get one */
	for (i = 0; i < pick.nr; i++)
		if (cpu->slots[i]->counter == cpu->counters[i])
			taken |= BIT_ULL(cpu->counters[i]);
	for (u64 left = cpu->up ? pev_pmu->present & ~taken : 0; left; left &= left - 1) {
		struct pev_hw_slot *s = cpu->on[__ffs64(left)];

		if (s)
			detach(cpu, s, now);
	}
	for (i = 0; i < pick.nr; i++) {
		struct pev_hw_slot *s = cpu->slots[i];

		if (s->counter < 0)
			attach(cpu, s, cpu->counters[i], now);
		if (unlikely(s->event->flags & PEV_F_FREQ))
			tick_start(cpu);
	}
	if (unlikely(cpu->crowded) && !hrtimer_active(&cpu->rotate))
		hrtimer_start(&cpu->rotate, ns_to_ktime(turn_length(cpu)),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/* ---- updates ---- */

static struct pev_pmu_cpu *update_begin(void)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pmu_cpus);

	lockdep_assert_irqs_disabled();

	if (!cpu->updating) {
		cpu->updating = true;
		barrier();	/* a PMI from here on leaves all to us */
		if (cpu->up)
			static_call(hw_freeze)();
	}
	return cpu;
}

/*
 * Samples whose PMI came in an update: the counter overflows again soon. If that
 * is before the update is over, it would be in vain, and for ever: @min grows.
 */
static void load_overdue(struct pev_pmu_cpu *cpu, u64 min)
{
	u64 left;

	for (left = cpu->active; left; left &= left - 1) {
		struct pev_hw_slot *s = cpu->on[__ffs64(left)];

		fold(s);
		load_from(s, min);
		page_update(s);
	}
}

static void update_end(struct pev_pmu_cpu *cpu)
{
	u64 min = 16;

	for (;;) {
		if (unlikely(cpu->deferred)) {
			cpu->deferred = false;
			min *= 2;
			load_overdue(cpu, min);
		}
		if (cpu->up)
			static_call(hw_thaw)(cpu->active, pev_pmu_readable());
		barrier();	/* PMIs may act again */
		cpu->updating = false;
		barrier();	/* one that came before this saw us updating */
		if (likely(!READ_ONCE(cpu->deferred)))
			break;
		cpu->updating = true;
		barrier();	/* as in update_begin() */
	}
}

void pev_pmu_cpu_update(void)
{
	update_begin();
	__pev_pmu_settle();
}

void __pev_pmu_settle(void)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pmu_cpus);

	if (!cpu->updating)
		return;
	if (cpu->dirty)
		reschedule(cpu, cpu->now);
	update_end(cpu);
}

void pev_pmu_slot_start(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	struct pev_pmu_cpu *cpu = update_begin();
	struct pev_hw_slot *s = hw_slot(event);

	cpu->now = now;
	cpu->dirty = true;
	s->sampling = slot->ring;
	s->sampled += now - s->since;
	s->since = now;
	enqueue(cpu, s);
}

void pev_pmu_slot_stop(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	struct pev_pmu_cpu *cpu = update_begin();
	struct pev_hw_slot *s = hw_slot(event);

	cpu->now = now;
	cpu->dirty = true;
	if (s->counter >= 0)
		detach(cpu, s, now);
	wait_end(s, now);
	show_waited(s);
	/* short stretches add up to a turn; pinned events take none */
	if (cpu->crowded && s->turn_ran >= turn_ns() && list_of(cpu, event) == &cpu->wanted)
		turn_end(s, next_place(cpu, s));
	list_del_init(&s->node);
}

/* Of a slot that runs; @now 0: only its count. Any context, preemption disabled. */
void pev_pmu_slot_fold(struct pev_event *event, struct pev_slot *slot, u64 now)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pmu_cpus);
	struct pev_hw_slot *s = hw_slot(event);
	unsigned long flags;

	/* asked for by a record that an update made: it is as of the last fold */
	if (cpu->updating)
		return;
	local_irq_save(flags);
	cpu->updating = true;
	barrier();	/* as in update_begin(); nothing changes hands: no need to freeze */
	if (counts(s))
		fold(s);
	else if (now)
		wait_end(s, now);
	if (now)
		show_waited(s);
	page_update(s);
	barrier();	/* as in update_end() */
	cpu->updating = false;
	barrier();	/* as in update_end() */
	if (unlikely(READ_ONCE(cpu->deferred))) {
		cpu->updating = true;
		barrier();	/* as in update_begin(); the PMI has frozen the PMU */
		update_end(cpu);
	}
	local_irq_restore(flags);
}

/* Also for the slot of a CPU that is offline; the caller has folded it. */
void pev_pmu_slot_reset(struct pev_event *event, struct pev_slot *slot, unsigned int cpu)
{
	struct pev_hw_slot *s = per_cpu_ptr(hw_of(event)->slots, cpu);
	u64 count = local64_xchg(&slot->count, 0);

	if (s->paged)
		atomic64_sub(count, &hw_of(event)->total);
	memset(&s->windows, 0, sizeof(s->windows));
	s->window_x = 0;
	s->turn_ran = 0;
	s->waited = 0;
	/* the window begins here, and so does its time */
	if (counts(s))
		s->since = ktime_get_mono_fast_ns();
	s->throttles = 0;
	s->throttled_ns = 0;
}

/* ---- overflows ---- */

static void throttle(struct pev_pmu_cpu *cpu, struct pev_hw_slot *s)
{
	count_end(s, ktime_get_mono_fast_ns());
	s->throttled = true;
	s->throttles++;
	cpu->active &= ~BIT_ULL(s->counter);
	/* timers can't be started from here */
	irq_work_queue(&cpu->start_tick);
}

/*
 * PMIs may have half of the time. A rate says little about that: what a fast CPU does
 * on the side leaves a slow one, or many events at once, no time for a timer interrupt
 * to end before the next is due, and the program never comes to its next instruction.
 */
static u64 pmi_tick __read_mostly = TICK_NSEC;
/* The cheapest clock there is: it is read twice a sample. @pmi_tick is a tick in it. */
static u32 pmi_clock __read_mostly = PEV_CLOCK_MONOTONIC;

void pev_pmu_cpu_clock(void)
{
	struct pev_trace_clock clock;

	pev_clock_init(&clock, PEV_CLOCK_DEFAULT);
	pmi_tick = div_u64(clock.freq, HZ);
	pmi_clock = clock.type;
}

static u64 pmi_begin(struct pev_pmu_cpu *cpu)
{
	u64 now = pev_clock_read(pmi_clock);

	if (now - cpu->pmi_since >= pmi_tick) {
		cpu->pmi_since = now;
		cpu->pmi_time = 0;
	}
	return now;
}

static void pmi_end(struct pev_pmu_cpu *cpu, u64 begin)
{
	cpu->pmi_time += max_t(s64, pev_clock_read(pmi_clock) - begin, 0);
}

static bool too_many(const struct pev_pmu_cpu *cpu, struct pev_hw_slot *s)
{
	if (cpu->pmi_time > pmi_tick / 2)
		return true;
	if (time_after(jiffies, s->tick)) {
		s->tick = jiffies;
		s->hits = 0;
	}
	return ++s->hits > max(READ_ONCE(sysctl_pev_max_sample_rate) / HZ, 1U);
}

/* The period that would give the frequency wanted, by what came since the last sample. */
static u64 adapted(const struct pev_hw_slot *s, u64 now)
{
	return pev_freq_next(s->period.period, s->period.since, max(now - s->sampled, 1),
			     READ_ONCE(s->event->period),
			     hw_of(s->event)->code.period_min);
}

/*
 * A record must not show what was excluded: an interrupt that comes late finds
 * the kernel where the user's event happened. The user's registers tell where
 * it will go on.
 */
static struct pt_regs *shown_regs(const struct pev_event *event, struct pt_regs *regs)
{
	if (!(event->flags & PEV_F_EXCLUDE_KERNEL) || user_mode(regs))
		return regs;
	if (current->flags & (PF_KTHREAD | PF_USER_WORKER) || !current->mm)
		return NULL;
	return task_pt_regs(current);
}

static void take_sample(struct pev_pmu_cpu *cpu, struct pev_hw_slot *s,
			const struct pev_pmu_sample *sample)
{
	struct pev_event *event = s->event;
	struct pev_sample_in in;

	/* member by member: this is the path that counts */
	in.regs = shown_regs(event, sample->regs);
	in.ip = 0;
	in.user_ip = false;
	in.addr = sample->addr;
	in.task = NULL;
	if (sample->ip && (sample->user || !(event->flags & PEV_F_EXCLUDE_KERNEL))) {
		in.ip = sample->ip;
		in.user_ip = sample->user;
	}
	if (event->flags & PEV_F_FREQ) {
		u64 now = ktime_get_mono_fast_ns();

		s->period.period = adapted(s, now);
		s->sampled = now;
	} else {
		s->period.period = READ_ONCE(event->period);
	}
	in.period = pev_period_take(&s->period);
	if (pev_sample_begin(event, s->slot, 0, &in))
		pev_sample_end(s->slot);
	if (unlikely(too_many(cpu, s)))
		throttle(cpu, s);
}

void pev_pmu_overflow(u64 counters, const struct pev_pmu_sample *sample)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pmu_cpus);
	u64 left, begin;

	if (cpu->updating) {
		cpu->deferred = true;
		return;
	}
	begin = pmi_begin(cpu);
	for (left = counters & cpu->active; left; left &= left - 1) {
		struct pev_hw_slot *s = cpu->on[__ffs64(left)];

		if (fold(s))
			take_sample(cpu, s, sample);
		load(s);
		page_update(s);
	}
	pmi_end(cpu, begin);
	if (cpu->up)
		static_call(hw_thaw)(cpu->active, pev_pmu_readable());
}

void pev_pmu_report(enum pev_pmu_incident what)
{
	local64_inc(this_cpu_ptr(&pmu_cpus.incidents[what]));
}

u64 pev_pmu_incidents(enum pev_pmu_incident what)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += local64_read(&per_cpu(pmu_cpus.incidents[what], cpu));
	return sum;
}

/* ---- timers; interrupts are off ---- */

static enum hrtimer_restart rotate(struct hrtimer *timer)
{
	struct pev_pmu_cpu *cpu = container_of(timer, struct pev_pmu_cpu, rotate);
	u64 now;

	if (!cpu->crowded)
		return HRTIMER_NORESTART;
	update_begin();
	now = ktime_get_mono_fast_ns();
	rotate_queue(cpu, now);
	reschedule(cpu, now);
	update_end(cpu);
	if (!cpu->crowded)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(turn_length(cpu)));
	return HRTIMER_RESTART;
}

/* An event that has become rare is sampled long before its period is over. */
static void adapt_silent(struct pev_hw_slot *s, u64 now)
{
	if (now - s->sampled < 2 * NSEC_PER_SEC / READ_ONCE(s->event->period))
		return;
	if (pev_period_shorten(&s->period, adapted(s, now)))
		load(s);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct pev_pmu_cpu *cpu = container_of(timer, struct pev_pmu_cpu, tick);
	bool again = false;
	unsigned int i;
	u64 now;

	update_begin();
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < PEV_PMU_MAX_COUNTERS; i++) {
		struct pev_hw_slot *s = cpu->on[i];

		if (!s)
			continue;
		if (s->throttled) {
			wait_end(s, now);
			s->throttled = false;
			cpu->active |= BIT_ULL(i);
		}
		if (s->event->flags & PEV_F_FREQ && s->sampling) {
			again = true;
			fold(s);
			adapt_silent(s, now);
		}
	}
	update_end(cpu);
	cpu->ticking = again;
	if (!again)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(TICK_NSEC));
	return HRTIMER_RESTART;
}

static void start_tick(struct irq_work *work)
{
	struct pev_pmu_cpu *cpu = container_of(work, struct pev_pmu_cpu, start_tick);

	/* a CPU that goes offline would leave the timer to another */
	if (cpu->up)
		tick_start(cpu);
}

/* ---- the CPU itself ---- */

void pev_pmu_cpu_start(void)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pmu_cpus);

	lockdep_assert_irqs_disabled();

	if (cpu->up || pev_pmu->ops->cpu_start())
		return;
	cpu->known = 0;
	memset(cpu->raw, 0, sizeof(cpu->raw));
	cpu->up = true;
	update_begin();
	reschedule(cpu, ktime_get_mono_fast_ns());
	update_end(cpu);
}

void pev_pmu_cpu_stop(void)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pmu_cpus);
	unsigned int i;
	u64 now;

	lockdep_assert_irqs_disabled();

	update_begin();
	now = ktime_get_mono_fast_ns();
	for (i = 0; i < PEV_PMU_MAX_COUNTERS; i++)
		if (cpu->on[i])
			detach(cpu, cpu->on[i], now);
	update_end(cpu);
	if (cpu->up)
		pev_pmu->ops->cpu_stop();
	cpu->up = false;
	hrtimer_cancel(&cpu->rotate);
	hrtimer_cancel(&cpu->tick);
	cpu->ticking = false;
}

struct pev_event *pev_pmu_cpu_user(unsigned int cpu, unsigned int counter)
{
	struct pev_hw_slot *s = READ_ONCE(per_cpu(pmu_cpus.on[counter], cpu));

	return s ? s->event : NULL;
}

void pev_pmu_cpu_init(void)
{
	unsigned int i;

	for_each_possible_cpu(i) {
		struct pev_pmu_cpu *cpu = &per_cpu(pmu_cpus, i);

		INIT_LIST_HEAD(&cpu->pinned);
		INIT_LIST_HEAD(&cpu->wanted);
		hrtimer_init(&cpu->rotate, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		hrtimer_init(&cpu->tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		cpu->rotate.function = rotate;
		cpu->tick.function = tick;
		cpu->start_tick = IRQ_WORK_INIT_HARD(start_tick);
		prandom_seed_state(&cpu->random, get_random_u64());
	}
}
