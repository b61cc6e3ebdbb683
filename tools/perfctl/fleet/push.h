/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl push: the samples of a recording go into a store, each of them once. */
#ifndef PERFCTL_FLEET_PUSH_H
#define PERFCTL_FLEET_PUSH_H

#include "collect.h"
#include "store/http.h"

/**
 * struct push_config - what to push, and as what
 * @path:    the recording
 * @host:    NULL: as recorded
 * @service: of all its processes
 */
struct push_config {
	const struct store_url *url;
	const char *path;
	const char *host;
	struct service service;
};

/**
 * struct push_result - what became of it
 * @samples: that were sent
 * @already: that the store had
 */
struct push_result {
	uint64_t samples;
	uint64_t already;
};

int push_recording(const struct push_config *config, struct push_result *r, struct msg *m);

#endif
