// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual machines seen from their host: the test runs one of its own by KVM, whose code lies
 * at known addresses, where the host has nothing. It needs a processor that runs guests:
 * QEMU's TCG emulates AMD's, and a hypervisor that lets KVM-HV run its own.
 */
#include <pthread.h>
#include <sys/mman.h>
#include "kselftest_harness.h"
#include "pev_child.h"

static bool tells_guests(void)
{
	struct pev_info info = {};
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO,
		.info = (uintptr_t)&info,
		.info_size = sizeof(info),
	};

	return !pev_open(&attr) && info.targets & 1 << PEV_TARGET_GUEST;
}

#if defined(__x86_64__) || defined(__powerpc64__)
#include "vmm.h"

#define ANYBODY 4242
#define PERIOD 1000000
/* So many samples are wanted of guest and host each, */
#define SAMPLES 30
/* which are looked for when both have had so many turns. */
#define ROUNDS 3

enum kind { GUEST_KERNEL, GUEST_USER };

/* A process that runs a guest, in a thread that is made when it is first told to go. */
struct machine {
	struct pev_child child;
	enum kind kind;
	uid_t uid;
	pid_t tid;
};

/* Guest and host run alternately, each as long as the other. */
static void run_both(struct vmm *m)
{
	uint64_t begin;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		begin = pev_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		if (vmm_round(m))
			_exit(1);
		pev_spin(pev_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
	}
}

static void *machine_thread(void *arg)
{
	struct machine *machine = arg;
	struct vmm m;

	if (vmm_open(&m, machine->kind == GUEST_USER))
		_exit(2);
	pev_child_say(&machine->child, gettid());
	for (;;) {
		pev_child_wait(&machine->child);
		run_both(&m);
		pev_child_say(&machine->child, 0);
	}
	return NULL;
}

/* The child: it has a machine before it has a thread that runs one. */
static void machine_main(struct machine *machine)
{
	pthread_t thread;
	struct vmm m;

	if (machine->uid && pev_become(machine->uid, -1))
		_exit(3);
	pev_child_say(&machine->child, vmm_open(&m, false) ? -errno : 0);
	pev_child_wait(&machine->child);
	if (!pthread_create(&thread, NULL, machine_thread, machine))
		pthread_join(thread, NULL);
	_exit(4);
}

static int machine_start(struct machine *machine, enum kind kind, uid_t uid)
{
	machine->kind = kind;
	machine->uid = uid;
	if (!pev_child_start(&machine->child))
		machine_main(machine);
	return machine->child.pid < 0 ? -errno : pev_child_hear(&machine->child);
}

static bool machine_has_thread(struct machine *machine)
{
	pev_child_go(&machine->child);
	machine->tid = pev_child_hear(&machine->child);
	return machine->tid > 0;
}

/* Until all events have seen enough. Returns whether they have. */
static bool machine_run(struct machine *machine, const int *fds, unsigned int nr)
{
	unsigned int enough = 0;

	while (enough < nr) {
		pev_child_go(&machine->child);
		if (pev_child_hear(&machine->child))
			return false;
		enough = 0;
		for (unsigned int i = 0; i < nr; i++)
			enough += pev_read(fds[i]).value >= SAMPLES;
	}
	return true;
}

static bool machine_end(struct machine *machine)
{
	kill(machine->child.pid, SIGKILL);
	return pev_child_end(&machine->child) == 1000 + SIGKILL;
}

/* What a record of HIT_SAMPLE holds. */
struct hit {
	uint64_t pid;
	uint64_t ip;
	uint64_t period;
	uint64_t guest;
};

#define HIT_SAMPLE \
	(PEV_SAMPLE_TID | PEV_SAMPLE_PID | PEV_SAMPLE_IP | PEV_SAMPLE_PERIOD | PEV_SAMPLE_GUEST)

/* The guest's own handler of the decrementer, which interrupts its user mode, in kernel mode */
static bool in_handler(uint64_t ip)
{
#if defined(__powerpc64__)
	return ip >= 0x900 && ip < 0x90c;
#else
	(void)ip;
	return false;
#endif
}

