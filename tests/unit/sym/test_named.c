// SPDX-License-Identifier: GPL-2.0
/*
 * What a file names is opened only if it is a plain file: a FIFO would be waited at, and a device
 * may do something when it is opened.
 */
#include "lookup.h"
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/**
 * struct writer - a program that waits at a FIFO until something opens that, again and again
 * @came: how often something did
 */
struct writer {
	const char *fifo;
	pid_t pid;
	volatile int *came;
};

static void moment(void)
{
	const struct timespec t = { .tv_nsec = 50000000 };

	nanosleep(&t, NULL);
}

static bool wait_at(struct writer *w, const char *fifo)
{
	int fd;

	unlink(fifo);
	w->fifo = fifo;
	w->came = mmap(NULL, sizeof(*w->came), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (mkfifo(fifo, 0600) || w->came == MAP_FAILED)
		return false;
	w->pid = fork();
	while (!w->pid) {
		fd = open(fifo, O_WRONLY | O_CLOEXEC);
		++*w->came;
		close(fd);
		moment();
	}
	moment();
	return w->pid > 0;
}

/* Ends the program; returns how often something had opened the FIFO. */
static int end_wait(struct writer *w)
{
	int came = *w->came;

	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
	munmap((void *)w->came, sizeof(*w->came));
	unlink(w->fifo);
	return came;
}

static const char *in_named(const char *name)
{
	static char paths[4][4200];
	static unsigned int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/named/%s", objects, name);
	return path;
}

/* Looks up all that there may be of a file. */
static void look_up(const char *name, char *problem)
{
	struct pev_sym_line l[4];
	struct pev_syms *s;
	struct pev_sym sym;
	uint64_t f3;
	int o;

	pev_syms_new(0, &s);
	o = pev_syms_object(s, in_named(name), NULL, 0);
	f3 = find_function(s, o, "f3");
	pev_sym_find(s, o, f3, &sym);
	pev_sym_lines(s, o, f3, l, 4);
	snprintf(problem, 300, "%s", pev_syms_problem(s, o) ? pev_syms_problem(s, o) : "");
	pev_syms_free(s);
}

static void waited_at(const char *name, const char *fifo, const char *what)
{
	char problem[300], path[4200];
	struct writer w;
	int came;

	snprintf(path, sizeof(path), "%s", in_named(fifo));
	if (!wait_at(&w, path)) {
		OK(false, "a FIFO, %s", path);
		return;
	}
	look_up(name, problem);
	moment();
	came = end_wait(&w);
	OK(!came, "%s: %s is opened %d times", what, fifo, came);
}

static void no_plain_file(void)
{
	char problem[300];

	waited_at("fifo", "fifo", "an object");
	waited_at("linked", "plain.debug", "a debuglink");
	waited_at("linked", ".debug/plain.debug", "a debuglink");
	waited_at("above", "sub/up", "a debuglink with a path");
	waited_at("shared.relative", "alt", "debug information that is shared, beside the file");
	waited_at("shared.absolute", "alt", "debug information that is shared");
	waited_at("split.absolute", "split.dwo", "a split unit");
	waited_at("split.relative", "split.dwo", "a split unit, beside the file");
	look_up("split.absolute", problem);
	IS_STR(problem, "", "a split unit that is not there is no problem");
}

/* Who owns a directory puts there what he likes, when he likes. */
static void of_others(void)
{
	char problem[300];

	if (geteuid()) {
		OK(true, "a directory of another user # SKIP not root");
		return;
	}
	if (chown(in_named("."), 4242, 4242))
		perror("chown");
	look_up("split.absolute", problem);
	OK(strstr(problem, "other users"), "a split unit in a directory of another user: %s",
	   problem);
	look_up("shared.absolute", problem);
	OK(strstr(problem, "other users"), "... and what is shared");
	look_up("real", problem);
	IS_STR(problem, "", "a debuglink there is followed");
	if (chown(in_named("."), 0, 0) || chmod(in_named("."), 01777))
		perror("chown");
	look_up("split.absolute", problem);
	OK(strstr(problem, "other users"), "a split unit that anybody may put there");
	if (chown(in_named("."), 0, 4242) || chmod(in_named("."), 0775))
		perror("chown");
	look_up("split.absolute", problem);
	OK(strstr(problem, "other users"), "... or the members of a group");
	fclose(fopen(in_named("split.dwo"), "we"));
	if (chmod(in_named("."), 0755) || chmod(in_named("split.dwo"), 0664))
		perror("chmod");
	look_up("split.absolute", problem);
	OK(strstr(problem, "other users"), "... or that they may write");
	if (chmod(in_named("split.dwo"), 0644))
		perror("chmod");
	look_up("split.absolute", problem);
	IS_STR(problem, "", "a split unit of root's");
	unlink(in_named("split.dwo"));
	if (chown(in_named("."), 0, 0) || symlink("/nowhere/it", in_named("split.dwo")))
		perror("symlink");
	look_up("split.absolute", problem);
	IS_STR(problem, "", "a link of root's to nowhere");
	if (lchown(in_named("split.dwo"), 4242, 4242))
		perror("lchown");
	look_up("split.absolute", problem);
	OK(strstr(problem, "other users"), "a link of another user's");
	unlink(in_named("split.dwo"));
}

/* elfutils unpacks what a file says to be larger than all memory. */
static void swollen(void)
{
	char problem[300];

	look_up("bomb.xz", problem);
	OK(strstr(problem, "far larger"), "a .gnu_debugdata of 256 MiB in 40 KiB: %s", problem);
	look_up("bomb.zlib", problem);
	OK(strstr(problem, "far larger"), "a section that says to be of 1 GiB");
	look_up("mini", problem);
	IS_STR(problem, "", "a .gnu_debugdata as others have it");
}

void test_named(void)
{
	no_plain_file();
	of_others();
	swollen();
}
