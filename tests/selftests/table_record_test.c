// SPDX-License-Identifier: GPL-2.0
/*
 * Records of pairs that took long, and keys of what began a pair: rows have all pairs, records
 * those that took the least time or more, and both tell the same of them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "table_util.h"

#define BEGIN "syscalls:sys_enter_getsid"
#define END "syscalls:sys_enter_getpgid"
#define IDS 64
/* Events that a channel may have here */
#define MAX_IDS 8

/* Latencies in powers of two, of pairs by a field that both events have. */
static struct pev_table pairs_by_id(uint64_t least, int channel)
{
	struct pev_table table = table_by(MAX_ROWS, PEV_TABLE_LATENCY, NULL);

	table.keys[0].bucket = PEV_TABLE_LOG2;
	table.value = PEV_TABLE_OF_LATENCY;
	table.open = 1024;
	table.nr_pair = 1;
	table.begin[0].from = PEV_TABLE_FIELD;
	strcpy(table.begin[0].name, "pid");
	table.end[0] = table.begin[0];
	table.least = least;
	if (channel >= 0) {
		table.flags = PEV_TABLE_F_RECORDS;
		table.channel_fd = channel;
	}
	return table;
}

/* A channel with its rings, a table with records in it, and both events. */
struct pair {
	int channel;
	int fd;
	int begin;
	int end;
	struct pev_map map;
	int sizes[MAX_IDS];
	struct pev_id id;
};

static int open_pair(struct pair *p, struct pev_table *table, uint64_t ring, uint32_t target,
		     uint64_t sample)
{
	memset(p, 0, sizeof(*p));
	p->channel = pev_open_channel(ring, PEV_MIN_PACKET, 0);
	if (p->channel < 0)
		return p->channel;
	table->flags |= PEV_TABLE_F_RECORDS;
	table->channel_fd = p->channel;
	p->fd = open_table(table);
	if (p->fd < 0)
		return p->fd;
	p->begin = open_point(BEGIN, p->fd, target, PEV_F_BEGIN, 0);
	p->end = open_point(END, p->fd, target, 0, sample);
	if (p->begin < 0 || p->end < 0)
		return p->begin < 0 ? p->begin : p->end;
	p->id.size = sizeof(p->id);
	if (ioctl(p->end, PEV_IOC_ID, &p->id) || p->id.id >= MAX_IDS)
		return -EPROTO;
	p->sizes[p->id.id] = p->id.fixed_size - 4 + p->id.payload_size;
	return pev_map_channel(p->channel, &p->map);
}

static void close_pair(struct pair *p)
{
	pev_unmap_channel(&p->map);
	close(p->begin);
	close(p->end);
	close(p->fd);
	close(p->channel);
}

/* What its records told. */
struct seen {
	uint64_t count;
	uint64_t sum; /* of latencies */
	uint64_t least;
	uint64_t wrong; /* of another thread than wanted, if one is */
	uint32_t tid;
	uint64_t first[8]; /* words of the first record, from the context on */
};

/* All that there is in the rings. Returns -1 if one is damaged. */
static int see(struct pair *p, struct seen *seen)
{
	struct pev_record record;
	int ret;

	for (unsigned int cpu = 0; cpu < p->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&p->map, cpu, p->sizes, MAX_IDS);

		while ((ret = pev_walk_next(&walk, &record)) > 0) {
			uint64_t words[8];
			size_t size = p->sizes[record.id];

			memcpy(words, record.payload, size < sizeof(words) ? size : sizeof(words));
			if (!seen->count++ || words[0] < seen->least)
				seen->least = words[0];
			if (seen->count == 1)
				memcpy(seen->first, words, sizeof(words));
			seen->sum += words[0];
			seen->wrong += seen->tid && record.tid != seen->tid;
		}
		if (ret < 0)
			return -1;
		pev_walk_release(&walk);
	}
	return 0;
}

static void begin(unsigned int id)
{
	syscall(SYS_getsid, id);
}

static void end(unsigned int id)
{
	syscall(SYS_getpgid, id);
}

