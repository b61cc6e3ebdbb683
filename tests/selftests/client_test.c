// SPDX-License-Identifier: GPL-2.0
/*
 * Channels of kernel code, those of the sample pev-log: who may read them, what a reader
 * sees, and that a reader who stops loses nothing of another channel.
 */
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_sample.h"

#define LOG "/sys/kernel/debug/pev_log/"

/* The channel's events, in the order in which they were added. */
enum { LINE, STATE, NR_EVENTS };

static const int sizes[NR_EVENTS] = { [LINE] = PEV_WALK_BYTES(14), [STATE] = 32 };

/* What the driver has read of the channel that only it can. */
struct sums {
	unsigned long long written, lost, read, unordered, characters;
};

static struct sums read_sums(void)
{
	struct sums sums = {};
	FILE *f = fopen(LOG "sums", "re");

	if (f) {
		if (fscanf(f, "%llu %llu %llu %llu %llu", &sums.written, &sums.lost, &sums.read,
			   &sums.unordered, &sums.characters) != 5)
			sums.written = ~0ULL;
		fclose(f);
	}
	return sums;
}

static int open_client(const char *name)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CLIENT,
		.name = (uintptr_t)name,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return pev_open(&attr);
}

static int unload(void)
{
	return syscall(__NR_delete_module, "pev_log", O_NONBLOCK) ? -errno : 0;
}

/* What a reader sees of a channel. */
struct seen {
	uint64_t records[NR_EVENTS];
	uint64_t lost;
	uint64_t characters;
	bool damaged;
};

static struct seen see(int channel)
{
	struct seen seen = {};
	struct pev_map map;

	if (ioctl(channel, PEV_IOC_FLUSH, 0) || pev_map_channel(channel, &map)) {
		seen.damaged = true;
		return seen;
	}
	for (unsigned int cpu = 0; cpu < map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&map, cpu, sizes, NR_EVENTS);
		struct pev_record record;
		uint16_t len;
		int got;

		if (!map.rings[cpu].kernel)
			continue;
		while ((got = pev_walk_next(&walk, &record)) > 0) {
			seen.records[record.id]++;
			if (record.id != LINE)
				continue;
			memcpy(&len, record.payload + 12, sizeof(len));
			seen.characters += len;
		}
		seen.damaged |= got < 0;
		pev_walk_release(&walk);
		seen.lost += map.rings[cpu].kernel->lost;
	}
	pev_unmap_channel(&map);
	return seen;
}

FIXTURE(client)
{
	int channel;
};

FIXTURE_SETUP(client)
{
	int err;

	PEV_NEEDS_ROOT(return );
	err = pev_sample_insert("pev-log", "");
	if (err)
		SKIP(return, "pev-log.ko can't be loaded: %s", strerror(-err));
	self->channel = open_client("pev_log");
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
}

FIXTURE_TEARDOWN(client)
{
	close(self->channel);
	unload();
}

TEST_F(client, is_described)
{
	char *text = pev_read_text(self->channel);

	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "name = \"pev_log:line\""));
	EXPECT_NE(NULL, strstr(text, "\t\tuint64_t serial;\n\t\tuint32_t level;\n"
				     "\t\tuint16_t text_len;\n\t\ttext_t text[text_len];\n"));
	EXPECT_NE(NULL, strstr(text, "\t\txint64_t device;\n\t\tint32_t celsius;\n"
				     "\t\ttext_t name[12];\n"));
	free(text);
}

/* The catalog, as who calls sees it */
static char *read_catalog(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG, .channel_fd = -1, .group_fd = -1 };
	int fd = pev_open(&attr);
	char *text = fd < 0 ? NULL : pev_read_text(fd);

	close(fd);
	return text;
}

TEST_F(client, is_in_the_catalog)
{
	char *text = read_catalog();

	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL, strstr(text, "\nclient pev_log -\n"
				     "client pev_log/pev_log:line uint64_t serial;uint32_t level;"
				     "uint16_t text_len;text_t text[text_len]\n"
				     "client pev_log/pev_log:state uint64_t serial;"
				     "xint64_t device;int32_t celsius;text_t name[12]\n"));
	EXPECT_EQ(NULL, strstr(text, "pev_log_private"));
	free(text);
	ASSERT_EQ(0, unload());
	text = read_catalog();
	ASSERT_NE(NULL, text);
	EXPECT_EQ(NULL, strstr(text, "client pev_log"));
	free(text);
	EXPECT_EQ(0, pev_sample_insert("pev-log", ""));
}

TEST_F(client, is_read_from_all_contexts)
{
	struct seen seen;

	ASSERT_EQ(0, pev_module_fire(LOG "fire", "mixed", 10));
	seen = see(self->channel);
	EXPECT_FALSE(seen.damaged);
	EXPECT_EQ(30, seen.records[LINE]);
	EXPECT_EQ(30, seen.records[STATE]);
	EXPECT_EQ(10 * strlen("task"
			      "softirq"
			      "irq"),
		  seen.characters);
	EXPECT_EQ(0, seen.lost);
}

/* Only one of both loses, and each has its own law. */
TEST_F(client, loses_for_itself)
{
	const uint64_t nr = 20000, all = 3 * 2 * nr;
	struct sums sums;
	struct seen seen;

	ASSERT_EQ(0, pev_module_fire(LOG "fire", "mixed", nr));
	seen = see(self->channel);
	EXPECT_FALSE(seen.damaged);
	EXPECT_LT(0, seen.lost);
	EXPECT_EQ(all, seen.records[LINE] + seen.records[STATE] + seen.lost);

	do {
		sums = read_sums();
		usleep(1000);
	} while (sums.read < sums.written);
	EXPECT_EQ(all, sums.written + sums.lost);
	EXPECT_EQ(sums.written, sums.read);
	EXPECT_EQ(0, sums.unordered);
	EXPECT_LT(seen.characters, sums.characters);
}

