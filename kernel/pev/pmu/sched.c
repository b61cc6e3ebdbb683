// SPDX-License-Identifier: GPL-2.0
/*
 * Owns which event has which counter of a CPU, and for how long: events come and go, and
 * if there are more of them than counters, counters are multiplexed in slices. Everything
 * here runs in an update: see pmu/counter.h. Must not know any processor.
 */
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/pev_marker.h>
#include <linux/random.h>
#include "counter.h"
#include "lend.h"
#include "overflow.h"
#include "sample.h"
#include "sched.h"

/* Length of a slice in us; each is varied by a quarter up or down. */
unsigned int sysctl_pev_rotate_us = 1000;

/* ---- a counter gets or loses its event ---- */

static void attach(struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s, unsigned int counter,
		   u64 now)
{
	u64 config = pev_pmu_code_config(&pev_hw_of(s->event)->code, counter);

	pev_hw_wait_end(s, now);
	s->counter = counter;
	s->bits = pev_hw_bits(counter);
	if (!(cpu->known & BIT_ULL(counter)) || cpu->config[counter] != config) {
		cpu->known |= BIT_ULL(counter);
		cpu->config[counter] = config;
		static_call(pev_hw_set)(counter, config);
	}
	/* an event that only counts can use the counter as it stands */
	s->raw = cpu->raw[counter];
	/* but who reads it must not see what another event counted: see pev_hw_go() */
	if (s->sampling || s->paged || cpu->readable || s->raw < pev_hw_fresh(counter)) {
		pev_hw_load(s);
		if (s->sampling)
			pev_pmu_heal_start(cpu);
	}
	if (static_branch_unlikely(&pev_lent_key) && pev_hw_of(s->event)->lent)
		pev_lent_attach(cpu, s);
	WRITE_ONCE(cpu->on[counter], s);
	cpu->active |= BIT_ULL(counter);
	pev_hw_show(s);
}

void pev_pmu_detach(struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s, u64 now)
{
	unsigned int counter = s->counter;

	pev_hw_fold(s);
	if (s->throttled)
		pev_hw_wait_end(s, now);
	else
		pev_hw_count_end(s, now);
	s->throttled = false;
	WRITE_ONCE(cpu->on[counter], NULL);
	cpu->active &= ~BIT_ULL(counter);
	cpu->shown &= ~BIT_ULL(counter);
	cpu->raw[counter] = s->raw;
	s->last = counter;
	s->counter = -1;
	pev_hw_show(s);
}

/* ---- the queue for counters ---- */

static u64 slice_ns(void)
{
	return (u64)READ_ONCE(sysctl_pev_rotate_us) * NSEC_PER_USEC;
}

/*
 * End the slice of @s; @place is its group's new place in the queue.
 *
 * One that was much too short says little of the rate, and becomes part of the next. One
 * that was much too long, because the event had not to share then, is no measure for the time
 * before and after it; a gap before it may as well have been at its end, and is estimated by
 * the next window.
 */
static void slice_end(struct pev_hw_cpu *s, u64 place)
{
	u64 slice = slice_ns();

	s->place = place;
	if (s->slice_ran < slice / 2 || !s->slice_ran)
		return;
	if (s->slice_ran > 16 * slice) {
		pev_window_forget(&s->window);
	} else {
		pev_windows_add(&s->windows, &s->window, s->waited - s->gap_from, s->slice_x,
				s->slice_ran);
		s->gap_from = s->waited;
	}
	s->slice_x = 0;
	s->slice_ran = 0;
}

/* Read once: members become leaders when theirs is closed, at any time. */
static struct pev_event *leader_of(const struct pev_event *event)
{
	return READ_ONCE(event->leader);
}

static struct list_head *list_of(struct pev_pmu_cpu *cpu, const struct pev_event *leader)
{
	return leader->flags & PEV_F_PINNED ? &cpu->pinned : &cpu->wanted;
}

static bool same_group(const struct pev_hw_cpu *a, const struct pev_hw_cpu *b)
{
	return leader_of(a->event) == leader_of(b->event);
}

