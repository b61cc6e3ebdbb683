// SPDX-License-Identifier: GPL-2.0
/* Where CPUs are, from what the machine had when the recording began. See topology.h. */
#include "topology.h"
#include "inventory/table.h"
#include "rows.h"

#include <errno.h>
#include <stdlib.h>

/* More have no machine, and a number of a damaged recording is to take no memory. */
#define CPUS_MOST 65536

/* Numbers of a CPU's row, see inventory/kinds.c */
enum { CPU_NR = 0, CPU_PACKAGE = 2, CPU_CORE = 3, CPU_NODE = 5 };

static uint32_t place(uint64_t n)
{
	return n < UINT32_MAX - 1 ? (uint32_t)n + 1 : 0;
}

void topology_load(struct topology *t, const struct session *session)
{
	struct inventory v = { 0 };

	*t = (struct topology){ 0 };
	inventory_load(&v, session->trace);
	for (size_t i = 0; i < v.n; i++) {
		const struct inventory_row *row = &v.rows[i];

		if (row->kind != INVENTORY_CPU || row->n[CPU_NR] >= CPUS_MOST)
			continue;
		while (t->n <= row->n[CPU_NR])
			*ARRAY_PUSH(t->cpus, t->n, t->cap) = (struct topology_cpu){ 0 };
		t->cpus[row->n[CPU_NR]] = (struct topology_cpu){
			.node = place(row->n[CPU_NODE]),
			.socket = place(row->n[CPU_PACKAGE]),
			.core = place(row->n[CPU_CORE]),
		};
	}
	inventory_free(&v);
}

void topology_free(struct topology *t)
{
	free(t->cpus);
	*t = (struct topology){ 0 };
}

struct topology_cpu topology_of(const struct topology *t, uint32_t cpu)
{
	return cpu < t->n ? t->cpus[cpu] : (struct topology_cpu){ 0 };
}

int topology_check(const struct session *session, unsigned int mask, struct msg *m)
{
	bool node = false, socket = false, core = false;
	const char *missing;
	struct topology t;

	if (!(mask & SORT_PLACES))
		return 0;
	topology_load(&t, session);
	for (size_t i = 0; i < t.n; i++) {
		node |= t.cpus[i].node;
		socket |= t.cpus[i].socket;
		core |= t.cpus[i].core;
	}
	missing = mask & (1u << SORT_NODE) && !node	? "node" :
		  mask & (1u << SORT_SOCKET) && !socket ? "socket" :
		  mask & (1u << SORT_CORE) && !core	? "core" :
							  NULL;
	topology_free(&t);
	if (!missing)
		return 0;
	return msg_set(m, -ENODATA,
		       "--sort %s: %s does not say in which %s its CPUs are: \"perfctl record\" "
		       "writes that if the machine says it, unless --no-state or --fold is given; "
		       "--sort cpu needs no such thing",
		       missing, pev_trace_path(session->trace), missing);
}
