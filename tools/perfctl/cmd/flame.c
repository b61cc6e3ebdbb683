// SPDX-License-Identifier: GPL-2.0
/* perfctl flame: a flame graph as one SVG file, without any script. */
#include "commands.h"
#include "base/output.h"
#include "base/say.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/term.h"
#include "profile/heavy_tree.h"
#include "profile/inline.h"
#include "profile/load.h"
#include "report/out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define ROW	   18
#define PAD	   10
#define TOP	   46
#define LETTER	   7.2
#define TITLE_LETTER 9.5 /* of the title, on average */
#define DEPTH_MOST 250

struct flame_opts {
	const char *input;
	const char *output;
	const char *event;
	const char *time;
	const char *title;
	const char *comm;
	uint64_t width;
	double least;
	bool icicle;
	bool inlined;
	bool folded;
};

/* Children of a node, in the order in which they are drawn. */
struct flame_node {
	uint32_t child;
	uint32_t next;
	uint64_t weight;
	uint64_t self;
};

struct flame_run {
	struct flame_opts opts;
	struct session session;
	struct load load;
	uint32_t event;
	struct heavy_tree tree;
	struct flame_node *nodes;
	uint64_t total;
	uint64_t samples;
	unsigned int depth;
	FILE *out;
};

static const struct opt flame_options[] = {
	{ 0, OPT_HEADING, .help = "Which recording" },
	{ 'i', OPT_STRING, "input", "DIR", "the trace (default: pev.trace)",
	  offsetof(struct flame_opts, input) },
	{ 0, OPT_HEADING, .help = "Which samples (names may be globs, several by commas)" },
	{ 'e', OPT_STRING, "event", "EVENT", "of these events the first that has samples",
	  offsetof(struct flame_opts, event) },
	{ 0, OPT_STRING, "comm", "NAME", "only these programs", offsetof(struct flame_opts, comm) },
	{ 0, OPT_STRING, "time", "FROM,TO", "seconds since the trace's begin; either may be "
	  "missing", offsetof(struct flame_opts, time) },
	{ 0, OPT_HEADING, .help = "Output" },
	{ 'o', OPT_STRING, "output", "FILE", "\"-\": the standard output (default: flame.svg)",
	  offsetof(struct flame_opts, output) },
	{ 0, OPT_STRING, "title", "TEXT", "above the picture (default: the command)",
	  offsetof(struct flame_opts, title) },
	{ 0, OPT_U64, "width", "PIXELS", "(default: 1200)", offsetof(struct flame_opts, width) },
	{ 0, OPT_DOUBLE, "least", "PIXELS", "what would be narrower is left out (default: 0.3)",
	  offsetof(struct flame_opts, least) },
	{ 0, OPT_FLAG, "icicle", NULL, "from the top downwards", offsetof(struct flame_opts, icicle) },
	{ 0, OPT_FLAG, "inline", NULL, "draw what was inlined as functions of their own, by debug "
	  "information", offsetof(struct flame_opts, inlined) },
	{ 0, OPT_FLAG, "folded", NULL, "chains as text, one a line, for other programs",
	  offsetof(struct flame_opts, folded) },
	{ 0 },
};

static void put_xml(FILE *out, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*s, out);
		}
}

static void node_name(struct flame_run *r, uint32_t node, struct strbuf *b)
{
	strbuf_reset(b);
	if (node)
		stacks_func_name(&r->session.stacks, r->tree.nodes[node].func, b);
	else
		strbuf_puts(b, "all");
}

/* Kernel blue, libraries amber, programs green, unknown grey; the shade by the name. */
static void color_of(struct flame_run *r, uint32_t node, const char *name, char buf[32])
{
	const struct profile *p = &r->load.profile;
	const struct object *o = &p->session->objects.o[OBJECT_ID_UNKNOWN];
	unsigned int v = hash_bytes(name, strlen(name)) % 16;
	unsigned int hue = 95 + 2 * v, sat = 62;

	if (node)
		o = &p->session->objects.o[p->stacks->funcs[r->tree.nodes[node].func].object];
	if (!node || o->kind == OBJECT_UNKNOWN)
		sat = 0;
	else if (o->kind == OBJECT_KERNEL || o->kind == OBJECT_MODULE)
		hue = 205 + v;
	else if (strstr(o->name, ".so"))
		hue = 30 + v;
	snprintf(buf, 32, "hsl(%u,%u%%,%u%%)", hue, sat, 70 + v / 2);
}

/* Cuts a text to what fits, less a place for the dots; true if it was too long. */
static bool text_cut(char *s, size_t fits)
{
	size_t n = 0;

	if (text_width(s) <= fits)
		return false;
	for (size_t c = 1; s[n] && c < fits; c++)
		do
			n++;
		while (((unsigned char)s[n] & 0xc0) == 0x80);
	s[n] = 0;
	return true;
}

