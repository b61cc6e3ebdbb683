// SPDX-License-Identifier: GPL-2.0
/*
 * Tables: opened with anything, read while they are written, and their law: what a worker
 * does itself is in a row, in the other row, lost or filtered, by count and by sum; and what
 * became of the pairs that it began.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fuzz.h"

#define ROWS	64U
#define FRAMES	(PEV_MIN_TABLE_FRAMES + 64U)

static bool is_stack(uint32_t from)
{
	return from == PEV_TABLE_KSTACK || from == PEV_TABLE_USTACK;
}

static uint32_t some_bucket(struct rng *r, struct pev_table_key *key)
{
	if (key->from == PEV_TABLE_COMM || key->from == PEV_TABLE_REQUEST || is_stack(key->from))
		return PEV_TABLE_EXACT;
	key->bucket = below(r, PEV_TABLE_BUCKET_MAX);
	if (key->bucket == PEV_TABLE_LINEAR)
		key->step = 1 + (one_in(r, 4) ? strange(r) >> 1 : below(r, 100));
	return key->bucket;
}

/* What goes with the value: what is counted is charged at switches, and has no fields. */
static uint32_t some_from(struct rng *r, const struct pev_table *table)
{
	if (table->value == PEV_TABLE_COUNTED)
		return below(r, PEV_TABLE_SYSCALL);
	if (one_in(r, 8))
		return PEV_TABLE_REQUEST;
	if (!table->open && one_in(r, 6))
		return one_in(r, 2) ? PEV_TABLE_KSTACK : PEV_TABLE_USTACK;
	return below(r, table->open ? PEV_TABLE_FROM_MAX : PEV_TABLE_LATENCY);
}

static struct pev_table_key pair_key(struct rng *r)
{
	static const uint32_t from[] = {
		PEV_TABLE_TID, PEV_TABLE_PID, PEV_TABLE_CPU, PEV_TABLE_CGROUP, PEV_TABLE_FIELD,
	};
	struct pev_table_key key = { .from = from[below(r, 5)] };

	if (key.from == PEV_TABLE_FIELD)
		strcpy(key.name, "pid");
	return key;
}

static void some_pairs(struct rng *r, struct pev_table *table)
{
	table->open = PEV_MIN_TABLE_OPEN + below(r, 100);
	table->nr_pair = 1 + below(r, PEV_MAX_TABLE_KEYS);
	for (unsigned int i = 0; i < table->nr_pair; i++) {
		table->begin[i] = pair_key(r);
		table->end[i] = pair_key(r);
	}
}

static void some_table(struct rng *r, struct pev_table *table)
{
	memset(table, 0, sizeof(*table));
	table->size = sizeof(*table);
	table->value = below(r, PEV_TABLE_VALUE_MAX);
	if (table->value == PEV_TABLE_OF_LATENCY ||
	    (table->value != PEV_TABLE_COUNTED && one_in(r, 3)))
		some_pairs(r, table);
	table->rows = 1 + below(r, ROWS);
	table->nr_keys = 1 + below(r, PEV_MAX_TABLE_KEYS);
	for (unsigned int i = 0; i < table->nr_keys; i++) {
		struct pev_table_key *key = &table->keys[i];

		key->from = some_from(r, table);
		key->bucket = some_bucket(r, key);
		if (key->from == PEV_TABLE_FIELD)
			strcpy(key->name, "pid");
		if (is_stack(key->from) && !table->frames) {
			table->frames = PEV_MIN_TABLE_FRAMES + below(r, 65);
			table->max_stack = below(r, PEV_MAX_STACK + 1);
		}
	}
	table->flags = one_in(r, 4) ? PEV_TABLE_F_TIMES : 0;
	if (table->value == PEV_TABLE_OF_FIELD)
		strcpy(table->field, "pid");
}

static int open_table(const void *table)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TABLE, .config = (uintptr_t)table,
		.channel_fd = -1, .group_fd = -1,
	};

	return k_event(&attr);
}

/* What may be refused whatever is asked for. */
static bool out_of_something(int err)
{
	return err == -ENOMEM || err == -EINTR || err == -EMFILE || err == -EPERM ||
	       err == -ENOSPC || err == -EFAULT;
}