static bool in_guest(uint64_t ip)
{
	return (ip >= VMM_CODE && ip < VMM_CODE_END) || in_handler(ip);
}

static int load_kvm(void)
{
	vmm_load_kvm();
	return access("/dev/kvm", R_OK | W_OK) ? -errno : chmod("/dev/kvm", 0666);
}

FIXTURE(guest)
{
	int channel;
	struct pev_map map;
	struct pev_levels before;
	struct machine machine;
};

FIXTURE_SETUP(guest)
{
	PEV_NEEDS_ROOT(return );
	self->channel = -1;
	if (load_kvm())
		SKIP(return, "no /dev/kvm");
	if (pev_present() && !tells_guests())
		SKIP(return, "KVM does not say here whether a guest was hit");
	PEV_DEFAULT_LEVELS(&self->before);
	self->channel = pev_open_channel(1 << 20, 1 << 16, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
}

FIXTURE_TEARDOWN(guest)
{
	if (self->channel < 0)
		return;
	pev_unmap_channel(&self->map);
	close(self->channel);
	pev_set_levels(self->before);
}

static struct pev_attr attr_of(uint32_t target, int id, int channel)
{
	return (struct pev_attr){
		.type = PEV_TYPE_TIMER,
		.config = PEV_TIMER_TASK_CLOCK,
		.target = target,
		.target_id = id,
		.channel_fd = channel,
		.group_fd = -1,
		.period = PERIOD,
		.sample = channel < 0 ? 0 : HIT_SAMPLE,
	};
}

/* Sums of the records of one event. */
struct hits {
	unsigned int all;
	unsigned int guest;
	unsigned int user;
	unsigned int handler;
	unsigned int wrong_ip;
	unsigned int other_task;
	uint64_t ns;
};

static void add_hit(struct hits *hits, const struct pev_record *record,
		    const struct machine *machine)
{
	struct hit hit;

	memcpy(&hit, record->payload, sizeof(hit));
	hits->all++;
	hits->ns += hit.period;
	hits->guest += !!(hit.guest & PEV_GUEST_CODE);
	hits->user += !!(hit.guest & PEV_GUEST_USER);
	hits->handler += hit.guest && in_handler(hit.ip);
	hits->wrong_ip += in_guest(hit.ip) != !!(hit.guest & PEV_GUEST_CODE);
	hits->other_task += (pid_t)hit.pid != machine->child.pid ||
			    (hit.guest && (pid_t)record->tid != machine->tid);
}

/* Of all new records; @hits by the id of the event. Returns 0, or -1: a ring is damaged. */
static int read_hits(int channel, struct pev_map *map, const struct machine *machine,
		     struct hits *hits, unsigned int nr)
{
	static const int sizes[] = { sizeof(struct hit), sizeof(struct hit), sizeof(struct hit) };
	struct pev_record record;
	int more = 0;

	memset(hits, 0, nr * sizeof(*hits));
	if (ioctl(channel, PEV_IOC_FLUSH, 0))
		return -1;
	for (unsigned int cpu = 0; cpu < map->nr && !more; cpu++) {
		struct pev_walk walk = pev_walk_begin(map, cpu, sizes, nr);

		while ((more = pev_walk_next(&walk, &record)) > 0)
			add_hit(&hits[record.id], &record, machine);
		pev_walk_release(&walk);
	}
	return more;
}

/* The machine's thread does not exist yet when the event is opened. */
TEST_F(guest, target_records_guest_alone)
{
	struct pev_value value;
	struct pev_attr attr;
	struct hits hits;
	int fd;

	ASSERT_EQ(0, machine_start(&self->machine, GUEST_KERNEL, 0));
	attr = attr_of(PEV_TARGET_GUEST, self->machine.child.pid, self->channel);
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(machine_has_thread(&self->machine));
	ASSERT_TRUE(machine_run(&self->machine, &fd, 1));
	EXPECT_TRUE(machine_end(&self->machine));
	value = pev_read(fd);
	ASSERT_EQ(0, read_hits(self->channel, &self->map, &self->machine, &hits, 1));
	EXPECT_LE(SAMPLES, hits.all);
	EXPECT_EQ(value.value, hits.all);
	EXPECT_EQ(value.value, value.samples + value.lost);
	EXPECT_EQ(hits.all, hits.guest);
	EXPECT_EQ(0, hits.user);
	EXPECT_EQ(0, hits.wrong_ip);
	EXPECT_EQ(0, hits.other_task);
	close(fd);
}

/* Its levels are the guest's own: to the host, a guest is in neither. */
TEST_F(guest, levels_are_the_guests)
{
	uint64_t flags[3] = { 0, PEV_F_EXCLUDE_KERNEL, PEV_F_EXCLUDE_USER };
	struct hits hits[3];
	int fds[3];

	ASSERT_EQ(0, machine_start(&self->machine, GUEST_USER, 0));
	for (unsigned int i = 0; i < 3; i++) {
		struct pev_attr attr = attr_of(PEV_TARGET_GUEST, self->machine.child.pid,
					       self->channel);

		attr.flags = flags[i];
		fds[i] = pev_open(&attr);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	ASSERT_TRUE(machine_has_thread(&self->machine));
	ASSERT_TRUE(machine_run(&self->machine, fds, 2));
	EXPECT_TRUE(machine_end(&self->machine));
	ASSERT_EQ(0, read_hits(self->channel, &self->map, &self->machine, hits, 3));
	EXPECT_LE(SAMPLES, hits[0].all);
	EXPECT_EQ(hits[0].all, hits[0].user + hits[0].handler);
	EXPECT_LE(SAMPLES, hits[1].all);
	EXPECT_EQ(hits[1].all, hits[1].user);
	EXPECT_EQ(hits[2].all, hits[2].handler);
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(0, hits[i].wrong_ip);
		close(fds[i]);
	}
}

/* Guest and host exclude each other, and are all that there is. */
TEST_F(guest, host_and_guest_are_all)
{
	uint64_t flags[3] = { 0, PEV_F_EXCLUDE_HOST, PEV_F_EXCLUDE_GUEST };
	uint64_t sum, more;
	struct hits hits[3];
	int fds[3];

	ASSERT_EQ(0, machine_start(&self->machine, GUEST_KERNEL, 0));
	for (unsigned int i = 0; i < 3; i++) {
		struct pev_attr attr = attr_of(PEV_TARGET_PROCESS, self->machine.child.pid,
					       self->channel);

		attr.flags = flags[i];
		fds[i] = pev_open(&attr);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	ASSERT_TRUE(machine_has_thread(&self->machine));
	ASSERT_TRUE(machine_run(&self->machine, fds, 3));
	EXPECT_TRUE(machine_end(&self->machine));
	ASSERT_EQ(0, read_hits(self->channel, &self->map, &self->machine, hits, 3));
	EXPECT_LT(0, hits[0].guest);
	EXPECT_LT(hits[0].guest, hits[0].all);
	EXPECT_EQ(hits[1].all, hits[1].guest);
	EXPECT_EQ(0, hits[2].guest);
	/* three timers tick at three times */
	sum = hits[1].ns + hits[2].ns;
	more = sum / 10 + 5 * PERIOD;
	EXPECT_LE(hits[0].ns, sum + more);
	EXPECT_GE(hits[0].ns + more, sum);
	/* the guest runs half of the time, but a debugging kernel's KVM takes long between */
	EXPECT_GE(hits[1].ns, sum / 20);
	EXPECT_GE(hits[2].ns, sum / 20);
	for (unsigned int i = 0; i < 3; i++) {
		EXPECT_EQ(0, hits[i].wrong_ip);
		EXPECT_EQ(0, hits[i].other_task);
		close(fds[i]);
	}
}

/* An event that asks for nothing new shows what it always has: the host, wherever it hits. */
TEST_F(guest, others_see_the_host)
{
	static const int sizes[] = { sizeof(uint64_t) };
	unsigned int all = 0, guest = 0;
	struct pev_record record;
	struct pev_attr attr;
	uint64_t ip;
	int fd;

	ASSERT_EQ(0, machine_start(&self->machine, GUEST_KERNEL, 0));
	attr = attr_of(PEV_TARGET_PROCESS, self->machine.child.pid, self->channel);
	attr.sample = PEV_SAMPLE_IP;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(machine_has_thread(&self->machine));
	ASSERT_TRUE(machine_run(&self->machine, &fd, 1));
	EXPECT_TRUE(machine_end(&self->machine));
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, 1);

		while (pev_walk_next(&walk, &record) > 0) {
			memcpy(&ip, record.payload, sizeof(ip));
			all++;
			guest += in_guest(ip);
		}
	}
	EXPECT_LE(SAMPLES, all);
	EXPECT_EQ(0, guest);
	close(fd);
}

