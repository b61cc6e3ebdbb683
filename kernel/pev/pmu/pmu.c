// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the machine's PMU as a whole: which backend drives it, when it is ours,
 * and hardware events as objects. Which of them counts when is pmu/sched.c's; those that
 * perf counts are pmu/perf_source.c's.
 *
 * Locks: pev_control, then cpus_read_lock.
 */
#include <kunit/visibility.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/nospec.h>
#include <linux/pev_refuse.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/syscore_ops.h>
#include <linux/sysctl.h>
#include "base/hooks.h"
#include "base/lock.h"
#include "base/paranoid.h"
#include "base/rate.h"
#include "base/strbuf.h"
#include "base/task.h"
#include "base/work.h"
#include "glue/linux.h"
#include "source/list.h"
#include "target/commit.h"
#include "target/target.h"
#include "assign.h"
#include "choose.h"
#include "lend.h"
#include "names.h"
#include "page.h"
#include "perf_counter.h"
#include "perf_source.h"
#include "pmu.h"
#include "sample.h"
#include "sched.h"
#include "status.h"

/* see pmu.h */
const struct pev_pmu *pev_pmu;

static const char *hardware_name(u64 config)
{
	return pev_hardware_names[array_index_nospec(config, PEV_HW_MAX)];
}

#define DOMAINS	(PEV_F_EXCLUDE_USER | PEV_F_EXCLUDE_KERNEL | PEV_F_EXCLUDE_HV | \
		 PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST | PEV_F_MARKED)

/* ---- backends ---- */

int pev_pmu_register(const struct pev_pmu *pmu)
{
	guard(mutex)(&pev_control);
	if (pev_pmu)
		return -EBUSY;
	pev_pmu = pmu;
	pev_pmu_cpu_ops(pmu->ops);
	return 0;
}

void pev_pmu_unregister(const struct pev_pmu *pmu)
{
	guard(mutex)(&pev_control);
	if (pev_pmu != pmu)
		return;
	pev_pmu_cpu_ops(NULL);
	pev_pmu = NULL;
}

/* ---- is the PMU ours? ---- */

/* Hardware events that are connected; under pev_control. */
static unsigned int users;
/* Set before the first event is there, and so before a CPU starts its PMU. */
static bool ours;

bool pev_pmu_is_ours(void)
{
	return READ_ONCE(ours);
}

static void cpu_stop_here(void *unused)
{
	pev_pmu_cpu_stop();
}

/*
 * Of each event, before pev_control is taken, and given back after it: text is patched, and other
 * hooks' grace periods may be waited for.
 */
PEV_KEY_HOOK(commits, &pev_commit_key);

/*
 * The PMU of a CPU starts when the first event does there, and only those that have are stopped:
 * others have nothing to do with it.
 */
static int pmu_get(struct pev_refuse *r)
{
	int err;

	lockdep_assert_held(&pev_control);

	if (users++)
		return 0;
	err = pev_pmu->ops->reserve(r);
	if (err) {
		users--;
		return err;
	}
	pev_pmi_clock_init();
	WRITE_ONCE(ours, true);
	return 0;
}

static void pmu_put(void)
{
	lockdep_assert_held(&pev_control);

	if (--users)
		return;
	/* a CPU that went offline in between would stop nothing, and be met by no interrupt */
	cpus_read_lock();
	WRITE_ONCE(ours, false);
	on_each_cpu_cond(pev_pmu_cpu_is_started, cpu_stop_here, NULL, 1);
	cpus_read_unlock();
	pev_pmu->ops->release();
}

static int pmu_cpu_offline(unsigned int cpu)
{
	guard(irqsave)();
	if (ours)
		pev_pmu_cpu_stop();
	return 0;
}

/* The last CPU, with interrupts off; the others went offline before. */
VISIBLE_IF_KUNIT int pev_pmu_suspend(void *data)
{
	if (ours)
		pev_pmu_cpu_stop();
	return 0;
}

VISIBLE_IF_KUNIT void pev_pmu_resume(void *data)
{
	if (ours)
		pev_pmu_cpu_start();
}

