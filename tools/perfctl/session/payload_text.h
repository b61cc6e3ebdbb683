/* SPDX-License-Identifier: GPL-2.0 */
/* What an event recorded, as text: which of its fields are of use to a reader, and how they look. */
#ifndef PERFCTL_SESSION_PAYLOAD_TEXT_H
#define PERFCTL_SESSION_PAYLOAD_TEXT_H

#include "base/util.h"

#include <pev/pev.h>

/* Not the length and offset of another field, nor a text that could not be copied */
bool payload_is_shown(const struct pev_event *ev, const struct pev_field *f);
/* The value; @flags: PEV_PRINT_* */
void payload_put_value(struct strbuf *b, const struct pev_event *ev, const struct pev_field *f,
		       unsigned int flags);

#endif
