/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Descriptions of payloads that pev's own sources write: what the metadata, the catalog
 * and PEV_IOC_ID say of them comes from one table.
 */
#ifndef _PEV_PAYLOAD_H
#define _PEV_PAYLOAD_H

#include <linux/stddef.h>
#include <linux/types.h>

struct pev_layout;
struct pev_strbuf;

/**
 * struct pev_field_desc - a field of a payload
 * @type:   in the metadata's language; NULL behind the last field
 * @name:   of the field
 * @nr:     elements of an array, 0: it is none
 * @length: offset of the u16 "<name>_len" that counts the elements of a dynamic array at
 *          the end of the payload; 0: it is none
 */
struct pev_field_desc {
	const char	*type;
	const char	*name;
	u16		nr;
	u16		length;
};

/* Member @m of type @t: a number, an array of @n, or of structure @s what ends a payload. */
#define PEV_FIELD_NUMBER(t, m) \
	{ .type = (t), .name = #m }
#define PEV_FIELD_ARRAY(t, m, n) \
	{ .type = (t), .name = #m, .nr = (n) }
#define PEV_FIELD_DYNAMIC(s, t, m) \
	{ .type = (t), .name = #m, .length = offsetof(struct s, m##_len) }

/**
 * struct pev_payload_desc - a payload
 * @name:   of its records in the catalog
 * @size:   bytes of its fixed part
 * @fields: in the order of memory, each aligned as its type wants it
 */
struct pev_payload_desc {
	const char			*name;
	u16				size;
	const struct pev_field_desc	*fields;
};

/* Append a line for each field to a channel's metadata. Process context, may sleep. */
void pev_payload_tsdl(const struct pev_payload_desc *desc, struct pev_strbuf *text);
/* Append "type name;type name" to the catalog. Process context, may sleep. */
void pev_payload_catalog(const struct pev_payload_desc *desc, struct pev_strbuf *text);
/* Say how long the payload is. Any context. */
void pev_payload_layout(const struct pev_payload_desc *desc, struct pev_layout *layout);

#endif
