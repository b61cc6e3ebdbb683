// SPDX-License-Identifier: GPL-2.0
/* A command that is held back and ends before it is let go. */
#include "record/workload.h"
#include "tests.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

void test_workload(void)
{
	char *argv[] = { (char *)"true", NULL };
	void (*before)(int) = signal(SIGPIPE, SIG_DFL);
	struct workload w;
	siginfo_t info;
	sigset_t mask;
	struct msg m;
	int status = 0;

	sigemptyset(&mask);
	OK(!workload_hold(&w, argv, &mask, &status, &m), "workload: held back");
	kill(w.pid, SIGKILL);
	waitid(P_PID, (id_t)w.pid, &info, WEXITED | WNOWAIT);
	OK(workload_go(&w, argv[0], &status, &m) == -EPIPE && strstr(m.text, "true is gone"),
	   "workload: one that was killed meanwhile is an error, not our end");
	workload_end(&w);
	OK(!workload_hold(&w, argv, &mask, &status, &m) &&
	   !workload_go(&w, argv[0], &status, &m) && workload_wait(&w, true) &&
	   !workload_status(&w), "workload: another one runs");
	workload_end(&w);
	signal(SIGPIPE, before);
}
