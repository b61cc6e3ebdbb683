// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel markers in a module. Listen to one of
 *
 *	pev_sample:number	number %d pointer %p
 *	pev_sample:text		name %s length %zu
 *	pev_sample:types	every type that a field can have
 *	pev_sample:plain	no field at all
 *
 * and write "<context> <count>" to <debugfs>/pev_sample/fire, <context> being
 * task, softirq, irq or mixed: each of the markers fires <count> times there.
 * "mixed" lets the contexts interrupt each other.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pev_marker.h>
#include <linux/string.h>

#define MAX_COUNT	1000000

static DEFINE_MUTEX(fire_lock);
static struct dentry *dir;
static unsigned int count;

static void fire_one(unsigned int i, const char *context)
{
	PEV_MARK(pev_sample, number, "number %d pointer %p", -(int)i, (void *)0x1000UL + i);
	PEV_MARK(pev_sample, text, "name %s length %zu", i & 1 ? context : NULL,
		 strlen(context));
	PEV_MARK(pev_sample, types,
		 "hh %hhd hhu=%hhu h %hd hu=%hx i %i u: %#x l %ld llu %llu c %c s %.4s pct 100%% z %zd",
		 (signed char)-1, (unsigned char)200, (short)-2, (unsigned short)60000, -3,
		 4000000000U, -5L, 6ULL, 'p', context, (ssize_t)-7);
	PEV_MARK(pev_sample, plain, "nothing to say");
}

static void fire(const char *context)
{
	for (unsigned int i = 0; i < count; i++)
		fire_one(i, context);
}

static DECLARE_COMPLETION(done);

static void softirq_fires(struct tasklet_struct *unused)
{
	fire("softirq");
	complete(&done);
}

static DECLARE_TASKLET(tasklet, softirq_fires);

static void irq_fires(struct irq_work *unused)
{
	fire("irq");
	complete(&done);
}

static struct irq_work irq_work = IRQ_WORK_INIT_HARD(irq_fires);

static int run(const char *context)
{
	bool mixed = !strcmp(context, "mixed");
	unsigned int wait = 0;

	if (mixed || !strcmp(context, "softirq")) {
		tasklet_schedule(&tasklet);
		wait++;
	}
	if (mixed || !strcmp(context, "irq")) {
		irq_work_queue(&irq_work);
		wait++;
	}
	if (mixed || !strcmp(context, "task"))
		fire("task");
	else if (!wait)
		return -EINVAL;
	while (wait--)
		wait_for_completion(&done);
	return 0;
}

static ssize_t fire_write(struct file *file, const char __user *buf, size_t size,
			  loff_t *pos)
{
	char text[32], context[16];
	loff_t zero = 0;
	ssize_t len;
	int err;

	len = simple_write_to_buffer(text, sizeof(text) - 1, &zero, buf, size);
	if (len < 0)
		return len;
	text[len] = '\0';
	guard(mutex)(&fire_lock);
	if (sscanf(text, "%15s %u", context, &count) != 2 || count > MAX_COUNT)
		return -EINVAL;
	err = run(context);
	return err ?: size;
}

static const struct file_operations fire_fops = {
	.owner	= THIS_MODULE,
	.open	= nonseekable_open,
	.write	= fire_write,
};

static int __init pev_sample_init(void)
{
	dir = debugfs_create_dir("pev_sample", NULL);
	debugfs_create_file("fire", 0200, dir, NULL, &fire_fops);
	return 0;
}

static void __exit pev_sample_exit(void)
{
	debugfs_remove(dir);
	tasklet_kill(&tasklet);
	irq_work_sync(&irq_work);
}

module_init(pev_sample_init);
module_exit(pev_sample_exit);
MODULE_DESCRIPTION("Kernel markers of pev, as a sample");
MODULE_LICENSE("GPL");
