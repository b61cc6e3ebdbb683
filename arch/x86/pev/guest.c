// SPDX-License-Identifier: GPL-2.0
/*
 * Owns counters that the host lends to a virtual machine without a PMU: the callbacks of the PMU
 * core, by hypercalls, see linux/pev_guest.h of the uapi. Must not know which processor
 * the host has.
 *
 * A call costs as much as thousands of instructions, so a task switch makes two at most: one that
 * stops all counters and tells their values, one that starts them with all that changed.
 * What stands still is not stopped again, and what nobody counts by is not started.
 *
 * An NMI of the host's may come between any two instructions. In the middle of an update of the
 * core's it stops the counters, keeps their values, and leaves the rest to that update, which
 * finds out: see @interrupted.
 *
 * The first call that is refused is the last one of this CPU: a host that took its counters back,
 * or another one since the machine was moved, is asked again by cpu_start() alone.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/bitops.h>
#include <linux/cc_platform.h>
#include <linux/cpufeature.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/kvm_para.h>
#include <linux/percpu.h>
#include <linux/pev_pmu.h>
#include <linux/pev_refuse.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/hardirq.h>
#include <uapi/linux/pev_guest.h>
#include "guest.h"
#include "handler.h"
#include "rdpmc.h"

/* The host asks for a multiple of it; kmalloc() aligns a power of two to itself. */
#define AREA_SIZE	512
static_assert(sizeof(struct pev_guest_area) <= AREA_SIZE);

/**
 * struct guest_cpu - what the host lends to this CPU
 * @started:     between cpu_start() and cpu_stop()
 * @running:     counters may count: neither we nor an NMI stopped them since thaw()
 * @interrupted: by an NMI that stopped them: set there, cleared where it matters
 * @forgive_end: the host refused a call, and may have sent an NMI before: one until then is ours
 * @lent:        counters; 0 once the host has refused a call
 * @value:       while they stand still: of each
 * @seen:        of each: what the core has read or written last. Those that are lost stay there
 * @stood:       of each: how long it stood still, what the core was not told yet
 * @untold:      counters that did
 * @area:        what host and guest tell each other. @set, @event and @start gather what is new
 *               until thaw() passes it on
 *
 * Changed by its CPU alone, with interrupts off or in an NMI.
 */
struct guest_cpu {
	bool			started;
	bool			running;
	bool			interrupted;
	u64			forgive_end;
	u64			lent;
	u64			value[PEV_GUEST_COUNTERS];
	u64			seen[PEV_GUEST_COUNTERS];
	u64			stood[PEV_GUEST_COUNTERS];
	u64			untold;
	struct pev_guest_area	*area;
};

static DEFINE_PER_CPU(struct guest_cpu, guest_cpu);

static unsigned int guest_bits __ro_after_init;

#define for_each_counter(i, set) \
	for (u64 left_ = (set); left_ && ((i) = __ffs64(left_), true); left_ &= left_ - 1)

static __always_inline long call_host(enum pev_guest_op op, u64 arg)
{
	return kvm_hypercall2(PEV_GUEST_CALL, op, arg);
}

/* ---- what the host says ---- */

/* NMIs come before the machine runs on, whenever that is. */
#define FORGIVE_NS	(100 * NSEC_PER_MSEC)

/* It refused a call. */
static noinline void give_up(struct guest_cpu *c)
{
	u64 lent = c->lent;

	if (!lent)
		return;
	c->lent = 0;
	WRITE_ONCE(c->running, false);
	c->forgive_end = sched_clock() + FORGIVE_NS;
	memcpy(c->value, c->seen, sizeof(c->value));
	pev_pmu_report(PEV_PMU_PAUSED);
	pev_pmu_lose(lent);
}

/* @pmi: in an NMI, where the core may not want to hear of it. */
static noinline void tell_stood(struct guest_cpu *c, bool pmi)
{
	unsigned int i;

	for_each_counter(i, c->untold) {
		if (!pev_pmu_stood(i, c->stood[i], pmi))
			return;
		c->stood[i] = 0;
		c->untold &= ~BIT_ULL(i);
	}
}

/* The host had use for counters while they ran. */
static noinline void take_missed(struct guest_cpu *c)
{
	u64 missed = c->area->missed & c->lent;
	unsigned int i;

	if (!missed)
		return;
	for_each_counter(i, missed)
		c->stood[i] += READ_ONCE(c->area->lost[i]);
	c->untold |= missed;
	pev_pmu_report(PEV_PMU_PAUSED);
}

