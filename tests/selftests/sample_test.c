// SPDX-License-Identifier: GPL-2.0
/*
 * What records carry: each bit of attr.sample alone and all together, where the
 * header says that it lies, and true. The occurrence is a page fault at a known
 * place of this program.
 */
#include <signal.h>
#include <ucontext.h>
#include "kselftest_harness.h"
#include "pev_child.h"

#if defined(__x86_64__)
#define REG_SP_BIT	7
#define REG_IP_BIT	8
#elif defined(__powerpc64__)
#define REG_SP_BIT	1
#define REG_IP_BIT	32
#elif defined(__aarch64__)
#define REG_SP_BIT	31
#define REG_IP_BIT	32
#else
#error "which registers are these?"
#endif

#define DUMP		16384
#define PATTERN		0x1122334455660000ULL

/* ---- a known place ---- */

/* Each has a frame, and none jumps to the next. */
#define FUNCTION	__attribute__((noinline, noclone, aligned(512)))
#define FRAME()		__asm__ volatile("" : : "r" (__builtin_frame_address(0)) : "memory")

static FUNCTION void inner(volatile uint8_t *p)
{
	FRAME();
	*p = 1;
	FRAME();
}

static FUNCTION void middle(volatile uint8_t *p)
{
	FRAME();
	inner(p);
	FRAME();
}

static FUNCTION void outer(volatile uint8_t *p)
{
	FRAME();
	middle(p);
	FRAME();
}

/* Where a frame has its return address: behind the caller's frame pointer, or in its frame */
#ifdef __powerpc64__
#define RETURN_SLOT(frame)	(*(volatile uint64_t **)(frame) + 2)
#else
#define RETURN_SLOT(frame)	((volatile uint64_t *)(frame) + 1)
#endif
#define KERNEL_IP		0xffffffff81000000ULL

/* While it calls inner(), it seems to have been called from the kernel. */
static FUNCTION void disguised(volatile uint8_t *p)
{
	volatile uint64_t *slot = RETURN_SLOT(__builtin_frame_address(0));
	uint64_t back = *slot;

	*slot = KERNEL_IP;
	inner(p);
	*slot = back;
}

static FUNCTION void by_disguised(volatile uint8_t *p)
{
	FRAME();
	disguised(p);
	FRAME();
}

static bool within(uint64_t ip, void (*function)(volatile uint8_t *))
{
	return ip - (uintptr_t)function < 512;
}

/* ---- records ---- */

struct sample {
	uint32_t	tid;
	uint64_t pid, ip, addr, period, cpu, guest, exit, request[3], cookie;
	unsigned int	nr_kernel, nr_user;
	const uint64_t	*kernel, *user;
	uint64_t	nr_regs, nr_values, nr_dump;
	const uint64_t	*regs, *values;
	const uint8_t	*dump;
};

/* A context as the header describes it; returns where it ends. */
static const uint8_t *parse(const uint8_t *body, uint64_t sample, struct sample *s)
{
	const uint64_t *p = (const uint64_t *)(body + 4);

	memset(s, 0, sizeof(*s));
	s->tid = *(const uint32_t *)body;
	if (sample & PEV_SAMPLE_PID)
		s->pid = *(const uint32_t *)p++;
	if (sample & PEV_SAMPLE_IP)
		s->ip = *p++;
	if (sample & PEV_SAMPLE_ADDR)
		s->addr = *p++;
	if (sample & PEV_SAMPLE_PERIOD)
		s->period = *p++;
	if (sample & PEV_SAMPLE_CPU)
		s->cpu = *p++;
	if (sample & PEV_SAMPLE_GUEST)
		s->guest = *p++;
	if (sample & PEV_SAMPLE_EXIT)
		s->exit = *p++;
	if (sample & PEV_SAMPLE_CONTEXT) {
		memcpy(s->request, p, sizeof(s->request));
		p += 3;
	}
	if (sample & PEV_SAMPLE_COOKIE)
		s->cookie = *p++;
	if (sample & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK)) {
		const uint32_t *nr = (const uint32_t *)p++;

		s->nr_kernel = nr[0];
		s->nr_user = nr[1];
		s->kernel = p;
		s->user = p + nr[0];
		p += nr[0] + nr[1];
	}
	if (sample & PEV_SAMPLE_UREGS) {
		s->nr_regs = *p++;
		s->regs = p;
		p += s->nr_regs;
	}
	if (sample & PEV_SAMPLE_READ) {
		s->nr_values = *p++;
		s->values = p;
		p += s->nr_values;
	}
	if (sample & PEV_SAMPLE_USTACK_DUMP) {
		s->nr_dump = *p++;
		s->dump = (const uint8_t *)p;
		p += s->nr_dump / 8;
	}
	return (const uint8_t *)p;
}

