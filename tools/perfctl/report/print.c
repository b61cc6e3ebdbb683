// SPDX-License-Identifier: GPL-2.0
/* perfctl report: prints tables and trees as text. */
#include "print.h"
#include "chains.h"
#include "report.h"
#include "base/text.h"
#include "kvm/vmm.h"
#include "profile/tree.h"
#include "waits/spreads.h"

#include <stdlib.h>

/* a column of names is not wider than this, except the last one */
#define COLUMN_MOST 32

static const char *heading(const struct rows *rows, enum sort_key key)
{
	static const char *const names[] = {
		[SORT_COMM] = "Program", [SORT_DSO] = "Object",	    [SORT_SYMBOL] = "Function",
		[SORT_PID] = "PID",	 [SORT_TID] = "TID",	    [SORT_CPU] = "CPU",
		[SORT_EVENT] = "Event",	 [SORT_SRCLINE] = "Source", [SORT_PARENT] = "Called by",
		[SORT_TIME] = "Seconds", [SORT_GUEST] = "Guest",    [SORT_REQUEST] = "Request",
		[SORT_NODE] = "Node",	 [SORT_SOCKET] = "Socket",  [SORT_CORE] = "Core",
		[SORT_VCPU] = "vCPU",	 [SORT_EXIT] = "Left for",
	};

	return key >= SORT_FIELD ? sort_name(&rows->config->sort, key) : names[key];
}

static void add_symbol(const struct rows *rows, uint32_t func, struct strbuf *b)
{
	const struct profile *p = rows->profile;
	const struct object *o = &p->session->objects.o[p->stacks->funcs[func].object];

	if (object_is_guest(o))
		strbuf_puts(b, "[g] ");
	else
		strbuf_puts(b,
			    o->kind == OBJECT_KERNEL || o->kind == OBJECT_MODULE ? "[k] " : "[.] ");
	rows_func_name(rows, func, b);
}

/* A core's number counts within its socket. */
static void add_core(const struct row_key *key, struct strbuf *b)
{
	if (key->core && key->socket)
		strbuf_addf(b, "%u:", key->socket - 1);
	if (key->core)
		strbuf_addf(b, "%u", key->core - 1);
	else
		strbuf_puts(b, "[unknown]");
}

static void add_place(uint32_t place, struct strbuf *b)
{
	if (place)
		strbuf_addf(b, "%u", place - 1);
	else
		strbuf_puts(b, "[unknown]");
}

/* VMMs call threads by the number of the virtual processor, as far as they name them. */
static void add_vcpu(const struct profile *p, uint32_t tid, struct strbuf *b)
{
	struct machine *machine = &p->session->machine;
	int id;

	if (!tid) {
		strbuf_puts(b, "[host]");
		return;
	}
	id = vmm_vcpu_of_thread(
		machine_comm_name(machine, machine_seen(machine, 0, tid)->thread.comm));
	if (id >= 0)
		strbuf_addf(b, "%d, thread %u", id, tid);
	else
		strbuf_addf(b, "thread %u", tid);
}

static void add_parent(const struct rows *rows, uint32_t parent, struct strbuf *b)
{
	if (parent)
		rows_func_name(rows, parent - 1, b);
	else
		strbuf_puts(b, rows->config->parent ? "[other]" : "[none]");
}

static void add_guest(uint32_t pid, struct strbuf *b)
{
	if (pid & CELL_FOR_GUEST)
		strbuf_addf(b, "for %u", pid & ~CELL_FOR_GUEST);
	else if (pid)
		strbuf_addf(b, "of %u", pid);
	else
		strbuf_puts(b, "[host]");
}

/* A request, or why a guest was left */
static void add_value(const struct profile *p, uint32_t value, struct strbuf *b)
{
	strbuf_puts(b, value ? strtab_get(&p->values, value) : "[none]");
}

