// SPDX-License-Identifier: GPL-2.0
/*
 * Rings, read as a consumer does, and what must hold in them: packets follow each
 * other and are whole, times don't go backwards, each record is of an event that
 * there is, and nothing is of the kernel that may not be.
 */
#include <string.h>
#include <sys/mman.h>
#include "fuzz.h"

#define HEADER	sizeof(struct pev_packet)

static const struct pev_ring_kernel *kernel_page(const struct ring *ring)
{
	return (const void *)ring->map;
}

static const uint8_t *data(const struct channel *c, const struct ring *ring, uint64_t pos)
{
	return ring->map + c->info.mmap_data + pos % c->info.ring_size;
}

static int ring_map(struct channel *c, unsigned int cpu)
{
	struct ring *ring = &c->rings[cpu];
	uint64_t at = cpu * c->info.mmap_stride;

	if (ring->map)
		return 0;
	ring->map = k_mmap(c->fd, c->info.mmap_data + c->info.ring_size, PROT_READ, MAP_SHARED,
			   at);
	if (!ring->map)
		return -errno;
	ring->user = k_mmap(c->fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			    at + c->info.mmap_user);
	if (!ring->user)
		return -errno;
	return 0;
}

/* Those of CPUs that were ever online. */
int rings_map(struct channel *c)
{
	for (unsigned int cpu = 0; cpu < c->info.nr_rings && cpu < MAX_CPUS; cpu++) {
		int err = ring_map(c, cpu);

		if (err == -ENOMEM || err == -EAGAIN) {	/* a limit of ours */
			channel_taint(c);
			return err;
		}
		if (err && err != -ENXIO) {
			broken("ring %u can't be mapped: %s", cpu, strerror(-err));
			return err;
		}
	}
	return 0;
}

void rings_unmap(struct channel *c)
{
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++) {
		struct ring *ring = &c->rings[cpu];

		if (ring->user)
			k_munmap(ring->user, PAGE);
		if (ring->map)
			k_munmap((void *)ring->map, c->info.mmap_data + c->info.ring_size);
		memset(ring, 0, sizeof(*ring));
	}
}

/* Where a walk over a packet is. */
struct cursor {
	const struct channel	*channel;
	const struct member	*member;
	unsigned int		cpu;
	uint64_t cookie;
	const uint8_t		*at;
	const uint8_t		*end;
	bool			bad;
};

static uint64_t get(struct cursor *c, size_t size)
{
	uint64_t value = 0;

	if (c->bad || (size_t)(c->end - c->at) < size) {
		c->bad = true;
		return 0;
	}
	memcpy(&value, c->at, size);
	c->at += size;
	return value;
}

static void skip(struct cursor *c, uint64_t size)
{
	if (c->bad || (uint64_t)(c->end - c->at) < size)
		c->bad = true;
	else
		c->at += size;
}

/* Records of an unprivileged worker: @what is none of its own values. */
static void no_kernel(const struct cursor *c, uint64_t value, const char *what)
{
	if (!me->root && kernel_address(value))
		broken("%s %#llx in a record, sample %#llx", what, (llu)value,
		       (llu)c->member->layout.sample);
}

static void stacks(struct cursor *c)
{
	uint32_t kernel = get(c, 4), user = get(c, 4);

	if (kernel > PEV_MAX_STACK || user > PEV_MAX_STACK)
		broken("a call chain of %u and %u", kernel, user);
	if (c->cookie && user)
		broken("a call chain of %u that comes later, too", user);
	for (uint32_t i = 0; i < kernel && !c->bad; i++)
		no_kernel(c, get(c, 8), "kernel chain");
	/* what a program without frame pointers has there may look like anything */
	skip(c, 8ULL * user);
}

/* Nothing but what context.c says, however hard it tries. */
static void request(struct cursor *c)
{
	uint64_t trace = get(c, 8);

	if (trace && trace != CONTEXT_TRACE && !c->bad)
		broken("a record of request %#llx, for which no thread works", (llu)trace);
	skip(c, 16);
}

