/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that makes a sample's events happen in the context that is written to it:
 * "<context> <count>", <context> being task, softirq, irq or mixed, which lets the
 * contexts interrupt each other. A module that includes this has fire().
 */
#ifndef PEV_SAMPLE_CONTEXTS_H
#define PEV_SAMPLE_CONTEXTS_H

#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

#define MAX_COUNT	1000000

/* Fires the module's events @nr times, in @context. */
static void fire(const char *context, unsigned int nr);

static DEFINE_MUTEX(fire_lock);
static DECLARE_COMPLETION(done);
static unsigned int count;

static void softirq_fires(struct tasklet_struct *unused)
{
	fire("softirq", count);
	complete(&done);
}

static DECLARE_TASKLET(tasklet, softirq_fires);

static void irq_fires(struct irq_work *unused)
{
	fire("irq", count);
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
		fire("task", count);
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

/* After the file is gone, before what fire() uses. */
static void contexts_end(void)
{
	tasklet_kill(&tasklet);
	irq_work_sync(&irq_work);
}

#endif
