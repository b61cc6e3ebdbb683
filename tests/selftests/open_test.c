// SPDX-License-Identifier: GPL-2.0
/*
 * pev_open(2) itself: sizes, addresses, unknown bits, members without meaning,
 * the explanation of refusals, queries. What members mean is for refusal_test.
 */
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pev_refused.h"

static long page;

static int raw_open(const void *attr, size_t size, uint32_t flags)
{
	int fd = pev_enter(attr, size, flags);

	return fd < 0 ? -errno : fd;
}

/* A page, and none behind it. */
static uint8_t *lone_page(int prot)
{
	uint8_t *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p + page, page);
	mprotect(p, page, prot);
	return p;
}

static struct pev_attr channel_attr(void)
{
	return (struct pev_attr) { .type = PEV_TYPE_CHANNEL, .ring_size = 16384 };
}

FIXTURE(open) {
	struct pev_info info;
};

FIXTURE_SETUP(open)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .info = (uintptr_t)&self->info,
		.info_size = sizeof(self->info),
	};

	page = sysconf(_SC_PAGESIZE);
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	ASSERT_EQ(0, pev_open(&attr));
}

FIXTURE_TEARDOWN(open)
{
}

TEST_F(open, sizes)
{
	uint8_t *p = lone_page(PROT_READ | PROT_WRITE);
	struct pev_attr *attr = (void *)p;
	struct pev_refusal *why = &pev_why.head;
	int fd;

	*attr = channel_attr();
	EXPECT_EQ(-EINVAL, raw_open(p, 0, 0));
	EXPECT_EQ(-EINVAL, raw_open(p, PEV_ATTR_SIZE_VER0 - 1, 0));
	EXPECT_EQ(-EINVAL, raw_open(p, PEV_ATTR_SIZE_VER0 - 8, 0));
	for (size_t size = PEV_ATTR_SIZE_VER0; size <= page; size += 8) {
		fd = raw_open(p, size, 0);
		ASSERT_LE(0, fd) TH_LOG("size %zu", size);
		close(fd);
		if (size > 512)
			size += page / 4;
	}
	fd = raw_open(p, page, 0);
	ASSERT_LE(0, fd);
	close(fd);
	EXPECT_EQ(-E2BIG, raw_open(p, page + 1, 0));
	EXPECT_EQ(-E2BIG, raw_open(p, SIZE_MAX, 0));

	/* a member that this kernel does not know */
	attr->refusal = (uintptr_t)&pev_why;
	attr->refusal_size = sizeof(pev_why);
	p[sizeof(*attr)] = 1;
	EXPECT_EQ(-E2BIG, raw_open(p, sizeof(*attr) + 8, 0));
	EXPECT_EQ(E2BIG, why->error);
	EXPECT_EQ(~0U, why->field);
	EXPECT_EQ(PEV_ATTR_SIZE_VER0, why->min);
	EXPECT_EQ(sizeof(*attr), why->max);
	EXPECT_NE(0, why->text[0]);
	p[sizeof(*attr)] = 0;
	p[page - 1] = 1;
	EXPECT_EQ(-E2BIG, raw_open(p, page, 0));
	munmap(p, page);
}

TEST_F(open, attr_address)
{
	uint8_t *p = lone_page(PROT_READ | PROT_WRITE);

	EXPECT_EQ(-EFAULT, raw_open(NULL, sizeof(struct pev_attr), 0));
	EXPECT_EQ(-EFAULT, raw_open((void *)-4096L, sizeof(struct pev_attr), 0));
	EXPECT_EQ(-EFAULT, raw_open(p + page - 8, sizeof(struct pev_attr), 0));
	EXPECT_EQ(-EFAULT, raw_open(p + page - 150, 200, 0));
	munmap(p, page);
}

