// SPDX-License-Identifier: GPL-2.0
/*
 * The request of a thread in samples by overflow, which are taken in an NMI where there is one:
 * that each is the one that the thread worked for at this instruction, and that what is not in
 * memory costs a sample its request and nothing else.
 */
#include <asm/perf_regs.h>
#include <pthread.h>
#include <sys/mman.h>
#include "kselftest_harness.h"
#include "pev_context.h"
#include "pmu_util.h"

#define RING (1 << 20)
#define PACKET (1 << 14)
#define ROUNDS 20000
#define PERIOD 20011 /* seldom enough that none is throttled */
#define REQUESTS 40

#if defined(__x86_64__)
#define TAG_REG PERF_REG_X86_SI

/* A round is one of pmu_loop()'s; samples show the tag in a register. */
asm(".balign 64\n"
    ".globl tagged_loop\n"
    "tagged_loop:\n"
    "	mov %rdi, %rcx\n"
    "	.balign 64\n"
    "tagged_start:\n"
    "	add $1, %rax; add $1, %rax; add $1, %rax; add $1, %rax\n"
    "	add $1, %rax; add $1, %rax; add $1, %rax; add $1, %rax\n"
    "	dec %rcx; jnz tagged_start\n"
    "tagged_end:\n"
    "	ret\n");
#elif defined(__powerpc64__)
#define TAG_REG PERF_REG_POWERPC_R4

asm(".balign 64\n"
    ".globl tagged_loop\n"
    ".type tagged_loop, @function\n"
    "tagged_loop:\n"
    "	.localentry tagged_loop, 0\n"
    "	mtctr 3\n"
    "	.balign 64\n"
    "tagged_start:\n"
    "	addi 9, 9, 1; addi 9, 9, 1; addi 9, 9, 1\n"
    "	bdnz tagged_start\n"
    "tagged_end:\n"
    "	blr\n");
#elif defined(__aarch64__)
#define TAG_REG PERF_REG_ARM64_X1

asm(".balign 64\n"
    ".globl tagged_loop\n"
    "tagged_loop:\n"
    "tagged_start:\n"
    "	add x9, x9, #1; add x9, x9, #1\n"
    "	subs x0, x0, #1; b.ne tagged_start\n"
    "tagged_end:\n"
    "	ret\n");
#endif

void tagged_loop(unsigned long rounds, unsigned long tag);
extern const char tagged_start[], tagged_end[];

struct sample {
	uint64_t ip;
	struct ids ids;
	uint64_t nr_regs;
	uint64_t tag;
};

FIXTURE(context)
{
	struct pev_map map;
	const struct pev_thread_context *volatile pointer;
	struct pev_thread_context *record; /* on a page of its own */
	struct sample *samples;
	unsigned int nr;
	int channel;
	int fd;
};

static struct pev_thread_context *new_page(void)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

FIXTURE_SETUP(context)
{
	struct pev_attr attr;

	PMU_SKIP_WITHOUT(SKIP);
	pev_pin(0);
	self->channel = pev_open_channel(RING, PACKET, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	attr = pmu_attr(PEV_HW_INSTRUCTIONS, USER_ONLY, self->channel, PERIOD);
	attr.sample = PEV_SAMPLE_TID | PEV_SAMPLE_IP | PEV_SAMPLE_CONTEXT | PEV_SAMPLE_UREGS;
	attr.regs_user = 1ULL << TAG_REG;
	self->fd = pev_open(&attr);
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	self->record = new_page();
	ASSERT_NE(NULL, self->record);
	self->samples = calloc(RING / sizeof(struct sample), sizeof(struct sample));
	ASSERT_NE(NULL, self->samples);
	ASSERT_EQ(0, attach_at((uintptr_t)&self->pointer)) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(context)
{
	attach_at(0);
	free(self->samples);
	close(self->fd);
	pev_unmap_channel(&self->map);
	close(self->channel);
}

/* All samples since the last call. */
static void collect(struct __test_metadata *_metadata, struct _test_data_context *self)
{
	static const int sizes[1] = { sizeof(struct sample) };
	struct pev_record record;
	int ret;

	self->nr = 0;
	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, 1);

		while ((ret = pev_walk_next(&walk, &record)) > 0) {
			struct sample *s = &self->samples[self->nr++];

			memcpy(s, record.payload, sizeof(*s));
			ASSERT_EQ(1, s->nr_regs);
			ASSERT_EQ((uint32_t)gettid(), record.tid);
		}
		ASSERT_EQ(0, ret);
		pev_walk_release(&walk);
	}
	EXPECT_EQ(0, pev_read(self->fd).lost);
}

static bool in_loop(const struct sample *s)
{
	return s->ip >= (uintptr_t)tagged_start && s->ip < (uintptr_t)tagged_end;
}

