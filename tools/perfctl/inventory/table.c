// SPDX-License-Identifier: GPL-2.0
/* What a recording says that the machine had. See table.h. */
#include "table.h"

#include <stdlib.h>

static uint32_t hash_of(enum inventory_kind kind, uint64_t a, uint64_t b)
{
	return hash_2u64(a * INVENTORY_KINDS + (uint64_t)kind, b);
}

static uint64_t key(const struct inventory_row *row, unsigned int nr)
{
	const struct inventory_desc *d = &inventory_kinds[row->kind];

	return nr < d->keys ? row->n[d->first + nr] : 0;
}

static void take_sum(struct inventory *v, const struct inventory_row *row)
{
	for (int k = 0; k < INVENTORY_SUM; k++) {
		if (v->ended[k] || strcmp(inventory_kinds[k].name, row->s[0]))
			continue;
		memcpy(v->sums[k], row->n, sizeof(v->sums[k]));
		v->ended[k] = true;
	}
}

static const char *text_of(struct inventory *v, const struct pev_event *ev,
			   const struct pev_field *f)
{
	const char *at = NULL;
	size_t len = f ? pev_event_text(ev, f, &at) : 0;
	char *text = xstrndup(at ? at : "", at ? len : 0);
	const char *kept = strtab_get(&v->texts, strtab_id(&v->texts, text));

	free(text);
	return kept;
}

void inventory_take(struct inventory *v, const struct pev_event *ev)
{
	int kind = inventory_class_kind(ev->cls);
	const struct inventory_desc *d;
	struct inventory_row row = { 0 };

	if (kind < 0)
		return;
	d = &inventory_kinds[kind];
	row.kind = (enum inventory_kind)kind;
	for (size_t i = 0; i < INVENTORY_NUMBERS && d->numbers[i].name; i++) {
		const struct pev_field *f = pev_class_field(ev->cls, d->numbers[i].name);

		if (f && f->shape == PEV_SHAPE_INT)
			row.n[i] = pev_event_int(ev, f);
	}
	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i]; i++)
		row.s[i] = text_of(v, ev, pev_class_field(ev->cls, d->texts[i]));
	if (kind == INVENTORY_SUM)
		take_sum(v, &row);
	/* parts that were joined have one each */
	if (kind == INVENTORY_SUM || v->ended[kind])
		return;
	*ARRAY_PUSH(v->rows, v->n, v->cap) = row;
	htab_add(&v->by_key, hash_of(row.kind, key(&row, 0), key(&row, 1)), (uint32_t)(v->n - 1));
	v->count[kind]++;
}

static int take(void *arg, const struct pev_event *ev)
{
	inventory_take(arg, ev);
	return 0;
}

void inventory_load(struct inventory *v, const struct pev_trace *trace)
{
	unsigned int n = pev_trace_nr_classes(trace);
	bool *wanted = xcalloc(n + 1, sizeof(*wanted));
	uint32_t stream_id = 0;
	bool any = false;

	for (unsigned int i = 0; i < n; i++) {
		const struct pev_class *cls = pev_trace_class(trace, i);

		wanted[i] = inventory_class_kind(cls) >= 0;
		if (wanted[i])
			stream_id = cls->stream_id;
		any |= wanted[i];
	}
	for (unsigned int i = 0; any && i < pev_trace_nr_streams(trace); i++) {
		const struct pev_stream *s = pev_trace_stream(trace, i);

		if (s->stream_id == stream_id)
			pev_stream_scan(s, 0, s->nr_packets, wanted, take, v);
	}
	free(wanted);
}

const struct inventory_row *inventory_find(const struct inventory *v, enum inventory_kind kind,
					   uint64_t a, uint64_t b,
					   const struct inventory_row *before)
{
	uint32_t hash = hash_of(kind, a, b), pos, ref;
	bool behind = !before;

	for (ref = htab_first(&v->by_key, hash, &pos); ref;
	     ref = htab_next(&v->by_key, hash, &pos)) {
		const struct inventory_row *row = &v->rows[ref - 1];

		if (behind && row->kind == kind && key(row, 0) == a && key(row, 1) == b)
			return row;
		behind |= row == before;
	}
	return NULL;
}

void inventory_free(struct inventory *v)
{
	free(v->rows);
	htab_free(&v->by_key);
	strtab_free(&v->texts);
	*v = (struct inventory){ 0 };
}
