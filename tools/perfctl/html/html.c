// SPDX-License-Identifier: GPL-2.0
/*
 * perfctl report --html: writes the page. The build embeds its style and scripts,
 * separate files in html/, in the program; this file makes its data.
 *
 * The page stays small however large the recording is: only the heaviest nodes of
 * the call tree are kept, and the lighter callees of a node are merged into one;
 * spans of time are as short as the number of entries allows.
 */
#include "html.h"
#include "labels.h"
#include "tracks.h"
#include "base/output.h"
#include "base/text.h"
#include "profile/heavy_tree.h"
#include "waits/wall.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define NODES_MOST   60000
#define ENTRIES_MOST 120000
/* columns that samples must have been loaded with */
#define HTML_MASK    (1u << SORT_COMM | 1u << SORT_PID | 1u << SORT_TID | 1u << SORT_TIME)
/* a recording is cut into this many time ranges, so that parts of it can be shown */
#define HTML_SPANS   240

#define PART(name, file)                                                              \
	__asm__(".pushsection .rodata\n"                                             \
		".global html_" #name "\n.global html_" #name "_end\n"               \
		"html_" #name ":\n.incbin \"" HTML_DIR file "\"\n"                   \
		"html_" #name "_end:\n.popsection\n");                                \
	extern const char html_##name[], html_##name##_end[]

PART(head, "head.html");
PART(style, "style.css");
PART(body, "body.html");
PART(data_js, "data.js");
PART(timeline_js, "timeline.js");
PART(fleet_js, "fleet.js");
PART(flame_js, "flame.js");
PART(tree_js, "tree.js");
PART(main_js, "main.js");

#define EMIT(out, name) fwrite(html_##name, 1, (size_t)(html_##name##_end - html_##name), out)

/* Sorted by these members, entries take few bytes. */
struct entry {
	uint32_t event;
	uint32_t node;
	uint32_t thread;
	uint32_t span;
	uint32_t host;
	uint32_t service;
	uint64_t weight;
	uint64_t samples;
};

struct page {
	const struct load *l;
	const struct profile *p;
	struct html_enc enc;
	struct heavy_tree tree;
	struct html_threads threads;
	struct entry *entries;
	size_t n;
	struct html_labels hosts;
	struct html_labels services;
	bool fleet;
	unsigned int spans_joined;
	uint32_t first_ns; /* weights of events from this one on are ns */
};

static int by_place(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->span != b->span)
		return a->span < b->span ? -1 : 1;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return a->service < b->service ? -1 : a->service > b->service;
}

/* Merges entries that differ in nothing but their weight. */
static void squeeze(struct page *g)
{
	size_t kept = 0;

	if (g->n)
		qsort(g->entries, g->n, sizeof(*g->entries), by_place);
	for (size_t i = 0; i < g->n; i++) {
		struct entry *last = kept ? &g->entries[kept - 1] : NULL;

		if (last && !by_place(last, &g->entries[i])) {
			last->weight += g->entries[i].weight;
			last->samples += g->entries[i].samples;
		} else {
			g->entries[kept++] = g->entries[i];
		}
	}
	g->n = kept;
}

static void make_entries(struct page *g)
{
	g->n = g->p->n_cells;
	g->entries = xcalloc(g->n, sizeof(*g->entries));
	for (size_t i = 0; i < g->n; i++) {
		const struct cell *c = &g->p->cells[i];

		g->entries[i] = (struct entry){
			.event = c->key.event,
			.node = g->tree.leaf[i],
			.thread = html_thread(&g->threads, c->key.comm, c->key.pid, c->key.tid),
			.span = c->key.time,
			.weight = c->weight,
			.samples = c->samples,
		};
		if (!g->fleet)
			continue;
		g->entries[i].host = html_label(&g->hosts, g->p, c->key.value[0]);
		g->entries[i].service = html_label(&g->services, g->p, c->key.value[1]);
	}
	squeeze(g);
	g->spans_joined = 1;
	while (g->n > ENTRIES_MOST && g->spans_joined < 2 * HTML_SPANS) {
		g->spans_joined *= 2;
		for (size_t i = 0; i < g->n; i++)
			g->entries[i].span /= 2;
		squeeze(g);
	}
}

