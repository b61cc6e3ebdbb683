// SPDX-License-Identifier: GPL-2.0
/*
 * The contract of a mapped ring: what may be mapped how, reading in place,
 * poll() and its watermark, flush, snapshot, overwrite mode, and a consumer
 * that writes nonsense where its tail should be.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include "kselftest_harness.h"
#include "pev_util.h"

#define PACKET	4096
#define RING	(4 * PACKET)

/* raw_syscalls:sys_enter */
#define PAYLOAD	56
static const int sizes[] = { PAYLOAD };

FIXTURE(ring) {
	int channel;
	int event;
	unsigned int cpu;
	struct pev_map map;
};

FIXTURE_VARIANT(ring) {
	uint64_t flags;
};

FIXTURE_VARIANT_ADD(ring, discard) {
	.flags = 0,
};

FIXTURE_VARIANT_ADD(ring, overwrite) {
	.flags = PEV_CHF_OVERWRITE,
};

/* An event of nothing but our own system call, so that counts are known. */
static int open_event(int channel)
{
	char filter[32];

	snprintf(filter, sizeof(filter), "id == %d", SYS_getppid);
	return pev_open_event(PEV_TYPE_TRACEPOINT, "raw_syscalls:sys_enter", filter, channel);
}

static void hit(unsigned int times)
{
	while (times--)
		syscall(SYS_getppid);
}

FIXTURE_SETUP(ring)
{
	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	self->cpu = sched_getcpu();
	ASSERT_EQ(0, pev_pin((int)self->cpu));
	self->channel = pev_open_channel(RING, PACKET, variant->flags);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	self->event = open_event(self->channel);
	ASSERT_LE(0, self->event) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(self->event));
}

FIXTURE_TEARDOWN(ring)
{
	pev_unmap_channel(&self->map);
	close(self->event);
	close(self->channel);
}

static uint64_t head(const struct pev_map *map, unsigned int cpu)
{
	return __atomic_load_n(&map->rings[cpu].kernel->head, __ATOMIC_ACQUIRE);
}

static const struct pev_packet *packet(const struct pev_map *map, unsigned int cpu,
				       uint64_t pos)
{
	return (const void *)(map->rings[cpu].data + pos % map->info.ring_size);
}

/* Count the records from the tail on; -1: the ring is damaged. */
static int count(const struct pev_map *map, unsigned int cpu, bool release)
{
	struct pev_walk walk = pev_walk_begin(map, cpu, sizes, 1);
	struct pev_record record;
	uint64_t time = 0;
	int ret, nr = 0;

	while ((ret = pev_walk_next(&walk, &record)) > 0) {
		uint64_t id;

		memcpy(&id, record.payload, sizeof(id));
		if (id != SYS_getppid || record.time < time ||
		    record.tid != (uint32_t)syscall(SYS_gettid))
			return -1;
		time = record.time;
		nr++;
	}
	if (release)
		pev_walk_release(&walk);
	return ret < 0 ? ret : nr;
}

/* Bytes by which headers are longer: of what came long after the record before it, on a slow machine. */
static uint64_t longer(const struct pev_map *map, unsigned int cpu)
{
	struct pev_walk walk = pev_walk_begin(map, cpu, sizes, 1);
	struct pev_record record;
	uint64_t bytes = 0;

	while (pev_walk_next(&walk, &record) > 0)
		bytes += record.extended ? 8 : 0;
	return bytes;
}

TEST_F(ring, what_the_kernel_shows)
{
	const struct pev_ring_kernel *k = self->map.rings[self->cpu].kernel;

	EXPECT_EQ(PEV_ABI_VERSION, k->version);
	EXPECT_EQ(self->cpu, k->cpu);
	EXPECT_EQ(0, k->stream_id);
	EXPECT_EQ(RING, k->ring_size);
	EXPECT_EQ(PACKET, k->packet_size);
	EXPECT_EQ(self->map.info.clock, k->clock);
	EXPECT_EQ(self->map.info.clock_freq, k->clock_freq);
	EXPECT_NE(PEV_CLOCK_DEFAULT, k->clock);
	EXPECT_EQ(0, k->head);
	hit(1);
	EXPECT_EQ(sizeof(struct pev_packet) + 8 + PAYLOAD, k->head);
	hit(2);
	EXPECT_EQ(sizeof(struct pev_packet) + 3 * (8 + PAYLOAD) + longer(&self->map, self->cpu),
		  k->head);
	EXPECT_EQ(3, count(&self->map, self->cpu, true));
}