/* What a guest runs, stacks of its host do not say. */
TEST_F(guest, no_stack_of_the_host)
{
	struct pev_record record;
	unsigned int all = 0;
	struct pev_attr attr;
	int fd;

	ASSERT_EQ(0, machine_start(&self->machine, GUEST_KERNEL, 0));
	attr = attr_of(PEV_TARGET_GUEST, self->machine.child.pid, self->channel);
	attr.sample = PEV_SAMPLE_GUEST | PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(machine_has_thread(&self->machine));
	ASSERT_TRUE(machine_run(&self->machine, &fd, 1));
	EXPECT_TRUE(machine_end(&self->machine));
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		static const int sizes[] = { 2 * sizeof(uint64_t) };
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, 1);

		while (pev_walk_next(&walk, &record) > 0) {
			uint64_t words[2];

			memcpy(words, record.payload, sizeof(words));
			all++;
			/* the guest's kernel, and two chains without a frame */
			ASSERT_EQ(PEV_GUEST_CODE, words[0]);
			ASSERT_EQ(0, words[1]);
		}
	}
	EXPECT_LE(SAMPLES, all);
	close(fd);
}

TEST_F(guest, another_machine_is_not_seen)
{
	struct machine other = {};
	struct pev_attr attr;
	struct hits hits;
	int fd;

	ASSERT_EQ(0, machine_start(&self->machine, GUEST_KERNEL, 0));
	ASSERT_EQ(0, machine_start(&other, GUEST_KERNEL, 0));
	attr = attr_of(PEV_TARGET_GUEST, self->machine.child.pid, self->channel);
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(machine_has_thread(&other));
	ASSERT_TRUE(machine_has_thread(&self->machine));
	pev_child_go(&other.child);
	ASSERT_TRUE(machine_run(&self->machine, &fd, 1));
	EXPECT_EQ(0, pev_child_hear(&other.child));
	EXPECT_TRUE(machine_end(&self->machine));
	EXPECT_TRUE(machine_end(&other));
	ASSERT_EQ(0, read_hits(self->channel, &self->map, &self->machine, &hits, 1));
	EXPECT_LE(SAMPLES, hits.all);
	EXPECT_EQ(0, hits.other_task);
	close(fd);
}

