// SPDX-License-Identifier: GPL-2.0
/* perfctl and perf as people run them. See bench.h. */
#include "bench.h"

#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOG		"/tmp/pev-bench.log"
#define EVENT		"raw_syscalls:sys_enter"
#define RECORD_CALLS	200000
/* Rings that last until the reader gets its turn on the only CPU. */
#define RINGS		"4M"

static long long bytes;

static int add(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)ftw;
	if (type == FTW_F)
		bytes += st->st_size;
	return 0;
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void clean(void)
{
	nftw(TOOL_OUT, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static pid_t start(char *const argv[])
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = open(LOG, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	dup2(fd, 1);
	dup2(fd, 2);
	execvp(argv[0], argv);
	_exit(127);
}

/* What the tool said: @all of it, or of losses. */
static void show_log(bool all)
{
	char line[300];
	FILE *f = fopen(LOG, "re");

	while (f && fgets(line, sizeof(line), f))
		if (all || (strstr(line, " lost") && !strstr(line, "nothing lost")))
			fprintf(stderr, "  | %s", line);
	if (f)
		fclose(f);
}

static void end(pid_t pid, const char *tool)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !(WIFEXITED(status) || WIFSIGNALED(status)) ||
	    (WIFEXITED(status) && WEXITSTATUS(status) && WEXITSTATUS(status) != 130)) {
		show_log(true);
		die("%s record failed", tool);
	}
}

/*
 * Idle time passes at once in this machine, so nothing can be slept for: the
 * events are on when calls cost much more, even those that were not preempted.
 */
static void await_recording(pid_t pid, const char *tool, double bare)
{
	double least = 0;

	while (least < bare + 200) {
		if (waitpid(pid, NULL, WNOHANG)) {
			show_log(true);
			die("%s record -a ended early", tool);
		}
		least = INFINITY;
		for (int i = 0; i < 20; i++)
			least = fmin(least, load_calls(100));
	}
}

double tool_record_all(const char *tool, double bare)
{
	char *argv[] = { (char *)tool, "record", "-a", "-m",	 RINGS,
			 "-e",	       EVENT,	 "-o", TOOL_OUT, NULL };
	double ns;
	pid_t pid;

	clean();
	pid = start(argv);
	await_recording(pid, tool, bare);
	load_calls(RECORD_CALLS / 4);
	ns = load_calls(RECORD_CALLS);
	kill(pid, SIGINT);
	end(pid, tool);
	bytes = 0;
	nftw(TOOL_OUT, add, 8, FTW_PHYS);
	if (bytes < RECORD_CALLS * 16LL)
		die("%s record -a wrote only %lld bytes", tool, bytes);
	show_log(getenv("PEV_BENCH_VERBOSE"));
	clean();
	return ns;
}

/* perfctl reads commands when it records. */
static void await_ack(pid_t pid, int commands, int answers)
{
	static const char ping[] = "ping\n", ack[] = "ack\n";
	char answer[sizeof(ack)] = "";

	if (write(commands, ping, strlen(ping)) != (ssize_t)strlen(ping))
		die("perfctl record --control: %m");
	if (read(answers, answer, strlen(ack)) == (ssize_t)strlen(ack) && !strcmp(answer, ack))
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	show_log(true);
	die("perfctl record -a answered \"%s\"", answer);
}

double tool_interrupt(const char *event, bool (*attached)(void))
{
	struct timespec begin, done;
	int commands[2], answers[2];
	char control[40];
	char *argv[] = { "perfctl", "record", "-a",	     "-m", RINGS,    "--control",
			 control,   "-e",     (char *)event, "-o", TOOL_OUT, NULL };
	pid_t pid;

	if (pipe(commands) || pipe(answers))
		die("pipe: %m");
	snprintf(control, sizeof(control), "fd:%d,%d", commands[0], answers[1]);
	clean();
	pid = start(argv);
	/* it is the only one that has them: its end is that of the answers */
	close(commands[0]);
	close(answers[1]);
	await_ack(pid, commands[1], answers[0]);
	if (!attached())
		die("perfctl record -a placed no breakpoint");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	kill(pid, SIGINT);
	end(pid, "perfctl");
	clock_gettime(CLOCK_MONOTONIC, &done);
	close(commands[1]);
	close(answers[0]);
	clean();
	return (done.tv_sec - begin.tv_sec) * 1e6 + (done.tv_nsec - begin.tv_nsec) / 1e3;
}

bool tool_has_bpf(void)
{
	return !access("/sys/kernel/btf/vmlinux", F_OK);
}

#define MAX_ARGS 20
#define NS_FILE "/tmp/pev-bench.ns"

double tool_load(const char *const tool[], const char *name)
{
	char command[4096 + 100];
	const char *argv[MAX_ARGS] = { "sh", "-c" };
	int nr = 2;
	double ns;
	FILE *f;

	snprintf(command, sizeof(command), "%s load %s " NS_FILE, own_path(), name);
	for (int i = 0; tool && tool[i]; i++) {
		nr = i + 1;
		argv[i] = tool[i];
	}
	argv[nr] = command;
	clean();
	unlink(NS_FILE);
	end(start((char *const *)argv), argv[0]);
	clean();
	show_log(getenv("PEV_BENCH_VERBOSE"));
	f = fopen(NS_FILE, "re");
	if (!f || fscanf(f, "%lf", &ns) != 1) {
		show_log(true);
		die("%s did not run the load", argv[0]);
	}
	fclose(f);
	load_settle();
	return ns;
}

unsigned long tool_said(const char *within, const char *mark, enum tool_side side)
{
	unsigned long most = 0;
	char line[300];
	FILE *f = fopen(LOG, "re");

	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, within) ? strstr(line, mark) : NULL;
		unsigned long number;

		if (!at)
			continue;
		if (side == TOOL_AFTER)
			at += strlen(mark);
		else
			while (at > line && isdigit((unsigned char)at[-1]))
				at--;
		number = strtoul(at, NULL, 10);
		most = number > most ? number : most;
	}
	if (f)
		fclose(f);
	return most;
}

double tool_bpftrace(const char *program, const char *name, unsigned int least)
{
	const char *const tool[] = { "bpftrace", "-e", program, "-c", NULL };
	double ns = tool_load(tool, name);

	/* "@[key]: 20000", and "[64, 128)  20000 |@@@@|" of histograms */
	if (tool_said("]: ", "]: ", TOOL_AFTER) < least &&
	    tool_said(") ", ") ", TOOL_AFTER) < least) {
		show_log(true);
		die("bpftrace counted less than happened");
	}
	return ns;
}

double tool_bytes(const char *tool, unsigned int calls)
{
	char *self = (char *)own_path(), number[16];
	char *argv[] = { (char *)tool, "record", "-m", RINGS,	"-e",	EVENT, "-o",
			 TOOL_OUT,     "--",	 self, "calls", number, NULL };
	pid_t pid;

	snprintf(number, sizeof(number), "%u", calls);
	clean();
	pid = start(argv);
	end(pid, tool);
	bytes = 0;
	nftw(TOOL_OUT, add, 8, FTW_PHYS);
	show_log(getenv("PEV_BENCH_VERBOSE"));
	clean();
	return (double)bytes / calls;
}
