// SPDX-License-Identifier: GPL-2.0
/*
 * Owns kernel.pev_panic_records: at a panic, so many records of the flight recorders that
 * asked for it, and of that whose rings outlive the crash, are printed to the console, the
 * newest last.
 *
 * The machine is broken then, and nothing may make it worse: no lock is taken, nothing is
 * allocated, no other CPU is asked for anything, and each loop ends after a number of steps
 * that is known before. The channels are stopped first, so that no writer changes what is read,
 * not even one that records what the console does.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysctl.h>
#include <linux/trace_events.h>
#include <linux/xarray.h>
#include "base/work.h"
#include "channel/channel.h"
#include "channel/recorders.h"
#include "record/layout.h"
#include "ring/gate.h"
#include "ring/ring.h"
#include "types.h"
#include "line.h"
#include "merge.h"
#include "panic.h"

#define MAX_RECORDS	1000

/* Of the payload of a record that is printed with its fields. */
#define MAX_PAYLOAD	8192

/* Parts of a payload that vary in length; a record with more is not understood. */
#define MAX_LENGTHS	32

/**
 * struct place - where in a ring is read
 * @channel: whose ring it is
 * @ring:  the ring; NULL: there is none, or no more in it
 * @pos:   of the packet
 * @head:  end of what was published
 * @used:  bytes of the packet that are read
 * @bytes: of the packet with content
 * @event: of the record that comes next; NULL: it has no print format
 * @time:  of that
 * @tid:   of that
 * @size:  of its payload
 * @data:  its payload
 */
struct place {
	struct pev_channel	*channel;
	struct pev_ring		*ring;
	u64			pos;
	u64			head;
	u32			used;
	u32			bytes;
	struct pev_event	*event;
	u64			time;
	u32			tid;
	u32			size;
	const void		*data;
};

static unsigned int records;
/* Room for each possible CPU of each recorder, once @records was not 0 */
static struct place *places;
/* Those that have a record, from the first on: a heap, with the oldest record at the top. */
static unsigned int nr_places;
static struct pev_line line;
static atomic_t printing;

/* ---- a record ---- */

/* Bytes of the parts at @at that vary, of @left; more than @left: they do not fit. */
static u32 varying_size(const struct pev_event *event, const void *at, u32 left)
{
	u64 varying = event->varying, size = 0;
	const u64 masks[] = {
		PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK, PEV_SAMPLE_UREGS, PEV_SAMPLE_READ,
		PEV_SAMPLE_USTACK_DUMP,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(masks); i++) {
		const u32 *words = at + size;
		u64 count;

		if (!(varying & masks[i]))
			continue;
		if (size + sizeof(u64) > left)
			return left + 1;
		memcpy(&count, words, sizeof(count));
		if (masks[i] & PEV_SAMPLE_KSTACK)
			count = (u64)words[0] + words[1];
		if (count > left)
			return left + 1;
		if (masks[i] != PEV_SAMPLE_USTACK_DUMP)
			count *= sizeof(u64);
		size += sizeof(u64) + count;
		if (size > left)
			return left + 1;
	}
	return size;
}

/* Bytes of the payload at @data; more than @left: it does not fit, or can't be known. */
static u32 payload_size(struct pev_event *event, const void *data, u32 left)
{
	u16 lengths[MAX_LENGTHS];
	struct pev_layout layout = { .room = MAX_LENGTHS, .lengths = lengths };
	u32 size;

	if (event->ops->layout)
		event->ops->layout(event, &layout);
	size = layout.payload;
	if (size > left || layout.nr > MAX_LENGTHS)
		return left + 1;
	for (u32 i = 0; i < layout.nr; i++) {
		if (lengths[i] + sizeof(u16) > layout.payload)
			return left + 1;
		size += *(const u16 *)(data + lengths[i]);
	}
	return size;
}

/* The header at @at, as merge.c reads it. Return: its bytes; 0: it does not fit. */
static u32 read_header(struct place *p, const u32 *at, u32 left, u32 *id)
{
	if (left < PEV_HEADER_EXTENDED)
		return 0;
	*id = *at & PEV_ID_MASK;
	if (*id != PEV_ID_EXTENDED) {
		p->time = pev_compact_time(p->time, *at);
		return PEV_HEADER_COMPACT;
	}
	*id = *at >> PEV_ID_BITS;
	memcpy(&p->time, at + 1, sizeof(p->time));
	return PEV_HEADER_EXTENDED;
}

static const struct pev_packet *packet_of(const struct place *p)
{
	return (void *)(p->ring->data + (p->pos & p->ring->data_mask));
}

