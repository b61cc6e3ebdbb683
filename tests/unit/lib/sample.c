// SPDX-License-Identifier: LGPL-2.1-only
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sample.h"

char *sample_metadata(size_t *len)
{
	const char *path = getenv("PEV_TEST_METADATA");
	FILE *f = fopen(path ? path : "metadata.tsdl", "r");
	char *text = malloc(65536);

	if (!f || !text) {
		fprintf(stderr, "metadata.tsdl cannot be read\n");
		exit(2);
	}
	*len = fread(text, 1, 65535, f);
	text[*len] = '\0';
	fclose(f);
	return text;
}

uint64_t sample_time(unsigned int ring, unsigned int i)
{
	/* a gap now and then that 27 bits cannot hold */
	return SAMPLE_BEGIN + ring * 7 + i * 100ULL + (uint64_t)(i / 50) * (1ULL << 28);
}

static const char *const names[] = {
	"sched:sched_switch", "timer:cpu-clock", "pev:mmap", "pev:comm", "test:nothing",
	"test:two",
};

const char *sample_name(unsigned int i)
{
	return names[i % 6];
}

static uint64_t stack[4] = { 0xffffffff81000010, 0xffffffff81000020, 0x401000, 0x7fff00 };
static uint16_t shorts[5] = { 1, 2, 3, 65535, 5 };
static int64_t longs[3] = { -1, 1LL << 40, 7 };

static void put(struct pev_encoder *enc, unsigned int i)
{
	char name[32];
	int n;

	pev_encoder_int(enc, "pid", 1000 + i);
	switch (i % 6) {
	case 0:
		pev_encoder_int(enc, "ip", 0xffffffff81000000 + i);
		pev_encoder_data(enc, "prev_comm", "swapper/0", 10);
		pev_encoder_int(enc, "prev_pid", -(int)i);
		pev_encoder_int(enc, "prev_state", -2);
		pev_encoder_data(enc, "next_comm", "a name too long for the field", 29);
		pev_encoder_int(enc, "next_prio", 120);
		break;
	case 1:
		pev_encoder_int(enc, "ip", 0x401000 + i);
		pev_encoder_int(enc, "period", 997);
		pev_encoder_int(enc, "cpu", 2);
		pev_encoder_int(enc, "guest", i & 3);
		pev_encoder_int(enc, "trace_high", i % 5 ? 0x0123456789abcdef : 0);
		pev_encoder_int(enc, "trace_low", i % 5 ? i : 0);
		pev_encoder_int(enc, "span", i % 5 ? ~(uint64_t)i : 0);
		pev_encoder_int(enc, "ustack_cookie", i % 2 ? (uint64_t)i << 40 : 0);
		pev_encoder_int(enc, "cgroup", i % 4 ? (uint64_t)i << 33 : 0);
		pev_encoder_data(enc, "kstack", stack, i % 3 * 8);
		pev_encoder_data(enc, "ustack", stack + 1, i % 4 * 8);
		pev_encoder_data(enc, "uregs", stack, i % 5 * 8);
		pev_encoder_data(enc, "values", stack, i % 2 * 8);
		pev_encoder_data(enc, "dump", stack, i % 4 * 8);
		break;
	case 2:
		n = snprintf(name, sizeof(name), "/lib/lib%u.so", i);
		pev_encoder_int(enc, "addr", 0x7f0000000000 + i);
		pev_encoder_int(enc, "build_id_size", 20);
		pev_encoder_data(enc, "build_id", "0123456789abcdefghij", 20);
		pev_encoder_data(enc, "filename", name, n + 1);
		break;
	case 3:
		n = snprintf(name, sizeof(name), "comm%u", i);
		pev_encoder_data(enc, "comm", name, n);
		break;
	case 5:
		pev_encoder_int(enc, "kind", i);
		pev_encoder_int(enc, "level", -3);
		pev_encoder_int(enc, "delta", -300);
		pev_encoder_data(enc, "a", shorts, i % 6 * 2);
		pev_encoder_data(enc, "b", longs, i % 4 * 8);
		pev_encoder_int(enc, "stream", ~0ULL - i);
		break;
	}
}

struct target {
	struct pev_writer	*w;
	unsigned int		cpu;
};

static int take(void *arg, const void *packet, size_t len)
{
	struct target *t = arg;

	return pev_writer_packets(t->w, t->cpu, packet, len);
}

