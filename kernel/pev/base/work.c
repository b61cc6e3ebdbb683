// SPDX-License-Identifier: GPL-2.0
/* Owns the queue of all that pev does later, so that its end can be awaited. */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/rcupdate.h>
#include "work.h"

struct workqueue_struct *pev_wq __ro_after_init;

int __init pev_work_setup(void)
{
	pev_wq = alloc_workqueue("pev", WQ_UNBOUND, 0);
	return pev_wq ? 0 : -ENOMEM;
}

void __pev_teardown pev_work_drain(void)
{
	/* what waits for a grace period is queued then */
	rcu_barrier();
	drain_workqueue(pev_wq);
}

void __pev_teardown pev_work_teardown(void)
{
	destroy_workqueue(pev_wq);
}
