// SPDX-License-Identifier: GPL-2.0
/* Owns kernel.pev_paranoid, and what perf's own level means for pev. */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/minmax.h>
#include <linux/sysctl.h>
#include "glue/linux.h"
#include "paranoid.h"
#include "work.h"

static int sysctl_pev_paranoid __read_mostly = PEV_PARANOID_KERNEL;

static int perf_level(void)
{
	/* distributions have more levels, each of which means all */
	return clamp(pev_perf_paranoid(), PEV_PARANOID_MIN, PEV_PARANOID_ALL);
}

int pev_paranoid_level(void)
{
	return max(READ_ONCE(sysctl_pev_paranoid), perf_level());
}

const char *pev_paranoid_name(void)
{
	return READ_ONCE(sysctl_pev_paranoid) < perf_level() ? "kernel.perf_event_paranoid" :
							       "kernel.pev_paranoid";
}

static const int paranoid_min = PEV_PARANOID_MIN;
static const int paranoid_max = PEV_PARANOID_OFF;

static struct ctl_table pev_sysctls[] = {
	{
		.procname	= "pev_paranoid",
		.data		= &sysctl_pev_paranoid,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= (void *)&paranoid_min,
		.extra2		= (void *)&paranoid_max,
	},
};

static struct ctl_table_header *sysctls;

int __init pev_paranoid_setup(void)
{
	sysctls = register_sysctl("kernel", pev_sysctls);
	return sysctls ? 0 : -ENOMEM;
}

void __pev_teardown pev_paranoid_teardown(void)
{
	unregister_sysctl_table(sysctls);
}
