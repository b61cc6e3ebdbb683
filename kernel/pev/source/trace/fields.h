/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of what occurs: as text, which is CTF's TSDL for a channel's metadata and the
 * kernel's own types for the catalog; and as filters look at them.
 */
#ifndef _PEV_FIELDS_H
#define _PEV_FIELDS_H

#include <linux/types.h>

struct pev_filter_field;
struct pev_layout;
struct pev_strbuf;
struct trace_event_call;

/**
 * struct pev_field - a field of a trace event, other than the common ones
 * @name:   of the field; NULL ends a list
 * @type:   as the kernel's source has it
 * @offset: in the trace event, common fields included
 * @size:   bytes there
 * @len:    elements, if it is an array
 * @sign:   is signed
 */
struct pev_field {
	const char	*name;
	const char	*type;
	int		offset;
	int		size;
	int		len;
	bool		sign;
};

unsigned int pev_fields_room(const struct trace_event_call *call);
int pev_fields_list(const struct trace_event_call *call, struct pev_field *to);
struct pev_field *pev_fields_make(const struct trace_event_call *call);
void pev_fields_tsdl(const struct pev_field *fields, struct pev_strbuf *text);
void pev_fields_catalog(const struct pev_field *fields, struct pev_strbuf *text);
u32 pev_fields_fixed(const struct pev_field *fields);
void pev_fields_layout(const struct pev_field *fields, struct pev_layout *layout);
bool pev_fields_find(const void *fields, const char *name, size_t len,
		     struct pev_filter_field *found);

#endif
