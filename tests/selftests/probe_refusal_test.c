// SPDX-License-Identifier: GPL-2.0
/* Probes that are refused, and by what. */
#include <sys/wait.h>
#include "probe_util.h"

#ifdef __x86_64__
/* An instruction that no program may have; it never runs. */
extern const char halts[];
asm(".pushsection .text\n.balign 16\nhalts:\n\thlt\n\tret\n.popsection");
#endif

TEST_F(probe, left_out)
{
	int32_t results[3] = { 1, 1, 1 };
	int fd;

	make_kernel(&self->probe, self->places, PEV_PROBE_KERNEL);
	self->places[1] = self->places[0];
	self->places[0].name = NONE;
	self->places[2] = self->places[0];
	self->probe.nr_places = 3;
	EXPECT_EQ(-ENOENT, open_probe(&self->probe, -1));
	self->probe.flags = PEV_PROBE_F_SKIP;
	self->probe.results = (uintptr_t)results;
	fd = open_probe(&self->probe, -1);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(-ENOENT, results[0]);
	EXPECT_EQ(0, results[1]);
	EXPECT_EQ(-ENOENT, results[2]);
	pev_on(fd);
	open_files(NR);
	pev_off(fd);
	EXPECT_EQ(NR, pev_read(fd).value);
	close(fd);
	/* not all of them */
	self->probe.nr_places = 1;
	EXPECT_EQ(-ENOENT, open_probe(&self->probe, -1));
	/* nor is there a page for the results */
	self->probe.nr_places = 2;
	self->probe.results = 16;
	EXPECT_EQ(-EFAULT, open_probe(&self->probe, -1));
}

