// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the tracepoint sched_prepare_exec on Linux 6.1, which has none: an exec can no longer
 * fail, and the task is as it was. There it is behind bprm_creds_from_file(), in which
 * security_bprm_creds_from_file() is the last that may fail, and is called for nothing else.
 *
 * What function tracing calls can't know what the function will return. So the callback
 * redirects it, as a live patch does, to a function that calls the original. See also
 * module/watch.c.
 *
 * Locks: exec_lock keeps whether it is redirected; not held in exec.
 */
#define PEV_OLDER
#include <linux/binfmts.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/security.h>
#include <linux/static_call.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include "module/older/6.1/exec.h"
#include "module/resolve.h"
#include "module/traced.h"

DEFINE_TRACE(sched_prepare_exec, PARAMS(struct task_struct *task, struct linux_binprm *bprm),
	     PARAMS(task, bprm));

static DEFINE_MUTEX(exec_lock);
/* Probes at the tracepoint. */
static unsigned int probes;

DEFINE_STATIC_CALL_NULL(pev_creds_from_file, security_bprm_creds_from_file);

static int exec_creds(struct linux_binprm *bprm, struct file *file)
{
	int err = static_call(pev_creds_from_file)(bprm, file);

	if (!err)
		trace_sched_prepare_exec(current, bprm);
	module_put(THIS_MODULE);
	return err;
}

static void notrace trace_creds(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
				struct ftrace_regs *regs)
{
	if (within_module(parent, THIS_MODULE))
		return;
	/*
	 * An exec may stand still in a file system of a user's own, for as long as he likes. So the
	 * module is in use meanwhile, which rmmod says, where it would wait otherwise. One that is
	 * about to go has no event.
	 */
	if (!try_module_get(THIS_MODULE))
		return;
	ftrace_regs_set_instruction_pointer(regs, (unsigned long)exec_creds);
}

static struct pev_traced execs = {
	.nothing = pev_nothing_executed,
	.ops = {
		.func	= trace_creds,
		.flags	= PEV_TRACED_FLAGS | FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS,
	},
};

static int redirect(void)
{
	unsigned long function = pev_address_of_security_bprm_creds_from_file();

	static_call_update(pev_creds_from_file,
			   (typeof(security_bprm_creds_from_file) *)function);
	return pev_traced_on(&execs, function);
}

void pev_older_exec_teardown(void)
{
	pev_traced_teardown(&execs);
	/* the last instructions of exec_creds(), and behind it */
	synchronize_rcu_tasks();
}

/* Lock held. */
static int get(void)
{
	int err = probes ? 0 : redirect();

	if (!err)
		probes++;
	return err;
}

static void put(void)
{
	if (!--probes)
		pev_traced_off(&execs);
}

int pev_older_probe_register(struct tracepoint *tp, void *probe, void *data, int prio)
{
	int err;

	if (tp != &__tracepoint_sched_prepare_exec)
		return tracepoint_probe_register_prio(tp, probe, data, prio);
	guard(mutex)(&exec_lock);
	err = get();
	if (err)
		return err;
	err = tracepoint_probe_register_prio(tp, probe, data, prio);
	if (err)
		put();
	return err;
}

int pev_older_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	int err = tracepoint_probe_unregister(tp, probe, data);

	if (err || tp != &__tracepoint_sched_prepare_exec)
		return err;
	guard(mutex)(&exec_lock);
	put();
	return 0;
}
