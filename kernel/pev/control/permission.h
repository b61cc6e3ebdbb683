/* SPDX-License-Identifier: GPL-2.0 */
/* Who may open what. Each returns 0, or a negative errno with the reason in @r. */
#ifndef _PEV_PERMISSION_H
#define _PEV_PERMISSION_H

struct pev_refuse;
struct pev_request;

/* The levels that refuse whatever is asked for. */
int pev_permit_any(int level, struct pev_refuse *r);
/* To write what outlives a crash, and to read what did. */
int pev_permit_crash(struct pev_refuse *r);
/* To lend a guest counters. */
int pev_permit_grant(struct pev_refuse *r);
/* By the level, and what records of the event show. */
int pev_permit_level(const struct pev_request *req, struct pev_refuse *r);
/* By the hooks that Linux has for perf: the same questions are asked here. */
int pev_permit_security(const struct pev_request *req, struct pev_refuse *r);

#endif
