// SPDX-License-Identifier: GPL-2.0
/*
 * Owns tables: what is asked of one, the memory of all CPUs, and handing rows out. Must
 * not know how a key is made of an occurrence.
 *
 * Locks: cpus_read_lock is taken inside of table->lock. The user's memory is written under
 * table->lock: those who wait are other readers of the same table, and can be killed. Events
 * join under table->join_lock, a leaf.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/pev_clock.h>
#include <linux/pev_refuse.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "base/memory.h"
#include "base/owner.h"
#include "base/user.h"
#include "table.h"

/* ---- what is asked for ---- */

/* Is @given where @wanted, and only there? */
static bool fits(bool wanted, u64 given)
{
	return wanted == !!given;
}

static bool is_name(const char *name)
{
	return strnlen(name, PEV_MAX_TABLE_NAME) < PEV_MAX_TABLE_NAME;
}

/* What can be kept from where a pair begins: the latency is not known there. */
static bool keeps(u32 from)
{
	return from != PEV_TABLE_EVENT && from != PEV_TABLE_LATENCY &&
	       from != PEV_TABLE_REQUEST && !pev_table_is_stack(from);
}

static int check_from(const struct pev_table_key *key, u32 nr, bool paired, struct pev_refuse *r)
{
	u32 from = key->from & ~PEV_TABLE_AT_BEGIN;

	if (from >= PEV_TABLE_FROM_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_TABLE_FROM_MAX - 1,
					"key %u: there is no kind %u of keys", nr, from);
	if (from == PEV_TABLE_LATENCY && !paired)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "key %u: latencies need pairs: set open and nr_pair", nr);
	if (from != key->from && (!paired || !keeps(from)))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "key %u: PEV_TABLE_AT_BEGIN is for tables with pairs, and for a task, CPU, cgroup, call or field",
				  nr);
	return 0;
}

static int check_key(const struct pev_table_key *key, u32 nr, bool paired, struct pev_refuse *r)
{
	u32 from = key->from & ~PEV_TABLE_AT_BEGIN;
	const u32 config = PEV_FIELD(config);
	int err = check_from(key, nr, paired, r);

	if (err)
		return err;
	if (key->bucket >= PEV_TABLE_BUCKET_MAX)
		return pev_refuse_range(r, EINVAL, config, 0, PEV_TABLE_BUCKET_MAX - 1,
					"key %u: there is no kind %u of buckets", nr, key->bucket);
	if (from == PEV_TABLE_COMM && key->bucket)
		return pev_refuse(r, EINVAL, config,
				  "key %u: names have no buckets, as they are no numbers", nr);
	if (from == PEV_TABLE_REQUEST && key->bucket)
		return pev_refuse(r, EINVAL, config,
				  "key %u: requests have no buckets, as they are no numbers", nr);
	if (pev_table_is_stack(from) && key->bucket)
		return pev_refuse(r, EINVAL, config,
				  "key %u: call chains are no numbers and have no buckets", nr);
	if (!fits(key->bucket == PEV_TABLE_LINEAR, key->step))
		return pev_refuse(r, EINVAL, config,
				  "key %u: step %llu: PEV_TABLE_LINEAR needs one, others have 0",
				  nr, key->step);
	if (!is_name(key->name))
		return pev_refuse(r, EINVAL, config, "key %u: the name has no end", nr);
	if (!fits(from == PEV_TABLE_FIELD, *key->name))
		return pev_refuse(r, EINVAL, config,
				  "key %u: PEV_TABLE_FIELD needs the name of a field, others have none",
				  nr);
	return 0;
}

/* What stays the same from one switch between tasks to the next, more or less. */
static bool stays(u32 from)
{
	return from != PEV_TABLE_FIELD && from != PEV_TABLE_SYSCALL && from != PEV_TABLE_LATENCY &&
	       from != PEV_TABLE_REQUEST && !pev_table_is_stack(from);
}