TEST_F(client, has_one_reader)
{
	struct seen seen;

	EXPECT_EQ(-EBUSY, open_client("pev_log"));
	EXPECT_STREQ("the channel of pev_log is being read by another", pev_reason());
	ASSERT_EQ(0, pev_module_fire(LOG "fire", "task", 1));
	close(self->channel);
	self->channel = open_client("pev_log");
	ASSERT_LE(0, self->channel);
	seen = see(self->channel);
	EXPECT_EQ(1, seen.records[LINE]);
}

TEST_F(client, refuses)
{
	char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT_EQ(-ENOENT, open_client("pev_log_private"));
	EXPECT_STREQ("no kernel code has a channel \"pev_log_private\" to read", pev_reason());
	EXPECT_EQ(-ENOENT, open_client(""));
	EXPECT_EQ(-EINVAL, open_client(NULL));
	EXPECT_EQ(-EFAULT, open_client(page));
}

/* What its owner writes is not the reader's to stop, and nothing of the reader's goes there. */
TEST_F(client, refuses_events)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE,
		.config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK,
		.channel_fd = self->channel,
		.group_fd = -1,
		.period = 1,
	};
	char *text;

	for (unsigned long action = PEV_ACT_START; action < PEV_ACT_MAX; action++) {
		EXPECT_EQ(-1, ioctl(self->channel, PEV_IOC_ACT, action));
		EXPECT_EQ(EOPNOTSUPP, errno);
	}
	for (int i = 0; i < 2; i++) {
		attr.flags = i ? PEV_F_STOP : 0;
		EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));
		EXPECT_EQ(offsetof(struct pev_attr, channel_fd), pev_why.head.field);
		EXPECT_NE(NULL,
			  strstr(pev_reason(), "the channel belongs to a part of the kernel"));
	}
	text = pev_read_text(self->channel);
	ASSERT_NE(NULL, text);
	EXPECT_EQ(NULL, strstr(text, "page-faults"));
	free(text);
}

/* The records of a table by pairs do not, either. */
TEST_F(client, refuses_records_of_tables)
{
	struct pev_table table = {
		.size = sizeof(table),
		.rows = 16,
		.nr_keys = 1,
		.keys = { { .from = PEV_TABLE_CPU } },
		.open = PEV_MIN_TABLE_OPEN,
		.nr_pair = 1,
		.begin = { { .from = PEV_TABLE_TID } },
		.end = { { .from = PEV_TABLE_TID } },
		.flags = PEV_TABLE_F_RECORDS,
		.channel_fd = self->channel,
	};
	struct pev_attr attr = {
		.type = PEV_TYPE_TABLE,
		.config = (uintptr_t)&table,
		.channel_fd = -1,
		.group_fd = -1,
	};
	int fd = pev_open(&attr);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	attr = (struct pev_attr){
		.type = PEV_TYPE_SOFTWARE,
		.config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK,
		.channel_fd = fd,
		.group_fd = -1,
		.period = 1,
	};
	EXPECT_EQ(-EOPNOTSUPP, pev_open(&attr));
	EXPECT_NE(NULL, strstr(pev_reason(), "the channel belongs to a part of the kernel"));
	close(fd);
}

TEST_F(client, refuses_without_rights)
{
	int status;
	pid_t pid;

	close(self->channel);
	pid = fork();
	if (!pid) {
		char *text;

		if (setgid(65534) || setuid(65534))
			_exit(2);
		text = read_catalog();
		_exit(open_client("pev_log") == -EACCES && text && strstr(text, "timer ") &&
				      !strstr(text, "pev_log/") ?
			      0 :
			      1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* The reader keeps what is in the rings; the name is free. */
TEST_F(client, outlives_its_module)
{
	struct seen seen;

	ASSERT_EQ(0, pev_module_fire(LOG "fire", "task", 5));
	ASSERT_EQ(0, unload());
	EXPECT_EQ(-ENOENT, open_client("pev_log"));
	seen = see(self->channel);
	EXPECT_FALSE(seen.damaged);
	EXPECT_EQ(5, seen.records[LINE]);
	EXPECT_EQ(5, seen.records[STATE]);
	EXPECT_EQ(0, pev_sample_insert("pev-log", ""));
}

/* What the kernel has logged, newest last. */
static bool logged(const char *text)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool found = false;
	char line[1024];
	ssize_t len;

	while ((len = read(fd, line, sizeof(line) - 1)) > 0 || errno == EPIPE) {
		line[len > 0 ? len : 0] = '\0';
		found |= strstr(line, text) != NULL;
		errno = 0;
	}
	close(fd);
	return found;
}

TEST_F(client, is_taken_from_who_forgets_it)
{
	ASSERT_EQ(0, unload());
	ASSERT_EQ(0, pev_sample_insert("pev-log", "forgets=1"));
	ASSERT_EQ(0, pev_module_fire(LOG "fire", "mixed", 100));
	ASSERT_EQ(0, unload());
	EXPECT_TRUE(logged("client pev_log was not destroyed when its module pev_log went"));
	EXPECT_TRUE(
		logged("client pev_log_private was not destroyed when its module pev_log went"));
	EXPECT_EQ(-ENOENT, open_client("pev_log"));
	EXPECT_EQ(0, pev_sample_insert("pev-log", ""));
}

TEST_HARNESS_MAIN