/* One long pair of four: it alone has a record, with its latency and the fields of its end. */
TEST_F(table, records_of_long_pairs)
{
	struct pev_table table = pairs_by_id(200000000, -1);
	struct seen seen = { .tid = syscall(SYS_gettid) };
	struct told *t = &self->t;
	struct pair p;

	ASSERT_EQ(0,
		  open_pair(&p, &table, 1 << 16, PEV_TARGET_TASK, PEV_SAMPLE_TID | PEV_SAMPLE_PAIR))
	TH_LOG("%s", pev_reason());
	pev_on(p.begin);
	pev_on(p.end);
	for (unsigned int id = 1; id <= 3; id++) {
		begin(id);
		end(id);
	}
	begin(77);
	pev_spin(250000000);
	end(77);
	end(78);
	pev_off(p.begin);
	pev_off(p.end);
	read_table(p.fd, MAX_ROWS, t);
	ASSERT_EQ(0, see(&p, &seen));
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(4, t->counts);
	EXPECT_EQ(1, t->unmatched.count);
	EXPECT_EQ(t->recorded, seen.count);
	EXPECT_EQ(0, t->unrecorded);
	EXPECT_EQ(0, seen.wrong);
	/* a machine that stood still has made one of the others long */
	EXPECT_LE(1, seen.count);
	EXPECT_GE(4, seen.count);
	EXPECT_LE(200000000, seen.least);
	/* the latency, the number of the call, its argument */
	EXPECT_EQ(8 + 16, p.sizes[p.id.id]);
	if (seen.count == 1) {
		const struct row *row = find_row(t, 64 - __builtin_clzll(seen.sum));

		EXPECT_EQ(77, seen.first[2]);
		ASSERT_NE(NULL, row);
		EXPECT_EQ(seen.sum, row->row.max);
	}
	close_pair(&p);
}

/* ---- the law ---- */

static atomic_bool flooding;

static void *flood(void *arg)
{
	pev_pin((long)arg);
	while (flooding)
		for (unsigned int i = 0; i < IDS; i++) {
			begin(i);
			end((i * 7 + (unsigned long)arg) % IDS);
		}
	return NULL;
}

static int start_flood(pthread_t *threads, int *cpus, int nr)
{
	int err = 0;

	flooding = true;
	for (int i = 0; i < nr && !err; i++)
		err = pthread_create(&threads[i], NULL, flood, (void *)(long)cpus[i]);
	return err;
}

static void stop_flood(pthread_t *threads, int nr)
{
	flooding = false;
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

/* Counts and sums of the rows whose latencies are not less than 2^@power. */
static struct pev_table_sum from_power(const struct told *t, unsigned int power)
{
	struct pev_table_sum sum = {};

	for (unsigned int i = 0; i < t->nr; i++)
		if (t->rows[i].key[0] > power)
			add_sum(&sum, &(struct pev_table_sum){ t->rows[i].row.count,
							       t->rows[i].row.sum });
	return sum;
}

/* A power of two that about half of the pairs reach, as fast as the machine is. */
static unsigned int middle_power(struct told *t)
{
	struct pev_table table = pairs_by_id(0, -1);
	int fd = open_table(&table);
	int ends = open_point(END, fd, PEV_TARGET_TASK, 0, 0);
	int begins = open_point(BEGIN, fd, PEV_TARGET_TASK, PEV_F_BEGIN, 0);
	unsigned int power = 63;

	pev_on(begins);
	pev_on(ends);
	for (unsigned int n = 0; n < 20; n++)
		for (unsigned int i = 0; i < IDS; i++) {
			begin(i);
			end(i * 7 % IDS);
		}
	close(begins);
	close(ends);
	read_table(fd, MAX_ROWS, t);
	close(fd);
	while (power && from_power(t, power).count < t->counts / 2)
		power--;
	return power;
}

static bool pairs_add_up(const struct told *t)
{
	return t->balanced &&
	       t->begun == t->counts + t->other.count + t->replaced + t->dropped + t->open;
}

/* Pairs on all CPUs, of which half are recorded, while both the rows and the rings are read. */
TEST_F(table, law_of_records)
{
	struct told *t = &self->t, first = { .balanced = true };
	unsigned int power = middle_power(&first);
	struct pev_table table = pairs_by_id(1ULL << power, -1);
	int cpus[8], nr = pev_cpus(cpus, 8);
	struct seen seen = {};
	struct pev_table_sum rows;
	pthread_t threads[8];
	struct pair p;

	ASSERT_EQ(0,
		  open_pair(&p, &table, 1 << 20, PEV_TARGET_CPUS, PEV_SAMPLE_TID | PEV_SAMPLE_PAIR))
	TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, start_flood(threads, cpus, nr));
	pev_on(p.begin);
	pev_on(p.end);
	for (unsigned int i = 0; i < 20000 && (i < 50 || t->recorded < 500); i++) {
		read_table(p.fd, MAX_ROWS, t);
		ASSERT_EQ(0, see(&p, &seen));
	}
	pev_off(p.begin);
	pev_off(p.end);
	stop_flood(threads, nr);
	read_table(p.fd, MAX_ROWS, t);
	ASSERT_EQ(0, see(&p, &seen));
	rows = from_power(t, power);
	TH_LOG("%llu pairs, %llu of 2^%u ns and more: %llu recorded, %llu not",
	       (unsigned long long)t->counts, (unsigned long long)rows.count, power,
	       (unsigned long long)t->recorded, (unsigned long long)t->unrecorded);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(pairs_add_up(t));
	EXPECT_EQ(0, t->other.count);
	EXPECT_EQ(rows.count, t->recorded + t->unrecorded);
	EXPECT_EQ(t->recorded, seen.count);
	if (!t->unrecorded)
		EXPECT_EQ(rows.sum, seen.sum);
	EXPECT_LT(rows.count, t->counts);
	EXPECT_LE(1ULL << power, seen.least);
	close_pair(&p);
}

