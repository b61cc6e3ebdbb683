// SPDX-License-Identifier: GPL-2.0
/* From cells to rows. See rows.h. */
#include "rows.h"
#include "opt.h"

#include <errno.h>
#include <stdlib.h>

static const char *const sort_names[SORT_MAX] = {
	[SORT_COMM] = "comm", [SORT_DSO] = "dso", [SORT_SYMBOL] = "symbol", [SORT_PID] = "pid",
	[SORT_TID] = "tid",   [SORT_CPU] = "cpu", [SORT_EVENT] = "event",
};

const char *sort_name(enum sort_key key)
{
	return sort_names[key];
}

static int sort_one(struct sort_list *s, const char *word, struct msg *m)
{
	struct nearest near = { .word = word };

	for (unsigned int k = 0; k < SORT_MAX; k++) {
		nearest_offer(&near, sort_names[k]);
		if (strcmp(word, sort_names[k]) && !(k == SORT_SYMBOL && !strcmp(word, "sym")))
			continue;
		if (!(s->mask & (1u << k)))
			s->keys[s->n++] = k;
		s->mask |= 1u << k;
		return 0;
	}
	if (near.best)
		return msg_set(m, -EINVAL, "--sort: unknown column \"%s\"; did you mean \"%s\"?",
			       word, near.best);
	return msg_set(m, -EINVAL, "--sort: unknown column \"%s\"; there are comm, dso, symbol, "
		       "pid, tid, cpu and event", word);
}

int sort_parse(struct sort_list *s, const char *text, struct msg *m)
{
	char *copy = xstrdup(text), *save, *p;
	int err = 0;

	*s = (struct sort_list){ 0 };
	for (p = strtok_r(copy, ", ", &save); p && !err; p = strtok_r(NULL, ", ", &save))
		err = sort_one(s, p, m);
	if (!err && !s->n)
		err = msg_set(m, -EINVAL, "--sort: a column is missing");
	free(copy);
	return err;
}

bool globs_match(const char *globs, const char *s)
{
	char *copy = xstrdup(globs), *save, *p;
	bool match = false;

	for (p = strtok_r(copy, ",", &save); p && !match; p = strtok_r(NULL, ",", &save))
		match = glob_match(p, s);
	free(copy);
	return match;
}

/* C++ names have commas of their own: the whole text counts, too. */
static bool symbol_matches(const char *globs, const char *s)
{
	return !strcmp(globs, s) || globs_match(globs, s);
}

static bool func_passes(const struct rows *rows, uint32_t func)
{
	const struct rows_config *c = rows->config;
	struct profile *p = rows->profile;
	struct strbuf name = { 0 };
	bool pass = true;

	if (c->dso)
		pass = globs_match(c->dso, object_name(&p->objects, p->funcs[func].object));
	if (pass && c->symbol) {
		profile_func_name(p, func, &name);
		pass = symbol_matches(c->symbol, name.s);
		strbuf_free(&name);
	}
	return pass;
}

/* Filters are asked once for each function and name: 1 passes, 2 does not. */
struct verdicts {
	uint8_t *funcs;
	uint8_t *comms;
};

static bool passes(const struct rows *rows, struct verdicts *v, uint32_t func, uint32_t comm)
{
	const struct rows_config *c = rows->config;

	if (c->comm && !v->comms[comm])
		v->comms[comm] = globs_match(c->comm,
					     machine_comm_name(&rows->profile->machine, comm)) ? 1 : 2;
	if (c->comm && v->comms[comm] == 2)
		return false;
	if (!c->dso && !c->symbol)
		return true;
	if (!v->funcs[func])
		v->funcs[func] = func_passes(rows, func) ? 1 : 2;
	return v->funcs[func] == 1;
}

static struct row_key make_key(const struct rows *rows, const struct cell_key *k, uint32_t func)
{
	unsigned int mask = rows->config->sort.mask;
	struct row_key key = { 0 };

	if (mask & (1u << SORT_EVENT))
		key.event = k->event;
	if (mask & (1u << SORT_COMM))
		key.comm = k->comm;
	if (mask & (1u << SORT_PID))
		key.pid = k->pid;
	if (mask & (1u << SORT_TID))
		key.tid = k->tid;
	if (mask & (1u << SORT_CPU))
		key.cpu = k->cpu;
	if (mask & (1u << SORT_DSO))
		key.object = rows->profile->funcs[func].object;
	if (mask & (1u << SORT_SYMBOL))
		key.func = func;
	return key;
}

static struct row *row_get(struct rows *rows, const struct row_key *key)
{
	uint32_t hash = hash_bytes(key, sizeof(*key)), pos, ref;
	struct row *row;

	for (ref = htab_first(&rows->h, hash, &pos); ref; ref = htab_next(&rows->h, hash, &pos))
		if (!memcmp(&rows->r[ref - 1].key, key, sizeof(*key)))
			return &rows->r[ref - 1];
	row = ARRAY_PUSH(rows->r, rows->n, rows->cap);
	row->key = *key;
	row->first_cell = ROW_END;
	htab_add(&rows->h, hash, (uint32_t)(rows->n - 1));
	return row;
}

static void link_cell(struct rows *rows, struct row *row, uint32_t cell)
{
	rows->links = array_grow(rows->links, rows->n_links, &rows->cap_links,
				 sizeof(*rows->links));
	rows->links[rows->n_links].cell = cell;
	rows->links[rows->n_links].next = row->first_cell;
	row->first_cell = (uint32_t)rows->n_links++;
}

/* The function itself, and with --children everything that led to it, each once. */
static bool add_cell(struct rows *rows, struct verdicts *v, uint32_t i)
{
	struct profile *p = rows->profile;
	const struct cell *c = &p->cells[i];
	const struct chain *chain = &p->chains[c->key.chain];
	uint32_t leaf = profile_frame_func(p, c->key.frame);
	uint32_t n = rows->config->children && chain->n ? chain->n : 1;
	bool any = false;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t func = k ? profile_frame_func(p, p->chain_frames[chain->first + k]) : leaf;
		struct row_key key;
		struct row *row;

		if (!passes(rows, v, func, c->key.comm))
			continue;
		key = make_key(rows, &c->key, func);
		row = row_get(rows, &key);
		any = true;
		/* recursion counts once */
		if (row->first_cell != ROW_END && rows->links[row->first_cell].cell == i)
			continue;
		row->total += c->weight;
		if (!k) {
			row->self += c->weight;
			row->samples += c->samples;
		}
		link_cell(rows, row, i);
	}
	return any;
}

static int by_weight(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

void rows_make(struct rows *rows, struct profile *p, const struct rows_config *config,
	       uint32_t event)
{
	struct verdicts v = {
		.funcs = xcalloc(p->n_funcs, 1),
		.comms = xcalloc(p->machine.comms.n, 1),
	};

	*rows = (struct rows){ .profile = p, .config = config };
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];

		if (event != UINT32_MAX && c->key.event != event)
			continue;
		rows->weight += c->weight;
		rows->samples += c->samples;
		if (!add_cell(rows, &v, (uint32_t)i))
			rows->hidden += c->weight;
	}
	if (rows->n)
		qsort(rows->r, rows->n, sizeof(*rows->r), by_weight);
	htab_free(&rows->h); /* sorting changed the numbers */
	free(v.funcs);
	free(v.comms);
}

void rows_free(struct rows *rows)
{
	free(rows->r);
	free(rows->links);
	htab_free(&rows->h);
	*rows = (struct rows){ 0 };
}