TEST_F(open, other_addresses)
{
	char *p = (char *)lone_page(PROT_READ | PROT_WRITE);
	struct pev_attr attr = pev_attr_calls(PEV_TARGET_TASK, 0);

	attr.name = (uintptr_t)(p + page);
	EXPECT_EQ(-EFAULT, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(name), pev_why.head.field);
	memset(p + page - 20, 'a', 20);
	attr.name = (uintptr_t)(p + page - 20);
	EXPECT_EQ(-EFAULT, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(name), pev_why.head.field);

	attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	attr.filter = (uintptr_t)(p + page - 20);
	EXPECT_EQ(-EFAULT, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(filter), pev_why.head.field);
	EXPECT_NE(0, pev_reason()[0]);

	attr = pev_attr_calls(PEV_TARGET_CPUS, 0);
	attr.cpus = (uintptr_t)(p + page);
	attr.cpus_size = 8;
	EXPECT_EQ(-EFAULT, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(cpus), pev_why.head.field);
	EXPECT_NE(0, pev_reason()[0]);

	attr = (struct pev_attr) { .type = PEV_TYPE_INFO, .info = (uintptr_t)(p + page),
				   .info_size = sizeof(struct pev_info) };
	EXPECT_EQ(-EFAULT, pev_open(&attr));
	EXPECT_NE(0, pev_reason()[0]);
	attr.info = (uintptr_t)(p + page - 8);
	EXPECT_EQ(-EFAULT, pev_open(&attr));
	munmap(p, page);
}

TEST_F(open, call_flags)
{
	struct pev_attr attr = channel_attr();
	int fd;

	attr.refusal = (uintptr_t)&pev_why;
	attr.refusal_size = sizeof(pev_why);
	for (unsigned int bit = 1; bit < 32; bit++) {
		memset(&pev_why, 0, sizeof(pev_why));
		EXPECT_EQ(-EINVAL, raw_open(&attr, sizeof(attr), 1U << bit));
		EXPECT_EQ(EINVAL, pev_why.head.error);
		EXPECT_EQ(~0U, pev_why.head.field);
		EXPECT_NE(0, pev_reason()[0]);
	}
	fd = raw_open(&attr, sizeof(attr), PEV_OPEN_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
	close(fd);
	fd = raw_open(&attr, sizeof(attr), 0);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, fcntl(fd, F_GETFD));
	close(fd);
}

static void expect_refused(struct __test_metadata *_metadata, int line, struct pev_attr attr,
			   int error, unsigned int field)
{
	pev_refused(_metadata, line, attr, error, field, "");
	EXPECT_GE(pev_why.head.max, pev_why.head.min);
}

TEST_F(open, unknown_values)
{
	static const uint32_t types[] = { PEV_TYPE_MAX, 100, 0x80000000, ~0U };
	struct pev_attr attr = { };

	for (unsigned int i = 0; i < 4; i++) {
		attr.type = types[i];
		expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(type));
		EXPECT_EQ(PEV_TYPE_MAX - 1, pev_why.head.max);
	}
	for (unsigned int i = 0; i < 64; i++) {
		if (!(PEV_F_ALL & 1ULL << i)) {
			attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
			attr.flags = 1ULL << i;
			expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(flags));
		}
		if (!(PEV_CHF_ALL & 1ULL << i)) {
			attr = channel_attr();
			attr.flags = 1ULL << i;
			expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(flags));
		}
		if (!(PEV_SAMPLE_ALL & 1ULL << i)) {
			attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
			attr.sample = 1ULL << i;
			expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(sample));
		}
	}
	attr = pev_attr_software(PEV_SW_MAX, PEV_TARGET_TASK, 0);
	expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(config));
	EXPECT_EQ(PEV_SW_MAX - 1, pev_why.head.max);
	attr.config = 1ULL << 32;
	expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(config));
	attr = (struct pev_attr) { .type = PEV_TYPE_TIMER, .config = PEV_TIMER_MAX,
				   .target = PEV_TARGET_TASK, .period = 1000000,
				   .channel_fd = -1, .group_fd = -1 };
	expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(config));
	attr = channel_attr();
	attr.clock = PEV_CLOCK_MAX;
	expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(clock));
	for (unsigned int target = 0; target < 70; target++) {
		if (target > PEV_TARGET_NONE && target < PEV_TARGET_MAX)
			continue;
		attr = pev_attr_software(PEV_SW_PAGE_FAULTS, target, 0);
		expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(target));
		EXPECT_EQ(PEV_TARGET_MAX - 1, pev_why.head.max);
	}
}

TEST_F(open, software_by_architecture)
{
	struct pev_attr attr;

	for (unsigned int i = 0; i < PEV_SW_MAX; i++) {
		bool there = self->info.software & 1ULL << i;
		int fd;

		attr = pev_attr_software(i, PEV_TARGET_TASK, 0);
		fd = pev_open(&attr);
		if (there) {
			EXPECT_LE(0, fd) TH_LOG("software %u: %s", i, pev_reason());
			close(fd);
		} else {
			expect_refused(_metadata, __LINE__, attr, EOPNOTSUPP, PEV_OFFSET(config));
		}
	}
}