/* What is left of it can be read, and nothing more comes. */
TEST_F(guest, machine_ends_while_it_is_recorded)
{
	struct pev_value value, after;
	struct pev_attr attr;
	int fd;

	ASSERT_EQ(0, machine_start(&self->machine, GUEST_KERNEL, 0));
	attr = attr_of(PEV_TARGET_GUEST, self->machine.child.pid, self->channel);
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(machine_has_thread(&self->machine));
	ASSERT_TRUE(machine_run(&self->machine, &fd, 1));
	/* it is in the middle of a turn */
	pev_child_go(&self->machine.child);
	EXPECT_TRUE(machine_end(&self->machine));
	value = pev_read(fd);
	after = pev_read(fd);
	EXPECT_LT(0, value.value);
	EXPECT_EQ(value.value, after.value);
	EXPECT_EQ(value.time_enabled, after.time_enabled);
	close(fd);
	EXPECT_EQ(-ESRCH, pev_open(&attr)) TH_LOG("%s", pev_reason());
}

/* Who may trace the process may see its guest, the guest's kernel too, and no host. */
TEST_F(guest, owner_needs_no_right)
{
	struct pev_attr attr;
	int fd, status;
	pid_t pid;

	ASSERT_EQ(0, machine_start(&self->machine, GUEST_KERNEL, ANYBODY));
	pid = fork();
	if (!pid) {
		if (pev_become(ANYBODY, -1))
			_exit(10);
		attr = attr_of(PEV_TARGET_PROCESS, self->machine.child.pid, self->channel);
		if (pev_open(&attr) != -EACCES)
			_exit(11);
		attr = attr_of(PEV_TARGET_GUEST, self->machine.child.pid, self->channel);
		fd = pev_open(&attr);
		if (fd < 0)
			_exit(12);
		if (!machine_has_thread(&self->machine))
			_exit(13);
		_exit(machine_run(&self->machine, &fd, 1) ? 0 : 14);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status) TH_LOG("exit status %d", WEXITSTATUS(status));
	EXPECT_TRUE(machine_end(&self->machine));
}