static int check_counted(const struct pev_table *attr, struct pev_refuse *r)
{
	for (u32 i = 0; attr->value == PEV_TABLE_COUNTED && i < attr->nr_keys; i++)
		if (!stays(attr->keys[i].from))
			return pev_refuse(r, EINVAL, PEV_FIELD(config),
					  "key %u: what events count is charged when a task leaves the CPU: keys are the task, its cgroup, the CPU and the event",
					  i);
	return 0;
}

/* What two events can have in common, by which one finds the other's. */
static bool pairs_by(u32 from)
{
	return from == PEV_TABLE_TID || from == PEV_TABLE_PID || from == PEV_TABLE_CPU ||
	       from == PEV_TABLE_CGROUP || from == PEV_TABLE_FIELD;
}

static int check_pair_keys(const struct pev_table_key *keys, u32 nr, struct pev_refuse *r)
{
	int err = 0;

	for (u32 i = 0; i < nr && !err; i++) {
		err = check_key(&keys[i], i, true, r);
		if (!err && (!pairs_by(keys[i].from) || keys[i].bucket))
			err = pev_refuse(r, EINVAL, PEV_FIELD(config),
					 "key %u of pairs: it is a task, CPU, cgroup or field, without buckets",
					 i);
	}
	return err;
}

static int check_pairs(const struct pev_table *attr, struct pev_refuse *r)
{
	const u32 config = PEV_FIELD(config);
	int err;

	if (!attr->open && !attr->nr_pair) {
		if (memchr_inv(attr->begin, 0, sizeof(attr->begin) + sizeof(attr->end)) ||
		    attr->value == PEV_TABLE_OF_LATENCY)
			return pev_refuse(r, EINVAL, config,
					  "latencies, and keys of pairs, need pairs: set open and nr_pair");
		return 0;
	}
	if (attr->open < PEV_MIN_TABLE_OPEN || attr->open > PEV_MAX_TABLE_OPEN)
		return pev_refuse_range(r, EINVAL, config, PEV_MIN_TABLE_OPEN, PEV_MAX_TABLE_OPEN,
					"a table with pairs can't have %u open", attr->open);
	if (!attr->nr_pair || attr->nr_pair > PEV_MAX_TABLE_KEYS)
		return pev_refuse_range(r, EINVAL, config, 1, PEV_MAX_TABLE_KEYS,
					"pairs can't have %u keys", attr->nr_pair);
	if (attr->value == PEV_TABLE_COUNTED)
		return pev_refuse(r, EINVAL, config,
				  "what events count has no pairs: set open and nr_pair to 0");
	err = check_pair_keys(attr->begin, attr->nr_pair, r);
	return err ?: check_pair_keys(attr->end, attr->nr_pair, r);
}

static bool has_key(const struct pev_table *attr, u32 from)
{
	for (u32 i = 0; i < attr->nr_keys; i++)
		if (attr->keys[i].from == from)
			return true;
	return false;
}

bool pev_table_has(const struct pev_table_set *table, u32 from)
{
	return has_key(&table->attr, from);
}

static int check_stacks(const struct pev_table *attr, struct pev_refuse *r)
{
	const u32 config = PEV_FIELD(config);

	if (!has_key(attr, PEV_TABLE_KSTACK) && !has_key(attr, PEV_TABLE_USTACK)) {
		if (attr->frames || attr->max_stack)
			return pev_refuse(r, EINVAL, config,
					  "frames and max_stack have no meaning without PEV_TABLE_KSTACK or PEV_TABLE_USTACK: set them to 0");
		return 0;
	}
	if (attr->frames < PEV_MIN_TABLE_FRAMES || attr->frames > PEV_MAX_TABLE_FRAMES)
		return pev_refuse_range(r, EINVAL, config, PEV_MIN_TABLE_FRAMES,
					PEV_MAX_TABLE_FRAMES,
					"a table with call chains can't have %u frames",
					attr->frames);
	if (attr->max_stack > PEV_MAX_STACK)
		return pev_refuse_range(r, EINVAL, config, 0, PEV_MAX_STACK,
					"max_stack %u of the table is too much", attr->max_stack);
	return 0;
}