TEST_F(ring, numbers)
{
	const struct pev_channel_info *i = &self->map.info;
	unsigned int rings = 0;

	EXPECT_EQ(pev_nr_cpus(), i->nr_rings);
	for (unsigned int nr = 0; nr < self->map.nr; nr++) {
		const struct pev_ring_kernel *k = self->map.rings[nr].kernel;

		if (!k)
			continue;
		EXPECT_EQ(nr, k->ring);
		EXPECT_EQ(nr, k->cpu);
		for (size_t r = 0; r < sizeof(k->reserved) / sizeof(*k->reserved); r++)
			EXPECT_EQ(0, k->reserved[r]);
		rings++;
	}
	EXPECT_LE(sysconf(_SC_NPROCESSORS_ONLN), rings);
	hit(1);
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	EXPECT_EQ(0, packet(&self->map, self->cpu, 0)->stream_id);
	EXPECT_EQ(self->map.rings[self->cpu].kernel->ring,
		  packet(&self->map, self->cpu, 0)->stream_instance_id);
	EXPECT_EQ(self->cpu, packet(&self->map, self->cpu, 0)->cpu_id);
	EXPECT_EQ(0, packet(&self->map, self->cpu, 0)->reserved);
}

static int try_map(int fd, size_t size, int prot, int flags, uint64_t at)
{
	void *p = mmap(NULL, size, prot, flags, fd, at);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, size);
	return 0;
}

TEST_F(ring, protections)
{
	const struct pev_channel_info *i = &self->map.info;
	uint64_t at = self->cpu * i->mmap_stride;
	long page = sysconf(_SC_PAGESIZE);
	int rw = PROT_READ | PROT_WRITE, fd = self->channel;

	EXPECT_EQ(0, try_map(fd, i->mmap_stride, PROT_READ, MAP_SHARED, at));
	EXPECT_EQ(0, try_map(fd, page, PROT_READ, MAP_PRIVATE, at));
	EXPECT_EQ(-EACCES, try_map(fd, page, rw, MAP_SHARED, at));
	EXPECT_EQ(-EACCES, try_map(fd, page, rw, MAP_SHARED, at + i->mmap_data));
	EXPECT_EQ(-EACCES, try_map(fd, 2 * page, rw, MAP_SHARED, at + i->mmap_user));
	EXPECT_EQ(-EACCES, try_map(fd, page, rw, MAP_PRIVATE, at + i->mmap_user));
	EXPECT_EQ(0, try_map(fd, page, rw, MAP_SHARED, at + i->mmap_user));
	EXPECT_EQ(-EACCES, try_map(fd, page, PROT_READ | PROT_EXEC, MAP_SHARED, at));
	/* from one ring into the next, and far out */
	EXPECT_EQ(-EINVAL, try_map(fd, i->mmap_stride + page, PROT_READ, MAP_SHARED, at));
	EXPECT_EQ(-EINVAL, try_map(fd, 2 * page, PROT_READ, MAP_SHARED,
				   at + i->mmap_stride - page));
	EXPECT_EQ(-EINVAL, try_map(fd, page, PROT_READ, MAP_SHARED, 1ULL << 60));
	EXPECT_EQ(-EINVAL, try_map(fd, page, PROT_READ, MAP_SHARED,
				   (uint64_t)i->nr_rings * i->mmap_stride));
	/* what is read-only stays so */
	EXPECT_EQ(-1, mprotect((void *)self->map.rings[self->cpu].kernel, page, rw));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect((void *)self->map.rings[self->cpu].data, page, rw));
	EXPECT_EQ(EACCES, errno);
}

TEST_F(ring, poll_watermark_and_flush)
{
	unsigned int fits = (PACKET - sizeof(struct pev_packet)) / (8 + PAYLOAD);
	struct pollfd p = { .fd = self->channel, .events = POLLIN };
	const struct pev_packet *first;
	uint64_t begin;

	EXPECT_EQ(0, poll(&p, 1, 0));
	hit(1);
	EXPECT_EQ(0, poll(&p, 1, 0));
	/* one packet is the default watermark */
	hit(fits + 1);
	EXPECT_EQ(1, poll(&p, 1, 1000));
	EXPECT_EQ(POLLIN, p.revents & POLLIN);
	EXPECT_EQ(fits + 2, count(&self->map, self->cpu, true));
	EXPECT_EQ(0, poll(&p, 1, 0));
	/* a flush is worth a wake-up, and makes a packet complete */
	hit(1);
	begin = head(&self->map, self->cpu) / PACKET * PACKET;
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	EXPECT_EQ(begin + PACKET, head(&self->map, self->cpu));
	EXPECT_EQ(1, poll(&p, 1, 1000));
	first = packet(&self->map, self->cpu, begin);
	EXPECT_EQ(begin / PACKET, first->packet_seq_num);
	EXPECT_LE(first->timestamp_begin, first->timestamp_end);
	EXPECT_EQ(1, count(&self->map, self->cpu, true));
	EXPECT_EQ(0, poll(&p, 1, 0));
	/* nothing open, nothing to flush */
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	EXPECT_EQ(begin + PACKET, head(&self->map, self->cpu));
	EXPECT_EQ(0, poll(&p, 1, 0));
}

