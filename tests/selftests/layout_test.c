// SPDX-License-Identifier: GPL-2.0
/*
 * PEV_IOC_ID says enough to walk raw rings: events of every type, with every kind
 * of sample, and the next record is found by struct pev_id where the channel's
 * metadata has it.
 */
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "layout_decode.h"
#include "pev_sample.h"
#include "pev_util.h"

#define MAX_EVENTS	4096
#define MAX_LENGTHS	64
#define MAX_RECORDS	65536
#define PACKET		(1U << 16)

/* An event that writes records, and what it says of them */
struct writer {
	char		name[128];
	int		fd;
	struct pev_id	id;
	uint16_t	lengths[MAX_LENGTHS];
	unsigned int	seen;
};

FIXTURE(layout) {
	int		channel;
	struct pev_map	map;
	struct writer	*writers;
	unsigned int	nr;
};

FIXTURE_SETUP(layout)
{
	struct rlimit files = { MAX_EVENTS + 64, MAX_EVENTS + 64 };

	PEV_NEEDS_ROOT(return );
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	self->channel = pev_open_channel(16 << 20, PACKET, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	self->writers = calloc(MAX_EVENTS, sizeof(*self->writers));
	self->nr = 0;
}

FIXTURE_TEARDOWN(layout)
{
	for (unsigned int i = 0; i < self->nr; i++)
		close(self->writers[i].fd);
	pev_sample_unload();
	free(self->writers);
	close(self->channel);
}

/* Each event has another of them: what a record carries, and what sizes it has. */
static uint64_t pick_sample(unsigned int nr)
{
	static const uint64_t samples[] = {
		PEV_SAMPLE_TID,
		0,
		PEV_SAMPLE_TID | PEV_SAMPLE_PID,
		PEV_SAMPLE_TID | PEV_SAMPLE_PID | PEV_SAMPLE_IP | PEV_SAMPLE_ADDR |
			PEV_SAMPLE_PERIOD | PEV_SAMPLE_CPU,
		PEV_SAMPLE_TID | PEV_SAMPLE_KSTACK,
		PEV_SAMPLE_USTACK | PEV_SAMPLE_UREGS,
		PEV_SAMPLE_READ,
		PEV_SAMPLE_USTACK_DUMP,
		~0ULL,
	};

	return samples[nr % (sizeof(samples) / sizeof(*samples))] & pev_any_sample();
}

/* An event of the whole machine that is off; -1: it can't be had */
static int add(struct __test_metadata *_metadata, FIXTURE_DATA(layout) *self, const char *name,
	       struct pev_attr attr)
{
	struct writer *w = &self->writers[self->nr];

	attr.target = PEV_TARGET_CPUS;
	attr.channel_fd = self->channel;
	attr.group_fd = -1;
	attr.flags |= PEV_F_DISABLED;
	if (!attr.period && attr.type != PEV_TYPE_SIDEBAND)
		attr.period = 1;
	attr.sample = pick_sample(self->nr);
	if (attr.sample & PEV_SAMPLE_UREGS)
		attr.regs_user = pev_get_info().regs_user;
	if (attr.sample & PEV_SAMPLE_USTACK_DUMP)
		attr.stack_user = 64;
	if (self->nr == MAX_EVENTS)
		return -1;
	w->fd = pev_open(&attr);
	EXPECT_LE(0, w->fd) TH_LOG("%s: %s", name, pev_reason());
	if (w->fd < 0)
		return -1;
	snprintf(w->name, sizeof(w->name), "%s", name);
	w->id = (struct pev_id) {
		.size = sizeof(w->id), .lengths = (uintptr_t)w->lengths,
		.nr_lengths = MAX_LENGTHS,
	};
	EXPECT_EQ(0, ioctl(w->fd, PEV_IOC_ID, &w->id));
	EXPECT_EQ(attr.sample, w->id.sample);
	EXPECT_GE(MAX_LENGTHS, w->id.nr_lengths);
	self->nr++;
	return 0;
}

/* All of one type of the catalog, or every one of @step */
static unsigned int add_catalog(struct __test_metadata *_metadata, FIXTURE_DATA(layout) * self,
				const char *type, unsigned int step, struct pev_attr attr)
{
	struct pev_attr catalog = { .type = PEV_TYPE_CATALOG };
	int fd = pev_open(&catalog);
	char *text = pev_read_text(fd), *line, *save, *name;
	unsigned int nr = 0, at = 0;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, type, strlen(type)) || line[strlen(type)] != ' ')
			continue;
		if (at++ % step)
			continue;
		name = line + strlen(type) + 1;
		name[strcspn(name, " ")] = '\0';
		attr.name = (uintptr_t)name;
		nr += !add(_metadata, self, name, attr);
	}
	free(text);
	close(fd);
	return nr;
}

