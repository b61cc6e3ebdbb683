// SPDX-License-Identifier: GPL-2.0
/* Owns how payload descriptions are printed. Must not know which source has them. */
#include "base/strbuf.h"
#include "layout.h"
#include "payload.h"

static void put_field(const struct pev_field_desc *field, struct pev_strbuf *text)
{
	pev_strbuf_printf(text, "%s %s", field->type, field->name);
	if (field->length)
		pev_strbuf_printf(text, "[%s_len]", field->name);
	else if (field->nr)
		pev_strbuf_printf(text, "[%u]", field->nr);
}

void pev_payload_tsdl(const struct pev_payload_desc *desc, struct pev_strbuf *text)
{
	for (const struct pev_field_desc *field = desc->fields; field->type; field++) {
		pev_strbuf_printf(text, "\t\t");
		put_field(field, text);
		pev_strbuf_printf(text, ";\n");
	}
}

void pev_payload_catalog(const struct pev_payload_desc *desc, struct pev_strbuf *text)
{
	for (const struct pev_field_desc *field = desc->fields; field->type; field++) {
		put_field(field, text);
		if (field[1].type)
			pev_strbuf_printf(text, ";");
	}
}

void pev_payload_layout(const struct pev_payload_desc *desc, struct pev_layout *layout)
{
	layout->payload = desc->size;
	for (const struct pev_field_desc *field = desc->fields; field->type; field++)
		if (field->length)
			pev_layout_length(layout, field->length);
}