FIXTURE(sample) {
	struct pev_info info;
	struct pev_map map;
	int channel;
	int cpu;
	int fd;
	uint8_t *page;
	long page_size;
};

FIXTURE_SETUP(sample)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .info = (uintptr_t)&self->info,
		.info_size = sizeof(self->info),
	};

	self->fd = -1;
	PEV_NEEDS_ROOT(return );
	ASSERT_EQ(0, pev_open(&attr));
	ASSERT_EQ(1, pev_cpus(&self->cpu, 1));
	ASSERT_EQ(0, pev_pin(self->cpu));
	self->channel = pev_open_channel(1 << 20, 1 << 18, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	self->page_size = sysconf(_SC_PAGESIZE);
	self->page = mmap(NULL, self->page_size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->page);
	/* what is known of the code is in memory already */
	outer(self->page);
	madvise(self->page, self->page_size, MADV_DONTNEED);
}

FIXTURE_TEARDOWN(sample)
{
	close(self->fd);
	pev_unmap_channel(&self->map);
	close(self->channel);
	munmap(self->page, self->page_size);
}

static struct pev_attr attr_of(const FIXTURE_DATA(sample) *self, uint64_t sample)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);

	attr.flags = PEV_F_DISABLED;
	attr.channel_fd = self->channel;
	attr.period = 1;
	attr.sample = sample;
	if (sample & PEV_SAMPLE_UREGS)
		attr.regs_user = self->info.regs_user;
	if (sample & PEV_SAMPLE_USTACK_DUMP)
		attr.stack_user = DUMP;
	return attr;
}

/* The body of the record that begins at @record, behind either header. */
static const uint8_t *body_at(const uint8_t *record)
{
	uint32_t word;

	memcpy(&word, record, sizeof(word));
	return record + ((word & PEV_ID_EXTENDED) == PEV_ID_EXTENDED ? 12 : 4);
}

/* The first record in the ring of the fixture's CPU. */
static const uint8_t *first_record(const FIXTURE_DATA(sample) *self)
{
	const struct pev_map_ring *ring = &self->map.rings[self->cpu];

	if (ring->kernel->head <= sizeof(struct pev_packet))
		return NULL;
	return body_at(ring->data + sizeof(struct pev_packet));
}

static const uint8_t *end_of_data(const FIXTURE_DATA(sample) *self)
{
	const struct pev_map_ring *ring = &self->map.rings[self->cpu];

	return ring->data + ring->kernel->head;
}

/* One fault, at a known place, is one record, which begins at @record; NULL: the first. */
static bool fault_at(FIXTURE_DATA(sample) * self, const uint8_t *record, uint64_t sample,
		     struct sample *s)
{
	const uint8_t *body;

	madvise(self->page, self->page_size, MADV_DONTNEED);
	if (pev_on(self->fd))
		return false;
	outer(self->page);
	if (pev_off(self->fd) || pev_read(self->fd).samples != 1)
		return false;
	body = record ? body_at(record) : first_record(self);
	return body && parse(body, sample, s) == end_of_data(self);
}