static uint64_t load64(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* The reader of the header's comment: bytes of the record at @rec, 0: no such event. */
static uint64_t record_size(FIXTURE_DATA(layout) *self, const uint8_t *rec, uint32_t *id)
{
	const uint8_t *p = rec + 4, *payload;
	const struct pev_id *say;
	uint32_t word;

	memcpy(&word, rec, sizeof(word));
	*id = word & PEV_ID_EXTENDED;
	if (*id == PEV_ID_EXTENDED) {
		*id = word >> PEV_ID_BITS;
		p += 8;
	}
	/* ids are given out in order, 31 is left out */
	word = *id > PEV_ID_EXTENDED ? *id - 1 : *id;
	if (word >= self->nr)
		return 0;
	say = &self->writers[word].id;
	self->writers[word].seen++;
	p += say->fixed_size;
	if (say->varying & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK))
		p += 8 + 8 * (((const uint32_t *)p)[0] + ((const uint32_t *)p)[1]);
	if (say->varying & PEV_SAMPLE_UREGS)
		p += 8 + 8 * load64(p);
	if (say->varying & PEV_SAMPLE_READ)
		p += 8 + 8 * load64(p);
	if (say->varying & PEV_SAMPLE_USTACK_DUMP)
		p += 8 + load64(p);
	payload = p;
	p += say->payload_size;
	for (unsigned int i = 0; i < say->nr_lengths; i++) {
		uint16_t len;

		memcpy(&len, payload + self->writers[word].lengths[i], sizeof(len));
		p += len;
	}
	return (p - rec + 7) / 8 * 8;
}

/* Both walks over one packet; the number of records, -1 if they part ways. */
static int compare(struct __test_metadata *_metadata, FIXTURE_DATA(layout) *self,
		   struct pev_meta *meta, const struct pev_packet *p)
{
	static struct layout_record records[MAX_RECORDS];
	uint64_t at = sizeof(*p), end = p->content_size / 8, size;
	int nr = layout_decode(meta, p, p->packet_size / 8, records, MAX_RECORDS);
	const char *before = "(the packet's begin)";
	uint32_t id = 0;

	EXPECT_LE(0, nr) TH_LOG("the packet is damaged");
	for (int i = 0; i < nr; i++) {
		size = at < end ? record_size(self, (const uint8_t *)p + at, &id) : 0;
		if (at != records[i].at || !size || id != records[i].id) {
			EXPECT_EQ(records[i].at, at) TH_LOG("behind %s", before);
			EXPECT_EQ(records[i].id, id) TH_LOG("behind %s", before);
			return -1;
		}
		before = self->writers[id > PEV_ID_EXTENDED ? id - 1 : id].name;
		at += size;
	}
	EXPECT_EQ(end, at) TH_LOG("behind %s", before);
	return nr;
}

static void *other_thread(void *arg)
{
	return arg;
}

/* Something of everything, for processes that come and go. */
static void work(void)
{
	char *const argv[] = { "/bin/sh", "-c", "cat /proc/self/maps >/dev/null; exit 0", NULL };
	char path[] = "/tmp/pev-layout-XXXXXX";
	int status, fd = mkstemp(path);
	pthread_t thread;
	pid_t pid;

	pev_nr_cpus();		/* a marker of the system call */
	pev_sample_fire("task", 5);
	for (unsigned int i = 0; i < 4; i++) {
		pid = fork();
		if (!pid) {
			execv(argv[0], argv);
			_exit(1);
		}
		waitpid(pid, &status, 0);
		if (write(fd, "some text", 9) == 9)
			lseek(fd, 0, SEEK_SET);
		free(memset(malloc(1 << 20), 1, 1 << 20));
	}
	if (!pthread_create(&thread, NULL, other_thread, NULL))
		pthread_join(thread, NULL);
	close(fd);
	unlink(path);
}

