// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The labels that enumerations give to values, as the metadata has them.
 */
#include <string.h>
#include "ctf/label.h"

/**
 * struct label - a value, or all from one to another
 * @first: with the sign of the enumeration's integers extended
 * @last:  the same
 */
struct label {
	uint64_t first;
	uint64_t last;
	const char *text;
};

/**
 * struct pev_labels - of one enumeration
 * @counts: the first one has the value 0, the next 1, and so on
 * @v:      in the order of the text
 */
struct pev_labels {
	bool counts;
	size_t n;
	size_t room;
	struct label *v;
};

/* The arena keeps the old ones, too: together they are no more than the new ones. */
static struct label *add(struct parser *p, struct pev_labels *labels)
{
	if (labels->n == labels->room) {
		size_t room = labels->room ? 2 * labels->room : 4;
		struct label *v = tsdl_alloc(p, room * sizeof(*v));

		if (!v)
			return NULL;
		if (labels->n)
			memcpy(v, labels->v, labels->n * sizeof(*v));
		labels->v = v;
		labels->room = room;
	}
	return &labels->v[labels->n++];
}

static const char *take_text(struct parser *p)
{
	struct value v;

	if (p->token.kind == TOKEN_NAME)
		return tsdl_take_name(p, "a label");
	if (p->token.kind != TOKEN_STRING) {
		tsdl_unexpected(p, "a label");
		return NULL;
	}
	return tsdl_value(p, &v) ? NULL : v.text;
}

static int take_number(struct parser *p, uint64_t *number)
{
	struct value v;

	if (tsdl_value(p, &v))
		return -p->error;
	if (!v.is_number)
		return tsdl_fail(p, "the value of a label is a number, not \"%s\"", v.text);
	*number = v.number;
	return 0;
}

/* "A", "A = 5", "A = 5 ... 7" */
static int take_label(struct parser *p, struct pev_labels *labels, uint64_t next)
{
	struct label *l = add(p, labels);

	if (!l)
		return -p->error;
	l->first = next;
	l->text = take_text(p);
	if (!l->text || (tsdl_accept(p, '=') && take_number(p, &l->first)))
		return -p->error;
	l->last = l->first;
	if (tsdl_is_sign(p, SIGN_RANGE) && (tsdl_next(p) || take_number(p, &l->last)))
		return -p->error;
	return p->failed ? -p->error : 0;
}

int label_mappings(struct parser *p, const struct pev_labels **to)
{
	struct pev_labels *labels = tsdl_alloc(p, sizeof(*labels));
	const struct label *last;
	uint64_t next = 0;

	if (!labels || tsdl_expect(p, '{'))
		return -p->error;
	labels->counts = true;
	while (!tsdl_is_sign(p, '}')) {
		if (take_label(p, labels, next))
			return -p->error;
		last = &labels->v[labels->n - 1];
		if (last->first != labels->n - 1 || last->last != last->first)
			labels->counts = false;
		next = last->last + 1;
		if (!tsdl_accept(p, ',') && !tsdl_is_sign(p, '}'))
			return tsdl_unexpected(p, "',' or '}'");
	}
	*to = labels->n ? labels : NULL;
	return tsdl_next(p);
}

static bool has(const struct label *l, uint64_t value, bool is_signed)
{
	if (is_signed)
		return (int64_t)l->first <= (int64_t)value && (int64_t)value <= (int64_t)l->last;
	return l->first <= value && value <= l->last;
}

PEV_EXPORT const char *pev_field_label(const struct pev_field *field, uint64_t value)
{
	const struct pev_labels *labels = field->labels;
	size_t n = labels ? labels->n : 0;

	if (n && labels->counts)
		return value < n ? labels->v[value].text : NULL;
	for (size_t i = 0; i < n; i++)
		if (has(&labels->v[i], value, field->is_signed))
			return labels->v[i].text;
	return NULL;
}
