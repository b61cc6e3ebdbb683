// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that is waited for. A task whose memory cgroup is beyond memory.high sleeps in the
 * middle of what it asks memory for, up to two seconds each time; its limits are its own, as
 * a user's session may have. That call waits, and nothing else.
 */
#include <pthread.h>
#include "kselftest_harness.h"
#include "stall_util.h"

#define CGROUPS "/sys/fs/cgroup"

/* So long are rounds of another user measured, from when the attacker's call began. */
#define MEASURED (3 * SECOND)

/* ---- the attacker ---- */

static void announce(struct pev_child *c)
{
	pev_child_say(c, 1);
	pev_child_wait(c);
	/* by the time that this is heard the call has begun, or is about to */
	pev_child_say(c, 2);
}

/* The catalog is long: that of all marks of eight programs is in it. */
static void read_catalog(struct pev_child *c)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG };

	for (int i = 0; i < 8; i++)
		if (!become_producer(PEV_MAX_USER_MARKS, PEV_MAX_USER_NAME - 1))
			_exit(1);
	announce(c);
	_exit(pev_open(&attr) < 0);
}

static unsigned int metadata_size(int channel)
{
	struct pev_channel_info info = { .size = sizeof(info) };

	return ioctl(channel, PEV_IOC_CHANNEL_INFO, &info) ? 0 : info.metadata_size;
}

static void *switch_off(void *channel)
{
	for (;;)
		ioctl(*(int *)channel, PEV_IOC_DISABLE, 0);
	return NULL;
}

/* Another thread of the attacker's controls the channel to which an event is added. */
static void add_to_channel(struct pev_child *c)
{
	struct objects o = { .leader = -1 };
	unsigned int size, more = 0;
	struct pev_attr attr;
	pthread_t thread;

	o.channel = pev_open_channel(8192, 4096, 0);
	attr = attr_of_calls(&o);
	attr.name = (uintptr_t) "syscalls:sys_enter_openat";
	attr.flags |= PEV_F_TEXT | PEV_F_STRUCTS;
	/* the next one makes it longer than half a MiB */
	for (size = metadata_size(o.channel); size + more <= 1 << 19; size += more) {
		if (pev_open(&attr) < 0)
			_exit(1);
		more = metadata_size(o.channel) - size;
	}
	announce(c);
	if (pthread_create(&thread, NULL, switch_off, &o.channel))
		_exit(1);
	while (metadata_size(o.channel) < size + 4 * more)
		if (pev_open(&attr) < 0)
			_exit(2);
	_exit(0);
}

/* ---- another user ---- */

FIXTURE(throttle)
{
	struct pev_levels before;
	struct pev_child another;
	char path[64];
	int64_t bound;
};

/* clang-format off */
FIXTURE_VARIANT(throttle)
{
	void (*attack)(struct pev_child *c);
};
/* clang-format on */

FIXTURE_VARIANT_ADD(throttle, catalog){ .attack = read_catalog };
FIXTURE_VARIANT_ADD(throttle, channel){ .attack = add_to_channel };

static int write_to(const char *cgroup, const char *file, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", cgroup, file);
	return pev_put_text(path, text);
}

FIXTURE_SETUP(throttle)
{
	int64_t quiet = 0;

	PEV_NEEDS_ROOT(return );
	if (pev_put_text(CGROUPS "/cgroup.subtree_control", "+memory"))
		SKIP(return, "needs cgroup v2 with memory at " CGROUPS);
	PEV_DEFAULT_LEVELS(&self->before);
	snprintf(self->path, sizeof(self->path), CGROUPS "/pev-throttle.%d", getpid());
	ASSERT_EQ(0, mkdir(self->path, 0755));
	ASSERT_LE(0, pev_child_start(&self->another));
	if (!self->another.pid)
		another(&self->another);
	for (unsigned int i = 0; i < 5; i++) {
		int64_t ns;

		pev_child_go(&self->another);
		ns = pev_child_hear(&self->another);
		ASSERT_LT(0, ns);
		if (ns > quiet)
			quiet = ns;
	}
	/* a sleep in the kernel takes two seconds */
	self->bound = SECOND + 3 * quiet;
}

FIXTURE_TEARDOWN(throttle)
{
	kill(self->another.pid, SIGKILL);
	pev_child_end(&self->another);
	rmdir(self->path);
	pev_set_levels(self->before);
}

static void attack(struct pev_child *c, const char *cgroup, void (*fn)(struct pev_child *c))
{
	if (write_to(cgroup, "cgroup.procs", "0") || pev_become(ATTACKER, -1))
		_exit(3);
	fn(c);
}

/* Was it made to wait at all? */
static bool throttled(const char *cgroup)
{
	char path[96], line[80];
	unsigned long long nr = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/memory.events", cgroup);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "high %llu", &nr) == 1)
			break;
	if (f)
		fclose(f);
	return nr;
}

TEST_F(throttle, others_go_on)
{
	int64_t worst = 0, ns, begin;
	struct pev_child c;
	int status;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid)
		attack(&c, self->path, variant->attack);
	ASSERT_EQ(1, pev_child_hear(&c));
	ASSERT_EQ(0, write_to(self->path, "memory.high", "0"));
	pev_child_go(&c);
	ASSERT_EQ(2, pev_child_hear(&c));
	begin = now();
	do {
		pev_child_go(&self->another);
		ns = pev_child_hear(&self->another);
		ASSERT_LT(0, ns);
		if (ns > worst)
			worst = ns;
	} while (worst < self->bound && now() < begin + MEASURED);
	EXPECT_LT(worst, self->bound)
	TH_LOG("another user waits %lld ms", (long long)worst / 1000000);
	EXPECT_TRUE(throttled(self->path));
	kill(c.pid, SIGKILL);
	status = pev_child_end(&c);
	EXPECT_TRUE(!status || status == 1000 + SIGKILL) TH_LOG("%d", status);
}

TEST_HARNESS_MAIN
