/* SPDX-License-Identifier: GPL-2.0 */
/* Channels of kernel code: what the rest of pev asks of them. See linux/pev_channel.h. */
#ifndef _PEV_CLIENTS_CLIENT_H
#define _PEV_CLIENTS_CLIENT_H

#include <linux/pev_channel.h>
#include <linux/types.h>

struct pev_channel;
struct pev_event;
struct pev_refuse;
struct pev_trace_clock;

/**
 * pev_client_channel() - the channel of a client, for user space to read
 * @name: of the client
 * @r:    says why not
 *
 * It has one reader at a time: pev_channel_leave() is called when that one goes.
 *
 * Context: Process context of who wants to read it, may sleep.
 * Return: the channel with a reference, or an ERR_PTR(): -ENOENT, also for what is private;
 * -EACCES; -EBUSY.
 */
struct pev_channel *pev_client_channel(const char *name, struct pev_refuse *r);

/* The event behind one of a client, which has its description. Any context. */
struct pev_event *pev_client_event_of(const struct pev_client_event *event);

/* Records of all of its events that found no room. Process context. */
u64 pev_client_lost(struct pev_client *client);

/**
 * pev_client_wait() - wait until there is a watermark's worth to read
 * @client:  a private one
 * @timeout: jiffies after which there may be less, or nothing
 *
 * Context: Process context, may sleep.
 * Return: 0, or -ERESTARTSYS for a signal.
 */
int pev_client_wait(struct pev_client *client, unsigned long timeout);

/* The clock of a client's records. Any context. */
const struct pev_trace_clock *pev_client_clock(const struct pev_client *client);

/* At boot, when channels can be made. Return: 0 or an error. */
int pev_clients_setup(void);
/* No client has a channel any more. */
void pev_clients_teardown(void);

#endif
