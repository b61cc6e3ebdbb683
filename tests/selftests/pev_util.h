/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the selftests share: opening, mapping a channel, walking its records.
 * Only the ABI of <linux/pev.h> is used; libpev has tests of its own.
 */
#ifndef PEV_UTIL_H
#define PEV_UTIL_H

#include <errno.h>
#include <fcntl.h>
#include <linux/pev.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "../lib/pev_enter.h"

/*
 * An emulated machine on a busy host takes its time: a test that hangs is stopped, and no other.
 * For tests that kselftest_harness.h comes before.
 */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 100

#define UNUSED __attribute__((unused))

/* Room for the explanation of the last refusal. */
static struct {
	struct pev_refusal	head;
	char			text[400];
} pev_why;

/* Returns the fd or -errno; pev_why says why. */
static UNUSED int pev_open(struct pev_attr *attr)
{
	int fd;

	memset(&pev_why, 0, sizeof(pev_why));
	attr->refusal = (uintptr_t)&pev_why;
	attr->refusal_size = sizeof(pev_why);
	fd = pev_enter(attr, sizeof(*attr), PEV_OPEN_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static UNUSED const char *pev_reason(void)
{
	return pev_why.head.text;
}

static UNUSED bool pev_present(void)
{
	return pev_enter(NULL, 0, 0) >= 0 || errno != ENOSYS;
}

/* For FIXTURE_SETUP and tests, @leave: return */
#define PEV_NEEDS_ROOT(leave)                                 \
	do {                                                  \
		if (!pev_present())                           \
			SKIP(leave, "no pev in this kernel"); \
		if (geteuid())                                \
			SKIP(leave, "needs root");            \
	} while (0)

/* How many hold pev.ko; -1: pev is no module. */
static UNUSED int pev_module_users(void)
{
	FILE *f = fopen("/sys/module/pev/refcnt", "re");
	int users = -1;

	if (f && fscanf(f, "%d", &users) != 1)
		users = -1;
	if (f)
		fclose(f);
	return users;
}

/* A kernel that finds bugs has no time for much else: ask less of it. */
static UNUSED bool pev_kernel_is_slow(void)
{
	const char *flavor = getenv("PEV_FLAVOR");

	return flavor && strcmp(flavor, "plain") && strncmp(flavor, "stock", 5);
}

/* ns of a clock */
static UNUSED uint64_t pev_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * In a loop that waits for another CPU, or keeps its own busy: an emulator that runs all of them in one
 * thread goes to the next one at once, and not after the 100 ms that each has.
 */
static UNUSED void pev_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__powerpc64__)
	__asm__ volatile("or 27,27,27");
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* To other tasks, on whichever CPU. */
static UNUSED void pev_yield(void)
{
	sched_yield();
	pev_relax();
}

/*
 * ns that a test goes on for to meet what shows itself now and then: each run has some, and who wants
 * more of it in one, as make stress does, sets PEV_LONG.
 */
static UNUSED uint64_t pev_hunt_ns(void)
{
	return getenv("PEV_LONG") ? 5000000000ULL : 1500000000ULL;
}

/* Compute for @ns of the thread's own time. */
static UNUSED void pev_spin(uint64_t ns)
{
	uint64_t end = pev_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (pev_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static UNUSED int pev_open_channel(uint64_t ring_size, uint32_t packet_size, uint64_t flags)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CHANNEL, .flags = flags, .channel_fd = -1, .group_fd = -1,
		.ring_size = ring_size, .packet_size = packet_size,
	};

	return pev_open(&attr);
}

/* An event of the caller's thread, that is off; channel -1: counts only. */
static UNUSED int pev_open_event(uint32_t type, const char *name, const char *filter,
				 int channel)
{
	struct pev_attr attr = {
		.type = type, .target = PEV_TARGET_TASK, .flags = PEV_F_DISABLED,
		.name = (uintptr_t)name, .filter = (uintptr_t)filter,
		.channel_fd = channel, .group_fd = -1,
		.period = channel >= 0, .sample = channel >= 0 ? PEV_SAMPLE_TID : 0,
	};

	return pev_open(&attr);
}

/* The same on all CPUs, whatever runs there. */
static UNUSED int pev_open_machine(uint32_t type, const char *name, const char *filter,
				   int channel)
{
	struct pev_attr attr = {
		.type = type, .target = PEV_TARGET_CPUS, .flags = PEV_F_DISABLED,
		.name = (uintptr_t)name, .filter = (uintptr_t)filter,
		.channel_fd = channel, .group_fd = -1,
		.period = channel >= 0, .sample = channel >= 0 ? PEV_SAMPLE_TID : 0,
	};

	return pev_open(&attr);
}

static UNUSED int pev_on(int fd)
{
	return ioctl(fd, PEV_IOC_ENABLE, 0);
}

static UNUSED int pev_off(int fd)
{
	return ioctl(fd, PEV_IOC_DISABLE, 0);
}

static UNUSED struct pev_value pev_read(int fd)
{
	struct pev_value value;

	memset(&value, 0xff, sizeof(value));
	if (read(fd, &value, sizeof(value)) != sizeof(value))
		memset(&value, 0xff, sizeof(value));
	return value;
}

static UNUSED uint64_t pev_event_id(int fd)
{
	struct pev_id id = { .size = sizeof(id) };

	if (ioctl(fd, PEV_IOC_ID, &id))
		return ~0ULL;
	return id.id;
}

/* All that can be read from a channel or catalog, NUL-terminated. */
static UNUSED char *pev_read_text(int fd)
{
	size_t size = 1 << 16, len = 0;
	char *text = malloc(size);
	ssize_t got;

	while (text && (got = pread(fd, text + len, size - len - 1, len)) > 0) {
		len += got;
		if (size - len < 4096)
			text = realloc(text, size *= 2);
	}
	if (text)
		text[len] = '\0';
	return text;
}

/* All 0 if the query failed. */
static UNUSED struct pev_info pev_get_info(void)
{
	struct pev_info info = { };
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO, .info = (uintptr_t)&info, .info_size = sizeof(info),
	};

	pev_open(&attr);
	return info;
}