/* Go to the next record of the packet; false: there is none, or none that is understood. */
static bool next_in_packet(struct place *p)
{
	const void *at = (const void *)packet_of(p) + p->used;
	u32 left = p->bytes - p->used, lead, id, more;

	if (p->used >= p->bytes)
		return false;
	lead = read_header(p, at, left, &id);
	p->event = lead ? xa_load(&p->channel->events, id) : NULL;
	if (!p->event || left < lead + p->event->body)
		return false;
	memcpy(&p->tid, at + lead, sizeof(p->tid));
	lead += p->event->body;
	more = varying_size(p->event, at + lead, left - lead);
	if (more > left - lead)
		return false;
	lead += more;
	p->data = at + lead;
	p->size = payload_size(p->event, p->data, left - lead);
	if (round_up(p->size, 8) > left - lead)
		return false;
	p->used += lead + round_up(p->size, 8);
	return true;
}

/* ---- a ring ---- */

static void enter_packet(struct place *p)
{
	const struct pev_packet *packet = packet_of(p);
	u64 end = p->head - p->pos;

	/* the last one may be open, and end where the ring does */
	if (end > p->ring->packet_size)
		end = p->ring->packet_size;
	if (p->pos + p->ring->packet_size <= p->head)
		end = min(end, packet->content_size / 8);
	p->bytes = end;
	p->used = sizeof(*packet);
	p->time = packet->timestamp_begin;
}

static u32 count_packet(struct place *p)
{
	u32 n = 0;

	enter_packet(p);
	while (next_in_packet(p))
		n++;
	return n;
}

/* Go to the next record of the ring; without one it is done with. */
static void advance(struct place *p)
{
	while (p->ring && !next_in_packet(p)) {
		p->pos += p->ring->packet_size;
		if (p->pos < p->head)
			enter_packet(p);
		else
			p->ring = NULL;
	}
}

/* Go to where @nr records are left in the ring, or to its first. Return: how many are. */
static u32 find_begin(struct pev_channel *channel, struct pev_ring *ring, struct place *p, u32 nr)
{
	u64 oldest = READ_ONCE(ring->kernel->oldest), size = ring->packet_size;
	u32 found = 0;

	p->channel = channel;
	p->ring = NULL;
	p->head = READ_ONCE(ring->kernel->head);
	if (p->head <= oldest || p->head - oldest > ring->data_mask + 1)
		return 0;
	p->ring = ring;
	p->pos = round_down(p->head - 1, size);
	found = count_packet(p);
	while (found < nr && p->pos >= oldest + size) {
		p->pos -= size;
		found += count_packet(p);
	}
	enter_packet(p);
	advance(p);
	/* a packet may have many more, and none but these can be among the last of all rings */
	for (; found > nr; found--)
		advance(p);
	return found;
}

/* ---- all of them ---- */

/* What is behind this neither begins nor ends a record. Any context. */
static void stop(struct pev_channel *channel)
{
	unsigned int cpu;
	u32 word;

	pev_gate_act(&channel->gate, PEV_ACT_STOP, &word);
	for_each_possible_cpu(cpu) {
		struct pev_ring *ring = READ_ONCE(channel->rings[cpu]);

		if (ring)
			pev_ring_close_other(ring);
	}
}

/* ns since the epoch: clocks of channels may differ. */
static u64 ns_of(const struct place *p)
{
	const struct pev_trace_clock *clock = &p->channel->clock;
	u64 rest, seconds = div64_u64_rem(p->time + clock->offset, clock->freq, &rest);

	return (clock->offset_s + seconds) * NSEC_PER_SEC +
	       mul_u64_u64_div_u64(rest, NSEC_PER_SEC, clock->freq);
}

/* Channels of one clock may have found the epoch at places that differ a little. */
static bool is_before(const struct place *a, const struct place *b)
{
	if (a->channel->clock.type == b->channel->clock.type)
		return a->time < b->time;
	return ns_of(a) < ns_of(b);
}

/* The place at @at may be after those below it, which are a heap. */
static void sift_down(unsigned int at)
{
	for (;;) {
		unsigned int child = 2 * at + 1;

		if (child + 1 < nr_places && is_before(&places[child + 1], &places[child]))
			child++;
		if (child >= nr_places || !is_before(&places[child], &places[at]))
			return;
		swap(places[at], places[child]);
		at = child;
	}
}

static void make_heap(void)
{
	for (unsigned int at = nr_places / 2; at; at--)
		sift_down(at - 1);
}

