// SPDX-License-Identifier: GPL-2.0
/* What a file has, or should have, and the trace made of it has not. See missing.h. */
#include "missing.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>

void import_unknown(struct import *im, const struct perf_event_header *r)
{
	im->unknown++;
	im->unknown_type = r->type;
}

static void add(struct strbuf *b, const char *fmt, ...) PRINTF(2, 3);
static void add(struct strbuf *b, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	strbuf_addf(b, "%s%s", b->len ? "; " : "", text);
}

void import_missing(const struct import *im, struct strbuf *b)
{
	char a[32];

	if (im->why_end)
		add(b, "%s (byte %" PRIu64 "), and what should follow is missing", im->why_end,
		    im->end_at);
	if (im->broken)
		add(b, "%s records made no sense and are missing", text_count(a, im->broken));
	if (im->unknown)
		add(b, "%s records are of types that this perfctl does not know, such as %u",
		    text_count(a, im->unknown), im->unknown_type);
	if (im->aux)
		add(b, "%s of AUX data (Intel PT, CoreSight, SPE and the like) cannot be read",
		    text_bytes(a, im->aux));
}
