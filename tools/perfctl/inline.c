// SPDX-License-Identifier: GPL-2.0
/* Functions that were inlined become frames of their own. See profile.h. */
#include "profile.h"

#include <stdlib.h>

#define DEPTH_MAX 64

/**
 * struct expansion - the frames that were made for one, innermost first
 */
struct expansion {
	uint32_t first;
	uint32_t n;
};

static uint32_t line_text(struct profile *p, const struct pev_sym_line *l)
{
	const char *slash = l->file ? strrchr(l->file, '/') : NULL;
	char text[512];

	if (!l->file)
		return 0;
	snprintf(text, sizeof(text), "%s:%u", slash ? slash + 1 : l->file, l->line);
	return strtab_id(&p->line_texts, text) + 1;
}

static void add_frame(struct profile *p, const struct frame *outer, const struct pev_sym_line *l)
{
	struct frame *f = ARRAY_PUSH(p->frames, p->n_frames, p->cap_frames);
	struct func func = { .object = outer->object };

	func.symbol = SYM_INLINED + strtab_id(&p->inlined, l->function ? l->function : "[inlined]");
	f->object = outer->object;
	f->at = outer->at;
	f->func = profile_func(p, &func);
}

static struct expansion expand(struct profile *p, uint32_t frame)
{
	struct pev_sym_line l[DEPTH_MAX];
	struct frame outer = p->frames[frame];
	struct expansion e = { .first = (uint32_t)p->n_frames };
	int n = pev_sym_lines(p->objects.syms, (int)outer.object, outer.at, l, DEPTH_MAX);

	if (n < 2)
		return e;
	e.n = (uint32_t)n - 1;
	for (int i = 0; i < n - 1; i++)
		add_frame(p, &outer, &l[i]);
	profile_frame_line(p, frame); /* makes room */
	for (int i = 0; i < n - 1; i++)
		p->frame_lines[e.first + (uint32_t)i] = line_text(p, &l[i]);
	p->frame_lines[frame] = line_text(p, &l[n - 1]);
	return e;
}

/* All chains anew, with the frames that came. */
static void rewrite_chains(struct profile *p, const struct expansion *of)
{
	uint32_t *old = p->chain_frames;

	p->chain_frames = NULL;
	p->n_chain_frames = p->cap_chain_frames = 0;
	for (size_t i = 0; i < p->n_chains; i++) {
		struct chain *c = &p->chains[i];
		size_t first = p->n_chain_frames;

		for (uint32_t k = 0; k < c->n; k++) {
			uint32_t frame = old[c->first + k];

			for (uint32_t x = 0; x < of[frame].n; x++)
				*ARRAY_PUSH(p->chain_frames, p->n_chain_frames,
					    p->cap_chain_frames) = of[frame].first + x;
			*ARRAY_PUSH(p->chain_frames, p->n_chain_frames, p->cap_chain_frames) = frame;
		}
		c->first = (uint32_t)first;
		c->n = (uint32_t)(p->n_chain_frames - first);
	}
	free(old);
	htab_clear(&p->h_chains);
}

void profile_inline(struct profile *p)
{
	size_t n = p->n_frames;
	struct expansion *of = xcalloc(n, sizeof(*of));

	for (uint32_t i = 0; i < n; i++)
		of[i] = expand(p, i);
	p->n_resolved = p->n_frames;
	rewrite_chains(p, of);
	for (size_t i = 0; i < p->n_cells; i++) {
		struct cell_key *key = &p->cells[i].key;

		if (of[key->frame].n)
			key->frame = of[key->frame].first;
	}
	htab_clear(&p->h_cells);
	free(of);
}
