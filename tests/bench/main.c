// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bench             all figures but those below
 *        bench hardware    hardware counters: wants a machine with a PMU
 *        bench marks       the same on a processor that can mark tasks
 *        bench fds         descriptors for 40 events on the CPUs of this machine
 *        bench limits      what a user without rights can take from others
 *        bench probes      thousands of probes attached and detached: wants two CPUs
 *        bench hits        what a hit of a probe costs
 *        bench waits       what a wait costs that is folded or recorded
 *        bench tables      what it costs to count an event in a row of a table
 *        bench context     what it costs that a record carries its thread's request
 *        bench clients     what channels of kernel code cost, and events as text
 *        bench guests      what guests cost that are lent counters: wants KVM
 *        bench others      the same as other CPUs and users feel it: wants two CPUs
 *        bench cgroups     what a switch costs while each cgroup is counted for itself
 *        bench calls N     N times getppid(), for what records it
 *        bench load NAME FILE   what each turn of a load takes, into FILE, for what starts it
 *
 * Prints a table for people, then a line for scripts for each figure:
 *
 *	BENCH <name> pev=<n> <peer>=<n> ...
 */
#include "bench.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYS_ENTER	"raw_syscalls:sys_enter"
#define SYS_EXIT	"raw_syscalls:sys_exit"
#define TIMER_NS	100000
#define MARKER_TURNS	20000
#define FD_EVENTS 40

static const char *const peers[] = { "pev", "perf", "ftrace", "bpftrace" };

static struct figure figures[64];
static unsigned int nr_figures;

static void print_table(void)
{
	printf("%-58s%8s%8s%8s%9s%8s\n", "", "pev", "perf", "ftrace", "bpftrace", "goal");
	for (unsigned int i = 0; i < nr_figures; i++) {
		const struct figure *f = &figures[i];

		printf("%-58s", f->text);
		for (int p = 0; p < PEERS; p++) {
			int width = p == BPFTRACE ? 9 : 8;

			if (isnan(f->at[p]))
				printf("%*s", width, "-");
			else
				printf("%*.0f", width, f->at[p]);
		}
		if (f->goal)
			printf("%8.0f%s", f->goal,
			       round(f->at[PEV]) > ceil(f->goal) ? "  MISSED" : "");
		printf("\n");
	}
}

void die(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "bench: ");
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n");
	print_table();
	exit(1);
}

const char *own_path(void)
{
	static char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		die("/proc/self/exe: %m");
	path[len] = 0;
	return path;
}

struct figure *figure(const char *name, double goal, const char *text)
{
	struct figure *f = &figures[nr_figures++];

	*f = (struct figure){ name, text, goal, { NAN, NAN, NAN, NAN } };
	return f;
}

static void print_lines(void)
{
	for (unsigned int i = 0; i < nr_figures; i++) {
		const struct figure *f = &figures[i];

		printf("BENCH %s", f->name);
		for (int p = 0; p < PEERS; p++)
			if (!isnan(f->at[p]))
				printf(" %s=%.0f", peers[p], f->at[p]);
		printf("\n");
	}
}

/* ---- tracepoints: over the bare call ------------------------------------ */

static double bare;

static double over(double ns)
{
	return ns - bare;
}

/* CALLS times getppid(), at least. */
static double least_calls(double (*load)(unsigned int calls))
{
	return load_least(load, CALLS / TRIES);
}

/* pev with @what, which is to see @events events a call. */
static double pev_calls(struct pev_listen what, unsigned int events)
{
	int channel = what.period ? listen_pev_channel() : -1;
	int fd = listen_pev(&what, channel);
	double ns = least_calls(load_calls);

	if (what.period && listen_pev_records(fd) < (uint64_t)CALLS * events)
		die("pev recorded less than happened");
	close(fd);
	if (channel >= 0)
		close(channel);
	load_settle();
	return over(ns);
}

static double pev_pair(void)
{
	int channel = listen_pev_channel();
	int enter = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_TRACEPOINT,
			.name = SYS_ENTER, .period = 1, .sample = PEV_SAMPLE_TID }, channel);
	int leave = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_TRACEPOINT,
			.name = SYS_EXIT, .period = 1, .sample = PEV_SAMPLE_TID }, channel);
	double ns = least_calls(load_calls);

	if (listen_pev_records(enter) < CALLS || listen_pev_records(leave) < CALLS)
		die("pev recorded less than happened");
	close(enter);
	close(leave);
	close(channel);
	load_settle();
	return over(ns);
}

