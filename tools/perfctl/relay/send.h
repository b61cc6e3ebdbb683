/* SPDX-License-Identifier: GPL-2.0 */
/* The thread that sends to a relay. */
#ifndef PERFCTL_RELAY_SEND_H
#define PERFCTL_RELAY_SEND_H

/* Its argument is the sink. */
void *relay_send(void *arg);

#endif