static void work_for(struct _test_data_context *self, uint8_t n)
{
	self->pointer = NULL;
	*self->record = request(n);
	__asm__ volatile("" : : : "memory");
	self->pointer = self->record;
	tagged_loop(ROUNDS, n);
}

TEST_F(context, of_the_instruction)
{
	unsigned int of[REQUESTS + 1] = {};
	const unsigned int least = ROUNDS * PMU_ROUND / PERIOD - 1;

	pev_on(self->fd);
	for (unsigned int n = 1; n <= REQUESTS; n++) {
		work_for(self, (uint8_t)n);
		self->pointer = NULL;
		tagged_loop(ROUNDS, 0);
	}
	pev_off(self->fd);
	collect(_metadata, self);
	for (unsigned int i = 0; i < self->nr; i++) {
		const struct sample *s = &self->samples[i];

		if (!in_loop(s))
			continue;
		ASSERT_GE(REQUESTS, s->tag);
		ASSERT_TRUE(same(s->tag ? ids_of((uint8_t)s->tag) : NONE, s->ids))
		TH_LOG("request %llu", (unsigned long long)s->tag);
		of[s->tag]++;
	}
	for (unsigned int n = 1; n <= REQUESTS; n++)
		EXPECT_LE(least, of[n]);
	EXPECT_LE(REQUESTS * least, of[0]);
}

/* Faults of the kernel's that the thread's samples took */
static int count_faults(void)
{
#if defined(__x86_64__)
	return pev_open_event(PEV_TYPE_TRACEPOINT, "exceptions:page_fault_kernel", NULL, -1);
#else
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);

	return pev_open(&attr);
#endif
}

/* Memory that is there is read without a fault; what is not, costs a sample its request. */
TEST_F(context, of_missing_memory)
{
	const long size = sysconf(_SC_PAGESIZE);
	int faults = count_faults();
	unsigned int loops = 0;

	ASSERT_LE(0, faults) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(faults));
	pev_on(self->fd);
	work_for(self, 1);
	pev_off(self->fd);
#if defined(__x86_64__)
	/* elsewhere faults of the kernel's have no event of their own, and the test has some */
	EXPECT_EQ(0, pev_read(faults).value);
#endif
	collect(_metadata, self);
	for (unsigned int i = 0; i < self->nr; i++)
		EXPECT_TRUE(!in_loop(&self->samples[i]) || same(ids_of(1), self->samples[i].ids));

	ASSERT_EQ(0, mprotect(self->record, size, PROT_NONE));
	pev_on(self->fd);
	tagged_loop(ROUNDS, 1);
	pev_off(self->fd);
	collect(_metadata, self);
	for (unsigned int i = 0; i < self->nr; i++) {
		loops += in_loop(&self->samples[i]);
		EXPECT_TRUE(same(NONE, self->samples[i].ids));
	}
	EXPECT_LE(ROUNDS * PMU_ROUND / PERIOD - 1, loops);
#if defined(__x86_64__)
	/* that the first count could have been another one */
	EXPECT_LE(loops, pev_read(faults).value);
#endif
	close(faults);
}

struct storm {
	void *page;
	volatile bool stop;
	unsigned long turns;
};

static void *take_away_and_back(void *arg)
{
	struct storm *s = arg;
	const long size = sysconf(_SC_PAGESIZE);

	while (!s->stop) {
		mprotect(s->page, size, PROT_NONE);
		mprotect(s->page, size, PROT_READ | PROT_WRITE);
		s->turns++;
	}
	return NULL;
}

/* Another thread takes the page away and gives it back: a sample has the request or none. */
TEST_F(context, of_memory_that_goes)
{
	struct storm storm = { .page = self->record };
	unsigned int whole = 0, none = 0;
	pthread_t thread;

	*self->record = request(9);
	self->pointer = self->record;
	ASSERT_EQ(0, pthread_create(&thread, NULL, take_away_and_back, &storm));
	/* until it had both, which takes some turns of the scheduler's on one CPU */
	for (unsigned int i = 0; i < 20 || (i < 5000 && (!whole || !none)); i++) {
		pev_on(self->fd);
		tagged_loop(ROUNDS, 9);
		pev_off(self->fd);
		collect(_metadata, self);
		for (unsigned int k = 0; k < self->nr; k++) {
			bool is = same(ids_of(9), self->samples[k].ids);

			ASSERT_TRUE(is || same(NONE, self->samples[k].ids));
			whole += is;
			none += !is;
		}
	}
	storm.stop = true;
	pthread_join(thread, NULL);
	TH_LOG("%u samples with the request, %u without, %lu turns", whole, none, storm.turns);
	EXPECT_LT(0, whole);
	EXPECT_LT(0, none);
}

TEST_HARNESS_MAIN
