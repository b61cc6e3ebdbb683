// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The tasks and CPUs of a target. perf has one event for one task or one CPU, and
 * a ring for one CPU.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/file.h"
#include "engine/perf/cpus.h"
#include "engine/perf/error.h"
#include "engine/perf/places.h"

void perf_places_free(struct places *p)
{
	free(p->at);
	free(p->mask);
	*p = (struct places){ 0 };
}

int perf_places_add(struct places *p, int pid, int cpu)
{
	struct place *more;

	if (!(p->nr % 16)) {
		more = realloc(p->at, (p->nr + 16) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		p->at = more;
	}
	p->at[p->nr++] = (struct place){ pid, cpu };
	return 0;
}

static bool in_mask(const struct pev_attr *attr, unsigned int cpu)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)attr->cpus;

	if (!attr->cpus_size)
		return true;
	return cpu / 64 < attr->cpus_size / 8 && (words[cpu / 64] >> cpu % 64 & 1);
}

/* Adds every CPU of a list and the mask, for one task or all. */
static int add_cpus(struct places *p, int pid, const char *list, const struct pev_attr *attr)
{
	struct cpu_mask cpus;
	int ret = perf_cpus_read(list, &cpus);

	for (unsigned int cpu = 0; cpu < MOST_CPUS && !ret; cpu++)
		if (perf_cpus_has(&cpus, cpu) && in_mask(attr, cpu))
			ret = perf_places_add(p, pid, (int)cpu);
	return ret;
}

/* Those that come later are added by perf_event_add_cpu(). */
static int add_whole_cpus(struct places *p, int pid, const struct pev_attr *attr)
{
	p->mask = calloc(1, sizeof(*p->mask));
	if (!p->mask)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < MOST_CPUS; cpu++)
		if (in_mask(attr, cpu))
			p->mask->words[cpu / 64] |= 1ULL << cpu % 64;
	return add_cpus(p, pid, CPUS_ONLINE, attr);
}

/*
 * An event that records needs a ring, and rings belong to CPUs. A task's event may wait for
 * a CPU that is offline.
 */
static int add_task(struct places *p, int tid, const struct pev_attr *attr)
{
	return attr->channel_fd >= 0 ? add_cpus(p, tid, CPUS_PRESENT, attr) : perf_places_add(p, tid, -1);
}

static int add_threads(struct places *p, int pid, const struct pev_attr *attr,
		       struct pev_error *err)
{
	struct dirent *e;
	char path[64];
	int ret = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d && errno != ENOENT)
		return pev_fail(err, errno, 0, "%s: %s", path, strerror(errno));
	if (!d)
		return pev_fail(err, ESRCH, 0, "there is no process %d", pid);
	while (!ret && (e = readdir(d)))
		if (e->d_name[0] != '.')
			ret = add_task(p, atoi(e->d_name), attr);
	closedir(d);
	return ret;
}

/* Says whether a process has children: 1 or 0, or -errno where it cannot be known. */
static int has_children(int pid)
{
	char path[64], *text;
	struct dirent *e;
	int ret = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	if (!d)
		return -errno;
	while (!ret && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", pid, e->d_name);
		ret = pev_read_file(path, &text, NULL);
		if (!ret) {
			ret = text[0] != '\0';
			free(text);
		} else if (ret == -ENOENT || ret == -ESRCH) {
			/* a thread that has ended has none */
			ret = 0;
		}
	}
	closedir(d);
	return ret;
}

static int subtree(struct places *p, int pid, const struct pev_attr *attr, struct pev_error *err)
{
	int ret = has_children(pid);

	if (ret < 0 && ret != -ENOENT)
		return pev_fail(err, -ret, 0, "the children of process %d: %s", pid,
				strerror(-ret));
	if (ret > 0)
		return pev_fail(err, EOPNOTSUPP, 0, "process %d has children already: "
				"perf_event_open(2) follows those that are started from now on "
				"only, and cannot take a whole subtree without missing some. Name "
				"the processes (-p), or boot a kernel with pev", pid);
	p->inherit = true;
	return add_threads(p, pid, attr, err);
}

static int process(const struct perf_engine *engine, struct places *p, int pid,
		   const struct pev_attr *attr, struct pev_error *err)
{
	p->inherit = true;
	p->threads = engine->features & PERF_HAS_INHERIT_THREAD;
	return add_threads(p, pid, attr, err);
}

/* Has a process a virtual machine of KVM open? 1, 0, or -errno where it cannot be known */
static int runs_machine(int pid)
{
	char path[64], to[64];
	struct dirent *e;
	int found = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	if (!d)
		return -errno;
	while (!found && (e = readdir(d))) {
		ssize_t len = readlinkat(dirfd(d), e->d_name, to, sizeof(to) - 1);

		to[len > 0 ? len : 0] = 0;
		found = !strcmp(to, "anon_inode:kvm-vm");
	}
	closedir(d);
	return found;
}

/* What its threads do outside of the guest is not wanted, so none has to be left out. */
static int guest(const struct perf_engine *engine, struct places *p, int pid,
		 const struct pev_attr *attr, struct pev_error *err)
{
	int ret = runs_machine(pid);

	if (ret < 0)
		return pev_fail(err, -ret, 0, "the guest of process %d: %s", pid, strerror(-ret));
	if (!ret)
		return pev_fail(err, EINVAL, 0, "process %d runs no virtual machine of KVM", pid);
	return process(engine, p, pid, attr, err);
}

int perf_places_make(const struct perf_engine *engine, struct places *p,
		     const struct pev_attr *attr, struct pev_error *err)
{
	int id = attr->target_id ? attr->target_id : getpid(), ret;

	*p = (struct places){ 0 };
	switch (attr->target) {
	case PEV_TARGET_TASK:
		ret = add_task(p, attr->target_id, attr);
		break;
	case PEV_TARGET_PROCESS:
		ret = process(engine, p, id, attr, err);
		break;
	case PEV_TARGET_SUBTREE:
		ret = subtree(p, id, attr, err);
		break;
	case PEV_TARGET_CPUS:
		ret = add_whole_cpus(p, -1, attr);
		break;
	case PEV_TARGET_CGROUP:
		p->cgroup = true;
		ret = add_whole_cpus(p, attr->target_id, attr);
		break;
	case PEV_TARGET_GUEST:
		ret = guest(engine, p, id, attr, err);
		break;
	default:
		ret = pev_fail(err, EINVAL, 0, "an event needs a target");
	}
	if (!ret && !p->nr)
		ret = pev_fail(err, ENODEV, 0, "none of these CPUs is online");
	if (ret == -ENOMEM)
		pev_fail(err, ENOMEM, 0, "no memory");
	if (ret == -ENOENT && access("/sys/devices/system/cpu", F_OK))
		pev_fail(err, ENOENT, 0, "which CPUs there are is in sysfs, which is not mounted "
			 "here: as root, \"mount -t sysfs sysfs /sys\"");
	if (ret) {
		perf_places_free(p);
	}
	return ret;
}

bool perf_places_equal(const struct places *a, const struct places *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++)
		if (a->at[i].pid != b->at[i].pid || a->at[i].cpu != b->at[i].cpu)
			return false;
	return true;
}

int perf_places_copy(struct places *to, const struct places *from)
{
	int ret = 0;

	*to = (struct places){ .cgroup = from->cgroup, .inherit = from->inherit,
			       .threads = from->threads };
	for (size_t i = 0; i < from->nr && !ret; i++)
		ret = perf_places_add(to, from->at[i].pid, from->at[i].cpu);
	if (ret)
		perf_places_free(to);
	return ret;
}