/* What all readings of a table told; @untold: rows of which the content is not known */
struct account {
	struct pev_table_sum generated;
	struct pev_table_sum in_rows;
	struct pev_table_sum other;
	uint64_t begun;
	uint64_t replaced;
	uint64_t dropped;
	uint64_t open;
	uint64_t recorded;
	uint64_t unrecorded;
	uint64_t untold;
};

static void add_sum(struct pev_table_sum *to, uint64_t count, uint64_t sum)
{
	to->count += count;
	to->sum += sum;
}

/* All but the rows. */
static void add_swap(struct account *a, const struct pev_table_swap *swap)
{
	add_sum(&a->generated, swap->generated.count, swap->generated.sum);
	add_sum(&a->other, swap->other.count, swap->other.sum);
	a->begun += swap->begun;
	a->replaced += swap->replaced;
	a->dropped += swap->dropped;
	a->open = swap->open;
	a->recorded += swap->recorded;
	a->unrecorded += swap->unrecorded;
}

/* One behind the other, to the end. */
static void check_stacks(const uint64_t *words, uint32_t nr)
{
	uint32_t at = 0;

	while (at < nr && words[at] <= PEV_MAX_STACK)
		at += words[at] + 1;
	if (at != nr)
		broken("call chains of %u words end at %u", nr, at);
	if (!me->root)
		scan_words(words, nr * sizeof(*words), "a table's call chains");
}

/* One CPU's table, with its law. */
static void swap_cpu(struct rng *r, int fd, unsigned int cpu, struct account *a)
{
	static __thread uint64_t rows[ROWS * 12], words[FRAMES];
	struct pev_table_sum told = { 0 };
	struct pev_table_swap swap = {
		.size = sizeof(swap), .cpu = cpu, .rows = (uintptr_t)rows, .nr_rows = ROWS,
		.stacks = (uintptr_t)words, .nr_words = FRAMES,
	};
	struct pev_table_swap bad = swap;
	int err;

	if (one_in(r, 3)) {
		/* fails, or gives what there is: none of it goes */
		bad.rows = one_in(r, 2) ? 8 : (uintptr_t)edge(r, rows, 8);
		bad.nr_rows = one_in(r, 2) ? ROWS : below(r, ROWS);
		bad.stacks = one_in(r, 2) ? bad.stacks : 8;
		bad.nr_words = one_in(r, 2) ? FRAMES : below(r, FRAMES);
		if (!k_ioctl(fd, PEV_IOC_TABLE_SWAP, (uintptr_t)&bad)) {
			add_swap(a, &bad);
			/* what it has is in no memory of ours */
			a->untold += bad.nr_rows;
			if (bad.nr_rows > 1)
				broken("%u rows fit in 8 bytes", bad.nr_rows);
		}
	}
	err = k_ioctl(fd, PEV_IOC_TABLE_SWAP, (uintptr_t)&swap);
	if (err) {
		if (!k_failing)
			broken("PEV_IOC_TABLE_SWAP: %s", strerror(-err));
		return;
	}
	check_stacks(words, swap.nr_words);
	for (unsigned int i = 0; i < swap.nr_rows; i++) {
		const struct pev_table_row *row = (void *)rows + i * swap.row_size;

		if (!row->count)
			broken("a row that nothing was counted in");
		add_sum(&told, row->count, row->sum);
	}
	add_sum(&a->in_rows, told.count, told.sum);
	add_sum(&told, swap.other.count, swap.other.sum);
	add_sum(&told, swap.lost.count, swap.lost.sum);
	add_sum(&told, swap.filtered.count, swap.filtered.sum);
	add_sum(&told, swap.unmatched.count, swap.unmatched.sum);
	add_swap(a, &swap);
	add(&all->laws, 1);
	if (told.count != swap.generated.count || told.sum != swap.generated.sum)
		broken("a table of CPU %u: %llu generated with sum %llu, %llu with %llu told", cpu,
		       (llu)swap.generated.count, (llu)swap.generated.sum, (llu)told.count,
		       (llu)told.sum);
	if (!me->root)
		scan_words(rows, (size_t)swap.nr_rows * swap.row_size, "a table");
}

static void swap_all(struct rng *r, int fd, struct account *a)
{
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++)
		swap_cpu(r, fd, cpu, a);
}

