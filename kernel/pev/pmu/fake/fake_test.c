// SPDX-License-Identifier: GPL-2.0
/* Owns a PMU without hardware, for tests of the core, and the events that they open. */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/pev_refuse.h>
#include <linux/rculist.h>
#include "base/lock.h"
#include "event/event.h"
#include "pmu/pmu.h"
#include "target/sync.h"
#include "fake_test.h"

struct pev_fake pev_fake;
DEFINE_PER_CPU(struct pev_fake_cpu, pev_fake_cpus);

/* The CPU in a call that may only come while its registers are the core's. */
static struct pev_fake_cpu *fake_here(void)
{
	struct pev_fake_cpu *cpu = this_cpu_ptr(&pev_fake_cpus);

	if (!cpu->ours)
		atomic_inc(&pev_fake.strays);
	return cpu;
}

static int fake_encode(const struct pev_pmu_request *req, struct pev_pmu_code *code,
		       struct pev_refuse *r)
{
	if (req->type != PEV_TYPE_RAW)
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config), "the fake has no such event");
	pev_fake.words[0] = req->config1;
	pev_fake.words[1] = req->config2;
	code->period_min = 2;
	if (req->config == FIXED_CODE) {
		code->alt[0].counters = FIXED;
		code->alt[0].config = 1;
		return 0;
	}
	/* the third one the distances of overflows, the second the counters */
	code->period_low = req->config >> 16 & 0xff;
	code->alt[0].counters = req->config >> 8 & ANY ?: ANY;
	code->alt[0].config = req->config & 0xff;
	return 0;
}

static int fake_reserve(struct pev_refuse *r)
{
	if (pev_fake.holder)
		return pev_refuse(r, EBUSY, PEV_NO_FIELD, "%s has the counters",
				  pev_fake.holder);
	return 0;
}

static void fake_release(void) { }

static const char *fake_holder(unsigned int counter)
{
	return pev_fake.holder;
}

static int fake_cpu_start(void)
{
	struct pev_fake_cpu *cpu = this_cpu_ptr(&pev_fake_cpus);

	if (pev_fake.gone)
		return -ENODEV;
	memset(cpu, 0, sizeof(*cpu));
	cpu->frozen = true;
	cpu->ours = true;
	/* what another owner left behind */
	for (unsigned int i = 0; i < COUNTERS; i++)
		cpu->value[i] = 0xabcde;
	if (pev_fake.broken)
		pev_pmu_lose(pev_fake.broken);
	return 0;
}

static void fake_cpu_stop(void)
{
	fake_here()->ours = false;
}

static void fake_freeze(void)
{
	struct pev_fake_cpu *cpu = fake_here();
	struct pev_pmu_sample sample = { };
	u64 pmi = cpu->pmi_in_freeze;

	cpu->frozen = true;
	cpu->freezes++;
	cpu->pmi_in_freeze = 0;
	if (pmi)
		pev_pmu_overflow(pmi, &sample);
}

static void fake_thaw(u64 active, bool user)
{
	struct pev_fake_cpu *cpu = fake_here();

	cpu->active = active;
	cpu->frozen = false;
	cpu->thaws++;
}

static void fake_set(unsigned int counter, u64 config)
{
	struct pev_fake_cpu *cpu = fake_here();

	WARN_ON_ONCE(!cpu->frozen);
	cpu->config[counter] = config;
	cpu->sets++;
}

static u64 fake_read(unsigned int counter)
{
	return fake_here()->value[counter];
}

static void fake_write(unsigned int counter, u64 value)
{
	struct pev_fake_cpu *cpu = fake_here();

	WARN_ON_ONCE(!cpu->frozen);
	cpu->value[counter] = value & (LAP - 1);
	cpu->overflow &= ~BIT_ULL(counter);
	cpu->writes++;
}

static void fake_grant(enum pev_pmu_grant what, struct task_struct *task,
		       struct mm_struct *mm, bool on)
{
}

static const struct pev_pmu_ops fake_ops = {
	.encode		= fake_encode,
	.reserve	= fake_reserve,
	.release	= fake_release,
	.holder		= fake_holder,
	.cpu_start	= fake_cpu_start,
	.cpu_stop	= fake_cpu_stop,
	.freeze		= fake_freeze,
	.thaw		= fake_thaw,
	.set		= fake_set,
	.read		= fake_read,
	.write		= fake_write,
	.grant		= fake_grant,
};

static const struct pev_pmu_counter fake_counters[PEV_PMU_MAX_COUNTERS] = {
	{ "general0", BITS, -1 }, { "general1", BITS, -1 }, { "general2", BITS, -1 },
	{ "general3", BITS, -1 }, { "fixed", BITS, -1 },
};

