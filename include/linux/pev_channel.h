/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Channels for kernel code: a driver or a subsystem writes records of its own into rings of
 * its own, one for each CPU, in any context and without a lock. User space reads them, if
 * the client lets it, or the client itself does, all CPUs merged by time.
 */
#ifndef _LINUX_PEV_CHANNEL_H
#define _LINUX_PEV_CHANNEL_H

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/pev_record.h>
#include <linux/types.h>

struct pev_client;
struct pev_client_event;
struct pev_refuse;

/**
 * struct pev_client_record - a record, as a client reads it
 * @event: of which it is one
 * @time:  of the channel's clock, in ticks
 * @cpu:   on which it was written
 * @tid:   the task that ran there, in the initial pid namespace
 * @data:  the payload; it is valid until the next record is asked for
 * @size:  bytes of it
 */
struct pev_client_record {
	struct pev_client_event	*event;
	u64			time;
	u32			cpu;
	u32			tid;
	const void		*data;
	u32			size;
};

/* A private channel: no user space can open it, whatever its rights. */
#define PEV_CLIENT_PRIVATE	BIT(0)
/* The newest data wins, as in a flight recorder. */
#define PEV_CLIENT_OVERWRITE	BIT(1)

/**
 * struct pev_client_desc - what a client's channel is to be like
 * @name:      of the channel, without blanks and quotes; no two have the same
 * @flags:     PEV_CLIENT_*
 * @ring_size: bytes of each CPU's ring, a power of two; 0: 256 KiB
 * @packet_size: bytes that become readable together, a power of two; 0: a choice is made
 * @period_ms: how often records are handed to @consume, or made readable for user space;
 *             0: 100
 * @consume:   is called with each record, in the order of time, in a worker that may sleep:
 *             who sleeps long loses records of this channel. It must not destroy the
 *             channel. NULL: pev_client_read() is called instead. Only with
 *             PEV_CLIENT_PRIVATE
 * @may_read:  may the current task, in process context, read the channel, and know of it?
 *             NULL: with CAP_PERFMON. It must not create or destroy channels, or add to one.
 *             Meaningless with PEV_CLIENT_PRIVATE
 * @data:      for both
 */
struct pev_client_desc {
	const char	*name;
	u32		flags;
	u32		packet_size;
	u64		ring_size;
	u32		period_ms;
	void		(*consume)(const struct pev_client_record *record, void *data);
	bool		(*may_read)(void *data);
	void		*data;
};

/**
 * struct pev_client_stat - what became of an event's records
 * @written: are in the rings, or were
 * @lost:    found no room
 */
struct pev_client_stat {
	u64	written;
	u64	lost;
};

#ifdef CONFIG_PEV

/**
 * pev_client_create() - a channel for kernel code
 * @desc: what it is to be like; copied, but for the functions
 *
 * Refusals are written to the kernel's log, with the client's name and the reason.
 *
 * Context: Process context, may sleep.
 * Return: the channel, or an ERR_PTR(): -EEXIST for a name that another one has, -EINVAL,
 * -ENODEV before pev is ready (from late_initcall on it is), -ENOMEM.
 */
#define pev_client_create(desc)	__pev_client_create(desc, THIS_MODULE)
struct pev_client *__pev_client_create(const struct pev_client_desc *desc,
				       struct module *owner);

/**
 * pev_client_destroy() - give a channel back, with its events
 * @client: the channel, or NULL or an ERR_PTR(): nothing happens then
 *
 * No call with one of its events may be under way or follow, @consume is not called any
 * more when it returns. What was not read is gone; a user who has the channel open keeps
 * what is in the rings. A module that forgets it is reported when it goes, and the channel
 * goes with it.
 *
 * Context: Process context, may sleep; not from @consume.
 */
void pev_client_destroy(struct pev_client *client);

/**
 * pev_client_add() - an event that the client writes
 * @client: its channel
 * @desc:   from PEV_CLIENT_EVENT() or PEV_CLIENT_EVENT_ARRAY(); it must stay
 *
 * Context: Process context, may sleep.
 * Return: the event, which is there as long as the channel is; or an ERR_PTR(): -ENOSPC if
 * the channel has given out all ids, -ENOMEM, -EINVAL.
 */
