// SPDX-License-Identifier: GPL-2.0
/* Sets which events take samples, how often, and what is in them. See plan.h. */
#include "sampling.h"
#include "engine.h"
#include "kernel.h"
#include "plan.h"
#include "base/say.h"

#include <errno.h>
#include <pev/sym.h>
#include <sys/utsname.h>
#include <unistd.h>

const char *event_to_sample(const struct pev_info *info, bool quiet)
{
	struct pev_attr attr;
	struct pev_error why;
	int fd = -1;

	if (info->pmu_counters && (info->hardware >> PEV_HW_CYCLES & 1)) {
		pev_attr_event(&attr, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, NULL);
		attr.flags = PEV_F_EXCLUDE_KERNEL | PEV_F_DISABLED;
		fd = pev_engine_open(engine(), &attr, 0, &why);
		if (fd < 0)
			note("cycles cannot be sampled now, so that the cpu-clock timer does it: %s",
			     kernel_reason(&why));
	} else if (!quiet) {
		note("no PMU here that pev can use, so that the cpu-clock timer takes the samples");
	}
	if (fd >= 0)
		pev_engine_close(engine(), fd);
	return fd >= 0 ? "cycles" : "cpu-clock";
}

/* Returns the registers that unwinding needs and this kernel gives. */
static uint64_t unwind_regs(void)
{
	struct pev_info info;
	struct utsname u;

	if (uname(&u) || pev_engine_info(engine(), &info, NULL))
		return 0;
	return pev_unwind_regs(u.machine) & info.regs_user;
}

static void set_stacks(struct pev_attr *a, const struct sampling *s)
{
	if (!s->chains)
		return;
	if (!(a->flags & PEV_F_EXCLUDE_KERNEL))
		a->sample |= PEV_SAMPLE_KSTACK;
	if (!(a->flags & PEV_F_EXCLUDE_USER) && s->stack_user) {
		a->sample |= PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK_DUMP;
		a->regs_user = unwind_regs();
		a->stack_user = s->stack_user;
	} else if (!(a->flags & PEV_F_EXCLUDE_USER)) {
		a->sample |= PEV_SAMPLE_USTACK;
	}
	if (a->sample & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK))
		a->max_stack = s->max_stack;
	if (s->deferred && a->sample & (PEV_SAMPLE_USTACK | PEV_SAMPLE_USTACK_DUMP))
		a->sample |= PEV_SAMPLE_COOKIE;
}

/* What brings the stacks that the others put off. */
static void set_ustack(struct pev_attr *a, const struct sampling *s)
{
	set_stacks(a, &(struct sampling){ .chains = true,
					  .max_stack = s->max_stack,
					  .stack_user = s->stack_user });
	a->sample &= ~PEV_SAMPLE_KSTACK;
	a->sample |= PEV_SAMPLE_TID | PEV_SAMPLE_PID;
	if (!(a->sample & PEV_SAMPLE_USTACK))
		a->max_stack = 0;
}

static bool has_freq(const struct planned_event *e)
{
	return e->attr.type == PEV_TYPE_TIMER || event_is_hardware(e);
}

/* Returns samples a second, and says so if they are less than usual. */
static uint64_t usual_freq(const struct event_plan *plan, const struct sampling *s)
{
	uint64_t most = engine_max_rate();
	bool used = false;

	if (!most || most >= s->usual_freq)
		return s->usual_freq;
	for (size_t i = 0; i < plan->n; i++) {
		const struct planned_event *e = &plan->events[i];

		used |= has_freq(e) && !e->attr.period && (!s->count || e->fallback);
	}
	if (used)
		note("%llu samples a second are taken, not %llu: %s allows no more",
		     (unsigned long long)most, (unsigned long long)s->usual_freq,
		     engine_rate_setting());
	return most;
}

int freq_option(void *freq, const char *arg, struct msg *m)
{
	uint64_t *hz = freq;

	if (!strcmp(arg, "max"))
		*hz = FREQ_MAX;
	else if (parse_u64(arg, hz) || !*hz)
		return msg_set(m, -EINVAL, "-F takes a whole number, 1 or more, or max, not \"%s\"", arg);
	return 0;
}

/*
 * By perf's clocks. Nothing slows these down: where a tick takes longer than the next one is away, as in many a
 * virtual machine at 100,000 a second, what is sampled stands still for ever.
 */
#define CLOCK_FREQ_MAX 10000

