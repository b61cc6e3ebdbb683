// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Call chains that are written once a packet: what is read is the same, each packet alone, and a
 * record that names what is not there is damaged and no other's chain.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/packet.h"
#include "ctf/decode.h"
#include "sample.h"
#include "tap.h"

#define EVENTS 12000
#define CLASS "timer:cpu-clock"

static char dir[4000], interned[4096], plain[4096];

struct file {
	char path[4200];
	uint8_t *data;
	size_t len;
};

static struct file read_file(const char *trace, const char *name)
{
	struct file f = { .data = malloc(1 << 23) };
	FILE *in;

	snprintf(f.path, sizeof(f.path), "%s/%s", trace, name);
	in = fopen(f.path, "re");
	f.len = in && f.data ? fread(f.data, 1, 1 << 23, in) : 0;
	if (in)
		fclose(in);
	return f;
}

static void is_whole(const char *path, unsigned int events, const char *name)
{
	struct sample_reading r = sample_read(path);

	check(r.events == events && !r.wrong && !r.damaged && !r.warnings,
	      "%s: %u events, %u wrong, %u warnings %s", name, r.events, r.wrong, r.warnings,
	      r.warning);
}

static off_t size_of(const char *trace, const char *name)
{
	char path[4200];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", trace, name);
	return stat(path, &st) ? 0 : st.st_size;
}

static void test_same(void)
{
	struct file meta = read_file(interned, "metadata");

	is_whole(interned, EVENTS * SAMPLE_CPUS, "all is read");
	check(size_of(interned, "stream_0") < size_of(plain, "stream_0"),
	      "it is smaller: %lld of %lld", (long long)size_of(interned, "stream_0"),
	      (long long)size_of(plain, "stream_0"));
	check(memmem(meta.data, meta.len, "uint16_t kstack_id;", 19) &&
		      !memmem(meta.data, meta.len, "uint32_t kstack_len;", 20),
	      "the metadata have names of chains");
	free(meta.data);
}

/* Events of one packet, by a decoder that has seen no other one */
static unsigned int read_packet(const struct pev_stream *s, size_t nr, unsigned int first,
				unsigned int *wrong)
{
	const struct pev_event *ev;
	struct pev_decoder *dec;
	unsigned int n = 0;

	pev_decoder_new(0, &dec);
	pev_decoder_stream_packet(dec, s, nr);
	while (pev_decoder_next(dec, &ev) > 0)
		*wrong += !sample_right(ev, first + n++);
	pev_decoder_free(dec);
	return n;
}

/* Backwards, so that no packet finds what an earlier one has left */
static void test_alone(void)
{
	unsigned int left = EVENTS, wrong = 0, n = 0;
	const struct pev_stream *s;
	struct pev_trace *t;

	if (pev_trace_open(interned, 0, &t, NULL))
		return;
	s = pev_trace_stream(t, 0);
	for (size_t nr = s->nr_packets; nr--; left -= n) {
		n = read_packet(s, nr, 0, &(unsigned int){ 0 });
		read_packet(s, nr, left - n, &wrong);
	}
	check(s->nr_packets > 10 && !left && !wrong,
	      "each of %zu packets is read alone, %u events wrong", s->nr_packets, wrong);
	pev_trace_close(t);
}

/* ---- Copies ---- */

/* Is what was copied the same, in a packet of its own? */
static bool alone_right(const struct pev_event *ev, unsigned int i)
{
	static uint64_t packet[8192];
	struct pev_packet *head = memcpy(packet, ev->packet, sizeof(*head));
	uint8_t *to = (uint8_t *)packet + sizeof(*head);
	size_t len = pev_event_whole(ev, NULL, 0), room = sizeof(packet) - sizeof(*head);
	const struct pev_event *copy;
	struct pev_decoder *dec;
	bool good;

	if (len > room || pev_event_whole(ev, to, room) != len)
		return false;
	head->timestamp_begin = ev->time;
	head->content_size = (sizeof(*head) + len) * 8;
	head->packet_size = sizeof(packet) * 8;
	pev_decoder_new(0, &dec);
	good = !pev_decoder_packet(dec, ev->meta, packet, sizeof(packet)) &&
	       pev_decoder_next(dec, &copy) > 0 && copy->time == ev->time && sample_right(copy, i);
	pev_decoder_free(dec);
	return good;
}