static void put_box(struct flame_run *r, uint32_t node, double x, double w, unsigned int level)
{
	const struct flame_node *n = &r->nodes[node];
	unsigned int row = r->opts.icicle ? level : r->depth - level;
	struct strbuf name = { 0 };
	char color[32], count[32];
	size_t fits;

	node_name(r, node, &name);
	color_of(r, node, name.s, color);
	fprintf(r->out, "<g><title>");
	put_xml(r->out, name.s);
	if (node) {
		fprintf(r->out, "\n");
		put_xml(r->out,
			object_name(&r->session.objects,
				    r->session.stacks.funcs[r->tree.nodes[node].func].object));
	}
	fprintf(r->out, "\n%.2f %%, %s</title>",
		100.0 * (double)n->weight / (double)r->total, text_count(count, n->weight));
	fprintf(r->out, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", x,
		TOP + row * ROW, w > 0.8 ? w - 0.5 : w, ROW - 1, color);
	fits = (size_t)((w - 6) / LETTER);
	if (w > 30 && fits > 2) {
		bool cut = text_cut(name.s, fits);

		fprintf(r->out, "<text x=\"%.1f\" y=\"%u\">", x + 3, TOP + row * ROW + 13);
		put_xml(r->out, name.s);
		fprintf(r->out, "%s</text>", cut ? "\xe2\x80\xa6" : "");
	}
	fprintf(r->out, "</g>\n");
	strbuf_free(&name);
}

struct box {
	uint32_t node;
	unsigned int level;
	double x;
	double w;
};

/* All boxes that are wide enough; @put false: only how deep they go. */
static void walk(struct flame_run *r, bool put)
{
	double width = (double)r->opts.width - 2 * PAD;
	struct box *todo = NULL, b;
	size_t n = 0, cap = 0;

	*ARRAY_PUSH(todo, n, cap) = (struct box){ .x = PAD, .w = width };
	while (n) {
		double x;

		b = todo[--n];
		if (put)
			put_box(r, b.node, b.x, b.w, b.level);
		else if (b.level > r->depth)
			r->depth = b.level;
		x = b.x;
		for (uint32_t c = r->nodes[b.node].child; c; c = r->nodes[c].next) {
			double w = width * (double)r->nodes[c].weight / (double)r->total;

			if (w >= r->opts.least && b.level < DEPTH_MOST)
				*ARRAY_PUSH(todo, n, cap) = (struct box){ c, b.level + 1, x, w };
			x += w;
		}
	}
	free(todo);
}

static void put_svg(struct flame_run *r)
{
	const char *command = pev_trace_info(r->session.trace, "command");
	unsigned int height;
	struct strbuf b = { 0 };
	size_t fits;
	bool cut;
	char n[32];

	walk(r, false);
	height = TOP + (r->depth + 1) * ROW + PAD;
	fprintf(r->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu64 "\" height=\"%u\" "
		"viewBox=\"0 0 %" PRIu64 " %u\">\n"
		"<style>text{font:12px monospace;fill:#12161c;pointer-events:none}"
		".t{font:600 15px sans-serif}.s{font:12px sans-serif}"
		"rect.bg{fill:#fff}g:hover rect{stroke:#000}"
		"@media (prefers-color-scheme:dark){rect.bg{fill:#14171c}.t,.s{fill:#e8eaee}"
		"g:hover rect{stroke:#fff}}</style>\n"
		"<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n",
		r->opts.width, height, r->opts.width, height);
	text_name(&b, r->opts.title ? r->opts.title : command ? command : "perfctl");
	fits = (size_t)((double)r->opts.width / TITLE_LETTER);
	cut = text_cut(b.s, fits);
	fprintf(r->out, "<text class=\"t\" x=\"%d\" y=\"20\">", PAD);
	put_xml(r->out, b.s);
	fputs(cut ? "\xe2\x80\xa6" : "", r->out);
	strbuf_reset(&b);
	text_name(&b, strtab_get(&r->session.names, r->event));
	fprintf(r->out, "</text>\n<text class=\"s\" x=\"%d\" y=\"37\">", PAD);
	put_xml(r->out, b.s);
	fprintf(r->out, ": %s samples</text>\n", text_count(n, r->samples));
	walk(r, true);
	fprintf(r->out, "</svg>\n");
	strbuf_free(&b);
}

static void put_folded(struct flame_run *r)
{
	struct strbuf name = { 0 };

	for (uint32_t i = 1; i < r->tree.n; i++) {
		uint32_t path[1024], n = 0;

		if (!r->nodes[i].self)
			continue;
		for (uint32_t at = i; at && n < ARRAY_SIZE(path); at = r->tree.nodes[at].parent)
			path[n++] = at;
		while (n--) {
			node_name(r, path[n], &name);
			/* what separates must not be in a name */
			for (char *c = name.s; *c; c++)
				if (*c == ';')
					*c = ':';
			fprintf(r->out, "%s%s", name.s, n ? ";" : "");
		}
		fprintf(r->out, " %" PRIu64 "\n", r->nodes[i].self);
	}
	strbuf_free(&name);
}

