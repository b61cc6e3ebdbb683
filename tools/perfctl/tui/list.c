// SPDX-License-Identifier: GPL-2.0
/* Terminal interface: the list of lines. See tui.h. */
#include "list.h"
#include "tui.h"
#include "profile/tree.h"
#include "report/out.h"
#include "report/print.h"

#include <stdlib.h>
#include <strings.h>

static void free_trees(struct tui *t)
{
	for (size_t i = 0; t->trees && i < t->rows.n; i++)
		tree_free(&t->trees[i]);
	free(t->trees);
	t->trees = NULL;
}

void tui_list_free(struct tui *t)
{
	free_trees(t);
	rows_free(&t->rows);
	free(t->lines);
	free(t->opened);
	for (size_t i = 0; i < t->n_zooms; i++)
		free(t->zooms[i].what);
	free(t->zooms);
}

static uint64_t row_hash(const struct tui *t, uint32_t row)
{
	const struct row_key *k = &t->rows.r[row].key;

	return (uint64_t)hash_bytes(k, sizeof(*k)) << 32 | (k->func + 1);
}

/* Hashes the path to a node: its functions, starting at the row. */
static uint64_t node_hash(const struct tui *t, uint32_t row, uint32_t node)
{
	uint64_t h = row_hash(t, row);
	const struct tree *tree = &t->trees[row];

	for (; node; node = tree->nodes[node].parent)
		h = (h ^ (tree->nodes[node].func + 1)) * 0x9e3779b97f4a7c15ULL + 1;
	return h;
}

static bool is_open(const struct tui *t, uint64_t hash)
{
	for (size_t i = 0; i < t->n_opened; i++)
		if (t->opened[i] == hash)
			return true;
	return false;
}

static void set_open(struct tui *t, uint64_t hash, bool open)
{
	for (size_t i = 0; i < t->n_opened; i++)
		if (t->opened[i] == hash) {
			if (!open)
				t->opened[i] = t->opened[--t->n_opened];
			return;
		}
	if (open)
		*ARRAY_PUSH(t->opened, t->n_opened, t->cap_opened) = hash;
}

static struct tree *tree_of(struct tui *t, uint32_t row)
{
	struct tree *tree = &t->trees[row];

	if (!tree->n)
		tree_make(tree, &t->rows, &t->rows.r[row]);
	return tree;
}

static void add_nodes(struct tui *t, uint32_t row, uint32_t parent, uint32_t depth)
{
	const struct tree *tree = &t->trees[row];

	for (uint32_t n = tree->nodes[parent].child; n; n = tree->nodes[n].next) {
		bool kids = tree->nodes[n].child != 0;
		bool open = kids && is_open(t, node_hash(t, row, n));

		*ARRAY_PUSH(t->lines, t->n_lines, t->cap_lines) = (struct tui_line){
			.row = row, .node = n, .depth = depth, .open = open, .kids = kids };
		if (open)
			add_nodes(t, row, n, depth + 1);
	}
}

/* Assumes that a row with call chains has children until it is opened. */
static bool row_has_kids(struct tui *t, uint32_t row)
{
	const struct row *r = &t->rows.r[row];

	if (t->trees[row].n)
		return t->trees[row].nodes[0].child != 0;
	for (uint32_t l = r->first_cell; l != ROW_END; l = t->rows.links[l].next)
		if (t->rows.profile->cells[t->rows.links[l].cell].key.chain != CHAIN_NONE)
			return true;
	return false;
}

void tui_make_lines(struct tui *t)
{
	t->n_lines = 0;
	for (uint32_t i = 0; i < t->rows.n; i++) {
		bool open, kids;

		if (report_share(&t->rows, t->rows.r[i].total) < t->limit)
			continue;
		kids = row_has_kids(t, i);
		open = kids && is_open(t, row_hash(t, i));
		*ARRAY_PUSH(t->lines, t->n_lines, t->cap_lines) =
			(struct tui_line){ .row = i, .open = open, .kids = kids };
		if (open) {
			tree_of(t, i);
			add_nodes(t, i, 0, 1);
		}
	}
	if (t->at >= t->n_lines)
		t->at = t->n_lines ? t->n_lines - 1 : 0;
}