static void test_copies(const char *path, const char *name)
{
	unsigned int seen[SAMPLE_CPUS] = { 0 }, wrong = 0;
	const struct pev_event *ev;
	struct pev_cursor *c;
	struct pev_trace *t;

	if (pev_trace_open(path, 0, &t, NULL))
		return;
	pev_cursor_open(t, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0)
		wrong += !alone_right(ev, seen[ev->cpu]++);
	IS_NUM(wrong, 0, name);
	pev_cursor_close(c);
	pev_trace_close(t);
}

/* ---- What is not there ---- */

/* The word of the first record that names a kernel chain which it does not have, in the file */
static size_t find_name(struct pev_trace *t)
{
	const struct pev_stream *s = pev_trace_stream(t, 0);
	const struct pev_event *ev;
	struct chain_word word;
	struct pev_cursor *c;
	size_t at = 0;

	pev_cursor_open(t, s, 0, &c);
	while (!at && pev_cursor_next(c, &ev) > 0) {
		const struct class *cls = (const struct class *)ev->cls;
		const uint8_t *here = (const uint8_t *)ev->record + event_header(ev) + cls->chains;

		if (strcmp(ev->cls->name, CLASS))
			continue;
		memcpy(&word, here, sizeof(word));
		if (word.id[CHAIN_KERNEL] && !word.len[CHAIN_KERNEL])
			at = (size_t)(here - s->data);
	}
	pev_cursor_close(c);
	return at;
}

static void test_missing(void)
{
	struct file f = read_file(interned, "stream_0");
	struct chain_word word, good;
	uint16_t bad[] = { 1, 7, 12, 13, 0xffff, 0 };
	struct pev_trace *t;
	size_t at;

	if (pev_trace_open(interned, 0, &t, NULL))
		return;
	at = find_name(t);
	pev_trace_close(t);
	if (!check(at, "a record names a chain"))
		return;
	memcpy(&good, f.data + at, sizeof(good));
	/* no word, but a frame */
	bad[5] = (uint16_t)(good.id[CHAIN_KERNEL] + 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct sample_reading r;

		word = good;
		word.id[CHAIN_KERNEL] = bad[i];
		memcpy(f.data + at, &word, sizeof(word));
		write_bytes(f.path, f.data, f.len);
		r = sample_read(interned);
		check(r.damaged == 1 && r.warnings == 1 && r.events < EVENTS * SAMPLE_CPUS &&
			      strstr(r.warning, "names a call chain that is not there"),
		      "a name of nothing, %u: %u events, %llu packets damaged: %s", bad[i],
		      r.events, (unsigned long long)r.damaged, r.warning);
	}
	memcpy(f.data + at, &good, sizeof(good));
	write_bytes(f.path, f.data, f.len);
	free(f.data);
	is_whole(interned, EVENTS * SAMPLE_CPUS, "and again as it was");
}

/* ---- Without chains ---- */