TEST_F_TIMEOUT(layout, every_type, 300)
{
	static const char *const types[] = {
		"software", "timer", "tracepoint", "marker", "sideband", "text",
	};
	/*
	 * Each interrupt reaches dozens of tracepoints, and on a debugging kernel their records take
	 * longer than the time to the next one: timers are held to their part of a CPU, but what
	 * root has recorded meanwhile is not. There, a quarter of them, and fewer interrupts.
	 */
	const unsigned int step = pev_kernel_is_slow() ? 4 : 1;
	const uint64_t tick = (pev_kernel_is_slow() ? 100 : 2) * 1000000ULL;
	unsigned int first[7], seen[6] = { 0 }, dynamic = 0, records = 0, packets = 0;
	struct pev_meta *meta;
	char *text;

	for (unsigned int i = PEV_SW_PAGE_FAULTS; i <= PEV_SW_CPU_MIGRATIONS; i++) {
		first[0] = 0;
		ASSERT_EQ(0, add(_metadata, self, "software", (struct pev_attr) {
			.type = PEV_TYPE_SOFTWARE, .config = i }));
	}
	first[1] = self->nr;
	for (unsigned int i = 0; i < 9; i++)
		ASSERT_EQ(0, add(_metadata, self, "timer",
				 (struct pev_attr){ .type = PEV_TYPE_TIMER, .period = tick }));
	first[2] = self->nr;
	EXPECT_LT(200, add_catalog(_metadata, self, "tracepoint", step,
				   (struct pev_attr){ .type = PEV_TYPE_TRACEPOINT }));
	first[3] = self->nr;
	/* its markers have strings */
	if (pev_sample_load())
		TH_LOG("the sample module is not there");
	EXPECT_LT(0, add_catalog(_metadata, self, "marker", 1,
				 (struct pev_attr){ .type = PEV_TYPE_MARKER }));
	first[4] = self->nr;
	for (unsigned int round = 0; round < 9; round++)
		for (unsigned int i = 0; i < PEV_SB_MAX; i++)
			ASSERT_EQ(0, add(_metadata, self, "sideband", (struct pev_attr) {
				.type = PEV_TYPE_SIDEBAND, .config = i }));
	first[5] = self->nr;
	for (unsigned int round = 0; round < 9; round++) {
		static const char *const calls[] = {
			"raw_syscalls:sys_enter", "raw_syscalls:sys_exit",
			"syscalls:sys_enter_execve", "syscalls:sys_enter_write",
			"syscalls:sys_exit_read", "syscalls:sys_enter_openat",
		};

		for (unsigned int i = 0; i < sizeof(calls) / sizeof(*calls); i++)
			ASSERT_EQ(0, add(_metadata, self, calls[i], (struct pev_attr) {
				.type = PEV_TYPE_TRACEPOINT,
				.flags = PEV_F_TEXT | (round & 1 ? PEV_F_STRUCTS : 0),
				.name = (uintptr_t)calls[i] }));
	}
	first[6] = self->nr;

	ASSERT_EQ(0, pev_on(self->channel));
	work();
	ASSERT_EQ(0, pev_off(self->channel));
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	text = pev_read_text(self->channel);
	ASSERT_NE(NULL, text);
	meta = layout_metadata(text);
	ASSERT_NE(NULL, meta);
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	for (unsigned int nr = 0; nr < self->map.nr; nr++) {
		const struct pev_map_ring *ring = &self->map.rings[nr];

		for (uint64_t pos = 0; ring->kernel && pos < ring->kernel->head; pos += PACKET) {
			int found = compare(_metadata, self, meta, (const struct pev_packet *)
					    (ring->data + pos % self->map.info.ring_size));

			if (found < 0)
				break;
			records += found;
			packets++;
		}
	}
	for (unsigned int t = 0; t < 6; t++) {
		for (unsigned int i = first[t]; i < first[t + 1]; i++) {
			seen[t] += !!self->writers[i].seen;
			dynamic += self->writers[i].seen && self->writers[i].id.nr_lengths;
		}
		EXPECT_LT(0, seen[t]) TH_LOG("no record of type %s", types[t]);
	}
	TH_LOG("%u records of %u events (%u with parts that vary) in %u packets", records,
	       seen[0] + seen[1] + seen[2] + seen[3] + seen[4] + seen[5], dynamic, packets);
	EXPECT_LT(1000, records);
	EXPECT_LT(5, dynamic);
	pev_unmap_channel(&self->map);
	layout_end(meta);
	free(text);
}

