// SPDX-License-Identifier: GPL-2.0
/* Annotates a function, instruction by instruction. See annotate.h. */
#include "annotate.h"
#include "code.h"
#include "source_text.h"
#include "base/text.h"
#include "session/lines.h"

#include <inttypes.h>
#include <stdlib.h>

/* Samples of a place. */
struct hit {
	uint64_t at;
	uint64_t weight;
};

/* A source file, split into lines when it is first needed. */
struct source {
	char *path;
	char *text;
	char **lines;
	size_t n, cap;
};

struct work {
	struct annotation *a;
	struct profile *p;
	uint64_t start;
	struct hit *hits;
	size_t n_hits, cap_hits;
	size_t next_hit;
	struct source *sources;
	size_t n_sources, cap_sources;
	char last_file[512];
	int last_line;
};

static int by_place(const void *va, const void *vb)
{
	const struct hit *a = va, *b = vb;

	return a->at < b->at ? -1 : a->at > b->at;
}

/* Gathers samples that have their innermost frame in the function, and their range. */
static void gather(struct work *w, uint32_t func, uint32_t event)
{
	for (size_t i = 0; i < w->p->n_cells; i++) {
		const struct cell *c = &w->p->cells[i];

		if ((event != UINT32_MAX && c->key.event != event) || c->key.frame == FRAME_NONE ||
		    stacks_frame_func(w->p->stacks, c->key.frame) != func)
			continue;
		w->a->weight += c->weight;
		w->a->samples += c->samples;
		*ARRAY_PUSH(w->hits, w->n_hits, w->cap_hits) = (struct hit){
			.at = w->p->stacks->frames[c->key.frame].at, .weight = c->weight
		};
	}
	if (w->n_hits)
		qsort(w->hits, w->n_hits, sizeof(*w->hits), by_place);
}

static struct source *source_get(struct work *w, const char *path)
{
	struct source *s;
	char *p;

	for (size_t i = 0; i < w->n_sources; i++)
		if (!strcmp(w->sources[i].path, path))
			return &w->sources[i];
	s = ARRAY_PUSH(w->sources, w->n_sources, w->cap_sources);
	s->path = xstrdup(path);
	s->text = source_text(&w->p->session->objects, w->a->object, path);
	for (p = s->text; p && *p;) {
		char *end = p + strcspn(p, "\n");

		*ARRAY_PUSH(s->lines, s->n, s->cap) = p;
		p = *end ? end + 1 : end;
		*end = 0;
	}
	return s;
}

static struct annotate_line *add_line(struct work *w, uint64_t at, const char *text, bool source)
{
	struct annotate_line *l = ARRAY_PUSH(w->a->lines, w->a->n, w->a->cap);
	struct strbuf b = { 0 };

	text_name(&b, text);
	l->at = at;
	l->text = b.s;
	l->is_source = source;
	return l;
}

/* Adds the source line of the next instruction if it differs from the last one. */
static void add_source(struct work *w, uint64_t at)
{
	const struct source *s;
	struct line_at where;
	struct strbuf b = { 0 };

	if (!lines_find(&w->p->session->objects, w->a->object, at, &where) ||
	    (where.line == w->last_line && !strcmp(where.file, w->last_file)))
		return;
	snprintf(w->last_file, sizeof(w->last_file), "%s", where.file);
	w->last_line = where.line;
	s = source_get(w, where.file);
	strbuf_addf(&b, "%s:%d", where.base, where.line);
	if (where.line > 0 && (size_t)where.line <= s->n) {
		strbuf_puts(&b, "  ");
		/* escaping would show tabs as control bytes */
		for (const char *c = s->lines[where.line - 1]; *c; c++)
			*c == '\t' ? strbuf_puts(&b, "    ") : strbuf_putc(&b, *c);
	}
	add_line(w, at, b.s, true);
	strbuf_free(&b);
}

/* Adds the function that a call or jump leads to, if it is another one. */
static void add_target(struct work *w, struct strbuf *b, int64_t target)
{
	struct pev_syms *syms = w->p->session->objects.syms;
	uint64_t at = w->start + (uint64_t)target;
	struct pev_sym sym;

	if (target == ANNOTATE_NO_TARGET ||
	    pev_sym_find(syms, (int)w->a->object, at, &sym) < 1 || sym.start == w->start)
		return;
	strbuf_addf(b, " <%s", pev_sym_name(syms, sym.object, sym.index));
	if (at != sym.start)
		strbuf_addf(b, "+0x%" PRIx64, at - sym.start);
	strbuf_putc(b, '>');
}

static void add_instruction(void *arg, uint64_t offset, unsigned int size, const char *text,
			    int64_t target)
{
	struct work *w = arg;
	uint64_t at = w->start + offset, weight = 0;
	struct strbuf b = { 0 };

	while (w->next_hit < w->n_hits && w->hits[w->next_hit].at < at + size)
		weight += w->hits[w->next_hit++].weight;
	add_source(w, at);
	strbuf_puts(&b, text);
	add_target(w, &b, target);
	add_line(w, at, b.s, false)->weight = weight;
	strbuf_free(&b);
}

/* Without instructions, adds the places with samples. */
static void add_places(struct work *w)
{
	for (size_t i = 0; i < w->n_hits;) {
		uint64_t at = w->hits[i].at, weight = 0;

		for (; i < w->n_hits && w->hits[i].at == at; i++)
			weight += w->hits[i].weight;
		add_source(w, at);
		add_line(w, at, "", false)->weight = weight;
	}
}

/* A source line has the weight of its instructions. */
static void sum_sources(struct annotation *a)
{
	uint64_t sum = 0;

	for (size_t i = a->n; i-- > 0;) {
		if (a->lines[i].is_source) {
			a->lines[i].weight = sum;
			sum = 0;
		} else {
			sum += a->lines[i].weight;
		}
	}
}

static void find_bounds(struct work *w, const struct func *f, uint64_t *size)
{
	uint64_t first = w->n_hits ? w->hits[0].at : f->at;
	struct pev_sym sym;

	w->start = first;
	if (pev_sym_find(w->p->session->objects.syms, (int)w->a->object, first, &sym) < 0)
		return;
	w->start = sym.start;
	if (sym.size)
		*size = sym.size;
	else if (w->n_hits) /* up to a little behind the last sample */
		*size = w->hits[w->n_hits - 1].at - sym.start + 16;
}

void annotate_make(struct annotation *a, struct profile *p, uint32_t func, uint32_t event)
{
	struct work w = { .a = a, .p = p };
	const struct func *f = &p->stacks->funcs[func];
	struct strbuf name = { 0 };
	struct annotate_code code;
	uint64_t size = 0;

	*a = (struct annotation){ .object = f->object };
	stacks_func_name(p->stacks, func, &name);
	a->name = name.s;
	gather(&w, func, event);
	find_bounds(&w, f, &size);
	if (!annotate_read(&code, &p->session->objects, f->object, w.start, size, &a->note) ||
	    !annotate_decode(&code, add_instruction, &w, &a->note))
		add_places(&w);
	free(code.bytes);
	sum_sources(a);
	for (size_t i = 0; i < w.n_sources; i++) {
		free(w.sources[i].path);
		free(w.sources[i].text);
		free(w.sources[i].lines);
	}
	free(w.sources);
	free(w.hits);
}

void annotate_free(struct annotation *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->lines[i].text);
	free(a->lines);
	free(a->name);
	free(a->note);
	*a = (struct annotation){ 0 };
}