/* Queue @s behind its group, or behind the last event with an earlier place. */
static void enqueue(struct pev_pmu_cpu *cpu, struct pev_hw_cpu *s)
{
	struct pev_event *leader = leader_of(s->event);
	struct list_head *list = list_of(cpu, leader), *at = NULL;
	struct pev_hw_cpu *other;

	list_for_each_entry_reverse(other, list, node) {
		if (leader_of(other->event) == leader) {
			s->place = other->place;
			list_add(&s->node, &other->node);
			return;
		}
		if (!at && other->place <= s->place)
			at = &other->node;
		/* skip the search for a group of one */
		if (at && leader == s->event && list_empty(&leader->siblings))
			break;
	}
	list_add(&s->node, at ?: list);
}

/*
 * The event had a slice in this round: give it a random place in the next. The order
 * differs from round to round, because workloads can keep step with a fixed one. Events
 * that were away for rounds do not make up for them.
 */
static u64 next_place(struct pev_pmu_cpu *cpu, const struct pev_hw_cpu *s)
{
	u64 round = s->place >> 32;

	cpu->round = max(cpu->round, round);
	return max(round + 1, cpu->round) << 32 | prandom_u32_state(&cpu->random);
}

/* Queue events that had a counter again. Called in an update when a slice is over. */
static void rotate_queue(struct pev_pmu_cpu *cpu, u64 now)
{
	struct pev_hw_cpu *s, *next;
	LIST_HEAD(served);

	list_for_each_entry_safe(s, next, &cpu->wanted, node) {
		if (s->counter < 0)
			continue;
		if (!s->throttled)
			pev_hw_count_end(s, now);
		pev_hw_fold(s);
		list_move_tail(&s->node, &served);
	}
	list_for_each_entry_safe(s, next, &served, node) {
		list_del(&s->node);
		slice_end(s, next_place(cpu, s));
		enqueue(cpu, s);
	}
}

/**
 * struct pick - events that are to have a counter
 * @nr:   how many
 * @full: no other event will fit
 */
struct pick {
	unsigned int	nr;
	bool		full;
};

/* Try to add the group that ends before @end. Return: did it fit? */
static bool pick_group(struct pev_pmu_cpu *cpu, struct pick *pick, struct list_head *group,
		       struct list_head *end)
{
	unsigned int nr = pick->nr;
	bool exclusive = false;

	for (; group != end; group = group->next) {
		struct pev_hw_cpu *s = list_entry(group, struct pev_hw_cpu, node);

		if (nr == PEV_PMU_MAX_EVENTS)
			return false;
		cpu->chosen[nr] = s;
		cpu->codes[nr] = &pev_hw_of(s->event)->code;
		cpu->counters[nr] = s->counter >= 0 ? s->counter : s->last;
		exclusive |= !!(s->event->flags & PEV_F_EXCLUSIVE);
		nr++;
	}
	if (exclusive && pick->nr)
		return false;
	if (!pev_pmu_assign(cpu->codes, cpu->counters, nr, cpu->present, NULL))
		return false;
	pick->nr = nr;
	pick->full = exclusive || nr == hweight64(cpu->present);
	return true;
}

static void pick_from(struct pev_pmu_cpu *cpu, struct pick *pick, struct list_head *list)
{
	struct list_head *group, *end;

	for (group = list->next; group != list; group = end) {
		struct pev_hw_cpu *s = list_entry(group, struct pev_hw_cpu, node);

		for (end = group->next; end != list; end = end->next)
			if (!same_group(s, list_entry(end, struct pev_hw_cpu, node)))
				break;
		if (pick->full || !pick_group(cpu, pick, group, end))
			cpu->contended = true;
	}
}

/* The common case: there is room for all, and no event is exclusive. */
static bool pick_all(struct pev_pmu_cpu *cpu, struct pick *pick)
{
	unsigned int nr = 0, max = hweight64(cpu->present);
	struct pev_hw_cpu *s;

	if (!list_empty(&cpu->pinned))
		return false;
	list_for_each_entry(s, &cpu->wanted, node) {
		if (nr == max || s->event->flags & PEV_F_EXCLUSIVE)
			return false;
		cpu->chosen[nr] = s;
		cpu->codes[nr] = &pev_hw_of(s->event)->code;
		cpu->counters[nr] = s->counter >= 0 ? s->counter : s->last;
		nr++;
	}
	if (!pev_pmu_assign(cpu->codes, cpu->counters, nr, cpu->present, NULL))
		return false;
	pick->nr = nr;
	return true;
}

/* Vary the length: equal slices could keep step with the workload. */
static u64 slice_length(struct pev_pmu_cpu *cpu)
{
	u64 ns = slice_ns();

	return ns - ns / 4 + (prandom_u32_state(&cpu->random) & 1023) * ns / 2048;
}

