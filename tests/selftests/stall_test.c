// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that do not come. A caller that passes an address decides how long the kernel
 * waits for what lies there: by userfaultfd, FUSE, a file of a server that is
 * gone. That call waits, and nothing else: other users open, control, read and
 * close meanwhile, and CPUs go and come.
 */
#include <pthread.h>
#include "kselftest_harness.h"
#include "stall_util.h"
#include "withheld.h"

/* ---- calls that are given the address of such a page ---- */

static void open_and_close(struct pev_attr *attr)
{
	int fd = pev_enter(attr, sizeof(*attr), 0);

	if (fd >= 0)
		close(fd);
}

static void call_attr(const struct objects *o, void *page)
{
	open_and_close(page);
}

static void call_name(const struct objects *o, void *page)
{
	struct pev_attr attr = attr_of_calls(o);

	attr.name = (uintptr_t)page;
	open_and_close(&attr);
}

static void call_marker(const struct objects *o, void *page)
{
	struct pev_attr attr = attr_of_calls(o);

	attr.type = PEV_TYPE_MARKER;
	attr.name = (uintptr_t)page;
	open_and_close(&attr);
}

static void call_filter(const struct objects *o, void *page)
{
	struct pev_attr attr = attr_of_calls(o);

	attr.filter = (uintptr_t)page;
	open_and_close(&attr);
}

static void call_cpus(const struct objects *o, void *page)
{
	struct pev_attr attr = attr_of_calls(o);

	attr.target = PEV_TARGET_CPUS;
	attr.cpus = (uintptr_t)page;
	attr.cpus_size = 8;
	open_and_close(&attr);
}

static void call_refusal(const struct objects *o, void *page)
{
	struct pev_attr attr = attr_of_calls(o);

	attr.filter = (uintptr_t)"this is no filter";
	attr.refusal = (uintptr_t)page;
	attr.refusal_size = 200;
	open_and_close(&attr);
}

static void call_info(const struct objects *o, void *page)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .info = (uintptr_t)page,
		.info_size = sizeof(struct pev_info),
	};

	open_and_close(&attr);
}

static void set_filter(int fd, const char *expr, void *refusal, uint32_t flags)
{
	struct pev_filter_arg arg = {
		.filter = (uintptr_t)expr, .flags = flags, .refusal = (uintptr_t)refusal,
		.refusal_size = refusal ? 200 : 0,
	};

	ioctl(fd, PEV_IOC_FILTER, &arg);
}

static void call_set_filter_arg(const struct objects *o, void *page)
{
	ioctl(o->event, PEV_IOC_FILTER, page);
}

static void call_set_filter(const struct objects *o, void *page)
{
	set_filter(o->event, page, NULL, 0);
}

static void call_set_filter_of_group(const struct objects *o, void *page)
{
	set_filter(o->leader, page, NULL, PEV_IOF_GROUP);
}

static void call_set_filter_of_channel(const struct objects *o, void *page)
{
	set_filter(o->channel, page, NULL, 0);
}

static void call_set_filter_refusal(const struct objects *o, void *page)
{
	set_filter(o->event, "this is no filter", page, 0);
}

static void call_period(const struct objects *o, void *page)
{
	ioctl(o->event, PEV_IOC_PERIOD, page);
}

static void call_period_of_channel(const struct objects *o, void *page)
{
	ioctl(o->channel, PEV_IOC_PERIOD, page);
}

static void call_id(const struct objects *o, void *page)
{
	ioctl(o->event, PEV_IOC_ID, page);
}

static void call_read_cpus(const struct objects *o, void *page)
{
	struct pev_cpu_values arg = { .values = (uintptr_t)page, .nr = 64 };

	ioctl(o->event, PEV_IOC_READ_CPUS, &arg);
}

static void call_snapshot(const struct objects *o, void *page)
{
	struct pev_snapshot_arg arg = { .spans = (uintptr_t)page, .nr = 64 };

	ioctl(o->channel, PEV_IOC_SNAPSHOT, &arg);
}

static void call_channel_info(const struct objects *o, void *page)
{
	ioctl(o->channel, PEV_IOC_CHANNEL_INFO, page);
}

static void call_read_event(const struct objects *o, void *page)
{
	if (read(o->event, page, sizeof(struct pev_value)) < 0)
		perror("read of an event");
}