TEST_F(ring, full)
{
	unsigned int fits = (PACKET - sizeof(struct pev_packet) - 1) / (8 + PAYLOAD);
	const struct pev_ring_kernel *k = self->map.rings[self->cpu].kernel;
	struct pev_value v;

	hit(10 * fits);
	v = pev_read(self->event);
	EXPECT_EQ(10 * fits, v.value);
	EXPECT_EQ(v.value, v.samples + v.lost);
	EXPECT_EQ(v.lost, k->lost);
	if (variant->flags & PEV_CHF_OVERWRITE) {
		EXPECT_EQ(0, v.lost);
		EXPECT_EQ(6 * PACKET, k->oldest);
		self->map.rings[self->cpu].user->tail = k->oldest;
		EXPECT_EQ(4 * fits, count(&self->map, self->cpu, true));
		return;
	}
	EXPECT_EQ(6 * fits, v.lost);
	EXPECT_EQ(0, k->oldest);
	EXPECT_EQ(4 * fits, count(&self->map, self->cpu, true));
	/* there is room again, and the header tells how many are missing */
	hit(3);
	EXPECT_EQ(3, count(&self->map, self->cpu, true));
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
	EXPECT_EQ(6 * fits, packet(&self->map, self->cpu, 4 * PACKET)->events_discarded);
	EXPECT_EQ(6 * fits, pev_read(self->event).lost);
}

TEST_F(ring, snapshot)
{
	struct pev_span spans[PEV_UTIL_RINGS] = { };
	struct pev_snapshot_arg arg = { .spans = (uintptr_t)spans };
	struct pev_walk walk;
	struct pev_record record;
	unsigned int nr = 0;

	EXPECT_EQ(-1, ioctl(self->channel, PEV_IOC_SNAPSHOT, &arg));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(self->map.info.nr_rings, arg.nr);
	hit(100);
	ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_SNAPSHOT, &arg));
	hit(5);
	EXPECT_EQ(0, spans[self->cpu].begin);
	EXPECT_EQ(0, spans[self->cpu].end % PACKET);
	walk = pev_walk_begin(&self->map, self->cpu, sizes, 1);
	walk.end = spans[self->cpu].end;
	while (pev_walk_next(&walk, &record) > 0)
		nr++;
	EXPECT_EQ(100, nr);
}

TEST_F(ring, user_page_full_of_nonsense)
{
	const struct pev_ring_kernel *k = self->map.rings[self->cpu].kernel;
	struct pev_ring_user *user = self->map.rings[self->cpu].user;
	struct pollfd p = { .fd = self->channel, .events = POLLIN };
	const unsigned int rounds = pev_kernel_is_slow() ? 4000 : 20000;
	uint64_t x = 88172645463325252ULL, was = 0;
	struct pev_value v;

	for (unsigned int i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		switch (x % 5) {
		case 0:
			user->tail = x;
			break;
		case 1:
			user->tail = k->head + x / 5 % RING;
			break;
		case 2:
			user->tail = k->head - x / 5 % RING;
			break;
		case 3:
			user->tail = k->head;
			break;
		default:
			memset(user, x >> 8, sizeof(*user) * 8);
		}
		hit(x / 64 % 7);
		if (i % 64 == 0)
			poll(&p, 1, 0);
		if (i % 1000 == 0)
			ASSERT_EQ(0, ioctl(self->channel, PEV_IOC_FLUSH, 0));
		ASSERT_LE(was, k->head);
		was = k->head;
	}
	EXPECT_EQ(RING, k->ring_size);
	EXPECT_EQ(PACKET, k->packet_size);
	v = pev_read(self->event);
	EXPECT_EQ(v.value, v.samples + v.lost);
	EXPECT_EQ(k->lost, v.lost);
	/* it was the reader's own data; the ring is as good as ever */
	user->tail = k->head;
	hit(1);
	EXPECT_EQ(1, count(&self->map, self->cpu, true));
}