/* All stand still, and the area says where. */
static void take_values(struct guest_cpu *c)
{
	bool ran = c->running;
	unsigned int i;

	/* what is in @set stands where it will start */
	for_each_counter(i, c->lent & ~c->area->set)
		c->value[i] = READ_ONCE(c->area->value[i]);
	barrier();	/* the values are there once it is seen that nothing runs */
	WRITE_ONCE(c->running, false);
	if (unlikely(ran && READ_ONCE(c->area->missed)))
		take_missed(c);
}

static void stop(struct guest_cpu *c)
{
	if (call_host(PEV_GUEST_STOP, 0) < 0)
		give_up(c);
	else
		take_values(c);
}

/* ---- callbacks ---- */

static void guest_freeze(void)
{
	struct guest_cpu *c = this_cpu_ptr(&guest_cpu);

	if (READ_ONCE(c->running))
		stop(c);
	if (unlikely(c->untold))
		tell_stood(c, false);
}

static void guest_thaw(u64 active, bool user)
{
	struct guest_cpu *c = this_cpu_ptr(&guest_cpu);

	/* of an NMI in the middle of the change that ends here */
	if (unlikely(c->untold))
		tell_stood(c, false);
	active &= c->lent;
	if (!active) {
		guest_freeze();
		return;
	}
	WRITE_ONCE(c->interrupted, false);
	/* one from here on is seen below; the host reads what was gathered */
	barrier();
	if (unlikely(call_host(PEV_GUEST_START, active) < 0)) {
		give_up(c);
		return;
	}
	c->area->set = 0;
	WRITE_ONCE(c->running, true);
	barrier();
	/* an NMI came before or after that call, and the core will be back */
	if (unlikely(READ_ONCE(c->interrupted)))
		stop(c);
}

static void guest_set(unsigned int counter, u64 config)
{
	struct guest_cpu *c = this_cpu_ptr(&guest_cpu);

	c->area->event[counter] = config;
	c->area->start[counter] = c->value[counter];
	c->area->set |= BIT_ULL(counter);
}

/*
 * Without a call, and mostly without an exit. An NMI that stops all before this reads changes
 * nothing: what is told stays true, and the host answers. A host that this machine was moved to
 * does not.
 */
static bool read_register(struct guest_cpu *c, unsigned int counter, u64 *value)
{
	u64 reg = READ_ONCE(c->area->reg[counter]);

	if (!reg || x86_pev_rdpmc_safe(reg - 1, value))
		return false;
	*value = (*value - READ_ONCE(c->area->offset[counter])) &
		 GENMASK_ULL(guest_bits - 1, 0);
	return true;
}

static u64 guest_read(unsigned int counter)
{
	struct guest_cpu *c = this_cpu_ptr(&guest_cpu);
	u64 value;

	/* what will start elsewhere stands there already */
	if (READ_ONCE(c->running) && !(c->area->set >> counter & 1)) {
		long now;

		if (likely(read_register(c, counter, &value)))
			goto out;
		now = call_host(PEV_GUEST_READ, counter);
		if (likely(now >= 0)) {
			value = now;
			goto out;
		}
		give_up(c);
	}
	barrier();	/* as in take_values() */
	value = READ_ONCE(c->value[counter]);
out:
	c->seen[counter] = value;
	return value;
}

static void guest_write(unsigned int counter, u64 value)
{
	struct guest_cpu *c = this_cpu_ptr(&guest_cpu);

	value &= GENMASK_ULL(guest_bits - 1, 0);
	c->area->start[counter] = value;
	c->area->set |= BIT_ULL(counter);
	barrier();	/* an NMI keeps the value of what is in @set */
	c->value[counter] = value;
	c->seen[counter] = value;
}

/* ---- the NMI ---- */

static noinline bool forgiven(struct guest_cpu *c)
{
	u64 end = c->forgive_end;

	c->forgive_end = 0;
	return end && sched_clock() < end;
}

static int guest_nmi(unsigned int cmd, struct pt_regs *regs)
{
	struct guest_cpu *c = this_cpu_ptr(&guest_cpu);
	struct pev_pmu_sample sample = { .regs = regs };
	long answer = 0;
	u64 over;

	if (!c->started)
		return NMI_DONE;
	if (likely(c->lent)) {
		answer = call_host(PEV_GUEST_STOP, PEV_GUEST_NMI);
		if (unlikely(answer < 0))
			give_up(c);
	}
	if (unlikely(!c->lent))
		return forgiven(c) ? NMI_HANDLED : NMI_DONE;
	if (!answer)
		return NMI_DONE;

	inc_irq_stat(apic_perf_irqs);
	over = READ_ONCE(c->area->over);
	take_values(c);
	if (unlikely(c->untold))
		tell_stood(c, true);
	WRITE_ONCE(c->interrupted, true);
	/* stopped and loaded again before its NMI came */
	if (unlikely(!over))
		pev_pmu_report(PEV_PMU_LATE);
	pev_pmu_overflow(over, &sample);
	return NMI_HANDLED;
}