void pev_pmu_reschedule(struct pev_pmu_cpu *cpu, u64 now)
{
	struct pick pick = { };
	u64 taken = 0;
	unsigned int i;

	cpu->dirty = false;
	cpu->contended = false;
	if (cpu->up && !pick_all(cpu, &pick)) {
		pick.nr = 0;
		pick_from(cpu, &pick, &cpu->pinned);
		pick_from(cpu, &pick, &cpu->wanted);
	}
	/* detach all events that lose a counter before attaching those that get one */
	for (i = 0; i < pick.nr; i++)
		if (cpu->chosen[i]->counter == cpu->counters[i])
			taken |= BIT_ULL(cpu->counters[i]);
	for (u64 left = cpu->up ? pev_pmu->present & ~taken : 0; left; left &= left - 1) {
		struct pev_hw_cpu *s = cpu->on[__ffs64(left)];

		if (s)
			pev_pmu_detach(cpu, s, now);
	}
	for (i = 0; i < pick.nr; i++) {
		struct pev_hw_cpu *s = cpu->chosen[i];

		if (s->counter < 0)
			attach(cpu, s, cpu->counters[i], now);
		if (unlikely(s->event->flags & PEV_F_FREQ))
			pev_pmu_tick_start(cpu);
	}
	if (unlikely(cpu->contended) && !hrtimer_active(&cpu->rotate))
		hrtimer_start(&cpu->rotate, ns_to_ktime(slice_length(cpu)),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

/* The slice is over. Interrupts are off. */
static enum hrtimer_restart rotate(struct hrtimer *timer)
{
	struct pev_pmu_cpu *cpu = container_of(timer, struct pev_pmu_cpu, rotate);
	u64 now;

	if (!cpu->contended)
		return HRTIMER_NORESTART;
	pev_pmu_update_begin();
	now = pev_now_ns();
	rotate_queue(cpu, now);
	pev_pmu_reschedule(cpu, now);
	pev_pmu_update_end(cpu);
	PEV_MARK(pev, multiplex, "round %llu counters %u", cpu->round,
		 (u32)hweight64(cpu->active));
	if (!cpu->contended)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(slice_length(cpu)));
	return HRTIMER_RESTART;
}

/* ---- events start and stop with their targets ---- */

void pev_pmu_event_start(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct pev_pmu_cpu *cpu = this_cpu_ptr(&pev_pmu_cpus);
	struct pev_hw_cpu *s = pev_hw_here(event);

	if (unlikely(!cpu->started))
		pev_pmu_cpu_start();
	smp_wmb();	/* pev_pmu_slice:K: who sees what follows sees that it runs */
	pev_pmu_update_begin();
	cpu->now = now;
	cpu->dirty = true;
	s->sampling = pev_event_samples(event);
	if (unlikely(s->changes != READ_ONCE(pev_hw_of(event)->changes)))
		pev_hw_new_period(s);
	s->sampled += now - s->since;
	s->since = now;
	enqueue(cpu, s);
}

void pev_pmu_event_stop(struct pev_event *event, struct pev_event_cpu *ec, u64 now)
{
	struct pev_pmu_cpu *cpu = pev_pmu_update_begin();
	struct pev_hw_cpu *s = pev_hw_here(event);

	cpu->now = now;
	cpu->dirty = true;
	if (s->counter >= 0) {
		pev_pmu_detach(cpu, s, now);
	} else {
		pev_hw_wait_end(s, now);
		/* the next CPU does not know that it waited on this one */
		pev_hw_show(s);
	}
	/* short stretches add up to a slice; pinned events have none */
	if (cpu->contended && s->slice_ran >= slice_ns() &&
	    list_of(cpu, leader_of(event)) == &cpu->wanted)
		slice_end(s, next_place(cpu, s));
	list_del_init(&s->node);
	/* pev_pmu_slice:K, too: who sees that it does not run sees all of that */
	pev_hw_show_waited(s);
}

void pev_pmu_sched_init(struct pev_pmu_cpu *cpu)
{
	INIT_LIST_HEAD(&cpu->pinned);
	INIT_LIST_HEAD(&cpu->wanted);
	hrtimer_init(&cpu->rotate, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpu->rotate.function = rotate;
	prandom_seed_state(&cpu->random, get_random_u64());
}
