// SPDX-License-Identifier: GPL-2.0
/* Where a thread waited. See place.h. */
#include "place.h"
#include "profile/rows.h"

#include <stdlib.h>
#include <string.h>

/* The functions that lead to a switch end every chain, and say nothing about the wait. */
#define SCHEDULER                                                                     \
	"__schedule*,schedule,schedule_*,"                                            \
	"preempt_schedule*,io_schedule*,irqentry_exit*,__cond_resched*,asm_sysvec_*," \
	"sysvec_*"

/* Locks of programs wait here, whatever they protect. */
#define OF_LOCKS "futex_*,__futex_*,do_futex"

/* Libraries whose functions wait for the program, and are not what it does. */
#define LIBRARIES                                                                    \
	"libc.so*,libc-2.*,libpthread.so*,libpthread-2.*,ld-linux*,ld-2.*,ld64.so*," \
	"ld-musl*,libstdc++.so*,libc++.so*"

static uint32_t frame_func(const struct profile *p, const struct chain *c, uint32_t i)
{
	return stacks_frame_func(p->stacks, p->stacks->chain_frames[c->first + i]);
}

static bool is_kernel(const struct profile *p, uint32_t func)
{
	enum object_kind kind = p->session->objects.o[p->stacks->funcs[func].object].kind;

	return kind == OBJECT_KERNEL || kind == OBJECT_MODULE;
}

static bool is_library(const struct profile *p, uint32_t func)
{
	const char *path = p->session->objects.o[p->stacks->funcs[func].object].path;
	const char *slash = strrchr(path, '/');

	return globs_match(LIBRARIES, slash ? slash + 1 : path);
}

/* A place of which only the address is known may be data, where a chain breaks off. */
static bool is_known(const struct profile *p, uint32_t func)
{
	return p->stacks->funcs[func].object != OBJECT_ID_UNKNOWN;
}

/* Returns the program's function, or the library's if there is no other; UINT32_MAX: none. */
static uint32_t user_func(const struct profile *p, uint32_t chain)
{
	const struct chain *c = &p->stacks->chains[chain];
	uint32_t first = UINT32_MAX;

	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t func = frame_func(p, c, i);

		if (is_kernel(p, func))
			continue;
		if (first == UINT32_MAX)
			first = func;
		if (is_known(p, func) && !is_library(p, func))
			return func;
	}
	return first;
}

void place_user_function(const struct profile *p, uint32_t chain, struct strbuf *b)
{
	uint32_t func = user_func(p, chain);

	if (func == UINT32_MAX)
		strbuf_puts(b, "[kernel]");
	else
		stacks_func_name(p->stacks, func, b);
}

void place_function(const struct profile *p, uint32_t chain, struct strbuf *b)
{
	const struct chain *c = &p->stacks->chains[chain];

	if (!c->n)
		return;
	stacks_func_name(p->stacks, frame_func(p, c, 0), b);
	if (!is_kernel(p, frame_func(p, c, 0)) || !globs_match(OF_LOCKS, b->s) ||
	    user_func(p, chain) == UINT32_MAX)
		return;
	strbuf_reset(b);
	place_user_function(p, chain, b);
}

/* @verdicts: by function, 0: not looked at, 1: the scheduler's, 2: another's */
static bool is_scheduler(const struct profile *p, uint32_t func, uint8_t *verdicts)
{
	struct strbuf b = { 0 };

	if (!verdicts[func]) {
		stacks_func_name(p->stacks, func, &b);
		verdicts[func] = globs_match(SCHEDULER, b.s) ? 1 : 2;
		strbuf_free(&b);
	}
	return verdicts[func] == 1;
}

static void drop_scheduler(const struct profile *p, struct cell_key *key, uint8_t *verdicts)
{
	const struct chain *c = &p->stacks->chains[key->chain];
	uint32_t skip = 0;

	while (skip + 1 < c->n && is_scheduler(p, frame_func(p, c, skip), verdicts))
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

		drop_scheduler(p, &key, verdicts);
		fill(arg, &key);
		profile_add_many(p, &key, cells[i].samples, cells[i].weight);
	}
	free(cells);
	free(verdicts);
	stacks_resolve(p->stacks);
}
