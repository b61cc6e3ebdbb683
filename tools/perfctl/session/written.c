// SPDX-License-Identifier: GPL-2.0
/* What of a recording has reached the disk. See written.h. */
#include "written.h"
#include "session.h"

#include <stdlib.h>

static int count_one(void *arg, const struct pev_event *ev)
{
	uint64_t *n = arg;

	(void)ev;
	++*n;
	return 0;
}

uint64_t written_records(const char *path)
{
	struct session s;
	uint64_t n = 0;
	struct msg m;
	bool *wanted;

	if (session_open(&s, path, &m))
		return 0;
	wanted = xcalloc(s.n_classes + 1, sizeof(*wanted));
	for (unsigned int i = 0; i < s.n_classes; i++)
		wanted[i] = s.classes[i].kind == SESSION_EVENT;
	for (unsigned int i = 0; i < pev_trace_nr_streams(s.trace); i++) {
		const struct pev_stream *stream = pev_trace_stream(s.trace, i);

		pev_stream_scan(stream, 0, stream->nr_packets, wanted, count_one, &n);
	}
	free(wanted);
	session_close(&s);
	return n;
}
