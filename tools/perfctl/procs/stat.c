// SPDX-License-Identifier: GPL-2.0
/* Reads what /proc says of one process. See stat.h. */
#include "stat.h"

#include <inttypes.h>
#include <stdlib.h>

/* The name may have blanks, brackets and newlines, too: the rest is behind the last bracket. */
bool proc_stat_parse(struct proc_stat *s, const char *text)
{
	const char *name = strchr(text, '('), *end = strrchr(text, ')');
	size_t len;

	*s = (struct proc_stat){ 0 };
	if (!name || !end || end < name ||
	    sscanf(end + 1,
		   " %c %" SCNu32 " %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
		   "%*d %*d %" SCNu64 " %*u %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u "
		   "%*u %*d %*d %*u %*u %*u %" SCNu64,
		   &s->state, &s->ppid, &s->start, &s->guest) < 3) {
		*s = (struct proc_stat){ 0 };
		return false;
	}
	len = min_u64((uint64_t)(end - name - 1), sizeof(s->comm) - 1);
	memcpy(s->comm, name + 1, len);
	return true;
}

static bool read_file(struct proc_stat *s, const char *path)
{
	char *text = file_read(path, NULL);
	bool there = proc_stat_parse(s, text ? text : "");

	free(text);
	return there;
}

bool proc_stat_read(struct proc_stat *s, uint32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	return read_file(s, path);
}

bool proc_stat_thread(struct proc_stat *s, uint32_t pid, uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/stat", pid, tid);
	return read_file(s, path);
}

int proc_of_thread(int tid)
{
	char path[64], *text, *line;
	int pid = tid;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	text = file_read(path, NULL);
	line = text ? strstr(text, "\nTgid:") : NULL;
	if (line)
		pid = atoi(line + strlen("\nTgid:"));
	free(text);
	return pid;
}
