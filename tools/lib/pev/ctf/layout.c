// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Works out where the fields of a class lie, once when its metadata is parsed, so
 * that decoding a record is a few loads at known places.
 *
 * A record is its header, the context and the payload. Babeltrace 2.0.4 stops
 * at sequences in the context of a class, so metadata may describe the parts of
 * the context that vary in length (call chains, registers, values, stack dump)
 * as the first fields of the payload instead. The bytes are the same, and here
 * they are always made part of the context.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "core/compiler.h"
#include "core/packet.h"
#include "ctf/layout.h"

#define MAX_PART	(16U << 20)

struct known {
	const char	*name;
	uint8_t		shape;
	uint8_t		size;
	uint8_t		to_size;
	uint16_t	to;
	uint16_t	to_length;
	uint64_t	sample;
};

#define EV(member)	offsetof(struct pev_event, member)

static const struct known known[] = {
	{ "pid", PEV_SHAPE_INT, 4, 4, EV(pid), 0, PEV_SAMPLE_PID },
	{ "ip", PEV_SHAPE_INT, 8, 8, EV(ip), 0, PEV_SAMPLE_IP },
	{ "addr", PEV_SHAPE_INT, 8, 8, EV(addr), 0, PEV_SAMPLE_ADDR },
	{ "period", PEV_SHAPE_INT, 8, 8, EV(period), 0, PEV_SAMPLE_PERIOD },
	{ "cpu", PEV_SHAPE_INT, 8, 4, EV(sample_cpu), 0, PEV_SAMPLE_CPU },
	{ "guest", PEV_SHAPE_INT, 8, 4, EV(guest), 0, PEV_SAMPLE_GUEST },
	{ "exit", PEV_SHAPE_INT, 8, 8, EV(exit), 0, PEV_SAMPLE_EXIT },
	{ "ustack_cookie", PEV_SHAPE_INT, 8, 8, EV(ustack_cookie), 0, PEV_SAMPLE_COOKIE },
	{ "cgroup", PEV_SHAPE_INT, 8, 8, EV(cgroup), 0, 0 },
	{ "kstack", PEV_SHAPE_SEQUENCE, 8, 4, EV(kstack), EV(kstack_len), PEV_SAMPLE_KSTACK },
	{ "ustack", PEV_SHAPE_SEQUENCE, 8, 4, EV(ustack), EV(ustack_len), PEV_SAMPLE_USTACK },
	{ "uregs", PEV_SHAPE_SEQUENCE, 8, 4, EV(uregs), EV(uregs_len), PEV_SAMPLE_UREGS },
	{ "values", PEV_SHAPE_SEQUENCE, 8, 4, EV(values), EV(values_len), PEV_SAMPLE_READ },
	{ "dump", PEV_SHAPE_SEQUENCE, 1, 8, EV(dump), EV(dump_len), PEV_SAMPLE_USTACK_DUMP },
};

/* Names may have a prefix to keep them apart from those of a tracepoint. */
static bool is_called(const struct pev_field *f, const char *name)
{
	const char *own = f->name;

	if (!strncmp(own, "pev_", 4))
		own += 4;
	return !strcmp(own, name);
}

/* An integer of that name with something behind it, as "kstack_len" */
static bool is_about(const struct pev_field *f, const char *name, const char *what)
{
	const char *own = f->name;
	size_t len = strlen(name);

	if (!strncmp(own, "pev_", 4))
		own += 4;
	return !strncmp(own, name, len) && !strcmp(own + len, what) && f->shape == PEV_SHAPE_INT;
}

static bool is_length_of(const struct pev_field *f, const char *name)
{
	return is_about(f, name, "_len") && f->size >= 4;
}

static const char *const chain_names[CHAINS] = { "kstack", "ustack" };

/* The fields of a struct chain_word, and the chains behind it */
#define NAMED_CHAINS (3 * CHAINS)

