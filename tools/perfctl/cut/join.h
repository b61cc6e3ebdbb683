/* SPDX-License-Identifier: GPL-2.0 */
/* Recordings that follow each other, as the parts of one do, joined to one. */
#ifndef PERFCTL_CUT_JOIN_H
#define PERFCTL_CUT_JOIN_H

#include "base/util.h"

#include <pev/pev.h>

/*
 * Sorts traces by their begin. Can they be joined? They must describe the same events, and no
 * stream of one may begin before that of another one has ended.
 */
bool join_can(const struct pev_trace **traces, unsigned int n);
/* Writes the metadata and all packets of such traces. Returns 0 or -errno. */
int join_write(struct pev_writer *w, const struct pev_trace *const *traces, unsigned int n);

#endif
