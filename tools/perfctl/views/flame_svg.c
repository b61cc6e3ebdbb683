// SPDX-License-Identifier: GPL-2.0
/* Boxes and their names. See flame_svg.h. */
#include "flame_svg.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROW 18
#define PAD 10
#define TOP 46
/* Average widths of a letter in a box and in the title */
#define LETTER 7.2
#define TITLE_LETTER 9.5
#define DEPTH_MOST 250

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

/**
 * struct picture - what is drawn
 * @depth: of the deepest box
 */
struct picture {
	const struct flame *f;
	const struct flame_style *style;
	FILE *out;
	unsigned int depth;
};

/* Kernel blue, libraries amber, programs green, unknown grey; the shade by the name. */
static void color_of(const struct flame *f, uint32_t node, const char *name, char buf[32])
{
	const struct profile *p = f->profile;
	const struct object *o = &p->session->objects.o[OBJECT_ID_UNKNOWN];
	unsigned int v = hash_bytes(name, strlen(name)) % 16;
	unsigned int hue = 95 + 2 * v, sat = 62;

	if (node)
		o = &p->session->objects.o[p->stacks->funcs[f->tree.nodes[node].func].object];
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

static void put_box(struct picture *p, uint32_t node, double x, double w, unsigned int level)
{
	const struct flame *f = p->f;
	const struct flame_node *n = &f->nodes[node];
	unsigned int row = p->style->icicle ? level : p->depth - level;
	struct strbuf name = { 0 };
	char color[32], count[32];
	size_t fits;

	flame_name(f, node, &name);
	color_of(f, node, name.s, color);
	fprintf(p->out, "<g><title>");
	put_xml(p->out, name.s);
	if (node) {
		fprintf(p->out, "\n");
		put_xml(p->out,
			object_name(&f->profile->session->objects,
				    f->profile->stacks->funcs[f->tree.nodes[node].func].object));
	}
	fprintf(p->out, "\n%.2f %%, %s</title>", 100.0 * (double)n->weight / (double)f->total,
		p->style->waits || p->style->wall ? text_ns(count, n->weight) :
						    text_count(count, n->weight));
	fprintf(p->out, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", x,
		TOP + row * ROW, w > 0.8 ? w - 0.5 : w, ROW - 1, color);
	fits = (size_t)((w - 6) / LETTER);
	if (w > 30 && fits > 2) {
		bool cut = text_cut(name.s, fits);

		fprintf(p->out, "<text x=\"%.1f\" y=\"%u\">", x + 3, TOP + row * ROW + 13);
		put_xml(p->out, name.s);
		fprintf(p->out, "%s</text>", cut ? "\xe2\x80\xa6" : "");
	}
	fprintf(p->out, "</g>\n");
	strbuf_free(&name);
}

struct box {
	uint32_t node;
	unsigned int level;
	double x;
	double w;
};

/* All boxes that are wide enough; @put false: only how deep they go. */
static void walk(struct picture *p, bool put)
{
	double width = (double)p->style->width - 2 * PAD;
	const struct flame *f = p->f;
	struct box *todo = NULL, b;
	size_t n = 0, cap = 0;

	*ARRAY_PUSH(todo, n, cap) = (struct box){ .x = PAD, .w = width };
	while (n) {
		double x;

		b = todo[--n];
		if (put)
			put_box(p, b.node, b.x, b.w, b.level);
		else if (b.level > p->depth)
			p->depth = b.level;
		x = b.x;
		for (uint32_t c = f->nodes[b.node].child; c; c = f->nodes[c].next) {
			double w = width * (double)f->nodes[c].weight / (double)f->total;

			if (w >= p->style->least && b.level < DEPTH_MOST)
				*ARRAY_PUSH(todo, n, cap) = (struct box){ c, b.level + 1, x, w };
			x += w;
		}
	}
	free(todo);
}

static void put_head(const struct picture *p)
{
	unsigned int height = TOP + (p->depth + 1) * ROW + PAD;
	uint64_t width = p->style->width;

	fprintf(p->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu64 "\" height=\"%u\" "
		"viewBox=\"0 0 %" PRIu64 " %u\">\n"
		"<style>text{font:12px monospace;fill:#12161c;pointer-events:none}"
		".t{font:600 15px sans-serif}.s{font:12px sans-serif}"
		"rect.bg{fill:#fff}g:hover rect{stroke:#000}"
		"@media (prefers-color-scheme:dark){rect.bg{fill:#14171c}.t,.s{fill:#e8eaee}"
		"g:hover rect{stroke:#fff}}</style>\n"
		"<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n",
		width, height, width, height);
}

/* The command, cut to the width, and below it the event. */
static void put_title(const struct picture *p)
{
	const struct session *s = p->f->profile->session;
	const char *command = pev_trace_info(s->trace, "command");
	const char *title = p->style->title ? p->style->title : command ? command : "perfctl";
	struct strbuf b = { 0 };
	char n[32], all[32];
	bool cut;

	text_name(&b, title);
	cut = text_cut(b.s, (size_t)((double)p->style->width / TITLE_LETTER));
	fprintf(p->out, "<text class=\"t\" x=\"%d\" y=\"20\">", PAD);
	put_xml(p->out, b.s);
	fputs(cut ? "\xe2\x80\xa6" : "", p->out);
	strbuf_reset(&b);
	text_name(&b, strtab_get(&s->names, p->f->event));
	fprintf(p->out, "</text>\n<text class=\"s\" x=\"%d\" y=\"37\">", PAD);
	put_xml(p->out, b.s);
	if (p->style->wall)
		fprintf(p->out, " and waits: %s of threads' time</text>\n",
			text_ns(all, p->f->total));
	else if (p->style->waits)
		fprintf(p->out, ": %s wait%s, %s in all</text>\n", text_count(n, p->f->samples),
			text_s(p->f->samples), text_ns(all, p->f->total));
	else
		fprintf(p->out, ": %s sample%s</text>\n", text_count(n, p->f->samples),
			text_s(p->f->samples));
	strbuf_free(&b);
}

void flame_svg(const struct flame *f, const struct flame_style *style, FILE *out)
{
	struct picture p = { .f = f, .style = style, .out = out };

	walk(&p, false);
	put_head(&p);
	put_title(&p);
	walk(&p, true);
	fprintf(out, "</svg>\n");
}