static bool fault(FIXTURE_DATA(sample) * self, uint64_t sample, struct sample *s)
{
	return fault_at(self, NULL, sample, s);
}

static void check(struct __test_metadata *_metadata, const FIXTURE_DATA(sample) *self,
		  uint64_t sample, const struct sample *s)
{
	unsigned int at = 0;

	EXPECT_EQ(sample & PEV_SAMPLE_TID ? gettid() : 0, s->tid);
	if (sample & PEV_SAMPLE_PID)
		EXPECT_EQ(getpid(), s->pid);
	if (sample & PEV_SAMPLE_IP)
		EXPECT_TRUE(within(s->ip, inner));
	if (sample & PEV_SAMPLE_ADDR)
		EXPECT_EQ((uintptr_t)self->page, s->addr);
	if (sample & PEV_SAMPLE_PERIOD)
		EXPECT_EQ(1, s->period);
	if (sample & PEV_SAMPLE_CPU)
		EXPECT_EQ(self->cpu, s->cpu);
	EXPECT_EQ(0, s->guest);
	EXPECT_EQ(0, s->exit);
	/* the thread has said nothing: context_test does */
	EXPECT_EQ(0, s->request[0] | s->request[1] | s->request[2]);
	/* the fault came from user mode */
	EXPECT_EQ(0, s->nr_kernel);
	if (sample & PEV_SAMPLE_USTACK) {
		void (*const chain[])(volatile uint8_t *) = { inner, middle, outer };

		ASSERT_LE(3, s->nr_user);
		EXPECT_TRUE(within(s->user[0], inner));
		for (unsigned int i = 0; i < s->nr_user && at < 3; i++)
			at += within(s->user[i], chain[at]);
		EXPECT_EQ(3, at);
	}
	if (sample & PEV_SAMPLE_UREGS) {
		unsigned int sp = __builtin_popcountll(self->info.regs_user &
						       ((1ULL << REG_SP_BIT) - 1));
		unsigned int ip = __builtin_popcountll(self->info.regs_user &
						       ((1ULL << REG_IP_BIT) - 1));

		ASSERT_EQ(__builtin_popcountll(self->info.regs_user), s->nr_regs);
		EXPECT_TRUE(within(s->regs[ip], inner));
		EXPECT_GT(65536, (uintptr_t)__builtin_frame_address(0) + 32768 - s->regs[sp]);
	}
	if (sample & PEV_SAMPLE_READ) {
		EXPECT_EQ(1, s->nr_values);
		EXPECT_EQ(1, s->values[0]);
	}
	if (sample & PEV_SAMPLE_USTACK_DUMP)
		EXPECT_EQ(DUMP, s->nr_dump);
}

static void take_one(struct __test_metadata *_metadata, FIXTURE_DATA(sample) *self,
		     uint64_t sample)
{
	struct pev_attr attr = attr_of(self, sample);
	struct sample s;

	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(fault(self, sample, &s));
	check(_metadata, self, sample, &s);
}