/* CPUs are numbered below this; 0: the query failed. */
static UNUSED unsigned int pev_nr_cpus(void)
{
	return pev_get_info().nr_cpus;
}

/* What records of any event may have on this machine: on some, KVM does not tell of guests. */
static UNUSED uint64_t pev_any_sample(void)
{
	return pev_get_info().sample & ~PEV_SAMPLE_PAIR;
}

/* The kernel numbers the rings of a channel as it does CPUs: ring_test looks. */
#define PEV_UTIL_RINGS	256

struct pev_map_ring {
	const struct pev_ring_kernel	*kernel;
	struct pev_ring_user		*user;
	const uint8_t			*data;
};

struct pev_map {
	struct pev_channel_info	info;
	struct pev_map_ring	rings[PEV_UTIL_RINGS];
	unsigned int		nr;
};

static UNUSED int pev_map_one(int fd, const struct pev_channel_info *info, unsigned int nr,
			      struct pev_map_ring *ring)
{
	uint64_t at = nr * info->mmap_stride;
	long page = sysconf(_SC_PAGESIZE);
	void *p;

	p = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, at);
	if (p == MAP_FAILED)
		return -errno;
	ring->kernel = p;
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at + info->mmap_user);
	if (p == MAP_FAILED)
		return -errno;
	ring->user = p;
	p = mmap(NULL, info->ring_size, PROT_READ, MAP_SHARED, fd, at + info->mmap_data);
	if (p == MAP_FAILED)
		return -errno;
	ring->data = p;
	return 0;
}

/* Maps all rings that there are. */
static UNUSED int pev_map_channel(int fd, struct pev_map *map)
{
	int err;

	memset(map, 0, sizeof(*map));
	map->info.size = sizeof(map->info);
	if (ioctl(fd, PEV_IOC_CHANNEL_INFO, &map->info))
		return -errno;
	map->nr = map->info.nr_rings < PEV_UTIL_RINGS ? map->info.nr_rings : PEV_UTIL_RINGS;
	for (unsigned int nr = 0; nr < map->nr; nr++) {
		err = pev_map_one(fd, &map->info, nr, &map->rings[nr]);
		if (err == -ENXIO)
			map->rings[nr].kernel = NULL;
		else if (err)
			return err;
	}
	return 0;
}

static UNUSED void pev_unmap_channel(struct pev_map *map)
{
	for (unsigned int nr = 0; nr < map->nr; nr++) {
		struct pev_map_ring *ring = &map->rings[nr];

		if (!ring->kernel)
			continue;
		munmap((void *)ring->kernel, sysconf(_SC_PAGESIZE));
		munmap(ring->user, sysconf(_SC_PAGESIZE));
		munmap((void *)ring->data, map->info.ring_size);
	}
	memset(map, 0, sizeof(*map));
}

/* A record of an event with no more context than its tid. */
struct pev_record {
	unsigned int	cpu;
	uint64_t	id;
	uint64_t	time;
	uint32_t	tid;
	bool extended; /* its header has 12 bytes, not 4 */
	const uint8_t	*payload;
};

#define PEV_WALK_TEXT(fixed, lens)	((lens) << 16 | (fixed))
#define PEV_WALK_BYTES(fixed)		(1 << 30 | (fixed))

/**
 * struct pev_walk - the state of a walk over the records of one ring
 * @sizes: bytes of the payload of each event id; a negative size -n: the
 *         record's last dynamic field ends it, its location being the last
 *         word of the n bytes of the fixed part; PEV_WALK_TEXT(): it has
 *         struct pev_call_text behind its fixed part; PEV_WALK_BYTES(): the last
 *         two bytes of its fixed part count those behind it
 */
struct pev_walk {
	const struct pev_map	*map;
	unsigned int		cpu;
	uint64_t		pos;
	uint64_t		end;
	uint64_t		time;
	const int		*sizes;
	unsigned int		nr_sizes;
};

