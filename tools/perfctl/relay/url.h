/* SPDX-License-Identifier: GPL-2.0 */
/* Where a recording is streamed to, as typed: net://HOST[:CONTROL[:DATA]][/SESSION]. */
#ifndef PERFCTL_RELAY_URL_H
#define PERFCTL_RELAY_URL_H

#include "base/util.h"

/**
 * struct relay_url - a session of lttng-relayd
 * @text:     as messages name it
 * @host:     a name or an address, without the brackets of IPv6
 * @control:  port
 * @data:     port
 * @session:  its name
 * @hostname: of this machine, by which the relay sorts sessions
 */
struct relay_url {
	char *text;
	char *host;
	uint16_t control;
	uint16_t data;
	char *session;
	char *hostname;
};

/* Is it meant as one? */
bool relay_url_is(const char *text);
/* @hostname: of this machine; without a session in @text, there is one for each process @pid */
int relay_url_parse(struct relay_url *u, const char *text, const char *hostname, int pid,
		    struct msg *m);
void relay_url_free(struct relay_url *u);

#endif
