/* SPDX-License-Identifier: GPL-2.0 */
/* A client and its events, as the files of this folder know them. */
#ifndef _PEV_CLIENT_OBJECT_H
#define _PEV_CLIENT_OBJECT_H

#include <linux/bits.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pev_channel.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "merge.h"

struct module;
struct pev_channel;
struct pev_event;

/* Of an event that the client does not write: no size is this to PEV_MAX_PACKET more. */
#define NOT_WRITTEN	BIT(31)

/**
 * struct pev_client - a channel of kernel code
 * @channel: its rings
 * @owner:   the module, or NULL
 * @desc:    what was asked for; its name is a copy
 * @node:    in the list of all
 * @lock:    see above
 * @events:  that were added, under @lock
 * @merge:   reads a private channel, under @lock
 * @nr_read: records that it has returned
 * @work:    calls @consume of @desc
 * @entry:   in the channel's queue, so that @work does not wait for its time
 * @seen:    misuses, a bit for each; raised in any context
 * @told:    those that were reported
 * @report:  reports them
 */
struct pev_client {
	struct pev_channel	*channel;
	struct module		*owner;
	struct pev_client_desc	desc;
	struct list_head	node;
	struct mutex		lock; /* see above */
	struct list_head	events;
	struct pev_merge	merge;
	u64			nr_read;
	struct delayed_work	work;
	wait_queue_entry_t	entry;
	unsigned long		seen;
	unsigned long		told;
	struct irq_work		report;
};

/**
 * struct pev_client_event - an event in a client's channel
 * @event:  the event
 * @least:  bytes that a record has at least, or NOT_WRITTEN
 * @client: whose it is
 * @desc:   of its records; NULL: the client only listens to it
 * @node:   in the client's list
 */
struct pev_client_event {
	struct pev_event		*event;
	u32				least;
	struct pev_client		*client;
	const struct pev_payload_desc	*desc;
	struct list_head		node;
};

/* All channels, under the lock; see client.c. */
extern struct mutex pev_clients_lock;
extern struct list_head pev_clients;

#endif
