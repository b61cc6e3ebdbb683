// SPDX-License-Identifier: GPL-2.0
/*
 * Owns kernel.pev_pmu: which driver hardware events count by, pev's own backend or perf's.
 * It is asked when an event is opened; events that are open keep theirs.
 *
 * Locks: pev_control, by which counters are reserved.
 */
#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include "base/lock.h"
#include "choose.h"
#include "perf_counter.h"
#include "pmu.h"

/**
 * enum choice - kernel.pev_pmu
 * @BY_EITHER: by pev's own driver, unless there is none or others have the counters
 * @BY_OWN:    by pev's own, or not at all
 * @BY_PERF:   by perf's
 */
enum choice {
	BY_EITHER,
	BY_OWN,
	BY_PERF,
};

static const char * const names[] = {
	[BY_EITHER]	= "auto",
	[BY_OWN]	= "own",
	[BY_PERF]	= "perf",
};

static enum choice choice = BY_EITHER;

static bool held_by_others(void)
{
	u64 left;

	if (pev_pmu_is_ours())
		return false;
	for (left = pev_pmu->present; left; left &= left - 1)
		if (pev_pmu->ops->holder(__ffs64(left)))
			return true;
	return false;
}

bool pev_pmu_by_perf(void)
{
	lockdep_assert_held(&pev_control);

	switch (READ_ONCE(choice)) {
	case BY_OWN:
		return false;
	case BY_PERF:
		return true;
	default:
		return !pev_pmu || held_by_others();
	}
}

bool pev_pmu_left_to_perf(void)
{
	guard(mutex)(&pev_control);
	return pev_pmu_by_perf();
}

bool pev_pmu_only_perf(void)
{
	enum choice by = READ_ONCE(choice);

	return by == BY_PERF || (by == BY_EITHER && !READ_ONCE(pev_pmu));
}

bool pev_pmu_only_own(void)
{
	return READ_ONCE(choice) == BY_OWN;
}

static int choice_handler(const struct ctl_table *table, int write, void *buffer, size_t *length,
			  loff_t *at)
{
	char text[8];
	const struct ctl_table copy = { .data = text, .maxlen = sizeof(text) };
	int err, found;

	strscpy(text, names[READ_ONCE(choice)]);
	err = proc_dostring(&copy, write, buffer, length, at);
	if (err || !write)
		return err;
	found = match_string(names, ARRAY_SIZE(names), text);
	if (found < 0)
		return -EINVAL;
	WRITE_ONCE(choice, found);
	pev_perf_counters_review();
	return 0;
}

static struct ctl_table choose_sysctls[] = {
	{
		.procname	= "pev_pmu",
		.maxlen		= 8,
		.mode		= 0644,
		.proc_handler	= choice_handler,
	},
};

static struct ctl_table_header *sysctls;

int pev_pmu_choose_setup(void)
{
	sysctls = register_sysctl("kernel", choose_sysctls);
	return sysctls ? 0 : -ENOMEM;
}

void pev_pmu_choose_teardown(void)
{
	unregister_sysctl_table(sysctls);
}
