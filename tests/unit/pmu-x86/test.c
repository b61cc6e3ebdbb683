// SPDX-License-Identifier: GPL-2.0
/*
 * Drives the backend as the PMU core does, against modelled registers. Each case
 * runs in a process of its own.
 */
#include <sys/wait.h>
#include <unistd.h>
#include "core.h"

static void run(const struct test_case *test)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		failed = 0;
		alarm(60);
		test->run();
		fflush(stdout);
		_exit(failed);
	}
	waitpid(pid, &status, 0);
	failed |= !!status;
	printf("%sok - %s%s%s\n", status ? "not " : "", test->name, test->each ? ", " : "",
	       test->each ? kinds[kind].name : "");
}

static void run_all(const struct test_case *test)
{
	for (; test->run; test++) {
		if (!test->each) {
			run(test);
			continue;
		}
		for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
			run(test);
	}
}

int main(void)
{
	run_all(encode_cases);
	run_all(count_cases);
	run_all(pmi_cases);
	run_all(owner_cases);
	run_all(errata_cases);
	return failed;
}
