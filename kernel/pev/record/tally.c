// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how an occurrence becomes a key and a value of a table: what the table's names mean
 * for an event, and the scratch memory that a payload is written to. Must not know how
 * rows are kept.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/pev_clock.h>
#include <linux/pev_refuse.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <asm/syscall.h>
#include "base/cgroup.h"
#include "filter/parse.h"
#include "filter/program.h"
#include "table/table.h"
#include "callchain.h"
#include "sample.h"
#include "scratch.h"
#include "tally.h"

/**
 * struct part - a key or the value, as an event has it
 * @from:   enum pev_table_from
 * @bucket: enum pev_table_bucket
 * @load:   enum pev_load of a field
 * @sign:   of it
 * @offset: in the record, counted from before the common fields
 * @step:   of PEV_TABLE_LINEAR
 */
struct part {
	u8	from;
	u8	bucket;
	u8	load;
	bool	sign;
	u16	offset;
	u64	step;
};

/**
 * struct pev_tally - how an event counts in its table
 * @table: the table
 * @nr:    keys
 * @end:   bytes that a record must have for its fields to be read
 * @value: enum pev_table_value
 * @stacks: PEV_SAMPLE_KSTACK and PEV_SAMPLE_USTACK of keys that are call chains; cleared if
 *          there is no memory for these
 * @keys:  they
 * @field: the value, if it is a field
 */
struct pev_tally {
	struct pev_table_set	*table;
	u32			nr;
	u32			end;
	u32			value;
	u64			stacks;
	struct part		keys[PEV_MAX_TABLE_KEYS];
	struct part		field;
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

/*
 * An address of the kernel's is not for those who may not see where it lies. System calls
 * have addresses of the caller's own.
 */
static bool may_see(const struct pev_event *event, const struct pev_filter_field *field)
{
	if (!field->address || (event->call && event->call->flags & TRACE_EVENT_FL_CAP_ANY))
		return true;
	return event->privileged && perfmon_capable();
}

/**
 * struct fields - those that an event has
 * @find:  finds one by its name
 * @from:  handed to @find
 * @known: mask of those that its table asks for, see struct pev_table_set
 * @sign:  of these, those that have a sign
 */
struct fields {
	bool		(*find)(const void *from, const char *name, size_t len,
				struct pev_filter_field *field);
	const void	*from;
	u32		known;
	u32		sign;
};

static int find_field(struct pev_event *event, const char *name, u32 nr, struct part *part,
		      struct fields *fields, struct pev_refuse *r)
{
	struct pev_filter_field field = { };

	if (!fields->find(fields->from, name, strlen(name), &field))
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "the table asks for the field %s, which %s does not have", name,
				  event->name);
	if (field.kind != PEV_FILTER_NUMBER)
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "field %s of %s is not a number of 1, 2, 4 or 8 bytes, as tables need it",
				  name, event->name);
	if (!may_see(event, &field))
		return pev_refuse(r, EACCES, PEV_FIELD(channel_fd),
				  "field %s of %s is an address of the kernel: CAP_PERFMON is needed",
				  name, event->name);
	part->load = pev_filter_load_of(&field);
	part->sign = field.sign;
	part->offset = field.offset;
	event->tally->end = max_t(u32, event->tally->end, field.offset + field.size);
	fields->known |= BIT(nr);
	fields->sign |= field.sign ? BIT(nr) : 0;
	return 0;
}

static int find_parts(struct pev_event *event, const struct pev_table *attr,
		      struct fields *fields, struct pev_refuse *r)
{
	struct pev_tally *tally = event->tally;
	int err = 0;

	for (u32 i = 0; i < tally->nr && !err; i++) {
		const struct pev_table_key *asked = &attr->keys[i];
		struct part *key = &tally->keys[i];

		key->from = asked->from;
		key->bucket = asked->bucket;
		key->step = asked->step;
		key->sign = key->from == PEV_TABLE_SYSCALL;
		if (key->from == PEV_TABLE_FIELD)
			err = find_field(event, asked->name, i, key, fields, r);
	}
	if (!err && tally->value == PEV_TABLE_OF_FIELD)
		err = find_field(event, attr->field, PEV_MAX_TABLE_KEYS, &tally->field, fields, r);
	return err;
}

