// SPDX-License-Identifier: GPL-2.0
/*
 * PEV_SAMPLE_EXIT: records of what the host does for a guest say why that was left. The guest is
 * one of the test's own, whose code leaves it for reasons that are known, one after the other: what
 * KVM and the VMM do in between is told from its place and its order.
 */
#include <pthread.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#if defined(__x86_64__) || defined(__powerpc64__)
#include "vmm.h"

#define ANYBODY 4242
#define ROUNDS 50
#define MAX_EVENTS 8
#define MAX_SEEN 65536
/* So many samples are wanted of each kind. */
#define SAMPLES 30
#define PERIOD 200000

#define SAMPLE (PEV_SAMPLE_TID | PEV_SAMPLE_IP | PEV_SAMPLE_GUEST | PEV_SAMPLE_EXIT)

/* A record of SAMPLE, without the payload. */
struct seen {
	uint64_t ip;
	uint64_t guest;
	uint64_t exit;
	uint32_t id;
	uint32_t tid;
};

FIXTURE(exit)
{
	int channel;
	struct pev_map map;
	struct pev_levels before;
	struct vmm m;
	int sizes[MAX_EVENTS];
	struct seen *seen;
	int nr;
};

FIXTURE_SETUP(exit)
{
	PEV_NEEDS_ROOT(return );
	self->channel = -1;
	self->m.kvm = -1;
	vmm_load_kvm();
	if (access("/dev/kvm", R_OK | W_OK))
		SKIP(return, "no /dev/kvm");
	/* records are walked in the order of their ring */
	ASSERT_EQ(0, pev_pin(0));
	ASSERT_EQ(0, vmm_open(&self->m, false));
	if (!(pev_get_info().sample & PEV_SAMPLE_GUEST))
		SKIP(return, "KVM does not say here whether a guest was hit");
	PEV_DEFAULT_LEVELS(&self->before);
	self->seen = calloc(MAX_SEEN, sizeof(*self->seen));
	self->channel = pev_open_channel(1 << 22, 1 << 16, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
}

FIXTURE_TEARDOWN(exit)
{
	if (self->channel < 0)
		return;
	vmm_close(&self->m);
	pev_unmap_channel(&self->map);
	close(self->channel);
	free(self->seen);
	pev_set_levels(self->before);
}

/* Opens @attr with SAMPLE, and remembers how long its records are. */
static int open_exit(FIXTURE_DATA(exit) * self, struct pev_attr attr)
{
	struct pev_id id = { .size = sizeof(id) };
	int fd;

	attr.channel_fd = self->channel;
	attr.sample = SAMPLE;
	attr.period = attr.period ?: 1;
	fd = pev_open(&attr);
	if (fd < 0)
		return fd;
	if (ioctl(fd, PEV_IOC_ID, &id) || id.id >= MAX_EVENTS || id.nr_lengths || id.varying)
		return -EPROTO;
	self->sizes[id.id] = id.fixed_size - 4 + id.payload_size;
	return fd;
}

static int open_calls(FIXTURE_DATA(exit) * self, uint32_t target)
{
	return open_exit(self, pev_attr_calls(target, 0));
}

/* All new records of CPU 0, in their order. Returns 0, or -1: a ring is damaged. */
static int see(FIXTURE_DATA(exit) * self)
{
	struct pev_walk walk;
	struct pev_record record;
	int more = 0;

	self->nr = 0;
	if (ioctl(self->channel, PEV_IOC_FLUSH, 0))
		return -1;
	walk = pev_walk_begin(&self->map, 0, self->sizes, MAX_EVENTS);
	while (self->nr < MAX_SEEN && (more = pev_walk_next(&walk, &record)) > 0) {
		struct seen *s = &self->seen[self->nr++];

		memcpy(s, record.payload, offsetof(struct seen, id));
		s->id = record.id;
		s->tid = record.tid;
	}
	pev_walk_release(&walk);
	return more;
}

/* Whose number it is, the processor says; 0: it is none of a processor that runs guests. */
static uint64_t word(uint64_t exit, uint32_t svm, uint32_t vmx, uint32_t power)
{
	switch (PEV_EXIT_ISA(exit)) {
	case PEV_EXIT_SVM:
		return PEV_EXIT_WORD(PEV_EXIT_SVM, svm);
	case PEV_EXIT_VMX:
		return PEV_EXIT_WORD(PEV_EXIT_VMX, vmx);
	case PEV_EXIT_POWER:
		return PEV_EXIT_WORD(PEV_EXIT_POWER, power);
	default:
		return 0;
	}
}

/* By an access to a port, or to an address without memory, the guest asks its host to go on. */
static bool is_asked(uint64_t exit)
{
	return exit && exit == word(exit, 0x7b, 30, 0xe00);
}

/* What the thread does before its guest has run has no reason, and then that of the last exit. */
TEST_F(exit, of_the_vmm)
{
	ASSERT_LE(0, open_calls(self, PEV_TARGET_TASK)) TH_LOG("%s", pev_reason());
	pev_call(1);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, vmm_round(&self->m));
		pev_call(1);
	}
	ASSERT_EQ(0, see(self));
	ASSERT_EQ(1 + ROUNDS, self->nr);
	EXPECT_EQ(0, self->seen[0].exit);
	for (int i = 1; i < self->nr; i++) {
		EXPECT_TRUE(is_asked(self->seen[i].exit));
		EXPECT_EQ(0, self->seen[i].guest);
	}
}

