// SPDX-License-Identifier: GPL-2.0
/*
 * What a wait costs, in instructions: a turn of a pipe ping-pong is one, from the thread's leaving
 * its CPU to its return. See bench.h.
 */
#include "bench.h"

#include <linux/perf_event.h>
#include <unistd.h>

/* Longer than any wait, in ns */
#define HOUR 3600000000000ull
/* Nobody is woken to read them while a load runs. */
#define RINGS "64M"

typedef double load_fn(void);

/* What is left of a load without what it costs alone. */
static double beyond(load_fn *load)
{
	static double pipe, yield;
	double *idle = load == load_yield ? &yield : &pipe;

	if (*idle)
		return load() - *idle;
	load();
	*idle = load();
	load_settle();
	return load() - *idle;
}

/* Brings the stacks that PEV_SAMPLE_COOKIE puts off; -1: @sample asks for none. */
static int pev_stacks(uint64_t sample, int channel)
{
	if (!(sample & PEV_SAMPLE_COOKIE))
		return -1;
	return listen_pev(&(struct pev_listen){ .type = PEV_TYPE_USTACK,
						.target = PEV_TARGET_SUBTREE,
						.period = 1,
						.sample = PEV_SAMPLE_TID | PEV_SAMPLE_USTACK },
			  channel);
}

/* Waits of at least @least ns are recorded, with stacks by @sample. */
static double pev_waits(load_fn *load, uint64_t least, uint64_t sample)
{
	int channel = listen_pev_channel(), stacks = pev_stacks(sample, channel);
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_WAIT,
						  .target = PEV_TARGET_SUBTREE,
						  .period = least,
						  .sample = PEV_SAMPLE_TID | sample },
			    channel);
	double ns = beyond(load);
	uint64_t records = listen_pev_records(fd);

	/* one is of the end of the process that played the other end */
	if (least == HOUR ? records > 1 : records < 2 * PIPE_TURNS)
		die("%llu waits of at least %llu ns were recorded", (unsigned long long)records,
		    (unsigned long long)least);
	if (stacks >= 0 && listen_pev_records(stacks) < 2 * PIPE_TURNS)
		die("few waits have the user's stack");
	if (stacks >= 0)
		close(stacks);
	close(fd);
	close(channel);
	load_settle();
	return ns;
}

#define EVENTS 3

/* The events of "perf sched record" that waits are made of, on this CPU. */
static double perf_waits(bool callchain)
{
	static const char *const names[EVENTS] = { "sched_switch", "sched_waking", "sched_wakeup" };
	void *rings[EVENTS];
	int fds[EVENTS];
	double ns;

	for (int i = 0; i < EVENTS; i++) {
		fds[i] = listen_perf(
			&(struct perf_listen){ .type = PERF_TYPE_TRACEPOINT,
					       .config = listen_tracepoint_id("sched", names[i]),
					       .pid = -1,
					       .period = 1,
					       .callchain = callchain });
		rings[i] = listen_perf_ring(fds[i]);
	}
	ns = beyond(load_pipe);
	for (int i = 0; i < EVENTS; i++) {
		if (listen_perf_records(rings[i]) < PIPE_TURNS)
			die("perf recorded less than happened");
		listen_perf_unmap(rings[i]);
		close(fds[i]);
	}
	load_settle();
	return ns;
}

/* What `perf record -e @events` or, without them, `perf sched record` make of the same. */
static double perf_tool(const char *events)
{
	static const char *const sched[] = { "perf", "sched",  "record", "-m", RINGS,
					     "-o",   TOOL_OUT, "sh",	 "-c", NULL };
	const char *const record[] = { "perf", "record", "-a",	   "-m", RINGS, "-e",
				       events, "-o",	 TOOL_OUT, "sh", "-c",	NULL };
	double ns = tool_load(events ? record : sched, "pipe");

	if (tool_said("samples)", " samples)", TOOL_BEFORE) < TRIES * 2 * PIPE_TURNS)
		die("perf recorded less than happened");
	return ns - tool_load(NULL, "pipe");
}

/*
 * How long each thread was off its CPU, in total and by where: what the program of that name
 * does, in the language of bpftrace.
 */
