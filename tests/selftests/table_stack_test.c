// SPDX-License-Identifier: GPL-2.0
/* Tables by call chains: which are separate rows, what few frames hold, and whose rights count. */
#include <linux/sched.h>
#include "table_util.h"

#ifdef __powerpc__
#define POWER true
#else
#define POWER false
#endif

/* Each has a frame, and none jumps to the next. */
#define FUNCTION __attribute__((noinline, noclone, aligned(512)))
#define FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory")

/* The C library's function has no frame, so that its caller is not seen. */
static FUNCTION void unseen(unsigned int times)
{
	FRAME();
	calls(1, times);
	FRAME();
}

static FUNCTION void by_one(unsigned int times)
{
	FRAME();
	unseen(times);
	FRAME();
}

static FUNCTION void by_other(unsigned int times)
{
	FRAME();
	unseen(times);
	FRAME();
}

static FUNCTION void deep(unsigned int depth)
{
	FRAME();
	if (depth)
		deep(depth - 1);
	else
		unseen(1);
	FRAME();
}

static const uint64_t *chain_at(const struct told *t, uint64_t word)
{
	static const uint64_t none;

	if (word >= t->nr_words || t->words[word] >= t->nr_words - word)
		return &none;
	return t->words + word;
}

static bool passes(const uint64_t *chain, void (*function)(unsigned int))
{
	for (uint64_t i = 1; i <= chain[0]; i++)
		if (chain[i] - (uintptr_t)function < 512)
			return true;
	return false;
}

/* Behind its header and its tid. */
static const uint64_t *first_body(const uint8_t *ring)
{
	const uint8_t *record = ring + sizeof(struct pev_packet);
	uint32_t word;

	memcpy(&word, record, sizeof(word));
	return (const void *)(record + ((word & PEV_ID_EXTENDED) == PEV_ID_EXTENDED ? 16 : 8));
}

/* Nothing is taken away by a call that fails. */
static void fails_without_loss(struct __test_metadata *_metadata, int fd, int cpu)
{
	struct row rows[64];
	struct pev_table_swap swap = {
		.size = sizeof(swap),
		.cpu = cpu,
		.rows = (uintptr_t)rows,
		.nr_rows = 64,
		.nr_words = FRAMES - 1,
	};

	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_TABLE_SWAP, &swap));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(FRAMES, swap.nr_words);
	swap.stacks = 8;
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_TABLE_SWAP, &swap));
	EXPECT_EQ(EFAULT, errno);
}

/* @chain: of the kernel and of the program; @body: of a record of the same occurrence */
static void compare_with_record(struct __test_metadata *_metadata, const uint64_t *body,
				const uint64_t *const *chain)
{
	const uint32_t *nr = (const uint32_t *)body;
	/* the compiler for POWER leaves a frame of pev's own above the table's */
	uint64_t own = chain[0][0] - nr[0];

	ASSERT_LE(own, POWER ? 1 : 0);
	ASSERT_EQ(nr[1], chain[1][0]);
	EXPECT_EQ(0, memcmp(chain[0] + 1 + own, body + 1, nr[0] * 8));
	EXPECT_EQ(0, memcmp(chain[1] + 1, body + 1 + nr[0], nr[1] * 8));
}

/* @body: of the record of what happened last, which was by one */
static void check_row(struct __test_metadata *_metadata, const struct told *t, const struct row *r,
		      const uint64_t *body)
{
	const uint64_t *chain[2] = { chain_at(t, r->key[0]), chain_at(t, r->key[1]) };
	bool one = r->row.count == 8;

	EXPECT_EQ(one ? 8 : 4, r->row.count);
	EXPECT_LT(0, chain[0][0]);
	EXPECT_TRUE(passes(chain[1], one ? by_one : by_other));
	EXPECT_FALSE(passes(chain[1], one ? by_other : by_one));
	if (one)
		compare_with_record(_metadata, body, chain);
}

