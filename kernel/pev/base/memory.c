// SPDX-License-Identifier: GPL-2.0
/* Owns the account of what users' rings and tables take. */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/pev_refuse.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include "memory.h"

static unsigned long limit_pages(void)
{
	return rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
}

bool pev_memory_fits(struct user_struct *user, unsigned long pages)
{
	unsigned long used = atomic_long_read(&user->locked_vm);

	return used + pages <= limit_pages() || capable(CAP_IPC_LOCK);
}

int pev_memory_charge(struct user_struct *user, unsigned long pages, u32 field,
		      const char *what, const char *less, struct pev_refuse *r)
{
	unsigned long limit = limit_pages();
	long used = atomic_long_add_return(pages, &user->locked_vm);

	if (used <= limit || capable(CAP_IPC_LOCK))
		return 0;
	atomic_long_sub(pages, &user->locked_vm);
	return pev_refuse(r, EPERM, field,
		"%lu KiB of %s do not fit in RLIMIT_MEMLOCK, %lu of %lu KiB are in use: ask for %s, raise the limit (ulimit -l) or use CAP_IPC_LOCK",
		pages << (PAGE_SHIFT - 10), what, (used - pages) << (PAGE_SHIFT - 10),
		limit << (PAGE_SHIFT - 10), less);
}

void pev_memory_uncharge(struct user_struct *user, unsigned long pages)
{
	if (user)
		atomic_long_sub(pages, &user->locked_vm);
}
