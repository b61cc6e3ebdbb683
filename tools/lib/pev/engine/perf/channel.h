/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Channels: perf's rings and ours.
 */
#ifndef _PEV_ENGINE_PERF_CHANNEL_H
#define _PEV_ENGINE_PERF_CHANNEL_H

#include "engine/perf/perf.h"

int perf_channel_new(struct perf_engine *engine, const struct pev_attr *attr,
		     struct pev_error *err);
void perf_channel_free(struct perf_engine *engine, struct channel *channel);
/* Lets a perf event of @event on @cpu write into the channel. */
int perf_channel_join(struct channel *channel, struct event *event, int fd, int cpu,
		      struct pev_error *err);
/* The event has a class of its own in the metadata */
int perf_channel_describe(struct channel *channel, struct event *event);
void perf_channel_leave(struct channel *channel, struct event *event);
/* Returns the perf event that has all sideband records, NULL if there is none yet. */
struct event *perf_channel_sideband(struct channel *channel);
void perf_channel_set_sideband(struct channel *channel, struct event *event);
/* Hands an event over that the user does not know of. */
void perf_channel_set_functions(struct channel *channel, struct event *event);
uint32_t perf_channel_watermark(const struct channel *channel);
/* Fills our rings from perf's. 0, 1: ours are full and perf's are not empty, or -errno */
int perf_channel_pump(struct channel *channel);
int perf_channel_flush(struct channel *channel);
int perf_channel_snapshot(struct channel *channel, struct pev_span *spans, unsigned int *nr);
int perf_channel_metadata(struct channel *channel, char **text, size_t *len);
int perf_channel_map(struct channel *channel, struct pev_channel **mapped);
int perf_channel_each(struct channel *channel, int (*fn)(struct event *event, void *arg),
		      void *arg);

#endif /* _PEV_ENGINE_PERF_CHANNEL_H */