static uint32_t next_event(const struct tui *t, uint32_t from)
{
	for (uint32_t e = from; e < t->session->names.n; e++)
		if (report_has_event(&t->load->profile, e))
			return e;
	return UINT32_MAX;
}

void tui_make_rows(struct tui *t)
{
	struct rows_config columns;

	t->dirty = false;
	t->forgot = t->load->forgot;
	free_trees(t);
	rows_free(&t->rows);
	t->n_lines = 0;
	stacks_resolve(&t->session->stacks);
	if (t->event == UINT32_MAX || t->event >= t->session->names.n)
		t->event = 0;
	if (!report_has_event(&t->load->profile, t->event))
		t->event = next_event(t, 0);
	if (t->event == UINT32_MAX)
		return;
	columns = report_columns(&t->load->profile, &t->config, t->event);
	t->config.sort = columns.sort;
	rows_make(&t->rows, &t->load->profile, &t->config, t->event);
	t->trees = xcalloc(t->rows.n, sizeof(*t->trees));
	tui_make_lines(t);
}

static uint64_t line_hash(const struct tui *t, const struct tui_line *l)
{
	return l->node ? node_hash(t, l->row, l->node) : row_hash(t, l->row);
}

static void open_below(struct tui *t, uint32_t row, uint32_t node, bool all)
{
	struct tree *tree = tree_of(t, row);

	set_open(t, node ? node_hash(t, row, node) : row_hash(t, row), true);
	for (uint32_t n = tree->nodes[node].child; n; n = tree->nodes[n].next)
		/* open a branch without forks down to its first fork */
		if (tree->nodes[n].child && (all || !tree->nodes[tree->nodes[node].child].next))
			open_below(t, row, n, all);
}

void tui_toggle(struct tui *t, bool all)
{
	struct tui_line l;

	if (t->at >= t->n_lines)
		return;
	l = t->lines[t->at];
	if (!l.kids)
		return;
	if (l.open && !all)
		set_open(t, line_hash(t, &l), false);
	else
		open_below(t, l.row, l.node, all);
	tui_make_lines(t);
}

/* Closes the branch, or moves to its parent. */
void tui_close(struct tui *t)
{
	struct tui_line l;

	if (t->at >= t->n_lines)
		return;
	l = t->lines[t->at];
	if (l.open) {
		tui_toggle(t, false);
		return;
	}
	while (t->at && t->lines[t->at].depth >= l.depth && l.depth)
		t->at--;
}

uint32_t tui_line_func(const struct tui *t, const struct tui_line *l)
{
	if (l->node)
		return t->trees[l->row].nodes[l->node].func;
	return t->config.sort.mask & (1u << SORT_SYMBOL) ? t->rows.r[l->row].key.func : UINT32_MAX;
}

static bool line_matches(struct tui *t, const struct tui_line *l)
{
	struct strbuf b = { 0 };
	bool match;

	strbuf_add(&b, "", 0);
	if (l->node)
		stacks_func_name(&t->session->stacks, tui_line_func(t, l), &b);
	else
		for (unsigned int k = 0; k < t->config.sort.n; k++) {
			report_cell(&t->rows, &t->rows.r[l->row], t->config.sort.keys[k],
				    &t->session->names, &b);
			strbuf_putc(&b, ' ');
		}
	match = strcasestr(b.s, t->search) != NULL;
	strbuf_free(&b);
	return match;
}

bool tui_find(struct tui *t, int step)
{
	for (size_t k = 1; t->n_lines && k <= t->n_lines; k++) {
		size_t i = (t->at + (step > 0 ? k : t->n_lines - k)) % t->n_lines;

		if (line_matches(t, &t->lines[i])) {
			t->at = i;
			return true;
		}
	}
	return false;
}
