// SPDX-License-Identifier: GPL-2.0
/*
 * The law of tables: what came is in a row, in the other row, lost or filtered, for the count
 * and for the sum, whatever interrupts what.
 */
#include <linux/sched.h>
#include <pthread.h>
#include "table_util.h"

static volatile bool flooding;

static void *flood(void *arg)
{
	struct timespec ts = { .tv_nsec = 50000 };

	pev_pin((int)(long)arg);
	while (flooding) {
		pev_fault_pages();
		/* of numbers that no call has: more keys than rows */
		for (long i = 0; i < 64; i++)
			syscall(1000 + i);
		nanosleep(&ts, NULL);
	}
	return NULL;
}

static const char *const points[] = {
	"raw_syscalls:sys_enter", "raw_syscalls:sys_exit",	"sched:sched_switch",
	"irq:softirq_entry",	  "timer:hrtimer_expire_entry",
};

#define POINTS (sizeof(points) / sizeof(points[0]))

/*
 * Tasks, softirqs, interrupts and timers on all CPUs update tables that are too small,
 * while they are read all the time or, the second time, never.
 */
static void law(struct __test_metadata *_metadata, struct told *t, bool reading, bool stacks)
{
	struct pev_table table = {
		.size = sizeof(table), .rows = 16, .nr_keys = 3, .value = PEV_TABLE_PERIOD,
		.keys = {
			{ .from = PEV_TABLE_EVENT }, { .from = PEV_TABLE_TID },
			{ .from = PEV_TABLE_SYSCALL },
		},
	};
	struct pev_value sum = {};
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN), readings = 0;
	unsigned int enough = pev_kernel_is_slow() ? 1000 : 5000;
	int fd, events[POINTS + 2];
	pthread_t threads[8];

	if (stacks) {
		table.keys[1].from = PEV_TABLE_KSTACK;
		table.keys[2].from = PEV_TABLE_USTACK;
		table.frames = FRAMES;
	}
	fd = open_table(&table);
	if (cpus > 8)
		cpus = 8;
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < POINTS + 2; i++) {
		struct pev_attr attr = {
			.type = PEV_TYPE_TRACEPOINT,
			.target = PEV_TARGET_CPUS,
			.flags = PEV_F_DISABLED,
			.channel_fd = fd,
			.group_fd = -1,
			.period = 1,
		};

		if (i < POINTS) {
			attr.name = (uintptr_t)points[i];
		} else if (i == POINTS) {
			attr.type = PEV_TYPE_SOFTWARE;
			attr.config = PEV_SW_PAGE_FAULTS;
		} else {
			attr.type = PEV_TYPE_TIMER;
			attr.period = 200000;
		}
		if (i == 1)
			attr.filter = (uintptr_t) "ret < 0";
		events[i] = pev_open(&attr);
		ASSERT_LE(0, events[i]) TH_LOG("%s", pev_reason());
	}
	flooding = true;
	for (unsigned long i = 0; i < cpus; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, flood, (void *)i));
	for (unsigned int i = 0; i < POINTS + 2; i++)
		pev_on(events[i]);
	while (!reading && readings++ < 5000 &&
	       (pev_read(events[0]).samples < enough || !pev_read(events[1]).filtered))
		usleep(10000);
	/* until all that can happen to an update has happened */
	for (; reading && readings < 20000; readings++) {
		read_table(fd, table.rows, t);
		if (readings >= enough / 25 && t->counts && t->other.count && t->filtered.count)
			break;
	}
	for (unsigned int i = 0; i < POINTS + 2; i++)
		pev_off(events[i]);
	flooding = false;
	for (unsigned long i = 0; i < cpus; i++)
		pthread_join(threads[i], NULL);
	read_table(fd, table.rows, t);
	for (unsigned int i = 0; i < POINTS + 2; i++) {
		struct pev_value v = pev_read(events[i]);

		sum.samples += v.samples;
		sum.lost += v.lost;
		sum.filtered += v.filtered;
		close(events[i]);
	}
	TH_LOG("%llu generated = %llu in rows + %llu other + %llu lost + %llu filtered",
	       (unsigned long long)t->generated.count, (unsigned long long)t->counts,
	       (unsigned long long)t->other.count, (unsigned long long)t->lost.count,
	       (unsigned long long)t->filtered.count);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	EXPECT_LT(0, t->counts);
	EXPECT_LT(0, t->other.count);
	EXPECT_LT(0, t->filtered.count);
	/* by those who count for the events, too */
	EXPECT_EQ(sum.samples, t->counts + t->other.count);
	EXPECT_EQ(sum.lost, t->lost.count);
	EXPECT_EQ(sum.filtered, t->filtered.count);
	close(fd);
}

TEST_F(table, law_while_it_is_read)
{
	law(_metadata, &self->t, true, false);
}

TEST_F(table, law_without_a_reader)
{
	law(_metadata, &self->t, false, false);
}

TEST_F(table, law_of_stacks)
{
	law(_metadata, &self->t, true, true);
}

TEST_HARNESS_MAIN
