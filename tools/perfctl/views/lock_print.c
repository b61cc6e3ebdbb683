// SPDX-License-Identifier: GPL-2.0
/* The table of perfctl lock. See lock_print.h. */
#include "lock_print.h"

#include <inttypes.h>

/* Appends the name of a frame of a chain. */
static void frame_name(const struct locks *l, uint32_t chain, uint32_t i, struct strbuf *b)
{
	struct stacks *s = l->profile.stacks;
	uint32_t frame = s->chain_frames[s->chains[chain].first + i];

	strbuf_reset(b);
	stacks_func_name(s, stacks_frame_func(s, frame), b);
}

static void print_stack(const struct locks *l, uint32_t chain, FILE *out)
{
	struct strbuf b = { 0 };

	for (uint32_t i = 0; i < l->profile.stacks->chains[chain].n; i++) {
		frame_name(l, chain, i, &b);
		fprintf(out, "%14s%s\n", "", b.s);
	}
	fputc('\n', out);
	strbuf_free(&b);
}

void lock_print(struct locks *l, uint64_t most, FILE *out)
{
	struct strbuf b = { 0 };
	uint64_t left = 0;

	fprintf(out, "#%s  Lock%s\n", durations_heading() + 1,
		l->by == LOCK_BY_HOLDER ? ", and what gave it free" : "");
	for (size_t i = 0; i < l->n; i++) {
		struct lock_row *r = &l->rows[i];

		if (most && i >= most) {
			left++;
			continue;
		}
		strbuf_reset(&b);
		durations_columns(&r->waits, &b);
		fprintf(out, "%s  %s in %s", b.s, r->kind, strtab_get(&l->names, r->function));
		if (r->holder)
			fprintf(out, ", by %s", strtab_get(&l->names, r->holder));
		fputc('\n', out);
		if (l->by == LOCK_BY_STACK)
			print_stack(l, r->chain, out);
	}
	if (left)
		fprintf(out, "# %" PRIu64 " more\n", left);
	strbuf_free(&b);
}

static void json_stack(const struct locks *l, uint32_t chain, struct json *j)
{
	struct strbuf b = { 0 };

	json_open(j, "stack", '[');
	for (uint32_t i = 0; i < l->profile.stacks->chains[chain].n; i++) {
		frame_name(l, chain, i, &b);
		json_string(j, NULL, b.s);
	}
	json_close(j, ']');
	strbuf_free(&b);
}

void lock_json(struct locks *l, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < l->n; i++) {
		json_open(&j, NULL, '{');
		json_string(&j, "kind", l->rows[i].kind);
		json_string(&j, "function", strtab_get(&l->names, l->rows[i].function));
		if (l->rows[i].holder)
			json_string(&j, "holder", strtab_get(&l->names, l->rows[i].holder));
		durations_json(&l->rows[i].waits, "waited", &j);
		if (l->by == LOCK_BY_STACK)
			json_stack(l, l->rows[i].chain, &j);
		json_close(&j, '}');
		fputc('\n', out);
	}
	json_close(&j, ']');
	json_end_line(&j);
}