static void *call_once(void *arg)
{
	(void)arg;
	pev_call(1);
	return (void *)(uintptr_t)gettid();
}

/* A thread that runs no guest has none, though its process runs one. */
TEST_F(exit, of_its_thread_alone)
{
	pthread_t thread;
	void *tid = NULL;
	int others = 0;

	ASSERT_LE(0, open_calls(self, PEV_TARGET_PROCESS)) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, vmm_round(&self->m));
		pev_call(1);
		ASSERT_EQ(0, pthread_create(&thread, NULL, call_once, NULL));
		ASSERT_EQ(0, pthread_join(thread, &tid));
	}
	ASSERT_EQ(0, see(self));
	ASSERT_EQ(2 * ROUNDS, self->nr);
	for (int i = 0; i < self->nr; i++) {
		bool own = (pid_t)self->seen[i].tid == gettid();

		others += !own;
		EXPECT_EQ(own, is_asked(self->seen[i].exit));
		EXPECT_EQ(own, self->seen[i].exit != 0);
	}
	EXPECT_EQ(ROUNDS, others);
}

/* What nobody asked for was not seen, and what was seen before may have become wrong. */
TEST_F(exit, of_the_time_in_which_it_was_asked)
{
	int fd;

	ASSERT_EQ(0, vmm_round(&self->m));
	for (unsigned int i = 0; i < 3; i++) {
		fd = open_calls(self, PEV_TARGET_TASK);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pev_call(1);
		ASSERT_EQ(0, vmm_round(&self->m));
		pev_call(1);
		ASSERT_EQ(0, see(self));
		ASSERT_EQ(2, self->nr);
		EXPECT_EQ(0, self->seen[0].exit);
		EXPECT_TRUE(is_asked(self->seen[1].exit));
		close(fd);
	}
}

/*
 * Samples: in a guest they have no reason. In the test's own code they have that of the call before
 * them. All that the host does has one, but for some hundred instructions at the ends of the guest.
 */
TEST_F(exit, of_samples)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER,
		.config = PEV_TIMER_TASK_CLOCK,
		.target = PEV_TARGET_TASK,
		.group_fd = -1,
		.period = PERIOD,
	};
	unsigned int guest = 0, user = 0, kernel = 0;
	uint32_t calls = 0, timer = 1;

	ASSERT_LE(0, open_calls(self, PEV_TARGET_TASK)) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, open_exit(self, attr)) TH_LOG("%s", pev_reason());
	while (guest < SAMPLES || user < SAMPLES) {
		uint64_t last = 0;

		for (unsigned int i = 0; i < 5; i++) {
			ASSERT_EQ(0, vmm_round(&self->m));
			pev_call(1);
			pev_spin(10 * PERIOD);
		}
		ASSERT_EQ(0, see(self));
		for (int i = 0; i < self->nr; i++) {
			const struct seen *s = &self->seen[i];

			if (s->id == calls) {
				EXPECT_TRUE(is_asked(s->exit));
				last = s->exit;
				continue;
			}
			ASSERT_EQ(timer, s->id);
			if (s->guest & PEV_GUEST_CODE) {
				guest++;
				last = 0;
				EXPECT_EQ(0, s->exit);
			} else if (s->ip >> 63) {
				kernel++;
			} else if (last) {
				user++;
				EXPECT_EQ(last, s->exit);
			}
		}
	}
	TH_LOG("%u samples of the guest, %u of the VMM, %u of the kernel", guest, user, kernel);
}

#if defined(__x86_64__)
static int open_point(FIXTURE_DATA(exit) * self, const char *name)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);

	attr.name = (uintptr_t)name;
	return open_exit(self, attr);
}

/*
 * Each of KVM's tracepoints tells of one kind of exit, while it is handled; the VMM is told of two
 * of them, in turns.
 */
