// SPDX-License-Identifier: GPL-2.0
/* What the recorded machine had. See inventory.h. */
#include "inventory.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>

static void add(struct strbuf *b, const char *between, uint64_t n, const char *one,
		const char *several)
{
	char count[32];

	strbuf_addf(b, "%s%s %s", b->len ? between : "", text_count(count, n),
		    n == 1 ? one : several);
}

/* ---- the topology ---- */

/* Numbers of a CPU's row */
enum {
	CPU_ONLINE = 1,
	CPU_PACKAGE = 2,
	CPU_CORE = 3,
	CPU_NODE = 5,
	CPU_MAX_KHZ = 6,
};

/**
 * struct places - distinct places of CPUs that run
 */
struct places {
	struct place {
		uint64_t a, b;
	} * p;
	size_t n, cap;
	struct htab h;
};

static void add_place(struct places *s, uint64_t a, uint64_t b)
{
	struct place *p;

	if (HTAB_GET(p, &s->h, hash_2u64(a, b), p->a == a && p->b == b, s->p, s->n, s->cap))
		*p = (struct place){ a, b };
}

static void free_places(struct places *s)
{
	free(s->p);
	htab_free(&s->h);
}

static bool is_known(uint64_t place)
{
	return (int64_t)place >= 0;
}

static void put_frequency(const struct inventory *v, struct strbuf *b, uint64_t khz)
{
	if (khz)
		strbuf_addf(b, "; up to %" PRIu64 ".%02" PRIu64 " GHz", khz / 1000000,
			    khz / 10000 % 100);
	for (size_t i = 0; i < v->n; i++)
		if (v->rows[i].kind == INVENTORY_CPU && *v->rows[i].s[0]) {
			strbuf_puts(b, "; several kinds of cores");
			return;
		}
}

void inventory_topology(const struct inventory *v, struct strbuf *b)
{
	struct places packages = { 0 }, cores = { 0 }, nodes = { 0 };
	uint64_t threads = 0, khz = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct inventory_row *row = &v->rows[i];

		if (row->kind != INVENTORY_CPU || !row->n[CPU_ONLINE])
			continue;
		threads++;
		khz = max_u64(khz, row->n[CPU_MAX_KHZ]);
		if (is_known(row->n[CPU_PACKAGE]))
			add_place(&packages, row->n[CPU_PACKAGE], 0);
		if (is_known(row->n[CPU_CORE]))
			add_place(&cores, row->n[CPU_PACKAGE], row->n[CPU_CORE]);
		if (is_known(row->n[CPU_NODE]))
			add_place(&nodes, row->n[CPU_NODE], 0);
	}
	if (packages.n)
		add(b, ", ", packages.n, "package", "packages");
	if (cores.n)
		add(b, ", ", cores.n, "core", "cores");
	if (threads)
		add(b, ", ", threads, "thread", "threads");
	if (nodes.n)
		add(b, "; ", nodes.n, "NUMA node", "NUMA nodes");
	if (threads)
		put_frequency(v, b, khz);
	free_places(&packages);
	free_places(&cores);
	free_places(&nodes);
}

/* ---- how many ---- */

void inventory_counts(const struct inventory *v, struct strbuf *b)
{
	for (int k = 0; k < INVENTORY_SUM; k++)
		if (v->count[k])
			add(b, ", ", v->count[k], inventory_kinds[k].one,
			    inventory_kinds[k].several);
}

void inventory_missing(const struct inventory *v, struct strbuf *b)
{
	for (int k = 0; k < INVENTORY_SUM; k++) {
		const struct inventory_desc *d = &inventory_kinds[k];
		const uint64_t *sums = v->sums[k];

		if (sums[INVENTORY_LEFT_OUT])
			add(b, "; ", sums[INVENTORY_LEFT_OUT], d->one, d->several);
		if (sums[INVENTORY_LEFT_OUT])
			strbuf_puts(b, " more than a recording takes");
		if (sums[INVENTORY_UNREADABLE] && k == INVENTORY_FD) {
			add(b, "; descriptors of ", sums[INVENTORY_UNREADABLE], "process",
			    "processes");
		} else if (sums[INVENTORY_UNREADABLE]) {
			strbuf_addf(b, "%s%s", b->len ? "; " : "", d->several);
		}
		if (sums[INVENTORY_UNREADABLE])
			strbuf_puts(b, " that the recorder may not read");
		if (v->n && (!v->ended[k] || v->count[k] < sums[INVENTORY_WRITTEN]))
			strbuf_addf(b, "%s%s that were cut off or damaged", b->len ? "; " : "",
				    d->several);
	}
}

