// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what the names of a table's keys mean for an event, and how an occurrence becomes
 * the words of a key. Must not know how rows are kept, or when they are updated.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/math64.h>
#include <linux/pev_refuse.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <asm/syscall.h>
#include "base/cgroup.h"
#include "base/task.h"
#include "filter/parse.h"
#include "context.h"
#include "key.h"

/* ---- what an event has ---- */

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

static int find_field(struct pev_key *key, const struct pev_event *event, const char *name,
		      u32 nr, struct pev_key_part *part, struct pev_key_fields *fields,
		      struct pev_refuse *r)
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
	key->end = max_t(u32, key->end, field.offset + field.size);
	fields->known |= BIT(nr);
	fields->sign |= field.sign ? BIT(nr) : 0;
	return 0;
}

static int find_key(struct pev_key *key, const struct pev_event *event,
		    const struct pev_table_key *asked, u32 nr, struct pev_key_part *part,
		    struct pev_key_fields *fields, struct pev_refuse *r)
{
	part->from = asked->from & ~PEV_TABLE_AT_BEGIN;
	part->kept = asked->from & PEV_TABLE_AT_BEGIN && !key->begins;
	part->bucket = asked->bucket;
	part->step = asked->step;
	part->sign = part->from == PEV_TABLE_SYSCALL;
	if (part->from != PEV_TABLE_FIELD)
		return 0;
	if (!part->kept)
		return find_field(key, event, asked->name, nr, part, fields, r);
	if (!(fields->begun & BIT(nr)))
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "key %u is the field %s of what begins pairs: open that event before %s",
				  nr, asked->name, event->name);
	part->sign = fields->begun_sign & BIT(nr);
	/* all that begin have it, even if the one that said so is refused in the end */
	fields->known |= BIT(nr);
	fields->sign |= fields->begun_sign & BIT(nr);
	return 0;
}

/* What is kept of a begin has no buckets yet: a record has the number itself. */
static int find_kept(struct pev_key *key, const struct pev_event *event,
		     const struct pev_table *attr, struct pev_key_fields *fields,
		     struct pev_refuse *r)
{
	int err = 0;

	for (u32 i = 0; i < attr->nr_keys && !err; i++) {
		struct pev_key_part *part = &key->keys[key->nr];

		if (!(attr->keys[i].from & PEV_TABLE_AT_BEGIN))
			continue;
		err = find_key(key, event, &attr->keys[i], i, part, fields, r);
		part->bucket = PEV_TABLE_EXACT;
		key->nr++;
	}
	return err;
}

static int find_pair(struct pev_key *key, const struct pev_event *event,
		     const struct pev_table *attr, struct pev_key_fields *fields,
		     struct pev_refuse *r)
{
	int err = 0;

	key->nr_pair = attr->nr_pair;
	key->begins = event->flags & PEV_F_BEGIN;
	for (u32 i = 0; i < key->nr_pair && !err; i++)
		err = find_key(key, event, key->begins ? &attr->begin[i] : &attr->end[i],
			       PEV_TABLE_PAIR_FIELD + i, &key->pair[i], fields, r);
	return err;
}

/**
 * pev_key_init() - find what a table asks of an event
 * @key:    filled in
 * @event:  its name is set
 * @attr:   what the table was asked for
 * @fields: those of the event's payload; @known and @sign are filled in
 * @r:      says why not
 *
 * Context: Process context.
 * Return: 0, or -EINVAL or -EACCES.
 */
int pev_key_init(struct pev_key *key, const struct pev_event *event,
		 const struct pev_table *attr, struct pev_key_fields *fields,
		 struct pev_refuse *r)
{
	int err = find_pair(key, event, attr, fields, r);

	if (err)
		return err;
	if (key->begins)
		return find_kept(key, event, attr, fields, r);
	key->nr = attr->nr_keys;
	key->value = attr->value;
	for (u32 i = 0; i < key->nr && !err; i++)
		err = find_key(key, event, &attr->keys[i], i, &key->keys[i], fields, r);
	if (!err && key->value == PEV_TABLE_OF_FIELD)
		err = find_field(key, event, attr->field, PEV_TABLE_VALUE_FIELD, &key->field,
				 fields, r);
	if (key->nr == 1 && !key->keys[0].bucket && key->value == PEV_TABLE_COUNT &&
	    !key->nr_pair && !(attr->flags & PEV_TABLE_F_TIMES)) {
		key->plain = key->keys[0].from == PEV_TABLE_FIELD;
		key->stack = pev_table_is_stack(key->keys[0].from);
	}
	return err;
}

/* ---- keys ---- */

static u64 syscall_of(struct task_struct *task)
{
	if (task != current || !pev_task_is_user(task) || in_compat_syscall())
		return -1;
	return syscall_get_nr(task, task_pt_regs(task));
}

