// SPDX-License-Identifier: GPL-2.0
/* CPUs, and where they are: /sys/devices/system/cpu and node. */
#include "readers.h"
#include "rows.h"
#include "base/cpulist.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* PMUs of processors with several kinds of cores name the CPUs of each. */
static const char *const core_kinds[] = { "cpu_core", "cpu_atom", "cpu_lowpower" };

/**
 * struct places - what is said of several CPUs at once
 * @nodes: their numbers
 * @of_node: CPUs of each
 * @of_kind: CPUs of each of core_kinds[]
 */
struct places {
	uint32_t *nodes;
	size_t n;
	struct cpulist *of_node;
	struct cpulist of_kind[ARRAY_SIZE(core_kinds)];
};

static void read_list(struct cpulist *l, int dir, const char *name)
{
	char text[INVENTORY_TEXT];
	struct msg ignored;

	if (!rows_text(dir, name, text, sizeof(text)) || !*text || cpulist_parse(l, text, &ignored))
		*l = (struct cpulist){ 0 };
}

static void read_places(struct places *p, const char *sys)
{
	int dir = rows_open(sys, "devices/system/node"), devices;
	char name[40];

	*p = (struct places){ 0 };
	if (dir >= 0) {
		p->nodes = rows_numbers(dir, "node", &p->n);
		p->of_node = xcalloc(p->n + 1, sizeof(*p->of_node));
		for (size_t i = 0; i < p->n; i++) {
			snprintf(name, sizeof(name), "node%u/cpulist", p->nodes[i]);
			read_list(&p->of_node[i], dir, name);
		}
		close(dir);
	}
	devices = rows_open(sys, "devices");
	for (size_t i = 0; devices >= 0 && i < ARRAY_SIZE(core_kinds); i++) {
		snprintf(name, sizeof(name), "%s/cpus", core_kinds[i]);
		read_list(&p->of_kind[i], devices, name);
	}
	if (devices >= 0)
		close(devices);
}

static void free_places(struct places *p)
{
	for (size_t i = 0; i < p->n; i++)
		cpulist_free(&p->of_node[i]);
	for (size_t i = 0; i < ARRAY_SIZE(core_kinds); i++)
		cpulist_free(&p->of_kind[i]);
	free(p->of_node);
	free(p->nodes);
}

/* Which of the threads of its core is it? */
static int64_t rank(int dir, unsigned int cpu)
{
	struct cpulist threads;
	int64_t before = 0;

	read_list(&threads, dir, "topology/thread_siblings_list");
	if (!cpulist_has(&threads, cpu))
		before = -1;
	for (unsigned int i = 0; before >= 0 && i < cpu; i++)
		before += cpulist_has(&threads, i);
	cpulist_free(&threads);
	return before;
}

/* @dir: of the CPU. One that is off has no topology. */
static int add_cpu(struct gather *g, const struct places *p, int dir, unsigned int cpu)
{
	struct inventory_row row = { .kind = INVENTORY_CPU };
	int64_t node = -1;

	for (size_t i = 0; i < p->n; i++)
		if (cpulist_has(&p->of_node[i], cpu))
			node = p->nodes[i];
	for (size_t i = 0; i < ARRAY_SIZE(core_kinds); i++)
		if (cpulist_has(&p->of_kind[i], cpu))
			row.s[0] = core_kinds[i];
	row.n[0] = cpu;
	/* one that can't be switched off has no such file */
	row.n[1] = rows_number(dir, "online", 1) != 0;
	row.n[2] = (uint64_t)rows_number(dir, "topology/physical_package_id", -1);
	row.n[3] = (uint64_t)rows_number(dir, "topology/core_id", -1);
	row.n[4] = (uint64_t)rank(dir, cpu);
	row.n[5] = (uint64_t)node;
	row.n[6] = (uint64_t)rows_number(dir, "cpufreq/cpuinfo_max_freq", 0);
	row.n[7] = (uint64_t)rows_number(dir, "cpu_capacity", 0);
	return rows_add(g, &row);
}

static int read_cpus(struct gather *g)
{
	int dir = rows_open(g->sys, "devices/system/cpu"), err = 0;
	struct places places;
	char name[16];
	uint32_t *cpus;
	size_t n;

	if (dir < 0) {
		rows_unreadable(g, INVENTORY_CPU, dir);
		return 0;
	}
	read_places(&places, g->sys);
	cpus = rows_numbers(dir, "cpu", &n);
	for (size_t i = 0; i < n && !err; i++) {
		int of_cpu;

		snprintf(name, sizeof(name), "cpu%u", cpus[i]);
		of_cpu = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (of_cpu < 0)
			continue; /* it was taken out */
		err = add_cpu(g, &places, of_cpu, cpus[i]);
		close(of_cpu);
	}
	free(cpus);
	free_places(&places);
	close(dir);
	return err;
}

const struct inventory_reader inventory_cpus = { read_cpus };
