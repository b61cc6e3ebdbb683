/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples as they come: they are decoded where they lie in the rings, and only a description of
 * what runs at the beginning is written, into a directory that is removed at the end.
 */
#ifndef PERFCTL_LIVE_SAMPLER_H
#define PERFCTL_LIVE_SAMPLER_H

#include "record/recorder.h"
#include "session/session.h"

struct sampler_ring;

/**
 * struct sampler - events of a session that has no end
 * @dir:   of the description
 * @later: see struct recorder_config
 * @rings: of the channel
 * @newest: no packet that was read ends later
 * @again:  for what is read again; @reread: the process whose records have
 *         not begun yet, 0: they have
 * @event: called for each event, in the order of time; what sideband events say has taken effect
 *         already
 */
struct sampler {
	struct recorder recorder;
	struct session session;
	struct sampler_ring *rings;
	size_t n_rings, cap_rings;
	uint64_t newest;
	char *dir;
	bool later;
	struct pev_decoder *again;
	uint32_t reread;
	void (*event)(void *arg, const struct pev_event *ev, const struct session_class *cls);
	void *arg;
};

/*
 * Opens the events of a plan on a target and learns what runs there; @l is zeroed but for
 * @event, @arg and @later. sampler_close() is needed after an error, too.
 */
int sampler_open(struct sampler *l, const char *command, struct event_plan *plan,
		 const struct target *target, struct msg *m);
/*
 * Takes what complete packets of all rings have, up to the newest one of the last call; @all: to
 * their end, as nothing writes any more.
 */
void sampler_take(struct sampler *l, bool all);
/*
 * Reads from /proc what a process is and has mapped, in place of what was known of it: events that
 * said so are missing. Returns 1, 0: it has ended, or -errno.
 */
int sampler_reread(struct sampler *l, uint32_t pid);
void sampler_close(struct sampler *l);

#endif
