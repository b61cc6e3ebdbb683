// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The live reader over a channel with rings that the test fills as a kernel would. An
 * engine of the test's own hands the channel out; it has no descriptors but for
 * waiting.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "engine/ops.h"
#include "ring/ring.h"
#include "sample.h"
#include "tap.h"

#define PACKET	1024U
#define RING	(16 * PACKET)
#define RINGS	4
#define CHANNEL	77

/**
 * struct fake_ring - a ring and its writer
 * @late: pev_channel_map_new() adds it when this is false
 */
struct fake_ring {
	struct pev_ring_kernel	kernel;
	struct pev_ring_user	user;
	_Alignas(8) uint8_t	data[RING];
	bool			late;
	bool			there;
};

/**
 * struct fake - the channel under test
 * @text:     its metadata; NULL: no event writes into it yet
 * @writing:  what the encoder makes packets from
 * @flush:    what the next flush returns
 * @fd:       the channel's, to wait on
 * @unmapped: times that the channel was given back
 */
static struct fake {
	struct fake_ring	rings[RINGS];
	struct pev_channel_info	info;
	struct pev_channel	*channel;
	const char		*text;
	struct pev_meta		*writing;
	int			flush;
	int			fd;
	unsigned int		unmapped;
} fake;

static struct pev_reader *reader;
static char *full;

/* The linker puts it in place of malloc(): 0 counts down to the call that fails. */
static int fail_after = -1;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *__wrap_malloc(size_t size)
{
	if (fail_after >= 0 && !fail_after--)
		return NULL;
	return __real_malloc(size);
}

static int prepare(void *arg)
{
	(void)arg;
	for (unsigned int i = 0; i < RINGS; i++) {
		struct fake_ring *ring = &fake.rings[i];
		int ret;

		if (ring->late || ring->there)
			continue;
		ring->kernel.ring = i;
		ring->kernel.cpu = i;
		ret = channel_add_ring(fake.channel, &ring->kernel, &ring->user, ring->data);
		if (ret)
			return ret;
		ring->there = true;
	}
	return 0;
}

static void unmapped(void *arg)
{
	(void)arg;
	fake.unmapped++;
}

static int map(struct pev_engine *engine, int channel, struct pev_channel **mapped)
{
	const struct channel_source source = { NULL, prepare, NULL, unmapped };
	int ret;

	(void)engine;
	if (channel != CHANNEL)
		return -EBADF;
	ret = channel_make(&fake.info, fake.fd, &source, &fake.channel);
	*mapped = fake.channel;
	return ret;
}

static int flush(struct pev_engine *engine, int channel)
{
	int ret = fake.flush;

	(void)engine;
	fake.flush = 0;
	return channel == CHANNEL ? ret : -EBADF;
}

static int metadata(struct pev_engine *engine, int channel, char **text, size_t *len)
{
	(void)engine;
	if (channel != CHANNEL || !fake.text)
		return -ENODATA;
	*text = strdup(fake.text);
	*len = strlen(fake.text);
	return *text ? 0 : -ENOMEM;
}

static const struct engine_ops ops = {
	.name = "fake", .flush = flush, .metadata = metadata, .map = map,
};

static struct pev_engine engine = { .ops = &ops };

/* @fd: to wait on */
static void start(int fd)
{
	struct pev_error err;

	memset(&fake, 0, sizeof(fake));
	fake.info.size = sizeof(fake.info);
	fake.info.nr_rings = RINGS;
	fake.info.ring_size = RING;
	fake.info.packet_size = PACKET;
	fake.fd = fd;
	fake.text = full;
	pev_meta_parse(full, strlen(full), 0, &fake.writing, NULL);
	if (pev_reader_open(&engine, CHANNEL, 0, &reader, &err)) {
		check(false, "a reader opens: %s", err.text);
		exit(1);
	}
}

static void stop(void)
{
	pev_reader_close(reader);
	pev_meta_free(fake.writing);
}

/* Returns where the newest packet of a ring lies. */
static struct pev_packet *newest(unsigned int ring)
{
	struct fake_ring *r = &fake.rings[ring];

	return (struct pev_packet *)(r->data + (r->kernel.head - PACKET) % RING);
}

static int take(void *arg, const void *packet, size_t len)
{
	struct fake_ring *ring = arg;

	if (len != PACKET || ring->kernel.head - ring->user.tail > RING - PACKET)
		return -ENOSPC;
	memcpy(ring->data + ring->kernel.head % RING, packet, len);
	__atomic_store_n(&ring->kernel.head, ring->kernel.head + PACKET, __ATOMIC_RELEASE);
	return 0;
}

