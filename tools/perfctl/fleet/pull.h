/* SPDX-License-Identifier: GPL-2.0 */
/* --from URL of commands that show recordings: what a store has takes the place of one. */
#ifndef PERFCTL_FLEET_PULL_H
#define PERFCTL_FLEET_PULL_H

#include "session/session.h"
#include "store/query.h"
#include "store/url.h"

/**
 * struct pull_opts - as typed
 * @from:  URL of the store, NULL: a recording is read
 * @since: begin
 * @until: end, NULL: now
 * @where: which samples, NULL: all
 */
struct pull_opts {
	const char *from;
	const char *since;
	const char *until;
	const char *where;
	struct store_opts store;
};

/* Of commands that know the time from elsewhere */
#define PULL_STORE_OPTS(type, member)                                                          \
	{ 0, OPT_HEADING, .help = "Instead of recordings, the store of a fleet" },             \
		{ 0,                                                                           \
		  OPT_STRING,                                                                  \
		  "from",                                                                      \
		  "URL",                                                                       \
		  "what \"perfctl push\" and agents sent there, added up in the store",        \
		  offsetof(type, member.from) },                                               \
		{ 0,                                                                           \
		  OPT_STRING,                                                                  \
		  "where",                                                                     \
		  "EXPR",                                                                      \
		  "only what fulfils EXPR on host, service, version, event and program, e.g. " \
		  "'service = \"db\" and host ~ \"eu-.*\"'",                                   \
		  offsetof(type, member.where) },                                              \
		STORE_OPTS(type, member.store)

#define PULL_OPTS(type, member)                                                                    \
	PULL_STORE_OPTS(type, member),                                                             \
		{ 0,                                                                               \
		  OPT_STRING,                                                                      \
		  "since",                                                                         \
		  "TIME",                                                                          \
		  "begin: how long ago, e.g. 2h or 3d, or a time in UTC (\"2026-11-22 03:00\"; "   \
		  "default: 1h)",                                                                  \
		  offsetof(type, member.since) },                                                  \
	{                                                                                          \
		0, OPT_STRING, "until", "TIME", "end (default: now)", offsetof(type, member.until) \
	}

/**
 * struct pull_shape - what a view needs to be apart
 * @host:    in the field "host" of records
 * @service: in the field "service"
 * @spans:   at most so many of time; 0: one
 * @bounded: for a page: by all of these, of which the heaviest are apart
 */
struct pull_shape {
	bool host;
	bool service;
	unsigned int spans;
	bool bounded;
};

/*
 * Opens the recording @input, see session_open(), or without o->from one that is made of what the
 * store has.
 */
int pull_session(struct session *s, const char *input, const struct pull_opts *o,
		 const struct pull_shape *shape, struct msg *m);
/* The same for a span of time, "FROM..TO" as typed, into a directory that the caller removes. */
int pull_span(struct received_dir *dir, const char *span, const struct pull_opts *o,
	      const struct pull_shape *shape, struct msg *m);
/* What is to be asked of that span; the store is asked for it by pull_answer(). */
int pull_query(struct store_query *q, const char *span, const struct pull_opts *o,
	       const struct pull_shape *shape, struct msg *m);
/* The same for o->since and o->until */
int pull_since(struct store_query *q, const struct pull_opts *o, const struct pull_shape *shape,
	       struct msg *m);
/* -ENODATA, in words, if there is nothing */
int pull_answer(const struct pull_opts *o, const struct store_query *q, struct answer *a,
		struct msg *m);
/* A time as typed, in seconds since the epoch; @now: as time() says */
int pull_time(const char *text, int64_t now, int64_t *at, struct msg *m);
/* What --sort KEYS needs */
struct pull_shape pull_shape_of(const char *sort);
/* What a page needs to choose from */
struct pull_shape pull_shape_page(void);

#endif