static double perf_calls(struct perf_listen what, unsigned int events)
{
	int fd;
	void *ring = NULL;
	double ns;

	what.type = PERF_TYPE_TRACEPOINT;
	what.config = what.config ?: listen_tracepoint_id("raw_syscalls", "sys_enter");
	fd = listen_perf(&what);
	if (what.period)
		ring = listen_perf_ring(fd);
	ns = least_calls(load_calls);
	if (ring) {
		if (listen_perf_records(ring) < (uint64_t)CALLS * events)
			die("perf recorded less than happened");
		listen_perf_unmap(ring);
	}
	close(fd);
	load_settle();
	return over(ns);
}

static double perf_pair(void)
{
	struct perf_listen what = {
		.type = PERF_TYPE_TRACEPOINT, .cpu = -1, .period = 1,
		.config = listen_tracepoint_id("raw_syscalls", "sys_exit"),
	};
	int fd = listen_perf(&what);
	void *ring = listen_perf_ring(fd);
	double ns;

	what.config = 0;
	ns = perf_calls(what, 1);
	listen_perf_unmap(ring);
	close(fd);
	return ns;
}

#define FTRACE_ENTER	"events/raw_syscalls/sys_enter/"
#define FTRACE_EXIT	"events/raw_syscalls/sys_exit/"

static double ftrace_calls(void)
{
	double ns;

	listen_ftrace(FTRACE_ENTER "enable", "1");
	ns = least_calls(load_calls);
	listen_ftrace(FTRACE_ENTER "enable", "0");
	return over(ns);
}

static double ftrace_pair(void)
{
	double ns;

	listen_ftrace(FTRACE_EXIT "enable", "1");
	ns = ftrace_calls();
	listen_ftrace(FTRACE_EXIT "enable", "0");
	return ns;
}

static double ftrace_filtered(void)
{
	double ns;

	listen_ftrace(FTRACE_ENTER "filter", "id == 9999");
	ns = ftrace_calls();
	listen_ftrace(FTRACE_ENTER "filter", "0");
	return ns;
}

static double ftrace_other(pid_t pid)
{
	char text[16];
	double ns;

	snprintf(text, sizeof(text), "%d", pid);
	listen_ftrace("set_event_pid", text);
	ns = ftrace_calls();
	listen_ftrace("set_event_pid", "\n");
	return ns;
}

static void measure_tracepoints(void)
{
	struct pev_listen enter = {
		.type = PEV_TYPE_TRACEPOINT, .name = SYS_ENTER, .period = 1,
		.sample = PEV_SAMPLE_TID,
	};
	struct pev_listen filtered = enter, other = enter, off = enter, count = enter;
	struct pev_listen machine = enter;
	pid_t pid = load_sleeper();
	struct figure *f;

	bare = least_calls(load_calls);
	f = figure("call", 0, "getppid(), nothing listens");
	f->at[PEV] = bare;
	f = figure("slow_path", 0, "its slow path, which all below take (user dispatch)");
	f->at[PEV] = over(least_calls(load_dispatch));

	f = figure("tracepoint_off", 0, "raw_syscalls:sys_enter, event switched off");
	off.off = true;
	f->at[PEV] = pev_calls(off, 0);

	f = figure("tracepoint_other_task", 100, "the same, on for another task only");
	other.pid = pid;
	f->at[PEV] = pev_calls(other, 0);
	f->at[PERF] = perf_calls((struct perf_listen){ .cpu = -1, .pid = pid, .period = 1 }, 0);
	f->at[FTRACE] = ftrace_other(pid);

	f = figure("tracepoint_filtered", 300, "the same, refused by \"id == 9999\"");
	filtered.filter = "id == 9999";
	f->at[PEV] = pev_calls(filtered, 0);
	f->at[PERF] = perf_calls((struct perf_listen){ .cpu = -1, .period = 1,
						       .filter = "id == 9999" }, 0);
	f->at[FTRACE] = ftrace_filtered();

	f = figure("tracepoint_count", 0, "the same, counted");
	count.period = count.sample = 0;
	f->at[PEV] = pev_calls(count, 0);
	f->at[PERF] = perf_calls((struct perf_listen){ .cpu = -1 }, 0);

	f = figure("tracepoint_record", 450, "the same, recorded for a task");
	f->at[PEV] = pev_calls(enter, 1);
	f->at[PERF] = perf_calls((struct perf_listen){ .cpu = -1, .period = 1 }, 1);
	f->at[FTRACE] = ftrace_calls();

	f = figure("tracepoint_record_cpus", 0, "the same, recorded for all CPUs");
	machine.target = PEV_TARGET_CPUS;
	f->at[PEV] = pev_calls(machine, 1);
	f->at[PERF] = perf_calls((struct perf_listen){ .pid = -1, .period = 1 }, 1);

	f = figure("tracepoint_pair", 799, "sys_enter and sys_exit, recorded for a task");
	f->at[PEV] = pev_pair();
	f->at[PERF] = perf_pair();
	f->at[FTRACE] = ftrace_pair();
	load_end(pid);
}