#define REFUSED(error, change)                                                   \
	do {                                                                     \
		struct pev_probe probe = self->probe;                            \
		struct pev_probe_place place = self->places[0];                  \
		struct pev_probe_field field = self->fields[0];                  \
		int ret;                                                         \
		probe.places = (uintptr_t)&place;                                \
		probe.fields = (uintptr_t)&field;                                \
		probe.nr_fields = 1;                                             \
		change;                                                          \
		ret = open_probe(&probe, -1);                                    \
		EXPECT_EQ(-(error), ret) TH_LOG(#change ": %s", pev_reason());   \
		EXPECT_EQ(offsetof(struct pev_attr, config), pev_why.head.field) \
		TH_LOG(#change);                                                 \
		EXPECT_LT(10, strlen(pev_reason()));                             \
		if (ret >= 0)                                                    \
			close(ret);                                              \
	} while (0)

TEST_F(probe, refused_as_a_whole)
{
	int written = open("/proc/self/comm", O_WRONLY | O_CLOEXEC);

	ASSERT_LE(0, written);
	REFUSED(EBADF, probe.fd = written);
	EXPECT_NE(NULL, strstr(pev_reason(), "not open for reading"));
	close(written);
	REFUSED(EINVAL, probe.size = 8);
	REFUSED(EINVAL, probe.size = 1 << 20);
	REFUSED(EINVAL, probe.kind = PEV_PROBE_MAX);
	REFUSED(EBADF, probe.fd = -1);
	REFUSED(EBADF, probe.fd = 1 << 20);
	REFUSED(EINVAL, probe.fd = self->channel);
	REFUSED(EINVAL, probe.nr_places = 0);
	REFUSED(EINVAL, probe.nr_places = PEV_MAX_PROBE_PLACES + 1);
	REFUSED(EINVAL, probe.nr_places = ~0U);
	REFUSED(EFAULT, probe.places = 16);
	REFUSED(EFAULT, probe.fields = 16);
	REFUSED(EFAULT, probe.strings = 16);
	REFUSED(EINVAL, probe.strings_size = 0);
	REFUSED(EINVAL, probe.strings_size = ~0U);
	REFUSED(EINVAL, probe.strings_size = 3);
	REFUSED(EINVAL, probe.nr_fields = PEV_MAX_PROBE_FIELDS + 1);
	REFUSED(EINVAL, probe.max_active = 1);
	REFUSED(EINVAL, probe.flags = 2);
	REFUSED(EINVAL, probe.flags = PEV_PROBE_F_SKIP);
	REFUSED(EINVAL, probe.results = (uintptr_t)&probe);
}

/* Members that are not known here may be there, and be 0. */
TEST_F(probe, of_a_newer_kernel)
{
	struct {
		struct pev_probe probe;
		uint64_t more;
	} newer = { .probe = self->probe };
	int fd;

	newer.probe.size = sizeof(newer);
	fd = open_probe(&newer.probe, -1);
	EXPECT_LE(0, fd) TH_LOG("%s", pev_reason());
	close(fd);
	newer.more = 1;
	EXPECT_EQ(-E2BIG, open_probe(&newer.probe, -1));
}

TEST_F(probe, refused_files)
{
	int fd = open("/proc/version", O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	REFUSED(EOPNOTSUPP, (probe.fd = fd, place.offset = 0));
	EXPECT_NE(NULL, strstr(pev_reason(), "file system"));
	close(fd);
#ifdef __x86_64__
	REFUSED(EOPNOTSUPP, place.offset = pev_place_of(halts));
	EXPECT_NE(NULL, strstr(pev_reason(), "can't be probed"));
#endif
}

TEST_F(probe, refused_places)
{
	char longest[PEV_MAX_PROBE_NAME + 1] = "";

	memset(longest, 'a', PEV_MAX_PROBE_NAME);
	REFUSED(EINVAL, (probe.strings = (uintptr_t)longest, probe.strings_size = sizeof(longest)));
	EXPECT_NE(NULL, strstr(pev_reason(), "has more than"));
	REFUSED(EINVAL, place.name = sizeof(strings));
	REFUSED(EINVAL, place.name = ~0U);
	REFUSED(EINVAL, place.name = sizeof(strings) - 1);
	REFUSED(EINVAL, place.reserved = 1);
	REFUSED(EINVAL, place.offset = 1ULL << 63);
	REFUSED(EINVAL, place.offset = 1ULL << 40);
	REFUSED(EINVAL, place.semaphore = 1ULL << 63);
}

TEST_F(probe, refused_fields)
{
	REFUSED(EINVAL, field.name = sizeof(strings));
	REFUSED(EINVAL, field.name = sizeof(strings) - 1);
	REFUSED(EINVAL, field.type = PEV_PROBE_TYPE_MAX);
	REFUSED(EINVAL, field.from = PEV_PROBE_FROM_MAX);
	REFUSED(EINVAL, field.from = PEV_PROBE_RESULT);
	REFUSED(EINVAL, field.from = PEV_PROBE_DURATION);
	REFUSED(EINVAL, field.number = 100);
	REFUSED(EINVAL, (field.from = PEV_PROBE_REGISTER, field.number = 64));
	REFUSED(EINVAL, (field.from = PEV_PROBE_REGISTER, field.number = ~0U));
	REFUSED(EINVAL, (field.from = PEV_PROBE_STACK, field.number = ~0U));
	REFUSED(EINVAL, (field.from = PEV_PROBE_CONSTANT, field.nr_loads = 1));
	REFUSED(EINVAL, (field.from = PEV_PROBE_CONSTANT, field.number = 1));
	REFUSED(EINVAL, (field.from = PEV_PROBE_CONSTANT, field.offsets[1] = 1));
	REFUSED(EINVAL, (field.from = PEV_PROBE_CONSTANT, field.type = PEV_PROBE_TEXT));
	REFUSED(EINVAL, field.nr_loads = PEV_MAX_PROBE_LOADS + 1);
	REFUSED(EINVAL, field.offsets[0] = 1);
	REFUSED(EINVAL, field.flags = PEV_PROBE_USER_MEMORY);
	REFUSED(EINVAL, field.flags = 0x80);
	REFUSED(EINVAL, field.limit = 8);
	REFUSED(EINVAL, field.type = PEV_PROBE_TEXT);
	REFUSED(EINVAL, (field.type = PEV_PROBE_TEXT, field.nr_loads = 1, field.limit = 1));
	REFUSED(EINVAL, (field.type = PEV_PROBE_TEXT, field.nr_loads = 1, field.limit = 1000));
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_USER_RETURN, field.number = 0));
}

TEST_F(probe, refused_in_the_kernel)
{
	REFUSED(EINVAL, probe.kind = PEV_PROBE_KERNEL);
	REFUSED(ENOENT,
		(probe.kind = PEV_PROBE_KERNEL, probe.fd = 0, place.name = NONE, place.offset = 0));
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_KERNEL, probe.fd = 0, place.name = OPEN,
			 place.offset = 1ULL << 32));
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_KERNEL, probe.fd = 0, place.name = OPEN,
			 place.offset = 1 << 20));
	EXPECT_NE(NULL, strstr(pev_reason(), "beyond the end of do_filp_open"));
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_KERNEL, probe.fd = 0, place.name = UNPROBED,
			 place.offset = 0));
	EXPECT_NE(NULL, strstr(pev_reason(), "code that probes themselves need"));
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_KERNEL_RETURN, probe.fd = 0, probe.nr_fields = 0,
			 place.name = OPEN, place.offset = 4));
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_KERNEL_RETURN, probe.fd = 0, probe.nr_fields = 0,
			 place.name = OPEN, place.offset = 0, probe.max_active = ~0U));
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_FUNCTION, probe.fd = 0, place.name = OPEN,
			 place.offset = 4));
	REFUSED(ENOENT, (probe.kind = PEV_PROBE_FUNCTION, probe.fd = 0, place.name = NONE,
			 place.offset = 0));
	REFUSED(EOPNOTSUPP, (probe.kind = PEV_PROBE_FUNCTION, probe.fd = 0, place.name = UNTRACED,
			     place.offset = 0));
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_FUNCTION, probe.fd = 0, place.name = OPEN,
			 place.offset = 0, field.from = PEV_PROBE_RESULT));
