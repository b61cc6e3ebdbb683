// SPDX-License-Identifier: GPL-2.0
/*
 * A program that runs with more rights than its caller has, or that the caller
 * may not read, shows nothing of itself to a watcher without CAP_PERFMON: not
 * to one that was there before, and not to one that comes in the middle of the
 * exec. That one can be held up: an exec ends the other threads, and one that is
 * traced is gone only when its tracer says so.
 */
#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/xattr.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define ANYBODY		1000
#define SOME_GROUP	42
#define SOME_CAP	13	/* CAP_NET_RAW */

#define PROGRAM		"/bin/cat"
#define SECOND		1000000000LL

/* ---- what a watcher opens ---- */

struct watch {
	uint32_t	type;
	uint64_t	config;
	const char	*name;
	uint64_t	flags;
	uint64_t	sample;
	uint64_t	period;
};

#define CALLS	0	/* counts the system calls */

static const struct watch watches[] = {
	[CALLS] = { PEV_TYPE_TRACEPOINT, 0, "raw_syscalls:sys_enter", 0, PEV_SAMPLE_TID, 1 },
	{ PEV_TYPE_TRACEPOINT, 0, "raw_syscalls:sys_exit", 0, PEV_SAMPLE_TID, 1 },
	{ PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS, NULL, 0, PEV_SAMPLE_ADDR, 1 },
	{ PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS, NULL, PEV_F_EXCLUDE_KERNEL,
	  PEV_SAMPLE_ADDR | PEV_SAMPLE_IP | PEV_SAMPLE_USTACK, 1 },
	{ PEV_TYPE_SOFTWARE, PEV_SW_CONTEXT_SWITCHES, NULL, 0,
	  PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK_DUMP, 1 },
	{ PEV_TYPE_TIMER, PEV_TIMER_TASK_CLOCK, NULL, PEV_F_EXCLUDE_KERNEL,
	  PEV_SAMPLE_IP | PEV_SAMPLE_USTACK | PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK_DUMP, 100000 },
	{ PEV_TYPE_SIDEBAND, PEV_SB_MMAP, NULL, 0, PEV_SAMPLE_TID, 0 },
};

#define WATCHES	(sizeof(watches) / sizeof(*watches))

/**
 * struct watcher - all of them on one target
 * @fds:     fd or -errno of each
 * @slowest: ns that an open took
 */
struct watcher {
	int		channel;
	struct pev_map	map;
	int		fds[WATCHES];
	int64_t		slowest;
};

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static uint64_t user_regs(void)
{
	struct pev_info info = { };
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .info = (uintptr_t)&info, .info_size = sizeof(info),
	};

	return pev_open(&attr) ? 0 : info.regs_user;
}

static int open_watch(const struct watch *w, uint32_t target, pid_t pid, int channel)
{
	struct pev_attr attr = {
		.type = w->type, .config = w->config, .name = (uintptr_t)w->name,
		.flags = w->flags, .sample = w->sample, .period = w->period,
		.target = target, .target_id = pid, .channel_fd = channel, .group_fd = -1,
	};

	if (w->sample & PEV_SAMPLE_UREGS)
		attr.regs_user = user_regs();
	if (!attr.regs_user)
		attr.sample &= ~PEV_SAMPLE_UREGS;
	if (w->sample & PEV_SAMPLE_USTACK_DUMP)
		attr.stack_user = 4096;
	return pev_open(&attr);
}

static int watch(struct watcher *w, uint32_t target, pid_t pid)
{
	w->slowest = 0;
	w->channel = pev_open_channel(1 << 20, 1 << 16, 0);
	if (w->channel < 0)
		return w->channel;
	for (unsigned int i = 0; i < WATCHES; i++) {
		int64_t begin = now();

		w->fds[i] = open_watch(&watches[i], target, pid, w->channel);
		if (now() - begin > w->slowest)
			w->slowest = now() - begin;
	}
	return pev_map_channel(w->channel, &w->map);
}