static const struct syscore_ops pmu_syscore_ops = {
	.suspend	= pev_pmu_suspend,
	.resume		= pev_pmu_resume,
};

static struct syscore pmu_syscore = { .ops = &pmu_syscore_ops };

static const int rotate_min = 100;
static const int rotate_max = 1000000;

static struct ctl_table pmu_sysctls[] = {
	{
		.procname	= "pev_rotate_us",
		.data		= &sysctl_pev_rotate_us,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= (void *)&rotate_min,
		.extra2		= (void *)&rotate_max,
	},
};

static struct ctl_table_header *sysctls;
static int online_state;

/* Before target.c's: events find the PMU there until a CPU goes. */
static int pmu_setup(void)
{
	int err = pev_pmu_choose_setup();

	if (err)
		return err;
	pev_pmu_cpu_init();
	sysctls = register_sysctl("kernel", pmu_sysctls);
	if (!sysctls) {
		err = -ENOMEM;
		goto err_choose;
	}
	online_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pev:pmu", NULL,
					 pmu_cpu_offline);
	if (online_state < 0) {
		err = online_state;
		goto err_sysctls;
	}
	register_syscore(&pmu_syscore);
	return 0;

err_sysctls:
	unregister_sysctl_table(sysctls);
err_choose:
	pev_pmu_choose_teardown();
	return err;
}

static void __pev_teardown pmu_teardown(void)
{
	pev_perf_counters_teardown();
	unregister_syscore(&pmu_syscore);
	cpuhp_remove_state(online_state);
	unregister_sysctl_table(sysctls);
	pev_pmu_choose_teardown();
}

/* ---- the mark: a task has one bit, so only one target can be marked ---- */

static unsigned int pmm_users;
static u32 pmm_target;
static struct pid *pmm_pid;

PEV_KEY_HOOK(marks, &pev_pmm_key);

static void pmm_task(struct task_struct *task, bool on)
{
	if (pev_task_is_user(task))
		pev_pmu->ops->grant(PEV_PMU_GRANT_MARK, task, NULL, on);
}

static int pmm_get(struct pev_event *event, struct pev_refuse *r)
{
	struct pev_hw_event *hw = event->private;

	lockdep_assert_held(&pev_control);

	if (!(event->flags & PEV_F_MARKED))
		return 0;
	if (pmm_users && (pmm_target != event->target || pmm_pid != hw->pmm))
		return pev_refuse(r, EBUSY, PEV_FIELD(flags),
				  "the processor has one mark, and another target has it: its tasks could not be told from those of this one");
	if (!pmm_users++) {
		pmm_target = event->target;
		pmm_pid = get_pid(hw->pmm);
	}
	/* tasks that run now may have been attached earlier, or have the mark of before */
	pev_target_refresh(NULL);
	return 0;
}

static void pmm_put(struct pev_event *event)
{
	lockdep_assert_held(&pev_control);

	if (!(event->flags & PEV_F_MARKED) || --pmm_users)
		return;
	put_pid(pmm_pid);
	pmm_pid = NULL;
}

/* ---- events ---- */

/* Check a label: records, texts and metadata show it. */
static int check_label(const char *label, struct pev_refuse *r)
{
	if (!*label)
		return pev_refuse(r, EINVAL, PEV_FIELD(name), "the name is empty");
	if (!pev_is_label(label))
		return pev_refuse(r, EINVAL, PEV_FIELD(name),
				  "a name is of printable ASCII characters without blanks, quotes and backslashes");
	return 0;
}