#define OFFCPU_SUMS                                               \
	"tracepoint:sched:sched_switch {"                         \
	" @start[args->prev_pid] = nsecs;"                        \
	" $began = @start[args->next_pid];"                       \
	" if ($began) { @[args->next_pid] = sum(nsecs - $began);" \
	"  delete(@start[args->next_pid]); } }"
#define OFFCPU_STACKS                          \
	"kprobe:finish_task_switch* {"         \
	" $prev = (struct task_struct *)arg0;" \
	" @start[$prev->pid] = nsecs;"         \
	" $began = @start[tid];"               \
	" if ($began) { @[tid, kstack, ustack] = sum(nsecs - $began); delete(@start[tid]); } }"

static double offcpu(const char *program)
{
	/* each wait takes more than an instruction */
	return tool_bpftrace(program, "pipe", TRIES * 2 * PIPE_TURNS) - tool_load(NULL, "pipe");
}

/* Return: what the cheaper one costs; NAN if this kernel has no BPF. */
static double measure_offcpu(void)
{
	struct figure *f;

	if (!tool_has_bpf())
		return NAN;
	f = figure("wait_offcpu", 0, "bpftrace's sums of times off the CPU");
	f->at[BPFTRACE] = offcpu(OFFCPU_SUMS);
	f = figure("wait_offcpu_stacks", 0, "... by both stacks");
	f->at[BPFTRACE] = offcpu(OFFCPU_STACKS);
	return f[-1].at[BPFTRACE];
}

static void measure_rivals(double folded)
{
	static const struct {
		const char *name, *text, *events;
	} tools[] = {
		{ "wait_three_events", "`perf record -e sched:sched_switch,...` of three",
		  "sched:sched_switch,sched:sched_waking,sched:sched_wakeup" },
		{ "wait_sched_all", "`perf record -e sched:*`", "sched:*" },
		{ "wait_sched_record", "`perf sched record`", NULL },
	};
	double least = measure_offcpu();
	struct figure *f;

	for (unsigned int i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		f = figure(tools[i].name, 0, tools[i].text);
		f->at[PERF] = perf_tool(tools[i].events);
		least = fmin(least, f->at[PERF]);
	}
	f = figure("wait_fifth", least / 5, "a wait below the threshold; a fifth of the cheapest");
	f->at[PEV] = folded;
}

/*
 * Of a thread that nobody has to wake: where there is a waker, its stack is recorded, too. What the
 * two stacks cost does not depend on what ends the wait.
 */
static double sleeper_stacks(void)
{
	return pev_waits(load_yield, 1, PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK) -
	       pev_waits(load_yield, 1, 0);
}

void measure_waits(void)
{
	double perf, perf_chains, folded, record;
	struct figure *f;

	beyond(load_pipe);
	beyond(load_yield);
	perf = perf_waits(false);
	perf_chains = perf_waits(true);
	f = figure("wait_folded", 120,
		   "a wait below the threshold; perf: three events of the scheduler");
	f->at[PEV] = folded = pev_waits(load_pipe, HOUR, 0);
	f->at[PERF] = perf;
	f = figure("wait_record", 0, "a wait with a record of its own");
	f->at[PEV] = pev_waits(load_pipe, 1, 0);
	f->at[PERF] = perf;
	record = f->at[PEV];
	f = figure("wait_both", 1500, "the same with both stacks of the sleeper's");
	f->at[PEV] = record + sleeper_stacks();
	f = figure("wait_stacks", 0, "... and the waker's");
	f->at[PEV] = pev_waits(load_pipe, 1, PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK);
	f->at[PERF] = perf_chains;
	f = figure("wait_deferred", 0, "... with the user's stack put off");
	f->at[PEV] = pev_waits(load_pipe, 1, PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK | PEV_SAMPLE_COOKIE);
	f->at[PERF] = perf_chains;
	f = figure("wait_ustack", 0, "a wait with the user's stack alone");
	f->at[PEV] = pev_waits(load_pipe, 1, PEV_SAMPLE_USTACK);
	f = figure("wait_ustack_deferred", 0, "... put off");
	f->at[PEV] = pev_waits(load_pipe, 1, PEV_SAMPLE_USTACK | PEV_SAMPLE_COOKIE);
	measure_rivals(folded);
}