static void watch_end(struct watcher *w)
{
	pev_unmap_channel(&w->map);
	for (unsigned int i = 0; i < WATCHES; i++)
		close(w->fds[i]);
	close(w->channel);
}

/* Counts words of the rings that are addresses in one of the mappings in @maps. */
static unsigned int addresses(const struct watcher *w, const char *maps)
{
	struct range {
		uint64_t	start;
		uint64_t	end;
	} ranges[100];
	unsigned int nr = 0, found = 0;

	for (const char *line = maps; line && *line && nr < 100; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%lx-%lx", &ranges[nr].start, &ranges[nr].end) == 2)
			/* not that page of x86 that all programs have in one place */
			nr += !(ranges[nr].start >> 63);
	}
	for (unsigned int cpu = 0; cpu < w->map.nr; cpu++) {
		const struct pev_map_ring *ring = &w->map.rings[cpu];

		for (uint64_t pos = 0; ring->kernel && pos + 8 <= ring->kernel->head; pos += 8) {
			uint64_t word;

			memcpy(&word, ring->data + pos, 8);
			if (pos % w->map.info.packet_size < sizeof(struct pev_packet))
				continue;
			for (unsigned int i = 0; i < nr; i++)
				found += word >= ranges[i].start && word < ranges[i].end;
		}
	}
	return found;
}

/* ---- the program ---- */

FIXTURE(exec) {
	struct pev_levels before;
	char path[64];
	int open[WATCHES];
	int channel;
};

/**
 * struct exec - how a copy of the program is installed
 * @mode:   0755: no more rights than before
 * @group:  its owner
 * @cap:    its capability
 * @gains:  it has other credentials
 * @hidden: nothing of it may be seen
 */
FIXTURE_VARIANT(exec) {
	mode_t mode;
	gid_t group;
	int cap;
	bool gains;
	bool hidden;
};

FIXTURE_VARIANT_ADD(exec, same_rights) {
	.mode = 0755,
};

FIXTURE_VARIANT_ADD(exec, setuid) {
	.mode = 04755, .gains = true, .hidden = true,
};

FIXTURE_VARIANT_ADD(exec, setgid) {
	.mode = 02755, .group = SOME_GROUP, .gains = true, .hidden = true,
};

FIXTURE_VARIANT_ADD(exec, capability) {
	.mode = 0755, .cap = SOME_CAP, .gains = true, .hidden = true,
};

FIXTURE_VARIANT_ADD(exec, unreadable) {
	.mode = 0711, .hidden = true,
};

static int install(const char *to, mode_t mode, gid_t group, int cap)
{
	int in = open(PROGRAM, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
	struct vfs_cap_data caps = { .magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE };
	char buf[65536];
	ssize_t n;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, n) != n)
			return -1;
	caps.data[0].permitted = 1U << cap;
	if (fchown(out, 0, group) || fchmod(out, mode) ||
	    (cap && fsetxattr(out, "security.capability", &caps, sizeof(caps), 0)))
		return -1;
	close(in);
	return close(out);
}

FIXTURE_SETUP(exec)
{
	PEV_NEEDS_ROOT(return );
	snprintf(self->path, sizeof(self->path), "/tmp/pev-exec.%d", getpid());
	if (install(self->path, variant->mode, variant->group, variant->cap)) {
		unlink(self->path);
		ASSERT_EQ(EOPNOTSUPP, errno);
		SKIP(return, "no file capabilities in /tmp");
	}
	PEV_DEFAULT_LEVELS(&self->before);
	/* the first and the last of each kind cost most */
	self->channel = pev_open_channel(8192, 4096, 0);
	for (unsigned int i = 0; i < WATCHES; i++)
		self->open[i] = open_watch(&watches[i], PEV_TARGET_TASK, 0, self->channel);
}

