// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Traces that are being written: what was added since the last look.
 *
 * The order matters. What says how far the streams are complete is read first, then the
 * metadata, which are written before the packets that need them, and the streams last: so
 * they have at least what was promised.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/file.h"
#include "trace/older.h"
#include "trace/info.h"
#include "trace/trace.h"

static bool has_line(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (; text; text = strchr(text, '\n'), text += text != NULL)
		if (!strncmp(text, line, len))
			return true;
	return false;
}

/* Has its writer written the last word? */
static bool is_ended(const struct pev_trace *trace)
{
	bool ended;
	size_t len;
	char *text;

	if (pev_trace_info_file(trace, "record", &text, &len))
		return false;
	ended = has_line(text, "complete=yes\n") || has_line(text, "error=") ||
		has_line(text, "incomplete=");
	free(text);
	return ended;
}

/* A text that is changing is left for the next time. */
static void read_limit(struct pev_trace *trace)
{
	unsigned long long a, b;
	size_t len;
	char *text;

	if (pev_trace_info_file(trace, SYNCED_FILE, &text, &len))
		return;
	if (len == SYNCED_LEN && sscanf(text, "%llu %llu", &a, &b) == 2 && a == b &&
	    a > trace->limit)
		trace->limit = a;
	free(text);
}

/* What is not a whole text yet is read again. */
static int read_metadata(struct pev_trace *trace)
{
	struct pev_meta *meta = trace->metas[0];
	char *path, *text;
	size_t len;
	int ret;

	if (asprintf(&path, "%s/metadata", trace->path) < 0)
		return -ENOMEM;
	ret = pev_read_file(path, &text, &len);
	free(path);
	if (ret)
		return ret;
	if (len > meta->parsed)
		ret = pev_meta_update(meta, text, len, NULL);
	free(text);
	return ret == -ENOMEM ? ret : 0;
}

PEV_EXPORT int pev_trace_update(struct pev_trace *trace, unsigned int flags)
{
	bool ended;
	int ret;

	if (!trace->follow || trace->nr_metas != 1 || flags & ~PEV_UPDATE_ALL)
		return -EINVAL;
	if (trace->ended)
		return 0;
	ended = flags & PEV_UPDATE_ALL || is_ended(trace);
	read_limit(trace);
	ret = read_metadata(trace);
	trace->ended = ended;
	for (unsigned int i = 0; !ret && i < trace->nr_streams; i++)
		ret = stream_grow(trace->streams[i]);
	if (!ret)
		ret = trace_new_streams(trace);
	if (!ret && ended)
		ret = trace_new_info(trace);
	trace->updates++;
	return ret ? ret : !ended;
}

PEV_EXPORT uint64_t pev_trace_synced(const struct pev_trace *trace)
{
	return trace->ended || !trace->follow ? UINT64_MAX : trace->limit;
}
