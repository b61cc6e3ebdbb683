// SPDX-License-Identifier: GPL-2.0
/*
 * Who may open what: each level of kernel.pev_paranoid for root, for anybody
 * and for a user with CAP_PERFMON alone; other users' tasks; what records
 * show to those who may not see the kernel.
 */
#include <sys/mman.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#define ANYBODY		4242
#define SOMEBODY_ELSE	4343

enum who { ROOT, USER, PERFMON };

/* Then no user gets anything of the kernel. */
static bool locked_down(void)
{
	int fd = open("/sys/kernel/security/lockdown", O_RDONLY);
	char text[80] = "";
	bool locked;

	locked = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 &&
		 strstr(text, "[confidentiality]");
	close(fd);
	return locked;
}

/* ---- levels ---- */

/**
 * struct act - something to open
 * @denied: the lowest level at which it takes CAP_PERFMON
 * @field:  blamed below that of "everything", ~0U there
 */
struct act {
	const char	*name;
	uint32_t	type;
	uint32_t	target;
	uint64_t	config;
	uint64_t	flags;
	uint64_t	sample;
	bool		channel;
	uint32_t	flush_ms;
	const char	*event;
	uint64_t	cpus;
	int		denied;
	unsigned int	field;
};

#define NEVER	100
#define CALLS	"raw_syscalls:sys_enter"

static const struct act acts[] = {
	{ "information", .type = PEV_TYPE_INFO, .denied = NEVER },
	{ "catalog", .type = PEV_TYPE_CATALOG, .denied = NEVER },
	{ "channel", .type = PEV_TYPE_CHANNEL, .denied = 3 },
	{ "channel, flushed 100 times a second", .type = PEV_TYPE_CHANNEL, .flush_ms = 10,
	  .denied = 3 },
	/* the kernel's work on behalf of the user, at no level */
	{ "channel, flushed more often", .type = PEV_TYPE_CHANNEL, .flush_ms = 9,
	  .denied = -1, .field = PEV_OFFSET(flush_ms) },
	{ "count own faults", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_TASK,
	  .config = PEV_SW_PAGE_FAULTS, .denied = 3 },
	{ "count own process", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_PROCESS,
	  .config = PEV_SW_TASK_CLOCK, .denied = 3 },
	{ "count own subtree", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_SUBTREE,
	  .config = PEV_SW_CONTEXT_SWITCHES, .denied = 3 },
	{ "record own faults, user", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_TASK,
	  .config = PEV_SW_PAGE_FAULTS, .flags = PEV_F_EXCLUDE_KERNEL,
	  .sample = PEV_SAMPLE_IP | PEV_SAMPLE_USTACK, .channel = true, .denied = 3 },
	{ "record own faults, no address", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_TASK,
	  .config = PEV_SW_PAGE_FAULTS, .sample = PEV_SAMPLE_TID, .channel = true,
	  .denied = 3 },
	{ "record own faults, ip", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_TASK,
	  .config = PEV_SW_PAGE_FAULTS, .sample = PEV_SAMPLE_IP, .channel = true,
	  .denied = 2, .field = PEV_OFFSET(flags) },
	{ "record own faults, stack", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_TASK,
	  .config = PEV_SW_PAGE_FAULTS, .sample = PEV_SAMPLE_KSTACK, .channel = true,
	  .denied = 2, .field = PEV_OFFSET(flags) },
	{ "own timer, user", .type = PEV_TYPE_TIMER, .target = PEV_TARGET_TASK,
	  .config = PEV_TIMER_TASK_CLOCK, .flags = PEV_F_EXCLUDE_KERNEL,
	  .sample = PEV_SAMPLE_IP, .channel = true, .denied = 3 },
	{ "own timer", .type = PEV_TYPE_TIMER, .target = PEV_TARGET_TASK,
	  .config = PEV_TIMER_TASK_CLOCK, .channel = true,
	  .denied = 2, .field = PEV_OFFSET(flags) },
	{ "own life", .type = PEV_TYPE_SIDEBAND, .target = PEV_TARGET_SUBTREE,
	  .config = PEV_SB_EXIT, .channel = true, .denied = 3 },
	{ "machine", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_CPUS,
	  .config = PEV_SW_PAGE_FAULTS, .flags = PEV_F_EXCLUDE_KERNEL,
	  .denied = 1, .field = PEV_OFFSET(target) },
	{ "one CPU", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_CPUS, .cpus = 1,
	  .config = PEV_SW_CPU_CLOCK, .denied = 1, .field = PEV_OFFSET(target) },
	{ "cgroup", .type = PEV_TYPE_SOFTWARE, .target = PEV_TARGET_CGROUP,
	  .config = PEV_SW_PAGE_FAULTS, .denied = 1, .field = PEV_OFFSET(target) },
	{ "own system calls", .type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_TASK,
	  .event = PEV_CALL_EVENT, .denied = 3 },
	{ "own switches", .type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_TASK,
	  .event = "sched:sched_switch", .denied = 0, .field = PEV_OFFSET(name) },
	{ "system calls of all", .type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_CPUS,
	  .event = PEV_CALL_EVENT, .denied = 0 },
	{ "texts of own system calls", .type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_SUBTREE,
	  .event = CALLS, .flags = PEV_F_TEXT, .sample = PEV_SAMPLE_TID, .channel = true,
	  .denied = 3 },
	/* what others read and type, at no level */
	{ "texts of a CPU", .type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_CPUS,
	  .event = CALLS, .flags = PEV_F_TEXT, .sample = PEV_SAMPLE_TID, .channel = true,
	  .denied = -1 },
	{ "texts of a cgroup", .type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_CGROUP,
	  .event = CALLS, .flags = PEV_F_TEXT, .sample = PEV_SAMPLE_TID, .channel = true,
	  .denied = -1 },
};

