// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a guest until it is killed, and says so when it does. A line that it is given adds a virtual
 * processor, in a thread of its own, of which it says the same.
 *
 * usage: guest [TURNS]     ends after so many of the guest's turns, and says how often it was entered
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "vmm.h"

static struct vmm first;

static void run(struct vmm *m)
{
	if (!vmm_round(m)) {
		puts("runs");
		fflush(stdout);
	}
	while (!vmm_round(m))
		;
	exit(1);
}

static void *run_second(void *arg)
{
	static struct vmm second;

	(void)arg;
	if (vmm_add(&second, &first, 1)) {
		perror("a second virtual processor");
		exit(1);
	}
	run(&second);
	return NULL;
}

static void *wait_for_line(void *arg)
{
	pthread_t thread;
	char line[16];

	(void)arg;
	if (fgets(line, sizeof(line), stdin))
		pthread_create(&thread, NULL, run_second, NULL);
	return NULL;
}

static int run_turns(long turns)
{
	for (long i = 0; i < turns; i++) {
		if (vmm_round(&first))
			return 1;
	}
	printf("%lld\n", (long long)vmm_entries(&first));
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (vmm_open(&first, false)) {
		perror("a guest of KVM");
		return 1;
	}
	if (argc > 1)
		return run_turns(atol(argv[1]));
	pthread_create(&thread, NULL, wait_for_line, NULL);
	run(&first);
	return 1;
}