/* The chains of a row are those that a record of the same occurrence has. */
TEST_F(table, by_stack)
{
	struct pev_table table = table_of_stacks();
	struct told *t = &self->t;
	struct pev_map map;
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_DISABLED,
		.name = (uintptr_t)ENTER,
		.group_fd = -1,
		.period = 1,
		.sample = PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK,
	};
	static void (*volatile order[])(unsigned int) = { by_one, by_other, by_one };
	int cpu, fd, event, record;

	ASSERT_EQ(1, pev_cpus(&cpu, 1));
	ASSERT_EQ(0, pev_pin(cpu));
	attr.channel_fd = pev_open_channel(1 << 20, 1 << 18, 0);
	ASSERT_EQ(0, pev_map_channel(attr.channel_fd, &map));
	record = pev_open(&attr);
	ASSERT_LE(0, record) TH_LOG("%s", pev_reason());
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	/* from one place */
	for (volatile unsigned int i = 0; i < 3; i++) {
		if (i == 2)
			pev_on(record);
		order[i](3 + i);
	}
	pev_off(record);
	pev_off(event);
	fails_without_loss(_metadata, fd, cpu);
	read_table(fd, table.rows, t);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	ASSERT_EQ(2, t->nr);
	EXPECT_EQ(0, t->other.count);
	EXPECT_EQ(t->rows[0].key[0], t->rows[1].key[0]);
	for (unsigned int i = 0; i < 2; i++)
		check_row(_metadata, t, &t->rows[i], first_body(map.rings[cpu].data));
	close(event);
	close(record);
	close(fd);
	pev_unmap_channel(&map);
	close(attr.channel_fd);
}

/* More chains than there is memory for: what is there stays whole. */
TEST_F(table, of_few_frames)
{
	struct pev_table table = table_of_stacks();
	struct told *t = &self->t;
	int cpu, fd, event;

	ASSERT_EQ(1, pev_cpus(&cpu, 1));
	ASSERT_EQ(0, pev_pin(cpu));
	table.rows = 200;
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	/* from one place, whatever the compiler makes of the loop */
	for (volatile unsigned int i = 0; i < 240; i++)
		deep(i % 120);
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(240, t->generated.count);
	EXPECT_LT(0, t->other.count);
	EXPECT_LT(40, t->nr);
	for (unsigned int i = 0; i < t->nr; i++) {
		EXPECT_EQ(2, t->rows[i].row.count);
		EXPECT_TRUE(passes(chain_at(t, t->rows[i].key[1]), deep));
	}
	close(event);
	close(fd);

	/* the limit of frames */
	memset(t, 0, sizeof(*t));
	table.max_stack = 2;
	fd = open_table(&table);
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	deep(50);
	deep(60);
	pev_off(event);
	read_table(fd, table.rows, t);
	ASSERT_EQ(1, t->nr);
	EXPECT_EQ(2, t->rows[0].row.count);
	EXPECT_EQ(2, chain_at(t, t->rows[0].key[1])[0]);
	close(event);
	close(fd);
}

/* No kernel's chain without the right to it; the program's own is no secret. */
TEST_F(table, rights_to_stacks)
{
	struct pev_levels before = pev_get_levels();
	struct pev_child c;

	ASSERT_EQ(0, pev_set_paranoid(2));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
		struct pev_table table = table_of_stacks();
		struct told *t = calloc(1, sizeof(*t));
		volatile char *page;
		int fd, event;

		EXPECT_EQ(0, pev_become(1000, -1));
		fd = open_table(&table);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		attr.channel_fd = fd;
		attr.period = 1;
		event = pev_open(&attr);
		EXPECT_EQ(-EACCES, event);
		EXPECT_NE(NULL, strstr(pev_reason(), "PEV_F_EXCLUDE_KERNEL"));
		attr.flags |= PEV_F_EXCLUDE_KERNEL;
		event = pev_open(&attr);
		EXPECT_LE(0, event) TH_LOG("%s", pev_reason());
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*page = 1;
		close(event);
		read_table(fd, table.rows, t);
		EXPECT_LT(0, t->counts);
		for (unsigned int i = 0; i < t->nr; i++)
			EXPECT_EQ(0, t->rows[i].key[0]);
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	ASSERT_EQ(0, pev_set_levels(before));
}

TEST_HARNESS_MAIN