TEST_F(sample, none) { take_one(_metadata, self, 0); }
TEST_F(sample, tid) { take_one(_metadata, self, PEV_SAMPLE_TID); }
TEST_F(sample, pid) { take_one(_metadata, self, PEV_SAMPLE_PID); }
TEST_F(sample, ip) { take_one(_metadata, self, PEV_SAMPLE_IP); }
TEST_F(sample, addr) { take_one(_metadata, self, PEV_SAMPLE_ADDR); }
TEST_F(sample, period) { take_one(_metadata, self, PEV_SAMPLE_PERIOD); }
TEST_F(sample, cpu) { take_one(_metadata, self, PEV_SAMPLE_CPU); }
TEST_F(sample, kstack) { take_one(_metadata, self, PEV_SAMPLE_KSTACK); }
TEST_F(sample, ustack) { take_one(_metadata, self, PEV_SAMPLE_USTACK); }
TEST_F(sample, uregs) { take_one(_metadata, self, PEV_SAMPLE_UREGS); }
TEST_F(sample, read) { take_one(_metadata, self, PEV_SAMPLE_READ); }
TEST_F(sample, ustack_dump) { take_one(_metadata, self, PEV_SAMPLE_USTACK_DUMP); }
TEST_F(sample, guest)
{
	if (!(self->info.sample & PEV_SAMPLE_GUEST))
		SKIP(return, "KVM does not say here whether a guest was hit");
	take_one(_metadata, self, PEV_SAMPLE_GUEST);
}
TEST_F(sample, context)
{
	take_one(_metadata, self, PEV_SAMPLE_CONTEXT);
}
TEST_F(sample, all) { take_one(_metadata, self, pev_any_sample()); }

TEST_F(sample, all_but_one)
{
	uint64_t any = pev_any_sample();

	for (unsigned int i = 0; 1ULL << i < any; i++) {
		uint64_t sample = any & ~(1ULL << i);
		const uint8_t *record = end_of_data(self), *body;
		struct pev_attr attr = attr_of(self, sample);
		struct sample s;

		self->fd = pev_open(&attr);
		ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
		madvise(self->page, self->page_size, MADV_DONTNEED);
		ASSERT_EQ(0, pev_on(self->fd));
		outer(self->page);
		ASSERT_EQ(0, pev_off(self->fd));
		body = i == 0 ? first_record(self) : body_at(record);
		ASSERT_NE(NULL, body);
		ASSERT_EQ(end_of_data(self), parse(body, sample, &s));
		check(_metadata, self, sample, &s);
		close(self->fd);
	}
	self->fd = -1;
}

/* The metadata names the parts in the order in which they lie. */
TEST_F(sample, metadata)
{
	static const char *const names[] = {
		" pid;", " ip;", " addr;", " period;", " cpu;", " kstack_len;", " ustack_len;",
		" kstack[kstack_len];", " ustack[ustack_len];", " uregs_len;",
		" uregs[uregs_len];", " values_len;", " values[values_len];", " dump_len;",
		" dump[dump_len];",
	};
	struct pev_attr attr = attr_of(self, pev_any_sample());
	char *text, *at;

	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	text = pev_read_text(self->channel);
	ASSERT_NE(NULL, text);
	at = strstr(text, "name = \"page-faults\"");
	ASSERT_NE(NULL, at);
	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
		at = strstr(at, names[i]);
		ASSERT_NE(NULL, at) TH_LOG("%s", names[i]);
	}
	free(text);
}

/* ---- one by one, more closely ---- */

static ucontext_t at_fault;
static uint8_t *protected_page;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	at_fault = *(ucontext_t *)context;
	mprotect(protected_page, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE);
}

/* As the signal handler is shown it. */
static bool register_value(unsigned int bit, uint64_t *value)
{
#if defined(__x86_64__)
	static const int regs[] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_RIP, REG_EFL, -1, -1, -1, -1, -1, -1, REG_R8, REG_R9, REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15,
	};

	if (bit >= sizeof(regs) / sizeof(*regs) || regs[bit] < 0)
		return false;
	*value = at_fault.uc_mcontext.gregs[regs[bit]];
	/* the flag that a debugger's single steps need is not told */
	return bit != 9;
#elif defined(__aarch64__)
	if (bit > REG_IP_BIT)
		return false;
	if (bit == REG_IP_BIT)
		*value = at_fault.uc_mcontext.pc;
	else
		*value = bit == REG_SP_BIT ? at_fault.uc_mcontext.sp :
					     at_fault.uc_mcontext.regs[bit];
	return true;
#else
	if (bit > REG_IP_BIT)
		return false;
	*value = at_fault.uc_mcontext.gp_regs[bit];
	return true;
