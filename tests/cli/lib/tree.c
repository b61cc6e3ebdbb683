// SPDX-License-Identifier: GPL-2.0
/*
 * A tree of processes of known shape: each has WIDTH children, DEPTH levels
 * below the first; each process calls getppid() CALLS times.
 * usage: tree WIDTH DEPTH CALLS [threads]
 * With "threads", every process makes the calls in a second thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long calls;

static void *work(void *unused)
{
	for (long i = 0; i < calls; i++)
		syscall(SYS_getppid);
	return unused;
}

static void node(int width, int depth, int threads)
{
	pthread_t t;

	for (int i = 0; depth && i < width; i++) {
		pid_t pid = fork();

		if (pid < 0)
			exit(1);
		if (!pid) {
			node(width, depth - 1, threads);
			exit(0);
		}
	}
	if (threads && !pthread_create(&t, NULL, work, NULL))
		pthread_join(t, NULL);
	else
		work(NULL);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	calls = atol(argv[3]);
	node(atoi(argv[1]), atoi(argv[2]), argc > 4 && !strcmp(argv[4], "threads"));
	return 0;
}
