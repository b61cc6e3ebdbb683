/* SPDX-License-Identifier: GPL-2.0 */
/* The HTTP server of an agent, which libmicrohttpd is. Answers GET; whatever asks changes nothing. */
#ifndef PERFCTL_FLEET_LISTEN_H
#define PERFCTL_FLEET_LISTEN_H

#include "base/util.h"

struct listener;

/**
 * listen_fn - answers a request
 * @arg:   of listen_open()
 * @path:  "/metrics"
 * @seconds: of the query, 0: not there
 * @type:  of what @b gets, text/plain if it is not set
 *
 * Called by threads of the listener. Return: the status of HTTP.
 */
typedef unsigned int (*listen_fn)(void *arg, const char *path, unsigned int seconds,
				  const char **type, struct strbuf *b);

/* @address: ADDRESS:PORT, [ADDRESS]:PORT, or :PORT of the loopback device */
int listen_open(struct listener **l, const char *address, listen_fn fn, void *arg, struct msg *m);
void listen_close(struct listener *l);

#endif