struct pev_client_event *pev_client_add(struct pev_client *client,
					const struct pev_payload_desc *desc);

/**
 * pev_client_listen() - an event that the kernel has already
 * @client: its channel
 * @name:   "system:event" of a tracepoint, or of a marker
 * @filter: an expression on its fields, as of trace events; NULL: none
 * @r:      says why not; NULL: that is written to the kernel's log
 *
 * Each occurrence on any CPU becomes a record from here on. Its payload is the trace event
 * without the common fields.
 *
 * Context: Process context, may sleep.
 * Return: as pev_client_add(), and -ENOENT: there is no such event.
 */
struct pev_client_event *pev_client_listen(struct pev_client *client, const char *name,
					   const char *filter, struct pev_refuse *r);

/**
 * pev_client_reserve() - room for a record
 * @event: of which it is one, from pev_client_add()
 * @size:  bytes of its payload: at least what the structure has
 *
 * Context: Any, NMI included, with preemption disabled until the commit.
 * Return: where the payload goes, aligned to 8 bytes, to be filled in full and ended by
 * pev_client_commit() on the same CPU; NULL if there is no room. That was counted, and
 * wants no commit.
 */
void *pev_client_reserve(struct pev_client_event *event, u32 size);

/**
 * pev_client_commit() - the record is complete
 * @event: as given to pev_client_reserve()
 *
 * Of several that interrupted each other the last committed comes first. One that is never
 * committed keeps all that come later on its CPU, in this channel, from being read.
 *
 * Context: as pev_client_reserve().
 */
void pev_client_commit(struct pev_client_event *event);

/**
 * pev_client_write() - write a record that is in memory already
 * @event: as in pev_client_reserve()
 * @data:  the payload
 * @size:  bytes of it
 *
 * Context: Any, NMI included.
 * Return: false if there was no room.
 */
bool pev_client_write(struct pev_client_event *event, const void *data, u32 size);

/**
 * pev_client_stat() - what became of an event's records, on all CPUs
 * @event: the event
 *
 * Context: Any.
 * Return: the sums, as of now.
 */
struct pev_client_stat pev_client_stat(struct pev_client_event *event);

/**
 * pev_client_read() - call a function with each record that is there, merged by time
 * @client:  the channel, one with PEV_CLIENT_PRIVATE and without @consume
 * @consume: is given a record and @data; false ends the reading behind this record
 * @data:    for it
 *
 * Records that were written before the call are all there, in the order of time, and none
 * that a later call returns is older.
 *
 * Context: Process context, may sleep, as may @consume; readers of one channel wait for
 * each other.
 * Return: how many records there were, or a negative error.
 */
long pev_client_read(struct pev_client *client,
		     bool (*consume)(const struct pev_client_record *record, void *data),
		     void *data);

/**
 * pev_client_event_name() - the name of an event
 * @event: the event
 *
 * Context: Any.
 * Return: "subsystem:event".
 */
const char *pev_client_event_name(const struct pev_client_event *event);

#else /* !CONFIG_PEV */

static inline struct pev_client *pev_client_create(const struct pev_client_desc *desc)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void pev_client_destroy(struct pev_client *client)
{
}

static inline struct pev_client_event *pev_client_add(struct pev_client *client,
						      const struct pev_payload_desc *desc)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline struct pev_client_event *
pev_client_listen(struct pev_client *client, const char *name, const char *filter,
		  struct pev_refuse *r)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void *pev_client_reserve(struct pev_client_event *event, u32 size)
{
	return NULL;
}

static inline void pev_client_commit(struct pev_client_event *event)
{
}

static inline bool pev_client_write(struct pev_client_event *event, const void *data, u32 size)
{
	return false;
}

static inline struct pev_client_stat pev_client_stat(struct pev_client_event *event)
{
	return (struct pev_client_stat){ };
}

static inline long
pev_client_read(struct pev_client *client,
		bool (*consume)(const struct pev_client_record *record, void *data), void *data)
{
	return -EOPNOTSUPP;
}

static inline const char *pev_client_event_name(const struct pev_client_event *event)
{
	return "";
}

#endif /* CONFIG_PEV */

#endif
