// SPDX-License-Identifier: GPL-2.0
/* Gets signals: one that it handles, its child's end by one, and one that ends it. */
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static void handle(int sig)
{
	(void)sig;
}

int main(void)
{
	static volatile int *nothing;

	signal(SIGUSR1, handle);
	signal(SIGCHLD, handle);
	kill(getpid(), SIGUSR1);
	if (!fork())
		raise(SIGTERM);
	while (wait(NULL) > 0)
		;
	return *nothing;
}
