// SPDX-License-Identifier: GPL-2.0
/* Where a thread waited. See place.h. */
#include "place.h"
#include "profile/rows.h"

#include <stdlib.h>

/* The functions that lead to a switch end every chain, and say nothing about the wait. */
static bool is_scheduler(const char *name)
{
	static const char *const globs =
		"__schedule*,schedule,schedule_*,"
		"preempt_schedule*,io_schedule*,irqentry_exit*,__cond_resched*,asm_sysvec_*,sysvec_*";

	return globs_match(globs, name);
}

void place_user_function(const struct profile *p, uint32_t chain, struct strbuf *b)
{
	const struct chain *c = &p->stacks->chains[chain];

	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t func = stacks_frame_func(p->stacks, p->stacks->chain_frames[c->first + i]);
		enum object_kind kind = p->session->objects.o[p->stacks->funcs[func].object].kind;

		if (kind != OBJECT_KERNEL && kind != OBJECT_MODULE) {
			stacks_func_name(p->stacks, func, b);
			return;
		}
	}
	strbuf_puts(b, "[kernel]");
}

/* @verdicts: by function, 0: not looked at, 1: the scheduler's, 2: another's */
static bool skips(const struct profile *p, uint32_t func, uint8_t *verdicts)
{
	struct strbuf b = { 0 };

	if (!verdicts[func]) {
		stacks_func_name(p->stacks, func, &b);
		verdicts[func] = is_scheduler(b.s) ? 1 : 2;
		strbuf_free(&b);
	}
	return verdicts[func] == 1;
}

static void drop_scheduler(const struct profile *p, struct cell_key *key, uint8_t *verdicts)
{
	const struct chain *c = &p->stacks->chains[key->chain];
	uint32_t skip = 0;

	while (skip + 1 < c->n &&
	       skips(p, stacks_frame_func(p->stacks, p->stacks->chain_frames[c->first + skip]),
		     verdicts))
		skip++;
	if (!c->n)
		return;
	key->chain = stacks_chain_from(p->stacks, key->chain, skip);
	key->frame = p->stacks->chain_frames[p->stacks->chains[key->chain].first];
}

void place_waits(struct profile *p, place_fn fill, void *arg)
{
	struct cell *cells = p->cells;
	size_t n = p->n_cells;
	uint8_t *verdicts;

	stacks_resolve(p->stacks);
	verdicts = xcalloc(p->stacks->n_funcs, 1);
	p->cells = NULL;
	p->n_cells = p->cap_cells = 0;
	htab_clear(&p->h_cells);
	for (size_t i = 0; i < n; i++) {
		struct cell_key key = cells[i].key;

		fill(arg, &key);
		drop_scheduler(p, &key, verdicts);
		profile_add_many(p, &key, cells[i].samples, cells[i].weight);
	}
	free(cells);
	free(verdicts);
	stacks_resolve(p->stacks);
}
