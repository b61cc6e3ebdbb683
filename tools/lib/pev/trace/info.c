// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What a recording says of itself: the files of its folder info.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/file.h"
#include "trace/info.h"
#include "trace/trace.h"

static void unescape(char *value)
{
	char *to = value;

	for (; *value; value++) {
		if (*value == '\\' && value[1])
			*to++ = *++value == 'n' ? '\n' : *value;
		else
			*to++ = *value;
	}
	*to = '\0';
}

int trace_open_info(struct pev_trace *trace)
{
	size_t lines = 1, len;
	char *line, *end, *eq;

	if (asprintf(&trace->info_path, "%s/info", trace->path) < 0) {
		trace->info_path = NULL;
		return -ENOMEM;
	}
	/* a trace may lack it */
	if (pev_trace_info_file(trace, "record", &trace->info_text, &len))
		return 0;
	for (size_t i = 0; i < len; i++)
		lines += trace->info_text[i] == '\n';
	trace->info = calloc(lines, sizeof(*trace->info));
	if (!trace->info)
		return -ENOMEM;
	for (line = trace->info_text; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		eq = strchr(line, '=');
		if (!eq)
			continue;
		*eq = '\0';
		unescape(eq + 1);
		trace->info[trace->nr_info].key = line;
		trace->info[trace->nr_info++].value = eq + 1;
	}
	return 0;
}

int trace_new_info(struct pev_trace *trace)
{
	trace->first_text = trace->info_text;
	trace->first_info = trace->info;
	free(trace->info_path);
	trace->info = NULL;
	trace->info_text = NULL;
	trace->nr_info = 0;
	return trace_open_info(trace);
}

PEV_EXPORT const char *pev_trace_info(const struct pev_trace *trace, const char *key)
{
	/* the last line of a key counts */
	for (size_t i = trace->nr_info; i-- > 0;)
		if (!strcmp(trace->info[i].key, key))
			return trace->info[i].value;
	return NULL;
}

PEV_EXPORT int pev_trace_info_file(const struct pev_trace *trace, const char *name, char **text,
				   size_t *len)
{
	char *path;
	int ret;

	*text = NULL;
	if (!*name || strchr(name, '/') || !strcmp(name, "..") || !strcmp(name, "."))
		return -EINVAL;
	if (asprintf(&path, "%s/%s", trace->info_path, name) < 0)
		return -ENOMEM;
	ret = pev_read_file(path, text, len);
	free(path);
	return ret;
}
