/* SPDX-License-Identifier: GPL-2.0 */
/* What the user should know about a recording. */
#ifndef PERFCTL_REPORT_NOTES_H
#define PERFCTL_REPORT_NOTES_H

#include "profile/profile.h"

/* Prints to stderr; @filtered: not all samples were asked for. */
void report_notes(const struct profile *p, bool filtered);

#endif
