// SPDX-License-Identifier: GPL-2.0
/*
 * Tables whose values are what events count: all that was counted is in a row, with the key
 * of the task that ran, whatever switches tasks, names and events meanwhile.
 */
#include <linux/sched.h>
#include <pthread.h>
#include "table_util.h"

static struct pev_table counted_by(uint32_t from)
{
	struct pev_table table = table_by(MAX_ROWS, from, NULL);

	table.value = PEV_TABLE_COUNTED;
	return table;
}

/* Of calls that nothing else makes, wherever they are made. */
static int open_counted(int table, uint32_t target)
{
	struct pev_attr attr = pev_attr_calls(target, target == PEV_TARGET_CPUS ? -1 : 0);

	attr.flags = PEV_F_DISABLED;
	attr.channel_fd = table;
	return pev_open(&attr);
}

static uint64_t sum_of(const struct told *t, uint64_t key)
{
	const struct row *row = find_row(t, key);

	return row ? row->row.sum : 0;
}

static uint64_t sum_of_rows(const struct told *t)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < t->nr; i++)
		sum += t->rows[i].row.sum;
	return sum;
}

/* Each process has what it counted, though all share one CPU. */
TEST_F(table, counted_by_process)
{
	struct pev_table table = counted_by(PEV_TABLE_PID);
	struct pev_child children[5];
	struct told *t = &self->t;
	int cpu, fd, event;

	ASSERT_EQ(1, pev_cpus(&cpu, 1));
	ASSERT_EQ(0, pev_pin(cpu));
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	event = open_counted(fd, PEV_TARGET_CPUS);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	for (unsigned int i = 0; i < 5; i++) {
		ASSERT_LE(0, pev_child_start(&children[i]));
		if (children[i].pid)
			continue;
		for (unsigned int round = 0; round < 4; round++) {
			pev_child_wait(&children[i]);
			pev_call(i + 1);
			pev_child_say(&children[i], 0);
		}
		_exit(0);
	}
	for (unsigned int round = 0; round < 4; round++) {
		for (unsigned int i = 0; i < 5; i++)
			pev_child_go(&children[i]);
		for (unsigned int i = 0; i < 5; i++)
			pev_child_hear(&children[i]);
		/* in the middle, too */
		if (round == 1)
			read_table(fd, table.rows, t);
	}
	pev_call(7);
	pev_off(event);
	for (unsigned int i = 0; i < 5; i++)
		EXPECT_EQ(0, pev_child_end(&children[i]));
	read_table(fd, table.rows, t);
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(6, t->nr);
	for (unsigned int i = 0; i < 5; i++)
		EXPECT_EQ(4 * (i + 1), sum_of(t, children[i].pid));
	EXPECT_EQ(7, sum_of(t, getpid()));
	EXPECT_EQ(t->generated.sum, pev_read(event).value);
	EXPECT_EQ(t->counts + t->other.count, pev_read(event).samples);
	EXPECT_EQ(0, pev_event_id(event));
	close(event);
	close(fd);
}

static void *call_twice(void *arg)
{
	pthread_barrier_t *barrier = arg;

	for (unsigned int i = 0; i < 2; i++) {
		pthread_barrier_wait(barrier);
		pev_call(3);
	}
	return (void *)syscall(SYS_gettid);
}

/* Threads that the same events count: a switch between them starts and stops nothing. */
TEST_F(table, counted_by_thread)
{
	struct pev_table table = counted_by(PEV_TABLE_TID);
	struct told *t = &self->t;
	pthread_barrier_t barrier;
	pthread_t thread;
	int cpu, fd, event;
	void *tid;

	ASSERT_EQ(1, pev_cpus(&cpu, 1));
	ASSERT_EQ(0, pev_pin(cpu));
	fd = open_table(&table);
	event = open_counted(fd, PEV_TARGET_PROCESS);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pthread_barrier_init(&barrier, NULL, 2);
	pev_on(event);
	ASSERT_EQ(0, pthread_create(&thread, NULL, call_twice, &barrier));
	for (unsigned int i = 0; i < 2; i++) {
		pthread_barrier_wait(&barrier);
		pev_call(5);
	}
	pthread_join(thread, &tid);
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(2, t->nr);
	EXPECT_EQ(10, sum_of(t, getpid()));
	EXPECT_EQ(6, sum_of(t, (uintptr_t)tid));
	close(event);
	close(fd);
}

static const struct row *row_of_name(const struct told *t, const char *name)
{
	for (unsigned int i = 0; i < t->nr; i++)
		if (!strcmp((const char *)t->rows[i].key, name))
			return &t->rows[i];
	return NULL;
}

