/* SPDX-License-Identifier: GPL-2.0 */
/* Adds up samples of a session by time, service, event and call chain, and makes batches of them. */
#ifndef PERFCTL_FLEET_COLLECT_H
#define PERFCTL_FLEET_COLLECT_H

#include "session/session.h"
#include "store/insert.h"

/**
 * struct service - what a process belongs to
 * @name:    systemd unit, container, or as the user says
 * @version: of what is deployed, "" if it is not known
 */
struct service {
	const char *name;
	const char *version;
};

/* Returns the service of a process, valid until the next call. */
typedef struct service (*service_fn)(void *arg, uint32_t pid);

/* What distinguishes rows; the last three are numbers of elements in collect.  */
struct collect_row {
	uint32_t time;
	uint32_t service;
	uint32_t event;
	uint32_t stack;
	uint64_t samples;
	uint64_t weight;
};

struct collect_service {
	uint64_t id;
	char *name;
	char *version;
};

/* @id: 0: not needed yet */
struct collect_stack {
	uint64_t id;
	uint32_t comm;
	uint32_t chain;
	uint32_t frame;
};

/**
 * struct collect - samples on their way into batches
 * @host:    name of the machine
 * @remark:  what those who look at its samples are to know; NULL: nothing
 * @frames:  ids of frames of the session, 0: not needed yet
 */
struct collect {
	struct session *session;
	const char *host;
	const char *remark;
	service_fn service;
	void *arg;
	struct collect_row *rows;
	size_t n_rows, cap_rows;
	struct htab h_rows;
	struct collect_service *services;
	size_t n_services, cap_services;
	struct htab h_services;
	struct collect_stack *stacks;
	size_t n_stacks, cap_stacks;
	struct htab h_stacks;
	uint64_t *frames;
	size_t n_frames;
};

void collect_init(struct collect *c, struct session *session, const char *host, service_fn service,
		  void *arg);
void collect_free(struct collect *c);
/* Adds a sample. @ns: since the epoch; @times: it stands for so many of its period */
void collect_event(struct collect *c, const struct pev_event *ev, const struct session_class *cls,
		   int64_t ns, unsigned int times);
/* What a sample stands for; @times: see collect_event(). */
uint64_t collect_weight(const struct pev_event *ev, const struct session_class *cls,
			unsigned int times);
/* Moves the rows of the first day to @b; false if there are none. */
bool collect_take(struct collect *c, struct store_batch *b);
/* Forgets stacks and services, before session_forget(); there are no rows. */
void collect_forget(struct collect *c);

#endif