static int event_label(struct pev_event *event, const struct pev_attr *attr,
		       struct pev_refuse *r)
{
	if (event->name)
		return check_label(event->name, r);
	if (attr->type == PEV_TYPE_HARDWARE && attr->pmu != PEV_PMU_CORE)
		event->name = kasprintf(GFP_KERNEL_ACCOUNT, "%s/pmu=%u/",
					hardware_name(attr->config), attr->pmu);
	else if (attr->type == PEV_TYPE_HARDWARE)
		event->name = kstrdup(hardware_name(attr->config), GFP_KERNEL_ACCOUNT);
	else if (attr->pmu != PEV_PMU_CORE)
		event->name = kasprintf(GFP_KERNEL_ACCOUNT,
					"r%llx/config1=0x%llx,config2=0x%llx,pmu=%u/",
					attr->config, attr->config1, attr->config2, attr->pmu);
	else if (!attr->config1 && !attr->config2)
		event->name = kasprintf(GFP_KERNEL_ACCOUNT, "r%llx", attr->config);
	else
		event->name = kasprintf(GFP_KERNEL_ACCOUNT,
					"r%llx/config1=0x%llx,config2=0x%llx/",
					attr->config, attr->config1, attr->config2);
	return event->name ? 0 : -ENOMEM;
}

bool pev_hw_may_take_cpus(const struct pev_event *event)
{
	return event->privileged || pev_paranoid_level() < PEV_PARANOID_MACHINE;
}

static int check_marked(const struct pev_event *event, struct pev_refuse *r)
{
	if (!(event->flags & PEV_F_MARKED))
		return 0;
	if (!(pev_pmu->features & PEV_PMU_MARKS))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "this processor has no mark for tasks: do without PEV_F_MARKED");
	if (!pev_targets_task(event))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "PEV_F_MARKED is for tasks, processes and subtrees");
	if (!pev_hw_may_take_cpus(event))
		return pev_refuse(r, EACCES, PEV_FIELD(flags),
				  "the processor has one mark, and what counts by it takes counters from others on all CPUs, which needs CAP_PERFMON: %s is %d",
				  pev_paranoid_name(), pev_paranoid_level());
	return 0;
}

static int check_sampling(struct pev_event *event, const struct pev_attr *attr,
			  const struct pev_pmu_code *code, struct pev_refuse *r)
{
	u64 rate = READ_ONCE(sysctl_pev_max_sample_rate);

	if (attr->channel_fd < 0)
		return 0;
	if (attr->flags & PEV_F_FREQ) {
		if (attr->period > rate)
			return pev_refuse_range(r, EINVAL, PEV_FIELD(period), 1, rate,
						"%llu samples a second are more than kernel.pev_max_sample_rate allows",
						attr->period);
		return 0;
	}
	if (attr->period < code->period_min)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(period), code->period_min, S64_MAX,
					"this processor can't sample every %llu occurrences",
					attr->period);
	return 0;
}

static int check_word(u64 word, u64 known, u32 field, const char *name, struct pev_refuse *r)
{
	if (!(word & ~known))
		return 0;
	return pev_refuse(r, EINVAL, field,
			  "%s 0x%llx has bits that this PMU has no meaning for: it knows 0x%llx",
			  name, word, known);
}

int pev_pmu_encode(const struct pev_pmu_request *asked, struct pev_pmu_code *code,
		   struct pev_refuse *r)
{
	struct pev_pmu_request req = *asked;
	int err;

	if (!pev_pmu)
		return pev_refuse(r, ENODEV, PEV_FIELD(type),
				  PEV_NO_PMU ": timers and software counters work everywhere");
	err = check_word(req.config1, pev_pmu->config1, PEV_FIELD(config1), "config1", r);
	err = err ?: check_word(req.config2, pev_pmu->config2, PEV_FIELD(config2), "config2", r);
	if (err)
		return err;
	req.flags &= DOMAINS;
	if (req.type == PEV_TYPE_HARDWARE) {
		/* backends look it up in tables, and a guest may have chosen it */
		req.config = array_index_nospec(req.config, PEV_HW_MAX);
		req.name = pev_hardware_names[req.config];
	}
	return pev_pmu->ops->encode(&req, code, r);
}

static int encode_attr(const struct pev_attr *attr, struct pev_pmu_code *code,
		       struct pev_refuse *r)
{
	struct pev_pmu_request asked = {
		.type		= attr->type,
		.config		= attr->config,
		.config1	= attr->config1,
		.config2	= attr->config2,
		.flags		= attr->flags,
	};

	return pev_pmu_encode(&asked, code, r);
}

