/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples as they come: they are decoded where they lie in the rings, and only a description of
 * what runs at the beginning is written, into a directory that is removed at the end.
 */
#ifndef PERFCTL_VIEWS_SAMPLER_H
#define PERFCTL_VIEWS_SAMPLER_H

#include "record/recorder.h"
#include "session/session.h"

/**
 * struct sampler - events of a session that has no end
 * @dir:   of the description
 * @event: called for each event; what sideband events say has taken effect already
 */
struct sampler {
	struct recorder recorder;
	struct session session;
	struct pev_decoder *decoder;
	char *dir;
	void (*event)(void *arg, const struct pev_event *ev, const struct session_class *cls);
	void *arg;
};

/*
 * Opens the events of a plan on a target and learns what runs there; @l is zeroed but for
 * @event and @arg. sampler_close() is needed after an error, too.
 */
int sampler_open(struct sampler *l, const char *command, struct event_plan *plan,
		 const struct target *target, struct msg *m);
/* Takes all complete packets of all rings. */
void sampler_take(struct sampler *l);
void sampler_close(struct sampler *l);

#endif
