// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that a tracepoint and the interrupts of a counter update at once: these are NMIs where
 * the machine has some, and hit the middle of updates, as samples with addresses show. What
 * both did is told exactly, whatever the rows are made of.
 */
#include <linux/sched.h>
#include "table_util.h"
#include "pmu_util.h"

/* A prime, so that it hits all places of a loop in turn */
#define PERIOD 4999
#define CALLS 20000

/* ---- names of the kernel's functions ---- */

struct symbol {
	uint64_t at;
	bool update;
};

static struct symbol *symbols;
static size_t nr_symbols;

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Is it a function that changes rows, or calls what does in its middle? */
static bool is_update(const char *name)
{
	return !strncmp(name, "pev_rows_", 9) || !strncmp(name, "pev_pairs_", 10);
}

static void read_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	size_t room = 0;
	char line[512], name[256], type;
	unsigned long long at;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c %255s", &at, &type, name) != 3 || !strchr("tTwW", type))
			continue;
		if (nr_symbols == room) {
			room = room ? 2 * room : 65536;
			symbols = realloc(symbols, room * sizeof(*symbols));
		}
		symbols[nr_symbols++] = (struct symbol){ at, is_update(name) };
	}
	if (f)
		fclose(f);
	qsort(symbols, nr_symbols, sizeof(*symbols), by_address);
}

static bool hits_update(uint64_t ip)
{
	size_t low = 0, high = nr_symbols;

	while (low + 1 < high) {
		size_t middle = (low + high) / 2;

		if (symbols[middle].at <= ip)
			low = middle;
		else
			high = middle;
	}
	return low < nr_symbols && symbols[low].at <= ip && symbols[low].update;
}

/* ---- the test ---- */

/* A table with both, and a counter beside them that tells where it overflows. */
struct both {
	int fd;
	int begins; /* of a table with pairs; -1: there are none */
	int calls;
	int counter;
	int channel;
	int places;
	struct pev_map map;
	uint64_t hits;
	uint64_t places_seen;
};

static int open_sampler(int fd, uint64_t sample)
{
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, 0, fd, PERIOD);

	attr.sample = sample;
	return pev_open(&attr);
}

static void open_both(struct __test_metadata *_metadata, struct both *b,
		      const struct pev_table *table)
{
	*b = (struct both){ .begins = -1 };
	b->fd = open_table(table);
	ASSERT_LE(0, b->fd) TH_LOG("%s", pev_reason());
	if (table->open) {
		struct pev_attr attr = {
			.type = PEV_TYPE_TRACEPOINT,
			.target = PEV_TARGET_TASK,
			.flags = PEV_F_DISABLED | PEV_F_BEGIN,
			.name = (uintptr_t)ENTER,
			.channel_fd = b->fd,
			.group_fd = -1,
			.period = 1,
		};

		b->begins = pev_open(&attr);
		ASSERT_LE(0, b->begins) TH_LOG("%s", pev_reason());
	}
	b->calls = open_calls(table->open ? EXIT : ENTER, NULL, b->fd);
	ASSERT_LE(0, b->calls) TH_LOG("%s", pev_reason());
	b->counter = open_sampler(b->fd, 0);
	ASSERT_LE(0, b->counter) TH_LOG("%s", pev_reason());
	b->channel = pev_open_channel(1 << 20, 0, 0);
	ASSERT_LE(0, b->channel);
	b->places = open_sampler(b->channel, PEV_SAMPLE_TID | PEV_SAMPLE_IP);
	ASSERT_LE(0, b->places) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(b->channel, &b->map));
}

static void close_both(struct both *b)
{
	pev_unmap_channel(&b->map);
	close(b->places);
	close(b->channel);
	close(b->counter);
	close(b->calls);
	if (b->begins >= 0)
		close(b->begins);
	close(b->fd);
}

static int see_places(struct both *b)
{
	const int sizes[] = { 8 };
	struct pev_record record;
	int ret;

	for (unsigned int cpu = 0; cpu < b->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&b->map, cpu, sizes, 1);

		while ((ret = pev_walk_next(&walk, &record)) > 0) {
			uint64_t ip;

			memcpy(&ip, record.payload, sizeof(ip));
			b->places_seen++;
			b->hits += hits_update(ip);
		}
		if (ret)
			return ret;
		pev_walk_release(&walk);
	}
	return 0;
}