/* @request: records of the second class of streams */
static int write_ring(struct pev_writer *w, const struct pev_meta *meta, unsigned int ring,
		      uint32_t cpu, unsigned int events, uint32_t packet_size, bool request)
{
	struct target target = { w, ring };
	struct pev_encoder *enc;
	int ret = pev_encoder_new(meta, packet_size, ring, cpu, take, &target, &enc);

	for (unsigned int i = 0; !ret && i < events; i++) {
		const char *name = request ? "user:request" : sample_name(i);

		ret = pev_encoder_begin(enc, pev_meta_class_by_name(meta, name),
					sample_time(ring, i), 5000 + i);
		if (request)
			pev_encoder_int(enc, "number", i);
		else
			put(enc, i);
		if (!ret)
			ret = pev_encoder_commit(enc);
	}
	if (enc) {
		int closed = pev_encoder_close(enc);

		ret = ret ? ret : closed;
	}
	return ret;
}

enum form { PLAIN, PACKED, INTERNED };

static int write_trace(const char *path, const char *text, unsigned int events,
		       uint32_t packet_size, bool streams, enum form form)
{
	struct pev_writer *w;
	struct pev_meta *meta;
	struct pev_error err;
	int ret;

	ret = pev_meta_parse(text, strlen(text), 0, &meta, &err);
	if (ret) {
		fprintf(stderr, "%s\n", err.text);
		return ret;
	}
	ret = pev_writer_open(path, 0, &w, &err);
	if (!ret) {
		ret = form == PACKED   ? pev_writer_compress(w, 1) :
		      form == INTERNED ? pev_writer_intern(w) :
					 0;
		if (!ret)
			ret = pev_writer_metadata(w, text, strlen(text));
		for (unsigned int ring = 0; !ret && ring < SAMPLE_CPUS; ring++) {
			bool request = streams && ring == 2;
			uint32_t cpu = request ? UINT32_MAX : streams ? 0 : ring;

			ret = write_ring(w, meta, ring, cpu, events, packet_size, request);
		}
		if (!ret)
			ret = pev_writer_close(w);
	}
	pev_meta_free(meta);
	return ret;
}

static int one_class(const char *path, unsigned int events, uint32_t packet_size, enum form form)
{
	size_t len;
	char *text = sample_metadata(&len);
	int ret = write_trace(path, text, events, packet_size, false, form);

	free(text);
	return ret;
}

int sample_trace(const char *path, unsigned int events, uint32_t packet_size)
{
	return one_class(path, events, packet_size, PLAIN);
}

int sample_packed(const char *path, unsigned int events, uint32_t packet_size)
{
	return one_class(path, events, packet_size, PACKED);
}

int sample_interned(const char *path, unsigned int events, uint32_t packet_size)
{
	return one_class(path, events, packet_size, INTERNED);
}

/* Its records have more in common than the tid, and the ids are those of others. */
static const char second_class[] =
	"stream {\n"
	"	id = 9;\n"
	"	event.header := struct event_header;\n"
	"	packet.context := struct {\n"
	"		clock64_t timestamp_begin;\n"
	"		clock64_t timestamp_end;\n"
	"		uint64_t content_size;\n"
	"		uint64_t packet_size;\n"
	"		uint64_t events_discarded;\n"
	"		uint64_t packet_seq_num;\n"
	"		uint32_t cpu_id;\n"
	"		uint32_t reserved;\n"
	"	};\n"
	"	event.context := struct { uint32_t port; uint32_t tid; uint32_t weight; };\n"
	"};\n"
	"event {\n"
	"	name = \"user:request\";\n"
	"	id = 3;\n"
	"	stream_id = 9;\n"
	"	fields := struct { uint64_t number; struct { } align(64) ___end; } align(64);\n"
	"};\n";

int sample_streams(const char *path, unsigned int events)
{
	size_t len;
	char *text = sample_metadata(&len);
	int ret;

	text = realloc(text, len + sizeof(second_class));
	memcpy(text + len, second_class, sizeof(second_class));
	ret = write_trace(path, text, events, 4096, true, PLAIN);
	free(text);
	return ret;
}

static bool text_is(const struct pev_event *ev, const char *field, const char *want)
{
	const char *text;
	size_t len = pev_event_text(ev, pev_class_field(ev->cls, field), &text);

	return len == strlen(want) && !memcmp(text, want, len);
}

static uint64_t num(const struct pev_event *ev, const char *field)
{
	return pev_event_int(ev, pev_class_field(ev->cls, field));
}

static bool array_is(const struct pev_event *ev, const char *field, const void *want,
		     size_t elements, size_t size)
{
	size_t count;
	const void *at = pev_event_locate(ev, pev_class_field(ev->cls, field), &count);

	return at && count == elements && !memcmp(at, want, elements * size);
}