/* A packet of @nr events of one class, the first at @time, @gap apart; their tids count up. */
static void put_class(unsigned int ring, const char *name, uint64_t time, uint64_t gap,
		      unsigned int nr)
{
	const struct pev_class *cls = pev_meta_class_by_name(fake.writing, name);
	struct pev_encoder *enc;
	int ret = pev_encoder_new(fake.writing, PACKET, ring, ring, take, &fake.rings[ring], &enc);

	for (unsigned int i = 0; !ret && i < nr; i++) {
		ret = pev_encoder_begin(enc, cls, time + i * gap, i);
		if (!ret)
			ret = pev_encoder_commit(enc);
	}
	if (!ret)
		ret = pev_encoder_close(enc);
	quiet_check(!ret, "a packet into ring %u: %s", ring, strerror(-ret));
}

static void put(unsigned int ring, uint64_t time, uint64_t gap, unsigned int nr)
{
	put_class(ring, "test:nothing", time, gap, nr);
}

static int fetch(unsigned int flags)
{
	return pev_reader_fetch(reader, flags, NULL);
}

/* Times of all events that can be had now, "1 5 7" */
static const char *times(void)
{
	static char text[4096];
	const struct pev_event *ev;
	size_t len = 0;

	text[0] = '\0';
	while (pev_reader_next(reader, &ev) > 0 && len < sizeof(text) - 24)
		len += sprintf(text + len, "%s%llu", len ? " " : "", (unsigned long long)ev->time);
	return text;
}

static void test_open(void)
{
	char *fields = (char *)"before";
	struct pev_error err;
	struct pev_reader *r;

	start(-1);
	check(pev_reader_open(&engine, CHANNEL, 1, &r, &err) == -EINVAL && !r &&
	      strstr(err.text, "0x1"), "unknown flags: %s", err.text);
	check(pev_reader_open(&engine, 5, 0, &r, &err) == -EBADF && !r, "no channel: %s",
	      err.text);
	check(pev_reader_fetch(reader, 0x80, &err) == -EINVAL && strstr(err.text, "0x80"),
	      "unknown flags of a fetch: %s", err.text);
	check(pev_engine_open(&engine, NULL, 2, &err) == -EINVAL &&
		      !strcmp(err.text, "pev_engine_open() has no flags 0x2") &&
		      pev_engine_catalog(&engine, 4, NULL, &err) == -EINVAL &&
		      pev_engine_fields(&engine, NULL, 16, &fields, &err) == -EINVAL && !fields &&
		      pev_engine_map(&engine, CHANNEL, 8, NULL) == -EINVAL,
	      "unknown flags of an engine: %s", err.text);
	stop();
	check(fake.unmapped == 1, "the channel is given back");
	start(-1);
	fake.info.flags = PEV_CHF_OVERWRITE;
	check(pev_reader_open(&engine, CHANNEL, 0, &r, &err) == -EOPNOTSUPP && !r &&
	      fake.unmapped == 1, "a channel in overwrite mode: %s", err.text);
	stop();
}

static void test_merge(void)
{
	const struct pev_event *ev;

	start(-1);
	put(0, 10, 30, 3);
	put(1, 20, 30, 2);
	put(1, 80, 5, 2);
	put(3, 30, 1, 1);
	check(!fetch(0) && !pev_reader_next(reader, &ev), "the first fetch holds all back");
	check(fake.rings[0].user.tail == PACKET && fake.rings[1].user.tail == 2 * PACKET,
	      "though the rings' space is given back");
	put(0, 90, 1, 1);
	put(2, 84, 1, 1);
	check(!fetch(0), "the second fetch");
	IS_STR(times(), "10 20 30 40 50 70 80 84 85", "has what is older than its start");
	IS_STR(times(), "", "and no more");
	check(!fetch(0), "the third fetch");
	IS_STR(times(), "90", "has the rest, though nothing came");
	put(0, 100, 0, 2);
	put(1, 100, 0, 2);
	check(!fetch(PEV_FETCH_ALL), "PEV_FETCH_ALL");
	for (unsigned int i = 0; i < 4; i++)
		quiet_check(pev_reader_next(reader, &ev) == 1 && ev->cpu == i / 2 &&
			    ev->tid == i % 2 && ev->time == 100 &&
			    !strcmp(ev->cls->name, "test:nothing") &&
			    ev->meta == pev_reader_metadata(reader, NULL),
			    "event %u of one time", i);
	check(!pev_reader_next(reader, &ev), "holds nothing back; of one time the lower ring is first");
	put(2, 110, 1, 3);
	check(!fetch(0) && !pev_reader_next(reader, &ev), "after that the next is held back again");
	/* what is left is freed */
	stop();
}

