// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Indexes of streams: what is read by them is the same as without, and whatever they say does no
 * harm.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sample.h"
#include "tap.h"

#define EVENTS 12000
#define HEAD 16
#define ENTRY 72
/* a packet that is not compared when the trace is opened, see index_read.c */
#define HIDDEN 4

static char trace[4096], index_0[4200], stream_0[4200];
static char *good;
static size_t good_len;

static char *read_all(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *text = malloc(1 << 22);

	*len = f && text ? fread(text, 1, 1 << 22, f) : 0;
	if (f)
		fclose(f);
	return text;
}

static bool is_whole(const struct sample_reading *r)
{
	return r->events == EVENTS * SAMPLE_CPUS && !r->wrong && !r->damaged;
}

static uint64_t *field(char *text, size_t entry, unsigned int nr)
{
	return (uint64_t *)(text + HEAD + entry * ENTRY) + nr;
}

/* Everything is read whatever the index says; a warning says @what. */
static void try_index(const char *text, size_t len, const char *name, const char *what)
{
	struct sample_reading r;

	write_bytes(index_0, text, len);
	r = sample_read(trace);
	check(is_whole(&r) && (what ? strstr(r.warning, what) != NULL : !r.warnings),
	      "%s: %u events, %u wrong, \"%s\"", name, r.events, r.wrong, r.warning);
	write_bytes(index_0, good, good_len);
}

static void try_field(size_t entry, unsigned int nr, uint64_t value, const char *name,
		      const char *what)
{
	char *bad = malloc(good_len);

	memcpy(bad, good, good_len);
	*field(bad, entry, nr) = htobe64(value);
	try_index(bad, good_len, name, what);
	free(bad);
}

static uint64_t value_of(size_t entry, unsigned int nr)
{
	return be64toh(*field(good, entry, nr));
}

static void test_right(void)
{
	size_t nr = (good_len - HEAD) / ENTRY;
	struct sample_reading r = sample_read(trace);

	check(is_whole(&r) && !r.warnings, "a trace is read by its indexes");
	check(nr == r.packets && (good_len - HEAD) % ENTRY == 0 && nr > 64,
	      "which have %zu packets of %zu", nr, r.packets);
	try_index(good, HEAD + 10 * ENTRY, "the recorder was killed", NULL);
	try_index(good, HEAD + 10 * ENTRY + 40, "... while it wrote", NULL);
	try_index(good, HEAD, "... before the first entry", NULL);
	unlink(index_0);
	r = sample_read(trace);
	check(is_whole(&r) && !r.warnings, "there is none");
	write_bytes(index_0, good, good_len);
}

static void test_wrong(void)
{
	const char *not_used = "stream_0: its index is not used";
	char *bad = malloc(good_len);

	try_index("", 0, "an empty one", not_used);
	try_index(good, HEAD - 1, "half of its head", not_used);
	memcpy(bad, good, good_len);
	bad[0] = 1;
	try_index(bad, good_len, "of another form", not_used);
	memcpy(bad, good, good_len);
	memcpy(bad + HEAD, good + HEAD + ENTRY, good_len - HEAD - ENTRY);
	try_index(bad, good_len - ENTRY, "an entry is missing", not_used);
	free(bad);
	try_field(0, 0, 8, "begins behind the begin", not_used);
	try_field(3, 0, 0, "packets that lie on each other", not_used);
	try_field(3, 0, 1ULL << 63, "a packet far outside", not_used);
	try_field(3, 1, 0, "a packet without a size", not_used);
	try_field(3, 1, UINT64_MAX, "a packet of any size", not_used);
	try_field(3, 2, UINT64_MAX - 7, "more records than the packet has room for", not_used);
	try_field(3, 2, 8, "less than a header", not_used);
	try_field(3, 3, UINT64_MAX, "a packet that begins behind its end", not_used);
	try_field(3, 6, 77, "another class of streams", not_used);
	try_field(3, 7, 77, "another ring", not_used);
	try_field(3, 8, 0, "numbers that do not grow", not_used);
	try_field(0, 4, value_of(0, 4) + 1, "another time of the first packet", not_used);
	try_field((good_len - HEAD) / ENTRY - 1, 5, 5, "another number of losses", not_used);
	try_field(HIDDEN, 4, value_of(HIDDEN, 4) + 1, "another time of a packet in the middle",
		  "its index has other times than its packets");
	try_field(HIDDEN, 2, value_of(HIDDEN, 2) - 64, "fewer records of a packet in the middle",
		  "its index has other times than its packets");
}

