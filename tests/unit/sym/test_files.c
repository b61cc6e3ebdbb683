// SPDX-License-Identifier: GPL-2.0
/* Functions of ELF files: whole, stripped, replaced, of other machines, broken. */
#include "lookup.h"
#include "tests.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

char path_buf[4096];

const char *object_path(const char *name)
{
	snprintf(path_buf, sizeof(path_buf), "%s/%s", objects, name);
	return path_buf;
}

uint64_t find_function(struct pev_syms *s, int object, const char *name)
{
	struct pev_sym sym;

	for (uint64_t at = 0; at < 1 << 20; at += 4)
		if (pev_sym_find(s, object, at, &sym) == 1 &&
		    !strcmp(pev_sym_raw_name(s, object, sym.index), name))
			return sym.start;
	return 0;
}

static int open_object(struct pev_syms *s, const char *name)
{
	return pev_syms_object(s, object_path(name), NULL, 0);
}

static void whole(struct pev_syms *s)
{
	int o = open_object(s, "plain");
	uint64_t f3 = find_function(s, o, "f3"), at;
	struct pev_sym sym;

	OK(f3 != 0, "a function of a program");
	OK(pev_sym_find(s, o, f3 + 1, &sym) == 1 && sym.start == f3 && sym.size > 4 &&
	   sym.object == o, "where it begins and ends");
	IS_STR(pev_sym_name(s, o, sym.index), "f3", "its name");
	IS_STR(pev_sym_name(s, o, PEV_SYM_NO_INDEX), "", "no index has no name");
	OK(!pev_syms_problem(s, o), "there is no problem");
	IS_NUM(pev_sym_find(s, o, 1ull << 40, &sym), 0, "nothing far behind its end");
	IS_NUM(pev_sym_find(s, 9999, 0, &sym), 0, "nor in an object that there is not");
	OK(!pev_sym_place(s, o, "f3", &at) && at == f3, "its place by its name");
	IS_NUM(pev_sym_place(s, o, "no_such_function", &at), -ENOENT, "a name that it has not");
	IS_NUM(pev_sym_place(s, open_object(s, "twice.so"), "twice", &at), -ENOTUNIQ, "one that two functions have");
	IS_NUM(pev_sym_place(s, PEV_SYM_KERNEL, "f3", &at), -ENODATA, "an object that is no file");
}

static void one_by_one(struct pev_syms *s)
{
	int o = open_object(s, "plain"), ret;
	uint64_t f3 = find_function(s, o, "f3"), last = 0;
	bool sorted = true, found = false;
	struct pev_sym sym, same;
	uint32_t n = 0;

	while ((ret = pev_sym_nth(s, o, n, &sym)) > 0) {
		found |= sym.start == f3 && !strcmp(pev_sym_raw_name(s, o, sym.index), "f3");
		sorted &= sym.start >= last && sym.index == n;
		/* names of data are no code, and have no place if the file has no byte of it */
		sorted &= sym.start == UINT64_MAX ||
			  (pev_sym_find(s, o, sym.start, &same) == 1 && same.start == sym.start);
		last = sym.start;
		n++;
	}
	OK(!ret && n > 3 && found, "all functions, of which this is one");
	OK(sorted, "in the order of their places, as they are found there");
	IS_NUM(pev_sym_nth(s, PEV_SYM_KERNEL, 0, &sym), -ENODATA, "an object that is no file");
	IS_NUM(pev_sym_nth(s, open_object(s, "none"), 0, &sym), -ENODATA,
	       "a file that is not there");
}

static void stripped(struct pev_syms *s)
{
	int whole_one = open_object(s, "plain"), o = open_object(s, "plain.stripped");
	uint64_t f3 = find_function(s, whole_one, "f3"), at;
	struct pev_sym sym;

	IS_NUM(pev_sym_find(s, o, f3 + 1, &sym), 0, "a stripped program has no names");
	OK(sym.index == PEV_SYM_NO_INDEX && sym.start == f3 && sym.size > 4,
	   "... but tables that say where functions begin");
	OK(pev_syms_problem(s, o) && strstr(pev_syms_problem(s, o), "has no symbols"),
	   "... and it is said");
	o = open_object(s, "plain.linked");
	OK(pev_sym_find(s, o, f3 + 1, &sym) == 1 && !strcmp(pev_sym_name(s, o, sym.index), "f3"),
	   "a separate debug file by its debuglink");
	OK(!pev_sym_place(s, open_object(s, "plain.linked"), "f3", &at) && at == f3,
	   "a place by a debug file");
}

static void replaced(struct pev_syms *s)
{
	uint8_t id[20], wrong[20] = { 1, 2, 3 };
	int len, o;
	struct pev_sym sym;

	len = pev_syms_build_id(object_path("plain"), id);
	IS_NUM(len, 20, "a build id");
	o = pev_syms_object(s, object_path("plain"), id, 20);
	IS_NUM(pev_syms_object(s, object_path("plain"), id, 20), o, "the same object again");
	OK(find_function(s, o, "f3") != 0, "the recorded build id is the file's");
	o = pev_syms_object(s, object_path("plain"), wrong, 20);
	IS_NUM(pev_sym_find(s, o, 0x1200, &sym), 0, "another build id: no names");
	OK(pev_syms_problem(s, o) && strstr(pev_syms_problem(s, o), "has changed") &&
	   strstr(pev_syms_problem(s, o), "recorded was 010203"), "... and it is said");
	IS_NUM(pev_syms_build_id("/dev/null", id), -ENXIO, "a device is not opened");
	IS_NUM(pev_syms_build_id("/etc/passwd", id), -8, "a text has no build id");
}

