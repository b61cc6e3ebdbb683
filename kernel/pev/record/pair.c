// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how events begin and end pairs of a table, and what a record of a pair has beside
 * that of any event. Must not know where open pairs are kept, or how rows are.
 */
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/pev_clock.h>
#include "ring/ring.h"
#include "key.h"
#include "pair.h"
#include "sample.h"

/* ---- what records have of a pair ---- */

/* Bytes of the text, which has four fields at most beside the latency. */
#define TEXT_SIZE	(128 + PEV_MAX_TABLE_KEYS * (PEV_MAX_TABLE_NAME + 32))

/* Return: what a key is called behind "begin_". */
static const char *name_of(const struct pev_table_key *key)
{
	switch (key->from & ~PEV_TABLE_AT_BEGIN) {
	case PEV_TABLE_PID:
		return "pid";
	case PEV_TABLE_TID:
		return "tid";
	case PEV_TABLE_COMM:
		return "comm";
	case PEV_TABLE_CPU:
		return "cpu";
	case PEV_TABLE_CGROUP:
		return "cgroup";
	case PEV_TABLE_SYSCALL:
		return "syscall";
	default:
		return key->name;
	}
}

static bool is_second(const struct pev_table *attr, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		if (attr->keys[i].from & PEV_TABLE_AT_BEGIN &&
		    !strcmp(name_of(&attr->keys[i]), name_of(&attr->keys[nr])))
			return true;
	return false;
}

static int put_field(char *text, const struct pev_key_part *part, const char *name)
{
	if (part->from == PEV_TABLE_COMM)
		return scnprintf(text, TEXT_SIZE, "\t\ttext_t begin_%s[%d];\n", name,
				 TASK_COMM_LEN);
	return scnprintf(text, TEXT_SIZE, "\t\t%s begin_%s;\n",
			 part->sign ? "int64_t" : "uint64_t", name);
}

/**
 * pev_pair_describe() - let the records of an event have what PEV_SAMPLE_PAIR asks for
 * @event: ends pairs; its @body is that of other records
 * @key:   what the table asks of it
 * @table: has records
 * @r:     says why not
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int pev_pair_describe(struct pev_event *event, const struct pev_key *key,
		      const struct pev_table_set *table, struct pev_refuse *r)
{
	const struct pev_table *attr = &table->attr;
	int len;

	if (!(event->sample & PEV_SAMPLE_PAIR))
		return 0;
	event->pair_text = kmalloc(TEXT_SIZE, GFP_KERNEL_ACCOUNT);
	if (!event->pair_text)
		return -ENOMEM;
	len = scnprintf(event->pair_text, TEXT_SIZE, "\t\tuint64_t latency;\n");
	for (u32 i = 0; i < attr->nr_keys; i++) {
		if (!(attr->keys[i].from & PEV_TABLE_AT_BEGIN))
			continue;
		if (is_second(attr, i))
			return pev_refuse(r, EINVAL, PEV_FIELD(sample),
					  "two keys of the table are called begin_%s, which records can't have twice",
					  name_of(&attr->keys[i]));
		len += put_field(event->pair_text + len, &key->keys[i], name_of(&attr->keys[i]));
	}
	event->body += pev_pair_words(table) * sizeof(u64);
	return 0;
}

/**
 * pev_pair_slots() - where the records of an event are counted, and the rings they go to
 * @event: ends pairs
 *
 * It has slots of its own: that of an event is without a ring if not all of it is recorded.
 *
 * Context: Process context, may sleep.
 * Return: slots for free_percpu(), or NULL.
 */
struct pev_event_cpu __percpu *pev_pair_slots(struct pev_event *event)
{
	struct pev_event_cpu __percpu *slots;
	unsigned int cpu;

	slots = alloc_percpu_gfp(struct pev_event_cpu, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!slots)
		return NULL;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(slots, cpu)->event = event;
	return slots;
}

/* ---- occurrences ---- */

/**
 * pev_pair_begin() - an event begins a pair
 * @event: it
 * @table: where
 * @key:   what the table asks of it
 * @at:    where it occurred
 *
 * Context: Any with preemption disabled, NMI included.
 * Return: enum pev_pair_begun.
 */
enum pev_pair_begun pev_pair_begin(struct pev_event *event, struct pev_table_set *table,
				   const struct pev_key *key, const struct pev_key_at *at)
{
	u64 words[PEV_PAIR_WORDS + PEV_PAIR_KEPT];

	pev_key_make_pair(key, event, at, words);
	return pev_pairs_begin(&table->pairs, words, pev_now_ns());
}

/**
 * pev_pair_end() - an event may end a pair
 * @event: it
 * @table: where
 * @key:   what the table asks of it
 * @at:    where it occurred
 * @words: gets PEV_PAIR_SAMPLE words at most: the ns since it began, and what was kept
 *
 * Context: as pev_pair_begin().
 * Return: false if it ends nothing.
 */
bool pev_pair_end(struct pev_event *event, struct pev_table_set *table,
		  const struct pev_key *key, const struct pev_key_at *at, u64 *words)
{
	u64 pair[PEV_PAIR_WORDS], now = pev_now_ns(), began;

	pev_key_make_pair(key, event, at, pair);
	if (!pev_pairs_end(&table->pairs, pair, &began, words + 1))
		return false;
	words[0] = pev_elapsed(began, now);
	return true;
}

/**
 * pev_pair_write() - write a record
 * @event:   ended a pair
 * @to:      of its slots for records, on this CPU
 * @payload: the fields, up to a multiple of 8 bytes
 * @bytes:   of them
 * @in:      what is known of the sample, and the pair's words
 *
 * Context: as pev_pair_begin().
 * Return: false if there was no room.
 */
bool pev_pair_write(struct pev_event *event, struct pev_event_cpu *to, const void *payload,
		    u32 bytes, const struct pev_sample_in *in)
{
	void *p;

	/* a CPU that came online when memory was short has no ring */
	if (unlikely(!to->ring))
		return false;
	p = pev_sample_begin_record(event, to, bytes, in);
	if (!p)
		return false;
	memcpy(p, payload, bytes);
	pev_ring_commit(to->ring);
	return true;
}
