// SPDX-License-Identifier: GPL-2.0
/* CPUs by core, socket and node, as sysfs says, and threads. See parts.h. */
#include "parts.h"
#include "base/cpulist.h"
#include "pmu/sysfs.h"

#include <errno.h>
#include <stdlib.h>

#define CPU_DIR "/sys/devices/system/cpu"
#define NODE_DIR "/sys/devices/system/node"

const char *stat_by_option(enum stat_by by)
{
	static const char *const names[] = {
		[STAT_BY_CPU] = "--per-cpu",	   [STAT_BY_CORE] = "--per-core",
		[STAT_BY_SOCKET] = "--per-socket", [STAT_BY_NODE] = "--per-node",
		[STAT_BY_THREAD] = "--per-thread",
	};

	return names[by];
}

/* Returns a CPU's number in its topology, -1 if it is offline. */
static int topology(unsigned int cpu, const char *file)
{
	char *path = xasprintf(CPU_DIR "/cpu%u/topology/%s", cpu, file);
	char *text = file_read(path, NULL);
	int number = text ? atoi(text) : -1;

	free(path);
	free(text);
	return number;
}

static void read_list(struct cpulist *l, const char *path)
{
	char *text = file_read(path, NULL);
	struct msg ignored;

	*l = (struct cpulist){ 0 };
	if (text)
		cpulist_parse(l, text, &ignored);
	free(text);
}

/* Returns the node of a CPU; all are of node 0 where the kernel has no nodes. */
static int node_of(unsigned int cpu, const struct cpulist *nodes)
{
	int found = nodes->n ? -1 : 0;

	for (unsigned int node = 0; node < nodes->n * 64 && found < 0; node++) {
		struct cpulist cpus;
		char *path;

		if (!cpulist_has(nodes, node))
			continue;
		path = xasprintf(NODE_DIR "/node%u/cpulist", node);
		read_list(&cpus, path);
		if (cpulist_has(&cpus, cpu))
			found = (int)node;
		cpulist_free(&cpus);
		free(path);
	}
	return found;
}

static void locate(struct stat_part *p, enum stat_by by, unsigned int cpu,
		   const struct cpulist *nodes)
{
	*p = (struct stat_part){ 0 };
	if (by == STAT_BY_CPU)
		p->number = (int)cpu;
	if (by == STAT_BY_NODE)
		p->number = node_of(cpu, nodes);
	if (by == STAT_BY_SOCKET || by == STAT_BY_CORE)
		p->socket = topology(cpu, "physical_package_id");
	if (by == STAT_BY_CORE) {
		p->die = topology(cpu, "die_id");
		p->core = topology(cpu, "core_id");
		/* not every architecture has dies */
		if (p->die < 0 && p->core >= 0)
			p->die = 0;
	}
}

static char *name_of(const struct stat_part *p, enum stat_by by)
{
	if (by == STAT_BY_CPU)
		return xasprintf("CPU%d", p->number);
	if (by == STAT_BY_NODE)
		return p->number < 0 ? xstrdup("N?") : xasprintf("N%d", p->number);
	if (by == STAT_BY_THREAD)
		return xasprintf("%s-%d", p->comm, p->number);
	if (p->socket < 0)
		return xstrdup("S?");
	return by == STAT_BY_SOCKET ? xasprintf("S%d", p->socket) :
				      xasprintf("S%d-D%d-C%d", p->socket, p->die, p->core);
}

