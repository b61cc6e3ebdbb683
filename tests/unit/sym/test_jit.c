// SPDX-License-Identifier: GPL-2.0
/* Code that processes make: perf-PID.map, jitdump. */
#include "lookup.h"
#include "tests.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void put_load(FILE *f, uint64_t addr, uint64_t size, const char *name)
{
	uint32_t head[2] = { 0, (uint32_t)(16 + 8 + 32 + strlen(name) + 1 + size) };
	uint64_t words[] = { 0, 0, 0, addr, size, 1 };

	fwrite(head, sizeof(head), 1, f);
	fwrite(words, sizeof(words), 1, f);
	fputs(name, f);
	fputc(0, f);
	while (size--)
		fputc(0x90, f);
}

static void put_move(FILE *f, uint64_t from, uint64_t to, uint64_t size)
{
	uint32_t head[2] = { 1, 16 + 8 + 40 };
	uint64_t words[] = { 0, 0, 0, from, to, size, 1 };

	fwrite(head, sizeof(head), 1, f);
	fwrite(words, sizeof(words), 1, f);
}

static void write_dump(const char *path)
{
	uint32_t head[10] = { 0x4a695444, 1, 40 };
	FILE *f = fopen(path, "we");

	fwrite(head, sizeof(head), 1, f);
	put_load(f, 0x10000, 64, "first");
	put_load(f, 0x20000, 64, "moved");
	put_move(f, 0x20000, 0x30000, 64);
	put_load(f, 0x10000, 32, "second");
	/* a record that was not finished */
	fwrite(head, 8, 1, f);
	fclose(f);
}

static const char *name_at(struct pev_syms *s, int o, uint64_t at)
{
	struct pev_sym sym;

	return pev_sym_find(s, o, at, &sym) == 1 ? pev_sym_name(s, o, sym.index) : "-";
}

/* Returns a name of what @pid has generated, as a recording that ended at @end knows it. */
static const char *code_name(uint32_t pid, int64_t end, char *problem)
{
	static char name[64];
	struct pev_syms *s;
	int o;

	pev_syms_new(0, &s);
	pev_syms_set_end(s, end);
	o = pev_syms_code(s, pid);
	snprintf(name, sizeof(name), "%s", name_at(s, o, 0x7f0000002000));
	snprintf(problem, 300, "%s", pev_syms_problem(s, o) ? pev_syms_problem(s, o) : "");
	pev_syms_free(s);
	return name;
}

/* Makes a process, which stays until the pipe is closed. */
static pid_t in_other_root(const char *root, int *pipe_fd)
{
	int fds[2], ready[2];
	pid_t pid;
	char c;

	if (pipe(fds) || pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		close(fds[1]);
		if (chroot(root) || write(ready[1], "", 1) != 1)
			_exit(1);
		_exit(read(fds[0], &c, 1) < 0);
	}
	close(fds[0]);
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		c = 1;
	close(ready[0]);
	*pipe_fd = fds[1];
	return pid;
}

/* What has the number of a recorded process now is not that process. */
static void not_recorded(void)
{
	char root[4200], inside[4300], problem[300];
	int64_t now = (int64_t)time(NULL) * 1000000000;
	pid_t other;
	FILE *f;
	int fd;

	snprintf(root, sizeof(root), "%s/root", objects);
	snprintf(inside, sizeof(inside), "%s/tmp", root);
	mkdir(root, 0755);
	mkdir(inside, 0755);
	other = geteuid() ? -1 : in_other_root(root, &fd);
	if (other < 0) {
		OK(true, "the root of another process # SKIP not root");
		return;
	}
	snprintf(inside, sizeof(inside), "%s/tmp/perf-%d.map", root, other);
	f = fopen(inside, "we");
	fputs("7f0000002000 40 inner\n", f);
	fclose(f);
	IS_STR(code_name((uint32_t)other, 0, problem), "inner", "a process in another root");
	IS_STR(code_name((uint32_t)other, now + 2000000000, problem), "inner",
	       "... that was there when the recording ended");
	IS_STR(code_name((uint32_t)other, now - 3600000000000, problem), "-",
	       "... that began an hour after it");
	unlink(inside);
	close(fd);
	waitpid(other, NULL, 0);
}

