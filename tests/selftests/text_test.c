// SPDX-License-Identifier: GPL-2.0
/* PEV_F_TEXT: what the arguments of system calls point to. */
#define _GNU_SOURCE
#include <sys/mount.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_call.h"
#include "pev_child.h"
#include "pev_util.h"

FIXTURE(text) {
	struct pev_calls c;
};

FIXTURE_SETUP(text)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	ASSERT_TRUE(pev_calls_open(&self->c, PEV_F_TEXT)) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(text)
{
	pev_calls_close(&self->c);
}

static int open_text(const char *name, const char *filter, int channel, uint64_t limit)
{
	return pev_open_call(name, filter, PEV_F_TEXT, channel, limit);
}

/* @sizes as for a walk. Returns how many, -1: damaged. */
static int take_sized(FIXTURE_DATA(text) *self, const int *sizes, unsigned int n, long nr)
{
	return pev_take_calls(&self->c.map, sizes, n, nr, false, self->c.calls);
}

/* Of the two events of the fixture: 0 is the beginning, 1 the end. */
static int take(FIXTURE_DATA(text) *self, long nr)
{
	static const int sizes[] = { PEV_WALK_TEXT(56, 6), PEV_WALK_TEXT(16, 6) };

	return take_sized(self, sizes, 2, nr);
}

#define EXPECT_TEXT(call, arg, expected)						\
	do {										\
		EXPECT_TRUE((call)->copied & 1 << (arg));				\
		EXPECT_EQ(sizeof(expected), (call)->len[arg]);				\
		EXPECT_EQ(0, memcmp((call)->text[arg], expected, sizeof(expected)));	\
	} while (0)

TEST_F(text, path)
{
	char path[] = "/nowhere/at all\n\x1b";

	pev_calls_on(&self->c);
	syscall(__NR_openat, AT_FDCWD, path, O_RDONLY, 0);
	pev_calls_off(&self->c);
	ASSERT_EQ(2, take(self, __NR_openat));
	EXPECT_EQ(AT_FDCWD, (int)self->c.calls[0].words[0]);
	EXPECT_EQ((uintptr_t)path, self->c.calls[0].words[1]);
	EXPECT_EQ(1 << 1, self->c.calls[0].copied);
	EXPECT_EQ(0, self->c.calls[0].cut);
	EXPECT_TEXT(&self->c.calls[0], 1, path);
	/* it was there already */
	EXPECT_EQ(-ENOENT, (int)self->c.calls[1].words[0]);
	EXPECT_EQ(0, self->c.calls[1].copied);
}

TEST_F(text, empty_null_and_wrong)
{
	char empty[] = "";

	pev_calls_on(&self->c);
	syscall(__NR_chdir, empty);
	syscall(__NR_chdir, NULL);
	syscall(__NR_chdir, 8L);
	syscall(__NR_chdir, -4096L);
	pev_calls_off(&self->c);
	ASSERT_EQ(8, take(self, __NR_chdir));
	EXPECT_TEXT(&self->c.calls[0], 0, empty);
	for (int i = 1; i < 8; i++) {
		EXPECT_EQ(0, self->c.calls[i].copied);
		EXPECT_EQ(0, self->c.calls[i].cut);
		EXPECT_EQ(0, self->c.calls[i].len[0]);
	}
}

TEST_F(text, no_text)
{
	pev_calls_on(&self->c);
	syscall(__NR_getppid);
	syscall(400000);
	syscall(-1);
	pev_calls_off(&self->c);
	ASSERT_EQ(2, take(self, __NR_getppid));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_EQ(getppid(), (int)self->c.calls[1].words[0]);
}