TEST_F(ring, lives_as_long_as_it_is_mapped)
{
	const struct pev_ring_kernel *k = self->map.rings[self->cpu].kernel;
	uint64_t at;

	hit(10);
	close(self->channel);
	self->channel = -1;
	at = k->head;
	hit(10);
	EXPECT_LT(at, k->head);
	close(self->event);
	self->event = -1;
	at = k->head;
	hit(10);
	EXPECT_EQ(at, k->head);
	EXPECT_EQ(20, count(&self->map, self->cpu, true));
}

/* ---- a reader of a flight recorder while it is being written ---- */

static volatile bool writing;

static void *write_on(void *arg)
{
	pev_pin(*(int *)arg);
	while (writing)
		hit(20);
	return NULL;
}

static bool copy_is_whole(const uint8_t *copy, uint64_t pos)
{
	const struct pev_packet *p = (const void *)copy;
	uint64_t at;

	if (p->magic != PEV_PACKET_MAGIC || p->packet_seq_num != pos / PACKET ||
	    p->content_size > PACKET * 8 || p->timestamp_begin > p->timestamp_end)
		return false;
	for (at = sizeof(*p); at < p->content_size / 8; at += PAYLOAD + 8) {
		uint32_t word;
		uint64_t id;

		memcpy(&word, copy + at, sizeof(word));
		if ((word & PEV_ID_EXTENDED) == PEV_ID_EXTENDED)
			at += 8;
		memcpy(&id, copy + at + 8, sizeof(id));
		if (id != SYS_getppid)
			return false;
	}
	return at == p->content_size / 8;
}

/* Until the writer is at @pos, which it may be late for: who counts on it sees it. */
static void let_write(const struct pev_map *map, unsigned int cpu, uint64_t pos)
{
	for (unsigned int i = 0; i < 20000 && head(map, cpu) < pos; i++)
		usleep(100);
}

TEST_F(ring, copy_while_written)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .target = PEV_TARGET_PROCESS,
		.name = (uintptr_t)"raw_syscalls:sys_enter", .channel_fd = self->channel,
		.group_fd = -1, .period = 1, .sample = PEV_SAMPLE_TID,
	};
	const struct pev_ring_kernel *k = self->map.rings[self->cpu].kernel;
	const unsigned int enough = pev_kernel_is_slow() ? 100 : 500;
	unsigned int whole = 0, overrun = 0;
	uint8_t copy[PACKET] __attribute__((aligned(8)));
	char filter[32];
	pthread_t thread;
	uint64_t pos = 0;
	cpu_set_t set;
	int event;

	if (!(variant->flags & PEV_CHF_OVERWRITE))
		SKIP(return, "the flight recorder's own");
	snprintf(filter, sizeof(filter), "id == %d", SYS_getppid);
	attr.filter = (uintptr_t)filter;
	event = pev_open(&attr);
	ASSERT_LE(0, event) TH_LOG("%s", pev_reason());
	writing = true;
	ASSERT_EQ(0, pthread_create(&thread, NULL, write_on, &self->cpu));
	/* from another CPU, if there is one */
	memset(&set, 0xff, sizeof(set));
	CPU_CLR(self->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (time_t end = time(NULL) + 60; time(NULL) < end && whole + overrun < enough;) {
		uint64_t oldest = __atomic_load_n(&k->oldest, __ATOMIC_RELAXED);

		pos = pos < oldest ? oldest : pos;
		if (pos + PACKET > head(&self->map, self->cpu)) {
			usleep(100);
			continue;
		}
		memcpy(copy, self->map.rings[self->cpu].data + pos % RING, PACKET / 2);
		/* in the middle it is overwritten, or is about to be */
		if ((whole + overrun) % 8 == 1)
			let_write(&self->map, self->cpu, pos + RING + PACKET);
		else if ((whole + overrun) % 8 == 5)
			let_write(&self->map, self->cpu, pos + RING - PACKET);
		memcpy(copy + PACKET / 2,
		       self->map.rings[self->cpu].data + pos % RING + PACKET / 2, PACKET / 2);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&k->oldest, __ATOMIC_RELAXED) > pos) {
			overrun++;
			continue;
		}
		ASSERT_TRUE(copy_is_whole(copy, pos)) TH_LOG("at %llu", (unsigned long long)pos);
		whole++;
		pos += PACKET;
	}
	writing = false;
	pthread_join(thread, NULL);
	close(event);
	EXPECT_LT(10, whole);
	EXPECT_LT(10, overrun);
	TH_LOG("%u packets whole, %u overrun", whole, overrun);
}

TEST_HARNESS_MAIN