/* A damaged stream is what is told of, not an index that does not agree with it. */
static void test_damaged(void)
{
	size_t len;
	char *stream = read_all(stream_0, &len);
	uint64_t at = value_of(HIDDEN, 0);
	struct sample_reading r;

	stream[at] ^= 1;
	write_bytes(stream_0, stream, len);
	r = sample_read(trace);
	check(r.damaged == 1 && r.warnings == 1 && r.events < EVENTS * SAMPLE_CPUS &&
		      strstr(r.warning, "stream_0: packet 4 "),
	      "a packet that is none any more is left out: %s", r.warning);
	stream[at] ^= 1;
	/* not where a packet ends, wherever the middle is */
	write_bytes(stream_0, stream, at + 96);
	r = sample_read(trace);
	check(r.warnings && strstr(r.warning, "the file ends in a packet"),
	      "a stream that was cut: %s", r.warning);
	/* behind a packet, which the stream alone does not show */
	write_bytes(stream_0, stream, value_of(HIDDEN, 0));
	r = sample_read(trace);
	check(r.warnings == 1 && strstr(r.warning, "the stream ends before its last packets"),
	      "a stream that was cut behind a packet: %s", r.warning);
	write_bytes(stream_0, stream, len);
	free(stream);
}

static void test_removal(void)
{
	char alien[4200], half[4200];
	struct pev_error err;

	snprintf(alien, sizeof(alien), "%s/index/mine", trace);
	write_bytes(alien, "mine", 4);
	check(pev_trace_remove(trace, &err) == -EEXIST && strstr(err.text, "index/mine") &&
		      !access(index_0, F_OK),
	      "another file in its directory is not removed: %s", err.text);
	unlink(alien);
	snprintf(half, sizeof(half), "%s/index/stream_9.idx", trace);
	write_bytes(half, "", 0);
	check(!pev_trace_remove(trace, &err) && access(trace, F_OK),
	      "indexes are removed with the trace");
}

/* Pages of streams that were read: what is read first faults, as all are guarded */
static volatile unsigned int pages;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~4095UL;

	(void)context;
	if (mprotect((void *)page, 4096, PROT_READ))
		signal(sig, SIG_DFL);
	pages++;
}

static void guard(const struct pev_trace *t)
{
	for (unsigned int i = 0; i < pev_trace_nr_streams(t); i++) {
		const struct pev_stream *s = pev_trace_stream(t, i);

		mprotect((void *)s->data, s->size, PROT_NONE);
	}
	pages = 0;
}

/* Reads a millionth of a trace from its middle, and returns how many pages that took; 0: wrong */
static unsigned int read_middle(unsigned int events)
{
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO }, old;
	int64_t from, to;
	const struct pev_event *ev;
	unsigned int seen = 0;
	struct pev_cursor *c;
	struct pev_trace *t;

	remove_tree(trace);
	if (sample_trace(trace, events, 4096) || pev_trace_open(trace, 0, &t, NULL))
		return 0;
	pev_cursor_open(t, NULL, 0, &c);
	from = pev_meta_ns(pev_trace_meta(t, 0), sample_time(0, events / 2));
	to = pev_meta_ns(pev_trace_meta(t, 0), sample_time(0, events / 2 + 20));
	guard(t);
	sigaction(SIGSEGV, &sa, &old);
	pev_trace_find(t, from);
	pev_cursor_seek(c, from);
	while (pev_cursor_next(c, &ev) > 0 && pev_event_ns(ev) <= to)
		seen += ev->cpu == 0;
	sigaction(SIGSEGV, &old, NULL);
	seen = seen == 21 && !pev_trace_nr_warnings(t) ? pages : 0;
	pev_cursor_close(c);
	pev_trace_close(t);
	return seen;
}

static void test_middle(void)
{
	unsigned int few = read_middle(EVENTS), many = read_middle(EVENTS * 16);

	check(few && few <= SAMPLE_CPUS * 12, "the middle of a trace takes %u pages", few);
	/* a search has a step more for each doubling */
	check(many && many <= few + SAMPLE_CPUS * 6, "... of one that is 16 times as long, %u",
	      many);
}

/* Counts the events of ring 0 from one on. */
static unsigned int count_from(struct pev_cursor *c, unsigned int first, unsigned int *wrong)
{
	const struct pev_event *ev;
	unsigned int n = 0;

	while (pev_cursor_next(c, &ev) > 0) {
		if (ev->cpu || ev->time < sample_time(0, first))
			continue;
		*wrong += !sample_right(ev, first + n++);
	}
	return n;
}