/* ---- markers ------------------------------------------------------------- */

static double markers(const char *name)
{
	int channel = listen_pev_channel();
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_MARKER, .name = name,
			.period = 1, .sample = PEV_SAMPLE_TID }, channel);
	double ns = load_markers(MARKER_TURNS);

	if (listen_pev_records(fd) != MARKER_TURNS)
		die("%s was not recorded %u times", name, MARKER_TURNS);
	close(fd);
	close(channel);
	load_settle();
	return ns;
}

static void measure_markers(void)
{
	const char *code = getenv("PEV_BENCH_MARKER_OFF");
	double off;
	struct figure *f;

	load_markers(1000);
	off = load_markers(MARKER_TURNS);
	if (isnan(off))
		die("the sample module is not loaded");
	if (code) {
		f = figure("marker_off", 1, "a marker that is off, by the code of the module");
		f->at[PEV] = atof(code);
	}
	f = figure("markers_loop_off", 0, "a loop around a function with four markers, all off");
	f->at[PEV] = off;
	f = figure("marker_on", 150, "a marker \"number %d pointer %p\" on, no more");
	f->at[PEV] = markers("pev_sample:number") - off;
	f = figure("marker_text", 0, "a marker \"name %s length %zu\" on, no more");
	f->at[PEV] = markers("pev_sample:text") - off;
}

/* ---- timers -------------------------------------------------------------- */

static double pev_timer(double idle, uint64_t sample)
{
	int channel = listen_pev_channel();
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_TIMER,
			.config = PEV_TIMER_CPU_CLOCK, .period = TIMER_NS,
			.sample = sample }, channel);
	double ns = load_spin();
	struct pev_value value;

	if (read(fd, &value, sizeof(value)) != sizeof(value) || !value.samples || value.lost)
		die("the timer of pev made no samples, or lost some");
	close(fd);
	close(channel);
	return (ns - idle) / value.samples;
}

static double perf_timer(double idle, bool callchain)
{
	int fd = listen_perf(&(struct perf_listen){ .type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK, .cpu = -1, .period = TIMER_NS,
			.callchain = callchain });
	void *ring = listen_perf_ring(fd);
	double ns = load_spin();
	uint64_t samples = listen_perf_records(ring);

	if (!samples)
		die("the timer of perf made no samples");
	listen_perf_unmap(ring);
	close(fd);
	return (ns - idle) / samples;
}

static void measure_timers(void)
{
	uint64_t sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID | PEV_SAMPLE_IP | PEV_SAMPLE_PERIOD;
	uint64_t stacks = PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK;
	double idle = load_spin();
	struct figure *f;

	for (int i = 1; i < TRIES; i++)
		idle = fmin(idle, load_spin());
	f = figure("timer_sample", 0, "a sample by a timer, interrupt included");
	figure("timer_sample_callchain", 0, "the same with call chains");
	for (int i = 0; i < TRIES; i++) {
		f[0].at[PEV] = fmin(f[0].at[PEV], pev_timer(idle, sample));
		f[1].at[PEV] = fmin(f[1].at[PEV], pev_timer(idle, sample | stacks));
	}
	for (int i = 0; i < TRIES; i++) {
		f[0].at[PERF] = fmin(f[0].at[PERF], perf_timer(idle, false));
		f[1].at[PERF] = fmin(f[1].at[PERF], perf_timer(idle, true));
	}
}

/* ---- context switches ---------------------------------------------------- */

#define COUNTERS	4

static const uint64_t pev_counters[COUNTERS] = {
	PEV_SW_TASK_CLOCK, PEV_SW_CONTEXT_SWITCHES, PEV_SW_CPU_MIGRATIONS, PEV_SW_PAGE_FAULTS,
};

static const uint64_t perf_counters[COUNTERS] = {
	PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES,
	PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS,
};

static double pev_switch(uint32_t target, pid_t pid)
{
	int fds[COUNTERS];
	double ns;

	for (int i = 0; i < COUNTERS; i++)
		fds[i] = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_SOFTWARE,
				.target = target, .pid = pid, .config = pev_counters[i] }, -1);
	ns = load_pipe();
	for (int i = 0; i < COUNTERS; i++)
		close(fds[i]);
	load_settle();
	return ns;
}

