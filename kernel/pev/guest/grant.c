// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the grants, by which guests are lent counters. What a guest does with them is lease.c's.
 *
 * Locks: pev_grants_lock has the list and each grant's leases; a lease's @lock; pev_control. In
 * this order. Calls of guests hold the first for moments only, and no memory of theirs is touched
 * under any of them.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/pev_pmu.h>
#include <linux/pev_refuse.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "base/strbuf.h"
#include "pmu/lend.h"
#include "target/machine.h"
#include "grant.h"
#include "lease.h"

static DEFINE_MUTEX(pev_grants_lock);
static LIST_HEAD(grants);

void pev_grant_put(struct pev_guest_grant *grant)
{
	if (!refcount_dec_and_test(&grant->refs))
		return;
	/* leases are no more, and so none of their guests is in the middle of reading a counter */
	pev_lending_forget();
	put_pid(grant->vmm);
	kfree(grant);
}

static struct pev_guest_grant *find(const struct pid *vmm)
{
	struct pev_guest_grant *grant;

	lockdep_assert_held(&pev_grants_lock);
	list_for_each_entry(grant, &grants, node)
		if (grant->vmm == vmm)
			return grant;
	return NULL;
}

struct pev_guest_grant *pev_grant_find(void)
{
	struct pev_guest_grant *grant;

	guard(mutex)(&pev_grants_lock);
	grant = find(task_tgid(current));
	if (grant)
		refcount_inc(&grant->refs);
	return grant;
}

bool pev_grant_add(struct pev_guest_grant *grant, struct pev_lease *lease)
{
	guard(mutex)(&pev_grants_lock);
	if (grant->closed)
		return false;
	list_add_tail(&lease->node, &grant->leases);
	grant->vcpus++;
	return true;
}

void pev_grant_remove(struct pev_guest_grant *grant, struct pev_lease *lease)
{
	guard(mutex)(&pev_grants_lock);
	if (list_empty(&lease->node))
		return;
	list_del_init(&lease->node);
	grant->vcpus--;
}

/* ---- opening ---- */

static int check_counters(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_pmu_code code;
	u64 most;
	int err;

	err = pev_lent_code(PEV_HW_INSTRUCTIONS, &code, r);
	if (err)
		return err;
	most = min_t(u64, PEV_GUEST_COUNTERS, hweight64(pev_pmu->present));
	if (attr->config < 1 || attr->config > most)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 1, most,
					"%llu counters can't be lent", attr->config);
	return 0;
}

/* Return: the process that runs a guest, with a reference. */
static struct pid *find_vmm(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct task_struct *task;
	struct pid *vmm = NULL;

	scoped_guard(rcu) {
		task = pid_task(find_vpid(attr->target_id), PIDTYPE_PID);
		if (task)
			get_task_struct(task);
	}
	if (!task)
		return ERR_PTR(pev_refuse(r, ESRCH, PEV_FIELD(target_id), "there is no process %d",
					  attr->target_id));
	if (pev_runs_machine(task))
		vmm = get_task_pid(task, PIDTYPE_TGID);
	put_task_struct(task);
	return vmm ?: ERR_PTR(pev_refuse(r, EINVAL, PEV_FIELD(target_id),
					 "process %d runs no virtual machine of KVM",
					 attr->target_id));
}

static int list_grant(struct pev_guest_grant *grant, struct pev_refuse *r)
{
	guard(mutex)(&pev_grants_lock);
	if (find(grant->vmm))
		return pev_refuse(r, EEXIST, PEV_FIELD(target_id),
				  "the guest of process %d is lent counters already", grant->nr);
	list_add_tail(&grant->node, &grants);
	return 0;
}

struct pev_guest_grant *pev_grant_open(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_guest_grant *grant;
	int err;

	if (attr->target != PEV_TARGET_GUEST)
		return ERR_PTR(pev_refuse(r, EINVAL, PEV_FIELD(target),
					  "counters are lent to PEV_TARGET_GUEST alone"));
	err = check_counters(attr, r);
	if (err)
		return ERR_PTR(err);
	grant = kzalloc(sizeof(*grant), GFP_KERNEL_ACCOUNT);
	if (!grant)
		return ERR_PTR(-ENOMEM);
	grant->vmm = find_vmm(attr, r);
	if (IS_ERR(grant->vmm)) {
		err = PTR_ERR(grant->vmm);
		goto err_free;
	}
	err = pev_lending_begin(r);
	if (err)
		goto err_pid;
	refcount_set(&grant->refs, 1);
	INIT_LIST_HEAD(&grant->leases);
	grant->nr = pid_nr(grant->vmm);
	grant->counters = attr->config;
	err = list_grant(grant, r);
	if (!err)
		return grant;
	pev_lending_end();
	pev_lending_forget();

err_pid:
	put_pid(grant->vmm);
err_free:
	kfree(grant);
	return ERR_PTR(err);
}

void pev_grant_close(struct pev_guest_grant *grant)
{
	struct pev_lease *lease, *next;

	scoped_guard(mutex, &pev_grants_lock) {
		grant->closed = true;
		list_del(&grant->node);
		list_for_each_entry_safe(lease, next, &grant->leases, node) {
			list_del_init(&lease->node);
			pev_lease_end(lease);
		}
		grant->vcpus = 0;
	}
	pev_lending_end();
	pev_grant_put(grant);
}

/* ---- what is told ---- */

void pev_grant_stat(struct pev_guest_grant *grant, struct pev_grant *stat)
{
	stat->vcpus = READ_ONCE(grant->vcpus);
	stat->calls = atomic64_read(&grant->calls);
	stat->refused = atomic64_read(&grant->refused);
	stat->overflows = atomic64_read(&grant->overflows);
	stat->nmis = atomic64_read(&grant->nmis);
	stat->missed = atomic64_read(&grant->missed);
	stat->throttled = atomic64_read(&grant->throttled);
}

bool pev_grant_ended(struct pev_guest_grant *grant, struct file *file,
		     struct poll_table_struct *wait)
{
	struct task_struct *leader;

	poll_wait(file, &grant->vmm->wait_pidfd, wait);
	guard(rcu)();
	leader = pid_task(grant->vmm, PIDTYPE_TGID);
	return !leader || (READ_ONCE(leader->exit_state) && thread_group_empty(leader));
}

void pev_grants_text(struct pev_strbuf *text)
{
	struct pev_guest_grant *grant;

	guard(mutex)(&pev_grants_lock);
	list_for_each_entry(grant, &grants, node)
		pev_strbuf_printf(text,
				  "grant %d counters %u vcpus %u calls %lld refused %lld overflows %lld missed %lld throttled %lld\n",
				  grant->nr, grant->counters, grant->vcpus,
				  atomic64_read(&grant->calls), atomic64_read(&grant->refused),
				  atomic64_read(&grant->overflows), atomic64_read(&grant->missed),
				  atomic64_read(&grant->throttled));
}