static int by_weight(const void *va, const void *vb, void *arg)
{
	struct flame_run *r = arg;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	if (r->nodes[a].weight != r->nodes[b].weight)
		return r->nodes[a].weight < r->nodes[b].weight ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* Weights of the chosen event, summed up towards the root; children heaviest first. */
static void sum_up(struct flame_run *r)
{
	const struct profile *p = &r->load.profile;
	uint32_t *order = xcalloc(r->tree.n, sizeof(*order));

	r->nodes = xcalloc(r->tree.n, sizeof(*r->nodes));
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct cell *c = &p->cells[i];

		if (c->key.event != r->event ||
		    (r->opts.comm &&
		     !globs_match(r->opts.comm,
				  machine_comm_name(&p->session->machine, c->key.comm))))
			continue;
		r->nodes[r->tree.leaf[i]].self += c->weight;
		r->samples += c->samples;
	}
	for (size_t i = 0; i < r->tree.n; i++) {
		r->nodes[i].weight = r->nodes[i].self;
		order[i] = (uint32_t)i;
	}
	for (size_t i = r->tree.n - 1; i > 0; i--)
		r->nodes[r->tree.nodes[i].parent].weight += r->nodes[i].weight;
	qsort_r(order, r->tree.n, sizeof(*order), by_weight, r);
	for (size_t i = r->tree.n; i-- > 0;) {
		uint32_t n = order[i], parent = r->tree.nodes[n].parent;

		if (!n || !r->nodes[n].weight)
			continue;
		r->nodes[n].next = r->nodes[parent].child;
		r->nodes[parent].child = n;
	}
	r->total = r->nodes[0].weight;
	free(order);
}

static int write_out(struct flame_run *r, struct msg *m)
{
	const char *path = r->opts.output ? r->opts.output : r->opts.folded ? "-" : "flame.svg";
	struct out out;
	int err;

	heavy_tree_make(&r->tree, &r->load.profile, (uint32_t)r->session.names.n, SIZE_MAX);
	sum_up(r);
	if (!r->total)
		return msg_set(m, -ENOENT, "no samples match");
	err = out_open(&out, path, OUT_WHOLE, m);
	if (err)
		return err;
	r->out = out.f;
	if (r->opts.folded)
		put_folded(r);
	else
		put_svg(r);
	return out_close(&out, 0, m);
}

static int flame(struct flame_run *r, struct msg *m)
{
	struct load_config config = { .event = r->opts.event, .chains = true,
				      .mask = r->opts.comm ? 1u << SORT_COMM : 0 };
	int err = load_parse_time(r->opts.time, pev_trace_begin_ns(r->session.trace), &config.from,
				  &config.to, m);

	if (err)
		return err;
	load_init(&r->load, &r->session, &config);
	r->load.progress = term_progress;
	r->load.arg = "reading";
	err = load_run(&r->load, m);
	term_progress_end();
	if (err)
		return err;
	stacks_resolve(&r->session.stacks);
	if (r->opts.inlined)
		profile_inline(&r->load.profile);
	while (r->event < r->session.names.n && !report_has_event(&r->load.profile, r->event))
		r->event++;
	if (r->event == r->session.names.n)
		return msg_set(m, -ENOENT, "no samples%s in %s",
			       r->opts.event || r->opts.time ? " that match" : "",
			       pev_trace_path(r->session.trace));
	if (!r->load.chains)
		note("the recording has no call chains (record -g): the graph is flat");
	return write_out(r, m);
}

static int flame_run(const void *opts, int n, char **args, struct msg *m)
{
	struct flame_run r = { .opts = *(const struct flame_opts *)opts };
	int err;

	if (command_trace_twice(n, args, r.opts.input, m))
		return -EINVAL;
	if (r.opts.width < 200 || r.opts.width > 20000)
		return msg_set(m, -EINVAL, "--width takes 200 to 20000 pixels");
	err = session_open(&r.session, n ? args[0] : r.opts.input, m);
	if (!err)
		err = flame(&r, m);
	fflush(stdout);
	if (r.session.trace && !err)
		session_note_damage(&r.session);
	heavy_tree_free(&r.tree);
	free(r.nodes);
	load_free(&r.load);
	session_close(&r.session);
	/* what was asked for is not in the recording: no mistake in the command line */
	return err == -ENOENT ? -ENODATA : err;
}

const struct command command_flame = {
	.name = "flame",
	.operands = "[DIR]",
	.summary = "draw a flame graph as SVG",
	.about = "Writes a picture of all call chains: the wider a function, the more samples; above "
		 "it stands what it called. Any browser shows it; pointing at a function gives its "
		 "name and share. For a page to search and zoom in, see \"perfctl report --html\".",
	.examples = "  perfctl flame -o hot.svg\n"
		    "  perfctl flame --comm sqlite3 --icicle\n"
		    "  perfctl flame --folded | head\n",
	.opts = flame_options,
	.opts_size = sizeof(struct flame_opts),
	.defaults = &(const struct flame_opts){ .width = 1200, .least = 0.3 },
	.run = flame_run,
};