/* The rings are not read: what finds no room is counted, and the rows have it. */
TEST_F(table, records_without_room)
{
	struct pev_table table = pairs_by_id(0, -1);
	struct seen seen = {};
	struct told *t = &self->t;
	struct pair p;

	ASSERT_EQ(0, open_pair(&p, &table, 2 * PEV_MIN_PACKET, PEV_TARGET_TASK,
			       PEV_SAMPLE_TID | PEV_SAMPLE_PAIR))
	TH_LOG("%s", pev_reason());
	pev_pin(sched_getcpu());
	pev_on(p.begin);
	pev_on(p.end);
	for (unsigned int i = 0; i < 1000; i++) {
		begin(1);
		end(1);
	}
	pev_off(p.begin);
	pev_off(p.end);
	read_table(p.fd, MAX_ROWS, t);
	ASSERT_EQ(0, see(&p, &seen));
	EXPECT_EQ(1000, t->counts);
	EXPECT_EQ(1000, t->recorded + t->unrecorded);
	EXPECT_LT(0, t->unrecorded);
	EXPECT_LT(0, t->recorded);
	EXPECT_EQ(t->recorded, seen.count);
	close_pair(&p);
}

/* ---- keys of the begin ---- */

/* Rows by the argument of the call that began, which its end does not have. */
TEST_F(table, keys_of_begins)
{
	struct pev_table table = table_by(MAX_ROWS, PEV_TABLE_FIELD | PEV_TABLE_AT_BEGIN, "pid");
	struct told *t = &self->t;
	char comm[16] = "";
	struct pev_attr late;
	int fd, events[2];

	table.keys[0].bucket = PEV_TABLE_LINEAR;
	table.keys[0].step = 10;
	table.keys[1].from = PEV_TABLE_COMM | PEV_TABLE_AT_BEGIN;
	table.keys[2].from = PEV_TABLE_TID;
	table.nr_keys = 3;
	table.value = PEV_TABLE_OF_LATENCY;
	table.open = 64;
	table.nr_pair = 1;
	table.begin[0].from = PEV_TABLE_TID;
	table.end[0].from = PEV_TABLE_TID;
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	REFUSED(EINVAL, open_point(EXIT, fd, PEV_TARGET_TASK, 0, 0), "open that event before");
	/* ... and be let in */
	late = calls_attr(ENTER, NULL, fd);
	late.flags |= PEV_F_BEGIN;
	late.group_fd = fd;
	REFUSED(EINVAL, pev_open(&late), "is not a pev event");
	REFUSED(EINVAL, open_point(EXIT, fd, PEV_TARGET_TASK, 0, 0), "open that event before");
	events[0] = open_point(ENTER, fd, PEV_TARGET_TASK, PEV_F_BEGIN, 0);
	ASSERT_LE(0, events[0]) TH_LOG("%s", pev_reason());
	events[1] = open_point(EXIT, fd, PEV_TARGET_TASK, 0, 0);
	ASSERT_LE(0, events[1]) TH_LOG("%s", pev_reason());
	prctl(PR_GET_NAME, comm);
	pev_on(events[1]);
	pev_on(events[0]);
	for (unsigned int i = 0; i < 50; i++)
		begin(1U << 29 | i);
	pev_off(events[0]);
	pev_off(events[1]);
	read_table(fd, MAX_ROWS, t);
	EXPECT_TRUE(pairs_add_up(t));
	EXPECT_EQ(50, t->counts);
	/* 2^29 is 2 more than a multiple of 10 */
	EXPECT_EQ(6, t->nr);
	EXPECT_EQ(8, count_of(t, (1U << 29) / 10));
	EXPECT_EQ(10, count_of(t, (1U << 29) / 10 + 1));
	EXPECT_EQ(0, memcmp(&t->rows[0].key[1], comm, sizeof(comm)));
	EXPECT_EQ((uint64_t)syscall(SYS_gettid), t->rows[0].key[3]);
	close(events[0]);
	close(events[1]);
	close(fd);
}

