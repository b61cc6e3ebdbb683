// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads tracefs's descriptions of tracepoints.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/file.h"
#include "engine/perf/error.h"
#include "engine/perf/tracepoint.h"

static int no_tracefs(struct pev_error *err)
{
	return pev_fail(err, ENOENT, 0, "the formats of tracepoints are in tracefs, which is not "
			"mounted: as root, \"mount -t tracefs tracefs /sys/kernel/tracing\"");
}

int perf_tracepoint_format(const struct perf_engine *engine, const char *name,
			   struct tp_format *format, struct pev_error *err)
{
	const char *colon = name ? strchr(name, ':') : NULL;
	char path[PEV_MAX_NAME + 64], system[PEV_MAX_NAME], *text;
	size_t len;
	int ret;

	if (!colon || strlen(name) >= PEV_MAX_NAME || strchr(name, '/'))
		return pev_fail(err, EINVAL, 0, "a tracepoint is named system:event");
	if (!engine->tracefs)
		return no_tracefs(err);
	snprintf(system, sizeof(system), "%.*s", (int)(colon - name), name);
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", engine->tracefs, system, colon + 1);
	/* files of tracefs have no size */
	ret = pev_read_file(path, &text, &len);
	if (ret == -EACCES || ret == -EPERM)
		return pev_fail(err, EACCES, 0, "%s may be read by root only: as root, \"mount -o "
				"remount,gid=GROUP,mode=0750 %s\" lets the members of a group",
				engine->tracefs, engine->tracefs);
	if (ret == -EMFILE)
		return perf_fail_files(err);
	if (ret)
		return pev_fail(err, -ret, 0,
				ret == -ENOENT ? "this kernel has no such tracepoint" :
				"its format cannot be read");
	ret = tp_format_parse(format, system, text, len);
	free(text);
	return ret ? pev_fail(err, -ret, 0, "no memory") : 0;
}

int perf_fields(struct pev_engine *base, const struct pev_catalog_entry *entry, char **fields,
		struct pev_error *err)
{
	struct tp_format format = { 0 };
	struct text text = { 0 };
	int ret = 0;

	if (entry->type == PEV_TYPE_TRACEPOINT)
		ret = perf_tracepoint_format(perf_of(base), entry->name, &format, err);
	if (ret)
		return ret;
	text_puts(&text, "");
	tp_format_fields(&format, &text);
	tp_format_free(&format);
	if (text.failed)
		return pev_fail(err, ENOMEM, 0, "no memory");
	*fields = text.s;
	return 0;
}
