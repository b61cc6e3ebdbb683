// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tables: opening and reading them, and the rows of all CPUs added up by key.
 */
#include "sys/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <pev/pev.h>
#include "core/error.h"
#include "sys/chains.h"

struct pev_table_reader {
	int			fd;
	unsigned int		nr_cpus;
	uint32_t		room;	/* rows that a CPU may give */
	char			*buf;
	uint32_t		frames;	/* words of call chains that a CPU may give */
	uint32_t		stacks;	/* mask of the words of a key that are call chains */
	uint64_t		*words;
	uint32_t sign; /* as the kernel told it last */
	struct chains		chains;
	struct rows		rows;
	struct pev_table_sums	sums;
};

/* ---- rows by key ---- */

static struct pev_table_row *row_at(const struct rows *rows, size_t nr)
{
	return (struct pev_table_row *)(rows->data + nr * rows->size);
}

static size_t key_bytes(const struct rows *rows)
{
	return rows->size - sizeof(struct pev_table_row);
}

/* Where @key is, or would be. */
static uint32_t *slot_of(const struct rows *rows, const __u64 *key)
{
	uint64_t h = 0;
	size_t at;

	for (size_t i = 0; i < key_bytes(rows) / sizeof(*key); i++) {
		h = (h ^ key[i]) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	for (at = h;; at++) {
		uint32_t *slot = &rows->slots[at & (2 * rows->room - 1)];

		if (!*slot || !memcmp(row_at(rows, *slot - 1)->key, key, key_bytes(rows)))
			return slot;
	}
}

int table_reserve(struct rows *rows, size_t more)
{
	size_t room = rows->room ?: 64;
	uint32_t *slots;
	char *data;

	while (room < rows->nr + more)
		room *= 2;
	if (room == rows->room)
		return 0;
	if (room > UINT32_MAX / 2)
		return -ENOMEM;
	slots = calloc(2 * room, sizeof(*slots));
	data = slots ? realloc(rows->data, room * rows->size) : NULL;
	if (!data) {
		free(slots);
		return -ENOMEM;
	}
	free(rows->slots);
	rows->slots = slots;
	rows->data = data;
	rows->room = room;
	for (size_t i = 0; i < rows->nr; i++)
		*slot_of(rows, row_at(rows, i)->key) = i + 1;
	return 0;
}

static bool less(const struct rows *rows, __u64 a, __u64 b)
{
	return rows->sign ? (__s64)a < (__s64)b : a < b;
}

void table_add(struct rows *rows, const struct pev_table_row *row)
{
	uint32_t *slot = slot_of(rows, row->key);
	struct pev_table_row *to;

	if (!*slot) {
		memcpy(row_at(rows, rows->nr), row, rows->size);
		*slot = ++rows->nr;
		return;
	}
	to = row_at(rows, *slot - 1);
	to->count += row->count;
	to->sum += row->sum;
	if (less(rows, row->min, to->min))
		to->min = row->min;
	if (less(rows, to->max, row->max))
		to->max = row->max;
}

void table_clear(struct rows *rows)
{
	rows->nr = 0;
	if (rows->slots)
		memset(rows->slots, 0, 2 * rows->room * sizeof(*rows->slots));
}

void table_free(struct rows *rows)
{
	free(rows->slots);
	free(rows->data);
}

/* ---- the table ---- */

/* What the keys say of rows */
static void set_shape(struct pev_table_reader *r, const struct pev_table *table)
{
	unsigned int words = 0;

	for (unsigned int i = 0; i < table->nr_keys && i < PEV_MAX_TABLE_KEYS; i++) {
		uint32_t from = table->keys[i].from & ~PEV_TABLE_AT_BEGIN;

		if (from == PEV_TABLE_KSTACK || from == PEV_TABLE_USTACK)
			r->stacks |= 1U << words;
		words += from == PEV_TABLE_COMM || from == PEV_TABLE_REQUEST ? 2 : 1;
	}
	r->room = table->rows;
	r->frames = table->frames;
	r->rows.size = sizeof(struct pev_table_row) + words * sizeof(__u64);
}

/* The kernel is asked last: what it refuses is told with its sentence. */
static int reader_open(struct pev_table_reader *r, const struct pev_table *table,
		       unsigned int flags, struct pev_error *err)
{
	struct pev_table copy = *table;
	struct pev_attr attr = {
		.type = PEV_TYPE_TABLE, .config = (uintptr_t)&copy,
		.channel_fd = -1, .group_fd = -1,
	};
	struct pev_info info;
	int ret;

	copy.size = sizeof(copy);
	ret = pev_query_info(&info);
	if (!ret && !(info.types & 1ULL << PEV_TYPE_TABLE))
		return pev_fail(err, EOPNOTSUPP, 0, "this kernel's pev has no tables");
	if (!ret)
		r->fd = ret = pev_attr_open(&attr, 0, err);
	if (ret < 0)
		return ret == -ENOSYS ? pev_fail(err, ENOSYS, 0, "this kernel has no pev") : ret;
	r->nr_cpus = info.nr_cpus;
	set_shape(r, table);
	r->rows.sign = flags & PEV_TABLE_SIGNED;
	r->buf = malloc(r->room * r->rows.size);
	r->words = malloc((r->frames + 1) * sizeof(*r->words));
	return r->buf && r->words ? 0 : pev_fail(err, ENOMEM, 0, "no memory for a table's rows");
}

PEV_EXPORT int pev_table_open(const struct pev_table *table, unsigned int flags,
			      struct pev_table_reader **reader, struct pev_error *err)
{
	struct pev_table_reader *r;
	int ret;

	*reader = NULL;
	if (flags & ~PEV_TABLE_SIGNED)
		return pev_fail(err, EINVAL, 0, "pev_table_open() has no flags 0x%x", flags);
	r = calloc(1, sizeof(*r));
	if (!r)
		return pev_fail(err, ENOMEM, 0, "no memory for a table's reader");
	r->fd = -1;
	ret = reader_open(r, table, flags, err);
	if (ret < 0) {
		pev_table_close(r);
		return ret;
	}
	*reader = r;
	return 0;
}

PEV_EXPORT void pev_table_close(struct pev_table_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	table_free(&r->rows);
	chains_free(&r->chains);
	free(r->words);
	free(r->buf);
	free(r);
}

PEV_EXPORT int pev_table_fd(const struct pev_table_reader *r)
{
	return r->fd;
}

static void add_sum(struct pev_table_sum *to, const struct pev_table_sum *sum)
{
	to->count += sum->count;
	to->sum += sum->sum;
}

/* Call chains of all CPUs and calls have places of their own. */
static void add_row(struct pev_table_reader *r, struct pev_table_row *row)
{
	for (uint32_t left = r->stacks; left; left &= left - 1) {
		__u64 *word = &row->key[__builtin_ctz(left)];

		*word = chains_add(&r->chains, r->words + *word);
	}
	table_add(&r->rows, row);
	r->sums.rows.count += row->count;
	r->sums.rows.sum += row->sum;
}

/* Nothing is taken from the kernel before there is room for all of it. */
static int fetch_cpu(struct pev_table_reader *r, unsigned int cpu)
{
	struct pev_table_swap swap = {
		.size = sizeof(swap), .cpu = cpu, .rows = (uintptr_t)r->buf,
		.nr_rows = r->room, .row_size = r->rows.size,
		.stacks = (uintptr_t)r->words, .nr_words = r->frames,
	};
	int ret = table_reserve(&r->rows, r->room);

	if (!ret && r->stacks)
		ret = chains_reserve(&r->chains, r->frames);
	if (ret)
		return ret;
	do {
		ret = ioctl(r->fd, PEV_IOC_TABLE_SWAP, &swap);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return -errno;
	r->sign |= swap.sign;
	r->rows.sign |= r->sign >> PEV_MAX_TABLE_KEYS & 1;
	for (uint32_t i = 0; i < swap.nr_rows; i++)
		add_row(r, (void *)(r->buf + i * r->rows.size));
	add_sum(&r->sums.generated, &swap.generated);
	add_sum(&r->sums.other, &swap.other);
	add_sum(&r->sums.lost, &swap.lost);
	add_sum(&r->sums.filtered, &swap.filtered);
	add_sum(&r->sums.unmatched, &swap.unmatched);
	r->sums.begun += swap.begun;
	r->sums.replaced += swap.replaced;
	r->sums.dropped += swap.dropped;
	r->sums.open = swap.open;
	r->sums.recorded += swap.recorded;
	r->sums.unrecorded += swap.unrecorded;
	return 0;
}

PEV_EXPORT int pev_table_fetch(struct pev_table_reader *r)
{
	int ret = 0;

	for (unsigned int cpu = 0; cpu < r->nr_cpus && !ret; cpu++)
		ret = fetch_cpu(r, cpu);
	return ret;
}

PEV_EXPORT uint32_t pev_table_sign(const struct pev_table_reader *r)
{
	return r->sign;
}

PEV_EXPORT void pev_table_clear(struct pev_table_reader *r)
{
	table_clear(&r->rows);
	chains_clear(&r->chains);
	memset(&r->sums, 0, sizeof(r->sums));
}

PEV_EXPORT size_t pev_table_count(const struct pev_table_reader *r)
{
	return r->rows.nr;
}

PEV_EXPORT const struct pev_table_row *pev_table_row(const struct pev_table_reader *r, size_t nr)
{
	return nr < r->rows.nr ? row_at(&r->rows, nr) : NULL;
}

PEV_EXPORT size_t pev_table_stack(const struct pev_table_reader *r, uint64_t word,
				  const uint64_t **ips)
{
	if (!word || word >= r->chains.nr) {
		*ips = NULL;
		return 0;
	}
	*ips = r->chains.words + word + 1;
	return r->chains.words[word];
}

PEV_EXPORT void pev_table_sums(const struct pev_table_reader *r, struct pev_table_sums *sums)
{
	*sums = r->sums;
}