static int take_stacks(struct pev_event *event, const struct pev_table_set *table)
{
	struct pev_tally *tally = event->tally;
	u64 stacks = 0;

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
	const struct pev_table *attr = &table->attr;
	struct fields fields = { .find = find, .from = from };
	struct pev_tally *tally;
	int err;

	if (event->sample)
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
	tally->nr = attr->nr_keys;
	tally->value = attr->value;
	err = find_parts(event, attr, &fields, r);
	err = err ?: take_stacks(event, table);
	err = err ?: pev_table_join(table, fields.known, fields.sign, &event->id, r);
	if (!err)
		tally->table = table;
	return err;
}

/* Undo pev_tally_init(); no occurrence can be inside. */
void pev_tally_exit(struct pev_event *event)
{
	if (!event->tally)
		return;
	if (event->tally->table)
		pev_table_put(event->tally->table);
	if (event->tally->stacks)
		pev_callchain_put();
	kfree(event->tally);
	event->tally = NULL;
}

/* ---- keys and values ---- */

static u64 syscall_of(struct task_struct *task)
{
	if (task != current || task->flags & (PF_KTHREAD | PF_USER_WORKER) || in_compat_syscall())
		return -1;
	return syscall_get_nr(task, task_pt_regs(task));
}

static u64 floored(s64 number, u64 step)
{
	/* -1 is in the first bucket below 0, and ~-1 = 0 the first number of it */
	return number < 0 ? ~div64_u64(~(u64)number, step) : div64_u64(number, step);
}

static noinline u64 bucket_of(const struct part *part, u64 number)
{
	bool negative = part->sign && (s64)number < 0;

	if (part->bucket == PEV_TABLE_LOG2)
		return negative ? -(u64)fls64(-number) : fls64(number);
	return negative ? floored(number, part->step) : div64_u64(number, part->step);
}

static __always_inline u64 number_of(struct pev_event *event, const struct part *part,
				     struct task_struct *task, const void *record)
{
	switch (part->from) {
	case PEV_TABLE_FIELD:
		return record ? pev_load_number(part->load, record + part->offset) : 0;
	case PEV_TABLE_PID:
		return task_tgid_nr_ns(task, event->pid_ns);
	case PEV_TABLE_TID:
		return task_pid_nr_ns(task, event->pid_ns);
	case PEV_TABLE_CPU:
		return smp_processor_id();
	case PEV_TABLE_CGROUP:
		return pev_cgroup_of(task);
	case PEV_TABLE_EVENT:
		return event->id;
	default:
		return syscall_of(task);
	}
}

/* A name that another thread changes meanwhile may be a mixture; it always ends. */
static void put_comm(u64 *to, const struct task_struct *task)
{
	BUILD_BUG_ON(TASK_COMM_LEN != 2 * sizeof(u64));
	memcpy(to, task->comm, TASK_COMM_LEN);
	((char *)to)[TASK_COMM_LEN - 1] = '\0';
}

static void make_key(struct pev_event *event, struct task_struct *task, const void *record,
		     const struct pev_rows_stack *stacks, u64 *key)
{
	const struct pev_tally *tally = event->tally;

	for (u32 i = 0; i < tally->nr; i++) {
		const struct part *part = &tally->keys[i];

		if (part->from == PEV_TABLE_COMM) {
			put_comm(key, task);
			key += 2;
			continue;
		}
		if (pev_table_is_stack(part->from)) {
			*key++ = (unsigned long)&stacks[part->from == PEV_TABLE_USTACK];
			continue;
		}
		*key = number_of(event, part, task, record);
		if (part->bucket)
			*key = bucket_of(part, *key);
		key++;
	}
}

static __always_inline u64 value_of(const struct pev_tally *tally, u64 period,
				    const void *record)
{
	if (tally->value == PEV_TABLE_COUNT)
		return 0;
	if (tally->value == PEV_TABLE_PERIOD)
		return period;
	return record ? pev_load_number(tally->field.load, record + tally->field.offset) : 0;
}

