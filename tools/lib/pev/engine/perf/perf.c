// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The engine: its handles, and what is done to them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/perf/channel.h"
#include "engine/perf/cpus.h"
#include "engine/perf/error.h"
#include "engine/perf/event.h"
#include "engine/perf/info.h"
#include "engine/perf/perf.h"
#include "engine/perf/places.h"
#include "engine/perf/tracepoint.h"

int perf_remember(struct perf_engine *engine, int handle, struct event *event,
		  struct channel *channel)
{
	size_t room = engine->room ? engine->room : 64;
	struct event **events;
	struct channel **channels;

	while (room <= (size_t)handle)
		room *= 2;
	if (room > engine->room) {
		events = realloc(engine->events, room * sizeof(*events));
		if (events)
			engine->events = events;
		channels = realloc(engine->channels, room * sizeof(*channels));
		if (channels)
			engine->channels = channels;
		if (!events || !channels)
			return -ENOMEM;
		memset(events + engine->room, 0, (room - engine->room) * sizeof(*events));
		memset(channels + engine->room, 0, (room - engine->room) * sizeof(*channels));
		engine->room = room;
	}
	engine->events[handle] = event;
	engine->channels[handle] = channel;
	return 0;
}

struct event *perf_event_of(struct pev_engine *base, int handle)
{
	struct perf_engine *engine = perf_of(base);

	return handle >= 0 && (size_t)handle < engine->room ? engine->events[handle] : NULL;
}

struct channel *perf_channel_of(struct pev_engine *base, int handle)
{
	struct perf_engine *engine = perf_of(base);

	return handle >= 0 && (size_t)handle < engine->room ? engine->channels[handle] : NULL;
}

static void release(struct pev_engine *base)
{
	struct perf_engine *engine = perf_of(base);

	perf_places_free(&engine->held.places);
	free(engine->events);
	free(engine->channels);
	if (engine->uevents >= 0)
		close(engine->uevents);
	free(engine);
}

static int open_one(struct pev_engine *base, struct pev_attr *attr, struct pev_error *err)
{
	struct perf_engine *engine = perf_of(base);
	int ret;

	switch (attr->type) {
	case PEV_TYPE_CHANNEL:
		ret = perf_channel_new(engine, attr, err);
		break;
	case PEV_TYPE_INFO:
	case PEV_TYPE_CATALOG:
	case PEV_TYPE_PMU:
		return pev_fail(err, EOPNOTSUPP, 0, "perf_event_open(2) has no text about the "
				"counters: it needs a kernel with pev");
	default:
		ret = perf_event_new(engine, attr, err);
	}
	/* not only events take descriptors: files of proc, sysfs and tracefs, too */
	return ret == -EMFILE ? perf_fail_files(err) : ret;
}

static void close_one(struct pev_engine *base, int handle)
{
	struct channel *channel = perf_channel_of(base, handle);
	struct event *event = perf_event_of(base, handle);

	if (channel)
		perf_channel_free(perf_of(base), channel);
	if (event)
		perf_event_free(perf_of(base), event);
}

/* Acts on an event, on a group by its leader, or on all events of a channel. */
static int each(struct pev_engine *base, int handle, unsigned int flags,
		int (*fn)(struct event *event, void *arg), void *arg)
{
	struct channel *channel = perf_channel_of(base, handle);
	struct event *event = perf_event_of(base, handle);
	int ret;

	if (flags & ~PEV_IOF_GROUP)
		return -EINVAL;
	if (channel)
		return perf_channel_each(channel, fn, arg);
	if (!event)
		return -EBADF;
	ret = fn(event, arg);
	for (size_t i = 0; flags & PEV_IOF_GROUP && i < event->nr_members && !ret; i++)
		ret = fn(event->members[i], arg);
	return ret;
}

static int enable_one(struct event *event, void *arg)
{
	return perf_event_enable(event, *(bool *)arg);
}

static int enable(struct pev_engine *base, int handle, bool on, unsigned int flags)
{
	return each(base, handle, flags, enable_one, &on);
}

static int reset_one(struct event *event, void *arg)
{
	(void)arg;
	return perf_event_reset(event);
}

static int reset(struct pev_engine *base, int handle, unsigned int flags)
{
	return each(base, handle, flags, reset_one, NULL);
}

static int set_period_one(struct event *event, void *arg)
{
	return event->attr.sample_period ? perf_event_period(event, *(uint64_t *)arg) : 0;
}

static int set_period(struct pev_engine *base, int handle, uint64_t period)
{
	return each(base, handle, false, set_period_one, &period);
}

struct filter {
	const char	*text;
	struct pev_error	*err;
	bool		many;
};