static void put_info(const struct page *g, struct strbuf *out)
{
	static const char *const keys[] = { "command", "hostname", "release", "machine", "tool" };
	const struct pev_trace *t = g->l->session->trace;
	int64_t begin = pev_trace_begin_ns(t);
	time_t seconds = (time_t)(begin / 1000000000);
	struct strbuf safe = { 0 };
	char when[64] = "?";
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &tm);
	strbuf_puts(out, "\"info\": {");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *v = pev_trace_info(t, keys[i]);

		strbuf_reset(&safe);
		text_name(&safe, v ? v : "");
		strbuf_addf(out, "\"%s\": ", keys[i]);
		html_put_text(out, safe.s);
		strbuf_puts(out, ", ");
	}
	strbuf_addf(out, "\"when\": \"%s\", \"duration\": %" PRId64 ", \"lost\": %" PRIu64
		    ", \"damaged\": %" PRIu64 ", \"rest\": %.1f},\n", when,
		    pev_trace_end_ns(t) - begin, pev_trace_lost(t), pev_trace_damaged(t),
		    g->tree.events ? 100 * g->tree.rest / g->tree.events : 0);
	strbuf_free(&safe);
}

static void put_events(struct page *g, struct strbuf *out)
{
	struct strbuf bytes = { 0 }, safe = { 0 };
	size_t i = 0;

	strbuf_puts(out, "\"events\": [");
	while (i < g->n) {
		uint32_t event = g->entries[i].event, node = 0;
		uint64_t weight = 0, samples = 0;

		strbuf_reset(&bytes);
		for (; i < g->n && g->entries[i].event == event; i++) {
			const struct entry *e = &g->entries[i];

			html_varint(&bytes, e->node - node);
			html_varint(&bytes, e->thread);
			html_varint(&bytes, e->span);
			if (g->fleet) {
				html_varint(&bytes, e->host);
				html_varint(&bytes, e->service);
			}
			html_varint(&bytes, e->weight);
			html_varint(&bytes, e->samples);
			node = e->node;
			weight += e->weight;
			samples += e->samples;
		}
		strbuf_reset(&safe);
		text_name(&safe, strtab_get(&g->l->session->names, event));
		strbuf_puts(out, "{\"name\": ");
		html_put_text(out, safe.s);
		strbuf_addf(out,
			    ", \"weight\": %" PRIu64 ", \"samples\": %" PRIu64 ", \"ns\": %s, ",
			    weight, samples, event >= g->first_ns ? "true" : "false");
		html_put_bytes(out, "entries", &bytes);
		strbuf_addf(out, "\"end\": 0}%s\n", i < g->n ? "," : "");
	}
	strbuf_puts(out, "],\n");
	strbuf_free(&bytes);
	strbuf_free(&safe);
}

static void put_func(struct page *g, uint32_t func, struct strbuf *out)
{
	const char *object = "calls that are too rare to be shown";
	unsigned int kind = OBJECT_UNKNOWN;
	struct strbuf name = { 0 };

	if (func == HEAVY_REST) {
		strbuf_puts(&name, "(rest)");
	} else {
		const struct func *f = &g->p->stacks->funcs[func];

		stacks_func_name(g->p->stacks, func, &name);
		object = object_name(&g->p->session->objects, f->object);
		kind = g->p->session->objects.o[f->object].kind;
	}
	html_varint(out, html_string(&g->enc, name.s));
	html_varint(out, html_string(&g->enc, object));
	html_varint(out, kind);
	strbuf_free(&name);
}

/* Functions are numbered as nodes come to need them. */
static void put_nodes(struct page *g, struct strbuf *out)
{
	uint32_t *number = xcalloc(g->p->stacks->n_funcs + 1, sizeof(*number)), n = 0;
	struct strbuf nodes = { 0 }, funcs = { 0 };

	for (uint32_t i = 1; i < g->tree.n; i++) {
		const struct heavy_node *node = &g->tree.nodes[i];
		uint32_t *func =
			&number[node->func == HEAVY_REST ? g->p->stacks->n_funcs : node->func];

		if (!*func) {
			put_func(g, node->func, &funcs);
			*func = ++n;
		}
		html_varint(&nodes, i - node->parent);
		html_varint(&nodes, *func - 1);
	}
	html_put_bytes(out, "nodes", &nodes);
	html_put_bytes(out, "funcs", &funcs);
	strbuf_free(&nodes);
	strbuf_free(&funcs);
	free(number);
}