static void context(struct cursor *c)
{
	uint64_t sample = c->member->layout.sample, n;

	if (sample & PEV_SAMPLE_PID)
		skip(c, 8);
	if (sample & PEV_SAMPLE_IP)
		no_kernel(c, get(c, 8), "ip");
	if (sample & PEV_SAMPLE_ADDR)
		no_kernel(c, get(c, 8), "addr");
	if (sample & PEV_SAMPLE_PERIOD)
		skip(c, 8);
	if (sample & PEV_SAMPLE_CPU && get(c, 8) != c->cpu && !c->bad)
		broken("a record of another CPU in the ring of CPU %u", c->cpu);
	if (sample & PEV_SAMPLE_GUEST && get(c, 8) & ~(PEV_GUEST_CODE | PEV_GUEST_USER) && !c->bad)
		broken("a record with bits of PEV_SAMPLE_GUEST that there are not");
	/* no guest runs here */
	if (sample & PEV_SAMPLE_EXIT && get(c, 8) && !c->bad)
		broken("a record of an exit of a guest's, where none runs");
	if (sample & PEV_SAMPLE_CONTEXT)
		request(c);
	c->cookie = sample & PEV_SAMPLE_COOKIE ? get(c, 8) : 0;
	if (sample & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK))
		stacks(c);
	if (sample & PEV_SAMPLE_UREGS) {
		n = get(c, 8);
		if (n > 64)
			broken("%llu registers", (llu)n);
		if (n && c->cookie)
			broken("%llu registers that come later, too", (llu)n);
		skip(c, 8 * n);
	}
	if (sample & PEV_SAMPLE_READ) {
		n = get(c, 8);
		if (!n || n > 1 << 20)
			broken("%llu values of a group", (llu)n);
		while (n-- && !c->bad)
			no_kernel(c, get(c, 8), "value");
	}
	if (sample & PEV_SAMPLE_USTACK_DUMP) {
		n = get(c, 8);
		if (n > PEV_MAX_STACK_DUMP || n % 8)
			broken("%llu bytes of stack", (llu)n);
		if (n && c->cookie)
			broken("%llu bytes of stack that come later, too", (llu)n);
		skip(c, n);
	}
}

/* Bytes of the texts of a system call, and of what says where they are, at @start. */
static uint64_t size_of_texts(const struct layout *l, const uint8_t *start)
{
	uint64_t head = l->kinds ? sizeof(struct pev_call_structs) : sizeof(struct pev_call_text);
	uint64_t size = head + l->lens * sizeof(uint16_t);
	uint16_t len;

	for (int i = 0; i < l->lens; i++) {
		memcpy(&len, start + head + i * sizeof(len), sizeof(len));
		size += len;
	}
	for (unsigned int i = 2; l->kinds && i < sizeof(struct pev_call_structs); i++)
		if (start[i] >= PEV_CALL_MAX)
			broken("an argument of kind %u", start[i]);
	return size;
}

/* Bytes of the payload at @start by what the tracing file system says of its fields. */
static uint64_t size_by_format(const struct cursor *c, const uint8_t *start)
{
	const struct layout *l = &c->member->layout;
	uint64_t size = l->fixed;
	uint16_t words[2];

	for (unsigned int i = 0; i < l->nr_locs; i++) {
		memcpy(words, start + l->locs[i], sizeof(words));
		if ((uint64_t)words[0] - 8 + words[1] > size)
			size = (uint64_t)words[0] - 8 + words[1];
	}
	if (l->lens > 0)
		size += size_of_texts(l, start + size);
	return size;
}

/* A thread's sums and the wait that its record is of are parts of one time. */
static void law_wait_record(const uint8_t *start)
{
	struct pev_wait_record w;

	memcpy(&w, start, offsetof(struct pev_wait_record, stack));
	if (w.enabled < w.run || w.enabled - w.run < w.folded ||
	    w.enabled - w.run - w.folded < w.blocked + w.runnable)
		broken("%llu ns of a thread that ran %llu, was folded %llu, waits for %llu and %llu",
		       (llu)w.enabled, (llu)w.run, (llu)w.folded, (llu)w.blocked, (llu)w.runnable);
	if (w.flags & PEV_WAIT_ENDED && !(w.flags & PEV_WAIT_OPEN))
		broken("flags %#x of a wait that ended its thread", w.flags);
}

