// SPDX-License-Identifier: GPL-2.0
/* One channel, its events, and their way to the disk. See recorder.h. */
#include "recorder.h"
#include "kernel_symbols.h"
#include "proc_state.h"
#include "written.h"
#include "base/say.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/version.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#define RING_DEFAULT (1u << 20)
#define RING_LEAST   (64u << 10)
#define PACKET_MOST  (64u << 10)
/* so often a pipe is found full after the user wants an end, until its reader is given up */
#define FULL_MOST 25
/* less than a second goes by before a record is on the disk, see recording.c */
#define FLUSH_MS     400
/* so often readers that follow the recording are told how far it is complete */
#define SYNC_NS 400000000ull

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
	ring = attr.ring_size;
	attr.packet_size = (uint32_t)min_u64(max_u64(ring / 16, PEV_MIN_PACKET), most);
	attr.watermark = (uint32_t)min_u64(max_u64(ring / 4, attr.packet_size), 1u << 30);
	attr.clock = r->config.clock;
	attr.flags = r->config.overwrite ? PEV_CHF_OVERWRITE : 0;
	attr.flush_ms = r->config.overwrite ? 0 : FLUSH_MS;
	return pev_engine_open(engine(), &attr, 0, why);
}

/* Unless the user chose a size, smaller rings are better than none. */
static int channel_fd(struct recorder *r, struct msg *m)
{
	uint64_t wish = r->config.ring_default ? r->config.ring_default : RING_DEFAULT;
	uint64_t ring = r->config.ring_size ? r->config.ring_size : wish;
	struct pev_error why;
	char size[32];
	int fd;

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
		     "(ulimit -l)", text_bytes(size, ring));
	return fd;
}

static int open_events(struct recorder *r, struct msg *m)
{
	const struct target *t = r->config.target;
	struct event_plan *plan = r->config.plan;
	uint64_t flags = PEV_F_DISABLED |
			 (t->workload && !r->config.later ? PEV_F_ENABLE_ON_EXEC : 0);
	int err;

	/* Opens what tools need to know about processes; on the same target, and on at once. */
	event_plan_sideband(&r->sideband, r->fd, ~0u, "tell which code ran");
	err = event_set_open(&r->side, &r->sideband, t, r->config.overwrite ? PEV_F_DISABLED : 0,
			     m);
	if (!err && r->config.overwrite)
		err = proc_history_open(&r->history, t, r->config.clock, m);
	if (err)
		return err;
	for (size_t i = 0; i < plan->n && !r->config.fold; i++)
		pev_attr_record(&plan->events[i].attr, r->fd, plan->events[i].attr.period,
				plan->events[i].attr.sample);
	if (r->config.fold)
		err = fold_open(&r->fold, plan, r->config.clock, r->config.max_stack, m);
	if (err)
		return err;
	err = event_set_open(&r->set, plan, t, flags, m);
	if (!err)
		cpu_watch_init(&r->cpus, t);
	return err;
}

/* Are kernel addresses recorded, so that their symbols are needed? */
static bool wants_kallsyms(const struct recorder *r)
{
	const struct event_plan *plan = r->config.plan;

	for (size_t i = 0; i < plan->n; i++) {
		const struct planned_event *e = &plan->events[i];

		if (e->attr.sample & PEV_SAMPLE_KSTACK)
			return true;
		if ((r->config.fold || (e->attr.sample & PEV_SAMPLE_IP)) && !e->user_only &&
		    !(e->attr.flags & PEV_F_EXCLUDE_KERNEL))
			return true;
	}
	return false;
}

static int write_vdso(struct pev_writer *w)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	char *maps = vdso ? file_read("/proc/self/maps", NULL) : NULL;
	unsigned long start, end;
	char *line = maps;
	int err = 0;

	while (line && *line) {
		char *next = strchr(line, '\n');

		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == (unsigned long)vdso &&
		    end > start && end - start < (1u << 20))
			err = pev_writer_info_file(w, "vdso", vdso, end - start);
		line = next ? next + 1 : NULL;
	}
	free(maps);
	return err;
}