static int check_times(const struct pev_table *attr, struct pev_refuse *r)
{
	const u32 config = PEV_FIELD(config);

	if (attr->flags & ~PEV_TABLE_F_ALL)
		return pev_refuse(r, EINVAL, config,
				  "the table has flags that this kernel does not know: 0x%x",
				  attr->flags & ~PEV_TABLE_F_ALL);
	if (attr->clock && !(attr->flags & PEV_TABLE_F_TIMES))
		return pev_refuse(r, EINVAL, config,
				  "a table needs no clock without PEV_TABLE_F_TIMES: set it to 0");
	if (attr->clock >= PEV_CLOCK_MAX)
		return pev_refuse_range(r, EINVAL, config, 0, PEV_CLOCK_MAX - 1,
					"there is no clock %u", attr->clock);
	return 0;
}

static int check_records(const struct pev_table *attr, struct pev_refuse *r)
{
	const u32 config = PEV_FIELD(config);

	if (attr->reserved)
		return pev_refuse(r, EINVAL, config, "reserved of the table is not 0");
	if (!(attr->flags & PEV_TABLE_F_RECORDS)) {
		if (attr->least || attr->channel_fd)
			return pev_refuse(r, EINVAL, config,
					  "least and channel_fd of the table have no meaning without PEV_TABLE_F_RECORDS: set them to 0");
		return 0;
	}
	if (!attr->open)
		return pev_refuse(r, EINVAL, config,
				  "PEV_TABLE_F_RECORDS needs pairs: set open and nr_pair");
	if (has_key(attr, PEV_TABLE_KSTACK) || has_key(attr, PEV_TABLE_USTACK))
		return pev_refuse(r, EINVAL, config,
				  "PEV_TABLE_F_RECORDS goes without call chains as keys: the records can have them");
	return 0;
}

static int check_table(const struct pev_table *attr, struct pev_refuse *r)
{
	const u32 config = PEV_FIELD(config);
	int err = 0;

	if (!attr->rows || attr->rows > PEV_MAX_TABLE_ROWS)
		return pev_refuse_range(r, EINVAL, config, 1, PEV_MAX_TABLE_ROWS,
					"a table can't have %u rows", attr->rows);
	if (!attr->nr_keys || attr->nr_keys > PEV_MAX_TABLE_KEYS)
		return pev_refuse_range(r, EINVAL, config, 1, PEV_MAX_TABLE_KEYS,
					"a table can't have %u keys", attr->nr_keys);
	for (u32 i = 0; i < attr->nr_keys && !err; i++)
		err = check_key(&attr->keys[i], i, attr->open, r);
	if (err)
		return err;
	if (memchr_inv(&attr->keys[attr->nr_keys], 0,
		       (PEV_MAX_TABLE_KEYS - attr->nr_keys) * sizeof(attr->keys[0])))
		return pev_refuse(r, EINVAL, config, "keys beyond nr_keys %u are not 0",
				  attr->nr_keys);
	if (attr->value >= PEV_TABLE_VALUE_MAX)
		return pev_refuse_range(r, EINVAL, config, 0, PEV_TABLE_VALUE_MAX - 1,
					"there is no kind %u of values", attr->value);
	if (!is_name(attr->field) || !fits(attr->value == PEV_TABLE_OF_FIELD, *attr->field))
		return pev_refuse(r, EINVAL, config,
				  "PEV_TABLE_OF_FIELD needs the name of a field, others have none");
	err = check_counted(attr, r);
	err = err ?: check_pairs(attr, r);
	err = err ?: check_stacks(attr, r);
	err = err ?: check_times(attr, r);
	return err ?: check_records(attr, r);
}

