// SPDX-License-Identifier: GPL-2.0
/* Probes in the kernel and in this program. */
#include <pthread.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_place.h"
#include "pev_util.h"

#define PR	PEV_TYPE_PROBE
#define NR	100

/*
 * The probed functions. Called by pointers, so that they begin where these point. Of a page
 * of 64 KiB that gets a breakpoint, QEMU 7.2 forgets what it translated of the first 4 KiB
 * only, and goes on with the old code of the others until another process runs.
 */
#define PROBED	__attribute__((noinline, aligned(65536)))

static PROBED long work(long number, const char *text)
{
	asm volatile("" : : "r"(number), "r"(text) : "memory");
	return number * 2;
}

static PROBED long play(long number, const char *text)
{
	asm volatile("" : : "r"(number), "r"(text) : "memory");
	return number * 3;
}

static long (*volatile work_fn)(long number, const char *text) = work;
static long (*volatile play_fn)(long number, const char *text) = play;

/* A new program of the subtree that works and ends. */
static __attribute__((constructor)) void be_worker(void)
{
	const char *nr = getenv("PROBE_TEST_WORK");

	for (int i = 0; nr && i < atoi(nr); i++)
		work_fn(i, "worker");
	if (nr)
		_exit(0);
}

FIXTURE(probe) {
	int			channel;
	struct pev_map		map;
	int			exe;
	struct pev_probe	probe;
	struct pev_probe_place	places[4];
	struct pev_probe_field	fields[4];
};

/* Offsets in @strings. */
static const char strings[] = "work\0play\0number\0text\0do_filp_open\0result\0time\0"
			      "no_such_function\0pev_probe_hit";
enum { WORK = 0, PLAY = 5, NUMBER = 10, TEXT = 17, OPEN = 22, RESULT = 35, TIME = 42, NONE = 47,
       UNTRACED = 64 };

FIXTURE_SETUP(probe)
{
	PEV_NEEDS_ROOT(return);
	self->channel = pev_open_channel(1 << 18, 0, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	self->exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->exe);
	self->probe = (struct pev_probe){
		.size = sizeof(self->probe), .kind = PEV_PROBE_USER, .fd = self->exe,
		.nr_places = 1, .places = (uintptr_t)self->places,
		.fields = (uintptr_t)self->fields,
		.strings = (uintptr_t)strings, .strings_size = sizeof(strings),
	};
	self->places[0] = (struct pev_probe_place){ .name = WORK, .offset = pev_place_of(work) };
	self->places[1] = (struct pev_probe_place){ .name = PLAY, .offset = pev_place_of(play) };
	ASSERT_NE(0, self->places[0].offset);
	self->fields[0] = (struct pev_probe_field){
		.name = NUMBER, .type = PEV_PROBE_S64, .from = PEV_PROBE_ARGUMENT };
	self->fields[1] = (struct pev_probe_field){
		.name = TEXT, .type = PEV_PROBE_TEXT, .from = PEV_PROBE_ARGUMENT, .number = 1,
		.nr_loads = 1 };
}

FIXTURE_TEARDOWN(probe)
{
	pev_unmap_channel(&self->map);
	close(self->channel);
	close(self->exe);
}

static struct pev_attr attr_of(const struct pev_probe *probe, int channel)
{
	return (struct pev_attr){
		.type = PR, .target = PEV_TARGET_PROCESS, .flags = PEV_F_DISABLED,
		.name = (uintptr_t)"a_probe", .config = (uintptr_t)probe,
		.channel_fd = channel, .group_fd = -1,
		.period = channel >= 0, .sample = channel >= 0 ? PEV_SAMPLE_TID : 0,
	};
}

static int open_probe(const struct pev_probe *probe, int channel)
{
	struct pev_attr attr = attr_of(probe, channel);

	return pev_open(&attr);
}

static void make_kernel(struct pev_probe *probe, struct pev_probe_place *place, uint32_t kind)
{
	probe->kind = kind;
	probe->fd = 0;
	*place = (struct pev_probe_place){ .name = OPEN };
}

/* What follows struct pev_probe_record with a number and a text. */
struct payload {
	struct pev_probe_record	head;
	uint32_t		pad;
	int64_t			number;
	uint16_t		off;
	uint16_t		len;
};