#define T(type)		(1U << PEV_TYPE_##type)
#define HARDWARE	(T(HARDWARE) | T(RAW))
#define EVENTS                                                                                   \
	(T(SOFTWARE) | T(TIMER) | T(TRACEPOINT) | T(MARKER) | T(SIDEBAND) | T(PROBE) | T(WAIT) | \
	 T(USER) | T(USTACK) | HARDWARE)
#define M(m, t)		{ #m, PEV_OFFSET(m), sizeof(((struct pev_attr *)0)->m), t }

/* Which types look at a member, as the header says. */
/* clang-format off */
static const struct {
	const char	*name;
	unsigned int	offset;
	unsigned int	size;
	unsigned int	types;
} members[] = {
	M(target, EVENTS | T(GRANT)), M(flags, EVENTS | T(CHANNEL)), M(sample, EVENTS),
	M(config, T(SOFTWARE) | T(TIMER) | T(SIDEBAND) | T(TRACEPOINT) | T(PROBE) | T(TABLE) |
		  T(PRODUCER) | T(CONTEXT) | T(CRASH) | T(GRANT) | HARDWARE),
	M(config1, T(RAW)), M(config2, T(RAW)), M(pmu, HARDWARE), M(reserved, 0),
	M(name, T(TRACEPOINT) | T(MARKER) | T(PROBE) | T(CLIENT) | T(USER) | HARDWARE),
	M(filter, T(TRACEPOINT) | T(MARKER) | T(PROBE) | T(SOFTWARE) | T(TIMER)),
	M(period, EVENTS), M(channel_fd, EVENTS), M(group_fd, EVENTS),
	M(target_id, EVENTS | T(GRANT)),
	M(cpus_size, EVENTS), M(cpus, EVENTS), M(regs_user, EVENTS), M(stack_user, EVENTS),
	M(max_stack, EVENTS), M(ring_size, T(CHANNEL)), M(packet_size, T(CHANNEL)),
	M(watermark, T(CHANNEL)), M(flush_ms, T(CHANNEL)), M(clock, T(CHANNEL)),
	M(info, T(INFO)), M(info_size, T(INFO)),
};
/* clang-format on */

TEST_F(open, members_without_meaning)
{
	for (unsigned int i = 0; i < sizeof(members) / sizeof(*members); i++) {
		for (unsigned int type = 0; type < PEV_TYPE_MAX; type++) {
			struct pev_attr attr = { .type = type };

			if (members[i].types & 1U << type || !(self->info.types & 1U << type))
				continue;
			/* the lowest bit of either size, on either byte order */
			if (members[i].size == 8)
				*(uint64_t *)((char *)&attr + members[i].offset) = 1;
			else
				*(uint32_t *)((char *)&attr + members[i].offset) = 1;
			expect_refused(_metadata, __LINE__, attr, EINVAL, members[i].offset);
			EXPECT_NE(NULL, strstr(pev_reason(), members[i].name));
			if (members[i].size == 8) {
				*(uint64_t *)((char *)&attr + members[i].offset) = 1ULL << 63;
				expect_refused(_metadata, __LINE__, attr, EINVAL,
					       members[i].offset);
			}
		}
	}
}

TEST_F(open, unset_fds)
{
	struct pev_attr attr = channel_attr();
	int fd;

	attr.channel_fd = -1;
	attr.group_fd = -1;
	attr.target_id = -1;
	fd = pev_open(&attr);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
	attr.channel_fd = -2;
	expect_refused(_metadata, __LINE__, attr, EINVAL, PEV_OFFSET(channel_fd));
}

TEST_F(open, each_type)
{
	struct pev_attr attr;
	int fds[6], n = 0;

	attr = channel_attr();
	fds[n++] = pev_open(&attr);
	ASSERT_LE(0, fds[0]);
	attr = (struct pev_attr) { .type = PEV_TYPE_CATALOG };
	fds[n++] = pev_open(&attr);
	attr = pev_attr_software(PEV_SW_TASK_CLOCK, PEV_TARGET_TASK, 0);
	fds[n++] = pev_open(&attr);
	attr.type = PEV_TYPE_TIMER;
	attr.config = PEV_TIMER_TASK_CLOCK;
	attr.period = PEV_MIN_TIMER_NS;
	fds[n++] = pev_open(&attr);
	attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	fds[n++] = pev_open(&attr);
	attr = (struct pev_attr) { .type = PEV_TYPE_SIDEBAND, .config = PEV_SB_EXIT,
				   .target = PEV_TARGET_PROCESS, .channel_fd = fds[0],
				   .group_fd = -1 };
	fds[n++] = pev_open(&attr);
	while (n--) {
		EXPECT_LE(0, fds[n]) TH_LOG("fd %d of the list: %s", n, pev_reason());
		close(fds[n]);
	}
	EXPECT_EQ((1U << PEV_TYPE_MAX) - 1, self->info.types);
}

