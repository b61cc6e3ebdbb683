/* SPDX-License-Identifier: GPL-2.0 */
/* Channels of kernel code, as user space sees them. */
#ifndef _PEV_CLIENTS_USER_H
#define _PEV_CLIENTS_USER_H

struct pev_channel;
struct pev_refuse;
struct pev_strbuf;

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

/*
 * Append a line for each channel that the caller may read, and for each of its events, to the
 * catalog. Process context, may sleep.
 */
void pev_clients_catalog(struct pev_strbuf *text);

#endif