TEST_F(text, limit)
{
	char path[300], exact[] = "1234567";
	int fd;

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	pev_calls_on(&self->c);
	syscall(__NR_chdir, path);
	pev_calls_off(&self->c);
	ASSERT_EQ(2, take(self, __NR_chdir));
	EXPECT_EQ(1, self->c.calls[0].copied);
	EXPECT_EQ(1, self->c.calls[0].cut);
	EXPECT_EQ(PEV_CALL_TEXT, self->c.calls[0].len[0]);
	EXPECT_EQ(0, memcmp(path, self->c.calls[0].text[0], PEV_CALL_TEXT));

	fd = open_text(PEV_CALL_ENTER, NULL, self->c.channel, sizeof(exact));
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	syscall(__NR_chdir, exact);
	syscall(__NR_chdir, path);
	pev_off(fd);
	{
		static const int sizes[] = { 0, 0, PEV_WALK_TEXT(56, 6) };

		ASSERT_EQ(2, take_sized(self, sizes, 3, __NR_chdir));
	}
	EXPECT_TEXT(&self->c.calls[0], 0, exact);
	EXPECT_EQ(0, self->c.calls[0].cut);
	EXPECT_EQ(1, self->c.calls[1].cut);
	EXPECT_EQ(sizeof(exact), self->c.calls[1].len[0]);
	EXPECT_EQ(0, memcmp("xxxxxxxx", self->c.calls[1].text[0], sizeof(exact)));
	close(fd);
}

/* All texts of a record share PEV_MAX_CALL_TEXT. */
TEST_F(text, limit_of_all)
{
	static const int sizes[] = { 0, 0, PEV_WALK_TEXT(56, 6) };
	static char a[700], b[700], c[] = "ext4";
	struct pev_call *call = self->c.calls;
	int fd;

	memset(a, 'a', sizeof(a) - 1);
	memset(b, 'b', sizeof(b) - 1);
	fd = open_text(PEV_CALL_ENTER, NULL, self->c.channel, PEV_MAX_CALL_TEXT);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	syscall(__NR_mount, a, b, c, -1L, NULL);
	pev_off(fd);
	ASSERT_EQ(1, take_sized(self, sizes, 3, __NR_mount));
	EXPECT_EQ(7, call->copied);
	EXPECT_EQ(6, call->cut);
	EXPECT_TEXT(call, 0, a);
	EXPECT_EQ(PEV_MAX_CALL_TEXT - sizeof(a), call->len[1]);
	EXPECT_EQ(0, memcmp(b, call->text[1], call->len[1]));
	EXPECT_EQ(0, call->len[2]);
	close(fd);
}

TEST_F(text, bytes)
{
	char bytes[] = "a\0b\n\xff", many[400] = { 1 };
	int null = open("/dev/null", O_WRONLY);

	pev_calls_on(&self->c);
	syscall(__NR_write, null, bytes, sizeof(bytes));
	syscall(__NR_write, null, bytes, 0L);
	syscall(__NR_write, null, many, sizeof(many));
	syscall(__NR_write, null, 8L, 10L);
	pev_calls_off(&self->c);
	ASSERT_EQ(8, take(self, __NR_write));
	EXPECT_TEXT(&self->c.calls[0], 1, bytes);
	EXPECT_EQ(0, self->c.calls[0].cut);
	EXPECT_EQ(2, self->c.calls[2].copied);
	EXPECT_EQ(0, self->c.calls[2].len[1]);
	EXPECT_EQ(2, self->c.calls[4].cut);
	EXPECT_EQ(PEV_CALL_TEXT, self->c.calls[4].len[1]);
	EXPECT_EQ(0, self->c.calls[6].copied);
	close(null);
}

TEST_F(text, results)
{
	char in[64], expected[] = "from a pipe";
	int ends[2];

	memset(in, 'x', sizeof(in));
	ASSERT_EQ(0, pipe(ends));
	ASSERT_EQ(sizeof(expected), write(ends[1], expected, sizeof(expected)));
	pev_calls_on(&self->c);
	syscall(__NR_read, ends[0], in, sizeof(in));
	syscall(__NR_read, -1, in, sizeof(in));
	pev_calls_off(&self->c);
	ASSERT_EQ(4, take(self, __NR_read));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_EQ(sizeof(expected), self->c.calls[1].words[0]);
	EXPECT_EQ(2, self->c.calls[1].copied);
	EXPECT_TEXT(&self->c.calls[1], 1, expected);
	EXPECT_EQ(0, self->c.calls[3].copied);
	close(ends[0]);
	close(ends[1]);
}

