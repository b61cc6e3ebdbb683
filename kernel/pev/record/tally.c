// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how an occurrence updates a table: the scratch memory that a payload is written to,
 * and the value. Must not know how rows are kept, or what a key is made of.
 */
#include <linux/instruction_pointer.h>
#include <linux/percpu.h>
#include <linux/pev_refuse.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include "filter/program.h"
#include "table/table.h"
#include "callchain.h"
#include "key.h"
#include "pair.h"
#include "sample.h"
#include "scratch.h"
#include "tally.h"

/**
 * struct pev_tally - how an event counts in its table
 * @table: the table; NULL with @take
 * @key:   what it asks for
 * @known: fields that it joined @table with
 * @stacks: PEV_SAMPLE_KSTACK and PEV_SAMPLE_USTACK of keys that are call chains; cleared if
 *          there is no memory for these
 * @records: the slots of what becomes records, see pair.h; NULL: nothing does
 * @take:   is given the payload instead, see pev_tally_take(); NULL: it counts in @table
 */
struct pev_tally {
	struct pev_table_set	*table;
	struct pev_key		key;
	u32			known;
	u64			stacks;
	struct pev_event_cpu __percpu *records;
	void			(*take)(const void *record);
};

/**
 * struct frame - what lies behind a payload in scratch memory, at its end
 * @ec:     the event on this CPU
 * @task:   the task it is about, see struct pev_sample_in
 * @chain:  its call chains; NULL: not wanted
 * @period: what it stands for
 * @size:   bytes of the record, the common fields included
 * @bytes:  taken, this included
 */
struct frame {
	struct pev_event_cpu	*ec;
	struct task_struct	*task;
	struct pev_callchain	*chain;
	u64			period;
	u32			size;
	u32			bytes;
};

/* The common fields, from before which fields count; the payload is behind them. */
#define COMMON		((u32)sizeof(struct trace_entry))

/* ---- joining a table ---- */

static int take_stacks(struct pev_event *event, const struct pev_table_set *table)
{
	struct pev_tally *tally = event->tally;
	u64 stacks = 0;

	if (tally->key.begins)
		return 0;
	if (pev_table_has(table, PEV_TABLE_KSTACK))
		stacks |= PEV_SAMPLE_KSTACK;
	if (pev_table_has(table, PEV_TABLE_USTACK))
		stacks |= PEV_SAMPLE_USTACK;
	if (!stacks)
		return 0;
	if (pev_callchain_get())
		return -ENOMEM;
	tally->stacks = stacks;
	event->max_stack = table->attr.max_stack ?: PEV_MAX_STACK;
	return 0;
}

static int take_records(struct pev_event *event, const struct pev_table_set *table,
			struct pev_refuse *r)
{
	struct pev_tally *tally = event->tally;

	if (!pev_pair_records(event, table))
		return 0;
	tally->records = pev_pair_slots(event);
	if (!tally->records)
		return -ENOMEM;
	event->rings = tally->records;
	return pev_pair_describe(event, &tally->key, table, r);
}

/**
 * pev_tally_init() - let an event count in a table
 * @event: its name is set; no occurrence comes yet
 * @table: the table
 * @find:  finds a field of its payload by its name
 * @from:  handed to @find
 * @r:     says why not
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error; pev_tally_exit() must follow in either case.
 */
int pev_tally_init(struct pev_event *event, struct pev_table_set *table,
		   bool (*find)(const void *from, const char *name, size_t len,
				struct pev_filter_field *field),
		   const void *from, struct pev_refuse *r)
{
	struct pev_key_fields fields = { .find = find, .from = from };
	struct pev_tally *tally;
	int err;

	if (event->sample && !pev_pair_records(event, table))
		return pev_refuse(r, EINVAL, PEV_FIELD(sample),
				  "a table has no records to put samples in: set sample to 0");
	if (event->flags & PEV_F_TEXT)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "a table has no records to put texts in: PEV_F_TEXT is for channels");
	if (pev_scratch_alloc())
		return -ENOMEM;
	tally = kzalloc(sizeof(*tally), GFP_KERNEL_ACCOUNT);
	if (!tally)
		return -ENOMEM;
	event->tally = tally;
	event->simple = false;
	fields.begun = pev_table_known(table, &fields.begun_sign);
	err = pev_key_init(&tally->key, event, &table->attr, &fields, r);
	err = err ?: take_stacks(event, table);
	err = err ?: take_records(event, table, r);
	err = err ?: pev_table_join(table, fields.known, fields.sign, &event->id, r);
	if (err)
		return err;
	tally->table = table;
	tally->known = fields.known;
	event->bare = !tally->stacks && !tally->records;
	return 0;
}