/* The thread that ends a pair is another one than the one that began it. */
static void *end_elsewhere(void *arg)
{
	prctl(PR_SET_NAME, "ends-it");
	end((unsigned long)arg);
	return NULL;
}

TEST_F(table, records_of_begins)
{
	struct pev_table table = pairs_by_id(0, -1);
	struct seen seen = {};
	struct told *t = &self->t;
	char comm[16] = "", *text;
	pthread_t thread;
	struct pair p;

	table.nr_keys = 4;
	table.keys[1].from = PEV_TABLE_COMM | PEV_TABLE_AT_BEGIN;
	table.keys[2].from = PEV_TABLE_TID | PEV_TABLE_AT_BEGIN;
	table.keys[3].from = PEV_TABLE_FIELD | PEV_TABLE_AT_BEGIN;
	table.keys[3].bucket = PEV_TABLE_LOG2;
	strcpy(table.keys[3].name, "pid");
	ASSERT_EQ(0, open_pair(&p, &table, 1 << 16, PEV_TARGET_PROCESS,
			       PEV_SAMPLE_TID | PEV_SAMPLE_PAIR))
	TH_LOG("%s", pev_reason());
	prctl(PR_GET_NAME, comm);
	pev_on(p.begin);
	pev_on(p.end);
	begin(300);
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_elsewhere, (void *)300));
	pthread_join(thread, NULL);
	pev_off(p.begin);
	pev_off(p.end);
	read_table(p.fd, MAX_ROWS, t);
	ASSERT_EQ(0, see(&p, &seen));
	ASSERT_EQ(1, t->nr);
	ASSERT_EQ(1, seen.count);
	/* in rows 300 is one of 256 to 511, in the record it is itself */
	EXPECT_EQ(9, t->rows[0].key[4]);
	EXPECT_EQ(t->rows[0].row.sum, seen.first[0]);
	EXPECT_EQ(0, memcmp(&seen.first[1], comm, sizeof(comm)));
	EXPECT_EQ((uint64_t)syscall(SYS_gettid), seen.first[3]);
	EXPECT_EQ(300, seen.first[4]);
	text = pev_read_text(p.channel);
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "\t\tuint64_t latency;\n\t\ttext_t begin_comm[16];\n"
				     "\t\tuint64_t begin_tid;\n\t\t"));
	EXPECT_NE(NULL, strstr(text, " begin_pid;\n\t};\n"));
	free(text);
	close_pair(&p);
}

/* What records have beside: a pair's words come behind all that is of fixed size. */
TEST_F(table, records_with_samples)
{
	const uint64_t sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID | PEV_SAMPLE_CPU |
				PEV_SAMPLE_KSTACK;
	struct pev_table table = pairs_by_id(0, -1);
	const uint64_t *words;
	struct pev_record record;
	struct pev_walk walk;
	struct pair p;

	ASSERT_EQ(0, open_pair(&p, &table, 1 << 16, PEV_TARGET_TASK, sample | PEV_SAMPLE_PAIR))
	TH_LOG("%s", pev_reason());
	EXPECT_EQ((uint64_t)PEV_SAMPLE_KSTACK, p.id.varying);
	EXPECT_EQ(4 + 8 + 8 + 8, p.id.fixed_size);
	pev_pin(sched_getcpu());
	pev_on(p.begin);
	pev_on(p.end);
	begin(5);
	end(5);
	pev_off(p.begin);
	pev_off(p.end);
	/* the walk looks at the first record alone */
	walk = pev_walk_begin(&p.map, sched_getcpu(), p.sizes, MAX_IDS);
	ASSERT_EQ(1, pev_walk_next(&walk, &record));
	words = (const void *)record.payload;
	EXPECT_EQ((uint32_t)getpid(), *(const uint32_t *)words);
	EXPECT_EQ((uint64_t)sched_getcpu(), words[1]);
	EXPECT_LT(0, words[2]);
	/* frames of the kernel's, none of the program's */
	EXPECT_LT(0, (uint32_t)words[3]);
	EXPECT_EQ(0, words[3] >> 32);
	words += 4 + (uint32_t)words[3];
	EXPECT_EQ(5, words[1]);
	close_pair(&p);
}