/* ---- memory ---- */

static unsigned long pages_of_cpu(const struct pev_table_set *table)
{
	const struct pev_rows_shape *shape = &table->shape;
	size_t bytes = PAGE_ALIGN(pev_rows_bytes(shape));

	if (shape->stacks)
		bytes += PAGE_ALIGN(shape->frames * sizeof(u64)) +
			 PAGE_ALIGN(pev_rows_index_bytes(shape));
	return 2 * (bytes >> PAGE_SHIFT);
}

static void rows_free(struct pev_rows *rows)
{
	if (!rows)
		return;
	for (u32 i = 0; i < 2; i++) {
		vfree(rows->half[i].slots);
		vfree(rows->half[i].words);
		vfree(rows->half[i].index);
	}
	kfree(rows);
}

static void *slots_alloc(size_t bytes, int node)
{
	return __vmalloc_node_range(bytes, PAGE_SIZE, VMALLOC_START, VMALLOC_END,
				    GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN, PAGE_KERNEL,
				    0, node, __builtin_return_address(0));
}

static bool half_alloc(const struct pev_rows_shape *shape, struct pev_rows_half *half, int node)
{
	half->slots = slots_alloc(pev_rows_bytes(shape), node);
	pev_rows_seed(shape, half);
	if (!shape->stacks)
		return half->slots;
	half->words = slots_alloc(shape->frames * sizeof(u64), node);
	half->index = slots_alloc(pev_rows_index_bytes(shape), node);
	/* the empty chain is there */
	local_set(&half->nr_words, 1);
	return half->slots && half->words && half->index;
}

static unsigned long pages_of_pairs(const struct pev_table_set *table)
{
	if (!pev_table_has_pairs(table))
		return 0;
	return (PAGE_ALIGN(pev_pairs_bytes(&table->pairs)) +
		PAGE_ALIGN(pev_pairs_tag_bytes(&table->pairs))) >> PAGE_SHIFT;
}

static bool pairs_alloc(struct pev_table_set *table)
{
	struct pev_pairs *pairs = &table->pairs;

	if (!pev_table_has_pairs(table))
		return true;
	pairs->tags = slots_alloc(pev_pairs_tag_bytes(pairs), NUMA_NO_NODE);
	pairs->pairs = slots_alloc(pev_pairs_bytes(pairs), NUMA_NO_NODE);
	return pairs->tags && pairs->pairs;
}

static struct pev_rows *rows_alloc(const struct pev_table_set *table, unsigned int cpu)
{
	int node = cpu_to_node(cpu);
	struct pev_rows *rows = kzalloc_node(sizeof(*rows), GFP_KERNEL_ACCOUNT, node);

	if (!rows)
		return NULL;
	rows->shape = &table->shape;
	if (half_alloc(&table->shape, &rows->half[0], node) &&
	    half_alloc(&table->shape, &rows->half[1], node))
		return rows;
	rows_free(rows);
	return NULL;
}

/*
 * CPUs that are offline have theirs, too: a table has no place where it could say that a
 * CPU came for which there was no memory.
 */
static int alloc_all(struct pev_table_set *table, struct pev_refuse *r)
{
	unsigned long pages = pages_of_cpu(table) * num_possible_cpus() + pages_of_pairs(table);
	unsigned int cpu;
	int err;

	err = pev_memory_charge(table->user, pages, PEV_FIELD(config),
				"tables", "fewer rows, frames of call chains, or open pairs", r);
	if (err)
		return err;
	table->charged = pages;
	table->rows = kcalloc(nr_cpu_ids, sizeof(*table->rows), GFP_KERNEL_ACCOUNT);
	if (!table->rows || !pairs_alloc(table))
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		table->rows[cpu] = rows_alloc(table, cpu);
		if (!table->rows[cpu])
			return pev_refuse(r, ENOMEM, PEV_FIELD(config),
					  "no memory for %u tables of %u rows and %u frames: ask for fewer",
					  num_possible_cpus(), table->shape.rows,
					  table->shape.frames);
	}
	return 0;
}