/* What came before an exec is that of the old name, without a switch in between. */
TEST_F(table, counted_across_exec)
{
	struct pev_table table = counted_by(PEV_TABLE_COMM);
	struct told *t = &self->t;
	const struct row *row;
	struct pev_child c;
	int fd, event;

	fd = open_table(&table);
	event = open_counted(fd, PEV_TARGET_CPUS);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		prctl(PR_SET_NAME, "before-exec");
		pev_call(11);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_TRUE(t->balanced);
	row = row_of_name(t, "before-exec");
	ASSERT_NE(NULL, row);
	EXPECT_EQ(11, row->row.sum);
	EXPECT_EQ(NULL, row_of_name(t, "true"));
	close(event);
	close(fd);
}

static void rename_by_proc(const char *name)
{
	int fd = open("/proc/self/comm", O_WRONLY);

	if (fd < 0 || write(fd, name, strlen(name)) < 0)
		_exit(2);
	close(fd);
}

/* ... as is what came before a task renamed itself. */
TEST_F(table, counted_across_rename)
{
	struct pev_table table = counted_by(PEV_TABLE_COMM);
	static const char *const names[] = { "first-name", "second-name", "third-name" };
	struct told *t = &self->t;
	struct pev_child c;
	int fd, event;

	fd = open_table(&table);
	event = open_counted(fd, PEV_TARGET_CPUS);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		prctl(PR_SET_NAME, names[0]);
		pev_call(5);
		prctl(PR_SET_NAME, names[1]);
		pev_call(7);
		rename_by_proc(names[2]);
		pev_call(9);
		_exit(0);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_TRUE(t->balanced);
	for (unsigned int i = 0; i < 3; i++) {
		const struct row *row = row_of_name(t, names[i]);

		EXPECT_EQ(5 + 2 * i, row ? row->row.sum : 0) TH_LOG("%s", names[i]);
	}
	EXPECT_EQ(21, t->generated.sum);
	close(event);
	close(fd);
}

/* A reset begins the count again; what was counted stays in the table. */
TEST_F(table, counted_and_reset)
{
	struct pev_table table = counted_by(PEV_TABLE_PID);
	struct told *t = &self->t;
	int fd, event;

	fd = open_table(&table);
	event = open_counted(fd, PEV_TARGET_TASK);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	pev_call(3);
	ASSERT_EQ(0, ioctl(event, PEV_IOC_RESET, 0));
	pev_call(2);
	pev_off(event);
	pev_call(9);
	ASSERT_EQ(0, ioctl(event, PEV_IOC_RESET, 0));
	pev_on(event);
	pev_call(4);
	pev_off(event);
	EXPECT_EQ(4, pev_read(event).value);
	read_table(fd, table.rows, t);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(9, sum_of(t, getpid()));
	EXPECT_EQ(9, t->generated.sum);
	close(event);
	close(fd);
}

/* Who wakes a task counts its move, on a CPU where the event does not run. */
TEST_F(table, counted_elsewhere_and_reset)
{
	struct sched_param most = { .sched_priority = 1 }, none = {};
	struct pev_attr attr = pev_attr_software(PEV_SW_CPU_MIGRATIONS, PEV_TARGET_TASK, 0);
	struct pev_table table = counted_by(PEV_TABLE_PID);
	struct told *t = &self->t;
	int fd, event, cpus[2];
	struct pev_child c;
	cpu_set_t here;

	if (pev_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	fd = open_table(&table);
	ASSERT_EQ(0, pev_pin(cpus[0]));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		pev_child_say(&c, pev_pin(cpus[1]));
		pev_child_wait(&c);
		_exit(0);
	}
	ASSERT_EQ(0, pev_child_hear(&c));
	attr.target_id = c.pid;
	attr.channel_fd = fd;
	event = pev_open(&attr);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_settled(c.pid);
	/* it does not run before this sleeps */
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &most));
	CPU_ZERO(&here);
	CPU_SET(cpus[0], &here);
	EXPECT_EQ(0, sched_setaffinity(c.pid, sizeof(here), &here));
	pev_child_go(&c);
	EXPECT_EQ(1, pev_read(event).value);
	EXPECT_EQ(0, ioctl(event, PEV_IOC_RESET, 0));
	EXPECT_EQ(0, pev_read(event).value);
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_OTHER, &none));
	EXPECT_EQ(0, pev_child_end(&c));
	EXPECT_EQ(0, pev_read(event).value);
	read_table(fd, table.rows, t);
	EXPECT_TRUE(t->balanced);
	EXPECT_EQ(1, sum_of(t, c.pid));
	EXPECT_EQ(1, t->generated.sum);
	close(event);
	close(fd);
}

static volatile bool churning;

/* Short lives, sleeps and faults; @arg is the CPU. */
static void *churn(void *arg)
{
	struct timespec ts = { .tv_nsec = 20000 };

	pev_pin((long)arg);
	while (churning) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
		pev_call(1);
		nanosleep(&ts, NULL);
	}
	return NULL;
}

#define EVENTS 3

/* On an emulator whose host is busy 200 readings, beside all that churns, take minutes. */
#define READ_SECONDS (pev_kernel_is_slow() ? 4 : 10)

