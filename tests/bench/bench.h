/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What things cost. In a machine that executes one instruction a nanosecond,
 * differences of times are counts of instructions, exact ones.
 */
#ifndef PEV_BENCH_H
#define PEV_BENCH_H

#include <linux/pev.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* This program's file. */
const char *own_path(void);

/* ---- main.c: the table --------------------------------------------------- */

enum peer { PEV, PERF, FTRACE, BPFTRACE, PEERS };

/**
 * struct figure - a line of the table
 * @name: for scripts
 * @text: for people
 * @goal: what pev should not exceed; 0: nothing was promised
 * @at:   what each peer costs; NAN: has no such thing
 */
struct figure {
	const char	*name;
	const char	*text;
	double		goal;
	double		at[PEERS];
};

/* A new line, with no costs yet. */
struct figure *figure(const char *name, double goal, const char *text);

/* ---- hardware.c ---------------------------------------------------------- */

void measure_hardware(void);
void measure_marks(void);

/* ---- probe_irqs.c: how long interrupts were off --------------------------- */

#define PROBE_NS 20000

void probe_begin(void);
void probe_end(void);
/* What came late until now is nobody's. */
void probe_restart(void);
/* What came late since the last call is @f's; beyond its goal, who held it up is said. */
void probe_into(struct figure *f);

/* ---- limits.c, task.c ----------------------------------------------------- */

/* Has no rights. */
#define USER 1000
#define CLOSE "syscalls:sys_enter_close"

void measure_task(void); /* a part of measure_limits() */
void measure_limits(void);	/* on one CPU, in instructions */
void measure_others(void);	/* on two, in microseconds */

/* ---- probes.c ------------------------------------------------------------ */

void measure_probes(void);	/* on two CPUs, in microseconds */
void measure_hits(void);	/* on one, in instructions */

/* ---- waits.c ------------------------------------------------------------ */

void measure_waits(void); /* on one CPU, in instructions */

/* ---- tables.c ----------------------------------------------------------- */

void measure_tables(void); /* on one CPU, in instructions */

/* ---- cgroups.c ---------------------------------------------------------- */

void measure_by_cgroup(void); /* on one CPU with a PMU, in instructions */

/* ---- context.c ---------------------------------------------------------- */

void measure_context(void); /* on one CPU, in instructions */

/* ---- clients.c ---------------------------------------------------------- */

void measure_clients(void); /* on one CPU, in instructions */

/* ---- guests.c ----------------------------------------------------------- */

void measure_guests(void); /* on one CPU, in instructions */

/* ---- load.c: work that is measured; each returns ns for one turn -------- */

#define CALLS		50000
#define PIPE_TURNS	5000
/* Frames of a call chain, about */
#define LOAD_DEPTH 20
/* The kernel has other things to do now and then: the least of some tries. */
#define TRIES 4
/* Calls of each try, where many listeners are compared */
#define TURNS 5000
#define SPINS		100000000UL

double load_calls(unsigned int calls);	/* getppid() */
double load_pipe(void);			/* a switch between two processes */
double load_pipe_with(void (*other_end)(void)); /* which first does this */
double load_yield(void);		/* a switch between two that give way to each other */
double load_spin(void);			/* all of it, in a user's function */
double load_markers(unsigned int turns); /* the markers of the sample module */
double load_dispatch(unsigned int calls); /* getppid() on its slow path */
double load_deep(unsigned int calls); /* getppid() below LOAD_DEPTH frames */
double load_cgroups(void); /* load_pipe() between two cgroups */
double load_least(double (*load)(unsigned int calls), unsigned int calls);
/* For tools that start what they look at: least of a few times load @name, into @file. */
void load_apart(const char *name, const char *file);
void load_settle(void);			/* lets earlier listeners be forgotten */
pid_t load_sleeper(void);		/* a process that does nothing */
void load_end(pid_t pid);

/* ---- one listener; fds to be closed ------------------------------------- */

struct pev_listen {
	uint32_t	type;
	uint32_t	target;
	uint64_t	flags;
	pid_t		pid;	/* 0: the caller */
	uint64_t	config;
	const char	*name;
	const char	*filter;
	uint64_t	period;	/* 0: count only */
	uint64_t	sample;
	bool		off;
};

int listen_pev_channel(void);
int listen_pev(const struct pev_listen *what, int channel);
/* Checks that nothing was lost; how many records. */
uint64_t listen_pev_records(int fd);
const char *listen_pev_clock(void);

/* perf_event_open(2) as the tool of that name uses it, without its process. */
struct perf_listen {
	uint32_t	type;
	uint64_t	config;
	uint64_t	config1;
	uint64_t	config2;
	pid_t		pid;	/* 0: the caller; -1: all, on @cpu */
	int		cpu;
	const char	*filter;
	uint64_t	period;	/* 0: count only */
	bool		callchain;
	bool		inherit;
	bool		user;	/* user mode only */
};

int listen_perf(const struct perf_listen *what);
void *listen_perf_ring(int fd);
uint64_t listen_perf_records(void *ring);
void listen_perf_unmap(void *ring);
uint64_t listen_tracepoint_id(const char *system, const char *event);

void listen_ftrace(const char *file, const char *text);

/* ---- tools.c: perfctl and perf as they are run -------------------------- */

/* With @tool recording all CPUs: ns for a getppid() that is @bare without. */
double tool_record_all(const char *tool, double bare);
/* Bytes on disk for each of @calls system calls that @tool recorded. */
double tool_bytes(const char *tool, unsigned int calls);
/* Where what they record goes, and is removed. */
#define TOOL_OUT "/tmp/pev-bench.out"

/*
 * @tool[] with load @name as what it starts and looks at: its last argument is to be NULL, in
 * whose place the command comes, as one that a shell reads. @tool NULL: by nothing. ns a turn.
 */
double tool_load(const char *const tool[], const char *name);
/* What bpftrace says that @program counted must be @least; ns a turn of load @name. */
double tool_bpftrace(const char *program, const char *name, unsigned int least);
/* Whether the kernel has BPF for it. */
bool tool_has_bpf(void);
enum tool_side { TOOL_BEFORE, TOOL_AFTER };

/*
 * The greatest number beside @mark, in lines with @within, of what the last tool said; 0: there
 * is none.
 */
unsigned long tool_said(const char *within, const char *mark, enum tool_side side);
/* Microseconds from Ctrl-C to the end of perfctl recording @event; @attached: is it attached? */
double tool_interrupt(const char *event, bool (*attached)(void));

#endif
