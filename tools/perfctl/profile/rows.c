// SPDX-License-Identifier: GPL-2.0
/* From cells to rows. See rows.h. */
#include "rows.h"
#include "base/text.h"
#include "cli/suggest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* characters of their names that a message has room for */
#define FIELDS_SHOWN 600

static const char *const sort_names[] = {
	[SORT_COMM] = "comm",	[SORT_DSO] = "dso",	    [SORT_SYMBOL] = "symbol",
	[SORT_PID] = "pid",	[SORT_TID] = "tid",	    [SORT_CPU] = "cpu",
	[SORT_EVENT] = "event", [SORT_SRCLINE] = "srcline", [SORT_PARENT] = "parent",
	[SORT_TIME] = "time",	[SORT_GUEST] = "guest",	    [SORT_REQUEST] = "request",
	[SORT_NODE] = "node",	[SORT_SOCKET] = "socket",   [SORT_CORE] = "core",
	[SORT_VCPU] = "vcpu",	[SORT_EXIT] = "exit",
};

const char *sort_name(const struct sort_list *s, enum sort_key key)
{
	return key >= SORT_FIELD ? s->fields[key - SORT_FIELD] : sort_names[key];
}

bool sort_is_number(enum sort_key key)
{
	return key == SORT_PID || key == SORT_TID || key == SORT_CPU || key == SORT_TIME ||
	       key == SORT_NODE || key == SORT_SOCKET;
}

static void add_key(struct sort_list *s, unsigned int key)
{
	if (!(s->mask & (1u << key)))
		s->keys[s->n++] = key;
	s->mask |= 1u << key;
}

static int add_field(struct sort_list *s, const char *word, struct msg *m)
{
	unsigned int k;

	for (k = 0; k < s->n_fields && strcmp(s->fields[k], word); k++)
		;
	if (k == FIELDS_MAX)
		return msg_set(m, -EINVAL, "--sort: at most %d fields of events", FIELDS_MAX);
	if (k == s->n_fields)
		s->fields[s->n_fields++] = xstrdup(word);
	add_key(s, SORT_FIELD + k);
	return 0;
}

/* The fields are named, unless there are too many to read. */
static int unknown_column(const char *word, const struct suggestion *near, const struct strbuf *all,
			  struct msg *m)
{
	bool some = all->len && all->len < FIELDS_SHOWN;

	if (near->best)
		return msg_set(m, -EINVAL, "--sort: unknown column \"%s\"; did you mean \"%s\"?",
			       word, near->best);
	return msg_set(m, -EINVAL,
		       "--sort: unknown column \"%s\"; there are comm, dso, symbol, "
		       "pid, tid, cpu, event, srcline, parent, time, guest, vcpu, exit, request, "
		       "node, socket, core%s%s%s",
		       word,
		       some	? ", and the fields of events: " :
		       all->len ? " and the fields of the recorded events (perfctl script)" :
				  "",
		       some ? all->s : "",
		       some ? "; EVENT.FIELD where a column has that name" : "");
}

static int sort_one(struct sort_list *s, const char *word, sort_field_fn is_field, void *arg,
		    struct msg *m)
{
	struct suggestion near = { .word = word };
	struct strbuf all = { 0 };
	int err;

	for (unsigned int k = 0; k < SORT_FIELD; k++) {
		suggest_offer(&near, sort_names[k]);
		if (strcmp(word, sort_names[k]) && !(k == SORT_SYMBOL && !strcmp(word, "sym")))
			continue;
		add_key(s, k);
		return 0;
	}
	if (is_field && is_field(arg, word, &near, &all))
		err = add_field(s, word, m);
	else
		err = unknown_column(word, &near, &all, m);
	strbuf_free(&all);
	return err;
}

int sort_parse(struct sort_list *s, const char *text, sort_field_fn is_field, void *arg,
	       struct msg *m)
{
	char *copy = xstrdup(text), *save, *p;
	int err = 0;

	*s = (struct sort_list){ 0 };
	for (p = strtok_r(copy, ", ", &save); p && !err; p = strtok_r(NULL, ", ", &save))
		err = sort_one(s, p, is_field, arg, m);
	if (!err && !s->n)
		err = msg_set(m, -EINVAL, "--sort: a column is missing");
	free(copy);
	return err;
}

void sort_free(struct sort_list *s)
{
	for (unsigned int k = 0; k < s->n_fields; k++)
		free(s->fields[k]);
	*s = (struct sort_list){ 0 };
}

bool numbers_match(const char *globs, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	return !globs || globs_match(globs, text);
}

/* C++ names may contain commas: match the whole text as well, and what people call it. */
static bool symbol_matches(const char *globs, const char *s)
{
	struct strbuf base = { 0 };
	bool match = !strcmp(globs, s) || globs_match(globs, s);

	if (!match && strpbrk(s, ":<(")) {
		text_base_name(&base, s);
		match = globs_match(globs, base.s);
		strbuf_free(&base);
	}
	return match;
}