/* ---- the explanation ---- */

TEST_F(open, text_is_cut)
{
	struct pev_attr attr = { .type = PEV_TYPE_MAX };
	char full[400], buf[512];
	struct pev_refusal *why = (void *)buf;
	size_t len;

	expect_refused(_metadata, __LINE__, attr, EINVAL, 0);
	strcpy(full, pev_reason());
	len = strlen(full);
	ASSERT_LT(20, len);
	attr.refusal = (uintptr_t)buf;
	for (size_t size = 0; size < sizeof(*why) + len + 8; size++) {
		size_t room = size < sizeof(*why) ? 0 : size - sizeof(*why);
		size_t written = room > len ? len + 1 : room;

		memset(buf, 'X', sizeof(buf));
		attr.refusal_size = size;
		EXPECT_EQ(-EINVAL, raw_open(&attr, sizeof(attr), 0));
		if (size < sizeof(*why)) {
			EXPECT_EQ('X', buf[0]);
			EXPECT_EQ('X', buf[23]);
			continue;
		}
		EXPECT_EQ(EINVAL, why->error);
		EXPECT_EQ(0, why->field);
		EXPECT_EQ(PEV_TYPE_MAX - 1, why->max);
		EXPECT_EQ('X', why->text[written]);
		if (!written)
			continue;
		EXPECT_EQ(written - 1, strnlen(why->text, written));
		EXPECT_EQ(0, memcmp(full, why->text, written - 1));
	}
}

TEST_F(open, text_address)
{
	struct pev_attr attr = { .type = PEV_TYPE_MAX, .refusal_size = 400 };
	uint8_t *p = lone_page(PROT_READ);

	attr.refusal = (uintptr_t)p;
	EXPECT_EQ(-EFAULT, raw_open(&attr, sizeof(attr), 0));
	attr.refusal = (uintptr_t)p + page;
	EXPECT_EQ(-EFAULT, raw_open(&attr, sizeof(attr), 0));
	attr.refusal = ~0ULL;
	EXPECT_EQ(-EFAULT, raw_open(&attr, sizeof(attr), 0));
	/* the header fits, the text does not */
	mprotect(p, page, PROT_READ | PROT_WRITE);
	attr.refusal = (uintptr_t)p + page - 32;
	EXPECT_EQ(-EFAULT, raw_open(&attr, sizeof(attr), 0));
	attr.refusal_size = 32;
	EXPECT_EQ(-EINVAL, raw_open(&attr, sizeof(attr), 0));
	attr.refusal = 0;
	EXPECT_EQ(-EINVAL, raw_open(&attr, sizeof(attr), 0));
	munmap(p, page);
}

TEST_F(open, success_explains_nothing)
{
	struct pev_attr attr = channel_attr();
	char buf[400];
	int fd;

	memset(buf, 'X', sizeof(buf));
	attr.refusal = (uintptr_t)buf;
	attr.refusal_size = sizeof(buf);
	fd = raw_open(&attr, sizeof(attr), 0);
	ASSERT_LE(0, fd);
	for (unsigned int i = 0; i < sizeof(buf); i++)
		ASSERT_EQ('X', buf[i]);
	close(fd);
	/* even where it could not be written */
	attr.refusal = ~0ULL;
	fd = raw_open(&attr, sizeof(attr), 0);
	ASSERT_LE(0, fd);
	close(fd);
}

/* ---- no fd left ---- */

TEST_F(open, no_fd_left)
{
	struct pev_child c;

	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_attr attr = channel_attr();
		struct rlimit limit = { 0, 0 };

		setrlimit(RLIMIT_NOFILE, &limit);
		_exit(pev_open(&attr) == -EMFILE && pev_why.head.error == EMFILE &&
		      pev_why.head.field == ~0U && pev_reason()[0] ? 0 : 1);
	}
	EXPECT_EQ(0, pev_child_end(&c));
}