static void table_free(struct kref *ref)
{
	struct pev_table_set *table = container_of(ref, struct pev_table_set, ref);
	unsigned int cpu;

	if (table->rows) {
		for_each_possible_cpu(cpu)
			rows_free(table->rows[cpu]);
	}
	kfree(table->rows);
	vfree(table->pairs.tags);
	vfree(table->pairs.pairs);
	pev_memory_uncharge(table->user, table->charged);
	free_uid(table->user);
	free_cpumask_var(table->pending);
	mutex_destroy(&table->lock);
	mutex_destroy(&table->join_lock);
	kfree(table);
}

void pev_table_put(struct pev_table_set *table)
{
	kref_put(&table->ref, table_free);
}

static void set_shape(struct pev_table_set *table)
{
	const struct pev_table *attr = &table->attr;
	u32 words = 0, stacks = 0, kept = 0;

	for (u32 i = 0; i < attr->nr_keys; i++) {
		if (pev_table_is_stack(attr->keys[i].from))
			stacks |= BIT(words);
		words += pev_table_words(attr->keys[i].from);
		if (attr->keys[i].from & PEV_TABLE_AT_BEGIN)
			kept += pev_table_words(attr->keys[i].from);
	}
	pev_rows_shape(&table->shape, attr->rows, words, false);
	if (stacks)
		pev_rows_shape_stacks(&table->shape, stacks, attr->frames);
	if (pev_table_has_pairs(table))
		pev_pairs_shape(&table->pairs, attr->open, attr->nr_pair, kept);
}

struct pev_table_set *pev_table_create(const struct pev_table *attr, struct pev_refuse *r)
{
	struct pev_trace_clock clock;
	struct pev_table_set *table;
	int err;

	err = check_table(attr, r);
	if (err)
		return ERR_PTR(err);
	if (pev_clock_init(&clock, attr->clock))
		return ERR_PTR(pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
					  "the cycle counter is no clock on this machine"));
	table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	if (!table)
		return ERR_PTR(-ENOMEM);
	if (!zalloc_cpumask_var(&table->pending, GFP_KERNEL_ACCOUNT)) {
		kfree(table);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&table->ref);
	mutex_init(&table->lock);
	mutex_init(&table->join_lock);
	table->attr = *attr;
	table->clock = clock.type;
	table->user = pev_owner_of_memory();
	set_shape(table);
	err = table->user ? alloc_all(table, r) : -ENOMEM;
	if (!err)
		return table;
	pev_table_put(table);
	return ERR_PTR(err);
}

/* ---- events ---- */

/* Return: the name of field @nr, see struct pev_table_set. */
static const char *field_name(const struct pev_table_set *table, u32 nr)
{
	if (nr < PEV_MAX_TABLE_KEYS)
		return table->attr.keys[nr].name;
	return nr == PEV_TABLE_VALUE_FIELD ? table->attr.field :
					     table->attr.end[nr - PEV_TABLE_PAIR_FIELD].name;
}

int pev_table_join(struct pev_table_set *table, u32 known, u32 sign, u32 *id,
		   struct pev_refuse *r)
{
	u32 differ;