static bool func_passes(const struct rows *rows, uint32_t func)
{
	const struct rows_config *c = rows->config;
	struct profile *p = rows->profile;
	struct strbuf name = { 0 };
	bool pass = true;

	if (c->dso)
		pass = globs_match(c->dso, object_name(&p->session->objects,
						       p->stacks->funcs[func].object));
	if (pass && c->symbol) {
		stacks_func_name(p->stacks, func, &name);
		pass = symbol_matches(c->symbol, name.s);
		strbuf_free(&name);
	}
	return pass;
}

/* Filters run once for each function and name: 1 passes, 2 does not. */
struct verdicts {
	uint8_t *funcs;
	uint8_t *comms;
	uint8_t *parents;
};

static bool passes(const struct rows *rows, struct verdicts *v, uint32_t func, uint32_t comm)
{
	const struct rows_config *c = rows->config;

	if (c->comm && !v->comms[comm])
		v->comms[comm] = globs_match(c->comm,
					     machine_comm_name(&rows->profile->session->machine,
							       comm)) ?
					 1 :
					 2;
	if (c->comm && v->comms[comm] == 2)
		return false;
	if (!c->dso && !c->symbol)
		return true;
	if (!v->funcs[func])
		v->funcs[func] = func_passes(rows, func) ? 1 : 2;
	return v->funcs[func] == 1;
}

static bool is_parent(const struct rows *rows, struct verdicts *v, uint32_t func)
{
	struct strbuf name = { 0 };

	if (!rows->config->parent)
		return true;
	if (!v->parents[func]) {
		stacks_func_name(rows->profile->stacks, func, &name);
		v->parents[func] = symbol_matches(rows->config->parent, name.s) ? 1 : 2;
		strbuf_free(&name);
	}
	return v->parents[func] == 1;
}

/* Returns the caller of the function at place @k of a chain: number + 1, 0: none. */
static uint32_t parent_of(const struct rows *rows, struct verdicts *v, const struct chain *c,
			  uint32_t k)
{
	struct profile *p = rows->profile;

	while (++k < c->n) {
		uint32_t func = stacks_frame_func(p->stacks, p->stacks->chain_frames[c->first + k]);

		if (is_parent(rows, v, func))
			return func + 1;
	}
	return 0;
}

static struct row_key make_key(const struct rows *rows, struct verdicts *v,
			       const struct cell_key *k, uint32_t frame, uint32_t place)
{
	unsigned int mask = rows->config->sort.mask;
	struct profile *p = rows->profile;
	uint32_t func = stacks_frame_func(p->stacks, frame);
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
		key.object = p->stacks->funcs[func].object;
	if (mask & (1u << SORT_SYMBOL))
		key.func = func;
	if (mask & (1u << SORT_SRCLINE))
		key.line = stacks_frame_line(p->stacks, frame);
	if (mask & (1u << SORT_PARENT))
		key.parent = parent_of(rows, v, &p->stacks->chains[k->chain], place);
	if (mask & (1u << SORT_TIME))
		key.time = k->time;
	if (mask & (1u << SORT_GUEST))
		key.guest = k->guest;
	if (mask & (1u << SORT_VCPU))
		key.vcpu = k->vcpu;
	if (mask & (1u << SORT_EXIT))
		key.exit = k->exit;
	if (mask & (1u << SORT_REQUEST))
		key.request = k->request;
	if (mask & (1u << SORT_NODE))
		key.node = k->node;
	if (mask & (1u << SORT_SOCKET | 1u << SORT_CORE))
		key.socket = k->socket;
	if (mask & (1u << SORT_CORE))
		key.core = k->core;
	for (unsigned int i = 0; i < FIELDS_MAX; i++)
		if (mask & (1u << (SORT_FIELD + i)))
			key.value[i] = k->value[i];
	return key;
}

static struct row *row_get(struct rows *rows, const struct row_key *key)
{
	uint32_t hash = hash_bytes(key, sizeof(*key));
	struct row *row;