void report_cell(const struct rows *rows, const struct row *row, enum sort_key key,
		 const struct strtab *events, struct strbuf *b)
{
	struct profile *p = rows->profile;

	switch (key) {
	case SORT_COMM:
		text_name(b, machine_comm_name(&p->session->machine, row->key.comm));
		break;
	case SORT_DSO:
		strbuf_puts(b, object_name(&p->session->objects, row->key.object));
		break;
	case SORT_SYMBOL:
		rows_func_name(rows, row->key.func, b);
		break;
	case SORT_PID:
		strbuf_addf(b, "%u", row->key.pid);
		break;
	case SORT_TID:
		strbuf_addf(b, "%u", row->key.tid);
		break;
	case SORT_CPU:
		strbuf_addf(b, "%u", row->key.cpu);
		break;
	case SORT_EVENT:
		text_name(b, strtab_get(events, row->key.event));
		break;
	case SORT_SRCLINE:
		text_name(b, strtab_get(&p->stacks->line_texts, row->key.line));
		break;
	case SORT_PARENT:
		add_parent(rows, row->key.parent, b);
		break;
	case SORT_TIME:
		strbuf_addf(b, "%.6f", (double)row->key.time * (double)rows->config->quantum / 1e9);
		break;
	case SORT_GUEST:
		add_guest(row->key.guest, b);
		break;
	case SORT_VCPU:
		add_vcpu(p, row->key.vcpu, b);
		break;
	case SORT_REQUEST:
		add_value(p, row->key.request, b);
		break;
	case SORT_EXIT:
		add_value(p, row->key.exit, b);
		break;
	case SORT_NODE:
		add_place(row->key.node, b);
		break;
	case SORT_SOCKET:
		add_place(row->key.socket, b);
		break;
	case SORT_CORE:
		add_core(&row->key, b);
		break;
	default:
		strbuf_puts(b, strtab_get(&p->values, row->key.value[key - SORT_FIELD]));
		break;
	}
}

/**
 * struct table - while one is printed
 * @widths: of the columns
 * @shown:  rows that are above the limit
 */
struct table {
	const struct rows *rows;
	const struct report_style *style;
	const struct strtab *events;
	size_t widths[SORT_MAX];
	size_t shown;
};

static void cell_text(const struct table *t, const struct row *row, enum sort_key key,
		      struct strbuf *b)
{
	strbuf_reset(b);
	if (key == SORT_SYMBOL)
		add_symbol(t->rows, row->key.func, b);
	else
		report_cell(t->rows, row, key, t->events, b);
	strbuf_add(b, "", 0);
}

static bool shown(const struct table *t, const struct row *row);

static void measure(struct table *t)
{
	const struct sort_list *sort = &t->rows->config->sort;
	struct strbuf b = { 0 };

	for (unsigned int k = 0; k < sort->n; k++) {
		size_t *w = &t->widths[k];

		*w = strlen(heading(t->rows, sort->keys[k]));
		for (size_t i = 0; i < t->rows->n; i++) {
			if (!shown(t, &t->rows->r[i]))
				continue;
			cell_text(t, &t->rows->r[i], sort->keys[k], &b);
			*w = max_u64(*w, text_width(b.s));
		}
		if (k + 1 < sort->n || sort->keys[k] != SORT_SYMBOL)
			*w = min_u64(*w, COLUMN_MOST);
	}
	strbuf_free(&b);
}

static void print_columns(const struct table *t, const struct row *row)
{
	const struct sort_list *sort = &t->rows->config->sort;
	FILE *out = t->style->out;
	struct strbuf b = { 0 };

	for (unsigned int k = 0; k < sort->n; k++) {
		bool last = k + 1 == sort->n;
		size_t width;
		int pad;

		if (row)
			cell_text(t, row, sort->keys[k], &b);
		else {
			strbuf_reset(&b);
			strbuf_puts(&b, heading(t->rows, sort->keys[k]));
		}
		width = text_width(b.s);
		pad = width < t->widths[k] ? (int)(t->widths[k] - width) : 0;
		if (sort_is_number(sort->keys[k]))
			fprintf(out, "  %*s%s", pad, "", b.s);
		else
			fprintf(out, "  %s%*s", b.s, last ? 0 : pad, "");
	}
	fputc('\n', out);
	strbuf_free(&b);
}

/* Returns whether an event that stands beside others has samples at all. */
static bool in_group(const struct rows *rows, uint32_t e)
{
	return rows->group[e] != 0;
}

static void print_group_names(const struct table *t)
{
	char safe[256];

	for (uint32_t e = 0, n = 0; e < t->rows->n_group; e++)
		if (in_group(t->rows, e))
			fprintf(t->style->out, "# %u: %s\n", ++n,
				text_safe(safe, sizeof(safe), strtab_get(t->events, e)));
	fprintf(t->style->out, "#\n");
}