static int set_filter_one(struct event *event, void *arg)
{
	const struct filter *f = arg;

	if (f->many && event->type != PEV_TYPE_TRACEPOINT)
		return 0;
	return perf_event_filter(event, f->text, f->err);
}

static int set_filter(struct pev_engine *base, int handle, const char *filter,
		      struct pev_error *err)
{
	struct filter f = { filter, err, perf_channel_of(base, handle) };

	return each(base, handle, false, set_filter_one, &f);
}

static int read_values(struct pev_engine *base, int handle, struct pev_value *values,
		       unsigned int room)
{
	struct event *event = perf_event_of(base, handle);
	unsigned int nr;
	int ret;

	if (!event)
		return -EBADF;
	nr = 1 + (event->read_group ? (unsigned int)event->nr_members : 0);
	if (room < nr)
		return -ENOSPC;
	ret = perf_event_read(event, values);
	for (unsigned int i = 1; i < nr && !ret; i++)
		ret = perf_event_read(event->members[i - 1], &values[i]);
	return ret ? ret : (int)nr;
}

static int read_cpus(struct pev_engine *base, int handle, struct pev_value *values,
		     unsigned int *nr)
{
	struct event *event = perf_event_of(base, handle);

	return event ? perf_event_read_cpus(event, values, nr) : -EBADF;
}

static int read_multiplexed(struct pev_engine *base, int handle, struct pev_multiplexed *m)
{
	(void)base;
	(void)handle;
	(void)m;
	return -EOPNOTSUPP;
}

static int flush(struct pev_engine *base, int handle)
{
	struct channel *channel = perf_channel_of(base, handle);

	return channel ? perf_channel_flush(channel) : -EBADF;
}

static int snapshot(struct pev_engine *base, int handle, struct pev_span *spans,
		    unsigned int *nr)
{
	struct channel *channel = perf_channel_of(base, handle);

	return channel ? perf_channel_snapshot(channel, spans, nr) : -EBADF;
}

static int metadata(struct pev_engine *base, int handle, char **text, size_t *len)
{
	struct channel *channel = perf_channel_of(base, handle);

	return channel ? perf_channel_metadata(channel, text, len) : -EBADF;
}

static int map(struct pev_engine *base, int handle, struct pev_channel **mapped)
{
	struct channel *channel = perf_channel_of(base, handle);

	return channel ? perf_channel_map(channel, mapped) : -EBADF;
}

static bool exact_losses(const struct pev_engine *base)
{
	const struct perf_engine *engine = (const struct perf_engine *)base;

	return engine->features & PERF_HAS_LOST;
}

static const struct engine_ops ops = {
	.name = "perf",
	.exact_losses = exact_losses,
	.free = release,
	.info = perf_info,
	.catalog = perf_catalog,
	.fields = perf_fields,
	.open = open_one,
	.close = close_one,
	.enable = enable,
	.reset = reset,
	.set_period = set_period,
	.set_filter = set_filter,
	.read_values = read_values,
	.read_cpus = read_cpus,
	.read_multiplexed = read_multiplexed,
	.refresh = perf_cpus_refresh,
	.flush = flush,
	.snapshot = snapshot,
	.metadata = metadata,
	.map = map,
};

/* Whether it works at all is known before anything is asked for. */
static int try_out(struct pev_error *err)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof(attr),
		.disabled = 1, .exclude_kernel = 1,
	};
	int fd = perf_open(&attr, 0, -1, -1, 0);

	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (fd == -ENOSYS)
		return pev_fail(err, ENOSYS, 0, "this kernel has neither pev nor perf events "
				"(CONFIG_PERF_EVENTS)");
	if (fd == -EMFILE)
		return perf_fail_files(err);
	if (perf_paranoid() > 2)
		return pev_fail(err, -fd, 0, "kernel.perf_event_paranoid is %d, so that only root "
				"may measure anything: as root, \"sysctl "
				"kernel.perf_event_paranoid=2\" lets everyone measure programs of "
				"their own", perf_paranoid());
	return pev_fail(err, -fd, 0,
			"perf_event_open(2) is not permitted here: a seccomp filter (as "
			"containers have) or a security module forbids it");
}

int engine_perf_new(struct pev_engine **base, struct pev_error *err)
{
	struct perf_engine *engine;
	int ret = try_out(err);

	if (ret)
		return ret;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		return pev_fail(err, ENOMEM, 0, "no memory");
	engine->base.ops = &ops;
	engine->features = perf_features();
	engine->tracefs = perf_tracefs();
	perf_cpus_watch(engine);
	*base = &engine->base;
	return 0;
}
