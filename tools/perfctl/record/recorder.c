// SPDX-License-Identifier: GPL-2.0
/* One channel, its events, and their way to the disk. See recorder.h. */
#include "recorder.h"
#include "account.h"
#include "describe.h"
#include "kernel_symbols.h"
#include "snapshot.h"
#include "procs/machine_state.h"
#include "procs/state.h"
#include "waited.h"
#include "base/bus.h"
#include "base/clock.h"
#include "base/say.h"
#include "base/stop.h"
#include "base/text.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/set.h"
#include "session/written.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RING_DEFAULT (1u << 20)
#define RING_LEAST   (64u << 10)
#define PACKET_MOST  (64u << 10)
/* so often a pipe is found full after the user wants an end, until its reader is given up */
#define FULL_MOST 25

/*
 * Packets are closed, and readers that follow told how far they can read, each so many ns: with
 * twice a half of the time between two drains, a record is on the disk within config.flush.
 */
static uint64_t step_of(const struct recorder *r)
{
	return r->config.flush * 2 / 5;
}

/*
 * A wake-up costs more than writing some thousand records: the reader sleeps
 * until a ring is a quarter full. Packets are small beside the ring, so that
 * the kernel always has some to write into.
 */
static int open_channel(struct recorder *r, uint64_t ring, struct pev_error *why)
{
	struct pev_attr attr;
	/* a large record that does not fit any more must not leave half a packet empty */
	uint64_t most = r->config.ring_default ? 4 * PACKET_MOST : PACKET_MOST;

	pev_attr_channel(&attr, ring);
	/* the kernel knows how much it has for a crash */
	if (!ring)
		attr.ring_size = 0;
	ring = attr.ring_size;
	if (ring) {
		attr.packet_size = (uint32_t)min_u64(max_u64(ring / 16, PEV_MIN_PACKET), most);
		attr.watermark =
			(uint32_t)min_u64(max_u64(ring / 4, attr.packet_size), 1u << 30);
	}
	attr.clock = r->config.clock;
	attr.flags = (r->config.overwrite ? PEV_CHF_OVERWRITE : 0) |
		     (r->config.crash ? PEV_CHF_PERSIST : 0) |
		     (r->config.panic ? PEV_CHF_PANIC : 0) |
		     (r->config.stopped ? PEV_CHF_STOPPED : 0);
	attr.flush_ms = r->config.overwrite ? 0 : (uint32_t)(step_of(r) / 1000000);
	return pev_engine_open(engine(), &attr, 0, why);
}

/* By another engine it would be a flight recorder like any other, and of no use after the crash. */
static int check_last(const struct recorder *r, struct msg *m)
{
	uint64_t flags = (r->config.crash ? PEV_CHF_PERSIST : 0) |
			 (r->config.panic ? PEV_CHF_PANIC : 0);
	struct pev_info info;

	if (!flags || pev_engine_info(engine(), &info, NULL) || !(flags & ~info.channel_flags))
		return 0;
	return msg_set(
		m, -EOPNOTSUPP,
		"%s takes a kernel with pev, of ABI 12 or later; this recording is by engine "
		"%s: \"perfctl doctor\" says what there is",
		flags & ~info.channel_flags & PEV_CHF_PERSIST ? "--crash" : "--panic",
		pev_engine_name(engine()));
}

/* Unless the user chose a size, smaller rings are better than none. */
static int channel_fd(struct recorder *r, struct msg *m)
{
	uint64_t wish = r->config.ring_default ? r->config.ring_default : RING_DEFAULT;
	uint64_t ring = r->config.ring_size ? r->config.ring_size : wish;
	struct pev_error why;
	char size[32];
	int fd = check_last(r, m);

	if (fd)
		return fd;
	if (r->config.channel)
		return kernel_channel(r->config.channel, m);
	if (r->config.crash) {
		fd = open_channel(r, r->config.ring_size, &why);
		return fd < 0 ? kernel_refused(m, fd, &why, "--crash") : fd;
	}
	for (;;) {
		fd = open_channel(r, ring, &why);
		if (fd >= 0 || r->config.ring_size || (fd != -EPERM && fd != -ENOMEM) ||
		    ring <= RING_LEAST)
			break;
		ring /= 2;
	}
	if (fd < 0)
		return kernel_refused(m, fd, &why, "the rings");
	if (!r->config.ring_size && ring < wish)
		note("rings of %s for each CPU: more does not fit into the limit of locked memory "
		     "(%s)",
		     text_bytes(size, ring), engine_memory_settings());
	return fd;
}

