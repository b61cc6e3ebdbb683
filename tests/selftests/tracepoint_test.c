// SPDX-License-Identifier: GPL-2.0
/* Tracepoints: opening, counting, recording, refusals. */
#include <pty.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_util.h"

#define TP	PEV_TYPE_TRACEPOINT
#define END_OF(type, member)	(offsetof(type, member) + sizeof(((type *)0)->member))

FIXTURE(recorder) {
	int		channel;
	struct pev_map	map;
};

FIXTURE_SETUP(recorder)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->channel = pev_open_channel(1 << 18, 0, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
}

FIXTURE_TEARDOWN(recorder)
{
	pev_unmap_channel(&self->map);
	close(self->channel);
}

struct raw_enter {
	int64_t		id;
	uint64_t	args[6];
};

TEST_F(recorder, raw_sys_enter)
{
	static const int sizes[] = { sizeof(struct raw_enter) };
	struct pev_record record;
	unsigned int found = 0;
	struct pev_value value;
	uint64_t last;
	int fd, more;

	fd = pev_open_event(TP, "raw_syscalls:sys_enter", NULL, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	/* in one ring, records come in the order of the calls */
	ASSERT_EQ(0, pev_pin(sched_getcpu()));
	ASSERT_EQ(0, pev_event_id(fd));
	ASSERT_EQ(0, pev_on(fd));
	for (int i = 0; i < 100; i++)
		syscall(__NR_close, -1 - i);
	ASSERT_EQ(0, pev_off(fd));

	value = pev_read(fd);
	EXPECT_LE(100, value.value);
	EXPECT_EQ(0, value.lost);
	EXPECT_EQ(0, value.filtered);
	EXPECT_EQ(value.value, value.samples);

	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, 1);

		last = 0;
		while ((more = pev_walk_next(&walk, &record)) > 0) {
			struct raw_enter enter;

			memcpy(&enter, record.payload, sizeof(enter));
			EXPECT_LE(last, record.time);
			last = record.time;
			EXPECT_EQ((uint32_t)gettid(), record.tid);
			if (enter.id == __NR_close) {
				EXPECT_EQ(-1 - (int)found, (int)enter.args[0]);
				found++;
			}
			value.samples--;
		}
		ASSERT_EQ(0, more);
	}
	EXPECT_EQ(100, found);
	EXPECT_EQ(0, value.samples);
	close(fd);
}

struct close_enter {
	int32_t		nr;
	uint32_t	pad;
	uint64_t	fd;
};

struct close_exit {
	int32_t		nr;
	uint32_t	pad;
	int64_t		ret;
};

TEST_F(recorder, system_call_pair)
{
	static const int sizes[] = { sizeof(struct close_enter), sizeof(struct close_exit) };
	unsigned int enters = 0, exits = 0;
	struct pev_record record;
	int enter, exit, more;

	enter = pev_open_event(TP, "syscalls:sys_enter_close", NULL, self->channel);
	ASSERT_LE(0, enter) TH_LOG("%s", pev_reason());
	exit = pev_open_event(TP, "syscalls:sys_exit_close", NULL, self->channel);
	ASSERT_LE(0, exit) TH_LOG("%s", pev_reason());
	/* in one ring, records come in the order of the calls */
	ASSERT_EQ(0, pev_pin(sched_getcpu()));
	pev_on(enter);
	pev_on(exit);
	for (int i = 0; i < 50; i++) {
		syscall(__NR_close, -7);
		syscall(__NR_getppid);
	}
	pev_off(enter);
	pev_off(exit);
	EXPECT_EQ(50, pev_read(enter).value);
	EXPECT_EQ(50, pev_read(exit).value);

	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, 2);

		while ((more = pev_walk_next(&walk, &record)) > 0) {
			struct close_enter e;
			struct close_exit x;

			memcpy(&e, record.payload, sizeof(e));
			memcpy(&x, record.payload, sizeof(x));
			EXPECT_EQ(__NR_close, e.nr);
			EXPECT_EQ(0, e.pad);
			if (record.id == 0) {
				EXPECT_EQ(enters, exits);
				EXPECT_EQ(-7, (int)e.fd);
				enters++;
			} else {
				EXPECT_EQ(-EBADF, x.ret);
				exits++;
			}
		}
		ASSERT_EQ(0, more);
	}
	EXPECT_EQ(50, enters);
	EXPECT_EQ(50, exits);
	close(enter);
	close(exit);
}