FIXTURE_TEARDOWN(exec)
{
	for (unsigned int i = 0; i < WATCHES; i++)
		close(self->open[i]);
	close(self->channel);
	pev_set_levels(self->before);
	unlink(self->path);
}

/* ---- who runs it ---- */

static void *wait_for_the_end(void *said)
{
	int64_t tid = gettid();

	pev_child_say(said, tid);
	for (;;)
		pause();
	return NULL;
}

/* Two threads; the first one's exec ends the other. */
static void victim(struct pev_child *c, const char *path, int out)
{
	pthread_t other;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(out, 1) != 1)
		_exit(96);
	pev_child_say(c, getpid());
	pthread_create(&other, NULL, wait_for_the_end, c);
	pev_child_wait(c);
	execl(path, "cat", "/proc/self/maps", NULL);
	_exit(95);
}

/* Stays in one call until @gate is closed; then its status is the victim's. */
static void parent(struct pev_child *c, const char *path, int out, int gate)
{
	pid_t pid = fork();
	int status;
	char byte;

	if (!pid)
		victim(c, path, out);
	close(out);
	if (read(gate, &byte, 1))
		_exit(94);
	if (waitpid(pid, &status, 0) != pid)
		_exit(93);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 92);
}

static void read_all(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len + 1 < size && (n = read(fd, text + len, size - len - 1)) > 0)
		len += n;
	text[len] = '\0';
}

/* The lines of a task's status that are its credentials. */
static void credentials(pid_t pid, char *text, size_t size)
{
	char path[40], line[200];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	*text = '\0';
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Uid", 3) || !strncmp(line, "Gid", 3) ||
		    !strncmp(line, "CapEff", 6))
			strncat(text, line, size - strlen(text) - 1);
	if (f)
		fclose(f);
}

/**
 * struct outcome - what came of it
 * @error:   not 0: the line where it went wrong
 * @gained:  the program had other credentials
 * @opened:  of the watches
 * @refused: otherwise than with a sentence about rights or a task that is gone
 * @slowest: ns of an open
 * @calls:   system calls that were counted
 * @found:   addresses of the program in records
 */
struct outcome {
	int		error;
	bool		gained;
	unsigned int	opened;
	unsigned int	refused;
	int64_t		slowest;
	uint64_t	calls;
	unsigned int	found;
};

/* Where the target is, seen from the program. */
enum { ITS_PARENT = PEV_TARGET_SUBTREE + 1, TARGETS };

static const char * const targets[] = {
	[PEV_TARGET_TASK] = "task", [PEV_TARGET_PROCESS] = "process",
	[PEV_TARGET_SUBTREE] = "subtree", [ITS_PARENT] = "subtree of its parent",
};

static int watch_target(struct watcher *w, unsigned int target, pid_t pid, pid_t ppid)
{
	if (target == ITS_PARENT)
		return watch(w, PEV_TARGET_SUBTREE, ppid);
	return watch(w, target, pid);
}

#define CHECK(cond) do { if (!(cond)) { o.error = __LINE__; return o; } } while (0)

/* By anybody; @inside: while the exec is held up, else before. */
static struct outcome run(const char *path, unsigned int target, bool inside)
{
	char mine[400], its[400];
	struct outcome o = { };
	static char maps[16384];
	struct watcher w = { };
	struct pev_child p;
	int out[2], gate[2], status;
	siginfo_t info;
	pid_t pid, tid;

	CHECK(!pipe(out) && !pipe(gate));
	CHECK(pev_child_start(&p) >= 0);
	if (!p.pid) {
		close(gate[1]);
		parent(&p, path, out[1], gate[0]);
	}
	close(out[1]);
	pid = pev_child_hear(&p);
	tid = pev_child_hear(&p);
	CHECK(!ptrace(PTRACE_SEIZE, tid, 0, 0));
	/* what is counted from here on is the exec and what follows it */
	pev_settled(pid);
	pev_settled(tid);
	pev_settled(p.pid);
	if (!inside)
		CHECK(!watch_target(&w, target, pid, p.pid));
	pev_child_go(&p);
	/* the other thread has been ended, and is left lying */
	CHECK(!waitid(P_PID, tid, &info, WEXITED | WNOWAIT | __WALL));
	if (inside)
		CHECK(!watch_target(&w, target, pid, p.pid));
	CHECK(waitpid(tid, &status, __WALL) == tid);
	read_all(out[0], maps, sizeof(maps));
	ioctl(w.channel, PEV_IOC_DISABLE, 0);

