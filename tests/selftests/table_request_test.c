// SPDX-License-Identifier: GPL-2.0
/* Tables by the request that the thread says it works for: each has a row, and none has one. */
#include <pthread.h>
#include "table_util.h"
#include "pev_context.h"

/* An address of the program's where nothing is */
#define NOWHERE ((void *)8)

static void work_for(struct self *self, uint8_t n, unsigned int times)
{
	say(self, n);
	calls(1, times);
}

static uint64_t count_for(const struct told *t, struct ids ids)
{
	for (unsigned int i = 0; i < t->nr; i++)
		if (t->rows[i].key[0] == ids.high && t->rows[i].key[1] == ids.low)
			return t->rows[i].row.count;
	return 0;
}

TEST_F(table, by_request)
{
	struct pev_table table = table_by(16, PEV_TABLE_REQUEST, NULL);
	struct told *t = &self->t;
	struct self own = { 0 };
	int fd = open_table(&table), event;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	/* nothing is said yet */
	calls(1, 2);
	ASSERT_EQ(0, attach(&own)) TH_LOG("%s", pev_reason());
	work_for(&own, 1, 3);
	work_for(&own, 2, 5);
	work_for(&own, 1, 4);
	point_at(&own, NULL);
	calls(1, 1);
	point_at(&own, NOWHERE);
	calls(1, 1);
	pev_off(event);
	attach_at(0);
	read_table(fd, table.rows, t);
	EXPECT_EQ(3, t->nr);
	EXPECT_EQ(7, count_for(t, ids_of(1)));
	EXPECT_EQ(5, count_for(t, ids_of(2)));
	EXPECT_EQ(4, count_for(t, NONE));
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(16, t->generated.count);
	EXPECT_EQ(0, t->other.count);
	close(event);
	close(fd);
}

/* Each thread says its own, and more requests than rows are in other. */
TEST_F(table, of_more_requests_than_rows)
{
	struct pev_table table = table_by(4, PEV_TABLE_REQUEST, NULL);
	struct told *t = &self->t;
	struct self own = { 0 };
	int fd, event;

	table.nr_keys = 2;
	table.keys[1].from = PEV_TABLE_TID;
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_calls(ENTER, NULL, fd);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, attach(&own)) TH_LOG("%s", pev_reason());
	pev_on(event);
	for (unsigned int n = 1; n <= 100; n++)
		work_for(&own, n, 2);
	pev_off(event);
	attach_at(0);
	read_table(fd, table.rows, t);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(200, t->generated.count);
	EXPECT_EQ(200, t->counts + t->other.count);
	/* of as many CPUs as the thread was on */
	EXPECT_LE(4, t->nr);
	EXPECT_GE(4 * pev_nr_cpus(), t->nr);
	for (unsigned int i = 0; i < t->nr; i++)
		EXPECT_EQ(syscall(SYS_gettid), t->rows[i].key[2]);
	close(event);
	close(fd);
}

struct worker {
	struct self self;
	uint8_t nr;
	unsigned int times;
	int err;
};

static void *worker(void *arg)
{
	struct worker *w = arg;

	w->err = attach(&w->self);
	work_for(&w->self, w->nr, w->times);
	return NULL;
}

TEST_F(table, by_requests_of_threads)
{
	struct pev_table table = table_by(16, PEV_TABLE_REQUEST, NULL);
	struct worker workers[2] = { { .nr = 11, .times = 30 }, { .nr = 12, .times = 50 } };
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_PROCESS,
		.flags = PEV_F_DISABLED,
		.name = (uintptr_t)ENTER,
		.group_fd = -1,
		.period = 1,
	};
	struct told *t = &self->t;
	pthread_t threads[2];
	int fd = open_table(&table), event;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	attr.channel_fd = fd;
	event = pev_open(&attr);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	for (unsigned int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, worker, &workers[i]));
	for (unsigned int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
		EXPECT_EQ(0, workers[i].err);
	}
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_EQ(2, t->nr);
	EXPECT_EQ(30, count_for(t, ids_of(11)));
	EXPECT_EQ(50, count_for(t, ids_of(12)));
	EXPECT_TRUE(t->balanced);
	close(event);
	close(fd);
}

TEST_HARNESS_MAIN