/* A stack is for records that were written, or says why there is none. Return: for how many. */
static uint64_t law_ustack_record(const uint8_t *start)
{
	struct pev_ustack_record u;

	memcpy(&u, start, sizeof(u));
	if (!u.cookie || !u.records || u.missing >= PEV_MISSING_MAX)
		broken("cookie %#llx of %u records, missing %u", (llu)u.cookie, u.records,
		       u.missing);
	return u.records;
}

/* What the channel's records owe, and what was told of it. */
static void owe(struct channel *ch, const struct cursor *c, const uint8_t *start)
{
	if (c->cookie)
		ch->owing++;
	if (c->member->attr.type == PEV_TYPE_USTACK)
		ch->told += law_ustack_record(start);
}

static void payload(struct cursor *c, struct channel *ch)
{
	const struct layout *l = &c->member->layout;
	const uint8_t *start = c->at;
	uint64_t size = l->payload;

	if ((uint64_t)(c->end - start) < size) {
		c->bad = true;
		return;
	}
	for (unsigned int i = 0; i < l->nr_lengths; i++) {
		uint16_t length;

		if (l->lengths[i] + sizeof(length) > l->payload) {
			broken("a length at %u of a payload of %u", l->lengths[i], l->payload);
			return;
		}
		memcpy(&length, start + l->lengths[i], sizeof(length));
		size += length;
	}
	skip(c, size);
	if (c->bad)
		return;
	if (l->known && (size_by_format(c, start) + 7) / 8 != (size + 7) / 8)
		broken("a payload of %llu bytes by PEV_IOC_ID, of %llu by its format", (llu)size,
		       (llu)size_by_format(c, start));
	if (!me->root && !l->args && !l->nr_lengths)
		for (uint64_t i = 0; i + 8 <= size; i += 8) {
			uint64_t word;

			memcpy(&word, start + i, 8);
			no_kernel(c, word, "payload");
		}
	if (c->member->attr.type == PEV_TYPE_WAIT)
		law_wait_record(start);
	owe(ch, c, start);
	/* what follows begins at a multiple of 8 */
	skip(c, -size & 7);
}

/* One record: its time, or false. */
static bool record(struct cursor *c, struct channel *ch, uint64_t *time)
{
	uint32_t word = get(c, 4);
	uint64_t id = word & PEV_ID_EXTENDED, mask = (1ULL << PEV_TIME_BITS) - 1;

	if (id == PEV_ID_EXTENDED) {
		uint64_t full = get(c, 8);

		id = word >> PEV_ID_BITS;
		if (full < *time) {
			broken("time goes back from %llu to %llu", (llu)*time, (llu)full);
			return false;
		}
		*time = full;
	} else {
		*time += ((word >> PEV_ID_BITS) - *time) & mask;
	}
	skip(c, 4);	/* tid */
	if (id >= CHANNEL_IDS || !ch->members[id].used) {
		c->bad = true;
		return false;
	}
	c->member = &ch->members[id];
	context(c);
	payload(c, ch);
	if (c->bad)
		return false;
	ch->members[id].parsed++;
	return true;
}

static void show(const struct cursor *c, const uint8_t *from)
{
	for (unsigned int i = 0; i < 12 && from + 4 * i + 4 <= c->end; i++)
		printf("%s%08x", i ? " " : "# ", *(const uint32_t *)(from + 4 * i));
	printf("\n");
}