static int order(const void *a, const void *b)
{
	const struct stat_part *x = a, *y = b;

	if (x->socket != y->socket)
		return x->socket < y->socket ? -1 : 1;
	if (x->die != y->die)
		return x->die < y->die ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void add_cpu(struct stat_part *p, unsigned int cpu)
{
	size_t n;
	const struct pmu_kind *k = pmu_kinds(&n);

	p->cpus++;
	for (size_t i = 0; i < n && i < STAT_MOST_KINDS; i++)
		p->of_kind[i] += cpulist_has(&k[i].cpus, cpu);
}

unsigned int stat_part_cpus(const struct stat_part *p, uint64_t type)
{
	size_t n;
	const struct pmu_kind *k = pmu_kinds(&n);

	for (size_t i = 0; i < n && i < STAT_MOST_KINDS; i++)
		if (k[i].type == type)
			return p->of_kind[i];
	return p->cpus;
}

bool stat_part_is_mixed(const struct stat_parts *parts, const struct stat_part *p)
{
	size_t kinds = 0;

	for (size_t i = 0; i < STAT_MOST_KINDS; i++)
		kinds += p->of_kind[i] != 0;
	return kinds > 1 || parts->by == STAT_BY_THREAD;
}

/* @places: of each CPU; @counted: those that are measured */
static void add_cpus(struct stat_parts *parts, const struct stat_part *places,
		     const struct cpulist *counted)
{
	struct stat_part *sorted = xcalloc(parts->n_cpus, sizeof(*sorted));

	memcpy(sorted, places, parts->n_cpus * sizeof(*sorted));
	qsort(sorted, parts->n_cpus, sizeof(*sorted), order);
	for (size_t i = 0; i < parts->n_cpus; i++) {
		struct stat_part *p;

		if (i && !order(&sorted[i], &sorted[i - 1]))
			continue;
		p = ARRAY_PUSH(parts->at, parts->n, parts->cap);
		*p = sorted[i];
		p->name = name_of(p, parts->by);
	}
	free(sorted);
	for (size_t cpu = 0; cpu < parts->n_cpus; cpu++) {
		const struct stat_part *p = bsearch(&places[cpu], parts->at, parts->n,
						    sizeof(*parts->at), order);

		parts->of_cpu[cpu] = (size_t)(p - parts->at);
		if (cpulist_has(counted, (unsigned int)cpu))
			add_cpu(&parts->at[p - parts->at], (unsigned int)cpu);
	}
}

static int make_cpus(struct stat_parts *parts, const struct target *t)
{
	struct cpulist possible, online, nodes;
	struct stat_part *places;

	read_list(&possible, CPU_DIR "/possible");
	cpulist_online(&online);
	read_list(&nodes, NODE_DIR "/online");
	for (unsigned int i = 0; t->cpus.n && i < online.n; i++)
		online.words[i] &= i < t->cpus.n ? t->cpus.words[i] : 0;
	for (unsigned int cpu = 0; cpu < possible.n * 64; cpu++)
		if (cpulist_has(&possible, cpu))
			parts->n_cpus = cpu + 1;
	parts->of_cpu = xcalloc(parts->n_cpus, sizeof(*parts->of_cpu));
	places = xcalloc(parts->n_cpus, sizeof(*places));
	for (unsigned int cpu = 0; cpu < parts->n_cpus; cpu++)
		locate(&places[cpu], parts->by, cpu, &nodes);
	add_cpus(parts, places, &online);
	free(places);
	cpulist_free(&possible);
	cpulist_free(&online);
	cpulist_free(&nodes);
	return 0;
}

static void make_threads(struct stat_parts *parts, const struct target *t)
{
	for (size_t i = 0; i < t->n_ids; i++) {
		struct stat_part *p = ARRAY_PUSH(parts->at, parts->n, parts->cap);
		char *path = xasprintf("/proc/%d/comm", t->ids[i]);
		char *comm = file_read(path, NULL);

		p->number = t->ids[i];
		p->comm = comm ? comm : xstrdup("?");
		p->comm[strcspn(p->comm, "\n")] = 0;
		p->name = name_of(p, STAT_BY_THREAD);
		free(path);
	}
}

int stat_parts_make(struct stat_parts *parts, enum stat_by by, const struct target *t,
		    struct msg *m)
{
	*parts = (struct stat_parts){ .by = by };
	if (by == STAT_BY_THREAD)
		make_threads(parts, t);
	else if (by != STAT_BY_NONE)
		make_cpus(parts, t);
	if (by != STAT_BY_NONE && !parts->n)
		return msg_set(m, -ENOENT, "%s: " CPU_DIR " does not say which CPUs there are",
			       stat_by_option(by));
	return 0;
}

void stat_parts_free(struct stat_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		free(parts->at[i].name);
		free(parts->at[i].comm);
	}
	free(parts->at);
	free(parts->of_cpu);
	*parts = (struct stat_parts){ 0 };
}

int stat_parts_read(const struct stat_parts *parts, const struct event_set *set, size_t event,
		    struct pev_value **values, struct msg *m)
{
	struct pev_value *cpus;
	unsigned int n;
	int err;

	*values = NULL;
	if (set->plan->events[event].refused)
		return 0;
	if (parts->by == STAT_BY_THREAD) {
		*values = xcalloc(parts->n, sizeof(**values));
		return event_set_read_ids(set, event, *values, m);
	}
	err = event_set_read_cpus(set, event, &cpus, &n, m);
	if (err)
		return err;
	*values = xcalloc(parts->n, sizeof(**values));
	for (unsigned int cpu = 0; cpu < n && cpu < parts->n_cpus; cpu++)
		event_value_add(&(*values)[parts->of_cpu[cpu]], &cpus[cpu]);
	free(cpus);
	return 0;
}