/* Names are most of it, and the least of what there is to check. */
static void mutate_table(struct rng *r, struct pev_table *table)
{
	struct pev_table_key *keys[] = { table->keys, table->begin, table->end };
	struct pev_table_key *key = &keys[below(r, 3)][below(r, PEV_MAX_TABLE_KEYS)];

	switch (below(r, 6)) {
	case 0:
		mutate(r, table, sizeof(*table));
		break;
	case 1:
		mutate(r, table, offsetof(struct pev_table, keys));
		break;
	case 2:
		mutate(r, &table->flags,
		       offsetof(struct pev_table, begin) - offsetof(struct pev_table, flags));
		break;
	case 3:
		mutate(r, &table->least, sizeof(*table) - offsetof(struct pev_table, least));
		break;
	case 4:
		mutate(r, key, offsetof(struct pev_table_key, name));
		break;
	default:
		mutate_text(r, one_in(r, 4) ? table->field : key->name, PEV_MAX_TABLE_NAME);
	}
}

static void open_mutated(struct rng *r)
{
	struct pev_table table;
	unsigned int n = 1 + below(r, 3);
	int fd;

	some_table(r, &table);
	while (n--)
		mutate_table(r, &table);
	/* whole gigabytes are refused as they should; they are not what is looked for */
	if (table.rows > 4 * ROWS && table.rows <= PEV_MAX_TABLE_ROWS)
		table.rows = ROWS;
	if (table.frames > FRAMES && table.frames <= PEV_MAX_TABLE_FRAMES)
		table.frames = FRAMES;
	fd = open_table(one_in(r, 4) ? edge(r, &table, sizeof(table)) : &table);
	if (fd >= 0)
		k_close(fd);
}

/* Makes @attr one of an event that has what the table asks for, or not. */
static void fit(struct rng *r, struct pev_attr *attr, int fd, const struct pev_table *table)
{
	attr->channel_fd = fd;
	attr->group_fd = -1;
	attr->sample = one_in(r, table->flags & PEV_TABLE_F_RECORDS ? 2 : 16) ? attr->sample : 0;
	attr->regs_user = 0;
	attr->stack_user = 0;
	attr->max_stack = 0;
	if (table->open && one_in(r, 2))
		attr->flags |= PEV_F_BEGIN;
	if (table->value == PEV_TABLE_COUNTED && !one_in(r, 16))
		attr->period = 0;
	else if (!attr->period)
		attr->period = 1;
}

static void any_event(struct player *w, struct rng *r, int fd, const struct pev_table *table)
{
	struct layout layout;
	struct pev_attr attr;
	int event;

	attr_event(w, r, &attr, &layout);
	fit(r, &attr, fd, table);
	event = k_event(&attr);
	if (event < 0)
		return;
	k_ioctl(event, PEV_IOC_ENABLE, 0);
	attr_excite(&attr, r);
	k_ioctl(event, PEV_IOC_DISABLE, 0);
	k_close(event);
}

/* Calls that nothing else makes, counted in the table; reading comes in between. */
static void exact(struct rng *r, int fd, bool first, bool counted)
{
	bool filter = one_in(r, 2);
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL,
		.target = PEV_TARGET_TASK,
		.name = (uintptr_t) "syscalls:sys_enter_getsid",
		.filter = (uintptr_t)(filter ? "pid == 7" : NULL),
		.channel_fd = fd,
		.group_fd = -1,
		.period = !counted,
	};
	unsigned int n = 1 + below(r, 200);
	struct account a = { 0 };
	struct pev_value v;
	int event = k_event(&attr);

	if (event < 0) {
		/* another event of the table may have a pid with a sign */
		if (!out_of_something(event) && (first || event != -EINVAL))
			broken("a plain event was refused: %s: %s", strerror(-event), k_reason());
		return;
	}
	/* what others of the table left */
	swap_all(r, fd, &a);
	memset(&a, 0, sizeof(a));
	k_ioctl(event, PEV_IOC_ENABLE, 0);
	for (unsigned int i = 0; i < n; i++) {
		syscall(SYS_getsid, (pid_t)(i % 3 ? 7 : 1 << 29 | i));
		if (one_in(r, 50))
			swap_all(r, fd, &a);
	}
	k_ioctl(event, PEV_IOC_DISABLE, 0);
	swap_all(r, fd, &a);
	memset(&v, 0xff, sizeof(v));
	k_read(event, &v, sizeof(v));
	add(&all->laws, 1);
	if (counted && !k_failing &&
	    (a.generated.sum != v.value || a.generated.count != v.samples ||
	     v.value + v.filtered != n))
		broken("%u calls: a table has the value %llu of %llu updates, the event %llu and %llu filtered",
		       n, (llu)a.generated.sum, (llu)a.generated.count, (llu)v.value,
		       (llu)v.filtered);
	if (!counted && !k_failing &&
	    (a.generated.count != n || v.value + v.filtered != n || v.samples + v.lost != v.value ||
	     v.filtered != (filter ? (n + 2) / 3 : 0)))
		broken("%u calls: a table has %llu, the event %llu and %llu filtered", n,
		       (llu)a.generated.count, (llu)v.value, (llu)v.filtered);
	k_close(event);
}