#define ACTS	(sizeof(acts) / sizeof(*acts))

static int act(const struct act *a, int channel, int cgroup, struct pev_info *info)
{
	struct pev_attr attr = {
		.type = a->type, .target = a->target, .config = a->config,
		.flags = a->flags, .sample = a->sample, .name = (uintptr_t)a->event,
	};

	switch (a->type) {
	case PEV_TYPE_INFO:
		attr.info = (uintptr_t)info;
		attr.info_size = sizeof(*info);
		break;
	case PEV_TYPE_CHANNEL:
		attr.ring_size = 8192;
		attr.flush_ms = a->flush_ms;
		break;
	case PEV_TYPE_CATALOG:
		break;
	default:
		attr.channel_fd = a->channel ? channel : -1;
		attr.group_fd = -1;
		if (a->channel || a->type == PEV_TYPE_TIMER)
			attr.period = a->type == PEV_TYPE_TIMER ? 10000000 : 1;
		if (a->target == PEV_TARGET_CGROUP)
			attr.target_id = cgroup;
		if (a->cpus) {
			attr.cpus = (uintptr_t)&a->cpus;
			attr.cpus_size = 8;
		}
		if (a->type == PEV_TYPE_SIDEBAND)
			attr.period = 0;
	}
	return pev_open(&attr);
}

struct result {
	int		ret;
	unsigned int	error;
	unsigned int	field;
	int		len;
};

FIXTURE(level) {
	struct pev_levels before;
	int channel;
	int cgroup;
	struct result *results;
};

FIXTURE_VARIANT(level) {
	enum who who;
};

FIXTURE_VARIANT_ADD(level, root) {
	.who = ROOT,
};

FIXTURE_VARIANT_ADD(level, anybody) {
	.who = USER,
};

FIXTURE_VARIANT_ADD(level, perfmon) {
	.who = PERFMON,
};

FIXTURE_SETUP(level)
{
	PEV_NEEDS_ROOT(return );
	self->before = pev_get_levels();
	ASSERT_LE(-1, self->before.pev);
	self->channel = pev_open_channel(1 << 16, 4096, 0);
	ASSERT_LE(0, self->channel);
	self->cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY);
	self->results = mmap(NULL, ACTS * sizeof(struct result), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->results);
}

FIXTURE_TEARDOWN(level)
{
	pev_set_levels(self->before);
	close(self->channel);
	close(self->cgroup);
}