/* The oldest record is done with. */
static void advance_oldest(void)
{
	advance(&places[0]);
	if (!places[0].ring)
		places[0] = places[--nr_places];
	sift_down(0);
}

static void print_record(const struct place *p)
{
	struct seq_buf *text = &line.iter->seq.seq;

	/* a print format would look for the end of a longer one, and find other memory */
	if (!p->event->ops->print || p->size > MAX_PAYLOAD) {
		pr_emerg("%12llu [%03u] %6u %s\n", p->time, p->ring->cpu, p->tid, p->event->name);
		return;
	}
	pev_line_put(&line, &p->channel->clock, p->event, p->time, p->ring->cpu, p->tid, p->data,
		     p->size);
	pr_emerg("%.*s", (int)seq_buf_used(text), text->buffer);
}

/* Stop a channel, and go to its last records. Return: how many there are. */
static u64 find_last(struct pev_channel *channel, u32 nr)
{
	unsigned int cpu;
	u64 found = 0;

	stop(channel);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct pev_ring *ring = READ_ONCE(channel->rings[cpu]);
		struct place *p = &places[nr_places];

		if (!ring)
			continue;
		found += find_begin(channel, ring, p, nr);
		nr_places += !!p->ring;
	}
	return found;
}

static void print_head(u64 found, unsigned int channels, u64 id)
{
	if (channels == 1)
		pr_emerg("the last %llu records of channel %llu:\n", found, id);
	else
		pr_emerg("the last %llu records of %u channels:\n", found, channels);
}

static void print_last(u32 nr)
{
	u64 found = 0, skip, id = 0;
	unsigned int channels = 0;

	for (unsigned int i = 0; i < PEV_RECORDERS; i++) {
		struct pev_channel *channel = pev_recorder(i);

		if (!channel)
			continue;
		id = channel->id;
		channels++;
		found += find_last(channel, nr);
	}
	if (!channels)
		return;
	skip = found > nr ? found - nr : 0;
	print_head(found - skip, channels, id);
	make_heap();
	for (; found-- && nr_places; advance_oldest()) {
		if (skip)
			skip--;
		else
			print_record(&places[0]);
	}
	pr_emerg("end of the records\n");
}

static int at_panic(struct notifier_block *block, unsigned long unused, void *reason)
{
	u32 nr = READ_ONCE(records);

	/* a second time would be by what this has done */
	if (!nr || atomic_xchg(&printing, 1))
		return NOTIFY_DONE;
	print_last(nr);
	return NOTIFY_DONE;
}

/* Before the machine is told to go, and after other CPUs were stopped. */
static struct notifier_block block = { .notifier_call = at_panic };

/* ---- the setting ---- */

static DEFINE_MUTEX(setting_lock);

/* At a panic it is too late. */
static int get_memory(void)
{
	int err = 0;

	if (!line.iter)
		err = pev_line_alloc(&line, MAX_PAYLOAD);
	if (err)
		pev_line_free(&line);
	if (!err && !places)
		places = kvcalloc(nr_cpu_ids * PEV_RECORDERS, sizeof(*places), GFP_KERNEL);
	return !err && places ? 0 : -ENOMEM;
}

static const unsigned int max_records = MAX_RECORDS;

static int set_records(const struct ctl_table *table, int write, void *buffer, size_t *len,
		       loff_t *pos)
{
	unsigned int asked = READ_ONCE(records);
	const struct ctl_table own = {
		.procname = table->procname, .data = &asked, .maxlen = sizeof(asked),
		.mode = table->mode, .extra1 = SYSCTL_ZERO, .extra2 = (void *)&max_records,
	};
	int err;

	guard(mutex)(&setting_lock);
	err = proc_douintvec_minmax(&own, write, buffer, len, pos);
	if (!err && write && asked)
		err = get_memory();
	if (!err && write)
		WRITE_ONCE(records, asked);
	return err;
}

static struct ctl_table panic_sysctls[] = {
	{
		.procname	= "pev_panic_records",
		.data		= &records,
		.maxlen		= sizeof(records),
		.mode		= 0644,
		.proc_handler	= set_records,
	},
};

static struct ctl_table_header *sysctls;

int __init pev_panic_setup(void)
{
	sysctls = register_sysctl("kernel", panic_sysctls);
	if (!sysctls)
		return -ENOMEM;
	return atomic_notifier_chain_register(&panic_notifier_list, &block);
}

void __pev_teardown pev_panic_teardown(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &block);
	unregister_sysctl_table(sysctls);
	pev_line_free(&line);
	kvfree(places);
}