static void open_events(struct __test_metadata *_metadata, int fd, int *events)
{
	for (unsigned int i = 0; i < EVENTS; i++) {
		struct pev_attr attr = pev_attr_calls(PEV_TARGET_CPUS, -1);

		if (i)
			attr = pev_attr_software(i == 1 ? PEV_SW_CPU_CLOCK : PEV_SW_PAGE_FAULTS,
						 PEV_TARGET_CPUS, -1);
		attr.flags = PEV_F_DISABLED;
		attr.channel_fd = fd;
		events[i] = pev_open(&attr);
		ASSERT_LE(0, events[i]) TH_LOG("%s", pev_reason());
	}
}

/* Until rows were not enough, and for a while. */
static void read_on(int fd, unsigned int rows, struct told *t)
{
	time_t end = time(NULL) + READ_SECONDS;

	for (unsigned int readings = 0; readings < 1000; readings++) {
		read_table(fd, rows, t);
		if (readings < 200 && time(NULL) < end)
			continue;
		if (t->counts && t->other.count)
			break;
		/* each reading makes rows free, which a fast one does before they are used up */
		usleep(20000);
	}
}

/* Clocks, too: to the ns, with 16 rows and a reader that never stops. */
TEST_F_TIMEOUT(table, law_of_counts, 200)
{
	struct pev_table table = counted_by(PEV_TABLE_PID);
	struct told *t = &self->t;
	int fd, events[EVENTS], cpus[8], nr = pev_cpus(cpus, 8);
	uint64_t values = 0, samples = 0;
	pthread_t threads[8];

	table.rows = 16;
	table.nr_keys = 2;
	table.keys[1].from = PEV_TABLE_EVENT;
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	open_events(_metadata, fd, events);
	churning = true;
	for (int i = 0; i < nr; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, churn, (void *)(long)cpus[i]));
	for (unsigned int i = 0; i < EVENTS; i++)
		pev_on(events[i]);
	read_on(fd, table.rows, t);
	/* one of them is switched all the time */
	for (unsigned int i = 0; i < (pev_kernel_is_slow() ? 4 : 100); i++) {
		pev_off(events[1]);
		pev_on(events[1]);
	}
	for (unsigned int i = 0; i < EVENTS; i++)
		pev_off(events[i]);
	churning = false;
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	read_table(fd, table.rows, t);
	for (unsigned int i = 0; i < EVENTS; i++) {
		struct pev_value v = pev_read(events[i]);

		values += v.value;
		samples += v.samples;
		close(events[i]);
	}
	EXPECT_EQ(0, t->error);
	EXPECT_TRUE(t->balanced);
	EXPECT_LT(0, t->other.count);
	EXPECT_EQ(values, t->generated.sum);
	EXPECT_EQ(samples, t->generated.count);
	EXPECT_EQ(samples, t->counts + t->other.count);
	EXPECT_EQ(0, t->lost.count);
	EXPECT_EQ(0, t->filtered.count);
	close(fd);
}

/* What a filter refuses is not counted, and so is nowhere. */
TEST_F(table, counted_with_a_filter)
{
	struct pev_table table = counted_by(PEV_TABLE_PID);
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_TASK,
		.flags = PEV_F_DISABLED,
		.name = (uintptr_t)ENTER,
		.filter = (uintptr_t) "pid == 0x20000007",
		.group_fd = -1,
	};
	struct told *t = &self->t;
	int fd, event;

	fd = open_table(&table);
	attr.channel_fd = fd;
	event = pev_open(&attr);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	pev_on(event);
	calls(7, 4);
	calls(1, 3);
	pev_off(event);
	read_table(fd, table.rows, t);
	EXPECT_EQ(4, sum_of_rows(t));
	EXPECT_EQ(4, t->generated.sum);
	EXPECT_EQ(0, t->filtered.count);
	EXPECT_EQ(3, pev_read(event).filtered);
	close(event);
	close(fd);
}

TEST_F(table, refusals_of_counts)
{
	static const uint32_t bad[] = {
		PEV_TABLE_FIELD,
		PEV_TABLE_SYSCALL,
		PEV_TABLE_KSTACK,
		PEV_TABLE_USTACK,
	};
	struct pev_table table;
	struct pev_attr attr;
	int fd;

	for (unsigned int i = 0; i < 4; i++) {
		table = counted_by(bad[i]);
		if (bad[i] == PEV_TABLE_FIELD)
			strcpy(table.keys[0].name, "pid");
		EXPECT_EQ(-EINVAL, open_table(&table));
		EXPECT_NE(NULL, strstr(pev_reason(), "charged when a task leaves the CPU"))
		TH_LOG("%s", pev_reason());
	}
	table = counted_by(PEV_TABLE_PID);
	fd = open_table(&table);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	attr.channel_fd = fd;
	attr.period = 1;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_NE(NULL, strstr(pev_reason(), "only counts: period must be 0"))
	TH_LOG("%s", pev_reason());
	attr.period = 0;
	attr.sample = PEV_SAMPLE_TID;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	close(fd);
}

TEST_HARNESS_MAIN