static const struct pev_pmu fake_pmu = {
	.name		= "fake",
	.ops		= &fake_ops,
	.present	= ANY | FIXED,
	.counters	= fake_counters,
	.config1	= 0xff,
	.config2	= BIT_ULL(63),
};

/* @units of work on this CPU; the PMI comes at the end of it. Interrupts off. */
void pev_fake_work_off(u64 units)
{
	const struct pev_pmu_sample sample = { .regs = pev_fake.regs, .addr = pev_fake.addr };
	struct pev_fake_cpu *cpu = this_cpu_ptr(&pev_fake_cpus);
	u64 overflow;

	if (cpu->frozen)
		return;
	for (unsigned int i = 0; i < COUNTERS; i++) {
		if (!(cpu->active & BIT_ULL(i)))
			continue;
		cpu->value[i] += units * cpu->config[i];
		if (cpu->value[i] >= LAP)
			cpu->overflow |= BIT_ULL(i);
		cpu->value[i] &= LAP - 1;
	}
	overflow = cpu->overflow;
	cpu->overflow = 0;
	if (overflow && !cpu->deaf) {
		cpu->frozen = true;
		pev_pmu_overflow(overflow, &sample);
	}
}

int pev_fake_init(struct kunit *test)
{
	struct pev_fake_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	pev_fake.holder = NULL;
	pev_fake.gone = false;
	pev_fake.broken = 0;
	pev_fake.regs = NULL;
	pev_fake.addr = 0;
	atomic_set(&pev_fake.strays, 0);
	if (pev_pmu_register(&fake_pmu))
		kunit_skip(test, "this machine has a PMU of its own");
	test->priv = rig;
	return 0;
}

void pev_fake_exit(struct kunit *test)
{
	struct pev_fake_rig *rig = test->priv;

	if (!rig)
		return;
	while (rig->nr)
		pev_event_close(rig->events[--rig->nr]);
	pev_event_reap_sync();
	pev_pmu_unregister(&fake_pmu);
	KUNIT_EXPECT_EQ(test, atomic_read(&pev_fake.strays), 0);
}

static struct pev_event *create(struct kunit *test, struct pev_request *req)
{
	struct pev_fake_rig *rig = test->priv;
	struct pev_refuse r = { };
	struct pev_event *event = pev_event_create(req, &r);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "%s", r.text);
	rig->events[rig->nr++] = event;
	return event;
}

struct pev_event *pev_fake_sample(struct kunit *test, struct pev_channel *channel, u64 period,
				  u64 flags, u64 sample)
{
	struct pev_request req = {
		.attr = {
			.type		= PEV_TYPE_RAW,
			.target		= PEV_TARGET_CPUS,
			.config		= 1,
			.flags		= flags | PEV_F_DISABLED,
			.sample		= sample,
			.regs_user	= sample & PEV_SAMPLE_UREGS ? 1 : 0,
			.period		= period,
			/* what it is was found before */
			.channel_fd	= 0,
			.group_fd	= -1,
		},
		.channel = channel,
		.kernel = true,
	};

	return create(test, &req);
}

struct pev_event *pev_fake_open(struct kunit *test, u64 code, u64 flags,
				struct pev_event *leader)
{
	struct pev_request req = {
		.attr = {
			.type		= PEV_TYPE_RAW,
			.target		= PEV_TARGET_CPUS,
			.config		= code,
			.flags		= flags | PEV_F_DISABLED,
			.channel_fd	= -1,
			.group_fd	= -1,
		},
	};
	struct pev_event *event = create(test, &req);

	if (leader) {
		/* what join_group() does with an fd */
		mutex_lock(&pev_control);
		event->leader = leader;
		list_add_tail_rcu(&event->group_node, &leader->siblings);
		mutex_unlock(&pev_control);
	}
	return event;
}

void pev_fake_switch(struct kunit *test, bool on)
{
	struct pev_fake_rig *rig = test->priv;

	mutex_lock(&pev_control);
	for (unsigned int i = 0; i < rig->nr; i++)
		WRITE_ONCE(rig->events[i]->state, on ? PEV_EVENT_ON : PEV_EVENT_OFF);
	pev_target_sync(rig->events, rig->nr);
	mutex_unlock(&pev_control);
}

void pev_fake_work(u64 units)
{
	unsigned long flags;

	local_irq_save(flags);
	pev_fake_work_off(units);
	local_irq_restore(flags);
}

void pev_fake_nap(void (*meanwhile)(void))
{
	unsigned long flags;

	/* as syscore_suspend() and syscore_resume() are called */
	local_irq_save(flags);
	pev_pmu_suspend(NULL);
	if (meanwhile)
		meanwhile();
	pev_pmu_resume(NULL);
	local_irq_restore(flags);
}