/*
 * As while CPUs go on writing: ring i is read i * 10 after ring 0, and each fetch has
 * what a ring got until it was read.
 */
static void test_order(void)
{
	uint64_t at[RINGS] = { 0 }, got = 0, put_in = 0, last = 0, start_of = 0, missed = 0;
	const struct pev_event *ev;
	unsigned int wrong = 0;

	start(-1);
	srand(9);
	for (unsigned int round = 1; round <= 3000; round++) {
		uint64_t bound = start_of;
		bool wrote = false;

		for (unsigned int i = 0; i < RINGS; i++) {
			uint64_t until = round * 1000ULL + i * 10;
			unsigned int nr = rand() % 12, packets = rand() % 4;

			for (unsigned int p = 0; p < packets && nr; p++) {
				uint64_t gap = (until - at[i]) / (nr + 1) / (packets - p);

				put(i, at[i] + gap, gap, nr);
				at[i] += gap * nr;
				put_in += nr;
				start_of = at[i] > start_of ? at[i] : start_of;
				wrote = true;
			}
			at[i] = until;
		}
		quiet_check(!fetch(round == 3000 ? PEV_FETCH_ALL : 0), "fetch %u", round);
		while (pev_reader_next(reader, &ev) > 0) {
			wrong += ev->time < last;
			last = ev->time;
			got++;
		}
		/* all that is older than the newest of the fetch before has come */
		missed += round > 1 && wrote && last < bound;
	}
	check(!wrong && got == put_in && !missed && !pev_reader_damaged(reader),
	      "%llu events of %u rings in order, each at the fetch after its own",
	      (unsigned long long)got, RINGS);
	stop();
}

static void test_idle(void)
{
	const struct pev_event *ev;
	unsigned int wrong = 0;

	start(-1);
	for (unsigned int i = 0; i < 5; i++)
		wrong += fetch(0) || pev_reader_next(reader, &ev);
	check(!wrong, "rings without anything");
	put(3, 1, 1, 1);
	for (unsigned int i = 1; i < 1000; i++) {
		put(0, i * 10, 1, 1);
		wrong += fetch(0) != 0;
		while (pev_reader_next(reader, &ev) > 0)
			wrong += ev->time != (i - 1) * 10 && i > 2;
	}
	check(!wrong, "a ring that is empty for long does not keep others waiting");
	put(3, 9995, 1, 1);
	put(0, 10000, 1, 1);
	fetch(0);
	fetch(0);
	IS_STR(times(), "9990 9995 10000", "and takes its place when it wakes up");
	stop();
}

static void test_added(void)
{
	start(-1);
	for (unsigned int i = 1; i < RINGS; i++)
		fake.rings[i].late = true;
	put(0, 10, 10, 2);
	fetch(0);
	put(2, 15, 10, 3);
	fake.rings[2].late = false;
	check(!fetch(0) && pev_channel_ring(pev_reader_channel(reader), 2) &&
	      !pev_channel_ring(pev_reader_channel(reader), 1), "a ring is added");
	IS_STR(times(), "10 15 20", "its events are merged");
	put(1, 30, 10, 1);
	put(0, 40, 10, 1);
	fake.rings[1].late = false;
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "25 30 35 40", "so are those of the next");
	stop();
}

static void test_lost(void)
{
	start(-1);
	put(0, 1, 1, 1);
	fetch(0);
	check(!pev_channel_lost(pev_reader_channel(reader)), "nothing was lost");
	fake.rings[0].kernel.lost = 7;
	fake.rings[3].kernel.lost = 1ULL << 40;
	fetch(PEV_FETCH_ALL);
	check(pev_channel_lost(pev_reader_channel(reader)) == (1ULL << 40) + 7,
	      "what the rings lost is told");
	IS_STR(times(), "1", "and what they did not lose is read");
	stop();
}

