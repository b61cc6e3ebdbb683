// SPDX-License-Identifier: LGPL-2.1-only
/*
 * make_trace DIR EVENTS: writes the sample trace and prints for each event, in
 * order of time, what babeltrace must show of it.
 *
 * make_trace DIR streams: the same of a trace of two classes of streams.
 *
 * make_trace DIR print: only prints; for traces that others wrote.
 *
 * make_trace DIR lost: writes a trace of three events with losses of 17 records on
 * CPU 0 and 3 on CPU 5, packets of several sizes and a stream with a name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sample.h"

static void print_field(const struct pev_event *ev, const struct pev_field *f, bool context)
{
	static char buf[200000];

	pev_event_print_field(ev, f, context ? PEV_PRINT_CONTEXT : 0, buf, sizeof(buf));
	printf(" %s=%s", f->name, buf);
}

static int take(void *arg, const void *packet, size_t len)
{
	return pev_writer_packets(arg, 0, packet, len);
}

static int put(struct pev_encoder *enc, const struct pev_meta *meta, uint64_t time,
	       const char *data, size_t len)
{
	int ret = pev_encoder_begin(enc, pev_meta_class_by_name(meta, "pev:mmap"), time, 1);

	if (!ret)
		ret = pev_encoder_data(enc, "filename", data, len);
	return ret ? ret : pev_encoder_commit(enc);
}

static int make_lost(const char *path)
{
	static char big[30000];
	struct pev_encoder *state, *enc;
	struct pev_writer *w;
	struct pev_meta *meta;
	size_t len;
	char *text = sample_metadata(&len);

	memset(big, 'x', sizeof(big) - 1);
	if (pev_meta_parse(text, len, 0, &meta, NULL) || pev_writer_open(path, 0, &w, NULL) ||
	    pev_writer_metadata(w, text, len) || pev_writer_info(w, "command", "x") ||
	    pev_writer_encoder(w, meta, "state", 0, &state) ||
	    pev_encoder_new(meta, 4096, 0, 0, take, w, &enc) ||
	    put(state, meta, SAMPLE_BEGIN, "/bin/true", 10) ||
	    put(state, meta, SAMPLE_BEGIN + 100, big, sizeof(big)) ||
	    put(enc, meta, SAMPLE_BEGIN + 200, "/bin/false", 11) ||
	    pev_encoder_close(state) || pev_encoder_close(enc) ||
	    pev_writer_lost(w, 0, 0, 17, SAMPLE_BEGIN + 1000) ||
	    pev_writer_lost(w, 7, 5, 3, SAMPLE_BEGIN + 1000))
		return 1;
	pev_meta_free(meta);
	free(text);
	return pev_writer_close(w) ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct pev_event *ev;
	struct pev_trace *trace;
	struct pev_cursor *c;
	struct pev_error err;

	if (argc == 3 && !strcmp(argv[2], "lost"))
		return make_lost(argv[1]);
	if (argc != 3)
		return 1;
	if (!strcmp(argv[2], "streams") ? sample_streams(argv[1], 700) :
	    strcmp(argv[2], "print") && sample_trace(argv[1], atoi(argv[2]), 4096))
		return 1;
	if (pev_trace_open(argv[1], 0, &trace, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (pev_cursor_open(trace, NULL, 0, &c))
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
