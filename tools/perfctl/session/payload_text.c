// SPDX-License-Identifier: GPL-2.0
/* Fields of events as text. See payload_text.h. */
#include "payload_text.h"
#include "base/text.h"

#include <stdlib.h>

/* The length and offset of another field are of no use to a reader. */
static bool is_plumbing(const struct pev_class *cls, const struct pev_field *f)
{
	const char *end = strrchr(f->name, '_');
	char owner[64];

	if (!strcmp(f->name, "text_copied") || !strcmp(f->name, "text_cut"))
		return true;
	if (strstr(f->name, "__data_loc") || !end || f->shape != PEV_SHAPE_INT)
		return strstr(f->name, "__data_loc") != NULL;
	if (strcmp(end, "_off") && strcmp(end, "_len"))
		return false;
	snprintf(owner, sizeof(owner), "%.*s", (int)(end - f->name), f->name);
	return pev_class_field(cls, owner) != NULL;
}

/* Is this an argument that points to no text, or to text that could not be copied? */
static bool is_no_text(const struct pev_event *ev, const struct pev_field *f)
{
	const char *end = strrchr(f->name, '_'), *text;

	return f->is_text && end && !strcmp(end, "_text") && !pev_event_text(ev, f, &text);
}

bool payload_is_shown(const struct pev_event *ev, const struct pev_field *f)
{
	return !is_plumbing(ev->cls, f) && !is_no_text(ev, f);
}

void payload_put_value(struct strbuf *b, const struct pev_event *ev, const struct pev_field *f,
		       unsigned int flags)
{
	char small[512], *big = NULL;
	int n = pev_event_print_field(ev, f, flags | PEV_PRINT_LABEL, small, sizeof(small));

	if (n >= (int)sizeof(small)) {
		big = xmalloc((size_t)n + 1);
		pev_event_print_field(ev, f, flags | PEV_PRINT_LABEL, big, (size_t)n + 1);
	}
	text_name(b, n < 0 ? "?" : big ? big : small);
	free(big);
}