TEST_F(open, no_file_left)
{
	const char *path = "/proc/sys/fs/file-max";
	char max[32] = "";
	struct pev_child c;
	int64_t got[2];
	int fd;

	if (geteuid())
		SKIP(return, "needs root");
	fd = open(path, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_LT(0, read(fd, max, sizeof(max) - 1));
	close(fd);
	ASSERT_LE(0, pev_child_start(&c));
	if (!c.pid) {
		struct pev_attr attr = channel_attr(), ev;

		ev = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
		ev.flags = PEV_F_EXCLUDE_KERNEL;
		if (pev_become(PEV_NOBODY, -1))
			_exit(1);
		pev_child_wait(&c);
		pev_child_say(&c, pev_open(&attr));
		pev_child_say(&c, pev_open(&ev));
		_exit(pev_reason()[0] ? 0 : 2);
	}
	ASSERT_EQ(0, pev_put_number(path, 1));
	pev_child_go(&c);
	got[0] = pev_child_hear(&c);
	got[1] = pev_child_hear(&c);
	ASSERT_EQ(0, pev_put_text(path, max));
	EXPECT_EQ(-ENFILE, got[0]);
	EXPECT_EQ(-ENFILE, got[1]);
	EXPECT_EQ(0, pev_child_end(&c));
}

/* ---- queries ---- */

TEST_F(open, info)
{
	const struct pev_info *info = &self->info;
	struct pev_attr attr = { .type = PEV_TYPE_INFO };
	uint8_t buf[2 * sizeof(*info)];

	EXPECT_EQ(sizeof(*info), info->size);
	EXPECT_EQ(PEV_ABI_VERSION, info->abi_version);
	EXPECT_EQ(PEV_F_ALL, info->event_flags);
	EXPECT_EQ(PEV_CHF_ALL, info->channel_flags);
	EXPECT_EQ(0, info->sample & ~PEV_SAMPLE_ALL);
	EXPECT_EQ(!!info->regs_user, !!(info->sample & PEV_SAMPLE_UREGS));
	EXPECT_EQ(0, info->targets & 1);
	EXPECT_EQ(pev_paranoid(), info->paranoid);
	EXPECT_TRUE(info->clock == PEV_CLOCK_MONOTONIC || info->clock == PEV_CLOCK_CYCLES);
	EXPECT_LT(0, info->clock_freq);
	EXPECT_LT(100, info->nr_tracepoints);
	EXPECT_LE(sysconf(_SC_NPROCESSORS_CONF), info->nr_cpus);

	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(info_size), pev_why.head.field);
	attr.info = (uintptr_t)buf;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	attr.info_size = 3;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	attr.info_size = page + 1;
	EXPECT_EQ(-E2BIG, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(info_size), pev_why.head.field);
	EXPECT_NE(0, pev_reason()[0]);
	/* an older and a newer program */
	for (unsigned int size = 4; size <= sizeof(buf); size++) {
		memset(buf, 'X', sizeof(buf));
		attr.info_size = size;
		ASSERT_EQ(0, pev_open(&attr));
		EXPECT_EQ(0, memcmp(buf, info, size < sizeof(*info) ? size : sizeof(*info)));
		for (unsigned int i = sizeof(*info); i < size; i++)
			EXPECT_EQ(0, buf[i]);
		if (size < sizeof(buf))
			EXPECT_EQ('X', buf[size]);
	}
}

TEST_F(open, catalog)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG };
	unsigned int tracepoints = 0, markers = 0, other = 0;
	char *text, *line, *save;
	int fd;

	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	text = pev_read_text(fd);
	ASSERT_NE(NULL, text);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		tracepoints += !strncmp(line, "tracepoint ", 11);
		markers += !strncmp(line, "marker ", 7);
		other += !strncmp(line, "software ", 9) || !strncmp(line, "timer ", 6) ||
			 !strncmp(line, "sideband ", 9);
	}
	EXPECT_EQ(self->info.nr_tracepoints, tracepoints);
	EXPECT_EQ(self->info.nr_markers, markers);
	EXPECT_EQ(__builtin_popcountll(self->info.software) + PEV_TIMER_MAX + PEV_SB_MAX,
		  other);
	EXPECT_EQ(-1, ioctl(fd, PEV_IOC_ENABLE, 0));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, write(fd, "x", 1));
	free(text);
	close(fd);
}

TEST_HARNESS_MAIN
