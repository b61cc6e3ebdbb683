// SPDX-License-Identifier: GPL-2.0
/* perfctl trace: what is read of a program afterwards, and 32-bit programs. */
#include "strace/compat.h"
#include "strace/later.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct syscall_desc openat_call = {
	.name = "openat",
	.known = true,
	.n = 3,
	.args = { { .name = "dfd", .type = "int" },
		  { .name = "filename", .type = "const char *" },
		  { .name = "flags", .type = "int" } },
};

static struct syscall_desc connect_call = {
	.name = "connect",
	.known = true,
	.n = 3,
	.args = { { .name = "fd", .type = "int" },
		  { .name = "uservaddr", .type = "struct sockaddr *" },
		  { .name = "addrlen", .type = "int" } },
};

static struct syscall_desc read_call = {
	.name = "read",
	.known = true,
	.n = 3,
	.args = { { .name = "fd", .type = "unsigned int" },
		  { .name = "buf", .type = "char *" },
		  { .name = "count", .type = "size_t" } },
};

static struct syscall_desc gettime_call = {
	.name = "clock_gettime",
	.known = true,
	.n = 2,
	.args = { { .name = "which_clock", .type = "const clockid_t" },
		  { .name = "tp", .type = "struct __kernel_timespec *" } },
};

static struct live_text *text_of(struct later *l, const struct syscall_desc *d, const void *at,
				 uint64_t next, bool ended, int64_t ret)
{
	uint64_t args[6] = { 3, (uintptr_t)at, next };
	const struct later_call call = { d, args, (uint32_t)getpid(), ended, ret, 256 };

	return later_read(l, &call);
}

static bool has(const struct live_text *t, enum pev_call_kind kind, const void *what, size_t len)
{
	return t && t->later && t->copied == 2 && t->kind[1] == kind && t->len[1] == len &&
	       !memcmp(t->bytes + t->at[1], what, len);
}

static void strings(struct later *l, char *end)
{
	struct live_text *t = text_of(l, &openat_call, "/etc/passwd", 0, false, 0);
	char many[300];

	OK(has(t, PEV_CALL_STRING, "/etc/passwd", 11), "a name");
	free(t);
	memset(many, 'x', sizeof(many));
	t = text_of(l, &openat_call, many, 0, false, 0);
	OK(has(t, PEV_CALL_STRING, many, 256) && t->cut == 2, "a name that is cut");
	free(t);
	/* the last bytes before a page that is not there */
	memcpy(end - 4, "abc", 4);
	t = text_of(l, &openat_call, end - 4, 0, false, 0);
	OK(has(t, PEV_CALL_STRING, "abc", 3), "a name at the end of what is there");
	free(t);
	end[-1] = 'd';
	t = text_of(l, &openat_call, end - 4, 0, false, 0);
	OK(t && !t->copied, "a name that has no end");
	free(t);
	t = text_of(l, &openat_call, (void *)8, 0, false, 0);
	OK(t && !t->copied, "nothing is there");
	free(t);
	OK(!text_of(l, &openat_call, NULL, 0, false, 0), "NULL");
	OK(!text_of(l, &openat_call, "/", 0, true, 3), "a name is not what a call fills in");
}

static void others(struct later *l, char *end)
{
	struct sockaddr at = { .sa_family = AF_INET };
	struct timespec now = { 5, 6 };
	struct live_text *t = text_of(l, &connect_call, &at, sizeof(at), false, 0);

	OK(has(t, PEV_CALL_SOCKADDR, &at, sizeof(at)), "an address");
	free(t);
	t = text_of(l, &connect_call, &at, UINT32_MAX, false, 0);
	OK(t && !t->copied, "... of less than nothing");
	free(t);
	t = text_of(l, &connect_call, end - 8, 16, false, 0);
	OK(t && !t->copied, "half a structure is none");
	free(t);
	t = text_of(l, &read_call, "abc", 100, true, 2);
	OK(has(t, PEV_CALL_BYTES, "ab", 2), "as much as was read");
	free(t);
	t = text_of(l, &read_call, "abc", 100, true, 0);
	OK(has(t, PEV_CALL_BYTES, "", 0), "... which may be nothing");
	free(t);
	OK(!text_of(l, &read_call, "abc", 100, true, -9),
	   "... and of a call that failed is not shown");
	t = text_of(l, &gettime_call, &now, 0, true, 0);
	OK(has(t, PEV_CALL_TIMESPEC, &now, sizeof(now)), "a time");
	free(t);
	gettime_call.compat = true;
	OK(!text_of(l, &gettime_call, &now, 0, true, 0), "... not of a 32-bit program");
	gettime_call.compat = false;
}

static void programs(void)
{
	struct compat c = { 0 };
	pid_t child = fork();

	if (!child)
		_exit(0);
#ifdef __x86_64__
	IS_STR(compat_name(295), "openat", "a 32-bit call");
	OK(!compat_name(222) && !compat_name(100000), "numbers of no call");
#endif
	OK(!compat_is(&c, (uint32_t)getpid()), "a 64-bit program");
	waitpid(child, NULL, 0);
	OK(!compat_is(&c, (uint32_t)child), "one that has ended, and was not looked at");
	if (!compat_count())
		return;
	compat_set(&c, 7, true);
	compat_fork(&c, 7, (uint32_t)child);
	OK(c.some && compat_is(&c, (uint32_t)child), "a child is as its parent");
	compat_changed(&c, (uint32_t)child);
	OK(compat_is(&c, (uint32_t)child), "... for all that is known of it");
	compat_set(&c, (uint32_t)getpid(), true);
	compat_changed(&c, (uint32_t)getpid());
	OK(!compat_is(&c, (uint32_t)getpid()), "its file tells that a program is another");
	compat_free(&c);
}

void test_later(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	struct later l = { 0 };

	if (p == MAP_FAILED)
		return;
	munmap(p + page, (size_t)page);
	strings(&l, p + page);
	others(&l, p + page);
	later_forget(&l, (uint32_t)getpid());
	OK(!l.processes[hash_u64((uint32_t)getpid()) % LATER_PROCESSES].open,
	   "a process is forgotten");
	later_free(&l);
	munmap(p, (size_t)page);
	programs();
}
