// SPDX-License-Identifier: GPL-2.0
/* Hosts and services. See labels.h. */
#include "labels.h"
#include "base/text.h"

#include <stdlib.h>

/* longer than any store's */
#define STEP_MOST (1u << 31)

bool html_fleet(const struct session *s, uint64_t *step)
{
	const char *text = pev_trace_info(s->trace, "fleet_step");

	*step = text ? strtoull(text, NULL, 10) : 0;
	return *step && *step <= STEP_MOST;
}

uint32_t html_label(struct html_labels *l, const struct profile *p, uint32_t value)
{
	if (!l->number)
		l->number = xcalloc(p->values.n + 1, sizeof(*l->number));
	if (!l->number[value]) {
		*ARRAY_PUSH(l->values, l->n, l->cap) = value;
		l->number[value] = (uint32_t)l->n;
	}
	return l->number[value] - 1;
}

void html_put_labels(struct strbuf *out, struct html_enc *e, const struct html_labels *l,
		     const struct profile *p, const char *name)
{
	struct strbuf bytes = { 0 }, safe = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		strbuf_reset(&safe);
		text_name(&safe, strtab_get(&p->values, l->values[i]));
		html_varint(&bytes, html_string(e, safe.s ? safe.s : ""));
	}
	html_put_bytes(out, name, &bytes);
	strbuf_free(&bytes);
	strbuf_free(&safe);
}

void html_labels_free(struct html_labels *l)
{
	free(l->number);
	free(l->values);
}
