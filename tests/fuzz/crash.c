// SPDX-License-Identifier: GPL-2.0
/*
 * What is in memory after a crash is anything. The first byte says what of it is put right, so
 * that what follows is reached; two are the length of the last packet that is published, and the
 * rest is the ring. Whatever is written out can be read to its end, by a reader that knows no more.
 */
// FUZZ-SOURCES: tools/lib/pev/*/*.c tools/lib/pev/*/*/*.c
// FUZZ-CFLAGS: -iquote tools/lib/pev -iquote tests/lib -Itools/lib/pev/include -Iinclude/uapi
// FUZZ-LIBS: -lm -lpthread -ldl
// FUZZ-SEEDS: for f in 00 03 07 0f; do { printf "\x$f\x60\x00"; head -c 12288 /dev/zero; } > "$1/zero$f"; { printf "\x$f\x00\x08"; head -c 12288 tests/unit/lib/metadata.tsdl; } > "$1/text$f"; done
// FUZZ-RUNS: 4000
#include <pev/pev.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "crc32.h"
#include "event_sum.h"

#define PACKET PEV_MIN_PACKET
#define RING   (4u * PACKET)

/* What is put right */
enum {
	HEAD = 1,
	STATE = 2,
	OPENED = 4,
	CLOSED = 8,
};

static char text[65536];
static size_t text_len;
static struct pev_meta *meta;
static int file;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *f = fopen("tests/unit/lib/metadata.tsdl", "re");

	(void)argc;
	(void)argv;
	text_len = f ? fread(text, 1, sizeof(text), f) : 0;
	if (!text_len || pev_meta_parse(text, text_len, 0, &meta, NULL))
		abort();
	fclose(f);
	file = memfd_create("crash", MFD_CLOEXEC);
	return file < 0;
}

/* ---- The bytes ---- */

static void put_right(uint8_t *ring, uint8_t what)
{
	for (uint64_t nr = 0; nr < RING / PACKET; nr++) {
		struct pev_packet *p = (void *)(ring + nr * PACKET);
		uint64_t words[4];

		if (what & OPENED) {
			uint32_t word;

			memcpy(&word, p + 1, sizeof(word));
			p->magic = PEV_PACKET_MAGIC;
			memcpy(p->uuid, pev_meta_uuid(meta), sizeof(p->uuid));
			p->stream_id = 0;
			p->stream_instance_id = p->cpu_id = 1;
			p->packet_size = PACKET * 8;
			p->packet_seq_num = nr;
			p->timestamp_begin = nr << 40 | word >> PEV_ID_BITS;
		}
		if (what & CLOSED) {
			p->timestamp_end = p->timestamp_begin + (1ull << 35);
			p->content_size = (p->content_size % PACKET & ~7ull) * 8;
			words[0] = p->packet_seq_num;
			words[1] = p->timestamp_end;
			words[2] = p->content_size;
			words[3] = p->events_discarded;
			p->reserved = crc32_add(0, words, sizeof(words));
		}
	}
}

static void put(const void *data, size_t len)
{
	if (write(file, data, len) != (ssize_t)len)
		abort();
}

static void put_file(const uint8_t *data, size_t size)
{
	uint8_t what = data[0];
	struct pev_crash head = {
		.size = sizeof(head), .nr_rings = 1, .ring_size = RING, .packet_size = PACKET,
		.metadata_size = text_len,
	};
	struct pev_crash_ring state = { .cpu = 1 };
	static _Alignas(64) uint8_t ring[RING];

	state.head = (data[1] | data[2] << 8) % RING & ~7u;
	state.lost = data[1];
	memcpy(head.uuid, pev_meta_uuid(meta), sizeof(head.uuid));
	data += 3;
	size -= 3;
	if (!(what & HEAD))
		memcpy(&head, data, size < sizeof(head) ? size : sizeof(head));
	if (!(what & STATE))
		memcpy(&state, data, size < sizeof(state) ? size : sizeof(state));
	memset(ring, 0, sizeof(ring));
	memcpy(ring, data, size < sizeof(ring) ? size : sizeof(ring));
	put_right(ring, what);
	if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET))
		abort();
	put(&head, sizeof(head));
	put(text, text_len);
	put(&state, sizeof(state));
	put(ring, sizeof(ring));
}

/* ---- What comes out ---- */

/**
 * struct output - packets that were written
 * @last: time at which the last one ended
 */
struct output {
	uint64_t records;
	uint64_t last;
};

static void check_packet(struct output *out, const struct pev_packet *p)
{
	static volatile uint64_t sum;
	const struct pev_event *ev;
	struct pev_decoder *dec;
	int ret;

	if (p->reserved || p->timestamp_begin < out->last || p->timestamp_end < p->timestamp_begin)
		abort();
	out->last = p->timestamp_end;
	if (pev_decoder_new(0, &dec) || pev_decoder_packet(dec, meta, p, p->packet_size / 8))
		abort();
	while ((ret = pev_decoder_next(dec, &ev)) == 1) {
		out->records++;
		sum += event_sum(ev);
	}
	if (ret)
		abort();
	pev_decoder_free(dec);
}

static int packets(void *arg, const char *stream, bool ring, const void *head, size_t head_len,
		   const void *data, size_t len)
{
	static _Alignas(64) uint8_t all[RING];

	(void)stream;
	if (!ring || head_len + len > sizeof(all))
		abort();
	memcpy(all, head, head_len);
	if (len)
		memcpy(all + head_len, data, len);
	for (size_t at = 0; at < head_len + len;) {
		struct pev_packet *p = (void *)(all + at);
		size_t size = p->packet_size / 8;
		_Alignas(64) static uint8_t one[PACKET];

		if (size > PACKET || at + size > head_len + len)
			abort();
		memcpy(one, p, size);
		check_packet(arg, (void *)one);
		at += size;
	}
	return 0;
}

static int metadata(void *arg, const char *written, size_t len)
{
	(void)arg;
	return len == text_len && !memcmp(written, text, len) ? 0 : -1;
}

static int info(void *arg, const char *key, const char *value)
{
	(void)arg, (void)key, (void)value;
	return 0;
}

static int info_file(void *arg, const char *name, const void *data, size_t len)
{
	(void)arg, (void)name, (void)data, (void)len;
	return 0;
}

static int synced(void *arg, uint64_t ticks)
{
	(void)arg, (void)ticks;
	return 0;
}

static int end(void *arg)
{
	(void)arg;
	return 0;
}

static void release(void *arg)
{
	(void)arg;
}

static const struct pev_sink_ops ops = { metadata, packets, info, info_file, synced, end, release };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pev_crash_report report;
	struct output out = { 0 };
	struct pev_writer *w;
	struct pev_error err;
	int ret;

	if (size < 3)
		return 0;
	put_file(data, size);
	if (pev_writer_sink(&ops, &out, &w))
		return 0;
	ret = pev_crash_write(file, w, &report, &err);
	if (!ret && report.records != out.records)
		abort();
	if (ret && !*err.text)
		abort();
	pev_writer_close(w);
	return 0;
}