/* A page that is not there is not brought in, and the call's end has its text. */
TEST_F(text, not_resident)
{
	char path[] = "/nowhere";
	char *p = pev_map_absent(path, sizeof(path));

	ASSERT_NE(MAP_FAILED, p);
	pev_calls_on(&self->c);
	syscall(__NR_chdir, p);
	syscall(__NR_chdir, p);
	pev_calls_off(&self->c);
	ASSERT_EQ(4, take(self, __NR_chdir));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_TEXT(&self->c.calls[1], 0, path);
	EXPECT_TEXT(&self->c.calls[2], 0, path);
	EXPECT_EQ(0, self->c.calls[3].copied);
	munmap(p, 4096);
}

/* No NUL before the memory ends. */
TEST_F(text, without_end)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = pev_map_last_page(page);

	ASSERT_NE(MAP_FAILED, p);
	pev_calls_on(&self->c);
	syscall(__NR_chdir, p + page - 20);
	pev_calls_off(&self->c);
	ASSERT_EQ(2, take(self, __NR_chdir));
	EXPECT_EQ(0, self->c.calls[0].copied);
	EXPECT_EQ(0, self->c.calls[1].copied);
	munmap(p, page);
}

/* What an exec could not do, its end can see; what it could is gone. */
TEST_F(text, exec_not_resident)
{
	char path[] = "/nowhere/x", *none[] = { NULL };
	char *p = pev_map_absent(path, sizeof(path));

	ASSERT_NE(MAP_FAILED, p);
	pev_calls_on(&self->c);
	syscall(__NR_execve, p, none, none);
	pev_calls_off(&self->c);
	ASSERT_EQ(2, take(self, __NR_execve));
	EXPECT_EQ(2, self->c.calls[0].copied);
	EXPECT_TEXT(&self->c.calls[1], 0, path);
	munmap(p, 4096);
}

TEST_F(text, exec_list)
{
	char *argv[] = { "one", "", "three 3", NULL }, *none[] = { NULL }, *many[101];
	char list[] = "one\0\0three 3", path[] = "/nowhere/x";

	for (int i = 0; i < 100; i++)
		many[i] = argv[0];
	many[100] = NULL;
	/* the strings' pages */
	for (int i = 0; argv[i]; i++)
		ASSERT_LE(0, *(volatile char *)argv[i]);
	pev_calls_on(&self->c);
	syscall(__NR_execve, path, argv, none);
	syscall(__NR_execve, path, none, none);
	syscall(__NR_execve, path, many, none);
	syscall(__NR_execve, path, 8L, none);
	pev_calls_off(&self->c);
	ASSERT_EQ(8, take(self, __NR_execve));
	EXPECT_TEXT(&self->c.calls[0], 0, path);
	EXPECT_TEXT(&self->c.calls[0], 1, list);
	EXPECT_EQ(3, self->c.calls[0].copied);
	EXPECT_EQ(0, self->c.calls[0].cut);
	EXPECT_EQ(3, self->c.calls[2].copied);
	EXPECT_EQ(0, self->c.calls[2].len[1]);
	EXPECT_EQ(2, self->c.calls[4].cut);
	EXPECT_LE(64 * 4 - 4, self->c.calls[4].len[1]);
	EXPECT_EQ(1, self->c.calls[6].copied);
}

