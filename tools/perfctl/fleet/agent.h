/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl agent: samples the whole machine without end, and sends what they add up to. */
#ifndef PERFCTL_FLEET_AGENT_H
#define PERFCTL_FLEET_AGENT_H

#include "collect.h"
#include "counters.h"
#include "figures.h"
#include "listen.h"
#include "sender.h"
#include "services.h"
#include "outbox.h"
#include "event/spec.h"
#include "live/sampler.h"
#include "live/shed.h"

/**
 * struct agent_opts - as typed
 * @spool:    directory
 * @most:     bytes in it
 * @hz:       samples a second of each busy CPU
 * @interval: ns between two batches
 * @timeout:  ns until the end, 0: never
 * @host:     NULL: the machine's name
 * @metrics:  ADDRESS:PORT, NULL: none
 * @events:   that are sampled
 * @counted:  that are counted, for @metrics
 * @cpu_limit: percent of one CPU that the agent may take; above, it samples less often
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
	double cpu_limit;
	bool quiet;
	struct event_list events;
	struct event_list counted;
	struct store_opts store;
};

/**
 * struct agent - one run
 * @lock:    of @figures and @counters, which the listener's threads read
 * @shed:    how often it samples
 * @purse:   processor time, ns, that reading the rings may still take, until what tells of processes
 *           is switched off ...
 * @filled:  ... and when it was filled last
 * @blind:   when that was switched off, 0: it is on
 * @doubted: when what is known of processes was doubted last
 * @said_blind: and the user knows
 * @missing: records were lost since processes were looked after
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
	struct counters counters;
	struct shed shed;
	uint64_t purse;
	uint64_t filled;
	uint64_t blind;
	uint64_t doubted;
	bool said_blind;
	bool missing;
	volatile bool stop;
};

/* Samples until a signal comes, or opts->timeout. */
int agent_run(const struct agent_opts *opts, const struct store_url *url, struct msg *m);

#endif