/**
 * pev_tally_take() - hand the payload of each occurrence over, instead of counting it
 * @event: one of the kernel's own, with fields alone; no occurrence comes yet
 * @take:  is given it, from before the common fields on, with preemption disabled, in any
 *         context; NULL: there was no memory for it
 *
 * Context: Process context, may sleep.
 * Return: 0 or an error; pev_tally_exit() must follow in either case.
 */
int pev_tally_take(struct pev_event *event, void (*take)(const void *record))
{
	if (pev_scratch_alloc())
		return -ENOMEM;
	event->tally = kzalloc(sizeof(*event->tally), GFP_KERNEL);
	if (!event->tally)
		return -ENOMEM;
	event->tally->take = take;
	event->simple = false;
	event->bare = true;
	event->period = 1;
	return 0;
}

/* @event is refused and was never on: others that join its table find nothing of it. */
void pev_tally_forget(struct pev_event *event)
{
	const struct pev_tally *tally = event->tally;

	if (tally && tally->table)
		pev_table_forget(tally->table, tally->known);
}

/* Undo pev_tally_init() or pev_tally_take(); no occurrence can be inside. */
void pev_tally_exit(struct pev_event *event)
{
	if (!event->tally)
		return;
	if (event->tally->table)
		pev_table_put(event->tally->table);
	if (event->tally->stacks)
		pev_callchain_put();
	free_percpu(event->tally->records);
	kfree(event->pair_text);
	kfree(event->tally);
	event->tally = NULL;
}

/* ---- values ---- */

static __always_inline u64 value_of(const struct pev_tally *tally, u64 period,
				    const void *record, u64 latency)
{
	if (tally->key.value == PEV_TABLE_COUNT)
		return 0;
	if (tally->key.value == PEV_TABLE_PERIOD)
		return period;
	if (tally->key.value == PEV_TABLE_OF_LATENCY)
		return latency;
	return pev_key_load(&tally->key.field, record);
}

static struct pev_rows *rows_here(const struct pev_tally *tally)
{
	return pev_table_rows_here(tally->table);
}

/* ---- occurrences ---- */

/*
 * Walk the stacks of what runs here, if that is what it is about: in the chain that is
 * returned, none are left otherwise. Return: NULL if this can't be done now.
 */
static __always_inline struct pev_callchain *take_chain(struct pev_event *event,
							const struct pev_sample_in *in)
{
	struct pev_callchain *chain;

	if (unlikely(!pev_collect_begin()))
		return NULL;
	chain = pev_callchain_take(event, pev_sample_stacks(event, in, event->tally->stacks),
				   in ? in->regs : NULL, pev_sample_place(in),
				   in ? in->kernel : NULL);
	pev_collect_end();
	if (likely(chain->kernel))
		return chain;
	pev_callchain_drop(chain);
	return NULL;
}

/* No memory was left for a record, whatever it would have done. */
static void lose(const struct pev_tally *tally, u64 period)
{
	if (unlikely(tally->take))
		tally->take(NULL);
	else if (tally->key.begins)
		pev_rows_begin(rows_here(tally), false, true);
	else
		pev_rows_lose(rows_here(tally), value_of(tally, period, NULL, 0));
}

static noinline void *lose_begin(struct pev_event_cpu *ec, u64 period)
{
	local64_inc(&ec->lost);
	lose(ec->event->tally, period);
	return NULL;
}

/* Bytes of scratch memory for a payload, and @more. */
static __always_inline u32 bytes_of(u32 payload, u32 more)
{
	BUILD_BUG_ON(sizeof(struct frame) % 8 || COMMON % 8 || sizeof(struct pev_sample_in) % 8);
	return ALIGN(COMMON + ALIGN(payload, 8) + more + sizeof(struct frame),
		     PEV_SCRATCH_ALIGN);
}

/* What is known of a sample lies before the frame, of events of which some become records. */
static __always_inline struct pev_sample_in *sample_of(const struct frame *frame)
{
	return (void *)frame - sizeof(struct pev_sample_in);
}

/* The source's @in is gone when the payload is complete. */
static noinline void keep_sample(void *record, u32 bytes, const struct pev_sample_in *in)
{
	struct pev_sample_in *to = sample_of(record + bytes - sizeof(struct frame));

	*to = in ? *in : (struct pev_sample_in){ };
}