/* Whatever allocation of a fetch fails, its packets come with the next. */
static void test_put_back(void)
{
	unsigned int failed = 0, wrong = 0;
	struct pev_error err;

	for (int n = 0; n < 8; n++) {
		int ret;

		start(-1);
		put(0, 10, 10, 2);
		fetch(0);
		times();
		put(0, 30, 10, 2);
		put(1, 25, 10, 2);
		put(1, 45, 1, 1);
		put(3, 41, 1, 1);
		fail_after = n;
		ret = pev_reader_fetch(reader, 0, &err);
		fail_after = -1;
		failed += ret == -ENOMEM;
		wrong += ret && ret != -ENOMEM;
		/* nothing that was not copied is given back */
		wrong += ret && !n && (fake.rings[0].user.tail != PACKET || fake.rings[1].user.tail);
		wrong += ret && strcmp(times(), "") != 0;
		put(0, 50, 1, 1);
		wrong += fetch(0) || !strcmp(times(), "");
		wrong += fetch(PEV_FETCH_ALL) != 0;
		times();
		wrong += fake.rings[0].user.tail != 3 * PACKET ||
			 fake.rings[1].user.tail != 2 * PACKET ||
			 fake.rings[3].user.tail != PACKET;
		stop();
	}
	check(failed == 3 && !wrong, "a fetch without memory leaves the packets in the rings (%u failed)",
	      failed);
	start(-1);
	put(0, 10, 10, 2);
	put(1, 15, 10, 2);
	quiet_check(pev_reader_metadata(reader, NULL) != NULL, "metadata");
	fail_after = 1;
	check(pev_reader_fetch(reader, 0, &err) == -ENOMEM, "no memory for the second ring: %s",
	      err.text);
	fail_after = -1;
	check(fake.rings[0].user.tail == PACKET && !fake.rings[1].user.tail,
	      "what was copied is given back, the rest is not");
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "10 15 20 25", "all come, once and in order");
	fake.flush = -EIO;
	put(0, 30, 10, 1);
	check(pev_reader_fetch(reader, 0, &err) == -EIO, "a flush that fails: %s", err.text);
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "30", "loses nothing");
	stop();
}

static void test_hangup(void)
{
	int fds[2];

	if (pipe(fds)) {
		check(false, "a pipe");
		return;
	}
	start(fds[0]);
	check(!pev_reader_wait(reader, 0), "nothing yet");
	put(0, 10, 10, 2);
	quiet_check(write(fds[1], "", 1) == 1, "a byte");
	check(pev_reader_wait(reader, -1) == PEV_POLL_DATA, "data");
	fetch(0);
	put(1, 15, 10, 2);
	close(fds[1]);
	check(pev_reader_wait(reader, -1) == (PEV_POLL_DATA | PEV_POLL_HANGUP), "data and a hangup");
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "10 15 20 25", "what was left in the rings is read");
	close(fds[0]);
	check(pev_reader_wait(reader, -1) == -EBADF, "a descriptor that was closed");
	stop();
}

static void wrong_magic(struct pev_packet *p)
{
	p->magic ^= 1;
}

static void wrong_trace(struct pev_packet *p)
{
	p->uuid[3] ^= 1;
}

static void wrong_stream(struct pev_packet *p)
{
	p->stream_id = 99;
}

static void wrong_size(struct pev_packet *p)
{
	p->packet_size = UINT64_MAX;
}

static void wrong_content(struct pev_packet *p)
{
	p->content_size = p->packet_size + 8;
}

static void wrong_end(struct pev_packet *p)
{
	p->timestamp_end = p->timestamp_begin - 1;
}

static void zeros(struct pev_packet *p)
{
	memset(p, 0, PACKET);
}

static void ones(struct pev_packet *p)
{
	memset(p, 0xff, PACKET);
}

/* A packet between two good ones, which is damaged in its header and so has no events */
static void test_headers(void)
{
	static void (*const damage[])(struct pev_packet *p) = {
		wrong_magic, wrong_trace, wrong_stream, wrong_size, wrong_content, wrong_end,
		zeros, ones,
	};
	unsigned int wrong = 0, i;

	for (i = 0; i < sizeof(damage) / sizeof(*damage); i++) {
		start(-1);
		put(0, 10, 1, 1);
		put(0, 20, 1, 1);
		damage[i](newest(0));
		put(0, 30, 1, 1);
		put(1, 15, 10, 2);
		fetch(PEV_FETCH_ALL);
		wrong += strcmp(times(), "10 15 25 30") || pev_reader_damaged(reader) != 1;
		/* the same, with the damaged packet as the newest of its ring */
		put(0, 40, 1, 1);
		newest(0)->timestamp_end = UINT64_MAX;
		damage[i](newest(0));
		put(1, 45, 1, 1);
		fetch(0);
		put(0, 50, 1, 1);
		put(1, 55, 5, 2);
		fetch(0);
		wrong += strcmp(times(), "45") || pev_reader_damaged(reader) != 2;
		put(0, 58, 1, 1);
		fetch(0);
		wrong += strcmp(times(), "50 55 58 60") != 0;
		if (wrong)
			break;
		stop();
	}
	check(!wrong, "a damaged header costs its packet, and no other's order (%u)", i);
}