static bool are_named_chains(const struct pev_field *f, unsigned int nr)
{
	if (nr < NAMED_CHAINS)
		return false;
	for (int i = 0; i < CHAINS; i++, f++)
		if (!is_about(&f[0], chain_names[i], "_len") || f[0].size != 2 ||
		    !is_about(&f[CHAINS], chain_names[i], "_id") || f[CHAINS].size != 2 ||
		    !is_called(&f[2 * CHAINS], chain_names[i]) ||
		    f[2 * CHAINS].shape != PEV_SHAPE_SEQUENCE || f[2 * CHAINS].length != i)
			return false;
	return true;
}

/* Counts the leading fields of the payload that belong to the context. */
static unsigned int count_moved(const struct pev_field *f, unsigned int nr)
{
	static const char *const rows[][2] = {
		{ "kstack", "ustack" }, { "uregs" }, { "values" }, { "dump" },
	};
	unsigned int at = are_named_chains(f, nr) ? NAMED_CHAINS : 0, names, i;

	for (size_t row = at ? 1 : 0; row < ARRAY_SIZE(rows); row++) {
		names = rows[row][1] ? 2 : 1;
		if (at + 2 * names > nr)
			continue;
		for (i = 0; i < names; i++)
			if (!is_length_of(&f[at + i], rows[row][i]) ||
			    !is_called(&f[at + names + i], rows[row][i]) ||
			    f[at + names + i].shape != PEV_SHAPE_SEQUENCE ||
			    f[at + names + i].length != (int)(at + i))
				break;
		if (i == names)
			at += 2 * names;
	}
	return at;
}

static int layout_part(struct part *part, const char **why)
{
	uint64_t pos = 0;
	bool moving = false;

	for (unsigned int i = 0; i < part->nr; i++) {
		struct pev_field *f = &part->fields[i];

		f->index = i;
		if (!moving) {
			pos = align_up(pos, f->align);
			f->offset = pos;
			if (f->shape <= PEV_SHAPE_ARRAY) {
				pos += (uint64_t)f->size * f->count;
				part->fixed = i + 1;
				part->size = pos;
			} else {
				moving = true;
			}
		}
		if (pos > MAX_PART) {
			*why = "its fields take more than 16 MiB";
			return -EBADMSG;
		}
	}
	if (part->nr - part->fixed > MAX_MOVING) {
		*why = "more than 64 fields follow one of varying length";
		return -EBADMSG;
	}
	return 0;
}

/* Loads the low half of what is wider than the member that takes it. */
static void add_load(struct class *cls, const struct pev_field *f, const struct known *k)
{
	bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct field_load l = { .from = f->offset, .to = k->to };
	unsigned int at = cls->nr_loads++;

	if (big_endian)
		l.from += f->size - k->to_size;
	if (k->to_size == sizeof(uint64_t)) {
		cls->loads[at] = cls->loads[cls->nr_wide];
		at = cls->nr_wide++;
	}
	cls->loads[at] = l;
}

static void find_known(struct class *cls, const struct known *k)
{
	struct part *part = &cls->context;

	for (unsigned int i = 0; i < part->nr; i++) {
		const struct pev_field *f = &part->fields[i];

		if (!is_called(f, k->name) || f->shape != k->shape || f->size != k->size)
			continue;
		if (i < part->fixed) {
			if (cls->nr_loads == MAX_LOADS)
				return;
			add_load(cls, f, k);
		} else {
			if (k->shape != PEV_SHAPE_SEQUENCE || f->align < f->size)
				return;
			cls->seen_pointer[i - part->fixed] = k->to;
			cls->seen_length[i - part->fixed] = k->to_length;
		}
		cls->pub.sample |= k->sample;
		return;
	}
}

/* What a thread says of its request: three words, one behind the other. */
static void find_request(struct class *cls)
{
	static const char *const names[] = { "trace_high", "trace_low", "span" };
	const struct part *part = &cls->context;
	unsigned int found = 0;

	cls->request = -1;
	for (unsigned int i = 0; i < part->fixed && found < ARRAY_SIZE(names); i++) {
		const struct pev_field *f = &part->fields[i];
		bool word = f->shape == PEV_SHAPE_INT && f->size == 8 && f->align >= 8;

		if (word && is_called(f, names[found]))
			found++;
		else if (found)
			return;
		if (found == 1)
			cls->request = f->offset;
	}
	if (found == ARRAY_SIZE(names))
		cls->pub.sample |= PEV_SAMPLE_CONTEXT;
	else
		cls->request = -1;
}