TEST_F(guest, machine_of_others_is_refused)
{
	struct pev_attr attr;
	int status;
	pid_t pid;

	ASSERT_EQ(0, machine_start(&self->machine, GUEST_KERNEL, 0));
	pid = fork();
	if (!pid) {
		if (pev_become(ANYBODY, -1))
			_exit(10);
		attr = attr_of(PEV_TARGET_GUEST, self->machine.child.pid, -1);
		_exit(pev_open(&attr) == -EACCES ? 0 : 11);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(machine_end(&self->machine));
}

#define REFUSED(error, word)                                                            \
	do {                                                                            \
		EXPECT_EQ(-(error), pev_open(&attr));                                   \
		EXPECT_NE(NULL, strstr(pev_reason(), word)) TH_LOG("%s", pev_reason()); \
	} while (0)

TEST_F(guest, refusals)
{
	struct pev_attr attr;

	/* this process runs none */
	attr = attr_of(PEV_TARGET_GUEST, getpid(), self->channel);
	REFUSED(EINVAL, "no virtual machine");
	attr.flags = PEV_F_EXCLUDE_GUEST;
	REFUSED(EINVAL, "PEV_TARGET_PROCESS");
	attr.flags = PEV_F_ENABLE_ON_EXEC;
	REFUSED(EINVAL, "PEV_F_ENABLE_ON_EXEC");
	attr = attr_of(PEV_TARGET_PROCESS, 0, self->channel);
	attr.flags = PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST;
	REFUSED(EINVAL, "leaves nothing");
	attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_GUEST, getpid());
	REFUSED(EOPNOTSUPP, "timers and hardware counters");
}
#endif

/* A kernel without KVM says so, and promises nothing in its information. */
TEST(kernel_without_guests)
{
	struct pev_attr timer = {
		.type = PEV_TYPE_TIMER,
		.target = PEV_TARGET_GUEST,
		.channel_fd = -1,
		.group_fd = -1,
		.period = 1000000,
	};

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	if (tells_guests())
		SKIP(return, "this kernel tells guests from the host");
	EXPECT_EQ(-EOPNOTSUPP, pev_open(&timer)) TH_LOG("%s", pev_reason());
	EXPECT_EQ(PEV_OFFSET(target), pev_why.head.field);
	timer.target = PEV_TARGET_PROCESS;
	timer.flags = PEV_F_EXCLUDE_HOST;
	EXPECT_EQ(-EOPNOTSUPP, pev_open(&timer));
	EXPECT_EQ(PEV_OFFSET(flags), pev_why.head.field);
}

TEST_HARNESS_MAIN
