// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Says what perf_event_open(2) does not: which of the many causes of its errors it
 * was, as far as that can be found out.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "engine/perf/error.h"
#include "engine/perf/info.h"

/* Says why there can be no probe; 0: it is none. */
static int no_probe(struct pev_error *err, int error, const struct perf_event_attr *attr)
{
	bool kernel = perf_is_pmu(attr, "kprobe");

	if (!kernel && !perf_is_pmu(attr, "uprobe"))
		return 0;
	if (error == EACCES || error == EPERM)
		return pev_fail(err, error, 0, "probes need CAP_PERFMON, whatever "
				"kernel.perf_event_paranoid allows: be root");
	if (error == ESRCH || error == ENOMEM || error == EMFILE)
		return 0;
	return pev_fail(err, error, 0, kernel ?
			"the kernel has no function of that name, or allows no probe there: at "
			"what probes use themselves, and within an instruction (%s)" :
			"the file has no code there, or the kernel allows no probe at that "
			"instruction, or on that file system (%s)", strerror(error));
}

static const char *wanted(const struct perf_event_attr *attr, const struct places *places)
{
	if (places->cgroup)
		return "a cgroup";
	if (places->nr && places->at[0].pid == -1)
		return "whole CPUs";
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return "a tracepoint";
	if (!attr->exclude_kernel)
		return "the kernel side";
	return "this process";
}

/* Returns the level of perf_event_paranoid that would allow it. */
static int needed_level(const struct perf_event_attr *attr, const struct places *places)
{
	if (attr->type == PERF_TYPE_TRACEPOINT)
		return -1;
	if (places->cgroup || (places->nr && places->at[0].pid == -1))
		return 0;
	return attr->exclude_kernel ? 2 : 1;
}

/* Whether a task of the target is one that this user may not look into */
static bool is_of_others(const struct places *places)
{
	char path[64], to[1];

	if (!places->nr || places->at[0].pid <= 0 || places->cgroup)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/exe", places->at[0].pid);
	return readlink(path, to, sizeof(to)) < 0 && (errno == EACCES || errno == EPERM);
}

static int no_rights(struct pev_error *err, int error, const struct perf_event_attr *attr,
		     const struct places *places)
{
	int level = perf_paranoid(), needed = needed_level(attr, places);
	bool of_others = is_of_others(places);

	/* a lower level would not help */
	if (level <= needed || of_others)
		return pev_fail(err, error, 0,
				"%s may not be measured by you: it belongs to another "
				"user, or a security module forbids it; root may",
				of_others ? "this process" : wanted(attr, places));
	/* Debian's kernels know this level: CAP_PERFMON is not enough there */
	if (level > 2)
		return pev_fail(err, error, 0, "kernel.perf_event_paranoid is %d, so that only root "
				"may measure %s: as root, \"sysctl kernel.perf_event_paranoid=%d\" lets "
				"everyone", level, wanted(attr, places), needed);
	return pev_fail(err, error, 0, "kernel.perf_event_paranoid is %d, so that only those with "
			"CAP_PERFMON may measure %s: as root, \"sysctl kernel.perf_event_paranoid=%d\" lets "
			"everyone, \"setcap cap_perfmon+ep\" on pev-perfmon those who may run it", level,
			wanted(attr, places), needed);
}

static int invalid(struct pev_error *err, const struct perf_event_attr *attr)
{
	unsigned int most = perf_max_rate();

	if (attr->freq && most && attr->sample_freq > most)
		return pev_fail(err, EINVAL, 0, "%llu samples a second are more than "
				"kernel.perf_event_max_sample_rate allows (1 to %u)",
				(unsigned long long)attr->sample_freq, most);
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		return pev_fail(err, EINVAL, 0,
				"perf_event_open(2) refuses these attributes; samples "
				"with registers and stack are the least common of them: try -g fp");
	if (attr->type >= PERF_TYPE_MAX && attr->sample_period)
		return pev_fail(err, EINVAL, 0, "this PMU takes no samples, or has no event of that "
				"code; \"perfctl stat\" may count it");
	if (attr->type >= PERF_TYPE_MAX)
		return pev_fail(err, EINVAL, 0, "this PMU has no event of that code, or counts "
				"whole CPUs only, in all modes");
	if (attr->type == PERF_TYPE_RAW)
		return pev_fail(err, EINVAL, 0, "the processor has no event of that code, or its "
				"group can never count together");
	return pev_fail(err, EINVAL, 0,
			"perf_event_open(2) refuses these attributes: the group can "
			"never count together, or this kernel is too old for one of "
			"them");
}

/* Returns whether the event itself was refused, not its user, target or number. */
static bool is_about_event(int error)
{
	return error == EINVAL || error == ENOENT || error == EOPNOTSUPP || error == ENODEV;
}

int perf_fail_files(struct pev_error *err)
{
	return pev_fail(err, EMFILE, 0,
			"each event takes a descriptor for each task and CPU, and a "
			"process may have so many only: raise \"ulimit -n\"");
}

int perf_fail_open(struct pev_error *err, int error, const struct perf_event_attr *attr,
		   const struct places *places)
{
	int ret = no_probe(err, error, attr);

	if (ret)
		return ret;
	if (error == EACCES || error == EPERM)
		return no_rights(err, error, attr, places);
	if (attr->precise_ip && is_about_event(error))
		return pev_fail(err, error, 0, "no PMU here gives the address of its samples as "
				"exactly as level %u asks for, or counts it at all: virtual "
				"machines seldom do, and not every event has each level",
				attr->precise_ip);
	/* nothing else asks for a controller of the cgroup */
	if (places->cgroup && error == ENOENT)
		return pev_fail(err, ENOENT, 0, "the cgroup has no controller perf_event: as root, "
				"\"echo +cpu >/sys/fs/cgroup/cgroup.subtree_control\", or anything else "
				"that is written there, lets cgroups have it");
	switch (error) {
	case EINVAL:
		return invalid(err, attr);
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return pev_fail(err, error, 0, attr->type == PERF_TYPE_SOFTWARE ||
				attr->type == PERF_TYPE_TRACEPOINT ?
				"this kernel does not have it" :
				"there is no PMU here that counts or samples it, as in most virtual "
				"machines");
	case ESRCH:
		return pev_fail(err, error, 0, "the process is gone");
	case EBUSY:
		return pev_fail(err, error, 0, "the counter is taken by another user for itself");
	case ENOSYS:
		return pev_fail(err, error, 0, "this kernel was built without perf events "
				"(CONFIG_PERF_EVENTS)");
	default:
		return pev_fail(err, error, 0, "perf_event_open(2): %s", strerror(error));
	}
}
