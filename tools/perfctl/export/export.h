/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl export: reads a recording once, event by event, and a format turns it into
 * what other programs read. Formats keep tables (names, call chains, threads) but
 * never events, so that a longer recording takes no more memory.
 */
#ifndef PERFCTL_EXPORT_EXPORT_H
#define PERFCTL_EXPORT_EXPORT_H

#include "base/output.h"
#include "profile/profile.h"

struct exporter;

/**
 * struct export - one run of the command
 * @profile: for formats that write nothing before the end
 * @begin:  of the trace, ns since the epoch
 * @state:  the format's own
 * @names:  cache of function names, see export_func_name()
 * @exported: events that the format was given, other than sideband; one that shows others says
 *          at its end how many
 */
struct export {
	const struct exporter *format;
	struct session session;
	struct profile profile;
	struct out out;
	int64_t begin;
	void *state;
	struct {
		char *name;
	} *names;
	size_t n_names;
	uint8_t *verdicts;
	const char *event;
	uint64_t exported;
};

/**
 * struct exporter - a format
 * @name:    as typed
 * @file:    default output
 * @binary:  nothing for a terminal
 * @samples: of the recording's events only those that have an address or a
 *           call chain are of use
 * @requests: samples of different requests are kept apart
 * @begin:   writes what comes first; all of these may be NULL but @event
 * @event:   each event that was asked for, and each sideband event (which has
 *           taken effect already)
 * @end:     writes the rest
 * @free:    frees export.state, which may be NULL
 */
struct exporter {
	const char *name;
	const char *file;
	bool binary;
	bool samples;
	bool requests;
	int (*begin)(struct export *x, struct msg *m);
	int (*event)(struct export *x, const struct pev_event *ev, const struct session_class *cls,
		     struct msg *m);
	int (*end)(struct export *x, struct msg *m);
	void (*free)(struct export *x);
};

#endif
