/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that were inlined become frames of their own. */
#ifndef PERFCTL_PROFILE_INLINE_H
#define PERFCTL_PROFILE_INLINE_H

#include "profile.h"

/*
 * Makes frames of what was inlined, as far as debug information tells. To be
 * called once, when all samples are in and resolved.
 */
void profile_inline(struct profile *p);

#endif
