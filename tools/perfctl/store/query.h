/* SPDX-License-Identifier: GPL-2.0 */
/* Samples of a store, added up there. */
#ifndef PERFCTL_STORE_QUERY_H
#define PERFCTL_STORE_QUERY_H

#include "answer.h"
#include "http.h"
#include "narrow.h"

/**
 * struct store_query - what to add up
 * @from:  seconds since the epoch ...
 * @to:    ... up to, but without
 * @where: condition, NULL: all; see where.h
 * @step:  seconds from @from on that are added up, a multiple of STORE_WINDOW; 0: all
 * @by_host: apart for each host
 * @by_service: the same
 * @sums:  call chains together: rows have none, and the answer has names only
 * @most:  by host, by service and of chains the heaviest alone are apart, and @step is the least;
 *         NULL: all are
 */
struct store_query {
	uint32_t from;
	uint32_t to;
	const char *where;
	uint32_t step;
	bool by_host;
	bool by_service;
	bool sums;
	const struct store_limits *most;
};

int store_ask(struct http *h, const struct store_query *q, struct answer *a, struct msg *m);
/* What is not apart has this number instead of its own. */
#define STORE_OTHERS 0

#endif
