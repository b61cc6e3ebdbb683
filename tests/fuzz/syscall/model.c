// SPDX-License-Identifier: GPL-2.0
/*
 * The objects that a worker has open: slots of channels and events. An operation
 * names a slot; where that one is empty the next one is meant.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

void model_init(struct player *w)
{
	for (unsigned int i = 0; i < CHANNELS; i++) {
		w->channels[i].fd = -1;
		w->channels[i].members = calloc(CHANNEL_IDS, sizeof(struct member));
	}
	for (unsigned int i = 0; i < EVENTS; i++)
		w->events[i].fd = -1;
	for (unsigned int i = 0; i < OTHERS; i++)
		w->others[i] = -1;
	for (unsigned int i = 0; i < CGROUPS; i++)
		w->cgroups[i] = -1;
	for (unsigned int i = 0; i < VICTIMS; i++)
		w->victims[i].sock = -1;
}

/* NULL if none is open. */
struct event *pick_event(struct player *w, unsigned int from)
{
	for (unsigned int i = 0; i < EVENTS; i++) {
		struct event *e = &w->events[(from + i) % EVENTS];

		if (e->fd >= 0)
			return e;
	}
	return NULL;
}

struct channel *pick_channel(struct player *w, unsigned int from)
{
	for (unsigned int i = 0; i < CHANNELS; i++) {
		struct channel *c = &w->channels[(from + i) % CHANNELS];

		if (c->fd >= 0)
			return c;
	}
	return NULL;
}

void channel_opened(struct channel *c, int fd, bool overwrite)
{
	struct member *members = c->members;

	memset(members, 0, CHANNEL_IDS * sizeof(*members));
	memset(c, 0, sizeof(*c));
	c->members = members;
	c->fd = fd;
	c->overwrite = overwrite;
	c->followed = !overwrite;
	c->info.size = sizeof(c->info);
	if (k_ioctl(fd, PEV_IOC_CHANNEL_INFO, (uintptr_t)&c->info))
		broken("PEV_IOC_CHANNEL_INFO: %s", strerror(errno));
	if (c->info.nr_rings > MAX_CPUS)
		c->followed = false;
}

/* From here on its records say nothing about its events. */
void channel_taint(struct channel *c)
{
	c->followed = false;
}

/* Looks once more whether the books balance. */
void channel_close(struct channel *c)
{
	if (c->fd < 0)
		return;
	law_channel(c);
	rings_scan(c);
	rings_unmap(c);
	for (unsigned int i = 0; i < EVENTS; i++)
		if (me->events[i].channel == c) {
			me->events[i].channel = NULL;
			me->events[i].member = NULL;
		}
	k_close(c->fd);
	c->fd = -1;
}

void event_opened(struct event *e, int fd, const struct pev_attr *attr,
		  const struct layout *layout, struct channel *c)
{
	struct pev_id id = { .size = sizeof(id) };

	memset(e, 0, sizeof(*e));
	e->fd = fd;
	e->attr = *attr;
	e->layout = *layout;
	e->channel = c;
	e->one = attr->period == 1 || attr->type == PEV_TYPE_SIDEBAND ||
		 attr->type == PEV_TYPE_WAIT || attr->type == PEV_TYPE_USTACK;
	e->one &= !(attr->flags & PEV_F_FREQ) && attr->channel_fd >= 0;
	/* what the kernel could not tell a probe of is lost, but no value */
	e->one &= attr->type != PEV_TYPE_PROBE;
	e->own = attr->target == PEV_TARGET_TASK && !attr->target_id;
	e->opened = k_started;
	if (!c)
		return;
	id.lengths = (uintptr_t)e->layout.lengths;
	id.nr_lengths = ARRAY_SIZE(e->layout.lengths);
	if (k_ioctl(fd, PEV_IOC_ID, (uintptr_t)&id))
		broken("PEV_IOC_ID: %s", strerror(errno));
	if (id.id >= CHANNEL_IDS || id.nr_lengths > ARRAY_SIZE(e->layout.lengths)) {
		channel_taint(c);
		return;
	}
	if (id.sample != attr->sample || id.channel != c->info.id)
		broken("PEV_IOC_ID: sample %#llx channel %llu for %#llx and %llu",
		       (llu)id.sample, (llu)id.channel, (llu)attr->sample, (llu)c->info.id);
	e->layout.payload = id.payload_size;
	e->layout.nr_lengths = id.nr_lengths;
	e->member = &c->members[id.id];
	if (e->member->used && c->followed)
		broken("id %llu was given out twice", (llu)id.id);
	*e->member = (struct member){ .used = true, .layout = e->layout, .event = e,
				      .attr = *attr };
	if (id.id >= c->nr_ids)
		c->nr_ids = id.id + 1;
}

void event_close(struct event *e)
{
	if (e->fd < 0)
		return;
	if (e->channel && e->channel->followed && e->member) {
		struct pev_value v;

		if (k_ioctl(e->fd, PEV_IOC_DISABLE, 0))
			e->member->reset = true;
		v = law_value(e);
		e->member->samples = v.samples;
		e->member->lost = v.lost;
		e->member->event = NULL;
		e->member->off_by = 0;
		/* the channel may switch it on again */
		e->member->reset |= e->shared;
	}
	k_close(e->fd);
	e->fd = -1;
	e->channel = NULL;
	e->member = NULL;
}

/* All of it, in any order. */
void model_close(struct player *w, struct rng *r)
{
	unsigned int from = rnd(r);

	if (one_in(r, 2))
		for (unsigned int i = 0; i < CHANNELS; i++)
			channel_close(&w->channels[(from + i) % CHANNELS]);
	for (unsigned int i = 0; i < EVENTS; i++)
		event_close(&w->events[(from + i * 7) % EVENTS]);
	for (unsigned int i = 0; i < CHANNELS; i++)
		channel_close(&w->channels[(from + i) % CHANNELS]);
	for (unsigned int i = 0; i < OTHERS; i++) {
		if (w->others[i] >= 0)
			k_close(w->others[i]);
		w->others[i] = -1;
	}
	for (unsigned int i = 0; i < MAPS; i++) {
		if (w->maps[i].at)
			k_munmap(w->maps[i].at, w->maps[i].size);
		w->maps[i].at = NULL;
	}
}
