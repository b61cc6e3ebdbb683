/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Channels: a ring for each CPU, one event-id space, one clock, one consumer.
 */
#ifndef _PEV_CHANNEL_H
#define _PEV_CHANNEL_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pev_clock.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include "base/strbuf.h"
#include "ring/gate.h"
#include "ring/ring.h"

struct pev_event;
struct pev_refuse;

/**
 * struct pev_channel_desc - what a channel is to be like, for users and for the kernel
 * @user:        its RLIMIT_MEMLOCK is charged; NULL: it is the kernel's own
 * @flags:       PEV_CHF_*
 * @ring_size:   bytes of each ring
 * @packet_size: bytes, 0: a choice is made
 * @watermark:   bytes unread that wake the consumer, 0: a packet's
 * @flush_ms:    while the channel has a file; 0: never
 * @clock:       enum pev_clock
 * @patience:    jiffies that a flush waits for a writer to commit; 0: as long as it takes
 */
struct pev_channel_desc {
	struct user_struct	*user;
	u64			flags;
	u64			ring_size;
	u32			packet_size;
	u32			watermark;
	u32			flush_ms;
	u32			clock;
	unsigned long		patience;
};

/**
 * struct pev_channel - a channel
 * @ref:       the fd's file, and one for each event
 * @rcu:       freed when no thread looks at @wake any more
 * @id:        unique since boot
 * @flags:     PEV_CHF_*
 * @clock:     of all its packets
 * @clock_shift: of all its rings, see pev_ring_shift(); under pev_channels_lock
 * @ring_size: bytes of each ring
 * @packet_size: bytes
 * @watermark: bytes
 * @flush_ms:  0: never
 * @patience:  see struct pev_channel_desc
 * @entered:   it has a file, see pev_channel_enter()
 * @uuid:      of the trace
 * @rings:     by number, which is that of the CPU; NULL for a CPU that was never
 *             online. Set once, under pev_channels_lock; lockless for readers
 * @wait:      the consumer polls here
 * @wake:      wakes @wait from any context
 * @gate:      do the rings accept records?
 * @close:     closes the rings of other CPUs, and wakes @wait
 * @starts:    by triggers
 * @stops:     by triggers
 * @freezes:   by triggers
 * @told:      of all three, as the consumer was told
 * @flush:     the periodic flush
 * @add_lock:  who adds an event has it, and waits for memory with it; protects @next_id
 * @lock:      protects @events, @metadata
 * @events:    of this channel, by id; the ids only grow
 * @next_id:   ids are never used twice
 * @metadata:  CTF text; grows with each event
 * @node:      in the list of all channels, under pev_channels_lock
 * @user:      its RLIMIT_MEMLOCK is charged; NULL: that of no user is
 * @charged:   pages, under pev_channels_lock
 * @persists:  it has the memory that outlives a crash
 */
struct pev_channel {
	struct kref		ref;
	struct rcu_head		rcu;
	u64			id;
	u64			flags;
	struct pev_trace_clock	clock;
	u64			clock_shift;
	u64			ring_size;
	u32			packet_size;
	u32			watermark;
	u32			flush_ms;
	unsigned long		patience;
	atomic_t		entered;
	u8			uuid[16];
	struct pev_ring		**rings;
	wait_queue_head_t	wait;
	struct irq_work		wake;
	struct pev_gate		gate;
	struct irq_work		close;
	atomic64_t		starts;
	atomic64_t		stops;
	atomic64_t		freezes;
	u64			told;
	struct delayed_work	flush;
	struct mutex		add_lock;	/* see above */
	struct mutex		lock;		/* see above */
	struct xarray		events;
	u32			next_id;
	struct pev_strbuf		metadata;
	struct list_head	node;
	struct user_struct	*user;
	unsigned long		charged;
	bool			persists;
};

/**
 * pev_channel_create() - a channel with a ring for each online CPU
 * @desc: checked by the caller but for sizes
 * @r:    says why not, by the names that the members have in struct pev_attr
 *
 * Context: Process context, may sleep.
 * Return: the channel with one reference, or an ERR_PTR(): that of -EPERM if the user's
 * memory limit is reached, to which channels of closed events count until these are
 * reaped.
 */
struct pev_channel *pev_channel_create(const struct pev_channel_desc *desc,
				       struct pev_refuse *r);

/**
 * pev_channel_get() - take a reference
 * @channel: the caller has one
 *
 * Context: Any.
 */
static inline void pev_channel_get(struct pev_channel *channel)
{
	kref_get(&channel->ref);
}

/**
 * pev_channel_put() - drop a reference
 * @channel: the channel
 *
 * Context: Process context, may sleep.
 */
void pev_channel_put(struct pev_channel *channel);

/**
 * pev_channel_add_event() - give @event its id and describe it in the metadata
 * @channel: where to
 * @event:   its sample layout and source must be set up
 * @r:       says why not
 *
 * Takes a reference on @channel for the event.
 * Return: 0, -ENOSPC when ids have run out, -ENOMEM.
 */
int pev_channel_add_event(struct pev_channel *channel, struct pev_event *event,
			  struct pev_refuse *r);

/**
 * pev_channel_forget_event() - @event writes no more: nobody finds it by its id
 * @channel: its channel, of which the event has a reference to drop
 * @event:   the event, no longer running anywhere
 */
void pev_channel_forget_event(struct pev_channel *channel, struct pev_event *event);

/**
 * pev_channel_flush() - close the open packets of all rings
 * @channel: the channel
 *
 * Context: Process context, may sleep.
 * Return: nr_cpu_ids, or a CPU on which a writer has not committed: what it and those after
 * it wrote there can't be read yet.
 */
unsigned int pev_channel_flush(struct pev_channel *channel);

/**
 * pev_channel_enter() - become the only file of a channel
 * @channel: the channel
 *
 * Context: Any.
 * Return: false if it has one.
 */
static inline bool pev_channel_enter(struct pev_channel *channel)
{
	return !atomic_cmpxchg(&channel->entered, 0, 1);
}

/* The opposite, when the file goes, or if there is none. */
static inline void pev_channel_leave(struct pev_channel *channel)
{
	atomic_set(&channel->entered, 0);
}

/**
 * pev_channel_flush_often() - begin with the periodic flush, if the channel has one
 * @channel: the channel; cancel_delayed_work_sync() of its @flush ends it
 *
 * Context: Any.
 */
void pev_channel_flush_often(struct pev_channel *channel);

/* At boot, before the first channel. */
void __init pev_channels_setup(void);
void pev_channels_teardown(void);

/* hotplug: rings for a CPU that comes online; process context */
int pev_channels_cpu_prepare(unsigned int cpu);

#endif