static void test_records(void)
{
	start(-1);
	put(0, 10, 1, 3);
	newest(0)->content_size -= 32;
	put(0, 20, 1, 1);
	put(1, 5, 10, 2);
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "5 10 11 15 20", "a packet that is cut in a record: what is before it");
	check(pev_reader_damaged(reader) == 1, "is one damaged packet");
	put(0, 30, 10, 3);
	newest(0)->timestamp_end = 45;
	put(1, 35, 1, 1);
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "30 35 40", "a record that is later than its packet");
	check(pev_reader_damaged(reader) == 2, "is one, too");
	put(0, 60, 10, 2);
	/* the ids of the compact records to one that no class has */
	*(uint32_t *)(newest(0) + 1) |= 2;
	put(0, 80, 10, 1);
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "80", "a record of a class that the metadata do not have");
	check(pev_reader_damaged(reader) == 3, "is one");
	put(0, 90, 1, 1);
	newest(0)->content_size = sizeof(struct pev_packet) * 8;
	put(0, 91, 1, 1);
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "91", "a packet without records");
	check(pev_reader_damaged(reader) == 3, "is none");
	stop();
}

/* Heads that the ring's contract excludes */
static void test_heads(void)
{
	start(-1);
	put(0, 10, 1, 1);
	put(1, 15, 1, 1);
	fetch(PEV_FETCH_ALL);
	times();
	fake.rings[0].kernel.head += 100 * PACKET;
	put(1, 25, 1, 1);
	check(!fetch(PEV_FETCH_ALL) && pev_reader_damaged(reader) == 1, "a head too far away");
	IS_STR(times(), "25", "does not concern other rings");
	check(fake.rings[0].user.tail == fake.rings[0].kernel.head,
	      "and all space before it is given back");
	put(0, 30, 1, 1);
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "30", "the ring goes on from there");
	check(pev_reader_damaged(reader) == 1, "once");
	stop();
}

static void test_wrap(void)
{
	unsigned int wrong = 0;
	char want[300] = "";

	start(-1);
	/* 16 packets from the middle of the ring on: two pieces */
	for (unsigned int i = 0; i < 5; i++)
		put(0, i, 1, 1);
	fetch(PEV_FETCH_ALL);
	times();
	for (unsigned int i = 0; i < RING / PACKET; i++) {
		put(0, 100 + i, 1, 1);
		sprintf(want + strlen(want), "%s%u", i ? " " : "", 100 + i);
	}
	wrong += fetch(PEV_FETCH_ALL) || fake.rings[0].user.tail != fake.rings[0].kernel.head;
	IS_STR(times(), want, "a full ring that wraps");
	check(!wrong, "is empty afterwards");
	stop();
}

/* Metadata that come after the packets, and classes that come while events wait */
static void test_metadata(void)
{
	struct pev_error err;
	char *start_of, *less;

	less = strdup(full);
	start_of = strstr(less, "event {\n\tname = \"test:two\"");
	if (!check(start_of != NULL, "the sample has a class test:two"))
		return;
	*start_of = '\0';
	start(-1);
	fake.text = NULL;
	put(0, 10, 10, 2);
	check(!pev_reader_metadata(reader, &err) && err.error, "no event yet: %s", err.text);
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "", "events wait for the metadata");
	fake.text = less;
	IS_STR(times(), "10 20", "and come with them");
	check(!pev_meta_class_by_name(pev_reader_metadata(reader, NULL), "test:two"),
	      "a class that is not there yet");
	put(1, 25, 10, 3);
	put_class(0, "test:two", 30, 10, 2);
	fake.text = full;
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "25 30 35 40 45", "is read when its first event comes");
	check(!pev_reader_damaged(reader) &&
	      pev_meta_class_by_name(pev_reader_metadata(reader, NULL), "test:two"),
	      "and nothing is damaged");
	stop();
	start(-1);
	fake.text = less;
	put(1, 25, 10, 3);
	put_class(0, "test:two", 30, 10, 2);
	put(0, 50, 10, 1);
	fetch(PEV_FETCH_ALL);
	IS_STR(times(), "25 35 45 50", "a class that never comes costs its packet");
	check(pev_reader_damaged(reader) == 1, "which is damaged");
	stop();
	free(less);
}

int main(void)
{
	size_t len;

	full = sample_metadata(&len);
	test_open();
	test_merge();
	test_order();
	test_idle();
	test_added();
	test_lost();
	test_put_back();
	test_hangup();
	test_headers();
	test_records();
	test_heads();
	test_wrap();
	test_metadata();
	free(full);
	return tap_done();
}
