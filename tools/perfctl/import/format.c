// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the formats of tracepoints, which perf copies from the kernel's tracing
 * directory into its file, in the form of trace-cmd.
 */
#include "format.h"
#include "import.h"

#define MAX_FORMATS 65536

static bool take_magic(struct bytes *b, const char *magic, size_t len)
{
	const void *p = bytes_take(b, len);

	return p && !memcmp(p, magic, len);
}

/* Takes a text with its length before it. */
static const char *take_sized(struct bytes *b, uint64_t *len)
{
	*len = bytes_u64(b);
	return bytes_take(b, *len);
}

static void read_systems(struct import *im, struct bytes *b)
{
	uint32_t systems = bytes_u32(b);
	uint64_t len;

	for (uint32_t i = 0; i < systems && !b->short_; i++) {
		const char *nul = memchr(b->p, 0, (size_t)(b->end - b->p)), *system, *text;
		uint32_t n;

		if (!nul)
			return;
		system = bytes_text(b, (uint64_t)(nul + 1 - (const char *)b->p));
		n = bytes_u32(b);
		for (uint32_t k = 0; k < n && !b->short_; k++) {
			text = take_sized(b, &len);
			if (!text || ++im->formats > MAX_FORMATS)
				continue;
			if (pev_perf_format(im->perf, system, text, len))
				checked(NULL);
		}
	}
}

void import_tracing_data(struct import *im, struct bytes b)
{
	uint64_t len;
	uint32_t n;

	if (im->formats || !take_magic(&b, "\x17\x08\x44tracing", 10))
		return;
	while (b.p < b.end && *b.p) /* version */
		b.p++;
	bytes_take(&b, 1);
	bytes_take(&b, 2); /* byte order, size of a long */
	bytes_u32(&b);	   /* of a page */
	if (!take_magic(&b, "header_page", 12))
		return;
	take_sized(&b, &len);
	if (!take_magic(&b, "header_event", 13))
		return;
	take_sized(&b, &len);
	n = bytes_u32(&b);
	for (uint32_t i = 0; i < n && !b.short_; i++)
		take_sized(&b, &len);
	read_systems(im, &b);
}