/* Calls while the counter overflows, and the table is read now and then. */
static void run_both(struct __test_metadata *_metadata, struct both *b, struct told *t)
{
	uint64_t samples;

	pev_on(b->places);
	pev_on(b->counter);
	pev_on(b->calls);
	if (b->begins >= 0)
		pev_on(b->begins);
	for (unsigned int i = 0; i < CALLS; i += 100) {
		calls(i % 7, 100);
		if (i % 1000)
			continue;
		read_table(b->fd, MAX_ROWS, t);
		ASSERT_EQ(0, see_places(b));
	}
	if (b->begins >= 0)
		pev_off(b->begins);
	pev_off(b->calls);
	pev_off(b->counter);
	pev_off(b->places);
	read_table(b->fd, MAX_ROWS, t);
	ASSERT_EQ(0, see_places(b));
	samples = pev_read(b->counter).samples;
	TH_LOG("%llu samples, %llu of %llu hit an update", (unsigned long long)samples,
	       (unsigned long long)b->hits, (unsigned long long)b->places_seen);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	EXPECT_LT(100, samples);
	EXPECT_EQ(CALLS, pev_read(b->calls).samples + pev_read(b->calls).lost);
	EXPECT_EQ(CALLS + samples + pev_read(b->counter).lost, t->generated.count);
#if defined(__x86_64__)
	/*
	 * where each instruction is counted as it is run, the places are those of the loop; POWER's
	 * interrupts wait until they are allowed again, and seldom hit an update
	 */
	if (pmu_is_exact() && nr_symbols)
		EXPECT_LT(0, b->hits);
#endif
}

FIXTURE(both)
{
	struct told t;
};

FIXTURE_SETUP(both)
{
	PEV_NEEDS_ROOT(return );
	memset(&self->t, 0, sizeof(self->t));
	self->t.balanced = true;
	read_symbols();
}

FIXTURE_TEARDOWN(both)
{
	free(symbols);
	symbols = NULL;
	nr_symbols = 0;
}

/* Two rows for two events, each as often as it says itself. */
TEST_F(both, by_event)
{
	struct pev_table table = table_by(4, PEV_TABLE_EVENT, NULL);
	struct told *t = &self->t;
	struct both b;

	PMU_SKIP_WITHOUT(SKIP);
	table.value = PEV_TABLE_PERIOD;
	open_both(_metadata, &b, &table);
	run_both(_metadata, &b, t);
	EXPECT_EQ(2, t->nr);
	EXPECT_EQ(CALLS, count_of(t, pev_event_id(b.calls)));
	EXPECT_EQ(pev_read(b.counter).samples, count_of(t, pev_event_id(b.counter)));
	/* samples that come late stand for more: all that was counted up to the last of them */
	EXPECT_LE(CALLS + PERIOD * pev_read(b.counter).samples, t->generated.sum);
	EXPECT_GE(CALLS + pev_read(b.counter).value, t->generated.sum);
	close_both(&b);
}

/* New rows all the time, in a table that has too few: NMIs take them from calls, and calls theirs. */
TEST_F(both, with_new_rows)
{
	struct pev_table table = table_by(8, PEV_TABLE_SYSCALL, NULL);
	struct told *t = &self->t;
	struct both b;

	PMU_SKIP_WITHOUT(SKIP);
	table.nr_keys = 2;
	table.keys[1].from = PEV_TABLE_EVENT;
	table.flags = PEV_TABLE_F_TIMES;
	open_both(_metadata, &b, &table);
	run_both(_metadata, &b, t);
	EXPECT_LT(1, t->nr);
	EXPECT_EQ(t->generated.count, t->counts + t->other.count + t->lost.count);
	close_both(&b);
}

/* Call chains are put into the memory of chains by an NMI, while a call is at it. */
TEST_F(both, by_stack)
{
	struct pev_table table = table_of_stacks();
	struct told *t = &self->t;
	struct both b;

	PMU_SKIP_WITHOUT(SKIP);
	open_both(_metadata, &b, &table);
	run_both(_metadata, &b, t);
	EXPECT_EQ(t->generated.count, t->counts + t->other.count + t->lost.count);
	close_both(&b);
}

/* The counter's interrupts end pairs that calls begin, sometimes while these do it. */
TEST_F(both, of_pairs)
{
	struct pev_table table = table_by(64, PEV_TABLE_LATENCY, NULL);
	struct told *t = &self->t;
	struct both b;

	PMU_SKIP_WITHOUT(SKIP);
	table.keys[0].bucket = PEV_TABLE_LOG2;
	table.value = PEV_TABLE_OF_LATENCY;
	table.open = PEV_MIN_TABLE_OPEN;
	table.nr_pair = 1;
	table.begin[0].from = PEV_TABLE_TID;
	table.end[0].from = PEV_TABLE_TID;
	open_both(_metadata, &b, &table);
	run_both(_metadata, &b, t);
	EXPECT_EQ(CALLS, t->begun);
	EXPECT_EQ(t->begun, t->counts + t->other.count + t->replaced + t->dropped + t->open);
	EXPECT_LT(0, t->unmatched.count);
	close_both(&b);
}

TEST_HARNESS_MAIN