/* ---- pairs ---- */

static void keep_begins(struct rng *r, struct pev_table *table)
{
	for (unsigned int i = 0; i < table->nr_keys; i++) {
		uint32_t from = table->keys[i].from;

		if (from != PEV_TABLE_EVENT && from != PEV_TABLE_LATENCY &&
		    from != PEV_TABLE_REQUEST && !is_stack(from) && one_in(r, 2))
			table->keys[i].from |= PEV_TABLE_AT_BEGIN;
	}
}

/* Return: the channel that it has now, or -1. */
static int some_records(struct rng *r, struct pev_table *table)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CHANNEL,
		.ring_size = 2 * PEV_MIN_PACKET,
		.packet_size = PEV_MIN_PACKET,
		.channel_fd = -1,
		.group_fd = -1,
	};
	int fd = table->frames || one_in(r, 3) ? -1 : k_event(&attr);

	if (fd < 0)
		return -1;
	table->flags |= PEV_TABLE_F_RECORDS;
	table->channel_fd = fd;
	table->least = one_in(r, 2) ? 0 : one_in(r, 2) ? ~0ULL : below(r, 100000);
	return fd;
}

static int open_call(struct rng *r, const struct pev_table *table, int fd, const char *name,
		     uint64_t flags)
{
	bool records = table->flags & PEV_TABLE_F_RECORDS && !(flags & PEV_F_BEGIN);
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.flags = PEV_F_DISABLED | PEV_F_EXCLUDE_KERNEL | flags,
		.target = PEV_TARGET_TASK,
		.sample = records ? below(r, 2) * PEV_SAMPLE_PAIR | below(r, 64) : 0,
		.name = (uintptr_t)name,
		.channel_fd = fd,
		.group_fd = -1,
		.period = 1,
	};
	int event = k_event(&attr);

	/* two keys may have one name */
	if (event < 0 && !out_of_something(event) && !(attr.sample & PEV_SAMPLE_PAIR))
		broken("a plain event of pairs was refused: %s: %s", strerror(-event), k_reason());
	return event;
}

static void check_pairs(const struct pev_table *table, const struct account *a, uint64_t begins,
			uint64_t ends)
{
	uint64_t ended = a->in_rows.count + a->other.count, recorded = a->recorded + a->unrecorded;

	/* after one that failed in the middle rows are unknown */
	if (k_failing || a->untold)
		return;
	add(&all->laws, 1);
	if (a->begun != begins || a->generated.count != ends ||
	    a->begun != ended + a->replaced + a->dropped + a->open)
		broken("%llu begins, %llu begun = %llu ended + %llu replaced + %llu dropped + %llu open; %llu ends, %llu generated",
		       (llu)begins, (llu)a->begun, (llu)ended, (llu)a->replaced, (llu)a->dropped,
		       (llu)a->open, (llu)ends, (llu)a->generated.count);
	if (!(table->flags & PEV_TABLE_F_RECORDS) ? recorded :
	    !table->least			  ? recorded != ended :
	    table->least == ~0ULL		  ? recorded :
						    recorded > ended)
		broken("%llu pairs ended, %llu are records and %llu had no room, of at least %llu ns",
		       (llu)ended, (llu)a->recorded, (llu)a->unrecorded, (llu)table->least);
}