static int open_events(struct recorder *r, struct msg *m)
{
	const struct target *t = r->config.target;
	struct event_plan *plan = r->config.plan;
	uint64_t flags = PEV_F_DISABLED |
			 (t->workload && !r->config.later ? PEV_F_ENABLE_ON_EXEC : 0);
	int err;

	if (r->config.channel)
		return event_set_open(&r->set, plan, t, 0, m);
	/* Opens what tools need to know about processes; on the same target, and on at once. */
	event_plan_sideband(&r->sideband, r->fd, ~0u, "tell which code ran");
	/* those of before a crash have nothing but the rings */
	err = event_set_open(&r->side, &r->sideband, t,
			     r->config.overwrite && !r->config.crash ? PEV_F_DISABLED : 0, m);
	if (!err && r->config.overwrite)
		err = proc_history_open(&r->history, t, r->config.clock, m);
	if (err)
		return err;
	for (size_t i = 0; i < plan->n && !r->config.fold; i++)
		if (!user_marks_are(&plan->events[i]))
			pev_attr_record(&plan->events[i].attr, r->fd, plan->events[i].attr.period,
					plan->events[i].attr.sample);
	if (r->config.fold)
		err = fold_open(&r->fold, plan,
				&(struct fold_limits){
					.tables = engine_is_pev(),
					.clock = r->config.clock,
					.max_stack = r->config.max_stack,
					.ring_size = r->config.ring_size ? r->config.ring_size :
									   RING_DEFAULT,
					.with = r->fd,
				},
				m);
	if (!err && r->config.pairs)
		err = pairs_open(&r->pairs, r->config.pairs, r->fd, plan, m);
	if (err)
		return err;
	err = user_marks_init(&r->marks, plan,
			      &(struct user_marks_limits){ r->config.overwrite, r->config.fold,
							   r->config.clock },
			      m);
	if (!err)
		err = event_set_open(&r->set, plan, t, flags, m);
	if (!err)
		err = user_marks_listen(&r->marks, &r->set, m);
	if (!err)
		cpu_watch_init(&r->cpus, t);
	/* tables, pairs and the count of what a relay lost know the events that there were */
	if (!err && !r->config.fold && !r->config.pairs && !r->config.relay)
		late_init(&r->late, r->config.events);
	return err;
}

const char *recorder_strerror(int err)
{
	return err == -ETIMEDOUT ? "its reader takes nothing" :
	       err == -EPIPE	 ? "its reader has ended" :
				   strerror(-err);
}

/* A reader that stops must not keep the recorder from ending. */
static int pipe_full(void *arg)
{
	struct recorder *r = arg;

	return (r->ending || stop_wanted()) && ++r->full > FULL_MOST ? -ETIMEDOUT : 0;
}

static int open_pipe(struct recorder *r, struct pev_writer **w, struct msg *m)
{
	struct pev_error e;
	int err;

	/* the command was forked already, with its own */
	signal(SIGPIPE, SIG_IGN);
	err = pev_writer_pipe(r->config.pipe, pipe_full, r, w, &e);
	return err ? msg_set(m, -EIO, "%s: %s", r->config.path, e.text) : 0;
}

/* A flight recorder writes at its end, when other files are open. */
int recorder_write_state(const struct recorder *r, struct pev_writer *w,
			 const struct pev_meta *meta, uint64_t time, bool begun, struct msg *m)
{
	const struct target *t = r->config.target;
	struct machine_state s = {
		.target = r->config.overwrite || r->config.channel ? NULL : t,
		.plan = r->config.plan,
		.execs = t->workload && !begun,
		.time = time,
	};
	int err = r->config.state ? machine_state_write(&s, w, meta) : 0;

	return err ? describe_failed(r, err, m) : 0;
}

