// SPDX-License-Identifier: LGPL-2.1-only
/*
 * make_trace DIR EVENTS: writes the sample trace and prints for each event, in
 * order of time, what babeltrace must show of it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "sample.h"

static void print_field(const struct pev_event *ev, const struct pev_field *f, bool context)
{
	char buf[1024];

	pev_event_print_field(ev, f, context, buf, sizeof(buf));
	printf(" %s=%s", f->name, buf);
}

int main(int argc, char **argv)
{
	const struct pev_event *ev;
	struct pev_trace *trace;
	struct pev_cursor *c;
	struct pev_error err;

	if (argc != 3 || sample_trace(argv[1], atoi(argv[2]), 4096))
		return 1;
	if (pev_trace_open(argv[1], &trace, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (pev_cursor_open(trace, NULL, &c))
		return 1;
	while (pev_cursor_next(c, &ev) > 0) {
		printf("%" PRIu64 " %s cpu=%u tid=%u", ev->time, ev->cls->name, ev->cpu, ev->tid);
		for (unsigned int i = 0; i < ev->cls->nr_context; i++)
			print_field(ev, &ev->cls->context[i], true);
		for (unsigned int i = 0; i < ev->cls->nr_fields; i++)
			print_field(ev, &ev->cls->fields[i], false);
		printf("\n");
	}
	pev_cursor_close(c);
	pev_trace_close(trace);
	return 0;
}
