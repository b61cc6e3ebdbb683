// SPDX-License-Identifier: GPL-2.0
/*
 * Opens and closes events of several kinds until it is killed, by several processes: wherever
 * one of them is then, the kernel closes what is open. Prints a line when all have begun.
 * usage: churn PROCESSES
 */
#include <signal.h>
#include <sys/prctl.h>
#include "../selftests/pev_util.h"

/* Of three processes more than are reaped together. */
#define EVENTS	100

static int open_one(unsigned int nr, int channel)
{
	static const char * const names[] = {
		"sched:sched_switch", "raw_syscalls:sys_enter", "syscalls:sys_enter_close",
		"kmem:mm_page_alloc",
	};
	struct pev_attr attr = {
		.channel_fd = channel, .group_fd = -1, .period = channel < 0 ? 0 : 1,
		.target = nr % 3 ? PEV_TARGET_TASK : PEV_TARGET_SUBTREE,
	};

	switch (nr % 8) {
	case 0:
		attr.type = PEV_TYPE_TRACEPOINT;
		/* perf's probe takes a grace period to go: one of many is enough */
		attr.name = (uintptr_t)names[nr % 64 ? nr / 8 % 3 : 3];
		break;
	case 1:
		attr.type = PEV_TYPE_TIMER;
		attr.config = PEV_TIMER_CPU_CLOCK;
		attr.period = 1000000;
		break;
	default:
		attr.type = PEV_TYPE_SOFTWARE;
		attr.config = PEV_SW_PAGE_FAULTS + nr % 5;
	}
	return pev_open(&attr);
}

static void once(void)
{
	static int fds[EVENTS];
	int channel = pev_open_channel(1 << 16, 0, 0);
	unsigned int nr;

	for (nr = 0; nr < EVENTS; nr++)
		fds[nr] = open_one(nr, nr % 2 ? channel : -1);
	getppid();
	while (nr--)
		close(fds[nr]);
	close(channel);
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 1, begun[2];
	char byte = 0;

	if (pipe(begun))
		return 1;
	for (int i = 0; i < nr; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		once();
		if (write(begun[1], &byte, 1) != 1)
			return 1;
		for (;;)
			once();
	}
	close(begun[1]);
	for (int i = 0; i < nr; i++)
		if (read(begun[0], &byte, 1) != 1)
			return 1;
	puts("begun");
	fflush(stdout);
	for (;;)
		pause();
}
