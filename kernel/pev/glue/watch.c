// SPDX-License-Identifier: GPL-2.0
/* Owns the branches in the kernel's code that lead to pev. */
#include <linux/jump_label.h>
#include <linux/pev.h>
#include <linux/pev_hooks.h>
#include "watch.h"

DEFINE_STATIC_KEY_FALSE(pev_task_key);
DEFINE_STATIC_KEY_FALSE(pev_software_key);
DEFINE_STATIC_KEY_FALSE(pev_mmap_key);

int pev_watch_tasks(void)
{
	static_branch_enable(&pev_task_key);
	return 0;
}

void pev_unwatch_tasks(void)
{
	static_branch_disable(&pev_task_key);
}

bool pev_watches_tasks(void)
{
	return static_branch_unlikely(&pev_task_key);
}

int pev_watch_faults(void)
{
	static_branch_enable(&pev_software_key);
	return 0;
}

void pev_unwatch_faults(void)
{
	static_branch_disable(&pev_software_key);
}

int pev_watch_mmaps(void)
{
	static_branch_enable(&pev_mmap_key);
	return 0;
}

void pev_unwatch_mmaps(void)
{
	static_branch_disable(&pev_mmap_key);
}
