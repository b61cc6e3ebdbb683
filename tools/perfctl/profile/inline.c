// SPDX-License-Identifier: GPL-2.0
/* Functions that were inlined become frames of their own. See profile.h. */
#include "inline.h"
#include "profile.h"
#include "cli/term.h"

#include <stdlib.h>

#define DEPTH_MAX 64

/**
 * struct expansion - the frames that were made for one, innermost first
 */
struct expansion {
	uint32_t first;
	uint32_t n;
};

static uint32_t line_text(struct stacks *s, const struct pev_sym_line *l)
{
	const char *slash = l->file ? strrchr(l->file, '/') : NULL;
	char text[512];

	if (!l->file)
		return 0;
	snprintf(text, sizeof(text), "%s:%u", slash ? slash + 1 : l->file, l->line);
	return strtab_id(&s->line_texts, text) + 1;
}

static void add_frame(struct stacks *s, const struct frame *outer, const struct pev_sym_line *l)
{
	struct frame *f = ARRAY_PUSH(s->frames, s->n_frames, s->cap_frames);
	struct func func = { .object = outer->object };

	func.symbol = SYM_INLINED + strtab_id(&s->inlined, l->function ? l->function : "[inlined]");
	f->object = outer->object;
	f->at = outer->at;
	f->func = stacks_func(s, &func);
}

static struct expansion expand(struct stacks *s, uint32_t frame)
{
	struct pev_sym_line l[DEPTH_MAX];
	struct frame outer = s->frames[frame];
	struct expansion e = { .first = (uint32_t)s->n_frames };
	int n = pev_sym_lines(s->objects->syms, (int)outer.object, outer.at, l, DEPTH_MAX);

	if (n < 2)
		return e;
	e.n = (uint32_t)n - 1;
	for (int i = 0; i < n - 1; i++)
		add_frame(s, &outer, &l[i]);
	stacks_frame_line(s, frame); /* makes room */
	for (int i = 0; i < n - 1; i++)
		s->frame_lines[e.first + (uint32_t)i] = line_text(s, &l[i]);
	s->frame_lines[frame] = line_text(s, &l[n - 1]);
	return e;
}

/* Rewrites all chains with the frames that were added. */
static void rewrite_chains(struct stacks *s, const struct expansion *of)
{
	uint32_t *old = s->chain_frames;

	s->chain_frames = NULL;
	s->n_chain_frames = s->cap_chain_frames = 0;
	for (size_t i = 0; i < s->n_chains; i++) {
		struct chain *c = &s->chains[i];
		size_t first = s->n_chain_frames;

		for (uint32_t k = 0; k < c->n; k++) {
			uint32_t frame = old[c->first + k];

			for (uint32_t x = 0; x < of[frame].n; x++)
				*ARRAY_PUSH(s->chain_frames, s->n_chain_frames,
					    s->cap_chain_frames) = of[frame].first + x;
			*ARRAY_PUSH(s->chain_frames, s->n_chain_frames,
				    s->cap_chain_frames) = frame;
		}
		c->first = (uint32_t)first;
		c->n = (uint32_t)(s->n_chain_frames - first);
	}
	free(old);
	htab_clear(&s->h_chains);
}

void profile_inline(struct profile *p)
{
	struct stacks *s = p->stacks;
	size_t n = s->n_frames;
	struct expansion *of = xcalloc(n, sizeof(*of));

	for (uint32_t i = 0; i < n; i++) {
		of[i] = expand(s, i);
		term_progress("looking for inlined functions", i, n);
	}
	term_progress_end();
	s->n_resolved = s->n_frames;
	rewrite_chains(s, of);
	for (size_t i = 0; i < p->n_cells; i++) {
		struct cell_key *key = &p->cells[i].key;

		if (of[key->frame].n)
			key->frame = of[key->frame].first;
	}
	htab_clear(&p->h_cells);
	free(of);
}
