// SPDX-License-Identifier: GPL-2.0
/*
 * Owns who may open what: kernel.pev_paranoid, security modules, lockdown. What a task may see
 * of another one is the target's to decide.
 */
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <linux/pev_refuse.h>
#include <linux/security.h>
#include "base/paranoid.h"
#include "event/sources.h"
#include "glue/linux.h"
#include "table/table.h"
#include "types.h"
#include "permission.h"

/* Does a record show where the kernel was, or a counter what it did? */
static bool shows_kernel(const struct pev_request *req)
{
	const struct pev_attr *attr = &req->attr;
	enum pev_shows shows = pev_source_of(attr->type)->shows;

	/* what a guest's kernel does belongs to who runs the guest */
	if (attr->flags & (PEV_F_EXCLUDE_KERNEL | PEV_F_EXCLUDE_HOST))
		return false;
	if (shows == PEV_SHOWS_KERNEL_COUNT)
		return true;
	if (req->table && pev_table_has(req->table, PEV_TABLE_KSTACK))
		return true;
	return attr->channel_fd >= 0 &&
	       ((attr->sample & (PEV_SAMPLE_IP | PEV_SAMPLE_KSTACK)) || shows == PEV_SHOWS_KERNEL);
}

int pev_permit_any(int level, struct pev_refuse *r)
{
	if (level >= PEV_PARANOID_OFF)
		return pev_refuse(r, EACCES, PEV_NO_FIELD,
				  "pev is switched off: kernel.pev_paranoid is %d", level);
	if (level >= PEV_PARANOID_ALL && !perfmon_capable())
		return pev_refuse(r, EACCES, PEV_NO_FIELD,
				  "CAP_PERFMON is needed for everything: %s is %d",
				  pev_paranoid_name(), level);
	return 0;
}

/* Who reads it after a reboot sees what the machine did for all users, with no task to ask. */
int pev_permit_crash(struct pev_refuse *r)
{
	int err = pev_permit_any(pev_paranoid_level(), r);

	if (err)
		return err;
	if (!perfmon_capable())
		return pev_refuse(r, EACCES, PEV_NO_FIELD,
				  "what is there after a crash, or on the console at one, is of all users: CAP_PERFMON is needed at every level");
	err = pev_security_perf(PERF_SECURITY_OPEN);
	err = err ?: pev_security_perf(PERF_SECURITY_TRACEPOINT);
	err = err ?: security_locked_down(LOCKDOWN_PERF);
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD,
				  "a security module or lockdown refuses");
	return 0;
}

/* The counters of a machine are given to another kernel, and are others' no more. */
int pev_permit_grant(struct pev_refuse *r)
{
	int err = pev_permit_any(pev_paranoid_level(), r);

	if (err)
		return err;
	if (!perfmon_capable())
		return pev_refuse(r, EACCES, PEV_NO_FIELD,
				  "who lends counters to a guest takes them from all others: CAP_PERFMON is needed at every level");
	err = pev_security_perf(PERF_SECURITY_OPEN);
	err = err ?: pev_security_perf(PERF_SECURITY_CPU);
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD, "the security module refuses");
	return 0;
}

int pev_permit_level(const struct pev_request *req, struct pev_refuse *r)
{
	const struct pev_attr *attr = &req->attr;
	int level = pev_paranoid_level();
	int err = pev_permit_any(level, r);

	if (err || perfmon_capable())
		return err;
	/* arguments hold what other users type and send: no sysctl opens them */
	if (attr->flags & PEV_F_TEXT &&
	    (attr->target == PEV_TARGET_CPUS || attr->target == PEV_TARGET_CGROUP))
		return pev_refuse(r, EACCES, PEV_FIELD(flags),
				  "PEV_F_TEXT on tasks of others needs CAP_PERFMON at every level");
	if (level < PEV_PARANOID_TRACE)
		return 0;
	if (level >= PEV_PARANOID_MACHINE &&
	    (attr->target == PEV_TARGET_CPUS || attr->target == PEV_TARGET_CGROUP))
		return pev_refuse(r, EACCES, PEV_FIELD(target),
				  "CPUs, the machine and cgroups need CAP_PERFMON: %s is %d",
				  pev_paranoid_name(), level);
	if (level >= PEV_PARANOID_KERNEL && shows_kernel(req))
		return pev_refuse(r, EACCES, PEV_FIELD(flags),
				  "what the kernel does needs CAP_PERFMON (%s is %d): set PEV_F_EXCLUDE_KERNEL",
				  pev_paranoid_name(), level);
	return 0;
}

int pev_permit_security(const struct pev_request *req, struct pev_refuse *r)
{
	const struct pev_attr *attr = &req->attr;
	bool data = pev_source_of(attr->type)->shows == PEV_SHOWS_KERNEL_DATA ||
		    attr->sample & PEV_SAMPLE_EXIT;
	int err;

	err = pev_security_perf(PERF_SECURITY_OPEN);
	if (!err && (attr->target == PEV_TARGET_CPUS || attr->target == PEV_TARGET_CGROUP))
		err = pev_security_perf(PERF_SECURITY_CPU);
	if (!err && shows_kernel(req))
		err = pev_security_perf(PERF_SECURITY_KERNEL);
	if (!err && data)
		err = pev_security_perf(PERF_SECURITY_TRACEPOINT);
	if (err)
		return pev_refuse(r, -err, PEV_NO_FIELD, "the security module refuses");
	if (data || shows_kernel(req)) {
		err = security_locked_down(LOCKDOWN_PERF);
		if (err)
			return pev_refuse(r, -err, PEV_NO_FIELD,
					  "the kernel is locked down: kernel data stays inside");
	}
	return 0;
}