/* ---- a CPU gets counters ---- */

static int guest_cpu_start(void)
{
	struct guest_cpu *c = this_cpu_ptr(&guest_cpu);
	unsigned int most = hweight64(pev_pmu->present);
	struct pev_guest_area *area = c->area;
	long hello, lent;

	WRITE_ONCE(c->started, false);
	barrier();	/* an NMI from here on is not for us */
	memset(c, 0, sizeof(*c));
	memset(area, 0, AREA_SIZE);
	c->area = area;
	/* which may be another host than at boot */
	hello = call_host(PEV_GUEST_HELLO, PEV_GUEST_VERSION);
	if (hello >= 0 && PEV_GUEST_HELLO_BITS(hello) != guest_bits)
		return -ENODEV;
	lent = hello < 0 ? hello :
			   call_host(PEV_GUEST_ATTACH,
				     virt_to_phys(area) |
				     (PEV_GUEST_HELLO_VERSION(hello) > 1 ? PEV_GUEST_WHOLE : 0));
	if (lent < 0)
		return lent == -KVM_ENOSYS ? -ENODEV : lent;
	lent = clamp(lent, 1L, (long)most);
	c->lent = GENMASK_ULL(lent - 1, 0);
	if (lent < most)
		pev_pmu_lose(pev_pmu->present & ~c->lent);
	barrier();	/* all is as the handler of NMIs expects it */
	WRITE_ONCE(c->started, true);
	return 0;
}

static void guest_cpu_stop(void)
{
	struct guest_cpu *c = this_cpu_ptr(&guest_cpu);

	/* the NMI of an overflow, if there was one, comes before this returns */
	guest_freeze();
	WRITE_ONCE(c->started, false);
	barrier();	/* an NMI from here on is not for us */
	call_host(PEV_GUEST_DETACH, 0);
}

/* In an NMI a probe would be one too many. */
NOKPROBE_SYMBOL(give_up);
NOKPROBE_SYMBOL(tell_stood);
NOKPROBE_SYMBOL(take_missed);
NOKPROBE_SYMBOL(take_values);
NOKPROBE_SYMBOL(stop);
NOKPROBE_SYMBOL(guest_freeze);
NOKPROBE_SYMBOL(guest_thaw);
NOKPROBE_SYMBOL(guest_set);
NOKPROBE_SYMBOL(read_register);
NOKPROBE_SYMBOL(guest_read);
NOKPROBE_SYMBOL(guest_write);
NOKPROBE_SYMBOL(forgiven);
NOKPROBE_SYMBOL(guest_nmi);

/* ---- events ---- */

static int pick_event(const struct pev_pmu_request *req, u64 *word, struct pev_refuse *r)
{
	*word = req->config;
	if (req->type == PEV_TYPE_HARDWARE)
		return 0;
	if (req->config & ~PEV_GUEST_EVENT_CODE)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "code %#llx: no processor of a host has such bits (allowed: %#llx)",
				  req->config, PEV_GUEST_EVENT_CODE);
	*word |= PEV_GUEST_RAW;
	return 0;
}

static int pick_modes(u64 flags, u64 *word, struct pev_refuse *r)
{
	u64 guests = flags & (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST);
	u64 modes = flags & (PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL);

	if (flags & PEV_F_MARKED)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "PEV_F_MARKED: x86 processors have no mark by which they tell tasks apart");
	if (modes == (PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL) ||
	    guests == (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "the event excludes all that it could count");
	if (modes & PEV_F_EXCLUDE_USER)
		*word |= PEV_GUEST_NO_USER;
	if (modes & PEV_F_EXCLUDE_KERNEL)
		*word |= PEV_GUEST_NO_KERNEL;
	if (!guests)
		return 0;
	/* without guests of its own, there is nothing to leave out */
	if (guests == PEV_F_EXCLUDE_GUEST && !boot_cpu_has(X86_FEATURE_SVM) &&
	    !boot_cpu_has(X86_FEATURE_VMX))
		return 0;
	return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
			  "%s: the host lends counters that can't tell this machine and guests of its own apart",
			  guests == PEV_F_EXCLUDE_HOST ? "PEV_F_EXCLUDE_HOST" :
							 "PEV_F_EXCLUDE_GUEST");
}

static int guest_encode(const struct pev_pmu_request *req, struct pev_pmu_code *code,
			struct pev_refuse *r)
{
	u64 word;
	long answer;
	int err;