/* All acts while @level is what counts. */
static void try_all(struct __test_metadata *_metadata, FIXTURE_DATA(level) *self,
		    enum who who, int level)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_info info = { };

		if (who != ROOT && pev_become(ANYBODY, who == USER ? -1 : PEV_CAP_PERFMON))
			_exit(1);
		for (unsigned int i = 0; i < ACTS; i++) {
			struct result *r = &self->results[i];

			r->ret = act(&acts[i], self->channel, self->cgroup, &info);
			r->error = pev_why.head.error;
			r->field = pev_why.head.field;
			r->len = strlen(pev_reason());
			if (r->ret > 0)
				close(r->ret);
		}
		_exit(0);
	}
	ASSERT_EQ(0, pev_child_end(&c));
	for (unsigned int i = 0; i < ACTS; i++) {
		const struct result *r = &self->results[i];
		int denied = who == USER ? acts[i].denied : 4;

		if (acts[i].denied == NEVER)
			denied = NEVER;
		if (level < denied) {
			EXPECT_LE(0, r->ret) TH_LOG("level %d: %s", level, acts[i].name);
			continue;
		}
		EXPECT_EQ(-EACCES, r->ret) TH_LOG("level %d: %s", level, acts[i].name);
		EXPECT_EQ(EACCES, r->error);
		EXPECT_LT(10, r->len);
		if (level >= 3) {
			EXPECT_EQ(~0U, r->field);
		} else if (acts[i].field) {
			EXPECT_EQ(acts[i].field, r->field) TH_LOG("%s", acts[i].name);
		}
	}
}

TEST_F(level, each)
{
	struct pev_info info = { };
	struct pev_attr query = {
		.type = PEV_TYPE_INFO, .info = (uintptr_t)&info, .info_size = sizeof(info),
	};

	if (locked_down())
		SKIP(return, "the kernel is locked down");
	for (int level = -1; level <= 4; level++) {
		ASSERT_EQ(0, pev_set_paranoid(level));
		EXPECT_EQ(0, pev_open(&query));
		EXPECT_EQ(level, info.paranoid);
		try_all(_metadata, self, variant->who, level);
	}
}

/* The stricter of perf's and pev's settings applies to both. */
TEST_F(level, of_the_stricter)
{
	static const struct pev_levels pairs[] = {
		{ -1, 2 }, { 2, -1 }, { 0, 1 }, { 1, 0 }, { -1, 3 }, { 2, 4 }, { 3, -1 },
		{ 4, -1 }, { 2, -5 }, { -1, 1000 },
	};

	if (locked_down())
		SKIP(return, "the kernel is locked down");
	for (unsigned int i = 0; i < sizeof(pairs) / sizeof(*pairs);
	     i += pev_kernel_is_slow() ? 3 : 1) {
		/* there is no 4 of perf: some kernels have a 3 that refuses all */
		int perf = pairs[i].perf > 3 ? 3 : pairs[i].perf;

		ASSERT_EQ(0, pev_set_levels(pairs[i])) TH_LOG("perf %d", pairs[i].perf);
		try_all(_metadata, self, variant->who, perf > pairs[i].pev ? perf : pairs[i].pev);
	}
}

TEST_F(level, of_the_setting_itself)
{
	struct pev_child c;
	int level;

	EXPECT_EQ(-EINVAL, pev_put_number(PEV_PARANOID, -2));
	EXPECT_EQ(-EINVAL, pev_put_number(PEV_PARANOID, 5));
	EXPECT_EQ(-EINVAL, pev_put_text(PEV_PARANOID, "x"));
	EXPECT_EQ(self->before.pev, pev_paranoid());
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		if (pev_become(ANYBODY, PEV_CAP_PERFMON))
			_exit(1);
		level = pev_paranoid();
		_exit(pev_set_paranoid(-1) == -EACCES && pev_paranoid() == level ? 0 : 2);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

/* ---- tasks of others ---- */

FIXTURE(others) {
	struct pev_levels before;
};

FIXTURE_SETUP(others)
{
	PEV_NEEDS_ROOT(return );
	PEV_DEFAULT_LEVELS(&self->before);
}

FIXTURE_TEARDOWN(others)
{
	pev_set_levels(self->before);
}

static int open_faults(uint32_t target, pid_t pid)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, target, pid);

	attr.flags = PEV_F_EXCLUDE_KERNEL;
	return pev_open(&attr);
}