static bool request_right(const struct pev_event *ev, unsigned int i)
{
	struct pev_request r;
	bool is = pev_event_request(ev, &r);

	if (!(i % 5))
		return !is && !r.trace_high && !r.trace_low && !r.span;
	return is && r.trace_high == 0x0123456789abcdef && r.trace_low == i &&
	       r.span == ~(uint64_t)i;
}

static bool payload_right(const struct pev_event *ev, unsigned int i)
{
	char name[32];

	switch (i % 6) {
	case 0:
		return ev->ip == 0xffffffff81000000 + i && text_is(ev, "prev_comm", "swapper/0") &&
		       (int64_t)num(ev, "prev_pid") == -(int64_t)i &&
		       (int64_t)num(ev, "prev_state") == -2 &&
		       text_is(ev, "next_comm", "a name too long ") &&
		       num(ev, "next_prio") == 120 && !num(ev, "next_pid");
	case 1:
		return request_right(ev, i) && ev->ip == 0x401000 + i && ev->period == 997 &&
		       ev->sample_cpu == 2 && ev->guest == (i & 3) && !ev->addr &&
		       ev->ustack_cookie == (i % 2 ? (uint64_t)i << 40 : 0) &&
		       ev->cgroup == (i % 4 ? (uint64_t)i << 33 : 0) && ev->kstack_len == i % 3 &&
		       ev->ustack_len == i % 4 && ev->uregs_len == i % 5 &&
		       ev->values_len == i % 2 && ev->dump_len == i % 4 * 8 &&
		       (!ev->kstack_len || !memcmp(ev->kstack, stack, ev->kstack_len * 8)) &&
		       (!ev->ustack_len || !memcmp(ev->ustack, stack + 1, ev->ustack_len * 8)) &&
		       (!ev->dump_len || !memcmp(ev->dump, stack, ev->dump_len));
	case 2:
		snprintf(name, sizeof(name), "/lib/lib%u.so", i);
		return num(ev, "addr") == 0x7f0000000000ULL + i && num(ev, "pid") == 1000 + i &&
		       text_is(ev, "filename", name) && num(ev, "filename_off") == 8 + 84 &&
		       array_is(ev, "build_id", "0123456789abcdefghij", 20, 1);
	case 3:
		snprintf(name, sizeof(name), "comm%u", i);
		return text_is(ev, "comm", name);
	case 5:
		return num(ev, "kind") == (i & 255) && (int64_t)num(ev, "level") == -3 &&
		       (int64_t)num(ev, "delta") == -300 &&
		       array_is(ev, "a", shorts, i % 6, 2) && array_is(ev, "b", longs, i % 4, 8) &&
		       num(ev, "stream") == ~0ULL - i && ev->pid == 1000 + i;
	}
	return ev->payload_len == 0;
}

bool sample_right(const struct pev_event *ev, unsigned int i)
{
	unsigned int ring = ev->stream ? ev->stream->instance : ev->cpu;

	return !strcmp(ev->cls->name, sample_name(i)) && ev->tid == 5000 + i &&
	       ev->time == sample_time(ring, i) && payload_right(ev, i);
}

struct sample_reading sample_read(const char *path)
{
	struct sample_reading r = { 0 };
	unsigned int seen[SAMPLE_CPUS] = { 0 };
	const struct pev_event *ev;
	struct pev_cursor *c;
	struct pev_trace *t;

	if (pev_trace_open(path, 0, &t, NULL))
		return r;
	r.packets = pev_trace_stream(t, 0)->nr_packets;
	pev_cursor_open(t, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0) {
		r.events++;
		r.wrong += ev->cpu >= SAMPLE_CPUS || !sample_right(ev, seen[ev->cpu]++);
	}
	r.damaged = pev_trace_damaged(t);
	r.warnings = pev_trace_nr_warnings(t);
	if (r.warnings)
		snprintf(r.warning, sizeof(r.warning), "%s", pev_trace_warning(t, 0));
	pev_cursor_close(c);
	pev_trace_close(t);
	return r;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void remove_tree(const char *path)
{
	if (strstr(path, "pevtest"))
		nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

char *test_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	char *path;

	if (asprintf(&path, "%s/pevtest.XXXXXX", tmp ? tmp : "/tmp") < 0 || !mkdtemp(path)) {
		perror("mkdtemp");
		exit(2);
	}
	return path;
}

int write_bytes(const char *path, const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	if (fwrite(data, 1, len, f) != len) {
		fclose(f);
		return -1;
	}
	return fclose(f);
}