/* A process that sees the objects' directory as its root, as in a container. */
static pid_t other_root(void)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		close(ready[0]);
		if (chroot(objects) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ready[0]);
	return pid;
}

static uint64_t from_root(unsigned int flags, pid_t pid)
{
	struct pev_syms *s;
	uint64_t found;
	uint8_t id[20];
	int o, len = pev_syms_build_id(object_path("plain"), id);

	pev_syms_new(flags, &s);
	o = pev_syms_object(s, "/plain", id, (size_t)len);
	if (pid > 0)
		pev_syms_mapped_by(s, o, (uint32_t)pid);
	found = find_function(s, o, "f3");
	pev_syms_free(s);
	return found;
}

static void kept(void)
{
	bool keep[8] = { 0 };
	struct pev_syms *s;
	int plain, gone, code, other;

	pev_syms_new(0, &s);
	plain = pev_syms_object(s, object_path("plain"), NULL, 0);
	gone = pev_syms_object(s, "/tmp/gone", NULL, 0);
	code = pev_syms_code(s, 17);
	keep[plain] = true;
	pev_syms_keep(s, keep, sizeof(keep));
	OK(find_function(s, plain, "f3"), "what is kept has its functions");
	IS_NUM(pev_syms_object(s, object_path("plain"), NULL, 0), plain, "... and its number");
	OK(pev_syms_kind(s, gone) == PEV_SYM_KIND_NONE && pev_syms_kind(s, code) == PEV_SYM_KIND_NONE,
	   "what is not kept is nothing");
	IS_STR(pev_syms_path(s, PEV_SYM_KERNEL), "[kernel]", "the kernel is kept, whatever is said");
	other = pev_syms_object(s, "/tmp/other", NULL, 0);
	OK(other == gone || other == code, "a number is used again: %d", other);
	IS_STR(pev_syms_path(s, other), "/tmp/other", "... by the other one");
	IS_NUM(pev_syms_object(s, "/tmp/other", NULL, 0), other, "... which keeps it");
	gone = pev_syms_object(s, "/tmp/gone", NULL, 0);
	OK(gone != other && gone < 5, "what comes back has a number, too: %d", gone);
	IS_NUM(pev_syms_count(s), 5, "no number was added");
	pev_syms_free(s);
}

/* By /proc/PID/root while the process lives, from the cache when it has ended. */
static void elsewhere(void)
{
	char cache[4096];
	pid_t pid = other_root();

	if (pid < 0) {
		OK(true, "a file of another root # SKIP must be root");
		return;
	}
	snprintf(cache, sizeof(cache), "%s/cache", objects);
	setenv("XDG_CACHE_HOME", cache, 1);
	IS_NUM((long long)from_root(PEV_SYMS_CACHE, 0), 0, "a file that is not there");
	OK(from_root(0, pid) != 0, "... is there for a process that has it");
	IS_NUM((long long)from_root(PEV_SYMS_CACHE, 0), 0, "... which left nothing in the cache");
	OK(from_root(PEV_SYMS_CACHE, pid) != 0, "the same, with a cache");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	OK(from_root(PEV_SYMS_CACHE, pid) != 0, "when the process has ended, it comes from there");
	IS_NUM((long long)from_root(0, pid), 0, "... but not without it");
	unsetenv("XDG_CACHE_HOME");
}

static void other_machines(struct pev_syms *s)
{
	int o;

	if (access(object_path("ppc64le.so"), R_OK)) {
		OK(true, "ppc64le # SKIP there is no compiler for it");
		return;
	}
	o = open_object(s, "ppc64le.so");
	OK(find_function(s, o, "f3") != 0, "functions of a ppc64le file");
}

