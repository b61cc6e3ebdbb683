/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads the samples of a recording into a profile, in several threads: each takes
 * one span of time after another, and the results are merged in order of time. The
 * profile is the same to the last number with any number of threads.
 *
 * Shared by report and all commands that show the same in another form.
 */
#ifndef PERFCTL_PROFILE_LOAD_H
#define PERFCTL_PROFILE_LOAD_H

#include "profile.h"
#include "topology.h"
#include "cli/suggest.h"
#include "session/session.h"

#include <pthread.h>

/**
 * struct load_config - which samples to load, and what distinguishes them
 * @mask:    bits of enum sort_key
 * @fields:  names of fields of events, for SORT_FIELD and the following
 * @chains:  keep call chains
 * @event:   globs, NULL: all ...
 * @except:  ... but these, NULL: none
 * @from:    ns since the epoch
 * @to:      the same
 * @quantum: ns that make a span of time, for SORT_TIME
 * @threads: 0: as many as there are CPUs, if it is worth it
 * @weigh:   what is left of a sample's weight at its time, ns since the epoch, 0: it is left
 *           out; NULL: all of it. Records that are no samples are left out then. Called in
 *           any thread
 * @weigher: for @weigh
 */
struct load_config {
	unsigned int mask;
	const char *fields[FIELDS_MAX];
	bool chains;
	const char *event;
	const char *except;
	int64_t from;
	int64_t to;
	uint64_t quantum;
	uint64_t threads;
	uint64_t (*weigh)(const void *weigher, const struct thread *thread, uint64_t weight,
			  int64_t ns);
	const void *weigher;
};

struct load;
typedef void (*load_progress_fn)(void *arg, uint64_t done, uint64_t total);

/**
 * struct load - while samples are read, and after
 * @session:  the trace
 * @profile:  what is filled
 * @begin:    of the trace, ns since the epoch
 * @fields:   for each class FIELDS_MAX fields, NULL where it has none
 * @rare:     samples are distinguished by more than event, name and place
 * @topology: if samples are distinguished by it
 * @verdicts: for each event: 1 wanted, 0 not
 * @chains:   samples had call chains
 * @progress: called now and then, by any thread, with @lock held; may be NULL
 * @lock:     the profile while load_run() is at work
 * @wanted:   another thread waits for @lock
 * @stop:     set to end load_run() early
 * @run:      what fills the profile instead of load_run(), for the terminal
 *            interface; NULL: load_run()
 * @owner:    for @run
 * @live:     how @run describes itself; "" if it is not a live source
 * @forgot:   grows when the numbers that rows have became those of others
 * @scale:    what weights are multiplied by, 0: nothing
 */
struct load {
	struct session *session;
	struct profile profile;
	struct load_config config;
	int64_t begin;
	const struct pev_field **fields;
	bool rare;
	struct topology topology;
	uint8_t *verdicts;
	bool chains;
	load_progress_fn progress;
	void *arg;
	uint64_t total;
	uint64_t done;
	pthread_mutex_t lock;
	volatile bool wanted;
	volatile bool stop;
	int (*run)(struct load *l, struct msg *m);
	void *owner;
	char live[96];
	uint64_t forgot;
	uint64_t scale;
};

void load_init(struct load *l, struct session *session, const struct load_config *config);
/* Reads all; 0 or -errno. Functions are found by stacks_resolve() afterwards. */
int load_run(struct load *l, struct msg *m);
/*
 * Initializes @l, reads all with a bar on the terminal, and finds the functions; 0 or -errno.
 * load_free() is needed after an error, too.
 */
int load_samples(struct load *l, struct session *session, const struct load_config *config,
		 struct msg *m);
void load_free(struct load *l);

/* Returns the number in profile.values of the trace id that an event carries, 0: none. */
uint32_t load_request(struct profile *p, const struct pev_event *ev);

/* Returns whether any event has such a field, FIELD or EVENT.FIELD. For sort_parse(). */
bool load_has_field(void *session, const char *name, struct suggestion *near,
		    struct strbuf *all);

/* Returns whether records of a class are samples, each of which stands for time or for a count. */
bool load_weighs(const struct session *f, unsigned int class_index);

/* "FROM,TO" in seconds from @begin; either may be missing; NULL: everything. */
int load_parse_time(const char *text, int64_t begin, int64_t *from, int64_t *to, struct msg *m);
/* See parse_time(). Refuses spans that @f has too many of. */
int load_parse_quantum(const struct session *f, const char *text, uint64_t *ns, struct msg *m);
/* Returns a span, 1, 2 or 5 times a power of ten, that cuts a recording into about @n. */
uint64_t load_quantum(const struct session *f, unsigned int n);

/* load.c, for load_parts.c */
struct load_part {
	struct profile *profile;
	bool chains;
};

void load_event(const struct load *l, struct load_part *part, const struct pev_event *ev,
		const struct session_class *cls, int64_t ns);
/* Returns whether the time of a sample matters. */
bool load_timed(const struct load *l);

#endif
