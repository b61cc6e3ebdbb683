// SPDX-License-Identifier: GPL-2.0
/*
 * Agents of many machines, each with a spool of its own, which send by the agent's own code what
 * 19 samples a second of two busy CPUs add up to.
 *
 * usage: simulate URL DIRECTORY HOSTS MINUTES
 *
 * Prints rows, samples, and the seconds until the store had acknowledged all.
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

static uint64_t put_frame(struct store_batch *b, unsigned int nr)
{
	struct strbuf *to = &b->rows[STORE_FRAMES];
	uint64_t id = id_u64(1, nr);

	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u64(to, id);
	wire_put_u8(to, STORE_FRAME_FILE);
	wire_put_text(to, "0123456789abcdef0123456789abcdef01234567");
	wire_put_text(to, "/usr/lib/x86_64-linux-gnu/libsimulated.so.1");
	wire_put_u64(to, nr * 64);
	wire_put_text(to, "");
	return id;
}

static void put_stack(struct store_batch *b, unsigned int nr)
{
	struct strbuf *to = &b->rows[STORE_STACKS];

	wire_put_u16(to, (uint16_t)b->day);
	wire_put_u64(to, id_u64(2, nr));
	wire_put_text(to, "simulated");
	wire_put_size(to, DEPTH);
	for (unsigned int i = 0; i < DEPTH; i++)
		wire_put_u64(to, put_frame(b, (nr * 7 + i * i * 31) % FRAMES));
}

static void put_window(struct store_batch *b, uint64_t host, uint32_t time, bool *known)
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

		if (!known[stack])
			put_stack(b, stack);
		known[stack] = true;
		store_batch_row(b, &row);
		rows++;
		samples += n;
	}
}

static void put_minute(struct outbox *o, unsigned int nr, uint32_t begin)
{
	struct store_batch b = { .day = begin / STORE_DAY };
	uint64_t host = id_u64(5, nr);
	bool known[STACKS] = { false };
	char name[32];
	struct msg m;

	snprintf(name, sizeof(name), "host-%u", nr);
	store_batch_name(&b, STORE_HOST, host, name, "");
	store_batch_name(&b, STORE_EVENT, 4, "cpu-clock", "timer");
	for (unsigned int i = 0; i < SERVICES; i++) {
		snprintf(name, sizeof(name), "service-%u", i);
		store_batch_name(&b, STORE_SERVICE, id_u64(3, i), name, "");
	}
	for (uint32_t t = 0; t < 60; t += STORE_WINDOW)
		put_window(&b, host, begin + t, known);
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

int main(int argc, char **argv)
{
	unsigned int hosts = argc == 5 ? (unsigned int)atoi(argv[3]) : 0;
	unsigned int minutes = argc == 5 ? (unsigned int)atoi(argv[4]) : 0;
	struct outbox *boxes = xcalloc(hosts + 1, sizeof(*boxes));
	struct sender *senders = xcalloc(hosts + 1, sizeof(*senders));
	/* whole minutes of one day, which has ended */
	uint32_t begin = (uint32_t)time(NULL) / STORE_DAY * STORE_DAY - STORE_DAY;
	struct store_opts none = { 0 };
	struct store_url url;
	struct msg m;
	double start;

	if (!hosts || !minutes || store_url_parse(&url, argv[1], &none, &m)) {
		note("usage: simulate URL DIRECTORY HOSTS MINUTES");
		return 2;
	}
	for (unsigned int i = 0; i < hosts; i++) {
		char *path = xasprintf("%s/%u", argv[2], i);

		if (outbox_open(&boxes[i], path, 1u << 30, &m)) {
			note("%s", m.text);
			return 1;
		}
		free(path);
		for (unsigned int minute = 0; minute < minutes; minute++)
			put_minute(&boxes[i], i, begin + 60 * minute);
	}
	start = now();
	for (unsigned int i = 0; i < hosts; i++)
		if (sender_start(&senders[i], &boxes[i], &url, &m)) {
			note("%s", m.text);
			return 1;
		}
	for (unsigned int i = 0; i < hosts; i++)
		while (!is_empty(&boxes[i]))
			usleep(10000);
	printf("%" PRIu64 " rows, %" PRIu64 " samples, %.2f s\n", rows, samples, now() - start);
	for (unsigned int i = 0; i < hosts; i++) {
		sender_end(&senders[i]);
		outbox_close(&boxes[i]);
	}
	return 0;
}