static u64 floored(s64 number, u64 step)
{
	/* -1 is in the first bucket below 0, and ~-1 = 0 the first number of it */
	return number < 0 ? ~div64_u64(~(u64)number, step) : div64_u64(number, step);
}

/* The power of two above bit 3, and the three bits below its own. */
static u64 eighth_of(u64 number)
{
	u32 shift;

	if (number < 16)
		return number;
	shift = fls64(number) - 4;
	return 8 * shift + (number >> shift);
}

static noinline u64 bucket_of(const struct pev_key_part *part, u64 number)
{
	bool negative = part->sign && (s64)number < 0;

	if (part->bucket == PEV_TABLE_EIGHTHS)
		return negative ? -eighth_of(-number) : eighth_of(number);
	if (part->bucket == PEV_TABLE_LOG2)
		return negative ? -(u64)fls64(-number) : fls64(number);
	return negative ? floored(number, part->step) : div64_u64(number, part->step);
}

/* A task that was reaped and runs to its end still has its numbers outside of namespaces. */
static __always_inline u64 pid_of(const struct pev_event *event, struct task_struct *task,
				  bool process)
{
	if (likely(event->pid_ns == &init_pid_ns))
		return process ? task->tgid : task->pid;
	return process ? task_tgid_nr_ns(task, event->pid_ns) :
			 task_pid_nr_ns(task, event->pid_ns);
}

static __always_inline u64 number_of(const struct pev_event *event,
				     const struct pev_key_part *part,
				     const struct pev_key_at *at)
{
	struct task_struct *task = at->task;

	switch (part->from) {
	case PEV_TABLE_FIELD:
		return pev_key_load(part, at->record);
	case PEV_TABLE_PID:
		return pid_of(event, task, true);
	case PEV_TABLE_TID:
		return pid_of(event, task, false);
	case PEV_TABLE_CPU:
		return smp_processor_id();
	case PEV_TABLE_CGROUP:
		return pev_cgroup_of(task);
	case PEV_TABLE_EVENT:
		return event->id;
	case PEV_TABLE_LATENCY:
		return at->latency;
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

/* What another thread works for can't be read from here: that is none. */
static noinline void put_request(u64 *to, const struct task_struct *task)
{
	u64 words[PEV_CONTEXT_WORDS] = { };

	if (task == current)
		pev_context_put(words);
	to[0] = words[0];
	to[1] = words[1];
}

static __always_inline u64 word_of(const struct pev_event *event,
				   const struct pev_key_part *part,
				   const struct pev_key_at *at)
{
	u64 number = number_of(event, part, at);

	return part->bucket ? bucket_of(part, number) : number;
}

/* Return: how many words it takes. */
static u32 put_kept(const struct pev_key_part *part, const u64 *kept, u64 *to)
{
	u32 nr = pev_table_words(part->from);

	to[0] = part->bucket ? bucket_of(part, kept[0]) : kept[0];
	if (nr > 1)
		to[1] = kept[1];
	return nr;
}

/**
 * pev_key_make() - the words of a key
 * @key:   what the table asks for
 * @event: what occurred
 * @at:    where
 * @words: gets PEV_ROW_WORDS words at most
 *
 * Context: Any with preemption disabled, NMI included.
 */
void pev_key_make(const struct pev_key *key, const struct pev_event *event,
		  const struct pev_key_at *at, u64 *words)
{
	const u64 *kept = at->kept;

	for (u32 i = 0; i < key->nr; i++) {
		const struct pev_key_part *part = &key->keys[i];

		if (unlikely(part->kept)) {
			u32 nr = put_kept(part, kept, words);

			kept += nr;
			words += nr;
		} else if (part->from == PEV_TABLE_COMM) {
			put_comm(words, at->task);
			words += 2;
		} else if (part->from == PEV_TABLE_REQUEST) {
			put_request(words, at->task);
			words += 2;
		} else if (pev_table_is_stack(part->from)) {
			*words++ = (unsigned long)&at->stacks[part->from == PEV_TABLE_USTACK];
		} else {
			*words++ = word_of(event, part, at);
		}
	}
}

/**
 * pev_key_make_pair() - the words of a pair's key
 * @key:   what the table asks for
 * @event: what occurred, a begin or an end
 * @at:    where
 * @words: gets PEV_PAIR_WORDS words at most, and where it begins those that are kept,
 *         PEV_PAIR_KEPT at most
 *
 * Context: as pev_key_make().
 */
void pev_key_make_pair(const struct pev_key *key, const struct pev_event *event,
		       const struct pev_key_at *at, u64 *words)
{
	for (u32 i = 0; i < key->nr_pair; i++)
		*words++ = word_of(event, &key->pair[i], at);
	if (key->begins)
		pev_key_make(key, event, at, words);
}