/* Only a call that the filter lets through is looked at. */
TEST_F(text, filter)
{
	static const int sizes[] = { 0, 0, PEV_WALK_TEXT(56, 6) };
	char filter[32], path[] = "/nowhere";
	struct pev_value value;
	int fd;

	snprintf(filter, sizeof(filter), "id == %d", __NR_chdir);
	fd = open_text(PEV_CALL_ENTER, filter, self->c.channel, 0);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < 10; i++) {
		syscall(__NR_chdir, path);
		syscall(__NR_truncate, path, 0);
	}
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(10, value.value);
	EXPECT_EQ(10, value.samples);
	EXPECT_LE(10, value.filtered);
	ASSERT_EQ(10, take_sized(self, sizes, 3, __NR_chdir));
	EXPECT_TEXT(&self->c.calls[9], 0, path);
	close(fd);
}

TEST_F(text, by_name)
{
	static const int sizes[] = { 0, 0, PEV_WALK_TEXT(48 - 8, 1), PEV_WALK_TEXT(16, 1), 8 };
	char path[] = "/nowhere", *metadata;
	int enter, exit, ppid;

	enter = open_text("syscalls:sys_enter_openat", NULL, self->c.channel, 0);
	ASSERT_LE(0, enter) TH_LOG("%s", pev_reason());
	exit = open_text("syscalls:sys_exit_read", NULL, self->c.channel, 0);
	ASSERT_LE(0, exit) TH_LOG("%s", pev_reason());
	ppid = open_text("syscalls:sys_enter_getppid", NULL, self->c.channel, 0);
	ASSERT_LE(0, ppid) TH_LOG("%s", pev_reason());
	pev_on(enter);
	pev_on(ppid);
	syscall(__NR_openat, AT_FDCWD, path, O_RDONLY, 0);
	syscall(__NR_getppid);
	pev_off(enter);
	pev_off(ppid);
	EXPECT_EQ(1, pev_read(ppid).samples);
	ASSERT_EQ(1, take_sized(self, sizes, 5, __NR_openat));
	EXPECT_EQ(1 << 1, self->c.calls[0].copied);
	EXPECT_EQ(sizeof(path), self->c.calls[0].len[0]);
	EXPECT_STREQ(path, self->c.calls[0].text[0]);

	metadata = pev_read_text(self->c.channel);
	ASSERT_NE(NULL, metadata);
	EXPECT_NE(NULL, strstr(metadata, "uint16_t filename_text_len;"));
	EXPECT_NE(NULL, strstr(metadata, "text_t filename_text[filename_text_len];"));
	EXPECT_NE(NULL, strstr(metadata, "text_t buf_text[buf_text_len];"));
	EXPECT_NE(NULL, strstr(metadata, "text_t arg5_text[arg5_text_len];"));
	free(metadata);
	close(enter);
	close(exit);
	close(ppid);
}

TEST_F(text, refused)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_TASK, .flags = PEV_F_TEXT,
		.config = PEV_SW_PAGE_FAULTS, .channel_fd = -1, .group_fd = -1,
	};

	EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));
	EXPECT_EQ(offsetof(struct pev_attr, flags), pev_why.head.field);
	EXPECT_EQ(-EOPNOTSUPP, open_text("sched:sched_switch", NULL, self->c.channel, 0));
	EXPECT_EQ(offsetof(struct pev_attr, flags), pev_why.head.field);
	EXPECT_EQ(-EINVAL, open_text(PEV_CALL_ENTER, NULL, self->c.channel, PEV_MAX_CALL_TEXT + 1));
	EXPECT_EQ(offsetof(struct pev_attr, config), pev_why.head.field);
	EXPECT_EQ(PEV_MAX_CALL_TEXT, pev_why.head.max);

	attr.type = PEV_TYPE_TRACEPOINT;
	attr.config = 0;
	attr.name = (uintptr_t)PEV_CALL_ENTER;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(offsetof(struct pev_attr, flags), pev_why.head.field);
	attr.flags = 0;
	attr.config = 1;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(offsetof(struct pev_attr, config), pev_why.head.field);
}

TEST_HARNESS_MAIN