/* Return: where the payload goes. */
static __always_inline void *put_frame(void *record, u32 bytes, u32 payload,
				       const struct frame *what)
{
	struct frame *frame = record + bytes - sizeof(*frame);

	*frame = *what;
	frame->size = COMMON + payload;
	frame->bytes = bytes;
	return record + COMMON;
}

/**
 * pev_tally_begin_bare() - pev_tally_begin() of an occurrence in the current task
 * @event:   as there, with @bare
 * @ec:      as there
 * @payload: as there
 *
 * Context: as there.
 * Return: as there.
 */
void *pev_tally_begin_bare(struct pev_event *event, struct pev_event_cpu *ec, u32 payload)
{
	const struct frame frame = {
		.ec = ec, .task = current, .period = READ_ONCE(event->period),
	};
	u32 bytes = bytes_of(payload, 0);
	void *record = pev_scratch_get(bytes);

	if (unlikely(!record))
		return lose_begin(ec, frame.period);
	return put_frame(record, bytes, payload, &frame);
}

/**
 * pev_tally_begin() - pev_sample_begin() of an event with a table
 * @event:   as there
 * @ec:      as there
 * @payload: as there
 * @in:      as there
 *
 * Context: as there.
 * Return: as there; pev_tally_end() ends it.
 */
void *pev_tally_begin(struct pev_event *event, struct pev_event_cpu *ec, u32 payload,
		      const struct pev_sample_in *in)
{
	struct frame frame = {
		.ec = ec, .task = in && in->task ? in->task : current,
		.period = in && in->period ? in->period : READ_ONCE(event->period),
	};
	bool keeps = event->tally->records;
	u32 bytes = bytes_of(payload, keeps ? sizeof(*in) : 0);
	void *record = pev_scratch_get(bytes);

	if (unlikely(!record))
		return lose_begin(ec, frame.period);
	if (keeps)
		keep_sample(record, bytes, in);
	if (event->tally->stacks) {
		frame.chain = take_chain(event, in);
		if (unlikely(!frame.chain)) {
			pev_scratch_put(bytes);
			return lose_begin(ec, frame.period);
		}
	}
	return put_frame(record, bytes, payload, &frame);
}

static void update(struct pev_event *event, const struct pev_key_at *at, u64 period)
{
	const struct pev_tally *tally = event->tally;
	u64 key[PEV_ROW_WORDS], value = value_of(tally, period, at->record, at->latency);

	pev_key_make(&tally->key, event, at, key);
	pev_rows_update(rows_here(tally), key, value, pev_table_mark(tally->table, value));
}

static void begin_pair(struct pev_event *event, const struct pev_key_at *at)
{
	const struct pev_tally *tally = event->tally;
	enum pev_pair_begun begun = pev_pair_begin(event, tally->table, &tally->key, at);

	pev_rows_begin(rows_here(tally), begun == PEV_PAIR_REPLACED, begun == PEV_PAIR_DROPPED);
}

static noinline void record_pair(const struct frame *frame, const u64 *words, u64 place)
{
	struct pev_event *event = frame->ec->event;
	const struct pev_tally *tally = event->tally;
	const void *record = (void *)frame + sizeof(*frame) - frame->bytes;
	struct pev_sample_in in = *sample_of(frame);

	/* that of a system call is the program's, and none of this stack */
	if (in.ip < TASK_SIZE_MAX)
		in.place = place;
	in.pair = words;
	in.nr_pair = pev_pair_words(tally->table);
	pev_rows_record(rows_here(tally),
			pev_pair_write(event, this_cpu_ptr(tally->records), record + COMMON,
				       frame->size - COMMON, &in));
}

static void end_pair(const struct frame *frame, struct pev_key_at *at, u64 place)
{
	struct pev_event *event = frame->ec->event;
	const struct pev_tally *tally = event->tally;
	u64 words[PEV_PAIR_SAMPLE];

	if (!pev_pair_end(event, tally->table, &tally->key, at, words)) {
		pev_rows_unmatch(rows_here(tally), value_of(tally, frame->period, at->record, 0));
		return;
	}
	at->latency = words[0];
	at->kept = words + 1;
	update(event, at, frame->period);
	if (tally->records && at->latency >= tally->table->attr.least)
		record_pair(frame, words, place);
}