/* Return: the pid to mark: the thread's, or its process's whatever thread was named. */
static struct pid *marked_pid(const struct pev_attr *attr)
{
	enum pid_type type = attr->target == PEV_TARGET_TASK ? PIDTYPE_PID : PIDTYPE_TGID;
	struct task_struct *task;
	struct pid *pid = NULL;

	rcu_read_lock();
	task = attr->target_id ? pid_task(find_vpid(attr->target_id), PIDTYPE_PID) : current;
	if (task)
		pid = get_task_pid(task, type);
	rcu_read_unlock();
	return pid;
}

int pev_hw_slots_make(struct pev_hw_event *hw)
{
	struct pev_event *event = hw->event;
	unsigned int cpu;

	hw->percpu = alloc_percpu_gfp(struct pev_hw_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!hw->percpu)
		return -ENOMEM;

	for_each_possible_cpu(cpu) {
		struct pev_hw_cpu *s = per_cpu_ptr(hw->percpu, cpu);

		s->ec = per_cpu_ptr(event->percpu, cpu);
		s->event = event;
		s->counter = -1;
		s->last = -1;
		s->paged = hw->page;
		INIT_LIST_HEAD(&s->node);
		pev_period_init(&s->period, event->flags & PEV_F_FREQ ? hw->code.period_min :
									event->period);
	}
	return 0;
}

static void hw_close(struct pev_event *event)
{
	struct pev_hw_event *hw = event->private;

	if (!hw)
		return;
	pev_pmu_page_free(hw);
	put_pid(hw->pmm);
	free_percpu(hw->percpu);
	kfree(hw->where);
	kfree(hw);
	event->private = NULL;
}

/* What pev's own backend counts for it. */
static int own_code(const struct pev_event *event, const struct pev_attr *attr,
		    struct pev_hw_event *hw, struct pev_refuse *r)
{
	int err = encode_attr(attr, &hw->code, r);

	return err ?: check_marked(event, r);
}

/* Where perf has no counters either, say who holds them, or that there are none. */
static bool counts_by_perf(void)
{
	bool can = pev_perf_hardware() || (pev_pmu && pev_pmu_only_perf());

	guard(mutex)(&pev_control);
	return can && pev_pmu_by_perf();
}

/* What pev's own driver does not have at all. Return: 1: perf counts it; 0; negative errno */
static int choose_driver(const struct pev_attr *attr, struct pev_refuse *r)
{
	bool other = attr->pmu != PEV_PMU_CORE;

	if (attr->flags & PEV_F_PRECISE_ALL && attr->channel_fd < 0)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "PEV_F_PRECISE is for the addresses of samples: an event that only counts has none");
	if (!other && !(attr->flags & PEV_F_PRECISE_ALL))
		return counts_by_perf();
	if (!pev_pmu_only_own())
		return 1;
	if (other)
		return pev_refuse(r, ENODEV, PEV_FIELD(pmu),
				  "there is no PMU %u of pev's own driver, but PMU %u alone: others take kernel.pev_pmu=auto",
				  attr->pmu, PEV_PMU_CORE);
	return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
			  "pev's own driver has no exact addresses: PEV_F_PRECISE takes kernel.pev_pmu=auto");
}

static int hw_open(struct pev_event *event, const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_hw_event *hw;
	int err, by_perf;

	if (attr->type == PEV_TYPE_HARDWARE && attr->config >= PEV_HW_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_HW_MAX - 1,
					"there is no hardware event %llu", attr->config);
	by_perf = choose_driver(attr, r);
	if (by_perf < 0)
		return by_perf;
	hw = kzalloc(sizeof(*hw), GFP_KERNEL_ACCOUNT);
	if (!hw)
		return -ENOMEM;
	hw->event = event;
	event->private = hw;
	err = event_label(event, attr, r);
	if (!err)
		err = by_perf ? pev_perf_event_code(attr, hw, event->name, r) :
				own_code(event, attr, hw, r);
	err = err ?: check_sampling(event, attr, &hw->code, r);
	err = err ?: pev_pmu_page_make(hw, attr, r);
	err = err ?: pev_hw_slots_make(hw);
	if (err) {
		hw_close(event);
		return err;
	}
	if (attr->flags & PEV_F_MARKED)
		hw->pmm = marked_pid(attr);
	if (by_perf)
		event->ops = &pev_perf_source;
	return 0;
}

