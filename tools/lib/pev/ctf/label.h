/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Labels of enumerations.
 */
#ifndef _PEV_CTF_LABEL_H
#define _PEV_CTF_LABEL_H

#include "ctf/tsdl_lex.h"

/**
 * label_mappings() - parse "{ A, B = 5, "C d" = 7 ... 9 }"
 * @labels: gets all of them; NULL if there are none
 */
int label_mappings(struct parser *p, const struct pev_labels **labels);

#endif /* _PEV_CTF_LABEL_H */