	CHECK(strstr(maps, "[stack]"));
	credentials(getpid(), mine, sizeof(mine));
	credentials(pid, its, sizeof(its));
	o.gained = strcmp(mine, its);
	o.slowest = w.slowest;
	for (unsigned int i = 0; i < WATCHES; i++) {
		o.opened += w.fds[i] >= 0;
		o.refused += w.fds[i] < 0 && w.fds[i] != -EACCES && w.fds[i] != -ESRCH;
	}
	o.calls = w.fds[CALLS] >= 0 ? pev_read(w.fds[CALLS]).value : 0;
	o.found = addresses(&w, maps);
	watch_end(&w);
	close(gate[1]);
	CHECK(pev_child_end(&p) == 0);
	close(gate[0]);
	close(out[0]);
	return o;
}

/* cat makes far more calls than this */
#define SOME_CALLS	10

static void check(struct __test_metadata *_metadata, const struct outcome *o, bool gains,
		  bool hidden, bool inside, const char *target)
{
	EXPECT_EQ(0, o->error) TH_LOG("%s: line %d, %s", target, o->error, strerror(errno));
	EXPECT_EQ(gains, o->gained);
	EXPECT_EQ(0, o->refused);
	EXPECT_GT(SECOND, o->slowest) TH_LOG("%s: an open took %lld us", target,
					     (long long)o->slowest / 1000);
	if (!hidden) {
		/* an exec that is under way may be refused to join */
		if (inside && !o->opened)
			return;
		EXPECT_LT(SOME_CALLS, o->calls) TH_LOG("%s", target);
		EXPECT_LT(0, o->found) TH_LOG("%s", target);
		return;
	}
	EXPECT_EQ(0, o->found) TH_LOG("%s: addresses of the program", target);
	/* the exec itself, by the program before */
	EXPECT_GE(inside ? 0 : 1, o->calls) TH_LOG("%s: calls of the program", target);
}

static void as_anybody(struct __test_metadata *_metadata, const char *path, bool gains,
		       bool hidden, bool inside)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		EXPECT_EQ(0, pev_become(ANYBODY, -1));
		for (unsigned int t = PEV_TARGET_TASK; t < TARGETS; t++) {
			struct outcome o;

			/*
			 * The addresses of the program before it are in the records, and may
			 * by chance lie where its own do: not three times.
			 */
			for (unsigned int tries = 0; tries < 3; tries++) {
				o = run(path, t, inside);
				if (!hidden || !o.found)
					break;
			}
			check(_metadata, &o, gains, hidden, inside, targets[t]);
		}
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

TEST_F(exec, watched_before)
{
	as_anybody(_metadata, self->path, variant->gains, variant->hidden, false);
}

TEST_F(exec, watched_from_the_middle)
{
	as_anybody(_metadata, self->path, variant->gains, variant->hidden, true);
}

/* A user who may see all sees this, too: the test looks in the right place. */
TEST_F(exec, watched_with_the_right)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct outcome o;

		EXPECT_EQ(0, pev_become(ANYBODY, PEV_CAP_PERFMON));
		o = run(self->path, PEV_TARGET_PROCESS, false);
		EXPECT_EQ(0, o.error) TH_LOG("line %d", o.error);
		EXPECT_EQ(WATCHES, o.opened);
		EXPECT_LT(SOME_CALLS, o.calls);
		EXPECT_LT(0, o.found);
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

TEST_HARNESS_MAIN
