// SPDX-License-Identifier: GPL-2.0
/* The loops that are timed. See bench.h. */
#include "bench.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59
#endif

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

double load_calls(unsigned int calls)
{
	double begin;

	for (unsigned int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	begin = now();
	for (unsigned int i = 0; i < calls; i++)
		syscall(SYS_getppid);
	return (now() - begin) / calls;
}

static __attribute__((noinline)) double deep(unsigned int calls, unsigned int depth)
{
	double ns = depth ? deep(calls, depth - 1) : load_calls(calls);

	/* no tail call: each has its frame */
	asm volatile("" : "+m"(ns));
	return ns;
}

double load_deep(unsigned int calls)
{
	return deep(calls, LOAD_DEPTH);
}

/*
 * The slow path of system calls without any tracing: user dispatch takes it,
 * and then lets calls from all addresses pass.
 */
double load_dispatch(unsigned int calls)
{
	double ns;

	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, ~0UL, NULL))
		return NAN;
	ns = load_calls(calls);
	prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
	return ns;
}

static void echo(int from, int to)
{
	char c;

	while (read(from, &c, 1) == 1 && write(to, &c, 1) == 1)
		;
	_exit(0);
}

static void turn(int to, int from)
{
	char c = 0;

	if (write(to, &c, 1) != 1 || read(from, &c, 1) != 1)
		die("the pipe broke");
}

double load_pipe(void)
{
	return load_pipe_with(NULL);
}

double load_pipe_with(void (*other_end)(void))
{
	int there[2], back[2];
	double begin, end;
	pid_t pid;

	if (pipe(there) || pipe(back))
		die("pipe: %m");
	pid = fork();
	if (!pid) {
		close(there[1]);
		if (other_end)
			other_end();
		echo(there[0], back[1]);
	}
	close(there[0]);
	for (int i = 0; i < 100; i++)
		turn(there[1], back[0]);
	begin = now();
	for (int i = 0; i < PIPE_TURNS; i++)
		turn(there[1], back[0]);
	end = now();
	close(there[1]);
	close(back[0]);
	close(back[1]);
	waitpid(pid, NULL, 0);
	return (end - begin) / PIPE_TURNS / 2;
}

/* Neither has to be woken: the one that gives way is runnable, and comes next. */
double load_yield(void)
{
	struct sched_param first = { .sched_priority = 1 }, none = { 0 };
	double begin, end;
	pid_t pid;

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		die("sched_setscheduler: %m");
	pid = fork();
	while (!pid)
		sched_yield();
	for (int i = 0; i < 100; i++)
		sched_yield();
	begin = now();
	for (int i = 0; i < PIPE_TURNS; i++)
		sched_yield();
	end = now();
	load_end(pid);
	if (sched_setscheduler(0, SCHED_OTHER, &none))
		die("sched_setscheduler: %m");
	return (end - begin) / PIPE_TURNS / 2;
}

/* Frames for call chains to have; two instructions a spin. */
static __attribute__((noinline)) void spin(unsigned int depth, unsigned long spins)
{
	if (depth) {
		spin(depth - 1, spins);
		__asm__ volatile("" ::: "memory");	/* no tail call */
		return;
	}
#ifdef __x86_64__
	__asm__ volatile("1: dec %0; jnz 1b" : "+r" (spins));
#else
	__asm__ volatile("mtctr %0; nop; 1: nop; bdnz 1b" : : "r" (spins) : "ctr");
#endif
}

double load_spin(void)
{
	double begin = now();

	spin(8, SPINS / 2);
	return now() - begin;
}

double load_markers(unsigned int turns)
{
	int fd = open("/sys/kernel/debug/pev_sample/fire", O_WRONLY | O_CLOEXEC);
	char text[32];
	double begin;

	if (fd < 0)
		return NAN;
	snprintf(text, sizeof(text), "task %u", turns);
	begin = now();
	if (write(fd, text, strlen(text)) < 0)
		die("the sample module's markers: %m");
	begin = now() - begin;
	close(fd);
	return begin / turns;
}

double load_least(double (*load)(unsigned int calls), unsigned int calls)
{
	double ns = INFINITY;

	for (int i = 0; i < TRIES; i++)
		ns = fmin(ns, load(calls));
	return ns;
}

static double pipe_calls(unsigned int calls)
{
	(void)calls;
	return load_pipe();
}

static double cgroup_calls(unsigned int calls)
{
	(void)calls;
	return load_cgroups();
}

static const struct {
	const char *name;
	double (*load)(unsigned int calls);
} loads[] = {
	{ "calls", load_calls },
	{ "deep", load_deep },
	{ "pipe", pipe_calls },
	{ "cgroups", cgroup_calls },
};

void load_apart(const char *name, const char *file)
{
	FILE *f = fopen(file, "we");

	if (!f)
		die("%s: %m", file);
	for (unsigned int i = 0; i < sizeof(loads) / sizeof(*loads); i++)
		if (!strcmp(loads[i].name, name))
			fprintf(f, "%.3f\n", load_least(loads[i].load, TURNS));
	if (fclose(f))
		die("%s: %m", file);
}

/*
 * perf and pev leave hooks that events share for a second after the last one is gone,
 * and pev takes a closed event off its tracepoint with others: time that passes at once.
 */
void load_settle(void)
{
	sleep(2);
}

pid_t load_sleeper(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork: %m");
	while (!pid)
		pause();
	return pid;
}

void load_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
