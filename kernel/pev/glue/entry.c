// SPDX-License-Identifier: GPL-2.0
/*
 * Owns when and in which order the parts of pev get ready, and the number of the system
 * call. What that does is control/open.c's.
 */
#include <linux/init.h>
#include <linux/syscalls.h>
#include "base/clock.h"
#include "base/paranoid.h"
#include "base/perf.h"
#include "base/rate.h"
#include "base/work.h"
#include "channel/channel.h"
#include "clients/client.h"
#include "clients/panic.h"
#include "clients/text.h"
#include "control/open.h"
#include "event/sources.h"
#include "source/marker/marker.h"
#include "source/producer/map.h"
#include "target/target.h"

/* Programs may run before the last initcall has. */
static bool ready __ro_after_init;

SYSCALL_DEFINE3(pev_open, const struct pev_attr __user *, uattr, size_t, size, __u32, flags)
{
	return READ_ONCE(ready) ? pev_open(uattr, size, flags) : -ENODEV;
}

/* Before anything can load a module. */
core_initcall(pev_markers_setup);

/* Sources come before CPUs: events find the PMU there when a CPU comes, and until it goes. */
static int __init setup(void)
{
	int err = pev_clock_setup();

	err = err ?: pev_work_setup();
	err = err ?: pev_paranoid_setup();
	err = err ?: pev_rate_setup();
	err = err ?: pev_perf_setup();
	err = err ?: pev_producers_setup();
	err = err ?: pev_sources_setup();
	if (err)
		return err;
	pev_channels_setup();
	err = pev_target_setup();
	err = err ?: pev_clients_setup();
	err = err ?: pev_panic_setup();
	WRITE_ONCE(ready, !err);
	if (!err)
		pev_text_setup();
	return err;
}
late_initcall(setup);
