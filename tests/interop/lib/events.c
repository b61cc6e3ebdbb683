// SPDX-License-Identifier: LGPL-2.1-only
/*
 * events DIR: what libpev reads of a trace, in the form of events.py
 */
#include <inttypes.h>
#include <stdio.h>
#include <pev/pev.h>

static void print_field(const struct pev_event *ev, const struct pev_field *f, bool context)
{
	static char buf[400000];

	pev_event_print_field(ev, f, context ? PEV_PRINT_CONTEXT : 0, buf, sizeof(buf));
	printf(" %s=%s", f->name, buf);
}

int main(int argc, char **argv)
{
	const struct pev_event *ev;
	struct pev_trace *trace;
	struct pev_cursor *c;
	struct pev_error err;

	if (argc != 2)
		return 2;
	if (pev_trace_open(argv[1], 0, &trace, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (pev_cursor_open(trace, NULL, 0, &c))
		return 1;
	while (pev_cursor_next(c, &ev) > 0) {
		printf("%s %" PRIu64 " %" PRId64 " %s cpu=%u tid=%u", ev->stream->name, ev->time,
		       pev_event_ns(ev), ev->cls->name, ev->cpu, ev->tid);
		for (unsigned int i = 0; i < ev->cls->nr_context; i++)
			print_field(ev, &ev->cls->context[i], true);
		for (unsigned int i = 0; i < ev->cls->nr_fields; i++)
			print_field(ev, &ev->cls->fields[i], false);
		printf("\n");
	}
	for (unsigned int i = 0; i < pev_trace_nr_streams(trace); i++) {
		const struct pev_stream *s = pev_trace_stream(trace, i);

		printf("lost %s %" PRIu64 "\n", s->name, s->lost);
	}
	for (unsigned int i = 0; i < pev_trace_nr_warnings(trace); i++)
		fprintf(stderr, "%s\n", pev_trace_warning(trace, i));
	pev_cursor_close(c);
	pev_trace_close(trace);
	return 0;
}
