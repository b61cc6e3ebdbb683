// SPDX-License-Identifier: GPL-2.0
/* Probes in the kernel and in this program. */
#include <sys/wait.h>
#include "probe_util.h"

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
	/* in one ring, records come in the order of the calls */
	ASSERT_EQ(0, pev_pin(sched_getcpu()));
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
	/* in one ring, records come in the order of the calls */
	ASSERT_EQ(0, pev_pin(sched_getcpu()));
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

	/* what it traces itself keeps it on: tests/module/run has that */
	if (!access("/sys/module/pev/refcnt", F_OK))
		SKIP(return, "pev is a module");
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

TEST_HARNESS_MAIN
