/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl agent: samples the whole machine without end, and sends what they add up to. */
#ifndef PERFCTL_FLEET_AGENT_H
#define PERFCTL_FLEET_AGENT_H

#include "collect.h"
#include "figures.h"
#include "listen.h"
#include "sender.h"
#include "services.h"
#include "outbox.h"
#include "event/spec.h"
#include "live/sampler.h"

/**
 * struct agent_opts - as typed
 * @spool:    directory
 * @most:     bytes in it
 * @hz:       samples a second of each busy CPU
 * @interval: ns between two batches
 * @timeout:  ns until the end, 0: never
 * @host:     NULL: the machine's name
 * @metrics:  ADDRESS:PORT, NULL: none
 * @quiet:    print only what goes wrong
 */
struct agent_opts {
	const char *spool;
	uint64_t most;
	uint64_t hz;
	uint64_t interval;
	uint64_t timeout;
	const char *host;
	const char *metrics;
	bool quiet;
	struct event_list events;
	struct store_opts store;
};

/**
 * struct agent - one run
 * @lock:    of @figures, which the listener's threads read
 * @stop:    a signal came
 */
struct agent {
	const struct agent_opts *opts;
	struct event_plan plan;
	struct target target;
	struct sampler sampler;
	struct services services;
	struct collect collect;
	struct outbox outbox;
	struct sender sender;
	char host[256];
	struct listener *listener;
	pthread_mutex_t lock;
	struct figures figures;
	volatile bool stop;
};

/* Samples until a signal comes, or opts->timeout. */
int agent_run(const struct agent_opts *opts, const struct store_url *url, struct msg *m);

#endif