static void test_none(void)
{
	static const char chains[] =
		"		uint32_t kstack_len;\n		uint32_t ustack_len;\n"
		"		xint64_t kstack[kstack_len];\n"
		"		xint64_t ustack[ustack_len];\n";
	size_t len;
	char *text = sample_metadata(&len), *at = memmem(text, len, chains, sizeof(chains) - 1);
	char name[2][4200], path[4200];
	struct file got[2][2];

	memmove(at, at + sizeof(chains) - 1, len - (size_t)(at - text) - sizeof(chains) + 2);
	snprintf(path, sizeof(path), "%s/none.tsdl", dir);
	write_bytes(path, text, strlen(text));
	free(text);
	for (int i = 0; i < 2; i++) {
		const char *before = getenv("PEV_TEST_METADATA");

		text = before ? strdup(before) : NULL;
		setenv("PEV_TEST_METADATA", path, 1);
		snprintf(name[i], sizeof(name[i]), "%s/none%d", dir, i);
		(i ? sample_interned : sample_trace)(name[i], 500, 4096);
		if (text)
			setenv("PEV_TEST_METADATA", text, 1);
		else
			unsetenv("PEV_TEST_METADATA");
		free(text);
		got[i][0] = read_file(name[i], "metadata");
		got[i][1] = read_file(name[i], "stream_0");
	}
	for (int i = 0; i < 2; i++) {
		check(got[0][i].len && got[0][i].len == got[1][i].len &&
			      !memcmp(got[0][i].data, got[1][i].data, got[0][i].len),
		      "without chains, the same bytes: %s", i ? "stream" : "metadata");
		free(got[0][i].data);
		free(got[1][i].data);
	}
}

/* ---- Many chains, and large packets ---- */

static int take(void *arg, const void *packet, size_t len)
{
	return pev_writer_packets(arg, 0, packet, len);
}

/* Chain @i, of its length */
static unsigned int make_chain(uint64_t *frames, unsigned int i, unsigned int distinct)
{
	unsigned int which = i % distinct, n = 1 + which % 7;

	for (unsigned int k = 0; k < n; k++)
		frames[k] = 0xffffffff81000000 + (uint64_t)which * 64 + k;
	return n;
}

static bool chain_is(const struct pev_event *ev, unsigned int i, unsigned int distinct)
{
	uint64_t frames[8];
	unsigned int n = make_chain(frames, i, distinct);

	return ev->kstack_len == n && ev->ustack_len == n &&
	       !memcmp(ev->kstack, frames, n * sizeof(*frames)) &&
	       !memcmp(ev->ustack, frames, n * sizeof(*frames));
}

static void write_many(const char *path, unsigned int events, unsigned int distinct,
		       uint32_t packet_size)
{
	size_t len;
	char *text = sample_metadata(&len);
	struct pev_encoder *enc;
	struct pev_writer *w;
	struct pev_meta *meta;
	uint64_t frames[8];
	int ret = pev_meta_parse(text, len, 0, &meta, NULL);

	ret = ret ? ret : pev_writer_open(path, 0, &w, NULL);
	check(!ret && !pev_writer_intern(w) && pev_writer_intern(w) == -EINVAL,
	      "chains are interned, which is chosen once");
	ret = pev_writer_metadata(w, text, len);
	ret = ret ? ret : pev_encoder_new(meta, packet_size, 0, 0, take, w, &enc);
	for (unsigned int i = 0; !ret && i < events; i++) {
		unsigned int n = make_chain(frames, i, distinct);

		ret = pev_encoder_begin(enc, pev_meta_class_by_name(meta, CLASS), 1000 + i, 1);
		pev_encoder_data(enc, "kstack", frames, n * sizeof(*frames));
		pev_encoder_data(enc, "ustack", frames, n * sizeof(*frames));
		ret = ret ? ret : pev_encoder_commit(enc);
	}
	ret = ret ? ret : pev_encoder_close(enc);
	IS_NUM(ret, 0, "... and written");
	IS_NUM(pev_writer_close(w), 0, "... to the end");
	pev_meta_free(meta);
	free(text);
}

static void test_many(unsigned int distinct, uint32_t packet_size, const char *name)
{
	unsigned int n = 0, wrong = 0;
	const struct pev_event *ev;
	struct pev_cursor *c;
	struct pev_trace *t;
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	write_many(path, 20000, distinct, packet_size);
	if (pev_trace_open(path, 0, &t, NULL))
		return;
	pev_cursor_open(t, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0)
		wrong += !chain_is(ev, n++, distinct);
	check(n == 20000 && !wrong && !pev_trace_damaged(t),
	      "%u chains in packets of %u KiB: %u events, %u wrong", distinct, packet_size >> 10, n,
	      wrong);
	pev_cursor_close(c);
	pev_trace_close(t);
}

