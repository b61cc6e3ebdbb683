// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Runs a command, and says what its threads did with their time. No special right is needed.
 *
 *	cc -static -o waits waits.c && ./waits make -j2
 */
#include <inttypes.h>
#include <linux/pev.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	struct pev_refusal head;
	char text[200];
} why;

/* Follow a process and what it starts, from its next exec on. */
static int open_waits(pid_t pid)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_WAIT,
		.target = PEV_TARGET_SUBTREE,
		.target_id = pid,
		.flags = PEV_F_ENABLE_ON_EXEC,
		.channel_fd = -1,
		.group_fd = -1,
		.period = 1000000, /* ns; waits that are shorter are folded */
		.refusal = (uintptr_t)&why,
		.refusal_size = sizeof(why),
	};

	return syscall(__NR_pev_open, &attr, sizeof(attr), PEV_OPEN_CLOEXEC);
}

static void say(const char *what, uint64_t ns, uint64_t of)
{
	printf("%-9s %15" PRIu64 " ns %6.2f %%\n", what, ns, of ? 100.0 * ns / of : 0);
}

int main(int argc, char **argv)
{
	struct {
		struct pev_value value;
		struct pev_waits waits;
	} r;
	const struct pev_waits *w = &r.waits;
	int go[2], fd;
	pid_t pid;

	if (argc < 2 || pipe(go))
		return puts("usage: waits COMMAND [ARGUMENT]...") < 0 ? 1 : 2;
	pid = fork();
	if (!pid) {
		close(go[1]);
		/* ends when the parent has closed its end */
		if (!read(go[0], &fd, 1))
			execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	fd = open_waits(pid);
	if (fd < 0)
		printf("waits: %s\n", why.text[0] ? why.text : "there is no pev here");
	close(go[1]);
	waitpid(pid, NULL, 0);
	if (fd < 0 || read(fd, &r, sizeof(r)) != sizeof(r))
		return 1;
	say("run", w->run, w->enabled);
	say("blocked", w->blocked, w->enabled);
	say("runnable", w->runnable, w->enabled);
	say("folded", w->folded, w->enabled);
	say("enabled", w->enabled, w->enabled);
	printf("%llu waits, %llu folded\n", w->waits, w->folded_waits);
	return w->enabled != w->run + w->blocked + w->runnable + w->folded;
}
