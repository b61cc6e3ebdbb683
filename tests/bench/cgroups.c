// SPDX-License-Identifier: GPL-2.0
/*
 * What a switch between two cgroups costs while instructions and cycles of each cgroup are
 * counted for itself: by a table's rows, and by perf's events for each of them. See bench.h.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CGROUP "/sys/fs/cgroup/pev-bench-"
#define MAX_CGROUPS 500
#define EVENTS "instructions,cycles"

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die("%s: %m", path);
	close(fd);
}

static void join(unsigned int nr)
{
	char path[80];

	snprintf(path, sizeof(path), CGROUP "%u/cgroup.procs", nr);
	put(path, "0");
}

static void join_other(void)
{
	join(1);
}

static unsigned int count_cgroups(void)
{
	char path[80];
	unsigned int nr = 0;

	do
		snprintf(path, sizeof(path), CGROUP "%u", nr);
	while (!access(path, F_OK) && ++nr);
	return nr;
}

static void run_in_each(void)
{
	for (unsigned int i = count_cgroups(); i-- > 2;) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork: %m");
		if (!pid) {
			join(i);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

/* Something has run in each cgroup, and the two ends of the pipe are in the first two. */
double load_cgroups(void)
{
	static bool ran;

	if (!ran)
		run_in_each();
	ran = true;
	join(0);
	return load_pipe_with(join_other);
}

/* There are @nr of them from now on. Return: their names, as perf reads them. */
static const char *make(unsigned int nr)
{
	static char names[MAX_CGROUPS * 20];
	char path[80], *at = names;

	for (unsigned int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), CGROUP "%u", i);
		if (mkdir(path, 0755) && errno != EEXIST)
			die("%s: %m", path);
		at += sprintf(at, "%spev-bench-%u", i ? "," : "", i);
	}
	return names;
}

static void remove_all(void)
{
	char path[80];

	for (unsigned int i = count_cgroups(); i--;) {
		snprintf(path, sizeof(path), CGROUP "%u", i);
		if (rmdir(path))
			die("%s: %m", path);
	}
}

/* Both have a line of comma-separated values for each cgroup and event. */
static void check(const char *tool)
{
	unsigned long counted = tool_said("pev-bench-0", ",,instructions", TOOL_BEFORE);

	if (counted < 1000000)
		die("%s counted only %lu instructions of a cgroup", tool, counted);
}

static double by_perf(const char *names)
{
	const char *const tool[] = { "perf", "stat", "-a", "-e", EVENTS, "--for-each-cgroup",
				     names,  "-x,",  "sh", "-c", NULL };
	double ns = tool_load(tool, "cgroups");

	check("perf");
	return ns;
}

static double by_pev(void)
{
	static const char *const tool[] = { "perfctl", "stat",	 "--engine", "pev",  "-a",
					    "--by",    "cgroup", "-e",	     EVENTS, "-x,",
					    "--",      "sh",	 "-c",	     NULL };
	double ns = tool_load(tool, "cgroups");

	check("perfctl");
	return ns;
}

void measure_by_cgroup(void)
{
	static const struct {
		unsigned int nr;
		const char *name, *text;
	} sizes[] = {
		{ 2, "cgroups_2", "a switch while 2 events of each of 2 cgroups count, more" },
		{ 100, "cgroups_100", "... of each of 100" },
		{ MAX_CGROUPS, "cgroups_500", "... of each of 500" },
	};
	struct figure *f;
	double idle;

	/* perf's own controller comes along as soon as there is any other */
	put("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const char *names = make(sizes[i].nr);

		idle = tool_load(NULL, "cgroups");
		f = figure(sizes[i].name, 0, sizes[i].text);
		f->at[PEV] = by_pev() - idle;
		f->at[PERF] = by_perf(names) - idle;
	}
	put("/sys/fs/cgroup/cgroup.subtree_control", "-pids");
	remove_all();
	f = figure("cgroups_flat", 20, "... of 500, more than of 2");
	f->at[PEV] = f[-1].at[PEV] - f[-3].at[PEV];
	f->at[PERF] = f[-1].at[PERF] - f[-3].at[PERF];
}
