// SPDX-License-Identifier: GPL-2.0
/*
 * From one part of a recording to the next. All that takes long is done before the cut or in a
 * thread behind it: between them, the rings only wait for their next reader.
 */
#include "switch.h"
#include "account.h"
#include "describe.h"
#include "kernel_symbols.h"
#include "procs/state.h"
#include "recorder.h"
#include "event/engine.h"

#include <stdlib.h>

/*
 * The time of day may be set and is slewed, so that it cannot be asked again; and a clock of the
 * system may be another container's, so that only its differences count.
 */
void switch_clock_start(struct switch_clock *c, const struct pev_meta *meta)
{
	bool cycles = !strcmp(pev_meta_clock(meta)->name, "cycles");

	c->id = cycles ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC;
	clock_gettime(c->id, &c->at);
	c->ticks = proc_state_time(meta);
}

uint64_t switch_clock_now(const struct switch_clock *c, const struct pev_meta *meta)
{
	uint64_t freq = pev_meta_clock(meta)->freq;
	struct timespec now;
	uint64_t s, ns;

	clock_gettime(c->id, &now);
	s = (uint64_t)(now.tv_sec - c->at.tv_sec);
	ns = (uint64_t)now.tv_nsec;
	/* both are below a second */
	if (now.tv_nsec < c->at.tv_nsec) {
		s--;
		ns += 1000000000;
	}
	ns -= (uint64_t)c->at.tv_nsec;
	return c->ticks + s * freq + (uint64_t)((double)ns * (double)freq / 1e9);
}

static void *end_part(void *arg)
{
	struct part_end *e = arg;
	int err;

	if (e->dir.path)
		kernel_symbols_reduce(e->writer, e->dir.path, e->packed);
	err = pev_writer_close(e->writer);
	trace_dir_free(&e->dir);
	e->err = err;
	return NULL;
}

int switch_finish(struct recorder *r)
{
	struct part_end *e = &r->part_end;
	int err;

	if (e->runs)
		pthread_join(e->thread, NULL);
	err = e->err;
	*e = (struct part_end){ 0 };
	return err;
}

static void start_end(struct recorder *r, struct pev_writer *w, struct trace_dir *dir)
{
	struct part_end *e = &r->part_end;

	r->bytes += pev_writer_bytes(w);
	*e = (struct part_end){ .writer = w, .dir = *dir, .packed = r->config.compress };
	e->runs = !pthread_create(&e->thread, NULL, end_part, e);
	if (!e->runs)
		end_part(e);
}

/* What the old part says at last: all of it is what has been read until now. */
static int account(struct recorder *r, struct pev_writer *old)
{
	struct msg ignored;
	int err;

	checkpoint_stop(&r->checkpoint);
	err = account_losses(r, old);

	if (!err)
		err = account_gaps(r, old);
	if (!err)
		err = account_counts(r, old);
	return err ? err : describe_metadata(r, old, NULL, &ignored);
}

/*
 * What is older than @time is in the old part then. Processes are read after the cut and said to
 * have been there at @time, so that none is missing that starts meanwhile; of one that ends before
 * it is read, the new part does not know the name.
 */
static int cut(struct recorder *r, struct pev_writer *w, struct trace_dir *dir,
	       const struct pev_meta *meta, struct msg *m)
{
	bool down = r->relayed.down;
	/* what is in the rings since then comes with this part */
	uint64_t time = down ? r->relayed.since : switch_clock_now(&r->clock, meta);
	struct pev_writer *old = r->writer;
	struct trace_dir old_dir = r->dir;
	int64_t n;
	int err;

	pev_engine_flush(engine(), r->fd);
	n = recorder_drain(r);
	err = n < 0 ? (int)n : 0;
	/* a relay's recording whose connection has ended is not heard */
	if (!err && !down)
		err = account(r, old);
	if (!err)
		err = pev_writer_continue(w, old);
	if (!err)
		err = relayed_take_over(r, w);
	if (err)
		return recorder_write_failed(r, err, m);
	r->writer = w;
	r->dir = *dir;
	start_end(r, old, &old_dir);
	checkpoint_init(r, NULL);
	err = proc_state_write(w, meta, r->config.target, time, true, m);
	return err ? err : recorder_write_state(r, w, meta, time, true, m);
}

static int begin(struct recorder *r, struct pev_writer *w, struct pev_meta **meta, struct msg *m)
{
	int err = pev_writer_continue(w, r->writer);

	if (err)
		return msg_set(m, err, "the next part: %s", strerror(-err));
	err = recorder_pack(r, w, m);
	return err ? err : describe_trace(r, w, meta, m);
}

static int switch_to(struct recorder *r, struct pev_writer *w, struct trace_dir *dir, struct msg *m)
{
	struct pev_meta *meta = NULL;
	int err = begin(r, w, &meta, m);

	if (!err)
		err = cut(r, w, dir, meta, m);
	pev_meta_free(meta);
	if (r->writer != w)
		pev_writer_close(w);
	return err;
}

int recorder_switch(struct recorder *r, const char *path, struct msg *m)
{
	struct trace_dir dir;
	struct pev_writer *w;
	int err = switch_finish(r);

	if (err)
		return recorder_write_failed(r, err, m);
	err = trace_dir_open(&dir, path, &w, m);
	if (err)
		return err;
	err = switch_to(r, w, &dir, m);
	if (r->writer == w)
		r->config.path = path;
	else
		trace_dir_discard(&dir);
	return err;
}

int recorder_switch_writer(struct recorder *r, struct pev_writer *w, struct msg *m)
{
	struct trace_dir none = { 0 };

	/* the part before is of no disk, and its end no error */
	switch_finish(r);
	return switch_to(r, w, &none, m);
}
