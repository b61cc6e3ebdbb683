// SPDX-License-Identifier: GPL-2.0
/*
 * Owns when and in which order the parts of pev get ready and go, and the device that
 * stands for the system call. What that does is control/open.c's.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include "base/clock.h"
#include "base/hooks.h"
#include "base/paranoid.h"
#include "base/perf.h"
#include "base/rate.h"
#include "base/work.h"
#include "channel/channel.h"
#include "clients/client.h"
#include "clients/panic.h"
#include "clients/text.h"
#include "control/open.h"
#include "event/event.h"
#include "event/sources.h"
#include "record/context.h"
#include "record/reason.h"
#include "record/defer.h"
#include "record/scratch.h"
#include "source/marker/marker.h"
#include "source/producer/map.h"
#include "source/sideband.h"
#include "source/trace/tracepoint.h"
#include "target/target.h"
#include "older/6.1/exec.h"
#include "older/6.1/task_work.h"
#include "probes.h"
#include "resolve.h"
#include "task_set.h"
#include "watch.h"

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pev_open_arg open;

	if (cmd != PEV_IOC_OPEN)
		return -ENOTTY;
	if (copy_from_user(&open, (void __user *)arg, sizeof(open)))
		return -EFAULT;
	return pev_open(u64_to_user_ptr(open.attr), open.size, open.flags);
}

/* What is opened by it has its own files, which keep the module, too. */
static const struct file_operations device_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= device_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

/* Rights are asked for at each ioctl(), as at each call of pev_open(). */
static struct miscdevice device = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "pev",
	.mode	= 0666,
	.fops	= &device_fops,
};

/**
 * struct part - a part that is set up
 * @setup:    Return: 0 or an error
 * @teardown: the opposite, or NULL
 */
struct part {
	int	(*setup)(void);
	void	(*teardown)(void);
};

static int __init channels_setup(void)
{
	pev_channels_setup();
	return 0;
}

static int __init text_setup(void)
{
	pev_text_setup();
	return 0;
}

static int __init device_setup(void)
{
	return misc_register(&device);
}

static void device_teardown(void)
{
	misc_deregister(&device);
}

/* Nothing is open any more: give back what is kept for a while, or is under way. */
static void quiesce(void)
{
	pev_event_teardown();
	pev_hooks_teardown();
	pev_watch_teardown();
	pev_older_exec_teardown();
	tracepoint_synchronize_unregister();
	pev_sideband_teardown();
	pev_defer_teardown();
	pev_older_task_work_teardown();
}

static int __init nothing(void)
{
	return 0;
}

/* In this order, and back. */
static const struct part parts[] __refconst = {
	{ pev_resolve },
	{ pev_probes_setup },
	{ pev_older_task_work_setup },
	{ pev_clock_setup,	pev_clock_teardown },
	{ pev_work_setup,	pev_work_teardown },
	{ pev_task_set_setup,	pev_task_set_teardown },
	{ nothing,		pev_work_drain },
	{ pev_markers_setup,	pev_markers_teardown },
	{ pev_paranoid_setup,	pev_paranoid_teardown },
	{ pev_rate_setup,	pev_rate_teardown },
	{ pev_perf_setup,	pev_perf_teardown },
	{ nothing,		pev_context_teardown },
	{ nothing,		pev_reasons_teardown },
	{ nothing,		pev_scratch_teardown },
	{ nothing,		pev_trace_teardown },
	{ pev_producers_setup,	pev_producers_teardown },
	{ pev_sources_setup,	pev_sources_teardown },
	{ channels_setup,	pev_channels_teardown },
	{ pev_target_setup,	pev_target_teardown },
	{ nothing,		quiesce },
	{ pev_clients_setup,	pev_clients_teardown },
	{ text_setup,		pev_text_teardown },
	{ pev_panic_setup,	pev_panic_teardown },
	{ device_setup,		device_teardown },
};

static void take_down(unsigned int nr)
{
	while (nr--)
		if (parts[nr].teardown)
			parts[nr].teardown();
}

static int __init pev_init(void)
{
	int err;

	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++) {
		err = parts[i].setup();
		if (!err)
			continue;
		take_down(i);
		return err;
	}
	return 0;
}
module_init(pev_init);

static void __exit pev_exit(void)
{
	take_down(ARRAY_SIZE(parts));
}
module_exit(pev_exit);

MODULE_DESCRIPTION("Performance events");
MODULE_LICENSE("GPL");