/* ---- Metadata that come later ---- */

static int keep(void *arg, const void *packet, size_t len)
{
	struct file *f = arg;

	f->data = malloc(len);
	memcpy(f->data, packet, len);
	f->len = len;
	return 0;
}

/* A packet with a record of the last class, behind one with a chain */
static struct file make_packet(const struct pev_meta *meta)
{
	static const uint64_t frames[] = { 1, 2, 3 };
	struct file f = { .len = 0 };
	struct pev_encoder *enc;

	pev_encoder_new(meta, 4096, 0, 0, keep, &f, &enc);
	pev_encoder_begin(enc, pev_meta_class_by_name(meta, CLASS), 1000, 1);
	pev_encoder_data(enc, "kstack", frames, sizeof(frames));
	pev_encoder_commit(enc);
	pev_encoder_begin(enc, pev_meta_class_by_name(meta, "late"), 1001, 1);
	pev_encoder_commit(enc);
	pev_encoder_close(enc);
	return f;
}

static void test_late(bool described)
{
	static const char late[] =
		"event {\n	name = \"late\";\n	id = 29;\n	stream_id = 0;\n"
		"	fields := struct { } align(64);\n};\n";
	size_t len, n = 0;
	char *text = sample_metadata(&len), path[4200];
	const struct pev_event *ev;
	struct pev_cursor *c;
	struct pev_writer *w;
	struct pev_meta *meta;
	struct pev_trace *t;
	struct file f;

	text = realloc(text, len + sizeof(late));
	memcpy(text + len, late, sizeof(late));
	pev_meta_parse(text, len + sizeof(late) - 1, 0, &meta, NULL);
	f = make_packet(meta);
	pev_meta_free(meta);
	snprintf(path, sizeof(path), "%s/late%d", dir, described);
	pev_writer_open(path, 0, &w, NULL);
	pev_writer_intern(w);
	pev_writer_metadata(w, text, len);
	IS_NUM(pev_writer_packets(w, 0, f.data, f.len), -ESTALE, "a record is not described yet");
	if (described)
		pev_writer_metadata(w, text, len + sizeof(late) - 1);
	IS_NUM(pev_writer_packets(w, 0, f.data, f.len), 0,
	       described ? "it is now" : "it never is, and is not waited for again");
	IS_NUM(pev_writer_close(w), 0, "... and that is no error");
	free(f.data);
	free(text);
	pev_trace_open(path, 0, &t, NULL);
	pev_cursor_open(t, NULL, 0, &c);
	while (pev_cursor_next(c, &ev) > 0)
		n++;
	check(n == (described ? 2 : 1) && pev_trace_damaged(t) == !described,
	      "%zu records of 2 are read, %llu packets damaged", n,
	      (unsigned long long)pev_trace_damaged(t));
	pev_cursor_close(c);
	pev_trace_close(t);
}

int main(void)
{
	char *top = test_dir();

	snprintf(dir, sizeof(dir), "%s", top);
	snprintf(interned, sizeof(interned), "%s/interned", dir);
	snprintf(plain, sizeof(plain), "%s/plain", dir);
	check(!sample_interned(interned, EVENTS, 16384) && !sample_trace(plain, EVENTS, 16384),
	      "traces are written");
	test_same();
	test_alone();
	test_copies(interned, "a copy stands alone");
	test_copies(plain, "one of a record that has its chains is the same");
	test_missing();
	test_none();
	test_many(100, 65536, "few");
	test_many(20000, 262144, "many");
	test_many(9000, 2 << 20, "large");
	test_late(true);
	test_late(false);
	remove_tree(dir);
	free(top);
	return tap_done();
}