TEST_F(others, tasks)
{
	struct pev_child theirs, mine, c;

	ASSERT_LE(0, pev_child_start(&theirs));
	if (!theirs.pid) {
		pev_child_say(&theirs, pev_become(SOMEBODY_ELSE, -1));
		pev_child_wait(&theirs);
		_exit(0);
	}
	ASSERT_LE(0, pev_child_start(&mine));
	if (!mine.pid) {
		pev_child_say(&mine, pev_become(ANYBODY, -1));
		pev_child_wait(&mine);
		pev_child_say(&mine, prctl(PR_SET_DUMPABLE, 0));
		pev_child_wait(&mine);
		_exit(0);
	}
	ASSERT_EQ(0, pev_child_hear(&theirs));
	ASSERT_EQ(0, pev_child_hear(&mine));
	for (int cap = -1; cap <= PEV_CAP_PERFMON; cap += PEV_CAP_PERFMON + 1) {
		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid) {
			int denied = 0, explained = 0, allowed = 0, bad;

			bad = pev_become(ANYBODY, cap);
			for (unsigned int t = PEV_TARGET_TASK; t <= PEV_TARGET_SUBTREE; t++) {
				pid_t not_mine[] = { theirs.pid, getppid(), 1 };

				for (unsigned int i = 0; i < 3; i++) {
					int fd = open_faults(t, not_mine[i]);

					denied += fd == -EACCES;
					explained += fd == -EACCES && pev_reason()[0] &&
						     pev_why.head.field == PEV_OFFSET(target_id);
					if (fd >= 0)
						close(fd);
				}
				allowed += open_faults(t, mine.pid) >= 0;
			}
			_exit(bad || allowed != 3 || denied != explained ||
			      denied != (cap < 0 ? 9 : 0));
		}
		EXPECT_EQ(0, pev_child_end(&c)) TH_LOG("capability %d", cap);
	}
	/* one's own, but it hides */
	pev_child_go(&mine);
	ASSERT_EQ(0, pev_child_hear(&mine));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		_exit(pev_become(ANYBODY, -1) ||
		      open_faults(PEV_TARGET_PROCESS, mine.pid) != -EACCES);
	EXPECT_EQ(0, pev_child_end(&c));
	pev_child_go(&mine);
	pev_child_go(&theirs);
	EXPECT_EQ(0, pev_child_end(&mine));
	EXPECT_EQ(0, pev_child_end(&theirs));
}

#define LEVELS 4
#define TOUCHED 100

static int unshare_users(void)
{
	char map[32];
	int err;

	if (unshare(CLONE_NEWUSER))
		return -errno;
	snprintf(map, sizeof(map), "%u %u 1", ANYBODY, ANYBODY);
	err = pev_put_text("/proc/self/setgroups", "deny");
	err = err ? err : pev_put_text("/proc/self/gid_map", map);
	return err ? err : pev_put_text("/proc/self/uid_map", map);
}

static void touch(unsigned int nr)
{
	size_t page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, nr * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned int i = 0; i < nr; i++)
		p[i * page] = 1;
	munmap((void *)p, nr * page);
}

/* Who has made a namespace may see what is in it, and in those within it, but not at any depth. */
TEST_F(others, deep_in_namespaces)
{
	struct pev_child deep, c;
	int err = -1;

	ASSERT_LE(0, pev_child_start(&deep));
	if (!deep.pid) {
		err = pev_become(ANYBODY, -1);
		for (unsigned int level = 0; level <= LEVELS + 1; level++) {
			pev_child_say(&deep, err);
			pev_child_wait(&deep);
			err = unshare_users();
			touch(TOUCHED);
		}
		pev_child_say(&deep, err);
		pev_child_wait(&deep);
		_exit(0);
	}
	ASSERT_EQ(0, pev_child_hear(&deep));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		int fd = -1;

		err = pev_become(ANYBODY, -1);
		if (!err)
			fd = open_faults(PEV_TARGET_PROCESS, deep.pid);
		pev_child_say(&c, fd < 0 ? -1 : 0);
		for (unsigned int level = 0; level <= LEVELS + 1; level++) {
			pev_child_wait(&c);
			pev_child_say(&c, pev_read(fd).value);
		}
		_exit(0);
	}
	ASSERT_EQ(0, pev_child_hear(&c));
	for (int level = 0, before = 0; level <= LEVELS + 1; level++) {
		int value;

		pev_child_go(&deep);
		err = pev_child_hear(&deep);
		if (err == -ENOSYS || err == -EINVAL)
			break;
		EXPECT_EQ(0, err) TH_LOG("namespace %d", level + 1);
		pev_child_go(&c);
		value = pev_child_hear(&c);
		EXPECT_EQ(level < LEVELS, value - before >= TOUCHED)
		TH_LOG("%d faults in namespace %d", value - before, level + 1);
		before = value;
	}
	pev_child_end(&c);
	pev_child_end(&deep);
}

