// SPDX-License-Identifier: GPL-2.0
/*
 * A function on a kernel marker. Load it with
 *
 *	insmod pev-connect.ko marker=pev_sample:number
 *
 * and read how often it was called, and in which contexts, in
 * <debugfs>/pev_connect/{calls,task,softirq,irq,nmi}. With delay_us=2000 it takes so long
 * that it is disconnected; with forgets=1 it forgets to disconnect itself, which the
 * kernel does then.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/pev_marker.h>
#include <linux/preempt.h>

static char *marker = "pev_sample:number";
module_param(marker, charp, 0444);
MODULE_PARM_DESC(marker, "The marker, \"subsystem:event\"");

static unsigned int delay_us;
module_param(delay_us, uint, 0444);
MODULE_PARM_DESC(delay_us, "Microseconds that the function takes");

static bool forgets;
module_param(forgets, bool, 0444);
MODULE_PARM_DESC(forgets, "Do not disconnect the function when the module goes");

static const char * const names[] = { "task", "softirq", "irq", "nmi" };
static atomic_t contexts[ARRAY_SIZE(names)];
static atomic_t calls;
static struct dentry *dir;

/*
 * Of names[]. Not interrupt_context_level(): it goes by the preempt count, which with PREEMPT_RT
 * says nothing of softirqs.
 */
static unsigned int context(void)
{
	return in_nmi() ? 3 : in_hardirq() ? 2 : in_serving_softirq() ? 1 : 0;
}

/* Called wherever the marker is: no lock, no sleep, nothing that takes long. */
static void reached(void *data, const struct pev_marker_hit *hit)
{
	atomic_inc(data);
	atomic_inc(&contexts[context()]);
	if (delay_us)
		udelay(delay_us);
}

static int __init pev_connect_init(void)
{
	int err = pev_marker_connect(marker, reached, &calls);

	if (err)
		return err;
	dir = debugfs_create_dir("pev_connect", NULL);
	debugfs_create_atomic_t("calls", 0444, dir, &calls);
	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		debugfs_create_atomic_t(names[i], 0444, dir, &contexts[i]);
	return 0;
}

static void __exit pev_connect_exit(void)
{
	debugfs_remove(dir);
	/* afterwards it does not run: the module can go */
	if (!forgets)
		pev_marker_disconnect(marker, reached, &calls);
}

module_init(pev_connect_init);
module_exit(pev_connect_exit);
MODULE_DESCRIPTION("A function on a kernel marker of pev, as a sample");
MODULE_LICENSE("GPL");