/* Times in the middle that lie would take a search to another place. */
static void test_lies(void)
{
	char *bad = malloc(good_len);
	size_t nr = (good_len - HEAD) / ENTRY;
	unsigned int wrong = 0, n;
	struct pev_cursor *c;
	struct pev_trace *t;
	int64_t from;

	memcpy(bad, good, good_len);
	/* those that are compared at once are right */
	for (size_t i = 0; i < nr; i++)
		if (be64toh(*field(bad, i, 4)) < value_of(nr / 2, 4))
			*field(bad, i, 4) = htobe64(value_of(i, 3));
	for (unsigned int i = 0; i < 64; i++)
		*field(bad, i * (nr - 1) / 63, 4) = *field(good, i * (nr - 1) / 63, 4);
	write_bytes(index_0, bad, good_len);
	if (pev_trace_open(trace, 0, &t, NULL))
		return;
	pev_cursor_open(t, NULL, 0, &c);
	from = pev_meta_ns(pev_trace_meta(t, 0), sample_time(0, EVENTS / 4));
	check(!pev_trace_nr_warnings(t), "an index that lies about the middle is not noticed at once");
	pev_trace_find(t, from);
	check(pev_trace_nr_warnings(t) == 1 &&
		      strstr(pev_trace_warning(t, 0), "stream_0: its index has other times than its "
						      "packets, and is not used"),
	      "... but before its packets are looked for: %s",
	      pev_trace_nr_warnings(t) ? pev_trace_warning(t, 0) : "");
	check(pev_trace_stream(t, 0)->nr_packets == nr, "... then all packets are known");
	pev_cursor_seek(c, from);
	n = count_from(c, EVENTS / 4, &wrong);
	check(n == EVENTS - EVENTS / 4 && !wrong, "... and all events from there on read: %u", n);
	pev_trace_find(t, from);
	check(pev_trace_nr_warnings(t) == 1, "... without another word");
	pev_cursor_close(c);
	pev_trace_close(t);
	write_bytes(index_0, good, good_len);
	free(bad);
}

static void test_early(void)
{
	const struct pev_event *ev;
	unsigned int before = 0, other = 0, after = 0;
	struct pev_cursor *c;
	struct pev_trace *t;
	bool *early;
	int64_t from;

	if (pev_trace_open(trace, 0, &t, NULL))
		return;
	early = calloc(pev_trace_nr_classes(t), sizeof(*early));
	for (unsigned int i = 0; i < pev_trace_nr_classes(t); i++)
		early[i] = !strcmp(pev_trace_class(t, i)->name, sample_name(1));
	pev_cursor_open(t, NULL, 0, &c);
	from = pev_meta_ns(pev_trace_meta(t, 0), sample_time(0, EVENTS / 2));
	pev_cursor_seek_early(c, INT64_MIN, early, from);
	while (pev_cursor_next(c, &ev) > 0) {
		if (ev->cpu)
			continue;
		if (pev_event_ns(ev) >= from)
			after++;
		else if (early[ev->cls->index])
			before++;
		else
			other++;
	}
	check(before == EVENTS / 12, "events of a class from before: %u", before);
	check(other < 200, "... of others hardly any: %u", other);
	check(after == EVENTS / 2, "... and all that follow: %u", after);
	pev_cursor_seek(c, INT64_MIN);
	after = 0;
	while (pev_cursor_next(c, &ev) > 0)
		after++;
	check(after == EVENTS * SAMPLE_CPUS, "another seek brings all of them again: %u", after);
	free(early);
	pev_cursor_close(c);
	pev_trace_close(t);
}

int main(void)
{
	char *dir = test_dir();

	snprintf(trace, sizeof(trace), "%s/trace", dir);
	snprintf(index_0, sizeof(index_0), "%s/index/stream_0.idx", trace);
	snprintf(stream_0, sizeof(stream_0), "%s/stream_0", trace);
	if (sample_trace(trace, EVENTS, 4096)) {
		check(false, "a trace");
		return 1;
	}
	good = read_all(index_0, &good_len);
	test_right();
	test_wrong();
	test_lies();
	test_early();
	test_damaged();
	test_middle();
	test_removal();
	free(good);
	remove_tree(dir);
	free(dir);
	return tap_done();
}