TEST_F(exit, of_what_kvm_does)
{
	/* clang-format off */
	static const uint8_t code[] = {
		0x31, 0xc0,		/* xor %eax, %eax */
		0x0f, 0xa2,		/* cpuid */
		0xb8, 0xff, 0xff, 0, 0,	/* mov $0xffff, %eax, which is no hypercall's number */
		0x0f, 0x01, 0xd9,	/* vmmcall; KVM makes vmcall of it where that is due */
		0xe6, VMM_PORT,		/* out %al, $VMM_PORT */
		0xf4,			/* hlt */
		0xeb, 0xef,		/* jmp, to the xor */
	};
	/* clang-format on */
	static const struct {
		const char *name;
		uint32_t svm;
		uint32_t vmx;
	} points[] = {
		{ PEV_CALL_EVENT, 0x7b, 30 },
		{ "kvm:kvm_cpuid", 0x72, 10 },
		{ "kvm:kvm_hypercall", 0x81, 18 },
		{ "kvm:kvm_pio", 0x7b, 30 },
	};
	unsigned int count[4] = { 0 };

	vmm_load(&self->m, code, sizeof(code));
	for (unsigned int i = 0; i < 4; i++)
		ASSERT_LE(0, open_point(self, points[i].name)) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < 2 * ROUNDS; i++) {
		ASSERT_EQ(0, ioctl(self->m.vcpu, KVM_RUN, 0));
		ASSERT_EQ(i % 2 ? KVM_EXIT_HLT : KVM_EXIT_IO, self->m.run->exit_reason);
		pev_call(1);
	}
	ASSERT_EQ(0, see(self));
	for (int i = 0; i < self->nr; i++) {
		const struct seen *s = &self->seen[i];
		uint32_t svm, vmx;

		ASSERT_GT(4, s->id);
		svm = points[s->id].svm;
		vmx = points[s->id].vmx;
		/* the VMM's second call is behind the hlt */
		if (!s->id && count[0] % 2) {
			svm = 0x78;
			vmx = 12;
		}
		count[s->id]++;
		EXPECT_EQ(word(s->exit, svm, vmx, 0), s->exit);
		EXPECT_NE(0, s->exit);
	}
	EXPECT_EQ(2 * ROUNDS, count[0]);
	for (unsigned int i = 1; i < 4; i++)
		EXPECT_EQ(ROUNDS, count[i]);
}
#endif

#define REFUSED(error, text)                                                            \
	do {                                                                            \
		EXPECT_EQ(-(error), pev_open(&attr));                                   \
		EXPECT_EQ(PEV_OFFSET(sample), pev_why.head.field);                      \
		EXPECT_NE(NULL, strstr(pev_reason(), text)) TH_LOG("%s", pev_reason()); \
	} while (0)

TEST_F(exit, refusals)
{
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	int status;
	pid_t pid;

	EXPECT_TRUE(pev_get_info().sample & PEV_SAMPLE_EXIT);
	attr.sample = SAMPLE;
	REFUSED(EINVAL, "without a channel");
	attr = (struct pev_attr){
		.type = PEV_TYPE_TIMER,
		.target = PEV_TARGET_TASK,
		.channel_fd = self->channel,
		.group_fd = -1,
		.period = PERIOD,
		.flags = PEV_F_EXCLUDE_HOST,
		.sample = SAMPLE,
	};
	REFUSED(EINVAL, "of guests alone");
	attr.flags = PEV_F_EXCLUDE_KERNEL;
	attr.sample = PEV_SAMPLE_TID | PEV_SAMPLE_EXIT;
	pid = fork();
	if (!pid) {
		if (pev_become(ANYBODY, -1))
			_exit(10);
		/* it costs other users' guests */
		if (pev_open(&attr) != -EACCES || pev_why.head.field != PEV_OFFSET(sample))
			_exit(11);
		attr.sample = PEV_SAMPLE_TID;
		_exit(pev_open(&attr) < 0 ? 12 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status) TH_LOG("exit status %d", WEXITSTATUS(status));
}
#endif

/* Without KVM it is promised by nothing, and refused in a sentence. */
TEST(without_kvm)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER,
		.target = PEV_TARGET_TASK,
		.group_fd = -1,
		.period = 1000000,
		.sample = PEV_SAMPLE_TID | PEV_SAMPLE_EXIT,
	};

	PEV_NEEDS_ROOT(return );
	if (pev_get_info().sample & PEV_SAMPLE_EXIT)
		SKIP(return, "KVM is loaded");
	attr.channel_fd = pev_open_channel(1 << 16, 0, 0);
	ASSERT_LE(0, attr.channel_fd);
	EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));
	EXPECT_NE(NULL, strstr(pev_reason(), "KVM ")) TH_LOG("%s", pev_reason());
	EXPECT_EQ(PEV_OFFSET(sample), pev_why.head.field);
	close(attr.channel_fd);
}

TEST_HARNESS_MAIN
