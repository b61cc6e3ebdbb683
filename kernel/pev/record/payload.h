/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptions of payloads that pev's own sources write, and clients: what the metadata, the
 * catalog and PEV_IOC_ID say of them comes from one table.
 */
#ifndef _PEV_PAYLOAD_H
#define _PEV_PAYLOAD_H

#include <linux/pev_record.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct pev_layout;
struct pev_strbuf;

/* Member @m of type @t: a number, an array of @n, or of structure @s what ends a payload. */
#define PEV_FIELD_NUMBER(t, m) \
	{ .type = (t), .name = #m }
#define PEV_FIELD_ARRAY(t, m, n) \
	{ .type = (t), .name = #m, .nr = (n) }
#define PEV_FIELD_DYNAMIC(s, t, m) \
	{ .type = (t), .name = #m, .length = offsetof(struct s, m##_len) }

/* Append a line for each field to a channel's metadata. Process context, may sleep. */
void pev_payload_tsdl(const struct pev_payload_desc *desc, struct pev_strbuf *text);
/* Append "type name;type name" to the catalog. Process context, may sleep. */
void pev_payload_catalog(const struct pev_payload_desc *desc, struct pev_strbuf *text);
/* Say how long the payload is. Any context. */
void pev_payload_layout(const struct pev_payload_desc *desc, struct pev_layout *layout);

#endif
