/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Works out where the fields of a class lie.
 */
#ifndef _PEV_CTF_LAYOUT_H
#define _PEV_CTF_LAYOUT_H

#include "ctf/meta.h"

/**
 * layout_class() - place the fields of a class and find those that the library knows
 * @context: in order; the first fields of @fields may move to their end
 * @fields:  of the payload
 * @error:   set to a sentence on failure
 *
 * Return: 0, -ENOMEM, -EBADMSG.
 */
int layout_class(struct pev_meta *meta, struct class *cls, struct pev_field *context,
		 unsigned int nr_context, struct pev_field *fields, unsigned int nr_fields,
		 const char **error);

#endif /* _PEV_CTF_LAYOUT_H */