/* ---- what is refused ---- */

TEST_F(table, refusals_of_records)
{
	int channel = pev_open_channel(1 << 16, 0, 0), fd;
	const struct pev_table good = pairs_by_id(1000, channel);
	struct pev_table bad;
	ASSERT_LE(0, channel);
	BAD("least and channel_fd", bad.flags = 0);
	BAD("reserved of the table", bad.reserved = 1);
	BAD("needs pairs", {
		bad = table_by(16, PEV_TABLE_PID, NULL);
		bad.flags = PEV_TABLE_F_RECORDS;
	});
	BAD("without call chains", {
		bad.keys[1].from = PEV_TABLE_KSTACK;
		bad.nr_keys = 2;
		bad.frames = FRAMES;
	});
	BAD("PEV_TABLE_AT_BEGIN is for", bad.keys[0].from |= PEV_TABLE_AT_BEGIN);
	BAD("PEV_TABLE_AT_BEGIN is for",
	    { bad = table_by(16, PEV_TABLE_PID | PEV_TABLE_AT_BEGIN, NULL); });
	BAD("a task, CPU, cgroup or field", bad.end[0].from |= PEV_TABLE_AT_BEGIN);
	bad = good;
	bad.channel_fd = -1;
	REFUSED(EBADF, open_table(&bad), "is not a pev channel");
	bad.channel_fd = open("/dev/null", O_RDONLY);
	REFUSED(EINVAL, open_table(&bad), "is not a pev channel");
	close(bad.channel_fd);
	/* two keys of one name */
	bad = good;
	bad.nr_keys = 2;
	bad.keys[0] = (struct pev_table_key){ .from = PEV_TABLE_PID | PEV_TABLE_AT_BEGIN };
	bad.keys[1].from = PEV_TABLE_FIELD | PEV_TABLE_AT_BEGIN;
	strcpy(bad.keys[1].name, "pid");
	fd = open_table(&bad);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	REFUSED(EINVAL, open_point(END, fd, PEV_TARGET_TASK, PEV_F_BEGIN, PEV_SAMPLE_TID),
		"no records to put samples in");
	EXPECT_LE(0, open_point(BEGIN, fd, PEV_TARGET_TASK, PEV_F_BEGIN, 0))
	TH_LOG("%s", pev_reason());
	REFUSED(EINVAL, open_point(END, fd, PEV_TARGET_TASK, 0, PEV_SAMPLE_PAIR), "begin_pid");
	EXPECT_LE(0, open_point(END, fd, PEV_TARGET_TASK, 0, PEV_SAMPLE_TID))
	TH_LOG("%s", pev_reason());
	close(fd);
	/* of other events */
	REFUSED(EINVAL, open_point(END, channel, PEV_TARGET_TASK, 0, PEV_SAMPLE_PAIR),
		"PEV_SAMPLE_PAIR is for");
	close(channel);
}

/* The channel is closed first: events go on, and what they write has no reader. */
TEST_F(table, records_without_channel)
{
	struct pev_table table = pairs_by_id(0, -1);
	struct told *t = &self->t;
	struct pair p;

	ASSERT_EQ(0, open_pair(&p, &table, 1 << 16, PEV_TARGET_TASK, PEV_SAMPLE_TID))
	TH_LOG("%s", pev_reason());
	pev_unmap_channel(&p.map);
	close(p.channel);
	p.channel = -1;
	pev_on(p.begin);
	pev_on(p.end);
	begin(1);
	end(1);
	read_table(p.fd, MAX_ROWS, t);
	EXPECT_EQ(1, t->counts);
	EXPECT_EQ(1, t->recorded);
	/* the table is closed before its events */
	close(p.fd);
	begin(1);
	end(1);
	p.fd = -1;
	close_pair(&p);
}

TEST_HARNESS_MAIN
