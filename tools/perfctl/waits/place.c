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
	"sysvec_*,exit_to_user_mode*"

/* What waits for any lock, completion or bit, and how the kernel is entered, does not say for what. */
#define GENERIC                                                                             \
	"futex_*,__futex_*,do_futex,*_sys_futex*,folio_wait_bit*,bit_wait*,__wait_on_bit*," \
	"out_of_line_wait_on_bit*,wait_for_completion*,__wait_for_common,x64_sys_call,"     \
	"do_syscall_64,entry_SYSCALL_64*,system_call_*"

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

/* Is it a function of the kernel with such a name? */
static bool is_named(const struct profile *p, uint32_t func, const char *globs)
{
	struct strbuf b = { 0 };
	bool is;

	if (!is_kernel(p, func))
		return false;
	stacks_func_name(p->stacks, func, &b);
	is = globs_match(globs, b.s);
	strbuf_free(&b);
	return is;
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
	uint32_t i = 0;

	if (!c->n)
		return;
	while (i + 1 < c->n && is_named(p, frame_func(p, c, i), GENERIC))
		i++;
	if (is_kernel(p, frame_func(p, c, i)))
		stacks_func_name(p->stacks, frame_func(p, c, i), b);
	else
		place_user_function(p, chain, b);
}

uint32_t place_chain(const struct profile *p, uint32_t chain)
{
	const struct chain *c = &p->stacks->chains[chain];
	uint32_t skip = 0;

	while (skip + 1 < c->n && is_named(p, frame_func(p, c, skip), SCHEDULER))
		skip++;
	return skip ? stacks_chain_from(p->stacks, chain, skip) : chain;
}

void place_cell(const struct profile *p, struct cell_key *key)
{
	key->chain = place_chain(p, key->chain);
	if (p->stacks->chains[key->chain].n)
		key->frame = p->stacks->chain_frames[p->stacks->chains[key->chain].first];
}

void place_waits(struct profile *p, place_fn fill, place_moved_fn moved, void *arg)
{
	struct cell *cells = p->cells;
	size_t n = p->n_cells;

	stacks_resolve(p->stacks);
	p->cells = NULL;
	p->n_cells = p->cap_cells = 0;
	htab_clear(&p->h_cells);
	for (size_t i = 0; i < n; i++) {
		struct cell_key key = cells[i].key;

		place_cell(p, &key);
		fill(arg, &key);
		moved(arg, i, profile_add_many(p, &key, cells[i].samples, cells[i].weight));
	}
	free(cells);
	stacks_resolve(p->stacks);
}
