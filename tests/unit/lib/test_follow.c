// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A trace that is read while it is written has the same events in the same order.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sample.h"
#include "tap.h"

#define EVENTS 600

static char source[4096], growing[4096], path[8192];

/**
 * struct copy - writes the trace at @source again, piece by piece
 * @next: packet of each stream
 */
struct copy {
	struct pev_trace *from;
	struct pev_writer *writer;
	size_t next[SAMPLE_CPUS];
};

static bool copy_open(struct copy *c, const char *text)
{
	memset(c, 0, sizeof(*c));
	remove_tree(growing);
	return !pev_trace_open(source, 0, &c->from, NULL) &&
	       !pev_writer_open(growing, 0, &c->writer, NULL) &&
	       !pev_writer_metadata(c->writer, text, strlen(text));
}

/* Writes @n packets of a stream, or what is left of it. */
static void copy_packets(struct copy *c, unsigned int nr, size_t n)
{
	const struct pev_stream *s = pev_trace_stream(c->from, nr);

	for (; n && c->next[nr] < s->nr_packets; n--, c->next[nr]++) {
		const struct pev_packet_index *p = &s->packets[c->next[nr]];

		pev_writer_packets(c->writer, (unsigned int)s->instance, s->data + p->offset,
				   p->size);
	}
}

static bool copied(const struct copy *c)
{
	for (unsigned int i = 0; i < pev_trace_nr_streams(c->from); i++)
		if (c->next[i] < pev_trace_stream(c->from, i)->nr_packets)
			return false;
	return true;
}

/**
 * struct follower - what has been read
 * @wrong: events that are others, or too early
 */
struct follower {
	struct pev_trace *trace;
	struct pev_cursor *cursor;
	unsigned int seen[SAMPLE_CPUS];
	unsigned int total;
	unsigned int wrong;
	uint64_t last;
};

static bool follower_open(struct follower *f)
{
	memset(f, 0, sizeof(*f));
	return !pev_trace_open(growing, PEV_TRACE_FOLLOW, &f->trace, NULL) &&
	       !pev_cursor_open(f->trace, NULL, 0, &f->cursor);
}

static unsigned int read_events(struct follower *f)
{
	unsigned int before = f->total;
	const struct pev_event *ev;

	while (pev_cursor_next(f->cursor, &ev) > 0) {
		f->wrong += ev->time < f->last || ev->cpu >= SAMPLE_CPUS ||
			    !sample_right(ev, f->seen[ev->cpu]++);
		f->last = ev->time;
		f->total++;
	}
	return f->total - before;
}

static void end(struct copy *c, struct follower *f)
{
	pev_writer_close(c->writer);
	check(pev_trace_update(f->trace, 0) == 0, "its end is seen");
	read_events(f);
	check(f->total == EVENTS * SAMPLE_CPUS && !f->wrong,
	      "all events, in order of time: %u, %u wrong", f->total, f->wrong);
	check(!pev_trace_damaged(f->trace) && !pev_trace_nr_warnings(f->trace) &&
		      !strcmp(pev_trace_info(f->trace, "complete"), "yes"),
	      "nothing is called damaged");
	check(pev_trace_update(f->trace, 0) == 0, "and nothing more comes");
	pev_cursor_close(f->cursor);
	pev_trace_close(f->trace);
	pev_trace_close(c->from);
}

/* It is not said how far the streams are complete, which may be to no event. */
static void test_order(const char *text)
{
	struct follower f;
	struct copy c;

	check(copy_open(&c, text) && follower_open(&f), "a trace without a stream is followed");
	check(!read_events(&f), "nothing before the first update");
	copy_packets(&c, 0, 5);
	check(pev_trace_update(f.trace, 0) == 1 && pev_trace_nr_streams(f.trace) == 1 &&
		      !read_events(&f),
	      "nothing that is not promised to be complete");
	while (!copied(&c))
		for (unsigned int i = 0; i < SAMPLE_CPUS; i++)
			copy_packets(&c, i, i + 1);
	check(pev_trace_update(f.trace, 0) == 1 && !read_events(&f), "... however much there is");
	pev_writer_sync(c.writer);
	check(access(strcat(strcpy(path, growing), "/info/synced"), F_OK) == 0,
	      "a file of info says how far");
	end(&c, &f);
	check(access(path, F_OK) == -1, "... until the trace is complete");
}

static void give_away(uid_t owner)
{
	for (unsigned int i = 0; owner && i < SAMPLE_CPUS; i++) {
		snprintf(path, sizeof(path), "%s/stream_%u", growing, i);
		if (chown(path, owner, owner))
			perror(path);
	}
}

