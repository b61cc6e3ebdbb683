// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What an earlier kernel left, made here byte by byte: all of it becomes a trace; what is damaged
 * in one of all ways is counted, and the rest is there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "crc32.h"
#include "sample.h"
#include "tap.h"

#define PACKET 4096u
#define RING (8 * PACKET)
#define CPUS 2
#define EVENTS 5000
#define RECORD 8

/**
 * struct image - the bytes
 * @packets: of each ring: that its writer filled, the last one open
 * @bytes:   of that one
 */
struct image {
	struct pev_crash head;
	char *text;
	struct pev_crash_ring ring[CPUS];
	uint8_t *data[CPUS];
	unsigned int packets;
	size_t bytes;
};

static char dir[4096], path[4200];
static const struct pev_meta *meta;

static uint32_t seal_of(const struct pev_packet *p)
{
	uint64_t words[] = { p->packet_seq_num, p->timestamp_end, p->content_size,
			     p->events_discarded };

	return crc32_add(0, words, sizeof(words));
}

static struct pev_packet *packet_of(struct image *im, unsigned int cpu, uint64_t nr)
{
	return (void *)(im->data[cpu] + nr * PACKET % RING);
}

struct fill {
	struct image *im;
	unsigned int cpu;
	uint64_t nr;
};

/* As the kernel would have put it into the ring. */
static int take(void *arg, const void *packet, size_t len)
{
	struct fill *f = arg;
	struct pev_packet *p = packet_of(f->im, f->cpu, f->nr);

	if (len > PACKET)
		return -EINVAL;
	memcpy(p, packet, len);
	memset((char *)p + len, 0, PACKET - len);
	p->packet_size = PACKET * 8;
	p->packet_seq_num = f->nr++;
	p->reserved = seal_of(p);
	return 0;
}

static void fill_ring(struct image *im, unsigned int cpu)
{
	struct fill f = { im, cpu, 0 };
	struct pev_encoder *enc;
	struct pev_packet *last;

	check(!pev_encoder_new(meta, PACKET, cpu, cpu, take, &f, &enc), "an encoder");
	for (unsigned int i = 0; i < EVENTS; i++) {
		pev_encoder_begin(enc, pev_meta_class_by_name(meta, "test:nothing"),
				  SAMPLE_BEGIN + i * 100, i);
		pev_encoder_int(enc, "pid", i);
		pev_encoder_commit(enc);
	}
	pev_encoder_close(enc);
	im->packets = (unsigned int)f.nr;
	last = packet_of(im, cpu, f.nr - 1);
	im->bytes = last->content_size / 8;
	im->ring[cpu] = (struct pev_crash_ring){
		.cpu = cpu,
		.head = (f.nr - 1) * PACKET + im->bytes,
		.oldest = f.nr > 8 ? (f.nr - 8) * PACKET : 0,
		.lost = 3,
	};
	im->ring[cpu].reserved = im->ring[cpu].head;
	/* nothing of its end was written yet */
	last->content_size = 77;
	last->timestamp_end = 1;
	last->reserved = 0x12345678;
}

static void image_make(struct image *im)
{
	size_t len;

	*im = (struct image){ .text = sample_metadata(&len) };
	im->head = (struct pev_crash){
		.size = sizeof(im->head), .nr_rings = CPUS, .ring_size = RING,
		.packet_size = PACKET, .metadata_size = len, .began = 1000000000,
	};
	memcpy(im->head.uuid, pev_meta_uuid(meta), 16);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		im->data[cpu] = calloc(1, RING);
		fill_ring(im, cpu);
	}
}

static void image_free(struct image *im)
{
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		free(im->data[cpu]);
	free(im->text);
}

static FILE *image_file(const struct image *im)
{
	FILE *f = tmpfile();

	if (!f)
		abort();
	fwrite(&im->head, sizeof(im->head), 1, f);
	fwrite(im->text, im->head.metadata_size, 1, f);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
		fwrite(&im->ring[cpu], sizeof(im->ring[cpu]), 1, f);
		fwrite(im->data[cpu], RING, 1, f);
	}
	fflush(f);
	return f;
}

