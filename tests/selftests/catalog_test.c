// SPDX-License-Identifier: GPL-2.0
/* The catalog: its lines, its counts, reading it in any way. */
#include "kselftest_harness.h"
#include "pev_util.h"

static int open_catalog(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG, .channel_fd = -1, .group_fd = -1 };

	return pev_open(&attr);
}

FIXTURE(catalog) {
	int	fd;
	char	*text;
};

FIXTURE_SETUP(catalog)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->fd = open_catalog();
	ASSERT_LE(0, self->fd) TH_LOG("%s", pev_reason());
	self->text = pev_read_text(self->fd);
	ASSERT_NE(NULL, self->text);
}

FIXTURE_TEARDOWN(catalog)
{
	free(self->text);
	close(self->fd);
}

/* "<type> <name> <fields>", fields "-" or "type name;type name". */
static bool line_is_good(const char *line)
{
	static const char *const types[] = {
		"software", "timer", "tracepoint", "marker", "sideband",
		"hardware", "wait",  "user",	   "client", "ustack",
	};
	const char *name = strchr(line, ' ');
	const char *fields = name ? strchr(name + 1, ' ') : NULL;
	bool known = false;

	for (unsigned int i = 0; i < sizeof(types) / sizeof(*types); i++)
		known |= name && !strncmp(line, types[i], name - line) &&
			 !types[i][name - line];
	if (!known || !fields || fields == name + 1 || !fields[1])
		return false;
	if (!strcmp(fields, " -"))
		return true;
	while (fields) {
		const char *end = strchr(fields + 1, ';');
		const char *space = strchr(fields + 1, ' ');

		if (!space || (end && space > end))
			return false;
		fields = end;
	}
	return true;
}

TEST_F(catalog, lines)
{
	char *rest = self->text, *line;
	unsigned int nr = 0;

	while ((line = strsep(&rest, "\n"))) {
		if (!*line) {
			EXPECT_EQ(NULL, rest);
			continue;
		}
		EXPECT_TRUE(line_is_good(line)) TH_LOG("%s", line);
		nr++;
	}
	EXPECT_LT(200, nr);
}

static unsigned int count(const char *text, const char *type)
{
	unsigned int nr = 0;
	size_t len = strlen(type);

	for (; text && *text; text = strchr(text, '\n'), text = text ? text + 1 : NULL)
		nr += !strncmp(text, type, len) && text[len] == ' ';
	return nr;
}

TEST_F(catalog, counts)
{
	struct pev_info info = { };
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .channel_fd = -1, .group_fd = -1,
		.info = (uintptr_t)&info, .info_size = sizeof(info),
	};

	ASSERT_EQ(0, pev_open(&attr)) TH_LOG("%s", pev_reason());
	EXPECT_EQ(info.nr_tracepoints, count(self->text, "tracepoint"));
	EXPECT_EQ(info.nr_markers, count(self->text, "marker"));
	EXPECT_EQ(PEV_TIMER_MAX, count(self->text, "timer"));
	EXPECT_EQ(PEV_SB_MAX, count(self->text, "sideband"));
	EXPECT_EQ(__builtin_popcountll(info.software), count(self->text, "software"));
}

TEST_F(catalog, known_events)
{
	EXPECT_NE(NULL, strstr(self->text, "software page-faults -\n"));
	EXPECT_NE(NULL, strstr(self->text, "tracepoint sched:sched_switch char[16] prev_comm;"));
	EXPECT_NE(NULL, strstr(self->text, "wait wait uint64_t blocked;uint64_t runnable;"));
	EXPECT_NE(NULL, strstr(self->text, "tracepoint raw_syscalls:sys_enter "));
	EXPECT_NE(NULL, strstr(self->text, "tracepoint syscalls:sys_enter_close int __syscall_nr;"));
	EXPECT_EQ(NULL, strstr(self->text, "tracepoint ftrace:"));
}

TEST_F(catalog, small_reads_and_seeks)
{
	size_t size = strlen(self->text), len = 0;
	char *again = calloc(1, size + 8);
	ssize_t got;

	ASSERT_EQ(0, lseek(self->fd, 0, SEEK_SET));
	while ((got = read(self->fd, again + len, 997)) > 0) {
		len += got;
		ASSERT_LE(len, size);
	}
	EXPECT_EQ(0, got);
	EXPECT_EQ(size, len);
	EXPECT_STREQ(self->text, again);
	EXPECT_EQ(size, lseek(self->fd, 0, SEEK_END));
	EXPECT_EQ(-1, lseek(self->fd, -1, SEEK_SET));
	EXPECT_EQ(0, pread(self->fd, again, 8, size));
	EXPECT_EQ(4, pread(self->fd, again, 8, size - 4));
	EXPECT_EQ(-1, write(self->fd, again, 1));
	free(again);
}

TEST_F(catalog, bad_buffer)
{
	void *volatile nowhere = (void *)8;

	EXPECT_EQ(-1, pread(self->fd, nowhere, 100, 0));
	EXPECT_EQ(EFAULT, errno);
}

TEST_HARNESS_MAIN