/* A descendant that has more rights is no part of the subtree. */
TEST_F(others, subtree_with_a_stranger)
{
	if (locked_down())
		SKIP(return, "the kernel is locked down");
	for (int cap = -1; cap <= PEV_CAP_PERFMON; cap += PEV_CAP_PERFMON + 1) {
		struct pev_attr attr = pev_attr_calls(PEV_TARGET_SUBTREE, 0);
		struct pev_child root, c, mine;
		int pair[2], fd;

		ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
		ASSERT_LE(0, pev_child_start(&root));
		if (!root.pid) {
			/* this one drops its rights, its first child does not */
			if (!pev_child_start(&c)) {
				pev_child_wait(&c);
				pev_call(1000);
				_exit(0);
			}
			if (pev_become(ANYBODY, cap))
				_exit(1);
			if (!pev_child_start(&mine)) {
				pev_child_wait(&mine);
				pev_call(5);
				_exit(0);
			}
			fd = pev_open(&attr);
			if (fd < 0 || pev_send_fd(pair[1], fd))
				_exit(2);
			pev_call(3);
			pev_child_go(&c);
			pev_child_go(&mine);
			_exit(pev_child_end(&c) || pev_child_end(&mine) ? 3 : 0);
		}
		fd = pev_receive_fd(pair[0]);
		EXPECT_EQ(0, pev_child_end(&root));
		ASSERT_LE(0, fd);
		EXPECT_EQ(cap < 0 ? 8 : 1008, pev_read(fd).value);
		close(fd);
		close(pair[0]);
		close(pair[1]);
	}
}

/* ---- a kernel that is locked down ---- */

TEST_F(others, lockdown)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	int fd;

	if (!locked_down())
		SKIP(return, "the kernel was not booted with lockdown=confidentiality");
	EXPECT_EQ(-EPERM, pev_open(&attr));
	EXPECT_EQ(EPERM, pev_why.head.error);
	EXPECT_EQ(~0U, pev_why.head.field);
	EXPECT_NE(NULL, strstr(pev_reason(), "locked down"));
	fd = open_faults(PEV_TARGET_TASK, 0);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
}

/* ---- what records show ---- */

/* All words in the rings that could be addresses of the kernel. */
static unsigned int kernel_words(const struct pev_map *map)
{
	unsigned int nr = 0;

	for (unsigned int cpu = 0; cpu < map->nr; cpu++) {
		const struct pev_map_ring *ring = &map->rings[cpu];

		if (!ring->kernel)
			continue;
		for (uint64_t pos = 0; pos + 8 <= ring->kernel->head; pos += 8) {
			uint64_t word;

			memcpy(&word, ring->data + pos % map->info.ring_size, 8);
			/* the header has random bytes, in the UUID */
			if (pos % map->info.packet_size < sizeof(struct pev_packet))
				continue;
#ifdef __powerpc64__
			nr += word >> 60 == 0xc;
#else
			/* the upper half, but for small negative numbers */
			nr += word >> 47 == 0x1ffff && word < -65536ULL;
#endif
		}
	}
	return nr;
}

/* What anybody may have: one at a time, as all with such records are more than a task may have. */
static const struct {
	uint32_t type;
	uint64_t config;
	const char *name;
} sources[] = {
	{ PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS, NULL },
	{ PEV_TYPE_SOFTWARE, PEV_SW_CONTEXT_SWITCHES, NULL },
	{ PEV_TYPE_SOFTWARE, PEV_SW_CPU_MIGRATIONS, NULL },
	{ PEV_TYPE_TIMER, PEV_TIMER_TASK_CLOCK, NULL },
	{ PEV_TYPE_TRACEPOINT, 0, PEV_CALL_EVENT },
	{ PEV_TYPE_SIDEBAND, PEV_SB_FORK, NULL },
	{ PEV_TYPE_SIDEBAND, PEV_SB_COMM, NULL },
};

#define SOURCES (sizeof(sources) / sizeof(*sources))

/* Return: 0 or what to exit with. */
static int open_source(int channel, unsigned int i)
{
	struct pev_attr attr = {
		.type = sources[i].type,
		.config = sources[i].config,
		.name = (uintptr_t)sources[i].name,
		.target = PEV_TARGET_PROCESS,
		.flags = PEV_F_EXCLUDE_KERNEL,
		.channel_fd = channel,
		.group_fd = -1,
		/* what is a user's own may be anything; for the last one a right is needed */
		.sample = pev_any_sample() & ~PEV_SAMPLE_UREGS & ~PEV_SAMPLE_USTACK_DUMP &
			  ~PEV_SAMPLE_EXIT,
		.period = sources[i].type == PEV_TYPE_TIMER ? 1000000 : 1,
	};

	/* others look for those, which count for several times as many: numbers are left out */
	if (attr.config == PEV_SW_CPU_MIGRATIONS && attr.type == PEV_TYPE_SOFTWARE)
		attr.sample &= ~PEV_SAMPLE_READ;
	if (pev_open(&attr) >= 0)
		return 0;
	fprintf(stderr, "# %u: %s\n", i, pev_reason());
	return 3;
}