static void name_events(struct seq_buf *text, struct pev_event **members, u64 events)
{
	const char *sep = "";
	u64 rest;

	for (; events; events = rest) {
		rest = events & (events - 1);
		seq_buf_printf(text, "%s%s", sep, members[__ffs64(events)]->name);
		sep = rest & (rest - 1) ? ", " : " and ";
	}
}

static int refuse_group(struct pev_event **members, const struct pev_pmu_conflict *conflict,
			struct pev_refuse *r)
{
	char buf[200];
	struct seq_buf text;
	u64 left;

	seq_buf_init(&text, buf, sizeof(buf));
	name_events(&text, members, conflict->events);
	if (!conflict->counters)
		return pev_refuse(r, EINVAL, PEV_FIELD(group_fd),
				  "the group can never count: %s need the same unit of the processor in different ways",
				  seq_buf_str(&text));
	seq_buf_printf(&text, " need %u counters, but only",
		       (unsigned int)hweight64(conflict->events));
	for (left = conflict->counters; left; left &= left - 1)
		seq_buf_printf(&text, " %s", pev_pmu->counters[__ffs64(left)].name);
	return pev_refuse(r, EINVAL, PEV_FIELD(group_fd),
			  "the group can never count: %s can count them", seq_buf_str(&text));
}

/* Can all of ours count at the same time? If not, the group never counts. */
static int check_group(struct pev_event *event, struct pev_refuse *r)
{
	const struct pev_pmu_code *codes[PEV_PMU_MAX_EVENTS];
	struct pev_event *members[PEV_PMU_MAX_EVENTS];
	struct pev_event *leader = event->leader, *member;
	s8 counters[PEV_PMU_MAX_EVENTS];
	struct pev_pmu_conflict conflict;
	unsigned int nr = 0;

	lockdep_assert_held(&pev_control);

	if (pev_has_code(leader))
		members[nr++] = leader;
	list_for_each_entry(member, &leader->siblings, group_node) {
		if (!pev_has_code(member) || !pev_hw_joined(member, event))
			continue;
		if (nr == PEV_PMU_MAX_EVENTS)
			return pev_refuse(r, EINVAL, PEV_FIELD(group_fd),
					  "the group can never count: there are %u counters",
					  (unsigned int)hweight64(pev_pmu->present));
		members[nr++] = member;
	}
	for (unsigned int i = 0; i < nr; i++) {
		struct pev_hw_event *hw = members[i]->private;

		codes[i] = &hw->code;
		counters[i] = -1;
	}
	if (pev_pmu_assign(codes, counters, nr, pev_pmu->present, &conflict))
		return 0;
	return refuse_group(members, &conflict, r);
}

static int connect(struct pev_event *event, struct pev_refuse *r)
{
	struct pev_hw_event *hw = event->private;
	int err;

	guard(mutex)(&pev_control);
	err = pev_perf_check_group(event, r);
	err = err ?: check_group(event, r);
	if (err)
		return err;
	err = pmm_get(event, r);
	if (err)
		return err;
	err = pmu_get(r);
	if (err)
		pmm_put(event);
	else
		hw->joined = true;
	return err;
}

/* None can fail. */
static void hooks_get(const struct pev_event *event)
{
	pev_hook_get(&commits);
	if (event->flags & PEV_F_MARKED)
		pev_hook_get(&marks);
}

static void hooks_put(const struct pev_event *event)
{
	if (event->flags & PEV_F_MARKED)
		pev_hook_put(&marks);
	pev_hook_put(&commits);
}

static int hw_hook(struct pev_event *event, struct pev_refuse *r)
{
	int err;

	hooks_get(event);
	err = connect(event, r);
	if (err)
		hooks_put(event);
	return err;
}

