// SPDX-License-Identifier: GPL-2.0
/*
 * A packet with call chains, as rings have it or as a writer that interns chains wrote it: it is
 * interned, and what is read of that must be the same.
 *
 * The first byte: even: the packet is as in rings. What follows is the packet, which is given the
 * right uuid and its own size.
 */
// FUZZ-SOURCES: tools/lib/pev/*/*.c tools/lib/pev/*/*/*.c
// FUZZ-CFLAGS: -iquote tools/lib/pev -iquote tests/lib -Itools/lib/pev/include -Iinclude/uapi
// FUZZ-LIBS: -lm -lpthread -ldl
// FUZZ-SEEDS: tests/fuzz/seed_intern.py "$1"
// FUZZ-RUNS: 4000
#include <pev/pev.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "event_sum.h"

#define MOST 65536

static char known[65536], *named;
static size_t known_len, named_len;
/* of packets as in rings, and as they are written */
static struct pev_meta *metas[2];

/**
 * struct reading - what a packet has
 * @chains: sum of those
 * @rest:   sum of all else
 * @error:  -EBADMSG, -ESTALE: what ended it; 0: its end
 */
struct reading {
	unsigned int events;
	uint64_t chains;
	uint64_t rest;
	int error;
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FILE *f = fopen("tests/unit/lib/metadata.tsdl", "re");

	(void)argc;
	(void)argv;
	known_len = f ? fread(known, 1, sizeof(known), f) : 0;
	if (!known_len || pev_meta_intern(known, known_len, &named, &named_len) ||
	    pev_meta_parse(known, known_len, 0, &metas[0], NULL) ||
	    pev_meta_parse(named, named_len, 0, &metas[1], NULL))
		abort();
	fclose(f);
	return 0;
}

/* Order and length count, too. */
static uint64_t add(uint64_t sum, const void *data, size_t len)
{
	const uint8_t *at = data;

	sum = (sum ^ len) * 0x9e3779b97f4a7c15ULL;
	while (len--)
		sum = (sum ^ *at++) * 0x9e3779b97f4a7c15ULL;
	return sum;
}

static struct reading read_packet(const struct pev_meta *meta, const void *packet, size_t len)
{
	static volatile uint64_t all;
	struct reading r = { 0 };
	const struct pev_event *ev;
	struct pev_decoder *dec;

	pev_decoder_new(0, &dec);
	r.error = pev_decoder_packet(dec, meta, packet, len);
	while (!r.error && (r.error = pev_decoder_next(dec, &ev)) > 0) {
		all += event_sum(ev);
		r.error = 0;
		r.events++;
		r.chains = add(r.chains, ev->kstack, ev->kstack_len * sizeof(uint64_t));
		r.chains = add(r.chains, ev->ustack, ev->ustack_len * sizeof(uint64_t));
		r.rest = add(r.rest, ev->payload, ev->payload_len);
		r.rest = add(r.rest, ev->uregs, ev->uregs_len * sizeof(uint64_t));
		r.rest = add(r.rest, ev->dump, ev->dump_len);
		r.rest = add(r.rest, &ev->time, sizeof(ev->time));
		r.rest = add(r.rest, &ev->ip, sizeof(ev->ip));
	}
	pev_decoder_free(dec);
	return r;
}

struct output {
	uint64_t data[MOST / 8 + 16];
	size_t len;
};

static int take_metadata(void *arg, const char *text, size_t len)
{
	(void)arg;
	return len == named_len && !memcmp(text, named, len) ? 0 : -1;
}

static int take_packets(void *arg, const char *stream, bool ring, const void *head, size_t head_len,
			const void *data, size_t len)
{
	struct output *out = arg;

	(void)stream;
	(void)ring;
	if (head_len + len > sizeof(out->data))
		abort();
	memcpy(out->data, head, head_len);
	if (len)
		memcpy((uint8_t *)out->data + head_len, data, len);
	out->len = head_len + len;
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

static const struct pev_sink_ops ops = {
	.metadata = take_metadata,
	.packets = take_packets,
	.end = end,
	.release = release,
};

/* Interns the packet. Returns false if the writer does not take it. */
static bool intern(bool is_named, const void *packet, size_t len, struct output *out)
{
	struct pev_writer *w;
	int ret;

	if (pev_writer_sink(&ops, out, &w) || pev_writer_intern(w) ||
	    pev_writer_metadata(w, is_named ? named : known, is_named ? named_len : known_len))
		abort();
	ret = pev_writer_packets(w, 0, packet, len);
	/* what is not described is written when it comes again */
	if (ret == -ESTALE)
		ret = pev_writer_packets(w, 0, packet, len);
	pev_writer_close(w);
	return !ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint64_t packet[MOST / 8];
	static struct output out;
	struct pev_packet *head = (struct pev_packet *)packet;
	struct reading before, after;
	bool is_named = size && (*data & 1);

	if (size < 1 + sizeof(*head) || size > MOST)
		return 0;
	size = (size - 1) & ~(size_t)7;
	memcpy(packet, data + 1, size);
	head->magic = PEV_PACKET_MAGIC;
	memcpy(head->uuid, pev_meta_uuid(metas[0]), sizeof(head->uuid));
	head->packet_size = size * 8;
	head->packet_seq_num = 0;
	before = read_packet(metas[is_named], packet, size);
	if (!intern(is_named, packet, size, &out))
		return 0;
	if (out.len > size + 8)
		abort();
	after = read_packet(metas[1], out.data, out.len);
	/* of a damaged packet, what is before the damage; that its times are wrong is not looked at */
	if (after.events < before.events || (!before.error && after.error) ||
	    (after.events == before.events &&
	     (after.chains != before.chains || after.rest != before.rest)))
		abort();
	return 0;
}