TEST_F(layout, what_it_says)
{
	struct writer *w = self->writers;

	ASSERT_EQ(0, add(_metadata, self, "faults", (struct pev_attr) {
		.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS }));
	EXPECT_EQ(sizeof(w->id), w->id.size);
	EXPECT_EQ(0, w->id.stream_id);
	EXPECT_EQ(0, w->id.id);
	EXPECT_EQ(PEV_SAMPLE_TID, w->id.sample);
	EXPECT_EQ(0, w->id.varying);
	EXPECT_EQ(4, w->id.fixed_size);
	EXPECT_EQ(0, w->id.payload_size);
	EXPECT_EQ(0, w->id.nr_lengths);
	EXPECT_EQ((uintptr_t)w->lengths, w->id.lengths);

	ASSERT_EQ(0, add(_metadata, self, "mmap", (struct pev_attr) {
		.type = PEV_TYPE_SIDEBAND, .config = PEV_SB_MMAP }));
	w++;
	EXPECT_EQ(1, w->id.id);
	EXPECT_EQ(self->writers->id.channel, w->id.channel);
	EXPECT_EQ(84, w->id.payload_size);
	EXPECT_EQ(1, w->id.nr_lengths);
	EXPECT_EQ(82, w->lengths[0]);

	ASSERT_EQ(0, add(_metadata, self, "faults", (struct pev_attr) {
		.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS }));
	ASSERT_EQ(0, add(_metadata, self, "faults", (struct pev_attr) {
		.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS }));
	EXPECT_EQ(12, w[1].id.fixed_size);
	EXPECT_EQ(4 + 5 * 8, w[2].id.fixed_size);
	ASSERT_EQ(0, add(_metadata, self, "texts", (struct pev_attr) {
		.type = PEV_TYPE_TRACEPOINT, .flags = PEV_F_TEXT,
		.name = (uintptr_t)"raw_syscalls:sys_enter" }));
	EXPECT_EQ(PEV_SAMPLE_KSTACK, w[3].id.varying);
	EXPECT_EQ(56 + 2 + 6 * 2, w[3].id.payload_size);
	EXPECT_EQ(6, w[3].id.nr_lengths);
	for (unsigned int i = 0; i < 6; i++)
		EXPECT_EQ(58 + 2 * i, w[3].lengths[i]);
	ASSERT_EQ(0, add(_metadata, self, "structures", (struct pev_attr) {
		.type = PEV_TYPE_TRACEPOINT, .flags = PEV_F_TEXT | PEV_F_STRUCTS,
		.name = (uintptr_t)"raw_syscalls:sys_exit" }));
	EXPECT_EQ(16 + 8 + 6 * 2, w[4].id.payload_size);
	EXPECT_EQ(6, w[4].id.nr_lengths);
	for (unsigned int i = 0; i < 6; i++)
		EXPECT_EQ(24 + 2 * i, w[4].lengths[i]);
}

static int ask(int fd, void *arg)
{
	return ioctl(fd, PEV_IOC_ID, arg) ? -errno : 0;
}

