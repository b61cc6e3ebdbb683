/* SPDX-License-Identifier: GPL-2.0 */
/* The requests that threads said they work for, as people write them: in hexadecimal. */
#ifndef PERFCTL_SESSION_REQUEST_H
#define PERFCTL_SESSION_REQUEST_H

#include "cli/opt.h"

#include <pev/pev.h>

#define REQUEST_TEXT 56

/* "4bf92f3577b34da6a3ce929d0e0e4736", the trace id; returns @buf. */
const char *request_trace(char buf[REQUEST_TEXT], const struct pev_request *r);
/* The same with the span's behind it: "4bf9...4736/00f067aa0ba902b7" */
const char *request_whole(char buf[REQUEST_TEXT], const struct pev_request *r);
/* Takes what either printed; the span of a trace id alone is 0. @option: for the message */
int request_parse(struct pev_request *r, const char *option, const char *text, struct msg *m);
/* Is @r part of what was asked for: of its trace, and of its span if there is one? */
bool request_matches(const struct pev_request *asked, const struct pev_request *r);

#endif