/* Calls of this thread that begin and end pairs; reading comes in between. */
static void exact_pairs(struct rng *r, const struct pev_table *table, int fd)
{
	int begin = open_call(r, table, fd, "syscalls:sys_enter_getsid", PEV_F_BEGIN);
	int end = begin < 0 ? begin : open_call(r, table, fd, "syscalls:sys_enter_getpgid", 0);
	uint64_t begins = 0, ends = 0;
	struct account a = { 0 };

	if (end >= 0) {
		k_ioctl(begin, PEV_IOC_ENABLE, 0);
		k_ioctl(end, PEV_IOC_ENABLE, 0);
		for (unsigned int n = 1 + below(r, 300); n; n--) {
			bool ending = one_in(r, 2);

			syscall(ending ? SYS_getpgid : SYS_getsid, 1 << 29 | below(r, 40));
			*(ending ? &ends : &begins) += 1;
			if (one_in(r, 50))
				swap_all(r, fd, &a);
		}
		k_ioctl(begin, PEV_IOC_DISABLE, 0);
		k_ioctl(end, PEV_IOC_DISABLE, 0);
		swap_all(r, fd, &a);
		check_pairs(table, &a, begins, ends);
		k_close(end);
	}
	if (begin >= 0)
		k_close(begin);
}

static void law_pairs(struct player *w, struct rng *r)
{
	struct pev_table table;
	int fd, channel;

	do
		some_table(r, &table);
	while (!table.open);
	keep_begins(r, &table);
	channel = some_records(r, &table);
	fd = open_table(&table);
	if (fd < 0 && !out_of_something(fd) && fd != -EACCES)
		broken("a table with pairs was refused: %s: %s", strerror(-fd), k_reason());
	if (channel >= 0 && one_in(r, 4)) {
		k_close(channel);
		channel = -1;
	}
	if (fd >= 0) {
		exact_pairs(r, &table, fd);
		for (unsigned int n = below(r, 4); n; n--)
			any_event(w, r, fd, &table);
		k_close(fd);
	}
	if (channel >= 0)
		k_close(channel);
}

int table_open(struct rng *r, struct pev_attr *attr)
{
	struct pev_table table;
	int fd;

	some_table(r, &table);
	fd = open_table(&table);
	fit(r, attr, fd, &table);
	return fd;
}

/* ---- what events count ---- */

static int open_charged(struct player *w, struct rng *r, int fd, int leader, struct pev_attr *attr)
{
	static const uint64_t configs[] = {
		PEV_SW_PAGE_FAULTS,    PEV_SW_PAGE_FAULTS_MIN, PEV_SW_CONTEXT_SWITCHES,
		PEV_SW_CPU_MIGRATIONS, PEV_SW_TASK_CLOCK,
	};
	unsigned int slot = below(r, CGROUPS);

	if (leader >= 0) {
		/* another one on the same target */
		attr->config = configs[below(r, ARRAY_SIZE(configs))];
		attr->group_fd = leader;
		return k_event(attr);
	}
	*attr = (struct pev_attr){
		.type = PEV_TYPE_SOFTWARE,
		.config = configs[below(r, ARRAY_SIZE(configs))],
		.target = PEV_TARGET_TASK + below(r, 3),
		.flags = w->root ? 0 : PEV_F_EXCLUDE_KERNEL,
		.channel_fd = fd,
		.group_fd = -1,
	};
	if (w->root && one_in(r, 2)) {
		attr->target = PEV_TARGET_CPUS;
		if (w->cgroups[slot] < 0)
			world_cgroup(w, &(struct op){ .a = slot }, r);
		if (w->cgroups[slot] >= 0) {
			attr->target = PEV_TARGET_CGROUP;
			attr->target_id = w->cgroups[slot];
		}
	}
	return k_event(attr);
}

/* Into a cgroup, or out of it. */
static void move_oneself(struct player *w, struct rng *r)
{
	int fd = w->cgroups[below(r, CGROUPS)];
	char path[64];

	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%scgroup.procs", fd,
		 one_in(r, 2) ? "../" : "");
	write_file(path, "0");
}

