// SPDX-License-Identifier: GPL-2.0
/*
 * A writer with signals for interrupts and a consumer on another CPU, as real
 * threads: for ThreadSanitizer, and for the machine's own memory order.
 */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "model.h"

#define PACKET	4096U
#define PACKETS	4U

static struct model m;
static bool done;
static unsigned long signals;

void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

unsigned long long get_cycles(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

unsigned long long ktime_get_mono_fast_ns(void)
{
	return get_cycles();
}

u64 model_now(void)
{
	return get_cycles();
}

static void write_some(u64 r)
{
	u32 id = r % 40;

	model_write(&m, id, 12 + 8 * (id % 16) * (id % 16));
}

static void interrupt(int sig)
{
	unsigned long n = __atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);

	if (n % 16 == 0 && sig == SIGUSR2)
		pev_ring_flush(&m.ring);
	write_some(n * 2654435761U >> 7);
}

static void *interrupter(void *writer)
{
	struct timespec ts = { .tv_nsec = 20000 };
	unsigned int n = 0;

	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		pthread_kill(*(pthread_t *)writer, n++ & 1 ? SIGUSR1 : SIGUSR2);
		if (n % 4 == 0)
			nanosleep(&ts, NULL);
	}
	return NULL;
}

/* Discard: read in place, then give the space back. */
static void *consumer(void *arg)
{
	bool last;
	u64 head;

	do {
		last = __atomic_load_n(&done, __ATOMIC_ACQUIRE);
		head = smp_load_acquire(&m.kernel.head);	/* pev_ring:B */
		model_walk(&m, &m.reader, head);
		smp_store_release(&m.user.tail, m.reader.pos);	/* pev_ring:C */
	} while (!last);
	return arg;
}

/* The race with the writer is the point of the protocol. */
#if defined(__SANITIZE_THREAD__)
__attribute__((no_sanitize("thread")))
#endif
static void copy_racing(u64 *to, const u64 *from, unsigned int words)
{
	const volatile u64 *src = from;

	while (words--)
		*to++ = *src++;
}

static u64 check_copy(const u8 *copy, u64 pos)
{
	const struct pev_packet *p = (const void *)copy;
	u64 at = sizeof(*p), records = 0;

	expect(p->magic == PEV_PACKET_MAGIC, "packet at %llu", pos);
	expect(p->packet_seq_num == pos / PACKET, "packet at %llu is %llu", pos,
	       p->packet_seq_num);
	expect(p->content_size <= PACKET * 8, "packet at %llu", pos);
	while (at < p->content_size / 8) {
		const u32 *w = (const u32 *)(copy + at);
		u32 id = *w & PEV_ID_EXTENDED, header = PEV_HEADER_COMPACT, body, i;

		if (id == PEV_ID_EXTENDED) {
			id = *w >> PEV_ID_BITS;
			header = PEV_HEADER_EXTENDED;
		}
		expect(id < 40, "id %u at %llu", id, pos + at);
		body = 12 + 8 * (id % 16) * (id % 16);
		w += header / 4;
		for (i = 1; i < body / 4; i++)
			expect(w[i] == w[0] + i, "torn record at %llu", pos + at);
		at += header + body;
		records++;
	}
	expect(at == p->content_size / 8, "packet at %llu", pos);
	return records;
}

/* Overwrite: copy a packet, then see whether it was overrun meanwhile. */
static void *recorder(void *arg)
{
	static u64 copy[PACKET / 8];
	u64 pos = 0, packets = 0, overruns = 0, records = 0;

	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		u64 head = smp_load_acquire(&m.kernel.head);	/* pev_ring:B */
		u64 oldest = READ_ONCE(m.kernel.oldest);

		if (pos < oldest)
			pos = oldest;
		if (pos + PACKET > head)
			continue;
		copy_racing(copy, (void *)(m.ring.data + (pos & m.ring.data_mask)),
			    PACKET / 8);
		smp_rmb();					/* pev_ring:E */
		if (READ_ONCE(m.kernel.oldest) > pos) {
			overruns++;
			continue;
		}
		records += check_copy((u8 *)copy, pos);
		packets++;
		pos += PACKET;
	}
	expect(packets > 100, "only %llu packets were read whole", packets);
	printf("# %llu packets with %llu records read, %llu overrun meanwhile\n", packets,
	       records, overruns);
	return arg;
}

int main(int argc, char **argv)
{
	bool overwrite = argc > 1 && !strcmp(argv[1], "overwrite");
	double seconds = argc > 2 ? atof(argv[2]) : 2;
	struct sigaction sa = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	pthread_t self = pthread_self(), other, reader;
	u64 x = 88172645463325252ULL, end;

	model_init(&m, PACKETS, PACKET, PEV_CLOCK_CYCLES, overwrite);
	m.check_times = true;
	sigaction(SIGUSR1, &sa, NULL);	/* two levels that nest in each other */
	sigaction(SIGUSR2, &sa, NULL);
	end = get_cycles() + (u64)(seconds * 1e9);
	pthread_create(&reader, NULL, overwrite ? recorder : consumer, NULL);
	pthread_create(&other, NULL, interrupter, &self);
	while (get_cycles() < end) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		write_some(x);
		if (overwrite && x % 64 == 0) {
			struct timespec ts = { .tv_nsec = 1000 };

			nanosleep(&ts, NULL);
		}
	}
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
	pthread_join(reader, NULL);
	model_check(&m);
	if (!overwrite) {
		model_walk(&m, &m.reader, m.kernel.head);
		expect(m.reader.records + m.lost == m.generated, "%llu + %llu of %llu",
		       m.reader.records, m.lost, m.generated);
	}
	expect(signals > 100, "only %lu interrupts", signals);
	printf("# %llu records, %llu lost, %lu interrupts\n", m.generated, m.lost, signals);
	model_free(&m);
	return 0;
}