/* The record is the kernel's own, with nothing of earlier ones in its holes. */
struct switch_payload {
	char	prev_comm[16];
	int32_t	prev_pid;
	int32_t	prev_prio;
	int64_t	prev_state;
	char	next_comm[16];
	int32_t	next_pid;
	int32_t	next_prio;
};

TEST_F(recorder, sched_switch)
{
	static const int sizes[] = { sizeof(struct switch_payload) };
	struct timespec nap = { .tv_nsec = 1000000 };
	struct pev_record record;
	unsigned int found = 0;
	int fd, more;

	fd = pev_open_machine(TP, "sched:sched_switch", NULL, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < 10; i++)
		nanosleep(&nap, NULL);
	pev_off(fd);
	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, 1);
		int last = -1;

		while ((more = pev_walk_next(&walk, &record)) > 0) {
			struct switch_payload s;

			memcpy(&s, record.payload, sizeof(s));
			EXPECT_NE(s.prev_pid, s.next_pid);
			if (last != -1) {
				EXPECT_EQ(last, s.prev_pid);
			}
			last = s.next_pid;
			EXPECT_EQ((uint32_t)s.prev_pid, record.tid);
			found += s.prev_pid == gettid() && s.prev_state == 1;
		}
		ASSERT_EQ(0, more);
	}
	/* on a slow machine a nap may be over before it began */
	EXPECT_LE(5, found);
	close(fd);
}

TEST_F(recorder, count_only)
{
	int fd = pev_open_event(TP, "raw_syscalls:sys_enter", NULL, -1);
	struct pev_value value;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < 1000; i++)
		syscall(__NR_getppid);
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_LE(1000, value.value);
	EXPECT_GE(1010, value.value);
	EXPECT_EQ(0, value.samples);
	EXPECT_EQ(0, value.lost);
	close(fd);
}

TEST_F(recorder, another_task)
{
	struct pev_attr attr = {
		.type = TP, .target = PEV_TARGET_TASK, .flags = PEV_F_DISABLED,
		.name = (uintptr_t)"raw_syscalls:sys_enter", .channel_fd = -1, .group_fd = -1,
	};
	int go[2], fd;
	pid_t child;
	char c;

	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		close(go[1]);
		if (read(go[0], &c, 1))
			_exit(1);
		for (int i = 0; i < 300; i++)
			syscall(__NR_getppid);
		_exit(0);
	}
	attr.target_id = child;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < 10000; i++)
		syscall(__NR_getppid);
	EXPECT_GE(10, pev_read(fd).value);
	close(go[1]);
	waitpid(child, NULL, 0);
	EXPECT_LE(300, pev_read(fd).value);
	EXPECT_GE(320, pev_read(fd).value);
	close(fd);
}

TEST_F(recorder, period)
{
	struct pev_attr attr = {
		.type = TP, .target = PEV_TARGET_TASK, .flags = PEV_F_DISABLED,
		.name = (uintptr_t)"syscalls:sys_enter_getppid", .channel_fd = self->channel,
		.group_fd = -1, .period = 10,
	};
	struct pev_value value;
	int fd;

	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < 1000; i++)
		syscall(__NR_getppid);
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(1000, value.value);
	EXPECT_LE(98, value.samples + value.lost);
	EXPECT_GE(100, value.samples + value.lost);
	close(fd);
}

/* There is no reader: records that do not fit are counted. */
TEST_F(recorder, losses_are_counted)
{
	int channel = pev_open_channel(1 << 14, 4096, 0);
	struct pev_value value;
	int fd;

	ASSERT_LE(0, channel) TH_LOG("%s", pev_reason());
	fd = pev_open_event(TP, "raw_syscalls:sys_enter", NULL, channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < 5000; i++)
		syscall(__NR_getppid);
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_LE(5000, value.value);
	EXPECT_LT(0, value.lost);
	EXPECT_EQ(value.value, value.samples + value.lost);
	close(fd);
	close(channel);
}

