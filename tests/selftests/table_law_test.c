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
		/* POWER does not trace those */
		calls(0, 64);
		nanosleep(&ts, NULL);
	}
	return NULL;
}

static const char *const points[] = {
	"raw_syscalls:sys_enter", "raw_syscalls:sys_exit",	"sched:sched_switch",
	"irq:softirq_entry",	  "timer:hrtimer_expire_entry",
};

#define POINTS (sizeof(points) / sizeof(points[0]))
/* ... page faults, and a timer */
#define EVENTS (POINTS + 2)

static void open_events(struct __test_metadata *_metadata, int fd, int *events)
{
	for (unsigned int i = 0; i < EVENTS; i++) {
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
}

static unsigned int enough(void)
{
	return pev_kernel_is_slow() ? 500 : 2500;
}

static void let_count(const int *events)
{
	for (unsigned int i = 0; i < 5000; i++) {
		if (pev_read(events[0]).samples >= enough() && pev_read(events[1]).filtered)
			break;
		usleep(10000);
	}
}

/* Until all that can happen to an update has happened. */
static void read_on(int fd, unsigned int rows, struct told *t)
{
	for (unsigned int readings = 0; readings < 20000; readings++) {
		read_table(fd, rows, t);
		if (readings >= enough() / 25 && t->counts && t->other.count && t->filtered.count)
			break;
	}
}

static struct pev_value sum_of(const int *events)
{
	struct pev_value sum = {};

	for (unsigned int i = 0; i < EVENTS; i++) {
		struct pev_value v = pev_read(events[i]);

		sum.samples += v.samples;
		sum.lost += v.lost;
		sum.filtered += v.filtered;
		close(events[i]);
	}
	return sum;
}

static void check(struct __test_metadata *_metadata, const struct told *t,
		  const struct pev_value *sum)
{
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
	EXPECT_EQ(sum->samples, t->counts + t->other.count);
	EXPECT_EQ(sum->lost, t->lost.count);
	EXPECT_EQ(sum->filtered, t->filtered.count);
}

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
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct pev_value sum;
	int fd, events[EVENTS];
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
	open_events(_metadata, fd, events);
	flooding = true;
	for (unsigned long i = 0; i < cpus; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, flood, (void *)i));
	for (unsigned int i = 0; i < EVENTS; i++)
		pev_on(events[i]);
	if (reading)
		read_on(fd, table.rows, t);
	else
		let_count(events);
	for (unsigned int i = 0; i < EVENTS; i++)
		pev_off(events[i]);
	flooding = false;
	for (unsigned long i = 0; i < cpus; i++)
		pthread_join(threads[i], NULL);
	read_table(fd, table.rows, t);
	sum = sum_of(events);
	check(_metadata, t, &sum);
	close(fd);
}

TEST_F_TIMEOUT(table, law_while_it_is_read, 300)
{
	law(_metadata, &self->t, true, false);
}

TEST_F_TIMEOUT(table, law_without_a_reader, 300)
{
	law(_metadata, &self->t, false, false);
}

TEST_F_TIMEOUT(table, law_of_stacks, 300)
{
	law(_metadata, &self->t, true, true);
}

TEST_HARNESS_MAIN
