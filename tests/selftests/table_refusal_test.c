// SPDX-License-Identifier: GPL-2.0
/* Tables: what is refused, and to whom. */
#include "table_util.h"

TEST_F(table, refusals)
{
	struct pev_table good = table_by(64, PEV_TABLE_FIELD, "pid"), bad;

	BAD("size 8 of the table", bad.size = 8);
	BAD("can't have 0 rows", bad.rows = 0);
	BAD("can't have 65537 rows", bad.rows = PEV_MAX_TABLE_ROWS + 1);
	BAD("can't have 0 keys", bad.nr_keys = 0);
	BAD("can't have 5 keys", bad.nr_keys = 5);
	BAD("no kind 5 of values", bad.value = PEV_TABLE_VALUE_MAX);
	BAD("needs the name of a field", bad.value = PEV_TABLE_OF_FIELD);
	BAD("others have none", bad.field[0] = 'a');
	BAD("flags that this kernel does not know: 0x4", bad.flags = 4);
	BAD("needs no clock", bad.clock = PEV_CLOCK_MONOTONIC);
	BAD("no clock 3", bad.flags = PEV_TABLE_F_TIMES; bad.clock = PEV_CLOCK_MAX);
	REFUSED(EFAULT, open_table((void *)8), "can't be read");
}

/* Members that are not known here may be there, and be 0. */
TEST_F(table, of_a_newer_kernel)
{
	struct {
		struct pev_table table;
		uint64_t more;
	} newer = { .table = table_by(64, PEV_TABLE_FIELD, "pid") };
	int fd;

	newer.table.size = sizeof(newer);
	fd = open_table(&newer.table);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
	newer.more = 1;
	REFUSED(E2BIG, open_table(&newer.table), "does not know");
}

TEST_F(table, refusals_of_keys)
{
	struct pev_table good = table_by(64, PEV_TABLE_FIELD, "pid"), bad;

	BAD("no kind 12 of keys", bad.keys[0].from = PEV_TABLE_FROM_MAX);
	BAD("no kind 4 of buckets", bad.keys[0].bucket = PEV_TABLE_BUCKET_MAX);
	BAD("needs one", bad.keys[0].bucket = PEV_TABLE_LINEAR);
	BAD("others have 0", bad.keys[0].step = 1);
	BAD("has no end", memset(bad.keys[0].name, 'a', sizeof(bad.keys[0].name)));
	BAD("needs the name of a field", bad.keys[0].name[0] = 0);
	BAD("others have none", bad.keys[0].from = PEV_TABLE_PID);
	BAD("names have no buckets", bad.keys[0] = ((struct pev_table_key){
					     .from = PEV_TABLE_COMM, .bucket = PEV_TABLE_LOG2 }));
	BAD("requests have no buckets",
	    bad.keys[0] = ((struct pev_table_key){ .from = PEV_TABLE_REQUEST,
						   .bucket = PEV_TABLE_LOG2 }));
	BAD("is charged when a task leaves", bad.value = PEV_TABLE_COUNTED;
	    bad.keys[0] = ((struct pev_table_key){ .from = PEV_TABLE_REQUEST }));
	BAD("beyond nr_keys 1 are not 0", bad.keys[3].step = 1);
	BAD("call chains are no numbers", bad = table_of_stacks();
	    bad.keys[1].bucket = PEV_TABLE_LOG2);
	BAD("can't have 4095 frames", bad = table_of_stacks(); bad.frames = FRAMES - 1);
	BAD("can't have 4194305 frames", bad = table_of_stacks();
	    bad.frames = PEV_MAX_TABLE_FRAMES + 1);
	BAD("max_stack 128 of the table", bad = table_of_stacks(); bad.max_stack = 128);
	BAD("have no meaning without PEV_TABLE_KSTACK", bad.frames = FRAMES);
	BAD("have no meaning without PEV_TABLE_KSTACK", bad.max_stack = 1);
}

TEST_F(table, refusals_of_events)
{
	struct pev_table good = table_by(64, PEV_TABLE_FIELD, "pid");
	struct pev_attr late;
	int fd, event;

	fd = open_table(&good);
	ASSERT_LE(0, fd);
	REFUSED(EINVAL, open_calls("sched:sched_switch", NULL, fd),
		"which sched:sched_switch does not have");
	/* what is refused when it has joined decides no sign */
	late = calls_attr("task:task_newtask", NULL, fd);
	late.group_fd = fd;
	REFUSED(EINVAL, pev_open(&late), "is not a pev event");
	event = open_calls(ENTER, NULL, fd);
	EXPECT_LE(0, event) TH_LOG("%s", pev_reason());
	REFUSED(EINVAL, open_calls("task:task_newtask", NULL, fd), "has a sign, unlike");
	close(event);
	close(fd);
	strcpy(good.keys[0].name, "comm");
	fd = open_table(&good);
	REFUSED(EINVAL, open_calls("task:task_newtask", NULL, fd), "is not a number");
	close(fd);
}

TEST_F(table, refusals_of_samples)
{
	struct pev_table good = table_by(64, PEV_TABLE_PID, NULL);
	int fd = open_table(&good), event;
	struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE,
		.config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK,
		.channel_fd = fd,
		.group_fd = -1,
		.period = 1,
		.sample = PEV_SAMPLE_TID,
	};

	REFUSED(EINVAL, pev_open(&attr), "no records to put samples in");
	attr.sample = 0;
	event = pev_open(&attr);
	EXPECT_LE(0, event);
	attr.channel_fd = event;
	REFUSED(EINVAL, pev_open(&attr), "neither a pev channel nor a table");
	close(event);
	close(fd);
}

/* The rules of channels, and no address of the kernel as a key. */
TEST_F(table, rights)
{
	struct pev_levels before = pev_get_levels();
	struct pev_child c;

	ASSERT_EQ(0, pev_set_paranoid(-1));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_table table = table_by(64, PEV_TABLE_FIELD, "skbaddr");
		struct rlimit none = {};
		int fd;

		EXPECT_EQ(0, pev_become(1000, -1));
		fd = open_table(&table);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		REFUSED(EACCES, open_calls("skb:kfree_skb", NULL, fd), "address of the kernel");
		strcpy(table.keys[0].name, "protocol");
		sum_field(&table, "skbaddr");
		close(fd);
		fd = open_table(&table);
		REFUSED(EACCES, open_calls("skb:kfree_skb", NULL, fd), "address of the kernel");
		table.value = 0;
		memset(table.field, 0, sizeof(table.field));
		close(fd);
		fd = open_table(&table);
		EXPECT_LE(0, open_calls("skb:kfree_skb", NULL, fd)) TH_LOG("%s", pev_reason());
		EXPECT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &none));
		REFUSED(EPERM, open_table(&table), "RLIMIT_MEMLOCK");
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	ASSERT_EQ(0, pev_set_paranoid(2));
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_table table = table_by(64, PEV_TABLE_PID, NULL);
		int fd;

		EXPECT_EQ(0, pev_become(1000, -1));
		fd = open_table(&table);
		EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
		EXPECT_EQ(-EACCES, open_calls("sched:sched_switch", NULL, fd));
		EXPECT_EQ(-EACCES, pev_open_machine(PEV_TYPE_SOFTWARE, NULL, NULL, fd));
		_exit(_metadata->exit_code != KSFT_PASS);
	}
	EXPECT_EQ(0, pev_child_end(&c));
	ASSERT_EQ(0, pev_set_levels(before));
}

TEST_HARNESS_MAIN