static char *next_line(char **text)
{
	return strsep(text, "\n");
}

/* Each name of a kind in the catalog, one after the other. */
static const char *next_name(char **text, const char *kind)
{
	char *line, *word;

	while ((line = next_line(text))) {
		word = strsep(&line, " ");
		if (!strcmp(word, kind) && line)
			return strsep(&line, " ");
	}
	return NULL;
}

static int open_catalog(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG, .channel_fd = -1, .group_fd = -1 };

	return pev_open(&attr);
}

#define MAX_EVENTS	4000

TEST_F_TIMEOUT(recorder, every_tracepoint, 240)
{
	struct rlimit files = { MAX_EVENTS + 64, MAX_EVENTS + 64 };
	struct timespec nap = { .tv_nsec = 50000000 };
	static int fds[MAX_EVENTS];
	char *text, *rest, *metadata;
	unsigned int nr = 0, bad = 0;
	const char *name;
	char quoted[300];
	int catalog;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	catalog = open_catalog();
	ASSERT_LE(0, catalog) TH_LOG("%s", pev_reason());
	rest = text = pev_read_text(catalog);
	ASSERT_NE(NULL, text);
	while (nr < MAX_EVENTS && (name = next_name(&rest, "tracepoint"))) {
		fds[nr] = pev_open_machine(TP, name, NULL, self->channel);
		EXPECT_LE(0, fds[nr]) TH_LOG("%s: %s", name, pev_reason());
		nr++;
	}
	TH_LOG("%u tracepoints", nr);
	ASSERT_LT(200, nr);
	free(text);

	metadata = pev_read_text(self->channel);
	ASSERT_NE(NULL, metadata);
	rest = text = pev_read_text(catalog);
	while ((name = next_name(&rest, "tracepoint"))) {
		snprintf(quoted, sizeof(quoted), "name = \"%s\";", name);
		bad += !strstr(metadata, quoted);
	}
	EXPECT_EQ(0, bad);
	free(text);
	free(metadata);

	/* all at once, on every CPU, with an overflowing ring */
	ASSERT_EQ(0, pev_on(self->channel));
	nanosleep(&nap, NULL);
	ASSERT_EQ(0, pev_off(self->channel));
	for (unsigned int i = 0; i < nr; i++) {
		struct pev_value v = pev_read(fds[i]);

		EXPECT_EQ(v.value, v.samples + v.lost);
		close(fds[i]);
	}
	close(catalog);
}

/* What a module has no probe of, its kernel's headers being private: perf's records it. */
struct page_alloc {
	uint64_t	pfn;
	uint32_t	order;
	uint32_t	pad;
	uint64_t	gfp_flags;
	int32_t		migratetype;
};

TEST_F(recorder, private_header)
{
	static const int sizes[] = { END_OF(struct page_alloc, migratetype) };
	const size_t size = 64 * sysconf(_SC_PAGESIZE);
	struct pev_record record;
	struct pev_value value;
	int fd, more;
	char *pages;

	fd = pev_open_event(TP, "kmem:mm_page_alloc", "order == 0", self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, pages);
	madvise(pages, size, MADV_NOHUGEPAGE);
	pev_on(fd);
	memset(pages, 1, size);
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_LE(64, value.value);
	EXPECT_EQ(value.value, value.samples);

	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, 1);

		while ((more = pev_walk_next(&walk, &record)) > 0) {
			struct page_alloc alloc = { };

			memcpy(&alloc, record.payload, sizes[0]);
			EXPECT_EQ((uint32_t)gettid(), record.tid);
			EXPECT_EQ(0, alloc.order);
			EXPECT_EQ(0, alloc.pad);
			EXPECT_NE(0, alloc.gfp_flags);
			value.samples--;
		}
		ASSERT_EQ(0, more);
	}
	EXPECT_EQ(0, value.samples);
	munmap(pages, size);
	close(fd);
}