static void print_heading(const struct table *t)
{
	const struct rows *rows = t->rows;
	FILE *out = t->style->out;

	if (rows->n_group)
		print_group_names(t);
	if (rows->n_group)
		for (uint32_t e = 0, n = 0; e < rows->n_group; e++) {
			if (in_group(rows, e))
				n++, fprintf(out, "%s%*u", n == 1 ? "#" : " ", n == 1 ? 8 : 8, n);
		}
	else if (rows->config->children)
		fprintf(out, "#   Total      Self");
	else
		fprintf(out, "#   Share");
	if (t->style->samples)
		fprintf(out, "     Samples");
	if (t->style->waits)
		fprintf(out, "      Waited     Times");
	if (t->style->spreads)
		fprintf(out, "       50 %%       99 %%");
	print_columns(t, NULL);
}

/**
 * struct branch - while a tree is printed
 * @prefix: what stands left of the branch
 */
struct branch {
	const struct table *table;
	const struct tree *tree;
	struct strbuf prefix;
};

static bool big_enough(const struct branch *b, uint32_t node)
{
	return node &&
	       report_share(b->table->rows, b->tree->nodes[node].weight) >= b->table->style->branch;
}

static void print_node(struct branch *b, uint32_t node, bool share)
{
	const struct tree_node *n = &b->tree->nodes[node];
	struct strbuf name = { 0 };

	rows_func_name(b->table->rows, n->func, &name);
	fprintf(b->table->style->out, "%s%s", b->prefix.s, share ? "--" : "  ");
	if (share)
		fprintf(b->table->style->out, "%5.2f%%-- ",
			report_share(b->table->rows, n->weight));
	fprintf(b->table->style->out, "%s\n", name.s);
	strbuf_free(&name);
}

/* A branch without forks is printed as a list, without shares. */
static uint32_t only_child(const struct branch *b, uint32_t node)
{
	const struct tree_node *nodes = b->tree->nodes;
	uint32_t c = nodes[node].child;

	if (!c || nodes[c].weight != nodes[node].weight)
		return 0;
	return c;
}

static void print_children(struct branch *b, uint32_t node)
{
	size_t len = b->prefix.len;
	uint32_t c;

	for (c = b->tree->nodes[node].child; big_enough(b, c); c = b->tree->nodes[c].next) {
		bool last = !big_enough(b, b->tree->nodes[c].next);
		uint32_t at = c, below;

		b->prefix.len = len;
		strbuf_puts(&b->prefix, last ? "`" : "|");
		print_node(b, c, true);
		b->prefix.len = len;
		strbuf_puts(&b->prefix, last ? "          " : "|         ");
		while ((below = only_child(b, at))) {
			print_node(b, below, false);
			at = below;
		}
		print_children(b, at);
	}
	b->prefix.len = len;
	if (b->prefix.s)
		b->prefix.s[len] = 0;
}

static void print_tree(const struct table *t, const struct row *row)
{
	struct tree tree;
	struct branch b = { .table = t, .tree = &tree };
	uint32_t at = 0, below;

	tree_make(&tree, t->rows, row);
	if (only_child(&b, 0) || big_enough(&b, tree.nodes[0].child)) {
		strbuf_puts(&b.prefix, "            ");
		while ((below = only_child(&b, at))) {
			print_node(&b, below, false);
			at = below;
		}
		print_children(&b, at);
		fputc('\n', t->style->out);
	}
	strbuf_free(&b.prefix);
	tree_free(&tree);
}

/* Colors as other profilers do: red from 5 %, green from 0.5 %. */
static void print_percent(const struct table *t, int width, double share)
{
	const char *color = share >= 5 ? "\033[31m" : share >= 0.5 ? "\033[32m" : NULL;

	if (!t->style->color || !color)
		fprintf(t->style->out, "%*.2f%%", width, share);
	else
		fprintf(t->style->out, "%s%*.2f%%\033[m", color, width, share);
}

static void print_group(const struct table *t, const struct row *row)
{
	const struct rows *rows = t->rows;
	const uint64_t *w = rows->groups + row->slot;

	for (uint32_t e = 0; e < rows->n_group; e++)
		if (in_group(rows, e))
			print_percent(t, 8, 100.0 * (double)w[e] / (double)rows->group[e]);
}

/* Returns the share to compare with the limit: the largest of events side by side. */
static double row_share(const struct rows *rows, const struct row *row)
{
	double most = 0, share;

	if (!rows->n_group)
		return report_share(rows, row->total);
	for (uint32_t e = 0; e < rows->n_group; e++) {
		if (!in_group(rows, e))
			continue;
		share = 100.0 * (double)rows->groups[row->slot + e] / (double)rows->group[e];
		if (share > most)
			most = share;
	}
	return most;
}