	guard(mutex)(&table->join_lock);
	differ = table->known & known & (table->sign ^ sign);
	if (differ)
		return pev_refuse(r, EINVAL, PEV_FIELD(channel_fd),
				  "field %s has%s a sign, unlike that of the table's first event",
				  field_name(table, __ffs(differ)),
				  sign & BIT(__ffs(differ)) ? "" : " not");
	if (table->next_id == PEV_MAX_CHANNEL_EVENTS)
		return pev_refuse(r, ENOSPC, PEV_FIELD(channel_fd),
				  "the table has given out all its %u event ids: open another table",
				  PEV_MAX_CHANNEL_EVENTS);
	/* before the first event there are no writers to see it change */
	if (sign & BIT(PEV_TABLE_VALUE_FIELD) && !(table->attr.flags & PEV_TABLE_F_TIMES))
		table->shape.flip = 1ULL << 63;
	table->known |= known;
	WRITE_ONCE(table->sign, table->sign | sign);
	for (u32 nr = 0; nr < PEV_TABLE_FIELDS; nr++)
		table->nr_known[nr] += known >> nr & 1;
	*id = table->next_id++;
	kref_get(&table->ref);
	return 0;
}

void pev_table_forget(struct pev_table_set *table, u32 known)
{
	u32 gone = 0;

	guard(mutex)(&table->join_lock);
	for (u32 nr = 0; nr < PEV_TABLE_FIELDS; nr++)
		if (known & BIT(nr) && !--table->nr_known[nr])
			gone |= BIT(nr);
	table->known &= ~gone;
	WRITE_ONCE(table->sign, table->sign & ~gone);
	/* again there are no writers to see it change: they all had the field */
	if (gone & BIT(PEV_TABLE_VALUE_FIELD))
		table->shape.flip = 0;
}

u32 pev_table_known(struct pev_table_set *table, u32 *sign)
{
	guard(mutex)(&table->join_lock);
	*sign = table->sign;
	return table->known;
}

/* ---- the exchange ---- */

/**
 * struct swap - an exchange on its way to a CPU
 * @table: whose
 * @done:  it interrupted no writer
 */
struct swap {
	struct pev_table_set	*table;
	bool			done;
};

static void swap_here(void *data)
{
	struct swap *swap = data;
	struct pev_table_set *table = swap->table;
	void (*fold)(struct pev_table_set *table) = READ_ONCE(table->fold);
	unsigned long flags;

	local_irq_save(flags);
	if (fold)
		fold(table);
	swap->done = pev_rows_swap(pev_table_rows_here(table));
	local_irq_restore(flags);
}

static bool swap_once(struct pev_table_set *table, unsigned int cpu)
{
	struct swap swap = { .table = table };

	/* the CPU must stay online, or stay offline */
	guard(cpus_read_lock)();
	if (!cpu_online(cpu))
		return pev_rows_swap(table->rows[cpu]);
	smp_call_function_single(cpu, swap_here, &swap, 1);
	return swap.done;
}