/* All of one time on all streams is there before the next. @owner: of the streams */
static void test_sync(const char *text, uid_t owner)
{
	unsigned int held = 0, rounds = 0;
	struct follower f;
	struct copy c;

	check(copy_open(&c, text) && follower_open(&f), "streams that grow alike");
	while (!copied(&c)) {
		for (unsigned int i = 0; i < SAMPLE_CPUS; i++)
			copy_packets(&c, i, 1);
		give_away(owner);
		pev_writer_sync(c.writer);
		pev_trace_update(f.trace, 0);
		held += read_events(&f) > 0;
		rounds++;
	}
	check(held + 2 >= rounds && rounds > 2, "are read as they grow: %u times of %u", held,
	      rounds);
	end(&c, &f);
}

/* A packet that is being written, of which the header or a part is there */
static void test_half(const char *text)
{
	const struct pev_stream *s;
	struct follower f;
	struct copy c;
	int fd;

	check(copy_open(&c, text), "a packet that is being written");
	copy_packets(&c, 0, 2);
	s = pev_trace_stream(c.from, 0);
	snprintf(path, sizeof(path), "%s/stream_0", growing);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	check(follower_open(&f) && pev_trace_stream(f.trace, 0)->nr_packets == 2, "two are there");
	check(write(fd, s->data + s->packets[2].offset, 20) == 20 &&
		      pev_trace_update(f.trace, 0) == 1 &&
		      pev_trace_stream(f.trace, 0)->nr_packets == 2,
	      "20 bytes of a header are waited for");
	check(write(fd, s->data + s->packets[2].offset + 20, 100) == 100 &&
		      pev_trace_update(f.trace, 0) == 1 &&
		      pev_trace_stream(f.trace, 0)->nr_packets == 2,
	      "half a packet, too");
	check(write(fd, s->data + s->packets[2].offset + 120, s->packets[2].size - 120) > 0 &&
		      pev_trace_update(f.trace, 0) == 1 &&
		      pev_trace_stream(f.trace, 0)->nr_packets == 3,
	      "it is there when it is whole");
	close(fd);
	check(!pev_trace_update(f.trace, PEV_UPDATE_ALL) && read_events(&f) && !f.wrong &&
		      !pev_trace_damaged(f.trace),
	      "and is read");
	pev_cursor_close(f.cursor);
	pev_trace_close(f.trace);
	pev_trace_close(c.from);
	pev_writer_close(c.writer);
}

/* The writer was killed in the middle of a packet. */
static void test_killed(const char *text)
{
	const struct pev_stream *s;
	struct follower f;
	struct copy c;

	check(copy_open(&c, text), "a writer that is killed");
	copy_packets(&c, 0, 3);
	s = pev_trace_stream(c.from, 0);
	snprintf(path, sizeof(path), "%s/stream_0", growing);
	check(!truncate(path, (off_t)s->packets[2].offset + 200) && follower_open(&f) &&
		      pev_trace_update(f.trace, 0) == 1,
	      "is waited for");
	check(!pev_trace_update(f.trace, PEV_UPDATE_ALL) && read_events(&f) && !f.wrong,
	      "what it wrote is read");
	check(pev_trace_damaged(f.trace) >= 1 && pev_trace_nr_warnings(f.trace) >= 1,
	      "what is missing is told");
	pev_cursor_close(f.cursor);
	pev_trace_close(f.trace);
	pev_trace_close(c.from);
	pev_writer_close(c.writer);
}

/* The last class of events is described when its records are there already. */
static void test_metadata(const char *text)
{
	char *part = strdup(text), *cut = part, *p;
	unsigned int some;
	struct follower f;
	struct copy c;

	for (p = part; (p = strstr(p, "\nevent {")); p++)
		cut = p + 1;
	*cut = '\0';
	check(copy_open(&c, part), "an event that is not described yet");
	for (unsigned int i = 0; i < SAMPLE_CPUS; i++)
		copy_packets(&c, i, SIZE_MAX);
	pev_writer_sync(c.writer);
	pev_writer_sync(c.writer);
	follower_open(&f);
	pev_trace_update(f.trace, 0);
	some = read_events(&f);
	check(some < EVENTS * SAMPLE_CPUS && !pev_trace_damaged(f.trace), "is waited for");
	pev_writer_metadata(c.writer, text, strlen(text));
	end(&c, &f);
	free(part);
}

static void test_refused(void)
{
	struct pev_trace *trace;

	check(!pev_trace_open(source, 0, &trace, NULL) && pev_trace_update(trace, 0) == -EINVAL,
	      "what is not followed is not updated");
	pev_trace_close(trace);
}

int main(void)
{
	char *dir = test_dir(), *text;
	size_t len;

	snprintf(source, sizeof(source), "%s/source", dir);
	snprintf(growing, sizeof(growing), "%s/growing", dir);
	if (sample_trace(source, EVENTS, 4096))
		return 1;
	text = sample_metadata(&len);
	test_order(text);
	test_sync(text, 0);
	if (!geteuid())
		test_sync(text, 4242);
	test_half(text);
	test_killed(text);
	test_metadata(text);
	test_refused();
	free(text);
	remove_tree(dir);
	free(dir);
	return tap_done();
}