static void hw_unhook(struct pev_event *event)
{
	scoped_guard(mutex, &pev_control) {
		pmm_put(event);
		pmu_put();
	}
	hooks_put(event);
}

static int hold(struct pev_refuse *r)
{
	guard(mutex)(&pev_control);
	return pmu_get(r);
}

int pev_pmu_hold(struct pev_refuse *r)
{
	int err;

	pev_hook_get(&commits);
	err = hold(r);
	if (err)
		pev_hook_put(&commits);
	return err;
}

void pev_pmu_unhold(void)
{
	scoped_guard(mutex, &pev_control)
		pmu_put();
	pev_hook_put(&commits);
}

static int hw_period(struct pev_event *event, u64 period)
{
	struct pev_hw_event *hw = event->private;

	if (event->flags & PEV_F_FREQ ? period > READ_ONCE(sysctl_pev_max_sample_rate) :
					period < hw->code.period_min)
		return -ERANGE;
	WRITE_ONCE(event->period, period);
	WRITE_ONCE(hw->changes, hw->changes + 1);
	return 0;
}

static const struct cpumask *perf_where(const struct pev_event *event)
{
	const struct pev_hw_event *hw = event->private;

	return hw->where;
}

#define ANY_SOURCE						\
	.type		= "hardware",				\
	.flags		= PEV_HARDWARE_FLAGS | PEV_F_FREQ,	\
	.shows		= PEV_SHOWS_KERNEL_COUNT,		\
	.weight		= 24,					\
	.open		= hw_open,				\
	.close		= hw_close,				\
	.period		= hw_period,				\
	.multiplexed	= pev_pmu_read_multiplexed

#define HW_SOURCE						\
	ANY_SOURCE,						\
	.hook		= hw_hook,				\
	.unhook		= hw_unhook,				\
	.start		= pev_pmu_event_start,			\
	.stop		= pev_pmu_event_stop,			\
	.fold		= pev_pmu_event_fold,			\
	.reset		= pev_pmu_event_reset,			\
	.retime		= pev_pmu_event_retime,			\
	.mmap		= pev_pmu_page_map

/* By what it means on any processor; speaks for both where there is one answer. */
const struct pev_source_ops pev_pmu_source = {
	HW_SOURCE,
	.attrs		= PEV_ATTR_CONFIG | PEV_ATTR_PMU | PEV_ATTR_NAME,
	.setup		= pmu_setup,
	.teardown	= __exit_p(pmu_teardown),
	.commit		= pev_pmu_commit,
	.mark		= pmm_task,
	.arrive		= pev_pmu_cpu_arrive,
	.info		= pev_pmu_info,
	.catalog	= pev_pmu_catalog,
};

/* By the processor's own code. */
const struct pev_source_ops pev_raw_source = {
	HW_SOURCE,
	.attrs		= PEV_ATTR_CONFIG | PEV_ATTR_WORDS | PEV_ATTR_PMU | PEV_ATTR_NAME,
};

/* Of a guest that is lent a counter: in no table, as the kernel alone opens it. */
const struct pev_source_ops pev_lent_source = {
	.type		= "guest",
	.flags		= PEV_HARDWARE_FLAGS,
	.weight		= 24,
	.open		= pev_lent_event_open,
	.close		= hw_close,
	.hook		= hw_hook,
	.unhook		= hw_unhook,
	.start		= pev_lent_event_start,
	.stop		= pev_lent_event_stop,
	.fold		= pev_pmu_event_fold,
	.reset		= pev_pmu_event_reset,
};

/* Either of them, where perf counts: it is in no table, as hw_open() chooses it. */
const struct pev_source_ops pev_perf_source = {
	ANY_SOURCE,
	.hook		= pev_perf_event_hook,
	.unhook		= pev_perf_event_unhook,
	.start		= pev_perf_event_start,
	.stop		= pev_perf_event_stop,
	.fold		= pev_perf_event_fold,
	.reset		= pev_perf_event_reset,
	.retime		= pev_perf_event_retime,
	.where		= perf_where,
};
