// SPDX-License-Identifier: GPL-2.0
/* From cells to weights of call chains. See flame.h. */
#include "flame.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>

void flame_name(const struct flame *f, uint32_t node, struct strbuf *b)
{
	strbuf_reset(b);
	if (node)
		stacks_func_name(f->profile->stacks, f->tree.nodes[node].func, b);
	else
		strbuf_puts(b, "all");
}

static int by_weight(const void *va, const void *vb, void *arg)
{
	const struct flame *f = arg;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	if (f->nodes[a].weight != f->nodes[b].weight)
		return f->nodes[a].weight < f->nodes[b].weight ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* Weights of the chosen event, summed up towards the root; children heaviest first. */
static void sum_up(struct flame *f, const char *comm)
{
	const struct profile *p = f->profile;
	uint32_t *order = xcalloc(f->tree.n, sizeof(*order));

	f->nodes = xcalloc(f->tree.n, sizeof(*f->nodes));
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];

		if (c->key.event != f->event ||
		    (comm &&
		     !globs_match(comm, machine_comm_name(&p->session->machine, c->key.comm))))
			continue;
		f->nodes[f->tree.leaf[i]].self += c->weight;
		f->samples += c->samples;
	}
	for (size_t i = 0; i < f->tree.n; i++) {
		f->nodes[i].weight = f->nodes[i].self;
		order[i] = (uint32_t)i;
	}
	for (size_t i = f->tree.n - 1; i > 0; i--)
		f->nodes[f->tree.nodes[i].parent].weight += f->nodes[i].weight;
	qsort_r(order, f->tree.n, sizeof(*order), by_weight, f);
	for (size_t i = f->tree.n; i-- > 0;) {
		uint32_t n = order[i], parent = f->tree.nodes[n].parent;

		if (!n || !f->nodes[n].weight)
			continue;
		f->nodes[n].next = f->nodes[parent].child;
		f->nodes[parent].child = n;
	}
	f->total = f->nodes[0].weight;
	free(order);
}

void flame_make(struct flame *f, const struct profile *p, uint32_t event, const char *comm)
{
	*f = (struct flame){ .profile = p, .event = event };
	heavy_tree_make(&f->tree, p, (uint32_t)p->session->names.n, SIZE_MAX);
	sum_up(f, comm);
}

void flame_free(struct flame *f)
{
	heavy_tree_free(&f->tree);
	free(f->nodes);
}

void flame_folded(const struct flame *f, FILE *out)
{
	struct strbuf name = { 0 };

	for (uint32_t i = 1; i < f->tree.n; i++) {
		uint32_t path[1024], n = 0;

		if (!f->nodes[i].self)
			continue;
		for (uint32_t at = i; at && n < ARRAY_SIZE(path); at = f->tree.nodes[at].parent)
			path[n++] = at;
		while (n--) {
			flame_name(f, path[n], &name);
			/* what separates must not be in a name */
			for (char *c = name.s; *c; c++)
				if (*c == ';')
					*c = ':';
			fprintf(out, "%s%s", name.s, n ? ";" : "");
		}
		fprintf(out, " %" PRIu64 "\n", f->nodes[i].self);
	}
	strbuf_free(&name);
}

static void json_node(const struct flame *f, uint32_t node, struct json *j, struct strbuf *name)
{
	const struct profile *p = f->profile;
	uint32_t object;

	json_open(j, NULL, '{');
	json_u64(j, "node", node);
	if (node) {
		object = p->stacks->funcs[f->tree.nodes[node].func].object;
		flame_name(f, node, name);
		json_u64(j, "parent", f->tree.nodes[node].parent);
		json_string(j, "symbol", name->s);
		json_string(j, "dso", object_name(&p->session->objects, object));
	}
	json_u64(j, "weight", f->nodes[node].weight);
	json_u64(j, "self", f->nodes[node].self);
	json_close(j, '}');
}

void flame_json(const struct flame *f, FILE *out)
{
	struct json j = { .out = out };
	struct strbuf name = { 0 };

	json_open(&j, NULL, '{');
	json_string(&j, "event", strtab_get(&f->profile->session->names, f->event));
	json_u64(&j, "samples", f->samples);
	json_u64(&j, "weight", f->total);
	/* a tree in the form of the chains would be deeper than many readers go */
	json_open(&j, "nodes", '[');
	for (uint32_t i = 0; i < f->tree.n; i++)
		if (f->nodes[i].weight)
			json_node(f, i, &j, &name);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
	strbuf_free(&name);
}