/* Writes the trace, and looks at all records of it. Returns what the library returned. */
static int write_trace(const struct image *im, struct pev_crash_report *report, uint64_t *read,
		       struct pev_error *err)
{
	FILE *f = image_file(im);
	const struct pev_event *ev;
	struct pev_cursor *c = NULL;
	struct pev_trace *t = NULL;
	struct pev_writer *w;
	int ret;

	remove_tree(path);
	*read = 0;
	if (pev_writer_open(path, 0, &w, NULL))
		abort();
	ret = pev_crash_write(fileno(f), w, report, err);
	fclose(f);
	check(!pev_writer_close(w), "the writer closes");
	if (ret)
		return ret;
	check(!pev_trace_open(path, 0, &t, NULL), "the trace opens");
	check(!pev_trace_damaged(t), "nothing of it is damaged");
	check(!pev_cursor_open(t, NULL, 0, &c), "a cursor");
	while ((ret = pev_cursor_next(c, &ev)) > 0)
		(*read)++;
	check(!ret, "the records end where they should");
	check(*read == report->records, "%llu of %llu records are read",
	      (unsigned long long)*read, (unsigned long long)report->records);
	pev_cursor_close(c);
	pev_trace_close(t);
	return 0;
}

static uint64_t oldest_events(struct image *im, unsigned int cpu)
{
	uint64_t n = 0, size = 0;

	/* all records of the one class are alike in size */
	for (uint64_t pos = im->ring[cpu].oldest; pos < im->ring[cpu].head; pos += PACKET) {
		struct pev_packet *p = packet_of(im, cpu, pos / PACKET);
		uint64_t left = im->ring[cpu].head - pos;

		size = left < PACKET ? left : p->content_size / 8;
		n += (size - sizeof(*p)) / RECORD;
	}
	return n;
}

static void test_whole(void)
{
	struct pev_crash_report r;
	struct image im;
	uint64_t read, wanted;

	image_make(&im);
	wanted = oldest_events(&im, 0) + oldest_events(&im, 1);
	check(!write_trace(&im, &r, &read, NULL), "a whole one is written");
	check(r.records == wanted && wanted, "%llu of %llu records",
	      (unsigned long long)r.records, (unsigned long long)wanted);
	check(r.rings == CPUS && !r.bad_rings && !r.torn_packets && !r.cut_packets &&
		      !r.unpublished && r.lost == 6,
	      "nothing is damaged");
	im.ring[1].reserved += 48;
	check(!write_trace(&im, &r, &read, NULL) && r.unpublished == 48 && r.records == wanted,
	      "what was not published is counted");
	image_free(&im);
}

/* One packet of the first ring, from the oldest on, is changed: it is left out, and no other. */
static void test_torn(const char *name, void (*change)(struct pev_packet *p))
{
	struct pev_crash_report r;
	struct pev_packet *p;
	struct image im;
	uint64_t read, wanted;

	image_make(&im);
	wanted = oldest_events(&im, 0) + oldest_events(&im, 1);
	p = packet_of(&im, 0, im.ring[0].oldest / PACKET);
	wanted -= (p->content_size / 8 - sizeof(*p)) / RECORD;
	change(p);
	check(!write_trace(&im, &r, &read, NULL), "%s: it is written", name);
	check(r.torn_packets == 1 && r.records == wanted, "%s: %llu torn, %llu of %llu records",
	      name, (unsigned long long)r.torn_packets, (unsigned long long)r.records,
	      (unsigned long long)wanted);
	image_free(&im);
}

static void change_end(struct pev_packet *p) { p->timestamp_end++; }
static void change_size(struct pev_packet *p) { p->content_size -= 128; }
static void change_lost(struct pev_packet *p) { p->events_discarded ^= 1; }
static void change_begin(struct pev_packet *p) { p->timestamp_begin += 1; }
static void change_uuid(struct pev_packet *p) { p->uuid[3] ^= 0x80; }
static void change_magic(struct pev_packet *p) { p->magic = 0; }
static void change_cpu(struct pev_packet *p) { p->cpu_id = 1; }