static void put_threads(struct page *g, struct strbuf *out)
{
	struct strbuf bytes = { 0 }, name = { 0 };

	for (size_t i = 0; i < g->threads.n; i++) {
		const struct html_thread *t = &g->threads.t[i];

		strbuf_reset(&name);
		text_name(&name, machine_comm_name(&g->p->session->machine, t->comm));
		html_varint(&bytes, html_string(&g->enc, name.s));
		html_varint(&bytes, t->pid);
		html_varint(&bytes, t->tid);
	}
	html_put_bytes(out, "threads", &bytes);
	strbuf_free(&bytes);
	strbuf_free(&name);
}

static void put_strings(struct page *g, struct strbuf *out)
{
	strbuf_puts(out, "\"strings\": [");
	for (size_t i = 0; i < g->enc.strings.n; i++) {
		if (i)
			strbuf_puts(out, ",\n");
		html_put_text(out, g->enc.strings.s[i]);
	}
	strbuf_puts(out, "]");
}

static void put_fleet(struct page *g, struct strbuf *out)
{
	const char *bounds = pev_trace_info(g->l->session->trace, "fleet_bounds");
	struct strbuf safe = { 0 };

	text_name(&safe, bounds ? bounds : "");
	strbuf_addf(out, "\"fleet\": {\"begin\": %" PRId64 ", \"bounds\": ",
		    pev_trace_begin_ns(g->l->session->trace) / 1000000);
	html_put_text(out, safe.s ? safe.s : "");
	strbuf_puts(out, ",\n");
	html_put_labels(out, &g->enc, &g->hosts, g->p, "hosts");
	html_put_labels(out, &g->enc, &g->services, g->p, "services");
	strbuf_puts(out, "\"end\": 0},\n");
	strbuf_free(&safe);
}

static int put_data(struct page *g, struct strbuf *out, struct msg *m)
{
	int err;

	strbuf_puts(out, "{");
	put_info(g, out);
	if (g->fleet)
		put_fleet(g, out);
	strbuf_addf(out, "\"span\": %" PRIu64 ",\n", g->l->config.quantum * g->spans_joined);
	put_events(g, out);
	put_nodes(g, out);
	err = html_put_tracks(out, &g->enc, &g->threads, g->l, m);
	put_threads(g, out);
	put_strings(g, out);
	strbuf_puts(out, "}");
	return err;
}

static void put_page(const struct strbuf *data, FILE *out)
{
	EMIT(out, head);
	fputs("<style>\n", out);
	EMIT(out, style);
	fputs("</style>\n</head>\n", out);
	EMIT(out, body);
	fputs("<script id=\"data\" type=\"application/json\">", out);
	fwrite(data->s, 1, data->len, out);
	fputs("</script>\n<script>\n(function () {\n\"use strict\";\n", out);
	EMIT(out, data_js);
	EMIT(out, timeline_js);
	EMIT(out, fleet_js);
	EMIT(out, flame_js);
	EMIT(out, tree_js);
	EMIT(out, main_js);
	fputs("})();\n</script>\n</body>\n</html>\n", out);
}

void html_load_config(const struct session *s, struct load_config *c)
{
	uint64_t all = (uint64_t)(pev_trace_end_ns(s->trace) - pev_trace_begin_ns(s->trace)), step;

	c->mask = HTML_MASK;
	c->chains = true;
	c->quantum = all / HTML_SPANS + 1;
	if (!html_fleet(s, &step))
		return;
	c->quantum = step * 1000000000;
	c->mask |= 1u << SORT_FIELD | 1u << (SORT_FIELD + 1);
	c->fields[0] = "host";
	c->fields[1] = "service";
}

int html_write(struct load *l, bool waits, const char *path, struct msg *m)
{
	struct page g = { .l = l, .p = &l->profile, .first_ns = UINT32_MAX };
	struct strbuf data = { 0 };
	struct out out;
	int err = waits ? wall_add_events(l, &g.first_ns, m) : 0;
	uint64_t step;

	if (err)
		return err;
	g.fleet = html_fleet(l->session, &step);
	heavy_tree_make(&g.tree, g.p, (uint32_t)l->session->names.n, NODES_MOST);
	make_entries(&g);
	err = put_data(&g, &data, m);
	if (!err)
		err = out_open(&out, path, OUT_WHOLE, m);
	if (!err) {
		put_page(&data, out.f);
		err = out_close(&out, 0, m);
	}
	strbuf_free(&data);
	free(g.entries);
	free(g.threads.t);
	html_labels_free(&g.hosts);
	html_labels_free(&g.services);
	htab_free(&g.threads.h);
	strtab_free(&g.enc.strings);
	heavy_tree_free(&g.tree);
	return err;
}