static struct pev_rows *rows_here(const struct pev_tally *tally)
{
	return tally->table->rows[smp_processor_id()];
}

/* Least and greatest are those of the values, or of the times. */
static __always_inline u64 mark_of(const struct pev_tally *tally, u64 value)
{
	const struct pev_table_set *table = tally->table;

	return table->attr.flags & PEV_TABLE_F_TIMES ? pev_clock_read(table->clock) : value;
}

/* ---- occurrences ---- */

/*
 * Walk the stacks of what runs here, if that is what it is about: in the chain that is
 * returned, none are left otherwise. Return: NULL if this can't be done now.
 */
static __always_inline struct pev_callchain *take_chain(struct pev_event *event,
							const struct pev_sample_in *in)
{
	bool own = !in || !in->task || in->task == current;
	struct pev_callchain *chain;

	if (unlikely(!pev_collect_begin()))
		return NULL;
	chain = pev_callchain_take(event, own ? event->tally->stacks : 0, in ? in->regs : NULL,
				   pev_sample_place(in));
	pev_collect_end();
	if (likely(chain->kernel))
		return chain;
	pev_callchain_drop(chain);
	return NULL;
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
	u64 period = in && in->period ? in->period : READ_ONCE(event->period);
	u32 bytes = ALIGN(COMMON + ALIGN(payload, 8) + sizeof(struct frame), PEV_SCRATCH_ALIGN);
	void *record = pev_scratch_get(bytes);
	struct pev_callchain *chain = NULL;
	struct frame *frame;

	BUILD_BUG_ON(sizeof(struct frame) % 8 || COMMON % 8);
	if (record && event->tally->stacks) {
		chain = take_chain(event, in);
		if (unlikely(!chain)) {
			pev_scratch_put(bytes);
			record = NULL;
		}
	}
	if (unlikely(!record)) {
		local64_inc(&ec->lost);
		pev_rows_lose(rows_here(event->tally), value_of(event->tally, period, NULL));
		return NULL;
	}
	frame = record + bytes - sizeof(*frame);
	frame->ec = ec;
	frame->task = in && in->task ? in->task : current;
	frame->chain = chain;
	frame->period = period;
	frame->size = COMMON + payload;
	frame->bytes = bytes;
	return record + COMMON;
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
	struct frame *frame = end - sizeof(*frame);
	struct pev_event *event = frame->ec->event;
	const struct pev_tally *tally = event->tally;
	struct pev_callchain *chain = frame->chain;
	const void *record = end - frame->bytes;
	struct pev_rows_stack stacks[2];
	u64 key[PEV_ROW_WORDS], value;

	if (unlikely(frame->size < tally->end))
		record = NULL;
	if (chain) {
		stacks[0] = (struct pev_rows_stack){ chain->nr_kernel, chain->kernel };
		stacks[1] = (struct pev_rows_stack){ chain->nr_user, chain->user };
	}
	make_key(event, frame->task, record, stacks, key);
	value = value_of(tally, frame->period, record);
	local64_inc(&frame->ec->samples);
	pev_rows_update(rows_here(tally), key, value, mark_of(tally, value));
	if (chain)
		pev_callchain_drop(chain);
	pev_scratch_put(frame->bytes);
}

/**
 * pev_tally_lose() - see pev_event_lose()
 * @ec: of an event with a table
 *
 * Context: as pev_event_lose().
 */
void pev_tally_lose(struct pev_event_cpu *ec)
{
	const struct pev_tally *tally = ec->event->tally;

	pev_rows_lose(rows_here(tally), value_of(tally, READ_ONCE(ec->event->period), NULL));
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
	const void *record = at->size >= tally->end ? at->record : NULL;

	pev_rows_filter(rows_here(tally), nr, nr * value_of(tally, 1, record));
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
	return event->tally && event->tally->value == PEV_TABLE_OF_FIELD;
}

/**
 * pev_tally_needs_stacks() - are call chains keys of the event's table?
 * @event: an event
 *
 * Context: Any.
 */
bool pev_tally_needs_stacks(const struct pev_event *event)
{
	return event->tally && event->tally->stacks;
}
