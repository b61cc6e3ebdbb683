/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of what is to be opened. Each returns 0, or a negative errno with the reason in @r. */
#ifndef _PEV_CHECK_H
#define _PEV_CHECK_H

struct pev_attr;
struct pev_refuse;

/* Members that have no meaning for the type are 0. */
int pev_check_members(const struct pev_attr *attr, struct pev_refuse *r);
/* Flags and samples are known, and fit the type. */
int pev_check_flags(const struct pev_attr *attr, struct pev_refuse *r);
/* Of an event. */
int pev_check_target(const struct pev_attr *attr, struct pev_refuse *r);

#endif
