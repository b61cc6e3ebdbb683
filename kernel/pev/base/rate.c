// SPDX-License-Identifier: GPL-2.0
/* Owns kernel.pev_max_sample_rate, which timers and hardware counters share. */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/sysctl.h>
#include "rate.h"
#include "work.h"

unsigned int sysctl_pev_max_sample_rate = 100000;

static struct ctl_table rate_sysctls[] = {
	{
		.procname	= "pev_max_sample_rate",
		.data		= &sysctl_pev_max_sample_rate,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= SYSCTL_INT_MAX,
	},
};

static struct ctl_table_header *sysctls;

int __init pev_rate_setup(void)
{
	sysctls = register_sysctl("kernel", rate_sysctls);
	return sysctls ? 0 : -ENOMEM;
}

void __pev_teardown pev_rate_teardown(void)
{
	unregister_sysctl_table(sysctls);
}