static void call_read_channel(const struct objects *o, void *page)
{
	if (read(o->channel, page, 4096) < 0)
		perror("read of a channel");
}

static void call_read_catalog(const struct objects *o, void *page)
{
	if (read(o->catalog, page, 4096) < 0)
		perror("read of a catalog");
}

struct call {
	const char	*what;
	void		(*fn)(const struct objects *o, void *page);
	bool		root;
};

static const struct call calls[] = {
	{ "pev_attr", call_attr },
	{ "name of a tracepoint", call_name },
	{ "name of a marker", call_marker },
	{ "filter", call_filter },
	{ "CPU mask", call_cpus, true },
	{ "refusal", call_refusal },
	{ "info", call_info },
	{ "PEV_IOC_FILTER", call_set_filter_arg },
	{ "PEV_IOC_FILTER of an event", call_set_filter },
	{ "PEV_IOC_FILTER of a group", call_set_filter_of_group },
	{ "PEV_IOC_FILTER of a channel", call_set_filter_of_channel },
	{ "refusal of PEV_IOC_FILTER", call_set_filter_refusal },
	{ "PEV_IOC_PERIOD of an event", call_period },
	{ "PEV_IOC_PERIOD of a channel", call_period_of_channel },
	{ "PEV_IOC_ID", call_id },
	{ "PEV_IOC_READ_CPUS", call_read_cpus },
	{ "PEV_IOC_SNAPSHOT", call_snapshot },
	{ "PEV_IOC_CHANNEL_INFO", call_channel_info },
	{ "read of an event", call_read_event },
	{ "read of a channel", call_read_channel },
	{ "read of the catalog", call_read_catalog },
};

#define CALLS	(sizeof(calls) / sizeof(*calls))

/* ---- the attacker ---- */

static int open_objects(struct objects *o)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
	struct pev_attr text = { .type = PEV_TYPE_CATALOG };

	o->leader = pev_open(&attr);
	o->channel = pev_open_channel(8192, 4096, 0);
	attr = attr_of_calls(o);
	attr.group_fd = o->leader;
	o->event = pev_open(&attr);
	o->catalog = pev_open(&text);
	return o->leader < 0 || o->channel < 0 || o->event < 0 || o->catalog < 0;
}

struct attack {
	const struct call	*call;
	struct objects		o;
	struct withheld		withheld;
	pid_t			tid;
	bool			done;
};

static void *caller(void *arg)
{
	struct attack *a = arg;

	a->call->fn(&a->o, a->withheld.page);
	return NULL;
}