#define PAYLOAD_SIZE	((int)offsetofend(struct payload, len))
#ifndef offsetofend
#define offsetofend(type, member)	(offsetof(type, member) + sizeof(((type *)0)->member))
#endif

/* Calls @check for each record of event 0; returns their number, -1: a ring is damaged. */
static int each_record(const struct pev_map *map, int size,
		       void (*check)(struct __test_metadata *_metadata, const uint8_t *payload,
				     int nr), struct __test_metadata *_metadata)
{
	struct pev_record record;
	int more = 0, nr = 0;

	for (unsigned int cpu = 0; cpu < map->nr && more >= 0; cpu++) {
		struct pev_walk walk = pev_walk_begin(map, cpu, &size, 1);

		while ((more = pev_walk_next(&walk, &record)) > 0)
			check(_metadata, record.payload, nr++);
	}
	return more < 0 ? -1 : nr;
}

static void check_work(struct __test_metadata *_metadata, const uint8_t *payload, int nr)
{
	struct payload p;

	memcpy(&p, payload, PAYLOAD_SIZE);
	EXPECT_EQ(0, p.head.place);
	EXPECT_EQ(0, p.head.faults);
	EXPECT_EQ(0, p.pad);
	EXPECT_EQ(nr, p.number);
	EXPECT_EQ(8 + PAYLOAD_SIZE, p.off);
	EXPECT_EQ(6, p.len);
	EXPECT_EQ(0, memcmp(payload + p.off - 8, "hello", 6));
}

