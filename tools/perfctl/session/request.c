// SPDX-License-Identifier: GPL-2.0
/* Requests as text. See request.h. */
#include "request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TRACE_DIGITS 32
#define SPAN_DIGITS 16

const char *request_trace(char buf[REQUEST_TEXT], const struct pev_request *r)
{
	snprintf(buf, REQUEST_TEXT, "%016" PRIx64 "%016" PRIx64, r->trace_high, r->trace_low);
	return buf;
}

const char *request_whole(char buf[REQUEST_TEXT], const struct pev_request *r)
{
	snprintf(buf, REQUEST_TEXT, "%016" PRIx64 "%016" PRIx64 "/%016" PRIx64, r->trace_high,
		 r->trace_low, r->span);
	return buf;
}

/* 16 digits of a number; nothing else may be among them, as scanf() would take. */
static bool take(const char *text, uint64_t *n)
{
	*n = 0;
	for (unsigned int i = 0; i < 16; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *at = text[i] ? strchr(digits, text[i] | 0x20) : NULL;

		if (!at)
			return false;
		*n = *n << 4 | (uint64_t)(at - digits);
	}
	return true;
}

int request_parse(struct pev_request *r, const char *option, const char *text, struct msg *m)
{
	size_t len = strlen(text);
	bool whole = len == TRACE_DIGITS + 1 + SPAN_DIGITS && text[TRACE_DIGITS] == '/';

	r->span = 0;
	if ((len == TRACE_DIGITS || whole) && take(text, &r->trace_high) &&
	    take(text + 16, &r->trace_low) && (!whole || take(text + TRACE_DIGITS + 1, &r->span)))
		return 0;
	return msg_set(
		m, -EINVAL,
		"%s takes the 32 hexadecimal digits of a trace id, and perhaps \"/\" and the "
		"16 of a span, as \"perfctl report --sort request\" prints them, not \"%s\"",
		option, text);
}

bool request_matches(const struct pev_request *asked, const struct pev_request *r)
{
	return asked->trace_high == r->trace_high && asked->trace_low == r->trace_low &&
	       (!asked->span || asked->span == r->span);
}
