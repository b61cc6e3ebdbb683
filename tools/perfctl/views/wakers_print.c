// SPDX-License-Identifier: GPL-2.0
/* What threads waited for, in sentences. See wakers_print.h. */
#include "wakers_print.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/**
 * struct program - the rows of one program
 * @time:   ns that its threads were followed
 * @waited: ns of its rows
 * @n_rows: 0: the end of the list
 * @first:  it is the recorded command
 */
struct program {
	uint32_t comm;
	uint64_t time;
	uint64_t waited;
	size_t n_rows;
	bool first;
};

/**
 * struct line - a row, and its program
 */
struct line {
	const struct row *row;
	const struct program *program;
};

static int by_program(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->program->first != y->program->first)
		return x->program->first ? -1 : 1;
	if (x->program->waited != y->program->waited)
		return x->program->waited < y->program->waited ? 1 : -1;
	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return (x->row->self < y->row->self) - (x->row->self > y->row->self);
}

/* Returns the program of that name; there is room for one more. */
static struct program *program_of(struct program *list, uint32_t comm)
{
	while (list->n_rows && list->comm != comm)
		list++;
	list->comm = comm;
	return list;
}

/* The last name of the thread that the recording began with */
static uint32_t first_comm(const struct offcpu *o)
{
	for (size_t i = 0; o->filter.family.n && i < o->waits.n; i++)
		if (o->waits.threads[i].thread.tid == o->filter.family.pids[0])
			return o->waits.threads[i].thread.comm;
	return COMM_UNKNOWN;
}

static struct program *programs(const struct offcpu *o, const struct rows *rows)
{
	struct program *list = xcalloc(rows->n + 1, sizeof(*list));
	uint32_t first = first_comm(o);

	for (size_t i = 0; i < rows->n; i++) {
		struct program *p = program_of(list, rows->r[i].key.comm);

		p->n_rows++;
		p->waited += rows->r[i].self;
		p->time = offcpu_time(o, p->comm);
		p->first = first != COMM_UNKNOWN && p->comm == first;
	}
	return list;
}

static const char *value(const struct offcpu *o, const struct row *row, enum offcpu_column c)
{
	return strtab_get(&o->profile.values, row->key.value[o->columns[c]]);
}

static void sentence(const struct offcpu *o, const struct row *row, struct strbuf *b)
{
	const char *by = value(o, row, OFFCPU_BY), *from = value(o, row, OFFCPU_FROM);
	const char *place = value(o, row, OFFCPU_PLACE);

	strbuf_reset(b);
	text_name(b, machine_comm_name(&o->session->machine, row->key.comm));
	if (!strcmp(by, OFFCPU_NO_CPU)) {
		strbuf_puts(b, ": ready to run, without a processor");
		if (*place)
			strbuf_addf(b, ", in %s", place);
		return;
	}
	strbuf_addf(b, ": blocked%s%s", *place ? " in " : "", place);
	if (strcmp(by, "[unknown]"))
		strbuf_addf(b, ", woken by %s%s%s", by, *from ? " from " : "", from);
}

static double share(const struct line *l)
{
	return l->program->time ? 100.0 * (double)l->row->self / (double)l->program->time : 0;
}

static void print_spread(const struct offcpu *o, const struct rows *rows, const struct row *row,
			 FILE *out)
{
	struct durations waits = { 0 };
	char ns[32];

	spreads_of_row(&o->spreads, rows, row, &waits);
	fprintf(out, "  %10s", text_ns(ns, durations_at(&waits, 50)));
	fprintf(out, "  %10s", text_ns(ns, durations_at(&waits, 99)));
	durations_free(&waits);
}

void wakers_print(struct offcpu *o, const struct rows_config *config, double limit, FILE *out)
{
	struct strbuf b = { 0 };
	struct program *list;
	struct line *lines;
	struct rows rows;
	size_t n = 0, left = 0;
	char ns[32], count[32];

	rows_make(&rows, &o->profile, config, UINT32_MAX);
	list = programs(o, &rows);
	lines = xcalloc(rows.n + 1, sizeof(*lines));
	for (size_t i = 0; i < rows.n; i++)
		lines[n++] = (struct line){ &rows.r[i], program_of(list, rows.r[i].key.comm) };
	qsort(lines, n, sizeof(*lines), by_program);
	fprintf(out,
		"#  Of its time      Waited   Times        50 %%        99 %%  Program: what it waited for\n");
	for (size_t i = 0; i < n; i++) {
		if (share(&lines[i]) < limit) {
			left++;
			continue;
		}
		sentence(o, lines[i].row, &b);
		fprintf(out, "     %7.2f%%  %10s  %6s", share(&lines[i]),
			text_ns(ns, lines[i].row->self), text_count(count, lines[i].row->samples));
		print_spread(o, &rows, lines[i].row, out);
		fprintf(out, "  %s\n", b.s);
	}
	if (left)
		fprintf(out, "# %zu more below %.2f %%\n", left, limit);
	free(lines);
	free(list);
	rows_free(&rows);
	strbuf_free(&b);
}