TEST_F(probe, user)
{
	struct pev_value value;
	char *metadata;
	int fd;

	self->probe.nr_fields = 2;
	fd = open_probe(&self->probe, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	work_fn(-1, "before");
	pev_on(fd);
	for (int i = 0; i < NR; i++)
		work_fn(i, "hello");
	pev_off(fd);
	work_fn(-1, "after");
	value = pev_read(fd);
	EXPECT_EQ(NR, value.value);
	EXPECT_EQ(NR, value.samples);
	EXPECT_EQ(0, value.lost);
	EXPECT_EQ(NR, each_record(&self->map, -PAYLOAD_SIZE, check_work, _metadata));
	metadata = pev_read_text(self->channel);
	EXPECT_NE(NULL, strstr(metadata, "\"work\" = 0,"));
	EXPECT_NE(NULL, strstr(metadata, "int64_t _number;"));
	EXPECT_NE(NULL, strstr(metadata, "text_t _text[_text_len];"));
	free(metadata);
	close(fd);
}

static void check_result(struct __test_metadata *_metadata, const uint8_t *payload, int nr)
{
	struct payload p;

	memcpy(&p, payload, offsetof(struct payload, off));
	EXPECT_EQ(0, p.head.faults);
	EXPECT_EQ(2 * nr, p.number);
}

TEST_F(probe, user_return)
{
	int fd;

	self->probe.kind = PEV_PROBE_USER_RETURN;
	self->probe.nr_fields = 1;
	self->fields[0] = (struct pev_probe_field){
		.name = RESULT, .type = PEV_PROBE_S64, .from = PEV_PROBE_RESULT };
	fd = open_probe(&self->probe, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < NR; i++)
		EXPECT_EQ(2 * i, work_fn(i, "hello"));
	pev_off(fd);
	EXPECT_EQ(NR, pev_read(fd).value);
	EXPECT_EQ(NR, each_record(&self->map, offsetof(struct payload, off), check_result,
				  _metadata));
	close(fd);
}

static void check_fault(struct __test_metadata *_metadata, const uint8_t *payload, int nr)
{
	struct payload p;

	memcpy(&p, payload, PAYLOAD_SIZE);
	EXPECT_EQ(2, p.head.faults);
	EXPECT_EQ(1, p.len);
	EXPECT_EQ(0, payload[p.off - 8]);
}

/* What can't be read is said to be so: an unmapped page, and the kernel's. */
TEST_F(probe, faults)
{
	int fd;

	self->probe.nr_fields = 2;
	fd = open_probe(&self->probe, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	work_fn(0, NULL);
	work_fn(1, (void *)16);
	work_fn(2, (void *)0xffffffff81000000UL);
	work_fn(3, (void *)0xc000000000000000UL);
	pev_off(fd);
	EXPECT_EQ(4, each_record(&self->map, -PAYLOAD_SIZE, check_fault, _metadata));
	close(fd);
}

/* A filter on numbers, on texts, on the place; several places are one event. */
TEST_F(probe, filter)
{
	static const struct { const char *filter; uint64_t value; } cases[] = {
		{ "number >= 90", 20 }, { "text == \"work\"", NR }, { "text ~ \"pl*\"", NR },
		{ "place == 1 && number < 5", 5 }, { "faults != 0", 0 }, { "number < 0", 0 },
	};

	self->probe.nr_places = 2;
	self->probe.nr_fields = 2;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pev_attr attr = attr_of(&self->probe, self->channel);
		struct pev_value value;
		int fd;

		attr.filter = (uintptr_t)cases[i].filter;
		fd = pev_open(&attr);
		ASSERT_LE(0, fd) TH_LOG("%s: %s", cases[i].filter, pev_reason());
		pev_on(fd);
		for (int k = 0; k < NR; k++) {
			work_fn(k, "work");
			play_fn(k, "play");
		}
		pev_off(fd);
		value = pev_read(fd);
		EXPECT_EQ(cases[i].value, value.value) TH_LOG("%s", cases[i].filter);
		EXPECT_EQ(cases[i].value, value.samples);
		EXPECT_EQ(2 * NR - cases[i].value, value.filtered);
		close(fd);
	}
}

static void open_files(int nr)
{
	for (int i = 0; i < nr; i++)
		close(open("/dev/null", O_RDONLY));
}

static void check_open(struct __test_metadata *_metadata, const uint8_t *payload, int nr)
{
	struct payload p;

	memcpy(&p, payload, PAYLOAD_SIZE);
	EXPECT_EQ(0, p.head.faults);
	EXPECT_EQ(AT_FDCWD, (int32_t)p.number);
	EXPECT_EQ(10, p.len);
	EXPECT_EQ(0, memcmp(payload + p.off - 8, "/dev/null", 10));
}

/* do_filp_open(int dfd, struct filename *), which begins with the name's address */
TEST_F(probe, kernel)
{
	struct pev_value value;
	int fd;

	make_kernel(&self->probe, self->places, PEV_PROBE_KERNEL);
	self->probe.nr_fields = 2;
	self->fields[1].nr_loads = 2;
	fd = open_probe(&self->probe, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	open_files(NR);
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(NR, value.value);
	EXPECT_EQ(NR, value.samples);
	EXPECT_EQ(NR, each_record(&self->map, -PAYLOAD_SIZE, check_open, _metadata));
	close(fd);
}

/* The same, at the same function, without a trap. */
TEST_F(probe, function)
{
	struct pev_value value;
	char *metadata;
	int fd;

	make_kernel(&self->probe, self->places, PEV_PROBE_FUNCTION);
	self->probe.nr_fields = 2;
	self->fields[1].nr_loads = 2;
	fd = open_probe(&self->probe, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	open_files(NR);
	pev_on(fd);
	open_files(NR);
	pev_off(fd);
	open_files(NR);
	value = pev_read(fd);
	EXPECT_EQ(NR, value.value);
	EXPECT_EQ(NR, value.samples);
	EXPECT_EQ(NR, each_record(&self->map, -PAYLOAD_SIZE, check_open, _metadata));
	metadata = pev_read_text(self->channel);
	EXPECT_NE(NULL, strstr(metadata, "\"do_filp_open\" = 0,"));
	free(metadata);
	close(fd);
}

TEST_F(probe, function_filter)
{
	struct pev_value value;
	struct pev_attr attr;
	int fd;

	make_kernel(&self->probe, self->places, PEV_PROBE_FUNCTION);
	self->probe.nr_fields = 2;
	self->fields[1].nr_loads = 2;
	attr = attr_of(&self->probe, self->channel);
	attr.filter = (uintptr_t)"text == \"/dev/zero\"";
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	open_files(NR);
	close(open("/dev/zero", O_RDONLY));
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(1, value.value);
	EXPECT_EQ(NR, value.filtered);
	close(fd);
}

/* Names of the kernel's functions, no more than @max, from @strings; returns how many. */
static unsigned int some_functions(struct pev_probe_place *places, unsigned int max, char *names,
				   size_t size, size_t *used)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], type, name[256];
	unsigned int nr = 0;

	*used = 0;
	while (f && nr < max && fgets(line, sizeof(line), f)) {
		size_t len;

		if (sscanf(line, "%*x %c %255s", &type, name) != 2 || !strchr("tT", type))
			continue;
		len = strlen(name) + 1;
		if (len > PEV_MAX_PROBE_NAME || *used + len > size)
			continue;
		memcpy(names + *used, name, len);
		places[nr++] = (struct pev_probe_place){ .name = *used };
		*used += len;
	}
	if (f)
		fclose(f);
	return nr;
}

/* As many as there may be, among them what probes themselves call. */
TEST_F(probe, functions_by_thousands)
{
	struct pev_probe_place *places = calloc(PEV_MAX_PROBE_PLACES, sizeof(*places));
	int32_t *results = calloc(PEV_MAX_PROBE_PLACES, sizeof(*results));
	char *names = malloc(PEV_MAX_PROBE_STRINGS);
	unsigned int attached = 0;
	struct pev_attr attr;
	size_t used;
	int fd;

	ASSERT_TRUE(places && results && names);
	self->probe.kind = PEV_PROBE_FUNCTION;
	self->probe.fd = 0;
	self->probe.nr_places = some_functions(places, PEV_MAX_PROBE_PLACES, names,
					       PEV_MAX_PROBE_STRINGS, &used);
	self->probe.places = (uintptr_t)places;
	self->probe.strings = (uintptr_t)names;
	self->probe.strings_size = used;
	self->probe.flags = PEV_PROBE_F_SKIP;
	self->probe.results = (uintptr_t)results;
	attr = attr_of(&self->probe, self->channel);
	attr.target = PEV_TARGET_CPUS;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	for (unsigned int i = 0; i < self->probe.nr_places; i++)
		attached += !results[i];
	EXPECT_LT(self->probe.nr_places / 4, attached);
	pev_on(fd);
	open_files(NR);
	for (int i = 0; i < 1000 && !pev_read(fd).value; i++)
		usleep(1000);
	pev_off(fd);
	EXPECT_NE(0, pev_read(fd).value);
	close(fd);
	free(places);
	free(results);
	free(names);
}

static int write_enabled(const char *text)
{
	int fd = open("/proc/sys/kernel/ftrace_enabled", O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

/* Probes that were closed are removed a little later, and hold it until then. */
static int switch_ftrace_off(void)
{
	int err = -EBUSY;

	for (int i = 0; i < 3000 && err == -EBUSY; i++) {
		err = write_enabled("0");
		if (err)
			usleep(10000);
	}
	return err;
}

/* Such a probe can't be silenced. */
TEST_F(probe, functions_while_ftrace_is_off)
{
	int fd;

	make_kernel(&self->probe, self->places, PEV_PROBE_FUNCTION);
	ASSERT_EQ(0, switch_ftrace_off());
	EXPECT_EQ(-EBUSY, open_probe(&self->probe, -1));
	EXPECT_NE(NULL, strstr(pev_reason(), "ftrace_enabled"));
	ASSERT_EQ(0, write_enabled("1"));
	fd = open_probe(&self->probe, -1);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	EXPECT_EQ(-EBUSY, write_enabled("0"));
	close(fd);
}

static void check_time(struct __test_metadata *_metadata, const uint8_t *payload, int nr)
{
	uint64_t word[2];

	memcpy(word, payload + 8, sizeof(word));
	EXPECT_NE(0, word[0]);
	EXPECT_NE(0, word[1]);
	EXPECT_GT(1000000000000ULL, word[1]);
}

TEST_F(probe, kernel_return)
{
	int fd;

	make_kernel(&self->probe, self->places, PEV_PROBE_KERNEL_RETURN);
	self->probe.nr_fields = 2;
	self->fields[0] = (struct pev_probe_field){
		.name = RESULT, .type = PEV_PROBE_X64, .from = PEV_PROBE_RESULT };
	self->fields[1] = (struct pev_probe_field){
		.name = TIME, .type = PEV_PROBE_U64, .from = PEV_PROBE_DURATION };
	fd = open_probe(&self->probe, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	open_files(NR);
	pev_off(fd);
	EXPECT_EQ(NR, pev_read(fd).value);
	EXPECT_EQ(NR, each_record(&self->map, 24, check_time, _metadata));
	close(fd);
}

static void check_constants(struct __test_metadata *_metadata, const uint8_t *payload, int nr)
{
	int8_t byte;
	int64_t word;

	memcpy(&byte, payload + 4, sizeof(byte));
	memcpy(&word, payload + 8, sizeof(word));
	EXPECT_EQ(-3, byte);
	EXPECT_EQ(-0x123456789abcLL, word);
}

TEST_F(probe, constants)
{
	int fd;

	self->probe.nr_fields = 2;
	self->fields[0] = (struct pev_probe_field){
		.name = NUMBER, .type = PEV_PROBE_S8, .from = PEV_PROBE_CONSTANT,
		.offsets = { -3 } };
	self->fields[1] = (struct pev_probe_field){
		.name = RESULT, .type = PEV_PROBE_S64, .from = PEV_PROBE_CONSTANT,
		.offsets = { -0x123456789abcLL } };
	fd = open_probe(&self->probe, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < NR; i++)
		work_fn(i, "a");
	pev_off(fd);
	EXPECT_EQ(NR, each_record(&self->map, 16, check_constants, _metadata));
	close(fd);
}

/* More calls under way than there is room for: they are lost, and counted. */
TEST_F(probe, kernel_return_misses)
{
	static char names[] = "hrtimer_nanosleep\0result";
	struct pev_value value = { };
	struct pev_attr attr;
	pid_t pids[4];
	int fd;

	make_kernel(&self->probe, self->places, PEV_PROBE_KERNEL_RETURN);
	self->places[0].name = 0;
	self->probe.strings = (uintptr_t)names;
	self->probe.strings_size = sizeof(names);
	self->probe.max_active = 1;
	attr = attr_of(&self->probe, -1);
	attr.target = PEV_TARGET_CPUS;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		if (!pids[i])
			for (;;)
				usleep(10000);
	}
	for (int i = 0; i < 2000 && !value.lost; i++) {
		usleep(10000);
		value = pev_read(fd);
	}
	EXPECT_NE(0, value.lost);
	for (int i = 0; i < 4; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	pev_off(fd);
	EXPECT_EQ(0, ioctl(fd, PEV_IOC_RESET, 0));
	EXPECT_EQ(0, pev_read(fd).lost);
	close(fd);
}

/* A process that is not in the target keeps its code, at places of the same file. */
TEST_F(probe, others_keep_their_code)
{
	unsigned long before, after;
	int to[2], from[2], status = -1, fd;
	char byte = 0;
	pid_t pid;

	memcpy(&before, (void *)work_fn, sizeof(before));
	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(from));
	pid = fork();
	if (!pid) {
		if (read(to[0], &byte, 1) != 1)
			_exit(2);
		memcpy(&after, (void *)work_fn, sizeof(after));
		_exit(before != after);
	}
	fd = open_probe(&self->probe, -1);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	memcpy(&after, (void *)work_fn, sizeof(after));
	EXPECT_NE(before, after);
	ASSERT_EQ(1, write(to[1], &byte, 1));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(fd);
	/* closed events are removed a little later */
	for (int i = 0; i < 1000 && before != after; i++) {
		usleep(10000);
		memcpy(&after, (void *)work_fn, sizeof(after));
	}
	EXPECT_EQ(before, after);
}

/* What a subtree starts later is probed from its first instruction on. */
TEST_F(probe, exec)
{
	struct pev_attr attr = attr_of(&self->probe, -1);
	int status = -1, fd;
	pid_t pid;

	attr.target = PEV_TARGET_SUBTREE;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	pid = fork();
	if (!pid) {
		work_fn(0, "before");
		setenv("PROBE_TEST_WORK", "77", 1);
		execl("/proc/self/exe", "probe_test", NULL);
		_exit(2);
	}
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	pev_off(fd);
	EXPECT_EQ(78, pev_read(fd).value);
	close(fd);
}

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

#define REFUSED(error, change)                                                        \
	do {                                                                          \
		struct pev_probe probe = self->probe;                                 \
		struct pev_probe_place place = self->places[0];                       \
		struct pev_probe_field field = self->fields[0];                       \
		int ret;                                                              \
										      \
		probe.places = (uintptr_t)&place;                                     \
		probe.fields = (uintptr_t)&field;                                     \
		probe.nr_fields = 1;                                                  \
		change;                                                               \
		ret = open_probe(&probe, -1);                                         \
		EXPECT_EQ(-(error), ret) TH_LOG(#change ": %s", pev_reason());        \
		EXPECT_EQ(offsetof(struct pev_attr, config), pev_why.head.field)      \
			TH_LOG(#change);                                              \
		EXPECT_LT(10, strlen(pev_reason()));                                  \
		if (ret >= 0)                                                         \
			close(ret);                                                   \
	} while (0)

TEST_F(probe, refused)
{
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
	REFUSED(EINVAL, place.name = sizeof(strings));
	REFUSED(EINVAL, place.name = ~0U);
	REFUSED(EINVAL, place.name = sizeof(strings) - 1);
	REFUSED(EINVAL, place.reserved = 1);
	REFUSED(EINVAL, place.offset = 1ULL << 63);
	REFUSED(EINVAL, place.offset = 1ULL << 40);
	REFUSED(EINVAL, place.semaphore = 1ULL << 63);
	REFUSED(EINVAL, field.name = sizeof(strings));
	REFUSED(EINVAL, field.name = sizeof(strings) - 1);
	REFUSED(EINVAL, field.type = PEV_PROBE_TYPE_MAX);
	REFUSED(EINVAL, field.from = PEV_PROBE_FROM_MAX);
	REFUSED(EINVAL, field.from = PEV_PROBE_RESULT);
	REFUSED(EOPNOTSUPP, field.from = PEV_PROBE_DURATION);
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
	REFUSED(EINVAL, probe.kind = PEV_PROBE_KERNEL);
	REFUSED(ENOENT, (probe.kind = PEV_PROBE_KERNEL, probe.fd = 0, place.name = NONE,
			 place.offset = 0));
	REFUSED(EINVAL, (probe.kind = PEV_PROBE_KERNEL, probe.fd = 0, place.name = OPEN,
			 place.offset = 1ULL << 32));
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
		"", "1x", "a b", "a\"b", "a;b", "place", "faults", "x23456789012345678901234567890123",
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

/* Probes that come and go while others hit them. */
static void *busy(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
		work_fn(1, "busy");
		close(open("/dev/null", O_RDONLY));
	}
	return NULL;
}

TEST_F(probe, race)
{
	static const uint32_t kinds[] = { PEV_PROBE_USER, PEV_PROBE_USER_RETURN,
					  PEV_PROBE_KERNEL, PEV_PROBE_KERNEL_RETURN,
					  PEV_PROBE_FUNCTION };
	const unsigned int nr_kinds = sizeof(kinds) / sizeof(*kinds);
	pthread_t thread[2];
	int stop = 0;

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, busy, &stop));
	for (int i = 0; i < 4 * nr_kinds; i++) {
		struct pev_probe probe = self->probe;
		struct pev_probe_place place = self->places[0];
		struct pev_value value = { };
		int fd;

		probe.places = (uintptr_t)&place;
		if (kinds[i % nr_kinds] == PEV_PROBE_USER_RETURN)
			probe.kind = PEV_PROBE_USER_RETURN;
		else if (kinds[i % nr_kinds] != PEV_PROBE_USER)
			make_kernel(&probe, &place, kinds[i % nr_kinds]);
		fd = open_probe(&probe, self->channel);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pev_on(fd);
		for (int k = 0; k < 10000 && !value.value; k++) {
			usleep(1000);
			value = pev_read(fd);
		}
		EXPECT_NE(0, value.value) TH_LOG("kind %u, lost %llu", kinds[i % nr_kinds], (unsigned long long)value.lost);
		close(fd);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

TEST_HARNESS_MAIN