/* Has each of them happen, on all of @cpus. */
static void make_events(const int *cpus, int nr_cpus)
{
	for (unsigned int i = 0; i < 50; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			       0);

		memset(p, 0, 4096);
		munmap(p, 4096);
		pev_call(1);
		pev_pin(cpus[i % nr_cpus]);
		usleep(100);
		prctl(PR_SET_NAME, "name");
		if (!fork())
			_exit(0);
		wait(NULL);
	}
}

/* Return: 0 if no word of its records could be an address of the kernel. */
static int look_at_records(unsigned int source)
{
	int channel, err, cpus[2], nr_cpus = pev_cpus(cpus, 2);
	struct pev_map map;

	if (pev_become(ANYBODY, -1))
		return 1;
	/* 4 MiB for each CPU are within the default limit */
	channel = pev_open_channel(1 << 20, 1 << 16, 0);
	if (channel < 0 || pev_map_channel(channel, &map))
		return 2;
	err = open_source(channel, source);
	if (err)
		return err;
	make_events(cpus, nr_cpus);
	ioctl(channel, PEV_IOC_DISABLE, 0);
	return kernel_words(&map) ? 4 : 0;
}

TEST_F(others, no_kernel_addresses)
{
	struct pev_child c;

	if (locked_down())
		SKIP(return, "the kernel is locked down");
	for (unsigned int i = 0; i < SOURCES; i++) {
		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid)
			_exit(look_at_records(i));
		EXPECT_EQ(0, pev_child_end(&c));
	}
}

/* A migration happens while another task runs: nothing of that one is shown. */
TEST_F(others, migrations_show_no_stranger)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_CPU_MIGRATIONS, PEV_TARGET_TASK, 0);
	struct pev_child moved;
	struct pev_map map;
	int cpus[2], channel, fd;
	struct pev_value v;
	unsigned int secrets = 0;
	uint64_t deep[512];
	cpu_set_t set;

	if (locked_down())
		SKIP(return, "the kernel is locked down");
	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_LE(0, pev_child_start(&moved));
	if (!moved.pid) {
		pev_pin(cpus[0]);
		pev_child_wait(&moved);
		_exit(0);
	}
	/* once it is bound to the one CPU it has to be moved to run on the other */
	do {
		pev_yield();
		ASSERT_EQ(0, sched_getaffinity(moved.pid, sizeof(set), &set));
	} while (CPU_COUNT(&set) != 1);
	channel = pev_open_channel(1 << 20, 1 << 16, 0);
	ASSERT_LE(0, channel);
	attr.target_id = moved.pid;
	attr.channel_fd = channel;
	attr.period = 1;
	attr.sample = PEV_SAMPLE_TID | PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK |
		      PEV_SAMPLE_USTACK_DUMP;
	attr.stack_user = 8192;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < 512; i++)
		((volatile uint64_t *)deep)[i] = 0x5ec4e75ec4e75ec4;
	/* this process moves the other, while it has the secret on its stack */
	ASSERT_EQ(0, pev_pin_task(moved.pid, cpus[1]));
	pev_child_go(&moved);
	ASSERT_EQ(0, pev_child_end(&moved));
	v = pev_read(fd);
	EXPECT_LT(0, v.samples);
	ASSERT_EQ(0, pev_map_channel(channel, &map));
	for (unsigned int cpu = 0; cpu < map.nr; cpu++) {
		const struct pev_map_ring *ring = &map.rings[cpu];

		for (uint64_t pos = 0; ring->kernel && pos < ring->kernel->head; pos += 8)
			secrets += *(uint64_t *)(ring->data + pos) == 0x5ec4e75ec4e75ec4;
	}
	EXPECT_EQ(0, secrets);
	EXPECT_EQ(0, kernel_words(&map));
	pev_unmap_channel(&map);
	close(fd);
	close(channel);
}

TEST_HARNESS_MAIN