#endif
}

TEST_F(sample, registers_are_those_of_the_fault)
{
	struct pev_attr attr = attr_of(self, PEV_SAMPLE_UREGS);
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	unsigned int at = 0, compared = 0;
	const uint8_t *body;
	struct sample s;

	if (!self->info.regs_user)
		SKIP(return, "no user registers on this machine");
	protected_page = self->page;
	ASSERT_EQ(0, sigaction(SIGSEGV, &action, NULL));
	ASSERT_EQ(0, mprotect(self->page, self->page_size, PROT_NONE));
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(self->fd));
	outer(self->page);
	ASSERT_EQ(0, pev_off(self->fd));
	body = first_record(self);
	ASSERT_NE(NULL, body);
	parse(body, PEV_SAMPLE_UREGS, &s);
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t value;

		if (!(self->info.regs_user & 1ULL << bit))
			continue;
		if (register_value(bit, &value)) {
			EXPECT_EQ(value, s.regs[at]) TH_LOG("register %u", bit);
			compared++;
		}
		at++;
	}
	EXPECT_LE(16, compared);
}

/* Some of them, in the order of their numbers. */
TEST_F(sample, two_registers)
{
	struct pev_attr attr = attr_of(self, PEV_SAMPLE_UREGS);
	struct sample s;

	if (!self->info.regs_user)
		SKIP(return, "no user registers on this machine");
	attr.regs_user = 1ULL << REG_SP_BIT | 1ULL << REG_IP_BIT;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(fault(self, PEV_SAMPLE_UREGS, &s));
	ASSERT_EQ(2, s.nr_regs);
	EXPECT_FALSE(within(s.regs[0], inner));
	EXPECT_TRUE(within(s.regs[1], inner));
}

TEST_F(sample, stack_as_it_was)
{
	uint64_t sample = PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK_DUMP;
	struct pev_attr attr = attr_of(self, sample);
	volatile uint64_t known[16];
	struct sample s;
	uint64_t at;

	if (!self->info.regs_user)
		SKIP(return, "no user registers on this machine");
	for (unsigned int i = 0; i < 16; i++)
		known[i] = PATTERN + i;
	attr.regs_user = 1ULL << REG_SP_BIT;
	attr.stack_user = PEV_MAX_STACK_DUMP;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(fault(self, sample, &s));
	ASSERT_EQ(PEV_MAX_STACK_DUMP, s.nr_dump);
	at = (uintptr_t)known - s.regs[0];
	ASSERT_GT(PEV_MAX_STACK_DUMP - sizeof(known), at);
	for (unsigned int i = 0; i < 16; i++) {
		uint64_t word;

		memcpy(&word, s.dump + at + 8 * i, 8);
		EXPECT_EQ(PATTERN + i, word);
	}
}

/* Also what is larger than the stack: it comes to an end without a fault. */
TEST_F(sample, stack_of_every_size)
{
	for (unsigned int size = 8; size <= PEV_MAX_STACK_DUMP; size *= 4) {
		const uint8_t *record = size == 8 ? NULL : end_of_data(self);
		struct pev_attr attr = attr_of(self, PEV_SAMPLE_USTACK_DUMP);
		struct sample s;

		attr.stack_user = size;
		self->fd = pev_open(&attr);
		ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
		ASSERT_TRUE(fault_at(self, record, PEV_SAMPLE_USTACK_DUMP, &s));
		EXPECT_EQ(size, s.nr_dump);
		close(self->fd);
	}
	self->fd = -1;
}

TEST_F(sample, few_frames)
{
	for (unsigned int frames = 1; frames <= 3; frames++) {
		const uint8_t *record = frames == 1 ? NULL : end_of_data(self);
		struct pev_attr attr = attr_of(self, PEV_SAMPLE_USTACK);
		struct sample s;

		attr.max_stack = frames;
		self->fd = pev_open(&attr);
		ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
		ASSERT_TRUE(fault_at(self, record, PEV_SAMPLE_USTACK, &s));
		EXPECT_EQ(frames, s.nr_user);
		close(self->fd);
	}
	self->fd = -1;
}