/* The same place a round earlier: all of it is right but its number. */
static void change_round(struct pev_packet *p)
{
	p->packet_seq_num += 8;
	p->reserved = seal_of(p);
}

/* Only the end of the header has reached the memory. */
static void change_line(struct pev_packet *p)
{
	p->timestamp_end -= 1000;
	p->content_size = 88 * 8;
}

static void test_cut(void)
{
	struct pev_crash_report r;
	struct image im;
	uint64_t read, all;
	uint32_t *record;

	image_make(&im);
	all = oldest_events(&im, 0) + oldest_events(&im, 1);
	/* the fifth record of the open packet has an id that was never given out */
	record = (void *)((uint8_t *)packet_of(&im, 0, im.packets - 1) + sizeof(struct pev_packet) + 32);
	*record |= 30;
	check(!write_trace(&im, &r, &read, NULL) && r.cut_packets == 1 &&
		      r.cut_bytes == im.bytes - sizeof(struct pev_packet) - 32 &&
		      r.records == all - r.cut_bytes / RECORD,
	      "an open packet ends where it makes no sense: %llu bytes",
	      (unsigned long long)r.cut_bytes);
	image_free(&im);
	image_make(&im);
	record = (void *)((uint8_t *)packet_of(&im, 1, im.ring[1].oldest / PACKET) +
			  sizeof(struct pev_packet) + 48);
	*record = 0xffffffff;
	check(!write_trace(&im, &r, &read, NULL) && r.cut_packets == 1 && r.records < all,
	      "so does a complete one");
	image_free(&im);
}

/* The same without a word: can what is written be read, as much as is said? */
static bool survives(const struct image *im, struct pev_crash_report *r)
{
	FILE *f = image_file(im);
	const struct pev_event *ev;
	struct pev_cursor *c = NULL;
	struct pev_trace *t = NULL;
	struct pev_writer *w;
	uint64_t read = 0;
	int ret;

	remove_tree(path);
	if (pev_writer_open(path, 0, &w, NULL))
		abort();
	ret = pev_crash_write(fileno(f), w, r, NULL);
	fclose(f);
	if (pev_writer_close(w) || ret || pev_trace_open(path, 0, &t, NULL) ||
	    pev_trace_damaged(t) || pev_cursor_open(t, NULL, 0, &c))
		return false;
	while ((ret = pev_cursor_next(c, &ev)) > 0)
		read++;
	pev_cursor_close(c);
	pev_trace_close(t);
	return !ret && read == r->records;
}

/*
 * No sum is over the records: what a flipped bit among them does is what design/crash.rst says. Each
 * byte of a whole packet and of the open one, one bit at a time.
 */
static void test_flips(void)
{
	unsigned int failed = 0, unseen = 0, cut = 0, others = 0, flips = 0;
	struct pev_crash_report r;
	struct image im;
	uint64_t all;

	image_make(&im);
	all = oldest_events(&im, 0) + oldest_events(&im, 1);
	for (unsigned int last = 0; last < 2; last++) {
		uint64_t nr = last ? im.packets - 1 : im.ring[0].oldest / PACKET;
		struct pev_packet *p = packet_of(&im, 0, nr);
		size_t size = last ? im.bytes : p->content_size / 8;

		for (size_t at = sizeof(*p); at < size; at++) {
			uint8_t *byte = (uint8_t *)p + at;
			uint8_t bit = (uint8_t)(1u << (at * 5 + at / 8) % 8);

			*byte ^= bit;
			flips++;
			failed += !survives(&im, &r);
			cut += r.cut_packets || r.torn_packets;
			unseen += r.records == all && !r.cut_packets && !r.torn_packets;
			others += r.records != all && !r.cut_packets && !r.torn_packets;
			*byte ^= bit;
		}
	}
	check(flips > 4000 && !failed, "%u flipped bits: each trace can be read to its end", flips);
	/* in a header, an id of another class, whose records happen to end where there is one */
	check(unseen > flips / 2 && cut > flips / 8 && others < flips / 16,
	      "... %u are not seen, %u end a packet early, %u make other records of some", unseen,
	      cut, others);
	check(survives(&im, &r) && r.records == all, "... and put right again, all is there");
	image_free(&im);
}

