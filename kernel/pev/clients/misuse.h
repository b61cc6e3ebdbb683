/* SPDX-License-Identifier: GPL-2.0 */
/* What clients do wrong, and how they hear of it. */
#ifndef _PEV_CLIENT_MISUSE_H
#define _PEV_CLIENT_MISUSE_H

struct pev_client;

/**
 * enum misuse - what a client does wrong
 * @MISUSE_PREEMPTIBLE: reserves where the task may be moved to another CPU
 * @MISUSE_SIZE:        reserves less than the structure needs, or more than a packet has
 * @MISUSE_UNRESERVED:  commits what was not reserved
 * @MISUSE_UNCOMMITTED: does not commit what was reserved
 * @MISUSE_OVERLONG:    wrote a length that is more than was reserved
 * @MISUSE_MAX:         how many there are
 */
enum misuse {
	MISUSE_PREEMPTIBLE,
	MISUSE_SIZE,
	MISUSE_UNRESERVED,
	MISUSE_UNCOMMITTED,
	MISUSE_OVERLONG,
	MISUSE_MAX,
};

void pev_client_misuse_init(struct pev_client *client);
/* What is under way is reported, and nothing more comes: the client writes no longer. */
void pev_client_misuse_sync(struct pev_client *client);

/* Report it, once for each client. Any context: the kernel's log is written to later. */
void pev_client_misused(struct pev_client *client, enum misuse what);

#endif