/* Notes which registers samples carry, as a record has only their number. */
static int write_regs(const struct recorder *r, struct pev_writer *w)
{
	const struct event_plan *plan = r->config.plan;
	char mask[24];

	for (size_t i = 0; i < plan->n; i++) {
		if (!plan->events[i].attr.regs_user)
			continue;
		snprintf(mask, sizeof(mask), "0x%" PRIx64,
			 (uint64_t)plan->events[i].attr.regs_user);
		return pev_writer_info(w, "regs_user", mask);
	}
	return 0;
}

const char *recorder_strerror(int err)
{
	return err == -ETIMEDOUT ? "its reader takes nothing" :
	       err == -EPIPE	 ? "its reader has ended" :
				   strerror(-err);
}

static int cannot_write(const struct recorder *r, int err, struct msg *m)
{
	return msg_set(m, err == -EPIPE || err == -ETIMEDOUT ? -EIO : err, "%s: %s", r->config.path,
		       recorder_strerror(err));
}

static int read_metadata(struct recorder *r, struct strbuf *text, struct msg *m)
{
	char *of_channel;
	size_t len;
	int err = pev_engine_metadata(engine(), r->fd, &of_channel, &len);

	if (err)
		return msg_set(m, err, "reading the channel's metadata: %s", strerror(-err));
	strbuf_add(text, of_channel, len);
	free(of_channel);
	if (r->config.fold)
		err = fold_metadata(&r->fold, text);
	return err ? msg_set(m, err, "metadata of the tables: %s", strerror(-err)) : 0;
}

static int write_metadata(struct recorder *r, struct pev_writer *w, struct pev_meta **meta,
			  struct msg *m)
{
	struct strbuf text = { 0 };
	struct pev_error e;
	int err = read_metadata(r, &text, m);

	if (err)
		return err;
	err = pev_writer_metadata(w, text.s, text.len);
	if (err)
		err = cannot_write(r, err, m);
	if (!err && meta) {
		err = pev_meta_parse(text.s, text.len, 0, meta, &e);
		if (err)
			msg_set(m, err, "the channel's metadata: %s", e.text);
	}
	if (!err && meta && r->config.fold)
		err = fold_begin(&r->fold, w, text.s, text.len, m);
	strbuf_free(&text);
	return err;
}

/* Writes all of a trace but the packets. */
static int describe(struct recorder *r, struct pev_writer *w, struct msg *m)
{
	unsigned int flags = wants_kallsyms(r) ? PEV_SYSTEM_KALLSYMS | PEV_SYSTEM_MODULES : 0;
	struct pev_meta *meta = NULL;
	char pid[16];
	int err = write_metadata(r, w, &meta, m);

	if (err)
		return err;
	err = pev_writer_system(w, flags);
	if (!err)
		err = pev_writer_info(w, "command", r->config.command);
	if (!err && r->config.command_pid) {
		snprintf(pid, sizeof(pid), "%d", r->config.command_pid);
		err = pev_writer_info(w, "command_pid", pid);
	}
	if (!err)
		err = write_regs(r, w);
	if (!err)
		err = pev_writer_info(w, "target", r->config.target->text);
	if (!err)
		err = pev_writer_info(w, "tool", "perfctl " PERFCTL_VERSION);
	if (!err)
		err = pev_writer_info(w, "engine", pev_engine_name(engine()));
	if (!err && !pev_engine_exact_losses(engine()))
		err = pev_writer_info(w, "losses", "at least");
	if (!err)
		err = write_vdso(w);
	if (err)
		err = cannot_write(r, err, m);
	else if (r->config.overwrite)
		err = proc_history_write(&r->history, w, meta, m);
	else
		err = proc_state_write(w, meta, r->config.target, m);
	pev_meta_free(meta);
	return err;
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

static int open_trace(struct recorder *r, const char *path, struct trace_dir *dir,
		      struct pev_writer **w, struct msg *m)
{
	int err = r->config.pipe ? open_pipe(r, w, m) : trace_dir_open(dir, path, w, m);

	if (err)
		return err;
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

	*r = (struct recorder){ .config = *config, .fd = -1 };
	r->fd = channel_fd(r, m);
	if (r->fd < 0)
		return r->fd;
	err = open_events(r, m);
	if (err)
		return err;
	err = pev_engine_map(engine(), r->fd, 0, &r->channel);
	if (err)
		return msg_set(m, err, "mapping the rings: %s", strerror(-err));
	return config->overwrite ? 0 : open_trace(r, config->path, &r->dir, &r->writer, m);
}

int recorder_start(struct recorder *r, struct msg *m)
{
	return r->config.target->workload && !r->config.later ? 0 : event_set_enable(&r->set, true, m);
}

int recorder_fd(const struct recorder *r)
{
	return r->config.overwrite && engine_is_pev() ? -1 : r->fd;
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
		err = write_metadata(r, r->writer, NULL, &ignored);
	if (err < 0)
		return err;
	n = pev_writer_drain(r->writer, r->channel);
	err = n > 0 ? write_metadata(r, r->writer, NULL, &ignored) : 0;
	return err ? err : n;
}

/* Is it time to tell readers? Then all packets are closed first. */
static bool wants_sync(struct recorder *r)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (ns - r->synced < SYNC_NS)
		return false;
	r->synced = ns;
	return !pev_engine_flush(engine(), r->fd);
}