static int describe(struct recorder *r, struct pev_writer *w, struct msg *m)
{
	struct pev_meta *meta;
	int err = describe_trace(r, w, &meta, m);

	if (err)
		return err;
	if (r->config.overwrite)
		err = proc_history_write(&r->history, w, meta, m);
	else if (!r->config.channel)
		err = proc_state_write(w, meta, r->config.target, proc_state_time(meta), false, m);
	if (!err)
		err = recorder_write_state(r, w, meta, proc_state_time(meta), false, m);
	switch_clock_start(&r->clock, meta);
	checkpoint_init(r, meta);
	return err;
}

/* The fastest level that makes much of a trace smaller */
#define COMPRESS_LEVEL 1

/* More of them than rings would have nothing to do. */
static int start_writers(const struct recorder *r, struct pev_writer *w, struct msg *m)
{
	unsigned int rings = pev_channel_nr_rings(r->channel);
	unsigned int n = r->config.writers < rings ? r->config.writers : rings;
	int err = n > 1 ? pev_writer_threads(w, n) : 0;

	return err ? msg_set(m, err, "--writers: %u threads: %s", n, strerror(-err)) : 0;
}

int recorder_pack(const struct recorder *r, struct pev_writer *w, struct msg *m)
{
	int level = r->config.level ? r->config.level :
		    r->config.fold  ? FOLD_LEVEL :
				      COMPRESS_LEVEL;
	int err = r->config.compress ? pev_writer_compress(w, level) : 0;

	if (!err && r->config.intern && pev_writer_intern(w))
		return msg_set(m, -ENOMEM, "out of memory");
	return !err	       ? start_writers(r, w, m) :
	       err == -ELIBACC ? msg_set(m, -EOPNOTSUPP,
					 "-z: there is no libzstd.so.1: install it (libzstd1), or "
					 "record without -z") :
				 msg_set(m, err, "-z: %s", strerror(-err));
}

int recorder_open_trace(struct recorder *r, const char *path, struct trace_dir *dir,
			struct pev_writer **w, struct msg *m)
{
	int err = r->config.relay ? relayed_open(r, w, m) :
		  r->config.pipe  ? open_pipe(r, w, m) :
				    trace_dir_open(dir, path, w, m);

	if (err)
		return err;
	err = recorder_pack(r, *w, m);
	if (!err)
		err = describe(r, *w, m);
	if (err) {
		fold_close_stream(&r->fold);
		pev_writer_close(*w);
		*w = NULL;
		if (dir->path)
			trace_dir_discard(dir);
	}
	return err;
}

int recorder_open(struct recorder *r, const struct recorder_config *config, struct msg *m)
{
	int err;

	*r = (struct recorder){ .config = *config, .fd = -1, .synced = now_ns() };
	bus_survive();
	r->fd = channel_fd(r, m);
	if (r->fd < 0)
		return r->fd;
	err = open_events(r, m);
	if (err)
		return err;
	err = pev_engine_map(engine(), r->fd, 0, &r->channel);
	if (err)
		return msg_set(m, err, "mapping the rings: %s", strerror(-err));
	/* it was there before */
	if (config->channel)
		r->lost_before = pev_channel_lost(r->channel);
	return config->overwrite ? 0 : recorder_open_trace(r, config->path, &r->dir, &r->writer, m);
}

int recorder_start(struct recorder *r, struct msg *m)
{
	return r->config.target->workload && !r->config.later ? 0 : event_set_enable(&r->set, true, m);
}

int recorder_values(struct recorder *r, struct pev_value *values, struct msg *m)
{
	int err = event_set_read(&r->set, values, m);

	if (err)
		return err;
	err = pairs_values(&r->pairs, values);
	return err ? msg_set(m, err, "reading the table of pairs: %s", strerror(-err)) : 0;
}

int recorder_fd(const struct recorder *r)
{
	int folded = r->config.fold ? fold_fd(&r->fold) : -1;

	return folded >= 0 ? folded : r->config.overwrite && engine_is_pev() ? -1 : r->fd;
}