static void count(const struct frame *frame, struct pev_key_at *at, u64 place)
{
	struct pev_event *event = frame->ec->event;

	if (!event->tally->key.nr_pair)
		update(event, at, frame->period);
	else if (event->tally->key.begins)
		begin_pair(event, at);
	else
		end_pair(frame, at, place);
}

static noinline void count_frame(const struct frame *frame, const void *record, u64 place)
{
	const struct pev_tally *tally = frame->ec->event->tally;
	struct pev_callchain *chain = frame->chain;
	struct pev_rows_stack stacks[2];
	struct pev_key_at at = { .task = frame->task, .record = record, .stacks = stacks };

	if (chain) {
		stacks[0] = (struct pev_rows_stack){ chain->nr_kernel, chain->kernel };
		stacks[1] = (struct pev_rows_stack){ chain->nr_user, chain->user };
	}
	if (tally->take)
		tally->take(record);
	else if (tally->key.stack)
		pev_rows_count_stack(rows_here(tally),
				     &stacks[tally->key.keys[0].from == PEV_TABLE_USTACK]);
	else
		count(frame, &at, place);
	if (chain)
		pev_callchain_drop(chain);
}

/**
 * pev_tally_end() - the payload is complete: count it in the table
 *
 * It is the newest scratch memory that was taken: all that nested in it is done.
 *
 * Context: as pev_tally_begin().
 */
void pev_tally_end(void)
{
	void *end = this_cpu_read(pev_scratch.buf) + this_cpu_read(pev_scratch.used);
	const struct frame *frame = end - sizeof(*frame);
	const struct pev_tally *tally = frame->ec->event->tally;
	u32 bytes = frame->bytes;
	const void *record = likely(frame->size >= tally->key.end) ? end - bytes : NULL;

	local64_inc(&frame->ec->samples);
	if (likely(tally->key.plain)) {
		u64 word = pev_key_load(&tally->key.keys[0], record);

		barrier();	/* what nests may write over the record from here on */
		pev_scratch_put(bytes);
		pev_rows_count(rows_here(tally), word);
		return;
	}
	count_frame(frame, record, _RET_IP_);
	pev_scratch_put(bytes);
}

/**
 * pev_tally_lose() - see pev_event_lose()
 * @ec: of an event with a table
 *
 * Context: as pev_event_lose().
 */
void pev_tally_lose(struct pev_event_cpu *ec)
{
	lose(ec->event->tally, READ_ONCE(ec->event->period));
}

/**
 * pev_tally_filter() - the filter refused occurrences
 * @ec: of an event with a table, on this CPU
 * @nr: how many
 * @at: they
 *
 * Each of them stands for itself, whatever the event's period.
 *
 * Context: as pev_event_lose().
 */
void pev_tally_filter(struct pev_event_cpu *ec, u64 nr, const struct pev_occurrence *at)
{
	const struct pev_tally *tally = ec->event->tally;
	const void *record = at->size >= tally->key.end ? at->record : NULL;

	/* what does not begin is the event's alone */
	if (tally->key.begins)
		return;
	pev_rows_filter(rows_here(tally), nr, nr * value_of(tally, 1, record, 0));
}

/**
 * pev_tally_needs_record() - are the fields needed of what the filter refuses, too?
 * @event: an event
 *
 * Context: Any.
 * Return: true if the table sums up one of them.
 */
bool pev_tally_needs_record(const struct pev_event *event)
{
	return event->tally && event->tally->key.value == PEV_TABLE_OF_FIELD;
}

/**
 * pev_tally_stacks() - which call chains are keys of the event's table?
 * @event: an event
 *
 * Context: Any.
 * Return: PEV_SAMPLE_KSTACK and PEV_SAMPLE_USTACK; 0: none, or it has no table.
 */
u64 pev_tally_stacks(const struct pev_event *event)
{
	return event->tally ? event->tally->stacks : 0;
}

/**
 * pev_tally_requests() - how many keys of the event's table are requests?
 * @event: an event
 *
 * Each is read from the program's memory, which may not be there.
 *
 * Context: Any.
 * Return: the number; 0 without a table.
 */
unsigned int pev_tally_requests(const struct pev_event *event)
{
	const struct pev_key *key = event->tally ? &event->tally->key : NULL;
	unsigned int nr = 0;

	for (u32 i = 0; key && i < key->nr; i++)
		nr += key->keys[i].from == PEV_TABLE_REQUEST;
	for (u32 i = 0; key && i < key->nr_pair; i++)
		nr += key->pair[i].from == PEV_TABLE_REQUEST;
	return nr;
}