/* The idle half is clear before, and has to be handed out and cleared after. */
static int swap_rows(struct pev_table_set *table, unsigned int cpu)
{
	/* any CPU may be asked for: those that have nothing are not interrupted for it */
	if (!pev_rows_has_any(table->rows[cpu]))
		return 0;
	while (!swap_once(table, cpu)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	cpumask_set_cpu(cpu, table->pending);
	return 0;
}

static struct pev_table_sum sum_of(const struct pev_rows_sum *from)
{
	return (struct pev_table_sum){
		.count = local64_read(&from->count), .sum = local64_read(&from->sum),
	};
}

/* Return: how many rows were copied, or -EFAULT. */
static int copy_rows(const struct pev_rows *rows, const struct pev_rows_half *half,
		     void __user *to, u32 size)
{
	int nr = 0;

	for (u32 i = 0; i <= rows->shape->mask; i++) {
		const struct pev_row *row = pev_rows_at(rows, half, i);

		if (local_read(&row->state) != PEV_ROW_READY)
			continue;
		if (copy_to_user(to, &row->count, size))
			return -EFAULT;
		to += size;
		nr++;
		cond_resched();
	}
	return nr;
}

/* Return: how many words of call chains were copied, or -EFAULT. */
static int copy_stacks(const struct pev_rows_half *half, void __user *to)
{
	u32 nr = pev_rows_words(half);

	return copy_to_user(to, half->words, nr * sizeof(u64)) ? -EFAULT : nr;
}

/* @arg is what the user gave, and gets the rest. */
static int hand_out(struct pev_table_set *table, unsigned int cpu, struct pev_table_swap *arg,
		    struct pev_table_swap __user *uarg, u32 usize)
{
	struct pev_rows *rows = table->rows[cpu];
	struct pev_rows_half *half = pev_rows_idle(rows);
	int nr, words = 0;

	nr = copy_rows(rows, half, u64_to_user_ptr(arg->rows), arg->row_size);
	if (nr >= 0 && rows->shape->stacks)
		words = copy_stacks(half, u64_to_user_ptr(arg->stacks));
	if (nr < 0 || words < 0)
		return -EFAULT;
	arg->nr_rows = nr;
	arg->nr_words = words;
	arg->generated = sum_of(&half->generated);
	arg->other = sum_of(&half->other);
	arg->lost = sum_of(&half->lost);
	arg->filtered = sum_of(&half->filtered);
	arg->unmatched = sum_of(&half->unmatched);
	arg->begun = local64_read(&half->begun);
	arg->replaced = local64_read(&half->replaced);
	arg->dropped = local64_read(&half->dropped);
	arg->recorded = local64_read(&half->recorded);
	arg->unrecorded = local64_read(&half->unrecorded);
	arg->open = pev_table_has_pairs(table) ? pev_pairs_open(&table->pairs) : 0;
	arg->sign = READ_ONCE(table->sign) & (BIT(PEV_TABLE_PAIR_FIELD) - 1);
	if (pev_copy_struct_to_user(uarg, usize, arg, sizeof(*arg)))
		return -EFAULT;
	pev_rows_clear(rows);
	cpumask_clear_cpu(cpu, table->pending);
	return 0;
}

/* What was swapped and could not be handed out is what the next call gets. */
static int swap_and_hand_out(struct pev_table_set *table, struct pev_table_swap *arg,
			     struct pev_table_swap __user *uarg, u32 usize)
{
	unsigned int cpu = array_index_nospec(arg->cpu, nr_cpu_ids);
	int err = 0;

	if (mutex_lock_killable(&table->lock))
		return -EINTR;
	if (!cpumask_test_cpu(cpu, table->pending))
		err = swap_rows(table, cpu);
	err = err ?: hand_out(table, cpu, arg, uarg, usize);
	mutex_unlock(&table->lock);
	return err;
}

long pev_table_swap(struct pev_table_set *table, struct pev_table_swap __user *uarg)
{
	u32 row_size = struct_size_t(struct pev_table_row, key, table->shape.words);
	struct pev_table_swap arg;
	u32 size;
	int err;

	if (get_user(size, &uarg->size))
		return -EFAULT;
	if (size < PEV_TABLE_SWAP_SIZE_VER0)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	/* what follows what is read may hold anything: it is only written */
	err = copy_struct_from_user(&arg, sizeof(arg), uarg, PEV_TABLE_SWAP_SIZE_VER0);
	if (err)
		return err;
	if (arg.cpu >= nr_cpu_ids || (arg.row_size && arg.row_size != row_size) || arg.sign)
		return -EINVAL;
	if (arg.nr_rows < table->attr.rows || arg.nr_words < table->attr.frames) {
		if (put_user(table->attr.rows, &uarg->nr_rows) ||
		    put_user(table->attr.frames, &uarg->nr_words) ||
		    put_user(row_size, &uarg->row_size))
			return -EFAULT;
		return -ENOSPC;
	}
	arg = (struct pev_table_swap){
		.size = sizeof(arg), .cpu = arg.cpu, .rows = arg.rows, .row_size = row_size,
		.stacks = arg.stacks,
	};
	if (cpu_possible(arg.cpu))
		return swap_and_hand_out(table, &arg, uarg, size);
	return pev_copy_struct_to_user(uarg, size, &arg, sizeof(arg));
}