	if (!HTAB_GET(row, &rows->h, hash, !memcmp(&row->key, key, sizeof(*key)), rows->r, rows->n,
		      rows->cap))
		return row;
	row->key = *key;
	row->first_cell = ROW_END;
	if (rows->n_group) {
		row->slot = (uint32_t)rows->n_groups;
		for (uint32_t i = 0; i < 2 * rows->n_group; i++)
			*ARRAY_PUSH(rows->groups, rows->n_groups, rows->cap_groups) = 0;
	}
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

/* Counts the function itself and, with --children, each of its callers once. */
static bool add_cell(struct rows *rows, struct verdicts *v, uint32_t i)
{
	struct profile *p = rows->profile;
	const struct cell *c = &p->cells[i];
	const struct chain *chain = &p->stacks->chains[c->key.chain];
	uint32_t n = rows->config->children && chain->n ? chain->n : 1;
	bool any = false;

	if (!numbers_match(rows->config->pids, c->key.pid) ||
	    !numbers_match(rows->config->tids, c->key.tid) ||
	    !numbers_match(rows->config->cpus, c->key.cpu))
		return false;
	for (uint32_t k = 0; k < n; k++) {
		uint32_t frame = k ? p->stacks->chain_frames[chain->first + k] : c->key.frame;
		struct row_key key;
		struct row *row;

		if (!passes(rows, v, stacks_frame_func(p->stacks, frame), c->key.comm))
			continue;
		key = make_key(rows, v, &c->key, frame, k);
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
		if (rows->n_group) {
			rows->groups[row->slot + c->key.event] += c->weight;
			if (!k)
				rows->groups[row->slot + rows->n_group + c->key.event] += c->weight;
		}
		link_cell(rows, row, i);
	}
	return any;
}

static int by_weight(const void *va, const void *vb, void *arg)
{
	const struct rows *rows = arg;
	const struct row *a = va, *b = vb;

	/* spans of time stay in the order of time */
	if (rows->config->sort.keys[0] == SORT_TIME && a->key.time != b->key.time)
		return a->key.time < b->key.time ? -1 : 1;
	/* events of different kinds cannot be added up: the first one counts */
	for (uint32_t i = 0; i < rows->n_group; i++) {
		uint64_t x = rows->groups[a->slot + i], y = rows->groups[b->slot + i];

		if (x != y)
			return x < y ? 1 : -1;
	}
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

static bool goes_through(const struct profile *p, const struct cell *c, uint32_t func)
{
	const struct chain *chain = &p->stacks->chains[c->key.chain];

	if (stacks_frame_func(p->stacks, c->key.frame) == func)
		return true;
	for (uint32_t i = 0; i < chain->n; i++)
		if (stacks_frame_func(p->stacks, p->stacks->chain_frames[chain->first + i]) == func)
			return true;
	return false;
}

/* Returns whether the user zoomed into a cell; others count as not recorded. */
static bool in_zoom(const struct rows *rows, const struct cell *c)
{
	const struct rows_config *z = rows->config;

	return (!z->by_tid || c->key.tid == z->tid) && (!z->by_comm || c->key.comm == z->comm_id) &&
	       (!z->through || goes_through(rows->profile, c, z->through - 1));
}

static void make(struct rows *rows, uint32_t event)
{
	struct profile *p = rows->profile;
	struct verdicts v = {
		.funcs = xcalloc(p->stacks->n_funcs, 1),
		.comms = xcalloc(p->session->machine.comms.n, 1),
		.parents = xcalloc(p->stacks->n_funcs, 1),
	};

	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];

		if ((event != UINT32_MAX && c->key.event != event) || !in_zoom(rows, c))
			continue;
		rows->weight += c->weight;
		rows->samples += c->samples;
		if (rows->n_group)
			rows->group[c->key.event] += c->weight;
		if (!add_cell(rows, &v, (uint32_t)i))
			rows->hidden += c->weight;
	}
	if (rows->n)
		qsort_r(rows->r, rows->n, sizeof(*rows->r), by_weight, rows);
	htab_free(&rows->h); /* sorting changed the numbers */
	free(v.funcs);
	free(v.comms);
	free(v.parents);
}

void rows_make(struct rows *rows, struct profile *p, const struct rows_config *config,
	       uint32_t event)
{
	*rows = (struct rows){ .profile = p, .config = config };
	make(rows, event);
}

void rows_make_group(struct rows *rows, struct profile *p, const struct rows_config *config,
		     uint32_t n_events)
{
	*rows = (struct rows){ .profile = p, .config = config, .n_group = n_events };
	rows->group = xcalloc(n_events, sizeof(*rows->group));
	make(rows, UINT32_MAX);
}

void rows_free(struct rows *rows)
{
	free(rows->r);
	free(rows->links);
	free(rows->group);
	free(rows->groups);
	htab_free(&rows->h);
	*rows = (struct rows){ 0 };
}

void rows_func_name(const struct rows *rows, uint32_t func, struct strbuf *b)
{
	struct stacks *s = rows->profile->stacks;
	struct strbuf full = { 0 };

	/* what generated code is called is not C++ */
	if (rows->config->full_names || s->objects->o[s->funcs[func].object].kind != OBJECT_FILE) {
		stacks_func_name(s, func, b);
		return;
	}
	stacks_func_name(s, func, &full);
	strbuf_add(&full, "", 0);
	text_short_name(b, full.s);
	strbuf_free(&full);
}