static void print_spread(const struct table *t, const struct row *row)
{
	struct durations waits = { 0 };
	char buf[32];

	spreads_of_row(t->style->spreads, t->rows, row, &waits);
	fprintf(t->style->out, " %10s", text_ns(buf, durations_at(&waits, 50)));
	fprintf(t->style->out, " %10s", text_ns(buf, durations_at(&waits, 99)));
	durations_free(&waits);
}

static void print_row(const struct table *t, const struct row *row)
{
	FILE *out = t->style->out;
	char buf[32];

	if (t->rows->n_group) {
		print_group(t, row);
	} else {
		print_percent(t, 8, report_share(t->rows, row->total));
		if (t->rows->config->children) {
			fputc(' ', out);
			print_percent(t, 8, report_share(t->rows, row->self));
		}
	}
	if (t->style->samples)
		fprintf(out, "  %10s", text_count(buf, row->samples));
	if (t->style->waits) {
		fprintf(out, "  %10s", text_ns(buf, row->self));
		fprintf(out, " %9s", text_count(buf, row->samples));
	}
	if (t->style->spreads)
		print_spread(t, row);
	print_columns(t, row);
	if (!t->style->graph || row_share(t->rows, row) < t->style->branch)
		return;
	if (t->style->graph == GRAPH_TREE)
		print_tree(t, row);
	else
		report_chains(t->rows, row, t->style);
}

static bool shown(const struct table *t, const struct row *row)
{
	return row_share(t->rows, row) >= t->style->limit;
}

static void print_rest(const struct table *t)
{
	uint64_t weight = 0;
	char a[32];

	for (size_t i = 0; i < t->rows->n; i++)
		if (!shown(t, &t->rows->r[i]))
			weight += t->rows->r[i].self;
	if (t->shown < t->rows->n && t->rows->n_group)
		fprintf(t->style->out, "# %s more below %.2f %%\n",
			text_count(a, t->rows->n - t->shown), t->style->limit);
	else if (t->shown < t->rows->n)
		fprintf(t->style->out, "# %s more below %.2f %%, together %.2f %%\n",
			text_count(a, t->rows->n - t->shown), t->style->limit,
			report_share(t->rows, weight));
	if (t->rows->hidden)
		fprintf(t->style->out, "# filtered out: %.2f %%\n",
			report_share(t->rows, t->rows->hidden));
}

/* Weights of a timer that ticks after so many ns are time. */
static bool is_clock(const struct rows *rows, const char *event)
{
	const struct pev_trace *t = rows->profile->session->trace;

	for (unsigned int c = 0; c < pev_trace_nr_classes(t); c++) {
		const struct pev_class *cls = pev_trace_class(t, c);

		if (!strcmp(cls->name, event))
			return cls->type == PEV_TYPE_TIMER;
	}
	return false;
}

void report_print(const struct rows *rows, const struct report_style *s, const char *event,
		  const struct strtab *events)
{
	struct table t = { .rows = rows, .style = s, .events = events };
	char a[32], b[32], safe[256];

	fprintf(s->out, "# %s", text_safe(safe, sizeof(safe), event));
	if (!s->bare)
		fprintf(s->out, ": %s %s%s", text_count(a, rows->samples),
			s->waits ? "wait" : "sample", text_s(rows->samples));
	if (s->bare)
		; /* the counts fade and are no longer numbers of samples */
	else if (s->waits)
		fprintf(s->out, ", %s in all", text_ns(b, rows->weight));
	else if (rows->weight != rows->samples && !rows->n_group && is_clock(rows, event))
		fprintf(s->out, ", which stand for %s", text_ns(b, rows->weight));
	else if (rows->weight != rows->samples && !rows->n_group)
		fprintf(s->out, ", which stand for %s events", text_count(b, rows->weight));
	fprintf(s->out, "\n#\n");
	for (size_t i = 0; i < rows->n; i++)
		t.shown += shown(&t, &rows->r[i]);
	measure(&t);
	print_heading(&t);
	for (size_t i = 0, left = s->lines ? s->lines : SIZE_MAX; i < rows->n && left; i++)
		if (shown(&t, &rows->r[i])) {
			print_row(&t, &rows->r[i]);
			left--;
		}
	print_rest(&t);
	fputc('\n', s->out);
}
