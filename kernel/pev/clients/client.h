/* SPDX-License-Identifier: GPL-2.0 */
/* Channels of kernel code: what the rest of pev asks of them. See linux/pev_channel.h. */
#ifndef _PEV_CLIENTS_CLIENT_H
#define _PEV_CLIENTS_CLIENT_H

#include <linux/pev_channel.h>
#include <linux/types.h>
#include <linux/wait.h>

struct pev_event;
struct pev_trace_clock;

/* The client of that name, or NULL. pev_clients_lock is held. */
struct pev_client *pev_client_find(const char *name);

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

/* Has a private client records that pev_client_read() has not returned? Process context. */
bool pev_client_unread(struct pev_client *client);

/* Is woken when there is a watermark's worth to read. Any context. */
wait_queue_head_t *pev_client_queue(struct pev_client *client);

/* The clock of a client's records. Any context. */
const struct pev_trace_clock *pev_client_clock(const struct pev_client *client);

/* At boot, when channels can be made. Return: 0 or an error. */
int pev_clients_setup(void);
/* No client has a channel any more. */
void pev_clients_teardown(void);

#endif
