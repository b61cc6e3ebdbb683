// SPDX-License-Identifier: GPL-2.0
/*
 * Checkpoints. See checkpoint.h and session/since.h, which reads them.
 *
 * One is what /proc says, as it is written when a recording begins, in the stream "checkpoint": all
 * records have the time before the first process was looked at, and an empty packet behind them that
 * after the last. What a process does meanwhile is among the events, so that a reader of all of
 * them from the first time on knows the processes at the second one.
 */
#include "checkpoint.h"
#include "recorder.h"
#include "procs/state.h"

#include <errno.h>
#include <stdlib.h>

/* of the recording between two of them */
#define CHECKPOINT_BYTES (64u << 20)
/* it has at most a thirty-second of the recording */
#define CHECKPOINT_SHARE 32
#define CHECKPOINT_PACKET 16384
/* no other stream of a trace has this number: those of encoders are counted */
#define CHECKPOINT_STREAM (PEV_STREAM_USER + (1ull << 31))

static int keep_packet(void *arg, const void *packet, size_t len)
{
	strbuf_add(arg, packet, len);
	return 0;
}

/* The sum of hashes of all lines of BPF programs, whose order does not matter */
static uint64_t bpf_programs(const char *path)
{
	char *text = file_read(path, NULL), *at = text, *end;
	uint64_t sum = 0;

	while (at && (at = strstr(at, "\t[bpf]\n"))) {
		uint64_t h = 0;

		for (end = at; at > text && at[-1] != '\n'; at--)
			h = hash_2u64(h, (unsigned char)at[-1]);
		sum += h;
		at = end + 1;
	}
	free(text);
	return sum;
}

/* Functions that came into the kernel are told once: a checkpoint does without them. */
static bool has_new_functions(const struct checkpoint *c)
{
	char *path;
	bool has;

	if (!pev_meta_class_by_name(c->meta, "pev:kernel_function"))
		return false;
	path = xasprintf("%s/info/kallsyms", c->path);
	has = bpf_programs(path) != bpf_programs("/proc/kallsyms");
	free(path);
	return has;
}

static int encode(struct recorder *r)
{
	struct checkpoint *c = &r->checkpoint;
	struct pev_encoder *enc;
	int err = pev_encoder_new(c->meta, CHECKPOINT_PACKET, CHECKPOINT_STREAM, 0, keep_packet,
				  &c->packets, &enc), close_err;

	if (err)
		return err;
	err = has_new_functions(c) ? -EAGAIN :
				     proc_state_encode(enc, c->meta, r->config.target, c->begin, true);
	close_err = pev_encoder_close(enc);
	return err ? err : close_err;
}

static void *make(void *arg)
{
	struct recorder *r = arg;
	struct checkpoint *c = &r->checkpoint;

	c->err = encode(r);
	c->end = switch_clock_now(&r->clock, c->meta);
	__atomic_store_n(&c->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start(struct recorder *r)
{
	struct checkpoint *c = &r->checkpoint;

	c->ended = false;
	c->packets.len = 0;
	c->begin = switch_clock_now(&r->clock, c->meta);
	free(c->path);
	c->path = xstrdup(r->dir.path);
	c->runs = !pthread_create(&c->thread, NULL, make, r);
	/* the next one is tried later */
	c->due = pev_writer_bytes(r->writer) + CHECKPOINT_BYTES;
}

static int put_packet(struct recorder *r, struct pev_packet *packet, size_t len)
{
	packet->packet_seq_num = r->checkpoint.seq++;
	return pev_writer_named(r->writer, "checkpoint", packet, len);
}

static int put_packets(struct recorder *r)
{
	struct checkpoint *c = &r->checkpoint;
	struct pev_packet last = { 0 };
	int err = 0;

	for (size_t at = 0, len; at < c->packets.len && !err; at += len) {
		struct pev_packet *packet = (struct pev_packet *)(c->packets.s + at);

		last = *packet;
		len = packet->packet_size / 8;
		err = put_packet(r, packet, len);
	}
	if (err || !c->packets.len)
		return err;
	last.timestamp_begin = last.timestamp_end = c->end;
	last.content_size = last.packet_size = sizeof(last) * 8;
	return put_packet(r, &last, sizeof(last));
}

static void join(struct checkpoint *c)
{
	if (c->runs)
		pthread_join(c->thread, NULL);
	c->runs = false;
}

static int finish(struct recorder *r)
{
	struct checkpoint *c = &r->checkpoint;
	uint64_t bytes = c->packets.len;
	int err;

	join(c);
	err = c->err ? 0 : put_packets(r);
	c->due = pev_writer_bytes(r->writer) + max_u64(CHECKPOINT_BYTES, CHECKPOINT_SHARE * bytes);
	return err;
}

void checkpoint_init(struct recorder *r, struct pev_meta *meta)
{
	struct checkpoint *c = &r->checkpoint;

	if (meta) {
		pev_meta_free(c->meta);
		c->meta = meta;
	}
	c->seq = 0;
	c->due = CHECKPOINT_BYTES;
}

int checkpoint_look(struct recorder *r)
{
	struct checkpoint *c = &r->checkpoint;

	/* what comes through a pipe is not looked for by its index; a channel tells of no process */
	if (!c->meta || !r->dir.path || r->config.overwrite || r->config.channel)
		return 0;
	if (c->runs)
		return __atomic_load_n(&c->ended, __ATOMIC_ACQUIRE) ? finish(r) : 0;
	if (pev_writer_bytes(r->writer) >= c->due)
		start(r);
	return 0;
}

void checkpoint_stop(struct checkpoint *c)
{
	join(c);
	c->due = UINT64_MAX;
}

void checkpoint_free(struct checkpoint *c)
{
	checkpoint_stop(c);
	pev_meta_free(c->meta);
	strbuf_free(&c->packets);
	free(c->path);
	*c = (struct checkpoint){ 0 };
}
