// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the way through all places of a probe: those that can't be probed, and what the
 * opener is told of them. Must not know how a place is probed.
 */
#include <linux/pev_refuse.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include "place.h"
#include "probe.h"

/* What is above it, user space has no name for. */
#define MAX_USER_ERRNO	511

int pev_probe_refuse_place(const struct pev_probe_event *probe, u32 i, int err,
			   struct pev_refuse *r)
{
	const char *name = pev_probe_name(probe, i);

	switch (err) {
	case -ENOENT:
		return pev_refuse(r, ENOENT, PEV_FIELD(config),
				  "there is no function \"%s\" in the kernel or a loaded module",
				  name);
	case -EINTR:
		return pev_refuse(r, EINTR, PEV_NO_FIELD, "a signal came");
	default:
		return pev_refuse(r, -err, PEV_FIELD(config),
				  "%s can't be probed at offset 0x%llx: the kernel's error is %d",
				  name, probe->places[i].offset, -err);
	}
}

/* May the place be left out? That is noted, then. */
static bool skip(struct pev_probe_event *probe, u32 i, int err)
{
	if (!probe->skipped || err == -EINTR || err == -ENOMEM)
		return false;
	/* an error of the kernel's own is none of the user's */
	probe->skipped[i] = err < -MAX_USER_ERRNO ? -EOPNOTSUPP : err;
	return true;
}

/* Tell the opener which were left out. */
static int report(struct pev_probe_event *probe, struct pev_refuse *r)
{
	if (!probe->skipped || !copy_to_user(probe->results, probe->skipped,
					     probe->nr * sizeof(*probe->skipped)))
		return 0;
	return pev_refuse(r, EFAULT, PEV_FIELD(config), "results of the probe can't be written");
}

int pev_probe_place_all(struct pev_probe_event *probe, void *to, pev_probe_place_fn place,
			pev_probe_refuse_fn refuse, struct pev_refuse *r)
{
	bool any = false;

	for (u32 i = 0; i < probe->nr; i++) {
		int err = fatal_signal_pending(current) ? -EINTR : place(probe, to, i);

		if (err && (!skip(probe, i, err) || (i + 1 == probe->nr && !any)))
			return refuse(probe, i, err, r);
		any |= !err;
		cond_resched();
	}
	return report(probe, r);
}