static void test_rings(void)
{
	struct pev_crash_report r;
	struct image im;
	uint64_t read, one;

	image_make(&im);
	one = oldest_events(&im, 1);
	im.ring[0].oldest = im.ring[0].head + PACKET;
	check(!write_trace(&im, &r, &read, NULL) && r.bad_rings == 1 && r.records == one,
	      "a ring that begins behind its end is left out");
	im.ring[0].oldest = im.ring[0].head % PACKET;
	check(!write_trace(&im, &r, &read, NULL) && r.bad_rings == 1, "... or in a packet");
	im.ring[0].oldest = 0;
	im.ring[0].head = 9 * RING;
	check(!write_trace(&im, &r, &read, NULL) && r.bad_rings == 1, "... or is too long");
	im.ring[0].head = UINT64_MAX;
	im.ring[0].oldest = UINT64_MAX - PACKET + 1;
	check(!write_trace(&im, &r, &read, NULL) && r.bad_rings == 1, "... or is at no place");
	image_free(&im);
	image_make(&im);
	im.ring[0].cpu = 1;
	check(!write_trace(&im, &r, &read, NULL) && r.bad_rings == 1, "a second ring of a CPU");
	im.ring[0].cpu = UINT32_MAX;
	check(!write_trace(&im, &r, &read, NULL) && r.bad_rings == 1, "a ring of no CPU");
	image_free(&im);
}

static void refused(const char *name, struct image *im, const char *says)
{
	struct pev_crash_report r;
	struct pev_error err = { 0 };
	uint64_t read;

	check(write_trace(im, &r, &read, &err) == -EBADMSG && strstr(err.text, says), "%s: %s",
	      name, err.text);
}

static void test_heads(void)
{
	struct image im;

	image_make(&im);
	im.head.ring_size = RING - 1;
	refused("a ring size that is no power of two", &im, "sizes make no sense");
	im.head.ring_size = 0;
	refused("none", &im, "sizes make no sense");
	im.head.ring_size = RING;
	im.head.packet_size = RING;
	refused("one packet in a ring", &im, "sizes make no sense");
	im.head.packet_size = PACKET;
	im.head.nr_rings = UINT32_MAX;
	refused("too many rings", &im, "sizes make no sense");
	im.head.nr_rings = CPUS;
	im.head.size = 8;
	refused("a head that is too short", &im, "sizes make no sense");
	im.head.size = sizeof(im.head);
	im.head.uuid[0] ^= 1;
	refused("metadata of another trace", &im, "another trace");
	im.head.uuid[0] ^= 1;
	im.text[0] = '{';
	check(im.head.metadata_size > 0, "there are metadata");
	refused("metadata that are none", &im, "");
	im.head.metadata_size = 0;
	refused("none at all", &im, "is damaged");
	image_free(&im);
}

int main(void)
{
	struct pev_meta *parsed;
	char *text, *made = test_dir();
	size_t len;

	snprintf(dir, sizeof(dir), "%s", made);
	free(made);
	check(crc32_add(crc32_add(0, "1234", 4), "56789", 5) == 0xcbf43926, "the sum is zlib's");
	snprintf(path, sizeof(path), "%s/trace", dir);
	text = sample_metadata(&len);
	if (pev_meta_parse(text, len, 0, &parsed, NULL))
		return 2;
	free(text);
	meta = parsed;
	test_whole();
	test_torn("another end", change_end);
	test_torn("another size", change_size);
	test_torn("another count of losses", change_lost);
	test_torn("another begin", change_begin);
	test_torn("another trace", change_uuid);
	test_torn("no packet", change_magic);
	test_torn("another CPU", change_cpu);
	test_torn("another round", change_round);
	test_torn("half a header", change_line);
	test_cut();
	test_flips();
	test_rings();
	test_heads();
	pev_meta_free(parsed);
	remove_tree(dir);
	return tap_done();
}