static double perf_switch(pid_t pid, bool inherit)
{
	int fds[COUNTERS];
	double ns;

	for (int i = 0; i < COUNTERS; i++)
		fds[i] = listen_perf(&(struct perf_listen){ .type = PERF_TYPE_SOFTWARE,
				.config = perf_counters[i], .pid = pid, .cpu = -1,
				.inherit = inherit });
	ns = load_pipe();
	for (int i = 0; i < COUNTERS; i++)
		close(fds[i]);
	load_settle();
	return ns;
}

static void measure_switches(void)
{
	pid_t pid = load_sleeper();
	struct figure *f;
	double idle;

	load_pipe();
	idle = load_pipe();
	f = figure("switch", 0, "a switch in a pipe ping-pong, nothing counts");
	f->at[PEV] = idle;
	f = figure("switch_other_task", 0, "4 counters on an unrelated task, more");
	f[0].at[PEV] = pev_switch(PEV_TARGET_TASK, pid) - idle;
	figure("switch_subtree", 0, "4 counters on both ends (subtree; inherited), more");
	f[1].at[PEV] = pev_switch(PEV_TARGET_SUBTREE, 0) - idle;
	figure("switch_one_end", 0, "4 counters on one end only, more");
	f[2].at[PEV] = pev_switch(PEV_TARGET_TASK, 0) - idle;
	f[0].at[PERF] = perf_switch(pid, true) - idle;
	f[1].at[PERF] = perf_switch(0, true) - idle;
	f[2].at[PERF] = perf_switch(0, false) - idle;
	load_end(pid);
}

/* ---- the tools ----------------------------------------------------------- */

static void measure_tools(void)
{
	struct figure *f;

	f = figure("record_all", 1000, "`record -a` beside it: all costs, an event");
	f->at[PEV] = over(tool_record_all("perfctl", bare));
	f->at[PERF] = over(tool_record_all("perf", bare));
	f = figure("bytes_per_record", 72, "bytes a record on disk");
	f->at[PEV] = tool_bytes("perfctl", CALLS);
	f->at[PERF] = tool_bytes("perf", CALLS);
}

/* ---- descriptors --------------------------------------------------------- */

static unsigned int open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int nr = 0;

	while (dir && readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static void measure_fds(void)
{
	static char text[80];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t id = listen_tracepoint_id("raw_syscalls", "sys_enter");
	unsigned int before = open_fds();
	struct figure *f;
	int channel;

	snprintf(text, sizeof(text), "descriptors to record %u events on %ld CPUs", FD_EVENTS,
		 cpus);
	f = figure("fds", FD_EVENTS + 1, text);
	channel = listen_pev_channel();
	for (int i = 0; i < FD_EVENTS; i++)
		listen_pev(&(struct pev_listen){ .type = PEV_TYPE_TRACEPOINT,
				.target = PEV_TARGET_CPUS, .name = SYS_ENTER, .period = 1,
				.off = true }, channel);
	f->at[PEV] = open_fds() - before;
	before = open_fds();
	for (int i = 0; i < FD_EVENTS * cpus; i++)
		listen_perf(&(struct perf_listen){ .type = PERF_TYPE_TRACEPOINT, .config = id,
						   .pid = -1, .cpu = i % cpus });
	f->at[PERF] = open_fds() - before;
}

static const struct {
	const char	*name;
	void		(*measure)(void);
} parts[] = {
	{ "fds", measure_fds },		  { "hardware", measure_hardware },
	{ "marks", measure_marks },	  { "limits", measure_limits },
	{ "others", measure_others },	  { "probes", measure_probes },
	{ "waits", measure_waits },	  { "context", measure_context },
	{ "hits", measure_hits },	  { "tables", measure_tables },
	{ "cgroups", measure_by_cgroup }, { "clients", measure_clients },
	{ "guests", measure_guests },
};

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "calls")) {
		load_calls(strtoul(argv[2], NULL, 10));
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "load")) {
		load_apart(argv[2], argv[3]);
		return 0;
	}
	for (unsigned int i = 0; argc == 2 && i < sizeof(parts) / sizeof(*parts); i++) {
		if (strcmp(argv[1], parts[i].name))
			continue;
		parts[i].measure();
		print_table();
		print_lines();
		return 0;
	}
	printf("Instructions, but for the last lines. The clock of pev is %s.\n\n",
	       listen_pev_clock());
	fflush(stdout);
	measure_switches();
	load_settle();
	measure_tracepoints();
	load_settle();
	measure_markers();
	measure_timers();
	load_settle();
	measure_tools();
	print_table();
	printf("\n");
	print_lines();
	return 0;
}