/* What a program has on its stack is no reason to call a frame the kernel's. */
TEST_F(sample, no_kernel_address_of_a_user_stack)
{
	struct pev_attr attr = attr_of(self, PEV_SAMPLE_USTACK);
	unsigned int found = 0;
	const uint8_t *body;
	struct sample s;

	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	madvise(self->page, self->page_size, MADV_DONTNEED);
	ASSERT_EQ(0, pev_on(self->fd));
	by_disguised(self->page);
	ASSERT_EQ(0, pev_off(self->fd));
	body = first_record(self);
	ASSERT_NE(NULL, body);
	parse(body, PEV_SAMPLE_USTACK, &s);
	for (unsigned int i = 0; i < s.nr_user; i++) {
		EXPECT_EQ(0, s.user[i] >> 63);
		found += within(s.user[i], disguised);
	}
	EXPECT_LE(1, found);
	/* the frames behind it are still there */
	ASSERT_LT(2, s.nr_user);
	EXPECT_TRUE(within(s.user[0], inner));
}

/* Both chains, from within the kernel. */
TEST_F(sample, kernel_stack)
{
	uint64_t sample = PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK;
	struct pev_attr attr = attr_of(self, sample);
	struct pev_attr call = pev_attr_calls(PEV_TARGET_TASK, 0);
	const uint8_t *body;
	struct sample s;

	attr.type = PEV_TYPE_TRACEPOINT;
	attr.config = 0;
	attr.name = call.name;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(self->fd));
	pev_call(1);
	ASSERT_EQ(0, pev_off(self->fd));
	body = first_record(self);
	ASSERT_NE(NULL, body);
	parse(body, sample, &s);
	EXPECT_LT(0, s.nr_kernel);
	EXPECT_GE(PEV_MAX_STACK, s.nr_kernel);
	for (unsigned int i = 0; i < s.nr_kernel; i++)
		EXPECT_EQ(1, s.kernel[i] >> 63);
	EXPECT_LT(0, s.nr_user);
	EXPECT_EQ(0, s.user[0] >> 63);
}

TEST_F(sample, values_of_the_group)
{
	struct pev_attr attr = attr_of(self, PEV_SAMPLE_READ);
	const uint8_t *body;
	struct sample s;
	int fds[2];

	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	attr.flags = PEV_F_DISABLED;
	attr.group_fd = self->fd;
	fds[0] = pev_open(&attr);
	fds[1] = pev_open(&attr);
	ASSERT_LE(0, fds[0]) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, fds[1]);
	ASSERT_EQ(0, pev_on(fds[1]));
	pev_call(4);
	ASSERT_EQ(0, ioctl(self->fd, PEV_IOC_ENABLE, PEV_IOF_GROUP));
	body = end_of_data(self);
	for (unsigned int i = 1; i <= 3; i++) {
		madvise(self->page, self->page_size, MADV_DONTNEED);
		outer(self->page);
		body = i == 1 ? first_record(self) : body_at(body);
		ASSERT_NE(NULL, body);
		body = parse(body, PEV_SAMPLE_READ, &s);
		ASSERT_EQ(end_of_data(self), body);
		ASSERT_EQ(3, s.nr_values);
		EXPECT_EQ(i, s.values[0]);
		EXPECT_EQ(10 * (i - 1), s.values[1]);
		EXPECT_EQ(10 * (i - 1) + 4, s.values[2]);
		pev_call(10);
	}
	close(fds[0]);
	close(fds[1]);
}