/* Returns where two chains begin right behind their lengths, wherever those are said; or -1 */
static int32_t locate_chains(const struct part *part, bool named)
{
	unsigned int words = named ? 2 * CHAINS : CHAINS, at = part->fixed;
	const struct pev_field *f = &part->fields[at];

	if (part->nr - at < CHAINS || at < words || f[-(int)words].offset % 8 ||
	    part->size != (uint32_t)f[-(int)words].offset + sizeof(struct chain_word))
		return -1;
	for (int i = 0; i < CHAINS; i++, f++) {
		const struct pev_field *len = f - words;

		if (!is_called(f, chain_names[i]) || f->shape != PEV_SHAPE_SEQUENCE ||
		    f->size != 8 || f->align != 8 || f->length != (int)(at - words) + i ||
		    !is_about(len, chain_names[i], "_len") || len->size != (named ? 2 : 4))
			return -1;
		if (named &&
		    (!is_about(len + CHAINS, chain_names[i], "_id") || len[CHAINS].size != 2))
			return -1;
	}
	return part->fields[at - words].offset;
}

static void find_chains(struct class *cls)
{
	cls->chains = locate_chains(&cls->context, true);
	cls->named = cls->chains >= 0;
	if (!cls->named)
		cls->chains = locate_chains(&cls->context, false);
}

/* What ended a pair says how long it took; pev_class_context_field() finds it. */
static void find_pair(struct class *cls)
{
	const struct part *part = &cls->context;

	for (unsigned int i = 0; i < part->fixed; i++)
		if (is_called(&part->fields[i], "latency") &&
		    part->fields[i].shape == PEV_SHAPE_INT && part->fields[i].size == 8)
			cls->pub.sample |= PEV_SAMPLE_PAIR;
}

int layout_class(struct pev_meta *meta, struct class *cls, struct pev_field *context,
		 unsigned int nr_context, struct pev_field *fields, unsigned int nr_fields,
		 const char **why)
{
	unsigned int moved = count_moved(fields, nr_fields), i;
	struct pev_field *all = context;

	if (moved) {
		all = arena_alloc(&meta->arena, (nr_context + moved) * sizeof(*all));
		if (!all) {
			*why = "out of memory";
			return -ENOMEM;
		}
		memcpy(all, context, nr_context * sizeof(*all));
		memcpy(all + nr_context, fields, moved * sizeof(*all));
		for (i = nr_context; i < nr_context + moved; i++)
			if (all[i].length >= 0)
				all[i].length += nr_context;
		all[nr_context].align = 8;
		fields += moved;
		nr_fields -= moved;
		nr_context += moved;
		for (i = 0; i < nr_fields; i++) {
			if (fields[i].length >= 0 && fields[i].length < (int)moved) {
				*why = "a length is part of the context";
				return -EBADMSG;
			}
			if (fields[i].length >= 0)
				fields[i].length -= moved;
		}
	}
	cls->context.fields = all;
	cls->context.nr = nr_context;
	cls->payload.fields = fields;
	cls->payload.nr = nr_fields;
	if (layout_part(&cls->context, why) || layout_part(&cls->payload, why))
		return -EBADMSG;
	for (size_t k = 0; k < ARRAY_SIZE(known); k++)
		find_known(cls, &known[k]);
	find_request(cls);
	find_pair(cls);
	find_chains(cls);
	cls->pub.sample |= PEV_SAMPLE_TID;
	cls->pub.context = all;
	cls->pub.nr_context = nr_context;
	cls->pub.fields = fields;
	cls->pub.nr_fields = nr_fields;
	cls->head = cls->context.size;
	if (cls->context.nr == cls->context.fixed && cls->payload.nr)
		cls->head = align_up(cls->head, 8) + cls->payload.size;
	return 0;
}