struct queue_work {
	uint64_t	work;
	uint64_t	function;
	uint16_t	name[2];
	int32_t		req_cpu;
	int32_t		cpu;
};

#define QUEUE	"events_unbound"

/* Each byte that goes through a terminal is brought there by a worker. */
static unsigned int type(int terminal, int line, unsigned int nr)
{
	unsigned int done = 0;
	char byte = 'x';

	while (done < nr && write(terminal, &byte, 1) == 1 && read(line, &byte, 1) == 1)
		done++;
	return done;
}

TEST_F(recorder, private_header_with_a_string)
{
	static const int sizes[] = {
		END_OF(struct queue_work, cpu) + sizeof(QUEUE),
	};
	struct pev_record record;
	struct pev_value value;
	int fd, more, terminal, line;
	struct termios raw;

	ASSERT_EQ(0, openpty(&terminal, &line, NULL, NULL, NULL));
	ASSERT_EQ(0, tcgetattr(line, &raw));
	cfmakeraw(&raw);
	ASSERT_EQ(0, tcsetattr(line, TCSANOW, &raw));
	fd = pev_open_event(TP, "workqueue:workqueue_queue_work", "workqueue == \"" QUEUE "\"",
			    self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	EXPECT_EQ(50, type(terminal, line, 50));
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_LE(50, value.value);
	EXPECT_EQ(value.value, value.samples);

	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, 1);

		while ((more = pev_walk_next(&walk, &record)) > 0) {
			struct queue_work queue;

			memcpy(&queue, record.payload, END_OF(struct queue_work, cpu));
			EXPECT_EQ((uint32_t)gettid(), record.tid);
			EXPECT_NE(0, queue.work);
			EXPECT_NE(0, queue.function);
			EXPECT_STREQ(QUEUE, (const char *)record.payload +
						    END_OF(struct queue_work, cpu));
			value.samples--;
		}
		ASSERT_EQ(0, more);
	}
	EXPECT_EQ(0, value.samples);
	close(terminal);
	close(line);
	close(fd);
}

TEST_F(recorder, kernel_stack_of_a_tracepoint)
{
	struct pev_attr attr = {
		.type = TP, .target = PEV_TARGET_TASK, .flags = PEV_F_DISABLED,
		.name = (uintptr_t)"raw_syscalls:sys_enter", .channel_fd = self->channel,
		.group_fd = -1, .period = 1,
		.sample = PEV_SAMPLE_TID | PEV_SAMPLE_IP | PEV_SAMPLE_KSTACK,
	};
	struct pev_value value;
	int fd = pev_open(&attr);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < 10; i++)
		syscall(__NR_getppid);
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_LE(10, value.samples);
	EXPECT_EQ(value.value, value.samples);
	close(fd);
}

TEST_F(recorder, refusals)
{
	char longest[PEV_MAX_NAME + 8];
	struct {
		const char	*name;
		int		error;
		const char	*word;
	} bad[] = {
		{ NULL,			EINVAL,		"name" },
		{ "sched_switch",	EINVAL,		"system:event" },
		{ ":sched_switch",	EINVAL,		"system:event" },
		{ "sched:",		EINVAL,		"system:event" },
		{ "sched:nothing",	ENOENT,		"sched:nothing" },
		{ "sche:sched_switch",	ENOENT,		"sche:sched_switch" },
		{ "ftrace:print",	EOPNOTSUPP,	"ftrace:print" },
		{ longest,		EINVAL,		"long" },
		{ (void *)8,		EFAULT,		"read" },
	};

	memset(longest, 'x', sizeof(longest));
	longest[5] = ':';
	longest[sizeof(longest) - 1] = '\0';
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-bad[i].error, pev_open_event(TP, bad[i].name, NULL, -1)) {
			TH_LOG("case %u: %s", i, pev_reason());
		}
		EXPECT_NE(NULL, strstr(pev_reason(), bad[i].word)) {
			TH_LOG("case %u: %s", i, pev_reason());
		}
		EXPECT_EQ(bad[i].error, pev_why.head.error);
		EXPECT_EQ(offsetof(struct pev_attr, name), pev_why.head.field);
	}
}

TEST_HARNESS_MAIN