static bool has_perf_clock(const struct event_plan *plan)
{
	bool has = false;

	for (size_t i = 0; i < plan->n && !engine_is_pev(); i++)
		has |= plan->events[i].attr.type == PEV_TYPE_TIMER && !plan->events[i].attr.period;
	return has;
}

/* Returns the rate that the kernel allows, for timers, too. */
static uint64_t highest_freq(const struct event_plan *plan)
{
	uint64_t most = 1000000000ULL / PEV_MIN_TIMER_NS, hz = engine_max_rate();

	if (has_perf_clock(plan))
		most = CLOCK_FREQ_MAX;
	if (!hz || hz > most)
		hz = most;
	note("-F max: up to %llu samples a second", (unsigned long long)hz);
	return hz;
}

static void set_often(struct planned_event *e, const struct sampling *s)
{
	struct pev_attr *a = &e->attr;
	bool own = a->period != 0;

	if (has_freq(e)) {
		if (!own && s->count && !e->fallback) {
			a->period = s->count;
		} else if (!own) {
			a->period = s->freq;
			a->flags |= PEV_F_FREQ;
		}
		a->sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID | PEV_SAMPLE_IP;
		if (s->guests || a->flags & PEV_F_EXCLUDE_HOST)
			a->sample |= PEV_SAMPLE_GUEST;
		/* the kernel changes it as it goes */
		if (event_is_hardware(e) && (a->flags & PEV_F_FREQ))
			a->sample |= PEV_SAMPLE_PERIOD;
		return;
	}
	/* its period is the least wait that has a record, and a record's is the wait */
	if (a->type == PEV_TYPE_WAIT) {
		a->sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID | PEV_SAMPLE_PERIOD;
		return;
	}
	/* a trigger is for each time that it happens */
	if (!own)
		a->period = s->count && !(a->flags & EVENT_TRIGGERS) ? s->count : 1;
	a->sample = PEV_SAMPLE_TID;
	if (a->type == PEV_TYPE_SOFTWARE)
		a->sample |= PEV_SAMPLE_PID | PEV_SAMPLE_IP | PEV_SAMPLE_ADDR;
	if (e->place || e->probe)
		a->sample |= PEV_SAMPLE_PID | PEV_SAMPLE_IP;
	else if (a->period > 1)
		a->sample |= PEV_SAMPLE_PERIOD;
}

static void set_from(struct event_plan *plan, size_t first, const struct sampling *s)
{
	for (size_t i = first; i < plan->n; i++) {
		/* programs say what their records have */
		if (plan->events[i].attr.type == PEV_TYPE_USER)
			continue;
		if (plan->events[i].attr.type == PEV_TYPE_USTACK) {
			set_ustack(&plan->events[i].attr, s);
			continue;
		}
		set_often(&plan->events[i], s);
		set_stacks(&plan->events[i].attr, s);
		if (s->context)
			plan->events[i].attr.sample |= PEV_SAMPLE_CONTEXT;
		if (s->exits && !(plan->events[i].attr.flags & PEV_F_EXCLUDE_HOST))
			plan->events[i].attr.sample |= PEV_SAMPLE_EXIT;
	}
}

int event_plan_deferred(struct event_plan *plan, const struct sampling *s,
			const struct pev_info *info, const char *other, struct msg *m)
{
	if (!s->deferred)
		return 0;
	if (other)
		return msg_set(m, -EINVAL,
			       "--deferred writes call chains down behind the samples, and %s has "
			       "none of these: leave one of them out",
			       other);
	if (!s->chains)
		return msg_set(m, -EINVAL,
			       "--deferred says when call chains are taken, and there are none: "
			       "add -g");
	if (!engine_is_pev() || !(info->sample & PEV_SAMPLE_COOKIE))
		return msg_set(m, -ENOSYS,
			       "--deferred: %s takes call chains with the samples, and no later: "
			       "leave it out",
			       engine_is_pev() ? "this kernel's pev" : "perf_event_open(2)");
	event_plan_ustack(plan);
	return 0;
}

void event_plan_sampling(struct event_plan *plan, const struct sampling *asked)
{
	struct sampling s = *asked;

	if (s.freq == FREQ_MAX)
		s.freq = highest_freq(plan);
	else if (!s.freq)
		s.freq = usual_freq(plan, &s);
	set_from(plan, 0, &s);
}

void event_plan_sampling_more(struct event_plan *plan, size_t first, const struct sampling *s)
{
	set_from(plan, first, s);
}
