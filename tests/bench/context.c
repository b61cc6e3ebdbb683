// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs that a record carries the request of its thread, in instructions: a record
 * with it less one without it. See bench.h.
 */
#include "bench.h"

#include <math.h>
#include <pev/context.h>
#include <unistd.h>

#define TRIES 4

static __thread struct pev_thread_context request, *current_request;

/* Records with @sample of CALLS times getppid(). Return: ns for one */
static double calls(uint64_t sample)
{
	int channel = listen_pev_channel();
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_TRACEPOINT,
						  .name = "raw_syscalls:sys_enter",
						  .period = 1,
						  .sample = PEV_SAMPLE_TID | PEV_SAMPLE_PID |
							    sample },
			    channel);
	double ns = INFINITY;

	for (int i = 0; i < TRIES; i++)
		ns = fmin(ns, load_calls(CALLS / TRIES));
	if (listen_pev_records(fd) < CALLS)
		die("pev recorded less than happened");
	close(fd);
	close(channel);
	load_settle();
	return ns;
}

void measure_context(void)
{
	struct pev_error why;
	struct figure *f;
	double bare;

	load_calls(CALLS);
	bare = calls(0);
	f = figure("context_never", 0, "the request of a thread, where none ever had one");
	f->at[PEV] = calls(PEV_SAMPLE_CONTEXT) - bare;
	if (pev_context_attach(&current_request, &why))
		die("%s", why.text);
	f = figure("context_none", 0, "... of a thread that works for none");
	f->at[PEV] = calls(PEV_SAMPLE_CONTEXT) - bare;
	pev_context_write(&request, "0123456789abcdef", "01234567");
	pev_context_point(&current_request, &request);
	f = figure("context", 60, "... of a thread that works for one");
	f->at[PEV] = calls(PEV_SAMPLE_CONTEXT) - bare;
	pev_context_attach(NULL, NULL);
}
