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

static double idle;

/* Waits of at least @least ns are recorded, with stacks by @sample. */
static double pev_waits(uint64_t least, uint64_t sample)
{
	int channel = listen_pev_channel();
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_WAIT,
						  .target = PEV_TARGET_SUBTREE,
						  .period = least,
						  .sample = PEV_SAMPLE_TID | sample },
			    channel);
	double ns = load_pipe();
	uint64_t records = listen_pev_records(fd);

	/* one is of the end of the process that played the other end */
	if (least == HOUR ? records > 1 : records < 2 * PIPE_TURNS)
		die("%llu waits of at least %llu ns were recorded", (unsigned long long)records,
		    (unsigned long long)least);
	close(fd);
	close(channel);
	load_settle();
	return ns - idle;
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
	ns = load_pipe();
	for (int i = 0; i < EVENTS; i++) {
		if (listen_perf_records(rings[i]) < PIPE_TURNS)
			die("perf recorded less than happened");
		listen_perf_unmap(rings[i]);
		close(fds[i]);
	}
	load_settle();
	return ns - idle;
}

void measure_waits(void)
{
	double perf, perf_chains;
	struct figure *f;

	load_pipe();
	idle = load_pipe();
	load_settle();
	perf = perf_waits(false);
	perf_chains = perf_waits(true);
	f = figure("wait_folded", 120,
		   "a wait below the threshold; perf: three events of the scheduler");
	f->at[PEV] = pev_waits(HOUR, 0);
	f->at[PERF] = perf;
	f = figure("wait_record", 0, "a wait with a record of its own");
	f->at[PEV] = pev_waits(1, 0);
	f->at[PERF] = perf;
	f = figure("wait_stacks", 1500, "the same with both stacks, and the waker's");
	f->at[PEV] = pev_waits(1, PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK);
	f->at[PERF] = perf_chains;
}
