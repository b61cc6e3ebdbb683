// SPDX-License-Identifier: GPL-2.0
/*
 * Agents of many machines, each with a spool of its own, which send by the agent's own code what
 * 19 samples a second of two busy CPUs add up to.
 *
 * usage: simulate URL[,URL]... DIRECTORY HOSTS MINUTES INTERVAL
 *
 * Each host sends to one of the servers, a batch for INTERVAL minutes. Prints rows, samples, and the seconds until the store had acknowledged all.
 */
#include "base/say.h"
#include "fleet/ids.h"
#include "fleet/outbox.h"
#include "fleet/sender.h"
#include "store/wire.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SERVICES 20
#define STACKS 2000
#define FRAMES 8000
#define DEPTH 20
#define ROWS_A_WINDOW 100
#define SAMPLES_A_WINDOW 380
#define PERIOD 52631579u
#define SERVERS_MOST 16

static uint64_t seed = 88172645463325252ull;
static uint64_t rows, samples;

void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* Few call chains have most of the samples. */
static unsigned int pick_stack(void)
{
	return (unsigned int)(STACKS * pow((double)(next_random() >> 11) / 0x1p53, 3));
}

/* What a batch has of call chains and frames; each is in it once. */
struct known_here {
	bool stacks[STACKS];
	bool frames[FRAMES];
};

static uint64_t put_frame(struct store_batch *b, struct known_here *known, unsigned int nr)
{
	struct strbuf *to = &b->rows[STORE_FRAMES];
	uint64_t id = id_u64(1, nr);

	if (known->frames[nr])
		return id;
	known->frames[nr] = true;
	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u64(to, id);
	wire_put_u8(to, STORE_FRAME_FILE);
	wire_put_text(to, "0123456789abcdef0123456789abcdef01234567");
	wire_put_text(to, "/usr/lib/x86_64-linux-gnu/libsimulated.so.1");
	wire_put_u64(to, nr * 64);
	wire_put_text(to, "");
	return id;
}

static void put_stack(struct store_batch *b, struct known_here *known, unsigned int nr)
{
	struct strbuf *to = &b->rows[STORE_STACKS];

	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u64(to, id_u64(2, nr));
	wire_put_text(to, "simulated");
	wire_put_size(to, DEPTH);
	for (unsigned int i = 0; i < DEPTH; i++)
		wire_put_u64(to, put_frame(b, known, (nr * 7 + i * i * 31) % FRAMES));
}

static void put_window(struct store_batch *b, uint64_t host, uint32_t time, struct known_here *known)
{
	for (int i = 0; i < ROWS_A_WINDOW; i++) {
		unsigned int stack = pick_stack();
		uint32_t n = i < SAMPLES_A_WINDOW % ROWS_A_WINDOW ?
				     SAMPLES_A_WINDOW / ROWS_A_WINDOW + 1 :
				     SAMPLES_A_WINDOW / ROWS_A_WINDOW;
		const struct store_row row = { .time = time,
					       .host = host,
					       .service = id_u64(3, stack % SERVICES),
					       .event = 4,
					       .stack = id_u64(2, stack),
					       .samples = n,
					       .weight = (uint64_t)n * PERIOD };

		if (!known->stacks[stack])
			put_stack(b, known, stack);
		known->stacks[stack] = true;
		store_batch_row(b, &row);
		rows++;
		samples += n;
	}
}

static void put_batch(struct outbox *o, unsigned int nr, uint32_t begin, uint32_t seconds)
{
	struct store_batch b = { .day = begin / STORE_DAY };
	uint64_t host = id_u64(5, nr);
	struct known_here known = { 0 };
	char name[32];
	struct msg m;

	snprintf(name, sizeof(name), "host-%u", nr);
	store_batch_name(&b, STORE_HOST, host, name, "");
	store_batch_name(&b, STORE_EVENT, 4, "cpu-clock", "timer");
	for (unsigned int i = 0; i < SERVICES; i++) {
		snprintf(name, sizeof(name), "service-%u", i);
		store_batch_name(&b, STORE_SERVICE, id_u64(3, i), name, "");
	}
	for (uint32_t t = 0; t < seconds; t += STORE_WINDOW)
		put_window(&b, host, begin + t, &known);
	if (outbox_add(o, &b, &m)) {
		note("%s", m.text);
		exit(1);
	}
	store_batch_free(&b);
}

static bool is_empty(struct outbox *o)
{
	bool empty;

	pthread_mutex_lock(&o->lock);
	empty = !o->n;
	pthread_mutex_unlock(&o->lock);
	return empty;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static size_t parse_servers(char *text, struct store_url *urls)
{
	struct store_opts none = { 0 };
	char *one;
	struct msg m;
	size_t n = 0;

	while ((one = strsep(&text, ",")) && n < SERVERS_MOST)
		if (store_url_parse(&urls[n++], one, &none, &m))
			return 0;
	return n;
}

static void fill(struct outbox *box, const char *path, unsigned int nr, uint32_t minutes,
		 uint32_t interval)
{
	/* whole minutes of one day, which has ended */
	uint32_t begin = (uint32_t)time(NULL) / STORE_DAY * STORE_DAY - STORE_DAY;
	struct msg m;

	if (outbox_open(box, path, UINT64_C(64) << 30, &m)) {
		note("%s", m.text);
		exit(1);
	}
	for (uint32_t at = 0; at < minutes; at += interval)
		put_batch(box, nr, begin + 60 * at,
			  60 * (uint32_t)min_u64(interval, minutes - at));
}

static void send_all(struct outbox *boxes, unsigned int hosts, const struct store_url *urls,
		     size_t servers)
{
	struct sender *senders = xcalloc(hosts, sizeof(*senders));
	uint64_t failures = 0;
	double start = now();
	struct msg m;

	for (unsigned int i = 0; i < hosts; i++)
		if (sender_start(&senders[i], &boxes[i], &urls[i % servers], &m)) {
			note("%s", m.text);
			exit(1);
		}
	for (unsigned int i = 0; i < hosts; i++)
		while (!is_empty(&boxes[i]))
			usleep(10000);
	start = now() - start;
	for (unsigned int i = 0; i < hosts; i++) {
		failures += senders[i].failures;
		sender_end(&senders[i]);
	}
	printf("%" PRIu64 " rows, %" PRIu64 " samples, %.2f s, %.0f rows a second, %" PRIu64
	       " attempts failed\n",
	       rows, samples, start, (double)rows / start, failures);
	free(senders);
}

int main(int argc, char **argv)
{
	unsigned int hosts = argc == 6 ? (unsigned int)atoi(argv[3]) : 0;
	uint32_t minutes = argc == 6 ? (uint32_t)atoi(argv[4]) : 0;
	uint32_t interval = argc == 6 ? (uint32_t)atoi(argv[5]) : 0;
	struct outbox *boxes = xcalloc(hosts + 1, sizeof(*boxes));
	struct store_url urls[SERVERS_MOST];
	size_t servers = argc == 6 ? parse_servers(argv[1], urls) : 0;

	if (!hosts || !minutes || !interval || !servers) {
		note("usage: simulate URL[,URL]... DIRECTORY HOSTS MINUTES INTERVAL");
		return 2;
	}
	for (unsigned int i = 0; i < hosts; i++) {
		char *path = xasprintf("%s/%u", argv[2], i);

		fill(&boxes[i], path, i, minutes, interval);
		free(path);
	}
	printf("%" PRIu64 " samples wait\n", samples);
	fflush(stdout);
	send_all(boxes, hosts, urls, servers);
	for (unsigned int i = 0; i < hosts; i++)
		outbox_close(&boxes[i]);
	return 0;
}
