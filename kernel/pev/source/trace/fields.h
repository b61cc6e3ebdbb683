/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of trace events as text: CTF's TSDL for a channel's metadata, the
 * kernel's own types for the catalog; and as filters look at them.
 */
#ifndef _PEV_FIELDS_H
#define _PEV_FIELDS_H

#include <linux/types.h>

struct pev_filter_field;
struct pev_layout;
struct pev_strbuf;
struct trace_event_call;

void pev_fields_tsdl(struct trace_event_call *call, struct pev_strbuf *text);
void pev_fields_catalog(struct trace_event_call *call, struct pev_strbuf *text);
u32 pev_fields_fixed(struct trace_event_call *call);
void pev_fields_layout(struct trace_event_call *call, struct pev_layout *layout);
bool pev_fields_find(void *call, const char *name, size_t len, struct pev_filter_field *found);

#endif