/*
 * A child in a mount namespace of its own, with a file system over its /tmp that nobody serves: what
 * looks for a file there waits for ever. Returns its PID, -1 if there can't be one.
 */
static pid_t in_served_tmp(int *end)
{
	int ends[2], ready[2];
	char word = 0;
	pid_t pid;

	if (pipe(ends) || pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		int fuse = open("/dev/fuse", O_RDWR);
		char options[80];

		close(ends[1]);
		snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0",
			 fuse);
		word = fuse >= 0 && !unshare(CLONE_NEWNS) &&
		       !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		       !mount("none", "/tmp", "fuse", MS_NOSUID | MS_NODEV, options);
		if (write(ready[1], &word, 1) != 1 || read(ends[0], &word, 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(ends[0]);
	if (read(ready[0], &word, 1) != 1 || !word) {
		close(ends[1]);
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	close(ready[1]);
	*end = ends[1];
	return pid;
}

/* Returns in seconds, not never. */
static void served(void)
{
	char problem[300];
	int end;
	pid_t pid = geteuid() ? -1 : in_served_tmp(&end);

	if (pid < 0) {
		OK(true, "a file system that nobody serves # SKIP no root, or no FUSE");
		return;
	}
	IS_STR(code_name((uint32_t)pid, 0, problem), "-", "a file system that nobody serves");
	OK(strstr(problem, "FUSE"), "... is said to be: %s", problem);
	close(end);
	waitpid(pid, NULL, 0);
}

/* Anybody may write /tmp/perf-PID.map. */
static void others(uint32_t pid, const char *map)
{
	char problem[300];

	if (geteuid()) {
		OK(true, "a map of another user # SKIP not root");
		return;
	}
	if (chown(map, 4242, 4242))
		perror(map);
	IS_STR(code_name(pid, 0, problem), "-", "a map of another user");
	OK(strstr(problem, "belongs neither to you"), "... is not believed: %s", problem);
	if (chown(map, 0, 0))
		perror(map);
	IS_STR(code_name(pid, 0, problem), "new", "... and one of root is");
}

static long memory_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* A file costs its maker nothing where it has a hole, and a name costs who reads it. */
static void endless(void)
{
	char map[64], problem[300], name[1001];
	uint32_t pid = (uint32_t)getpid();
	bool keep[3] = { false };
	struct pev_syms *s;
	long before;
	FILE *f;
	int o;

	snprintf(map, sizeof(map), "/tmp/perf-%u.map", pid);
	f = fopen(map, "we");
	fputs("7f0000002000 40 first\n", f);
	fflush(f);
	if (ftruncate(fileno(f), 1 << 30))
		perror(map);
	before = memory_kb();
	IS_STR(code_name(pid, 0, problem), "first", "a map of 1 GiB that is a hole");
	OK(memory_kb() - before < 64 << 10, "... takes no memory");
	rewind(f);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	for (uint64_t i = 0; i < 100000; i++)
		fprintf(f, "%lx 40 %s\n", 0x7f0000002000 + 64 * i, name);
	fclose(f);
	before = memory_kb();
	pev_syms_new(0, &s);
	o = pev_syms_code(s, pid);
	IS_NUM((long long)strlen(name_at(s, o, 0x7f0000002000)), 1000, "names of 100 MB");
	IS_STR(name_at(s, o, 0x7f0000002000 + 64 * 99999), "-",
	       "... of which the last has no room");
	OK(memory_kb() - before < 160 << 10, "... and which take less memory");
	OK(pev_syms_problem(s, o) && strstr(pev_syms_problem(s, o), "room"), "... is said: %s",
	   pev_syms_problem(s, o));
	o = pev_syms_code(s, 4194303);
	pev_syms_keep(s, keep, 3);
	o = pev_syms_code(s, pid);
	OK(strlen(name_at(s, o, 0x7f0000002000)) == 1000, "what was forgotten takes no room");
	pev_syms_free(s);
	unlink(map);
}

static uid_t process_uid(pid_t pid)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return stat(path, &st) ? 0 : st.st_uid;
}

/* One user's names leave room for those of another. */
static void shared(void)
{
	uint32_t own = (uint32_t)getpid();
	char map[64], theirs[64], name[1001];
	struct pev_syms *s;
	pid_t other;
	FILE *f;
	int o;

	if (geteuid()) {
		OK(true, "names of two users # SKIP not root");
		return;
	}
	other = fork();
	if (!other) {
		/* as after exec: else /proc/PID is root's */
		if (setuid(4242) || prctl(PR_SET_DUMPABLE, 1))
			_exit(1);
		for (;;)
			pause();
	}
	snprintf(theirs, sizeof(theirs), "/tmp/perf-%d.map", other);
	snprintf(map, sizeof(map), "/tmp/perf-%u.map", own);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	f = fopen(theirs, "we");
	for (uint64_t i = 0; i < 150000; i++)
		fprintf(f, "%lx 40 %s\n", 0x7f0000002000 + 64 * i, name);
	fclose(f);
	f = fopen(map, "we");
	fputs("7f0000002000 40 ours\n", f);
	fclose(f);
	while (process_uid(other) != 4242)
		usleep(1000);
	if (chown(theirs, 4242, 4242))
		perror(theirs);
	pev_syms_new(0, &s);
	o = pev_syms_code(s, (uint32_t)other);
	OK(strlen(name_at(s, o, 0x7f0000002000)) == 1000 &&
		   !strcmp(name_at(s, o, 0x7f0000002000 + 64 * 149999), "-"),
	   "a user who takes all room there is for him");
	o = pev_syms_code(s, own);
	IS_STR(name_at(s, o, 0x7f0000002000), "ours", "... leaves some for others");
	pev_syms_free(s);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	unlink(theirs);
	unlink(map);
}

void test_jit(void)
{
	uint32_t pid = (uint32_t)getpid();
	char map[64], dump[4200];
	struct pev_syms *s;
	FILE *f;
	int o;

	pev_syms_new(0, &s);
	snprintf(map, sizeof(map), "/tmp/perf-%u.map", pid);
	snprintf(dump, sizeof(dump), "%s/jit-%u.dump", objects, pid);
	f = fopen(map, "we");
	fputs("7f0000001000 100 LazyCompile:*run /app/main.js:7\n"
	      "7f0000002000 40 old\nno line\n7f0000002000 40 new\n7f0000003000 0 empty\n"
	      "7f0000004000 20 last", f);
	fclose(f);
	write_dump(dump);
	IS_NUM(pev_syms_jitdump(s, pid, dump), 0, "a jitdump file");
	o = pev_syms_code(s, pid);
	IS_NUM(pev_syms_code(s, pid), o, "one object for the code of a process");
	IS_STR(name_at(s, o, 0x7f00000010ff), "LazyCompile:*run /app/main.js:7", "perf-PID.map");
	IS_STR(name_at(s, o, 0x7f0000002000), "new", "what was written last counts");
	IS_STR(name_at(s, o, 0x7f0000004001), "last", "a line without an end");
	IS_STR(name_at(s, o, 0x7f0000003000), "-", "nothing of no size");
	IS_STR(name_at(s, o, 0x10001), "second", "jitdump: code that was replaced");
	IS_STR(name_at(s, o, 0x30001), "moved", "jitdump: code that was moved");
	IS_NUM(pev_syms_jitdump(s, pid, "/other"), -16, "too late for another file");
	not_recorded();
	served();
	others(pid, map);
	unlink(map);
	endless();
	shared();
	o = pev_syms_code(s, 4194303);
	IS_STR(name_at(s, o, 0x10001), "-", "a process that left none");
	OK(pev_syms_problem(s, o) && strstr(pev_syms_problem(s, o), "perf-4194303.map"),
	   "... and it is said which file is looked for");
	pev_syms_free(s);
}
