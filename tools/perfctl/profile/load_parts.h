/* SPDX-License-Identifier: GPL-2.0 */
/* The samples of a recording, read by several threads. */
#ifndef PERFCTL_PROFILE_LOAD_PARTS_H
#define PERFCTL_PROFILE_LOAD_PARTS_H

#include "load.h"

/* Loads with several threads; returns 1 if that is not worth it and nothing was done. */
int load_in_parts(struct load *l, unsigned int threads, struct msg *m);

#endif