static bool describes_calls(const struct event_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->events[i].attr.flags & PEV_EF_CALLS)
			return true;
	return false;
}

/*
 * Calls are described when they first happen: before their packets are written, so that these can
 * be read if the recorder is killed, and again for what has happened meanwhile.
 */
static int64_t drain_calls(struct recorder *r)
{
	struct msg ignored;
	int err = pev_channel_map_new(r->channel);
	int64_t n;

	if (err >= 0)
		err = describe_metadata(r, r->writer, NULL, &ignored);
	if (err < 0)
		return err;
	n = pev_writer_drain(r->writer, r->channel);
	err = n > 0 ? describe_metadata(r, r->writer, NULL, &ignored) : 0;
	return err ? err : n;
}

/* Marks are described before their records are written, so that these can always be read. */
static int drain_marks(struct recorder *r)
{
	struct msg ignored;
	int err = user_marks_find(&r->marks);
	int64_t n;

	if (!err && user_marks_wants_metadata(&r->marks))
		err = describe_metadata(r, r->writer, NULL, &ignored);
	if (err)
		return err;
	n = user_marks_drain(&r->marks, r->writer);
	return n < 0 ? (int)n : 0;
}

static int64_t drain_rings(struct recorder *r)
{
	return describes_calls(r->config.plan) ? drain_calls(r) :
						 pev_writer_drain(r->writer, r->channel);
}

/* Is it time to tell readers? Then all packets are closed first. */
static bool wants_sync(struct recorder *r)
{
	uint64_t ns = now_ns();

	if (ns - r->synced < step_of(r))
		return false;
	r->synced = ns;
	/* what is left to be fetched for the packets that are closed is fetched by this thread alone */
	if (r->config.writers > 1 && drain_rings(r) < 0)
		return false;
	return !pev_engine_flush(engine(), r->fd);
}

/* Opens the events of modules that were loaded meanwhile. */
static int open_late(struct recorder *r)
{
	struct event_plan *plan = r->config.plan;
	size_t had = plan->n;
	struct msg ignored;

	if (!late_look(&r->late, plan))
		return 0;
	late_open(&r->set, had, r->config.target, r->fd, r->config.sampling);
	if (r->said) {
		r->said = xrealloc(r->said, plan->n * sizeof(*r->said));
		memset(r->said + had, 0, (plan->n - had) * sizeof(*r->said));
	}
	return r->writer ? describe_metadata(r, r->writer, NULL, &ignored) : 0;
}

int64_t recorder_drain(struct recorder *r)
{
	bool sync;
	int64_t n;
	int err = 0;

	if (r->failed)
		return r->failed;
	cpu_watch_look(&r->cpus);
	r->failed = open_late(r);
	if (r->failed)
		return r->failed;
	/* a flight recorder's rings are filled, and nothing is written */
	if (!r->writer) {
		r->failed = proc_history_read(&r->history);
		if (r->failed)
			return r->failed;
		return r->channel ? pev_channel_map_new(r->channel) : 0;
	}
	sync = wants_sync(r);
	n = drain_rings(r);
	if (n >= 0 && r->config.fold)
		err = fold_drain(&r->fold);
	if (n >= 0 && !err)
		err = drain_marks(r);
	if (n >= 0 && !err)
		err = checkpoint_look(r);
	if (n >= 0 && !err && sync)
		err = pev_writer_sync(r->writer);
	if (n >= 0 && !err)
		err = relayed_look(r);
	if (n < 0 || err)
		r->failed = n < 0 ? (int)n : err;
	return r->failed ? r->failed : n;
}

int recorder_write_failed(struct recorder *r, int err, struct msg *m)
{
	r->failed = err;
	return msg_set(m, err == -ENOSPC || err == -EDQUOT || err == -EFBIG ? err : -EIO,
		       "%s: %s; what was written before can be read", r->config.path,
		       recorder_strerror(err));
}

static int write_folded(struct recorder *r, int err)
{
	int close_err;

	if (!err)
		err = fold_end(&r->fold);
	close_err = fold_close_stream(&r->fold);
	return err ? err : close_err;
}