static void kernel(void)
{
	static const char text[] = "ffffffff81000000 T _text\nffffffff81000200 t do_work\n"
				   "ffffffff81000300 D data\ngarbage\n\n"
				   "ffffffffc0000000 t mod_func\t[ext4]";
	struct pev_syms *s;
	struct pev_sym sym;

	pev_syms_new(0, &s);
	IS_NUM(pev_syms_set_kernel(s, text, sizeof(text) - 1), 0, "the kernel's functions");
	OK(pev_sym_find(s, PEV_SYM_KERNEL, 0xffffffff81000250, &sym) == 1 &&
	   sym.start == 0xffffffff81000200 && sym.object == PEV_SYM_KERNEL, "one of them");
	OK(pev_sym_find(s, PEV_SYM_KERNEL, 0xffffffffc0000010, &sym) == 1 &&
	   !strcmp(pev_syms_path(s, sym.object), "[ext4]") &&
	   pev_syms_kind(s, sym.object) == PEV_SYM_KIND_MODULE, "one of a module");
	IS_STR(pev_sym_name(s, sym.object, sym.index), "mod_func", "... by its name");
	IS_NUM(pev_syms_set_kernel(s, "", 0), -16, "too late for others");
	OK(!pev_syms_kernel_function(s, 0xffffffffc0000100, 0x80, "bpf_prog_1", "bpf") &&
	   pev_sym_find(s, PEV_SYM_KERNEL, 0xffffffffc000017f, &sym) == 1 &&
	   sym.start == 0xffffffffc0000100 && sym.size == 0x80 &&
	   !strcmp(pev_syms_path(s, sym.object), "[bpf]"), "one that came later");
	IS_STR(pev_sym_name(s, sym.object, sym.index), "bpf_prog_1", "... by its name");
	OK(!pev_syms_kernel_function(s, 0xffffffffc0000140, 0x10, "bpf_prog_2", "bpf") &&
	   pev_sym_find(s, PEV_SYM_KERNEL, 0xffffffffc0000148, &sym) == 1 &&
	   !strcmp(pev_sym_raw_name(s, sym.object, sym.index), "bpf_prog_2"), "the last counts");
	OK(pev_sym_find(s, PEV_SYM_KERNEL, 0xffffffffc0000180, &sym) == 1 &&
	   !strcmp(pev_sym_name(s, sym.object, sym.index), "mod_func"), "others are still there");
	IS_NUM(pev_syms_kernel_function(s, 1, 0, "none", NULL), -EINVAL, "one without bytes");
	pev_syms_free(s);
	pev_syms_new(0, &s);
	pev_syms_set_kernel(s, "0000000000000000 T hidden\n", 26);
	pev_sym_find(s, PEV_SYM_KERNEL, 0xffffffff81000250, &sym);
	OK(pev_syms_problem(s, PEV_SYM_KERNEL) != NULL, "hidden addresses are said to be");
	pev_syms_free(s);
}

static void server(void)
{
	struct pev_syms *s;
	uint8_t id[20] = { 9, 9 };
	struct pev_sym sym;
	int o;

	/* no server listens there: that must neither take long nor be a failure */
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1/", 1);
	setenv("DEBUGINFOD_CACHE_PATH", objects, 1);
	pev_syms_new(PEV_SYMS_DEBUGINFOD, &s);
	o = pev_syms_object(s, "/nowhere/server", id, 20);
	IS_NUM(pev_sym_find(s, o, 0x1000, &sym), 0, "a debuginfod server that is not there");
	OK(pev_syms_problem(s, o) != NULL, "... is no reason to say nothing");
	pev_syms_free(s);
	unsetenv("DEBUGINFOD_URLS");
}

static int give_up(void *arg, uint64_t done, uint64_t total)
{
	int *calls = arg;

	(void)done;
	(void)total;
	return ++*calls == 3;
}

/* A server that takes connections and never answers */
static void slow_server(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), calls = 0, o, again;
	socklen_t len = sizeof(at);
	uint8_t id[20] = { 7, 7 }, other[20] = { 7, 8 };
	struct pev_syms *s;
	struct pev_sym sym;
	char url[64];
	time_t start;

	if (bind(fd, (void *)&at, sizeof(at)) || listen(fd, 5) ||
	    getsockname(fd, (void *)&at, &len) || !dlopen("libdebuginfod.so.1", RTLD_LAZY)) {
		printf("# no server, or no client\n");
		close(fd);
		return;
	}
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/", ntohs(at.sin_port));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", objects, 1);
	pev_syms_new(PEV_SYMS_DEBUGINFOD, &s);
	pev_syms_set_fetch(s, give_up, &calls);
	/* the client remembers for a while what servers do not have */
	start = time(NULL);
	memcpy(id + 4, &start, sizeof(start));
	memcpy(other + 4, &start, sizeof(start));
	o = pev_syms_object(s, "/nowhere/slow", id, 20);
	again = pev_syms_object(s, "/nowhere/slow", other, 20);
	start = time(NULL);
	IS_NUM(pev_sym_find(s, o, 0x1000, &sym), 0, "a debuginfod server that does not answer");
	OK(calls == 3 && time(NULL) - start < 30,
	   "... is given up when the caller says so: %d calls, %ld s", calls,
	   (long)(time(NULL) - start));
	IS_NUM(pev_sym_find(s, again, 0x1000, &sym), 0, "another file then");
	OK(calls == 3, "... is not asked for");
	pev_syms_free(s);
	unsetenv("DEBUGINFOD_URLS");
	close(fd);
}

void test_files(void)
{
	struct pev_syms *s;

	pev_syms_new(0, &s);
	IS_NUM(pev_syms_count(s), 2, "at first there are the kernel and nothing");
	whole(s);
	one_by_one(s);
	stripped(s);
	replaced(s);
	other_machines(s);
	pev_syms_free(s);
	IS_NUM(pev_syms_new(1u << 31, &s), -22, "a flag that there is not");
	kept();
	elsewhere();
	kernel();
	server();
	slow_server();
	pev_syms_free(NULL);
}