int64_t recorder_drain(struct recorder *r)
{
	bool sync;
	int64_t n;
	int err = 0;

	if (r->failed)
		return r->failed;
	cpu_watch_look(&r->cpus);
	/* a flight recorder's rings are filled, and nothing is written */
	if (!r->writer) {
		r->failed = proc_history_read(&r->history);
		if (r->failed)
			return r->failed;
		return r->channel ? pev_channel_map_new(r->channel) : 0;
	}
	sync = wants_sync(r);
	n = describes_calls(r->config.plan) ? drain_calls(r) :
					      pev_writer_drain(r->writer, r->channel);
	if (n >= 0 && r->config.fold)
		err = fold_drain(&r->fold);
	if (n >= 0 && !err && sync)
		err = pev_writer_sync(r->writer);
	if (n < 0 || err)
		r->failed = n < 0 ? (int)n : err;
	return r->failed ? r->failed : n;
}

static int write_losses(struct recorder *r, struct pev_writer *w)
{
	int err = 0;

	for (unsigned int nr = 0; nr < pev_channel_nr_rings(r->channel) && !err; nr++) {
		struct pev_ring *ring = pev_channel_ring(r->channel, nr);

		if (ring)
			err = pev_writer_lost(w, nr, pev_ring_cpu(ring), pev_ring_lost(ring), 0);
	}
	return err;
}

/* What the kernel counted, by event: rings know losses of all events together only. */
static int write_counts(struct recorder *r)
{
	const struct event_plan *plan = r->config.plan;
	struct pev_value *v = xcalloc(plan->n, sizeof(*v));
	struct strbuf b = { 0 };
	struct msg ignored;
	int err = 0;

	if (!event_set_read(&r->set, v, &ignored)) {
		for (size_t i = 0; i < plan->n; i++) {
			const struct planned_event *e = &plan->events[i];
			const char *name = (const char *)(uintptr_t)e->attr.name;

			strbuf_addf(&b, "%llu %llu %llu %s\n",
				    (unsigned long long)v[i].samples,
				    (unsigned long long)v[i].lost,
				    (unsigned long long)v[i].filtered, name ? name : e->name);
		}
		err = pev_writer_info_file(r->writer, "counts", b.s, b.len);
	}
	strbuf_free(&b);
	free(v);
	return err;
}

static int write_gaps(const struct recorder *r, struct pev_writer *w)
{
	char *text = cpu_watch_text(&r->cpus);
	int err = text ? pev_writer_info(w, "not_measured", text) : 0;

	free(text);
	return err;
}

static int write_failed(struct recorder *r, int err, struct msg *m)
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