/*
 * What threads did since their last records is read with these, and stacks that they have not told
 * yet are lost. Where the kernel can't, the recording is without it.
 */
static void flush_threads(struct recorder *r)
{
	while (event_set_flush_threads(&r->set) > 0 && recorder_drain(r) >= 0)
		pev_engine_flush(engine(), r->fd);
}

int recorder_end(struct recorder *r, struct msg *m)
{
	struct msg ignored;
	int err, close_err;
	int64_t n;

	pev_engine_disable(engine(), r->fd, 0);
	/* tables have no switch of their own */
	if (r->config.fold || r->config.pairs)
		event_set_enable(&r->set, false, &ignored);
	flush_threads(r);
	if (!r->writer)
		return recorder_snapshot(r, r->config.path, m);
	checkpoint_stop(&r->checkpoint);
	relayed_ending(r);
	/*
	 * Records that wait for room come once the rings are empty. The owner of a channel of the
	 * kernel's goes on to write.
	 */
	do {
		pev_engine_flush(engine(), r->fd);
		n = recorder_drain(r);
	} while (n > 0 && !r->config.channel);
	err = n < 0 ? r->failed : 0;
	if (r->config.fold)
		err = write_folded(r, err);
	close_err = user_marks_close_streams(&r->marks);
	if (!err)
		err = close_err;
	if (!err)
		err = account_losses(r, r->writer);
	if (!err)
		err = account_gaps(r, r->writer);
	if (!err)
		err = account_counts(r, r->writer);
	if (!err)
		err = waited_write(&r->set, r->writer);
	if (!err)
		err = describe_metadata(r, r->writer, NULL, m);
	if (!err && r->dir.path)
		kernel_symbols_reduce(r->writer, r->dir.path, r->config.compress);
	r->bytes += pev_writer_bytes(r->writer);
	close_err = pev_writer_close(r->writer);
	r->writer = NULL;
	relayed_ended(r);
	if (!err)
		err = close_err;
	close_err = switch_finish(r);
	if (!err)
		err = close_err;
	return err ? recorder_write_failed(r, err, m) : 0;
}

uint64_t recorder_lost_on(const struct recorder *r, const struct pev_ring *ring)
{
	int cpu = pev_ring_cpu(ring);

	return pev_ring_lost(ring) + (cpu < 0 ? 0 : fold_lost(&r->fold, cpu));
}

void recorder_close(struct recorder *r)
{
	switch_finish(r);
	checkpoint_free(&r->checkpoint);
	free(r->said);
	r->said = NULL;
	/* nothing was recorded */
	fold_close_stream(&r->fold);
	user_marks_close_streams(&r->marks);
	if (r->writer) {
		pev_writer_close(r->writer);
		r->writer = NULL;
		if (r->dir.path)
			trace_dir_discard(&r->dir);
	}
	trace_dir_free(&r->dir);
	relayed_free(r);
	pev_channel_unmap(r->channel);
	r->channel = NULL;
	user_marks_free(&r->marks);
	event_set_close(&r->set);
	fold_close(&r->fold);
	pairs_close(&r->pairs);
	event_set_close(&r->side);
	event_plan_free(&r->sideband);
	proc_history_close(&r->history);
	cpu_watch_free(&r->cpus);
	late_free(&r->late);
	if (r->fd >= 0)
		pev_engine_close(engine(), r->fd);
	r->fd = -1;
}

uint64_t recorder_bytes(const struct recorder *r)
{
	return r->bytes + (r->writer ? pev_writer_bytes(r->writer) : 0);
}

uint64_t recorder_missing(const struct recorder *r, uint64_t records)
{
	uint64_t written = r->failed && r->dir.path ? written_records(r->dir.path) : records;

	if (r->relayed.records)
		return r->relayed.records;
	for (size_t i = 0; r->failed && r->said && i < r->config.plan->n; i++)
		written += r->said[i].samples;
	return written < records ? records - written : 0;
}

uint64_t recorder_lost(const struct recorder *r)
{
	return (r->channel ? pev_channel_lost(r->channel) - r->lost_before : 0) +
	       fold_lost(&r->fold, -1);
}
