/* SPDX-License-Identifier: GPL-2.0 */
/* What a recording says of its losses when it ends. */
#ifndef PERFCTL_RECORD_ACCOUNT_H
#define PERFCTL_RECORD_ACCOUNT_H

#include "recorder.h"

/* By ring */
int account_losses(struct recorder *r, struct pev_writer *w);
/* By event */
int account_counts(struct recorder *r, struct pev_writer *w);
/* CPUs that were not measured all the time */
int account_gaps(const struct recorder *r, struct pev_writer *w);

#endif