int recorder_end(struct recorder *r, struct msg *m)
{
	struct msg ignored;
	int err, close_err;
	int64_t n;

	pev_engine_disable(engine(), r->fd, 0);
	/* tables have no switch of their own */
	if (r->config.fold)
		event_set_enable(&r->set, false, &ignored);
	if (!r->writer)
		return recorder_snapshot(r, r->config.path, m);
	/* records that wait for room come once the rings are empty */
	do {
		pev_engine_flush(engine(), r->fd);
		n = recorder_drain(r);
	} while (n > 0);
	err = n < 0 ? r->failed : 0;
	if (r->config.fold)
		err = write_folded(r, err);
	if (!err)
		err = write_losses(r, r->writer);
	if (!err)
		err = write_gaps(r, r->writer);
	if (!err)
		err = write_counts(r);
	if (!err)
		err = write_metadata(r, r->writer, NULL, m);
	if (!err && r->dir.path)
		kernel_symbols_reduce(r->writer, r->dir.path);
	r->bytes = pev_writer_bytes(r->writer);
	close_err = pev_writer_close(r->writer);
	r->writer = NULL;
	if (!err)
		err = close_err;
	return err ? write_failed(r, err, m) : 0;
}

/* Writes the packets that a ring held at the moment of the snapshot. */
static int copy_span(struct recorder *r, struct pev_writer *w, unsigned int nr,
		     const struct pev_span *span, void *buf)
{
	struct pev_ring *ring = pev_channel_ring(r->channel, nr);
	uint64_t size = ring ? pev_ring_packet_size(ring) : 1, pos;

	if (!ring)
		return 0;
	for (pos = (span->begin + size - 1) / size * size; pos + size <= span->end; pos += size) {
		int err = pev_ring_copy(ring, pos, buf);

		if (err == 1)
			err = pev_writer_packets(w, nr, buf, size);
		else if (err == -ESTALE)
			err = 0;
		if (err)
			return err;
	}
	return 0;
}

static int copy_rings(struct recorder *r, struct pev_writer *w)
{
	struct pev_span *spans;
	unsigned int nr;
	void *buf = xmalloc(PEV_MAX_PACKET);
	int err;

	pev_channel_map_new(r->channel);
	nr = pev_channel_nr_rings(r->channel);
	spans = xcalloc(nr, sizeof(*spans));
	err = pev_engine_snapshot(engine(), r->fd, spans, &nr);
	for (unsigned int i = 0; i < nr && !err; i++)
		err = copy_span(r, w, i, &spans[i], buf);
	free(buf);
	free(spans);
	return err;
}

int recorder_snapshot(struct recorder *r, const char *path, struct msg *m)
{
	struct trace_dir dir;
	struct pev_writer *w;
	int err = open_trace(r, path, &dir, &w, m), close_err;

	if (err)
		return err;
	err = copy_rings(r, w);
	if (!err)
		err = write_metadata(r, w, NULL, m);
	if (!err)
		err = write_gaps(r, w);
	if (!err)
		kernel_symbols_reduce(w, path);
	r->bytes = pev_writer_bytes(w);
	close_err = pev_writer_close(w);
	trace_dir_free(&dir);
	if (!err)
		err = close_err;
	return err ? write_failed(r, err, m) : 0;
}

void recorder_close(struct recorder *r)
{
	/* nothing was recorded */
	fold_close_stream(&r->fold);
	if (r->writer) {
		pev_writer_close(r->writer);
		r->writer = NULL;
		if (r->dir.path)
			trace_dir_discard(&r->dir);
	}
	trace_dir_free(&r->dir);
	pev_channel_unmap(r->channel);
	r->channel = NULL;
	event_set_close(&r->set);
	fold_close(&r->fold);
	event_set_close(&r->side);
	event_plan_free(&r->sideband);
	proc_history_close(&r->history);
	cpu_watch_free(&r->cpus);
	if (r->fd >= 0)
		pev_engine_close(engine(), r->fd);
	r->fd = -1;
}

uint64_t recorder_bytes(const struct recorder *r)
{
	return r->writer ? pev_writer_bytes(r->writer) : r->bytes;
}

uint64_t recorder_missing(const struct recorder *r, uint64_t records)
{
	uint64_t written = r->failed && r->dir.path ? written_records(r->dir.path) : records;

	return written < records ? records - written : 0;
}

uint64_t recorder_lost(const struct recorder *r)
{
	return r->channel ? pev_channel_lost(r->channel) : 0;
}