static UNUSED struct pev_walk pev_walk_begin(const struct pev_map *map, unsigned int cpu,
					     const int *sizes, unsigned int nr_sizes)
{
	const struct pev_map_ring *ring = &map->rings[cpu];
	struct pev_walk walk = {
		.map = map, .cpu = cpu, .sizes = sizes, .nr_sizes = nr_sizes,
	};

	if (ring->kernel) {
		walk.end = __atomic_load_n(&ring->kernel->head, __ATOMIC_ACQUIRE);
		walk.pos = __atomic_load_n(&ring->user->tail, __ATOMIC_RELAXED);
	}
	return walk;
}

/* End of the content of the packet that begins at @start. */
static UNUSED uint64_t pev_walk_content(const struct pev_walk *walk, uint64_t start)
{
	const struct pev_map_ring *ring = &walk->map->rings[walk->cpu];
	const struct pev_packet *p;

	p = (const void *)(ring->data + start % walk->map->info.ring_size);
	if (start + walk->map->info.packet_size <= walk->end)
		return start + p->content_size / 8;
	return walk->end;
}

static UNUSED int pev_payload_size(const struct pev_walk *walk, uint64_t id,
				   const uint8_t *payload)
{
	uint16_t where[2];
	int fixed, lens;

	if (id >= walk->nr_sizes)
		return -1;
	if (walk->sizes[id] >= PEV_WALK_BYTES(0)) {
		fixed = walk->sizes[id] - PEV_WALK_BYTES(0);
		memcpy(where, payload + fixed - sizeof(*where), sizeof(*where));
		return fixed + where[0];
	}
	lens = walk->sizes[id] >> 16;
	if (lens > 0) {
		uint16_t len[6];

		fixed = (walk->sizes[id] & 0xffff) + sizeof(struct pev_call_text);
		memcpy(len, payload + fixed, lens * sizeof(*len));
		fixed += lens * sizeof(*len);
		while (lens--)
			fixed += len[lens];
		return fixed;
	}
	if (walk->sizes[id] >= 0)
		return walk->sizes[id];
	fixed = -walk->sizes[id];
	memcpy(where, payload + fixed - sizeof(where), sizeof(where));
	return where[0] - 8 + where[1];
}

/* 1: @record is the next one, 0: there is no more, -1: the ring is damaged. */
static UNUSED int pev_walk_next(struct pev_walk *walk, struct pev_record *record)
{
	uint64_t packet_size = walk->map->info.packet_size;
	uint64_t start = walk->pos - walk->pos % packet_size;
	const uint8_t *p;
	uint64_t used;
	uint32_t word;
	int size;

	for (;;) {
		if (walk->pos >= walk->end)
			return 0;
		p = walk->map->rings[walk->cpu].data + start % walk->map->info.ring_size;
		used = walk->pos - start;
		if (!used) {
			const struct pev_packet *packet = (const void *)p;

			if (packet->magic != PEV_PACKET_MAGIC || packet->cpu_id != walk->cpu ||
			    packet->stream_instance_id != walk->cpu || packet->stream_id)
				return -1;
			walk->time = packet->timestamp_begin;
			walk->pos += sizeof(*packet);
			used = sizeof(*packet);
		}
		if (walk->pos < pev_walk_content(walk, start))
			break;
		start += packet_size;
		walk->pos = start;
	}
	memcpy(&word, p + used, sizeof(word));
	record->cpu = walk->cpu;
	record->id = word & PEV_ID_EXTENDED;
	record->extended = record->id == PEV_ID_EXTENDED;
	if (record->extended) {
		record->id = word >> PEV_ID_BITS;
		memcpy(&record->time, p + used + 4, sizeof(record->time));
		used += 12;
	} else {
		uint64_t mask = (1ULL << PEV_TIME_BITS) - 1;

		record->time = (walk->time & ~mask) | (word >> PEV_ID_BITS);
		if (record->time < walk->time)
			record->time += mask + 1;
		used += 4;
	}
	walk->time = record->time;
	memcpy(&record->tid, p + used, sizeof(record->tid));
	record->payload = p + used + 4;
	size = pev_payload_size(walk, record->id, record->payload);
	if (size < 0)
		return -1;
	walk->pos = start + used + 4 + (size + 7) / 8 * 8;
	return walk->pos <= walk->end ? 1 : -1;
}

/* The reader has seen all up to where the walk is. */
static UNUSED void pev_walk_release(const struct pev_walk *walk)
{
	__atomic_store_n(&walk->map->rings[walk->cpu].user->tail, walk->pos, __ATOMIC_RELEASE);
}

/* ---- what tests do beside it ---- */

/* Binds @tid, 0 for the caller, to @cpu. */
static UNUSED int pev_pin_task(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set);
}

static UNUSED int pev_pin(int cpu)
{
	return pev_pin_task(0, cpu);
}

/* KiB of the kernel's small objects, whichever user pays for them; -1: it does not say. */
static UNUSED long pev_slab_kib(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	long kib = -1;

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "SUnreclaim: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

/* Four page faults, and pages that the kernel gets back. */
static UNUSED void pev_fault_pages(void)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);

	for (int i = 0; i < 4; i++)
		p[i * page] = 1;
	munmap((void *)p, 4 * page);
}

#endif