/* The worker leaves and enters what is counted, which is reset and read meanwhile. */
void law_charged(struct player *w, struct rng *r)
{
	struct pev_table table;
	struct account a = { 0 };
	struct pev_attr attr;
	int fd, event = -1, member = -1;

	do
		some_table(r, &table);
	while (table.value != PEV_TABLE_COUNTED);
	fd = open_table(&table);
	if (fd >= 0)
		event = open_charged(w, r, fd, -1, &attr);
	if (event >= 0 && one_in(r, 2))
		member = open_charged(w, r, fd, event, &attr);
	for (unsigned int n = below(r, 16); event >= 0 && n; n--)
		switch (below(r, 6)) {
		case 0:
			if (w->root && one_in(r, 16) && !excluded("hotplug"))
				world_hotplug(w, &(struct op){ .a = below(r, MAX_CPUS) }, r);
			else if (w->root)
				move_oneself(w, r);
			break;
		case 1:
			k_ioctl(event, PEV_IOC_RESET, one_in(r, 2));
			break;
		case 2:
			k_ioctl(event, one_in(r, 2) ? PEV_IOC_ENABLE : PEV_IOC_DISABLE,
				one_in(r, 2));
			break;
		case 3:
			swap_all(r, fd, &a);
			break;
		default:
			attr_excite(&attr, r);
		}
	k_close(member);
	k_close(event);
	k_close(fd);
}

/* ---- who opens it lives in another namespace ---- */

/* The first process of a namespace: what it has open is the worker's to take. */
static void open_inside(int to, const char *filter)
{
	const struct pev_table table = {
		.size = sizeof(table),
		.rows = ROWS,
		.nr_keys = 2,
		.keys = { { .from = PEV_TABLE_PID }, { .from = PEV_TABLE_TID } },
	};
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT,
		.target = PEV_TARGET_CPUS,
		.name = (uintptr_t) "syscalls:sys_enter_getsid",
		.filter = (uintptr_t)filter,
		.group_fd = -1,
		.period = 1,
	};
	int fds[2];

	fds[0] = open_table(&table);
	attr.channel_fd = fds[0];
	fds[1] = fds[0] < 0 ? -1 : k_event(&attr);
	if (write(to, fds, sizeof(fds)) == sizeof(fds))
		pause();
	_exit(0);
}

static void count_from_outside(struct rng *r, pid_t pid, const int *theirs, unsigned int cookie)
{
	int process = syscall(SYS_pidfd_open, pid, 0), fd = -1;
	unsigned int n = 1 + below(r, 100);
	struct account a = { 0 };

	if (process >= 0)
		fd = syscall(SYS_pidfd_getfd, process, theirs[0], 0);
	if (fd >= 0) {
		for (unsigned int i = 0; i < n; i++)
			syscall(SYS_getsid, cookie);
		swap_all(r, fd, &a);
		add(&all->laws, 1);
		if (!k_failing && !a.untold && a.in_rows.count + a.other.count != n)
			broken("%u calls of another namespace: a table has %llu", n,
			       (llu)(a.in_rows.count + a.other.count));
		k_close(fd);
	}
	if (process >= 0)
		close(process);
}

/* A table of the whole machine, whose keys are those of a namespace that the worker is not in. */
static void law_namespace(struct rng *r)
{
	static __thread unsigned int nr;
	unsigned int cookie = 0x60000000 | (gettid() & 0xfffff) << 8 | (nr++ & 0xff);
	int ends[2], theirs[2];
	char filter[32];
	pid_t pid;

	snprintf(filter, sizeof(filter), "pid == %u", cookie);
	if (pipe(ends))
		return;
	pid = syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
	if (!pid)
		open_inside(ends[1], filter);
	close(ends[1]);
	if (pid > 0 && read(ends[0], theirs, sizeof(theirs)) == sizeof(theirs) && theirs[1] >= 0)
		count_from_outside(r, pid, theirs, cookie);
	close(ends[0]);
	if (pid > 0)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void law_table(struct player *w, struct rng *r)
{
	unsigned int others = below(r, 4);
	struct account a = { 0 };
	struct pev_table table;
	int fd;

	if (one_in(r, 4)) {
		open_mutated(r);
		return;
	}
	if (w->root && one_in(r, 8)) {
		law_namespace(r);
		return;
	}
	if (one_in(r, 3)) {
		law_pairs(w, r);
		return;
	}
	some_table(r, &table);
	fd = open_table(&table);
	if (fd < 0) {
		if (!out_of_something(fd) && fd != -EACCES)
			broken("a plain table was refused: %s: %s", strerror(-fd), k_reason());
		return;
	}
	for (unsigned int n = others; n; n--)
		any_event(w, r, fd, &table);
	swap_all(r, fd, &a);
	if (one_in(r, 2))
		exact(r, fd, !others, table.value == PEV_TABLE_COUNTED);
	k_close(fd);
}