/* Every third occurrence, and what it stands for. */
TEST_F(sample, periods)
{
	struct pev_attr attr = attr_of(self, PEV_SAMPLE_PERIOD);
	struct pev_value v;
	struct sample s;
	unsigned int nr = 0;

	attr.period = 3;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(self->fd));
	for (unsigned int i = 0; i < 31; i++) {
		madvise(self->page, self->page_size, MADV_DONTNEED);
		outer(self->page);
	}
	ASSERT_EQ(0, pev_off(self->fd));
	v = pev_read(self->fd);
	EXPECT_EQ(31, v.value);
	EXPECT_EQ(10, v.samples);
	for (const uint8_t *at = self->map.rings[self->cpu].data + sizeof(struct pev_packet);
	     at < end_of_data(self);) {
		at = parse(body_at(at), PEV_SAMPLE_PERIOD, &s);
		EXPECT_EQ(3, s.period);
		nr++;
	}
	EXPECT_EQ(10, nr);
}

/* A timer's records add up to the time that the event ran, and never to more. */
TEST_F(sample, periods_of_a_timer)
{
	struct pev_attr attr = attr_of(self, PEV_SAMPLE_PERIOD);
	volatile unsigned int work = 0;
	struct pev_value v;
	struct sample s;
	uint64_t sum = 0;

	attr.type = PEV_TYPE_TIMER;
	attr.config = PEV_TIMER_TASK_CLOCK;
	attr.period = 1000000;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(self->fd));
	do {
		for (unsigned int i = 0; i < 100000; i++)
			work++;
		v = pev_read(self->fd);
	} while (v.time_running < 50000000);
	ASSERT_EQ(0, pev_off(self->fd));
	v = pev_read(self->fd);
	for (const uint8_t *at = self->map.rings[self->cpu].data + sizeof(struct pev_packet);
	     at < end_of_data(self);) {
		at = parse(body_at(at), PEV_SAMPLE_PERIOD, &s);
		EXPECT_EQ(0, s.period % 1000000);
		sum += s.period;
	}
	EXPECT_GE(v.time_running, sum);
	/* a machine that was held up may not have seen its last tick yet */
	EXPECT_LE(v.time_running / 2, sum);
}

/* ---- pid namespaces ---- */

TEST_F(sample, pids_as_the_opener_knows_them)
{
	uint64_t sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID;
	struct pev_attr attr = attr_of(self, sample);
	struct pev_child c;
	const uint8_t *body;
	struct sample s;
	pid_t pid;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_child init;

		if (unshare(CLONE_NEWPID))
			_exit(4);	/* no namespaces here */
		if (pev_child_start(&init))
			_exit(pev_child_end(&init));
		pev_child_say(&c, getpid());
		pev_child_wait(&c);
		/* seen from inside */
		self->channel = pev_open_channel(1 << 20, 1 << 18, 0);
		if (self->channel < 0 || pev_map_channel(self->channel, &self->map))
			_exit(5);
		attr.channel_fd = self->channel;
		attr.target_id = 1;
		self->fd = pev_open(&attr);
		if (self->fd < 0 || !fault(self, sample, &s))
			_exit(6);
		if (s.tid != 1 || s.pid != 1)
			_exit(7);
		attr.target_id = 2;
		_exit(pev_open(&attr) == -ESRCH ? 0 : 8);
	}
	if (pev_child_hear(&c) != 1)
		SKIP(pev_child_end(&c); return, "no pid namespaces");
	/* and from outside, by a subtree that crosses the border */
	attr.target = PEV_TARGET_SUBTREE;
	attr.target_id = c.pid;
	attr.flags = 0;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	pev_child_go(&c);
	EXPECT_EQ(0, pev_child_end(&c));
	ASSERT_EQ(0, pev_off(self->fd));
	body = first_record(self);
	ASSERT_NE(NULL, body);
	parse(body, sample, &s);
	pid = s.pid;
	EXPECT_EQ(s.tid, pid);
	EXPECT_LT(1, pid);
}

TEST_HARNESS_MAIN
