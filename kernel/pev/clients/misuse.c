// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what clients are told of their mistakes.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/bitops.h>
#include <linux/irq_work.h>
#include <linux/printk.h>
#include "misuse.h"
#include "object.h"

static const char *const misuses[MISUSE_MAX] = {
	[MISUSE_PREEMPTIBLE] = "reserved a record with preemption enabled: it is lost",
	[MISUSE_SIZE] =
		"reserved fewer bytes than the event's structure has, or more than any packet, or a record of an event that it only listens to: it is lost",
	[MISUSE_UNRESERVED] = "committed a record that was not reserved, or twice",
	[MISUSE_UNCOMMITTED] =
		"reserved a record and has not committed it: what came later on that CPU can't be read",
	[MISUSE_OVERLONG] =
		"wrote a record whose length is not what was reserved: those behind it in the packet can't be read",
};

static void report(struct irq_work *work)
{
	struct pev_client *client = container_of(work, struct pev_client, report);

	for (unsigned int i = 0; i < MISUSE_MAX; i++)
		if (test_bit(i, &client->seen) && !test_and_set_bit(i, &client->told))
			pr_warn("client %s %s\n", client->desc.name, misuses[i]);
}

noinline void pev_client_misused(struct pev_client *client, enum misuse what)
{
	if (!test_and_set_bit(what, &client->seen))
		irq_work_queue(&client->report);
}

void pev_client_misuse_init(struct pev_client *client)
{
	init_irq_work(&client->report, report);
}

void pev_client_misuse_sync(struct pev_client *client)
{
	irq_work_sync(&client->report);
}
