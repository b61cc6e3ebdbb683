// SPDX-License-Identifier: GPL-2.0
/*
 * A set-user-ID program is not counted by who has no right to see it, also where the kernel has
 * no memory while it is executed: each allocation of the exec fails once.
 */
#include <signal.h>
#include <sys/stat.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define ANYBODY 1000
#define COMPUTE "--compute"
#define FAILSLAB "/sys/kernel/debug/failslab/"
#define FAIL_PAGES "/sys/kernel/debug/fail_page_alloc/"
#define FAIL_COPIES "/sys/kernel/debug/fail_usercopy/"
#define FAIL_NTH "/proc/self/fail-nth"

/* More than an exec has, and how many in a row it is to be asked for behind its last one. */
#define MOST 1000
#define BEHIND 2

/* Ticks that the program runs for before its count is read, and until it is read once more. */
#define TICKS_BEFORE 1
#define TICKS 3
#define TICK_NS 10000000

/* The program, which is this one: no call of it meets the failure in place of the exec. */
static __attribute__((constructor)) void compute(int argc, char **argv)
{
	while (argc == 2 && !strcmp(argv[1], COMPUTE))
		pev_relax();
}

static bool install(const char *to)
{
	char command[200];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s && chmod 4755 %s", getpid(), to, to);
	return !system(command);
}

FIXTURE(memory)
{
	struct pev_levels before;
	char path[64];
};

/**
 * struct memory - who counts
 * @mixed: who may see all does, too
 */
FIXTURE_VARIANT(memory)
{
	bool mixed;
};

FIXTURE_VARIANT_ADD(memory, anybody){};

FIXTURE_VARIANT_ADD(memory, anybody_and_root){
	.mixed = true,
};

FIXTURE_SETUP(memory)
{
	PEV_NEEDS_ROOT(return );
	if (access(FAIL_NTH, W_OK) || pev_put_text(FAILSLAB "ignore-gfp-wait", "N"))
		SKIP(return, "this kernel can't be told when to have no memory");
	pev_put_text(FAILSLAB "verbose", "0");
	pev_put_text(FAIL_PAGES "verbose", "0");
	pev_put_text(FAIL_COPIES "verbose", "0");
	snprintf(self->path, sizeof(self->path), "/tmp/pev-memory.%d", getpid());
	ASSERT_TRUE(install(self->path));
	PEV_DEFAULT_LEVELS(&self->before);
}

FIXTURE_TEARDOWN(memory)
{
	pev_put_text(FAILSLAB "ignore-gfp-wait", "Y");
	pev_set_levels(self->before);
	unlink(self->path);
}

static void run(struct pev_child *c, const char *path, unsigned int nth)
{
	int fail = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	pev_child_wait(c);
	if (write(fail, text, len) == len)
		execl(path, path, COMPUTE, NULL);
	_exit(1);
}

/* Of a line of a file in /proc, the number behind @name; -1: it is gone. */
static long number_of(pid_t pid, const char *file, const char *name, unsigned int skip)
{
	char path[64], text[4096], *at, *end;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	fd = open(path, O_RDONLY);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return -1;
	text[len] = '\0';
	at = strstr(text, name);
	if (!at)
		return -1;
	at += strlen(name);
	while (skip--) {
		strtol(at, &end, 10);
		/* a letter, of stat */
		at = end == at ? at + strspn(at, " \t") + 1 : end;
	}
	return strtol(at, NULL, 10);
}

static bool is_executed(pid_t pid)
{
	return number_of(pid, "status", "\nUid:", 1) == 0;
}

/* Ticks in user mode: none of them is the exec's. */
static long ticks_of(pid_t pid)
{
	return number_of(pid, "stat", ")", 11);
}

static bool is_gone(pid_t pid)
{
	siginfo_t info = {};

	return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid == pid;
}

/* Return: false if it ended first. */
static bool let_run(pid_t pid, long ticks)
{
	long begin = ticks_of(pid);

	while (ticks_of(pid) < begin + ticks) {
		if (is_gone(pid))
			return false;
		usleep(1000);
	}
	return true;
}

/**
 * struct outcome - what came of one failure
 * @opened:  the child could be counted before
 * @ran:     the program was executed
 * @left:    of the failure: it was not met if this is not 0
 * @counted: ns of the program's
 */
struct outcome {
	bool opened;
	bool ran;
	long left;
	uint64_t counted;
};

static struct outcome fail(const char *path, unsigned int nth)
{
	struct outcome o = {};
	struct pev_child c;
	struct pev_attr attr;
	int fd;

	if (pev_child_start(&c) < 0)
		return o;
	if (!c.pid)
		run(&c, path, nth);
	attr = pev_attr_software(PEV_SW_TASK_CLOCK, PEV_TARGET_TASK, c.pid);
	fd = pev_open(&attr);
	o.opened = fd >= 0;
	pev_child_go(&c);
	while (!is_executed(c.pid) && !is_gone(c.pid))
		usleep(1000);
	if (let_run(c.pid, TICKS_BEFORE)) {
		uint64_t before = pev_read(fd).value;

		/* one that was executed in part is killed, and takes its time, too */
		o.ran = let_run(c.pid, TICKS);
		if (o.ran)
			o.counted = pev_read(fd).value - before;
		o.left = number_of(c.pid, "fail-nth", "", 0);
	}
	kill(c.pid, SIGKILL);
	pev_child_end(&c);
	close(fd);
	return o;
}

TEST_F_TIMEOUT(memory, setuid, 900)
{
	struct pev_child c;
	struct pev_attr attr;
	int all = -1;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		unsigned int ran = 0, behind = 0, nth;

		pev_child_wait(&c);
		EXPECT_EQ(0, pev_become(ANYBODY, -1));
		for (nth = 1; nth < MOST && behind < BEHIND; nth++) {
			struct outcome o = fail(self->path, nth);

			EXPECT_TRUE(o.opened) TH_LOG("%s", pev_reason());
			EXPECT_GT(TICK_NS, o.counted)
			TH_LOG("failure %u: %llu ns", nth, (unsigned long long)o.counted);
			ran += o.ran;
			behind += o.ran && o.left > 0;
		}
		TH_LOG("%u of %u failures were got over", ran - behind, nth - 1 - behind);
		EXPECT_EQ(BEHIND, behind);
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	attr = pev_attr_software(PEV_SW_TASK_CLOCK, PEV_TARGET_SUBTREE, c.pid);
	if (variant->mixed)
		all = pev_open(&attr);
	EXPECT_EQ(variant->mixed, all >= 0);
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	close(all);
}

TEST_HARNESS_MAIN