	err = pick_event(req, &word, r);
	err = err ?: pick_modes(req->flags, &word, r);
	if (err)
		return err;
	answer = call_host(PEV_GUEST_CHECK, word);
	if (answer == -EINVAL && req->type == PEV_TYPE_HARDWARE)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "%s: the host's counters can't count it for guests", req->name);
	if (answer == -EINVAL)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "code %#llx: the host's counters can't count it for guests",
				  req->config);
	if (answer < 0)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(type),
				  "the host that this machine runs on now lends no counters");
	code->alt[0].counters = pev_pmu->present;
	code->alt[0].config = word;
	code->period_min = max(answer, 1L);
	return 0;
}

/* ---- who has the counters ---- */

static struct nmiaction nmis = X86_PEV_NMI_ACTION(nmis, guest_nmi);

static int guest_reserve(struct pev_refuse *r)
{
	long answer = call_host(PEV_GUEST_HELLO, PEV_GUEST_VERSION);

	if (answer < 0 || !PEV_GUEST_HELLO_LENT(answer))
		return pev_refuse(r, EBUSY, PEV_FIELD(type),
				  "the host lends this guest no counters now: on the host, perfctl guest grant PID");
	return x86_pev_handle_nmis(&nmis);
}

/* A CPU without events has given its counters back. */
static void guest_release(void)
{
}

static const char *guest_holder(unsigned int counter)
{
	return NULL;
}

/* No counter can be read in user mode, and tasks have no mark. */
static void guest_grant(enum pev_pmu_grant what, struct task_struct *task, struct mm_struct *mm,
			bool on)
{
}

/* ---- registration ---- */

static const struct pev_pmu_ops guest_ops = {
	.encode		= guest_encode,
	.reserve	= guest_reserve,
	.release	= guest_release,
	.holder		= guest_holder,
	.cpu_start	= guest_cpu_start,
	.cpu_stop	= guest_cpu_stop,
	.freeze		= guest_freeze,
	.thaw		= guest_thaw,
	.set		= guest_set,
	.read		= guest_read,
	.write		= guest_write,
	.grant		= guest_grant,
};

static const char * const names[PEV_GUEST_COUNTERS] = {
	"lent0", "lent1", "lent2", "lent3", "lent4", "lent5", "lent6", "lent7",
};

static struct pev_pmu_counter counters[PEV_PMU_MAX_COUNTERS] __ro_after_init;

static struct pev_pmu guest_pmu __ro_after_init = {
	.name		= "the host's, by KVM",
	.ops		= &guest_ops,
	.counters	= counters,
};

/* Values that PEV_GUEST_READ returns are not negative; the core wants room in them. */
#define BITS_MIN	16
#define BITS_MAX	63

static bool __init describe(long hello)
{
	unsigned int most = min_t(long, PEV_GUEST_HELLO_MOST(hello), PEV_GUEST_COUNTERS);

	guest_bits = PEV_GUEST_HELLO_BITS(hello);
	if (!PEV_GUEST_HELLO_VERSION(hello) ||
	    PEV_GUEST_HELLO_VERSION(hello) > PEV_GUEST_VERSION || !most ||
	    guest_bits < BITS_MIN || guest_bits > BITS_MAX)
		return false;
	for (unsigned int i = 0; i < most; i++) {
		counters[i].name = names[i];
		counters[i].bits = guest_bits;
		counters[i].user = -1;
	}
	guest_pmu.present = GENMASK_ULL(most - 1, 0);
	return true;
}

static void __init free_areas(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		kfree(per_cpu(guest_cpu, cpu).area);
		per_cpu(guest_cpu, cpu).area = NULL;
	}
}

static int __init make_areas(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct pev_guest_area *area = kzalloc(AREA_SIZE, GFP_KERNEL);

		per_cpu(guest_cpu, cpu).area = area;
		if (!area) {
			free_areas();
			return -ENOMEM;
		}
	}
	return 0;
}

int __init x86_pev_guest_init(void)
{
	long hello;
	int err;

	/* the host could not read what it is told */
	if (!kvm_para_available() || cc_platform_has(CC_ATTR_GUEST_MEM_ENCRYPT))
		return -ENODEV;
	hello = call_host(PEV_GUEST_HELLO, PEV_GUEST_VERSION);
	if (hello < 0)
		return -ENODEV;
	if (!describe(hello)) {
		pr_info("the host lends counters in a way that is not known here: %#lx\n", hello);
		return -ENODEV;
	}
	err = make_areas();
	if (err)
		return err;
	err = pev_pmu_register(&guest_pmu);
	if (err) {
		free_areas();
		return err;
	}
	pr_info("the host lends up to %u counters\n", (unsigned int)hweight64(guest_pmu.present));
	return 0;
}