/* An event whose records have the lengths of six texts. */
static void add_texts(struct __test_metadata *_metadata, FIXTURE_DATA(layout) * self)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.flags = PEV_F_TEXT,
		.name = (uintptr_t) "raw_syscalls:sys_enter",
	};

	ASSERT_EQ(0, add(_metadata, self, "texts", attr));
}

TEST_F(layout, refusals)
{
	long page = sysconf(_SC_PAGESIZE);
	struct pev_id id;
	int fd;

	add_texts(_metadata, self);
	fd = self->writers[0].fd;
	for (unsigned int size = 0; size < 24; size++) {
		id = (struct pev_id) { .size = size };
		EXPECT_EQ(-EINVAL, ask(fd, &id));
	}
	id = (struct pev_id) { .size = page + 1 };
	EXPECT_EQ(-EINVAL, ask(fd, &id));
	id = (struct pev_id) { .size = sizeof(id), .reserved = 1 };
	EXPECT_EQ(-EINVAL, ask(fd, &id));
	EXPECT_EQ(-EFAULT, ask(fd, NULL));
}

TEST_F(layout, room_for_lengths)
{
	uint16_t lengths[8];
	struct pev_id id;
	int fd;

	add_texts(_metadata, self);
	fd = self->writers[0].fd;
	/* without room for them, and with an address that is none */
	id = (struct pev_id) { .size = sizeof(id) };
	EXPECT_EQ(0, ask(fd, &id));
	EXPECT_EQ(6, id.nr_lengths);
	id = (struct pev_id) { .size = sizeof(id), .nr_lengths = ~0U };
	EXPECT_EQ(0, ask(fd, &id));
	EXPECT_EQ(6, id.nr_lengths);
	id = (struct pev_id) { .size = sizeof(id), .lengths = 8, .nr_lengths = 1 };
	EXPECT_EQ(-EFAULT, ask(fd, &id));
	for (unsigned int room = 0; room <= 8; room++) {
		memset(lengths, 0x55, sizeof(lengths));
		id = (struct pev_id) {
			.size = sizeof(id), .lengths = (uintptr_t)lengths, .nr_lengths = room,
		};
		ASSERT_EQ(0, ask(fd, &id));
		EXPECT_EQ(6, id.nr_lengths);
		for (unsigned int i = 0; i < 8; i++)
			EXPECT_EQ(i < room && i < 6 ? 58 + 2 * i : 0x5555, lengths[i]);
	}
}

/* an older and a newer program */
TEST_F(layout, sizes)
{
	uint8_t buf[2 * sizeof(struct pev_id)], full[sizeof(struct pev_id)];
	struct pev_id id = { .size = sizeof(id) };
	int fd;

	add_texts(_metadata, self);
	fd = self->writers[0].fd;
	EXPECT_EQ(0, ask(fd, &id));
	memcpy(full, &id, sizeof(id));
	for (unsigned int size = 24; size < sizeof(buf); size++) {
		memset(buf, 0, size);
		memset(buf + size, 'X', sizeof(buf) - size);
		memcpy(buf, &size, sizeof(size));
		ASSERT_EQ(0, ask(fd, buf));
		EXPECT_EQ(0, memcmp(buf, full, size < sizeof(full) ? size : sizeof(full)));
		for (unsigned int i = sizeof(full); i < size; i++)
			EXPECT_EQ(0, buf[i]);
		EXPECT_EQ('X', buf[size]);
	}
}

/* what only counts has no records */
TEST_F(layout, of_a_counter)
{
	int counter = pev_open_event(PEV_TYPE_TRACEPOINT, "raw_syscalls:sys_enter", NULL, -1);
	struct pev_id id;

	ASSERT_LE(0, counter) TH_LOG("%s", pev_reason());
	memset(&id, 0xff, sizeof(id));
	id.size = sizeof(id);
	id.reserved = 0;
	id.lengths = 0;
	EXPECT_EQ(0, ask(counter, &id));
	EXPECT_EQ(sizeof(id), id.size);
	EXPECT_EQ(0, id.id | id.channel | id.sample | id.varying | id.fixed_size |
		     id.payload_size | id.nr_lengths | id.stream_id);
	close(counter);
}

TEST_HARNESS_MAIN
