// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Counts what a piece of this program costs, on kernels with pev and on those without, where it is
 * counted by perf_event_open(2).
 *
 *	cc -o any_kernel any_kernel.c $(pkg-config --cflags --libs libpev) && ./any_kernel [EVENT]
 *
 * EVENT is any name that "perfctl list" shows: task-clock, instructions, sched:sched_switch.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pev/pev.h>

static struct pev_error why;

static int must(int ret)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "any_kernel: %s\n", why.text[0] ? why.text : strerror(-ret));
	exit(1);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "page-faults";
	struct pev_engine *engine;
	struct pev_value value;
	struct pev_attr attr;
	int event;

	must(pev_engine_new(NULL, 0, &engine, &why));
	pev_attr_event(&attr, 0, 0, NULL);
	if (pev_attr_by_name(&attr, name)) {
		fprintf(stderr, "any_kernel: there is no event \"%s\"\n", name);
		return 1;
	}
	attr.flags = PEV_F_DISABLED;
	event = must(pev_engine_open(engine, &attr, 0, &why));

	must(pev_engine_enable(engine, event, 0));
	memset(malloc(1 << 20), 1, 1 << 20);
	must(pev_engine_disable(engine, event, 0));

	must(pev_engine_read(engine, event, &value));
	printf("%" PRIu64 " %s, by %s\n", (uint64_t)value.value, name, pev_engine_name(engine));
	pev_engine_close(engine, event);
	pev_engine_free(engine);
	return 0;
}