/* ---- all of it ---- */

static bool is_signed(const struct inventory_number *n)
{
	return n->type[0] == 'i';
}

static bool is_hex(const struct inventory_number *n)
{
	return n->type[0] == 'x';
}

static void print_number(const struct inventory_number *n, uint64_t v, FILE *out)
{
	if (is_signed(n) && (int64_t)v < 0)
		fprintf(out, " %10s", "-");
	else
		fprintf(out, is_hex(n) ? " %#10" PRIx64 : " %10" PRIu64, v);
}

static void print_row(const struct inventory_row *row, FILE *out)
{
	const struct inventory_desc *d = &inventory_kinds[row->kind];
	struct strbuf b = { 0 };

	fputc(' ', out);
	for (size_t i = 0; i < INVENTORY_NUMBERS && d->numbers[i].name; i++)
		print_number(&d->numbers[i], row->n[i], out);
	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i]; i++) {
		strbuf_puts(&b, "  ");
		text_name(&b, *row->s[i] ? row->s[i] : "-");
	}
	fprintf(out, "%s\n", b.s ? b.s : "");
	strbuf_free(&b);
}

static void print_kind(const struct inventory *v, int kind, FILE *out)
{
	const struct inventory_desc *d = &inventory_kinds[kind];
	char count[32];

	fprintf(out, "%s (%s)\n ", d->several, text_count(count, v->count[kind]));
	for (size_t i = 0; i < INVENTORY_NUMBERS && d->numbers[i].name; i++)
		fprintf(out, " %10s", d->numbers[i].name);
	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i]; i++)
		fprintf(out, "  %s", d->texts[i]);
	fputc('\n', out);
	for (size_t i = 0; i < v->n; i++)
		if ((int)v->rows[i].kind == kind)
			print_row(&v->rows[i], out);
	fputc('\n', out);
}

void inventory_print(const struct inventory *v, FILE *out)
{
	struct strbuf missing = { 0 };

	for (int k = 0; k < INVENTORY_SUM; k++)
		if (v->count[k])
			print_kind(v, k, out);
	inventory_missing(v, &missing);
	if (missing.len)
		fprintf(out, "Missing: %s\n", missing.s);
	strbuf_free(&missing);
}

static void json_row(const struct inventory_row *row, struct json *j)
{
	const struct inventory_desc *d = &inventory_kinds[row->kind];

	json_open(j, NULL, '{');
	for (size_t i = 0; i < INVENTORY_NUMBERS && d->numbers[i].name; i++) {
		if (is_signed(&d->numbers[i]) && (int64_t)row->n[i] < 0)
			json_null(j, d->numbers[i].name);
		else
			json_u64(j, d->numbers[i].name, row->n[i]);
	}
	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i]; i++)
		json_string(j, d->texts[i], row->s[i]);
	json_close(j, '}');
}

void inventory_json(const struct inventory *v, bool whole, struct json *j)
{
	for (int k = 0; k < INVENTORY_SUM; k++) {
		json_open(j, inventory_kinds[k].name, '{');
		json_u64(j, "records", v->count[k]);
		json_bool(j, "complete",
			  v->ended[k] && v->count[k] >= v->sums[k][INVENTORY_WRITTEN]);
		json_u64(j, "left_out", v->sums[k][INVENTORY_LEFT_OUT]);
		json_u64(j, "unreadable", v->sums[k][INVENTORY_UNREADABLE]);
		if (whole)
			json_open(j, "rows", '[');
		for (size_t i = 0; whole && i < v->n; i++)
			if ((int)v->rows[i].kind == k)
				json_row(&v->rows[i], j);
		if (whole)
			json_close(j, ']');
		json_close(j, '}');
	}
}