#ifdef __aarch64__
	/* x9, which the trap of a probe saves, and ftrace does not */
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_FUNCTION, probe.fd = 0, place.name = OPEN,
			 place.offset = 0, field.from = PEV_PROBE_REGISTER, field.number = 9));
	EXPECT_NE(NULL, strstr(pev_reason(), "there is no register 9"));
#endif
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_FUNCTION, probe.fd = 0, place.name = OPEN,
			 place.offset = 0, probe.max_active = 1));
	make_kernel(&self->probe, self->places, PEV_PROBE_FUNCTION);
	self->places[1] = self->places[0];
	self->probe.nr_places = 2;
	EXPECT_EQ(-EINVAL, open_probe(&self->probe, -1));
	EXPECT_NE(NULL, strstr(pev_reason(), "has already"));
}

TEST_F(probe, names_of_fields)
{
	static const char *const bad[] = {
		"",    "1x",	"a b",	  "a\"b",
		"a;b", "place", "faults", "x23456789012345678901234567890123",
	};

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char names[64] = "work";
		size_t len = 5 + strlen(bad[i]) + 1;

		memcpy(names + 5, bad[i], len - 5);
		self->fields[0].name = 5;
		self->probe.strings = (uintptr_t)names;
		self->probe.strings_size = len;
		self->probe.nr_fields = 1;
		EXPECT_EQ(-EINVAL, open_probe(&self->probe, -1)) TH_LOG("\"%s\"", bad[i]);
	}
	/* two of a name */
	self->probe.strings = (uintptr_t)strings;
	self->probe.strings_size = sizeof(strings);
	self->probe.nr_fields = 2;
	self->fields[0].name = TEXT;
	EXPECT_EQ(-EINVAL, open_probe(&self->probe, -1));
}

TEST_F(probe, rights)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		int ret = setgid(12345) || setuid(12345);

		ret = ret || open_probe(&self->probe, -1) != -EACCES ||
		      !strstr(pev_reason(), "CAP_PERFMON");
		make_kernel(&self->probe, self->places, PEV_PROBE_KERNEL);
		_exit(ret || open_probe(&self->probe, -1) != -EACCES);
	}
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