static bool packet_header(struct channel *c, struct ring *ring, unsigned int cpu, bool whole)
{
	struct pev_packet p;
	uint64_t k = ring->pos / c->info.packet_size;

	memcpy(&p, data(c, ring, ring->pos), sizeof(p));
	if (p.magic != PEV_PACKET_MAGIC || p.packet_seq_num != k ||
	    p.cpu_id != (uint32_t)kernel_page(ring)->cpu ||
	    p.packet_size != 8ULL * c->info.packet_size || p.reserved || p.stream_id ||
	    p.stream_instance_id != cpu || kernel_page(ring)->ring != cpu ||
	    memcmp(p.uuid, c->info.uuid, sizeof(p.uuid))) {
		broken("packet %llu of ring %u begins with magic %#x CPU %u number %llu size %llu",
		       (llu)k, cpu, p.magic, p.cpu_id, (llu)p.packet_seq_num, (llu)p.packet_size);
		return false;
	}
	if (p.timestamp_begin < ring->time) {
		broken("packet %llu of ring %u begins at %llu, what is before it ends at %llu",
		       (llu)k, cpu, (llu)p.timestamp_begin, (llu)ring->time);
		return false;
	}
	ring->time = p.timestamp_begin;
	if (!whole)
		return true;
	if (p.events_discarded < ring->discarded || p.content_size > p.packet_size ||
	    p.content_size < 8 * HEADER || p.timestamp_end < p.timestamp_begin) {
		broken("packet %llu of ring %u: content %llu discarded %llu (before: %llu) times %llu to %llu",
		       (llu)k, cpu, (llu)p.content_size, (llu)p.events_discarded,
		       (llu)ring->discarded, (llu)p.timestamp_begin, (llu)p.timestamp_end);
		return false;
	}
	ring->discarded = p.events_discarded;
	return true;
}

/* What there is of the packet that @ring->pos is in, up to @head. */
static bool packet(struct channel *c, struct ring *ring, unsigned int cpu, uint64_t head)
{
	uint64_t start = ring->pos - ring->pos % c->info.packet_size;
	bool whole = start + c->info.packet_size <= head;
	const uint8_t *base = data(c, ring, start);
	struct pev_packet p;
	struct cursor cursor = { .channel = c, .cpu = kernel_page(ring)->cpu };

	if (ring->pos == start) {
		if (!packet_header(c, ring, cpu, whole))
			return false;
		ring->pos += HEADER;
	}
	memcpy(&p, base, sizeof(p));
	cursor.at = base + (ring->pos - start);
	cursor.end = base + (whole ? p.content_size / 8 : head - start);
	while (cursor.at < cursor.end) {
		const uint8_t *from = cursor.at;

		if (!record(&cursor, c, &ring->time)) {
			if (cursor.bad) {
				show(&cursor, from);
				broken("a record at %llu of ring %u is not whole or of no event: sample %#llx",
				       (llu)(start + (from - base)), cpu,
				       (llu)(cursor.member ? cursor.member->layout.sample : 0));
			}
			return false;
		}
		add(&all->records, 1);
	}
	if (whole && ring->time > p.timestamp_end) {
		broken("a packet of ring %u ends at %llu, its last record at %llu", cpu,
		       (llu)p.timestamp_end, (llu)ring->time);
		return false;
	}
	ring->pos = whole ? start + c->info.packet_size : head;
	return true;
}

/* All there is in discard mode; what was read is given back. */
bool rings_drain(struct channel *c)
{
	if (!c->followed || rings_map(c))
		return false;
	for (unsigned int cpu = 0; cpu < c->info.nr_rings; cpu++) {
		struct ring *ring = &c->rings[cpu];
		uint64_t head;

		if (!ring->map)
			continue;
		head = __atomic_load_n(&kernel_page(ring)->head, __ATOMIC_ACQUIRE);
		while (ring->pos < head)
			if (!packet(c, ring, cpu, head)) {
				channel_taint(c);
				return false;
			}
		__atomic_store_n(&ring->user->tail, ring->pos, __ATOMIC_RELEASE);
	}
	return true;
}

/*
 * Whatever lies in a ring, records or not. What the program itself has in its
 * registers, on its stack or as arguments may look like anything.
 */
void rings_scan(struct channel *c)
{
	static const uint64_t own = PEV_SAMPLE_UREGS | PEV_SAMPLE_USTACK_DUMP |
				    PEV_SAMPLE_USTACK;

	if (me->root || c->fd < 0 || rings_map(c))
		return;
	for (unsigned int i = 0; i < c->nr_ids; i++)
		if (c->members[i].used && (c->members[i].layout.sample & own ||
					   c->members[i].layout.args ||
					   c->members[i].layout.nr_lengths))
			return;
	if (!c->followed)
		return;
	for (unsigned int cpu = 0; cpu < c->info.nr_rings; cpu++)
		if (c->rings[cpu].map)
			scan_words(c->rings[cpu].map + c->info.mmap_data, c->info.ring_size,
				   "a ring");
}
