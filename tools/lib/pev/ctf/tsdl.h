/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The blocks of the metadata.
 */
#ifndef _PEV_CTF_TSDL_H
#define _PEV_CTF_TSDL_H

#include "ctf/meta.h"

/* Parses what meta->text has behind meta->parsed */
int tsdl_parse(struct pev_meta *meta, struct pev_error *err);

#endif /* _PEV_CTF_TSDL_H */
