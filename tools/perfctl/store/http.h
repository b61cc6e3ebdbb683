/* SPDX-License-Identifier: GPL-2.0 */
/* Statements to a store and their answers, by HTTP. */
#ifndef PERFCTL_STORE_HTTP_H
#define PERFCTL_STORE_HTTP_H

#include "url.h"

#include <errno.h>

struct http;

/* libcurl is loaded here: whatever asks no store does without it. */
int http_open(const struct store_url *url, struct http **h, struct msg *m);
void http_close(struct http *h);
/* What is being asked fails soon after *stop became true. */
void http_stop_by(struct http *h, volatile bool *stop);

/**
 * http_ask() - a statement
 * @sql:    the statement
 * @body:   rows in RowBinary that it inserts, compressed on their way; NULL: none
 * @answer: gets what it returns; NULL: nothing is expected
 *
 * Return: 0; -ENOTCONN if nothing was sent, as there is no way to the store; -EACCES if the store
 * does not know the credentials; -EIO if the statement failed; -EAGAIN if its answer did not
 * come: it may have been run.
 */
int http_ask(struct http *h, const char *sql, const struct strbuf *body, struct strbuf *answer,
	     struct msg *m);
/* For commands, to which it is all one whether something was sent: an error of http_ask() */
static inline int http_error(int err)
{
	return err == -ENOTCONN || err == -EAGAIN ? -EIO : err;
}

#endif
