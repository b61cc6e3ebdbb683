/* SPDX-License-Identifier: GPL-2.0 */
/* A relay's two connections, and a session there. Blocks: for a thread of its own. */
#ifndef PERFCTL_RELAY_CONN_H
#define PERFCTL_RELAY_CONN_H

#include "url.h"
#include "wire.h"

/**
 * struct relay_conn - a session at a relay
 * @control: socket of commands and their answers; -1: none
 * @data:    socket of packets
 * @chunk:   what the files of the session are part of
 * @why:     what went wrong, once something did
 */
struct relay_conn {
	int control;
	int data;
	uint64_t chunk;
	char why[256];
};

/*
 * Connects, and makes the session. @nr: 0 for a new recording, which is refused if the relay
 * receives one of that name already; the others of the same recording count up.
 */
int relay_conn_open(struct relay_conn *c, const struct relay_url *u, uint64_t nr, uint32_t live_us,
		    struct msg *m);
void relay_conn_close(struct relay_conn *c);
/* Has the relay's machine not acknowledged what was sent for too long? Also in another thread. */
bool relay_conn_dead(const struct relay_conn *c);
/* Ends whatever waits for the relay, also in another thread. */
void relay_conn_abort(const struct relay_conn *c);

/* All below return 0, or -EIO with c->why. */
int relay_conn_send(struct relay_conn *c, int fd, const void *data, size_t len);
int relay_conn_receive(struct relay_conn *c, void *data, size_t len);
/* Sends one command, and takes @len bytes of answer. */
int relay_conn_ask(struct relay_conn *c, const struct strbuf *command, void *answer, size_t len);
/* Takes @n codes, each of which must be that of success. */
int relay_conn_codes(struct relay_conn *c, size_t n);
/* @id: by which the relay knows the new stream */
int relay_conn_stream(struct relay_conn *c, const char *path, const char *name, uint64_t *id);

#endif