/* While that one waits: all that the same objects may be used for. */
static void *accomplice(void *arg)
{
	struct attack *a = arg;

	__atomic_store_n(&a->tid, gettid(), __ATOMIC_RELEASE);
	ioctl(a->o.channel, PEV_IOC_ENABLE, 0);
	ioctl(a->o.channel, PEV_IOC_FLUSH, 0);
	close(a->o.event);
	close(a->o.leader);
	__atomic_store_n(&a->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Until it has done all or waits for a lock. */
static void wait_for(const struct attack *a)
{
	while (!__atomic_load_n(&a->done, __ATOMIC_ACQUIRE)) {
		pid_t tid = __atomic_load_n(&a->tid, __ATOMIC_ACQUIRE);

		if (tid && pev_state_of(tid) == 'D')
			break;
		pev_yield();
	}
}

/* Says 1 when the page is waited for; ends when it was let in. */
static void attack(struct pev_child *c, const struct withheld_way *way, const struct call *call)
{
	struct attack a = { .call = call };
	pthread_t threads[2];

	if (way->keep_out(&a.withheld) || (!call->root && pev_become(ATTACKER, -1)) || open_objects(&a.o))
		_exit(1);
	pthread_create(&threads[0], NULL, caller, &a);
	if (!way->faults(&a.withheld))
		_exit(2);
	pthread_create(&threads[1], NULL, accomplice, &a);
	wait_for(&a);
	pev_child_say(c, 1);
	pev_child_wait(c);
	way->let_in(&a.withheld);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	_exit(0);
}

FIXTURE(stall) {
	struct pev_levels	before;
	struct pev_child	another;
	int			open[2];
	int64_t			quiet;
	int64_t			bound;
};

FIXTURE_VARIANT(stall) {
	const struct withheld_way	*way;
};

FIXTURE_VARIANT_ADD(stall, userfaultfd) { .way = &withheld_uffd };
FIXTURE_VARIANT_ADD(stall, fuse) { .way = &withheld_fuse };

FIXTURE_SETUP(stall)
{
	const char *missing;

	PEV_NEEDS_ROOT(return );
	missing = variant->way->missing();
	if (missing)
		SKIP(return, "%s", missing);
	PEV_DEFAULT_LEVELS(&self->before);
	/* the first and the last of each kind cost most */
	self->open[0] = pev_open_event(PEV_TYPE_TRACEPOINT, CLOSE, NULL, -1);
	self->open[1] = pev_open_event(PEV_TYPE_SOFTWARE, NULL, NULL, -1);
	ASSERT_LE(0, self->open[0]);
	ASSERT_LE(0, self->open[1]);
	ASSERT_LE(0, pev_child_start(&self->another));
	if (!self->another.pid)
		another(&self->another);
	for (unsigned int i = 0; i < 3; i++) {
		int64_t ns;

		pev_child_go(&self->another);
		ns = pev_child_hear(&self->another);
		ASSERT_LT(0, ns);
		if (ns > self->quiet)
			self->quiet = ns;
	}
	self->bound = SECOND + 3 * self->quiet;
}

FIXTURE_TEARDOWN(stall)
{
	kill(self->another.pid, SIGKILL);
	pev_child_end(&self->another);
	close(self->open[0]);
	close(self->open[1]);
	pev_set_levels(self->before);
}

TEST_F(stall, others_go_on)
{
	for (unsigned int i = 0; i < CALLS; i++) {
		struct pev_child c;
		bool in_time;

		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid)
			attack(&c, variant->way, &calls[i]);
		ASSERT_EQ(1, pev_child_hear(&c)) TH_LOG("%s is not looked at", calls[i].what);
		pev_child_go(&self->another);
		in_time = answers(&self->another, self->bound);
		EXPECT_TRUE(in_time)
			TH_LOG("%s: another user waits longer than %lld ms, undisturbed %lld ms",
			       calls[i].what, (long long)self->bound / 1000000,
			       (long long)self->quiet / 1000000);
		pev_child_go(&c);
		EXPECT_EQ(0, pev_child_end(&c)) TH_LOG("%s", calls[i].what);
		EXPECT_LT(0, pev_child_hear(&self->another));
	}
}

/* ---- hotplug ---- */

static void hotplugger(struct pev_child *c, int cpu)
{
	pev_child_wait(c);
	if (pev_set_online(cpu, 1) || pev_set_online(cpu, 0) || pev_set_online(cpu, 1))
		_exit(1);
	pev_child_say(c, 1);
	_exit(0);
}

/* A CPU comes that has no ring yet in the attacker's channel. */
TEST_F(stall, cpus_come)
{
	int cpus[2];

	if (pev_cpus(cpus, 2) < 2 || pev_set_online(cpus[1], 0))
		SKIP(return, "needs a CPU that can be taken offline");
	ASSERT_EQ(0, pev_set_online(cpus[1], 1));
	for (unsigned int i = 0; i < CALLS; i++) {
		struct pev_child c, hotplug;

		/* what holds a lock of a channel, or of all */
		if (calls[i].fn != call_filter && calls[i].fn != call_read_channel &&
		    calls[i].fn != call_set_filter_of_channel)
			continue;
		ASSERT_EQ(0, pev_set_online(cpus[1], 0));
		ASSERT_LE(0, pev_child_start(&hotplug));
		if (!hotplug.pid)
			hotplugger(&hotplug, cpus[1]);
		ASSERT_LE(0, pev_child_start(&c));
		if (!c.pid)
			attack(&c, variant->way, &calls[i]);
		ASSERT_EQ(1, pev_child_hear(&c)) TH_LOG("%s is not looked at", calls[i].what);
		pev_child_go(&hotplug);
		EXPECT_TRUE(answers(&hotplug, 5 * self->bound))
			TH_LOG("%s: no CPU comes any more", calls[i].what);
		pev_child_go(&c);
		EXPECT_EQ(0, pev_child_end(&c)) TH_LOG("%s", calls[i].what);
		EXPECT_EQ(1, pev_child_hear(&hotplug));
		EXPECT_EQ(0, pev_child_end(&hotplug));
	}
}

TEST_HARNESS_MAIN
