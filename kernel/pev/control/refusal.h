/* SPDX-License-Identifier: GPL-2.0 */
/* Refusals on their way to the caller. */
#ifndef _PEV_CONTROL_REFUSAL_H
#define _PEV_CONTROL_REFUSAL_H

#include <linux/pev_marker.h>
#include <linux/pev_refuse.h>

/* As pev_refuse_report(), and for all who listen to the marker pev:refusal. */
static inline int pev_refusal(const struct pev_refuse *r, int error, u64 addr, u32 size)
{
	if (error)
		PEV_MARK(pev, refusal, "error %d text %s", -error, r->error ? r->text : "");
	return pev_refuse_report(r, error, addr, size);
}

#endif
