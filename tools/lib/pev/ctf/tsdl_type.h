/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Types of the metadata; failures as in tsdl_lex.h.
 */
#ifndef _PEV_CTF_TSDL_TYPE_H
#define _PEV_CTF_TSDL_TYPE_H

#include "ctf/tsdl_lex.h"

enum type_kind {
	TYPE_INT, TYPE_STRING, TYPE_STRUCT, TYPE_VARIANT,
};

struct type_member {
	const char	*name;
	const struct type *type;
	uint8_t		shape;
	uint32_t	count;
	int32_t		length;
	unsigned int	line;
};

/* size and align are bits */
struct type {
	enum type_kind	kind;
	uint32_t	size;
	uint32_t	align;
	bool		is_signed;
	bool		is_text;
	bool		is_clock;
	uint8_t		base;
	const struct pev_labels *labels;
	unsigned int	nr;
	struct type_member	*members;
};

/**
 * struct named_type - a type that has a name
 * @next: the one that was declared before
 */
struct named_type {
	struct named_type	*next;
	char			kind;	/* 'a'lias, 's'truct, 'v'ariant, 'e'num */
	const char		*name;
	const struct type	*type;
};

const struct type *tsdl_type(struct parser *p);
int tsdl_alias(struct parser *p);
/* Forgets the types that were declared after @last; NULL: all. */
void tsdl_drop_types(struct pev_meta *meta, const struct named_type *last);

#endif /* _PEV_CTF_TSDL_TYPE_H */
