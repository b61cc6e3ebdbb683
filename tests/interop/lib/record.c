// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Recordings that perfctl record does not make, written with libpev.
 *
 * usage: record SCENARIO CLOCK DIR
 *
 *	all	every part that a sample can have: call chains, registers, stack
 *		dump, the values of a group, from a timer and a software event
 *	gap	records further apart than 27 bits of time, in both orders
 *	many	40 events in one channel: extended ids, also with long gaps
 *	flush	an open packet that is closed every 20 ms
 *	flood	both CPUs write into rings of two packets that are never read
 *	fast	the same, but read meanwhile: losses in between
 *	flight	overwrite mode, newest packets by a snapshot
 *
 * CLOCK is default, cycles or monotonic. Prints what the kernel counted, as
 * "event NAME samples S lost L" and "ring CPU lost L".
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <pev/pev.h>

#define MAX_EVENTS	64

struct recording {
	struct pev_channel	*channel;
	struct pev_writer	*writer;
	int			fd;
	int			events[MAX_EVENTS];
	const char		*names[MAX_EVENTS];
	unsigned int		nr;
};

static struct pev_error why;

static void die(const char *what, int err)
{
	fprintf(stderr, "record: %s: %s (%s)\n", what, strerror(-err), why.text);
	exit(1);
}

static void start(struct recording *r, const struct pev_attr *channel, const char *dir)
{
	struct pev_attr attr = *channel;
	struct pev_error e;
	int err;

	r->fd = pev_attr_open(&attr, 0, &why);
	if (r->fd < 0)
		die("channel", r->fd);
	err = pev_channel_map(r->fd, 0, &r->channel);
	if (err)
		die("map", err);
	err = pev_writer_open(dir, PEV_WRITER_REPLACE, &r->writer, &e);
	if (err)
		die(e.text, err);
}

/* The attr of an event that is off and writes; the caller may change it. */
static struct pev_attr event(struct recording *r, const char *name, uint64_t sample)
{
	struct pev_attr attr;
	int err;

	pev_attr_event(&attr, PEV_TYPE_SOFTWARE, 0, NULL);
	err = pev_attr_by_name(&attr, name);
	if (err)
		die(name, err);
	pev_attr_record(&attr, r->fd, 1, sample | PEV_SAMPLE_TID);
	pev_attr_target(&attr, PEV_TARGET_PROCESS, 0);
	attr.flags |= PEV_F_DISABLED;
	return attr;
}

static int add(struct recording *r, const char *name, struct pev_attr *attr)
{
	int fd = pev_attr_open(attr, 0, &why);

	if (fd < 0)
		die(name, fd);
	r->names[r->nr] = name;
	r->events[r->nr++] = fd;
	return fd;
}

static void metadata(struct recording *r)
{
	char *text;
	size_t len;
	int err = pev_fd_metadata(r->fd, &text, &len);

	if (!err)
		err = pev_writer_metadata(r->writer, text, len);
	if (err)
		die("metadata", err);
	free(text);
}

static void drain(struct recording *r)
{
	int64_t n = pev_writer_drain(r->writer, r->channel);

	if (n < 0)
		die("drain", n);
}

static void enable(struct recording *r)
{
	int err = pev_fd_enable(r->fd, 0);

	if (err)
		die("enable", err);
}

/* The last packets, what the kernel counted, and the end. */
static void finish(struct recording *r)
{
	struct pev_value v;
	int err = pev_fd_disable(r->fd, 0);

	if (!err)
		err = pev_fd_flush(r->fd);
	if (err)
		die("flush", err);
	metadata(r);
	drain(r);
	for (unsigned int i = 0; i < r->nr; i++) {
		err = pev_fd_read(r->events[i], &v);
		if (err)
			die(r->names[i], err);
		printf("event %s samples %llu lost %llu\n", r->names[i],
		       (unsigned long long)v.samples, (unsigned long long)v.lost);
	}
	for (unsigned int nr = 0; nr < pev_channel_nr_rings(r->channel); nr++) {
		struct pev_ring *ring = pev_channel_ring(r->channel, nr);

		if (!ring)
			continue;
		printf("ring %u lost %" PRIu64 "\n", nr, pev_ring_lost(ring));
		err = pev_writer_lost(r->writer, nr, pev_ring_cpu(ring), pev_ring_lost(ring), 0);
		if (err)
			die("lost", err);
	}
	err = pev_writer_close(r->writer);
	if (err)
		die("close", err);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void wait_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

static void call(unsigned int n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void burn(unsigned int ms)
{
	clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);
	volatile unsigned int x = 1;

	while (clock() < end)
		for (unsigned int i = 0; i < 10000; i++)
			x = x * 3 + i;
}

static void touch(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap", -errno);
	memset(p, 1, bytes);
	munmap(p, bytes);
}

static void record_all(struct recording *r)
{
	struct pev_info info = { 0 };
	struct pev_attr a;
	int leader, err = pev_query_info(&info);
	/* what only some machines have is left out, and what only pairs of a table have */
	uint64_t everything = PEV_SAMPLE_ALL & info.sample & ~PEV_SAMPLE_PAIR;

	if (err)
		die("info", err);
	a = event(r, "timer/cpu-clock", everything);
	a.period = 1000000;
	a.regs_user = info.regs_user;
	a.stack_user = 1024;
	leader = add(r, "cpu-clock", &a);
	a = event(r, "page-faults", everything & ~PEV_SAMPLE_CPU);
	a.regs_user = info.regs_user & 0xff;
	a.stack_user = 64;
	a.period = 7;
	a.group_fd = leader;
	add(r, "page-faults", &a);
	a = event(r, "context-switches", PEV_SAMPLE_READ | PEV_SAMPLE_KSTACK);
	a.group_fd = leader;
	add(r, "context-switches", &a);
	enable(r);
	for (unsigned int i = 0; i < 10; i++) {
		burn(30);
		touch(300000);
		wait_ms(2);
		drain(r);
	}
}

static void record_gap(struct recording *r)
{
	struct pev_attr a = event(r, "raw_syscalls:sys_enter", 0);

	a.filter = (unsigned long)"id == 110";
	add(r, "raw_syscalls:sys_enter", &a);
	enable(r);
	for (unsigned int i = 0; i < 12; i++) {
		call(1 + i % 3);
		wait_ms(i % 4 * 60);
	}
	/* a multiple of 2^27 and a bit: the low bits alone would look small */
	for (unsigned int i = 0; i < 4; i++) {
		wait_ms(i == 2 ? 1100 : 300);
		call(1);
	}
}

static void record_many(struct recording *r)
{
	for (unsigned int i = 0; i < 40; i++) {
		struct pev_attr a = event(r, "raw_syscalls:sys_enter",
					  i % 2 ? PEV_SAMPLE_PID : PEV_SAMPLE_IP);

		a.filter = (unsigned long)"id == 110";
		add(r, "raw_syscalls:sys_enter", &a);
	}
	enable(r);
	for (unsigned int i = 0; i < 6; i++) {
		call(20);
		wait_ms(i * 50);
	}
}

static void record_flush(struct recording *r)
{
	struct pev_attr a = event(r, "raw_syscalls:sys_exit", PEV_SAMPLE_PID);
	struct pollfd closed = { .fd = r->fd, .events = POLLIN };

	pin(0);
	add(r, "raw_syscalls:sys_exit", &a);
	enable(r);
	/* so few calls never fill a packet: what can be read was closed by time */
	for (unsigned int i = 0; i < 10; i++) {
		call(5);
		if (poll(&closed, 1, 60000) != 1)
			die("poll", -ETIMEDOUT);
		drain(r);
	}
}

static volatile int stop;

static void *flood(void *arg)
{
	pin((long)arg);
	while (!stop)
		call(100);
	return NULL;
}

static void record_flood(struct recording *r, unsigned int rounds, bool read)
{
	struct pev_attr a = event(r, "raw_syscalls:sys_enter", PEV_SAMPLE_PID | PEV_SAMPLE_USTACK);
	pthread_t threads[2];

	add(r, "raw_syscalls:sys_enter", &a);
	a = event(r, "timer/cpu-clock", PEV_SAMPLE_IP);
	a.period = 100000;
	add(r, "cpu-clock", &a);
	enable(r);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, flood, (void *)i);
	while (rounds--) {
		wait_ms(20);
		if (read)
			drain(r);
	}
	stop = 1;
	for (long i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* Overwrite mode: copies what is there, oldest packet first. */
static void copy_out(struct recording *r)
{
	unsigned int nr = pev_channel_nr_rings(r->channel);
	struct pev_span *spans = calloc(nr, sizeof(*spans));
	uint32_t size = pev_channel_info(r->channel)->packet_size;
	void *buf = malloc(size);
	int err = pev_fd_snapshot(r->fd, spans, &nr);

	if (err)
		die("snapshot", err);
	metadata(r);
	for (unsigned int i = 0; i < nr; i++) {
		struct pev_ring *ring = pev_channel_ring(r->channel, i);

		for (uint64_t p = spans[i].begin; ring && p < spans[i].end; p += size)
			if (pev_ring_copy(ring, p, buf) == 1)
				pev_writer_packets(r->writer, i, buf, size);
	}
	free(buf);
	free(spans);
	err = pev_writer_close(r->writer);
	if (err)
		die("close", err);
}

static void record_flight(struct recording *r)
{
	struct pev_attr a = event(r, "raw_syscalls:sys_enter", PEV_SAMPLE_PID);

	add(r, "raw_syscalls:sys_enter", &a);
	enable(r);
	for (long cpu = 0; cpu < 2; cpu++) {
		pin(cpu);
		call(20000);
	}
	pev_fd_disable(r->fd, 0);
	copy_out(r);
}

int main(int argc, char **argv)
{
	struct recording r = { 0 };
	struct pev_attr channel;
	const char *what;

	if (argc != 4)
		return 2;
	what = argv[1];
	pev_attr_channel(&channel, !strcmp(what, "flood") || !strcmp(what, "fast") ? 8192 :
				   !strcmp(what, "flight") ? 65536 : 4 << 20);
	channel.clock = !strcmp(argv[2], "cycles") ? PEV_CLOCK_CYCLES :
			!strcmp(argv[2], "monotonic") ? PEV_CLOCK_MONOTONIC : PEV_CLOCK_DEFAULT;
	if (channel.ring_size <= 65536)
		channel.packet_size = 4096;
	if (!strcmp(what, "flush")) {
		channel.flush_ms = 20;
		channel.packet_size = 65536;
	}
	if (!strcmp(what, "flight"))
		channel.flags = PEV_CHF_OVERWRITE;
	start(&r, &channel, argv[3]);
	if (!strcmp(what, "flight")) {
		record_flight(&r);
		return 0;
	}
	if (!strcmp(what, "all"))
		record_all(&r);
	else if (!strcmp(what, "gap"))
		record_gap(&r);
	else if (!strcmp(what, "many"))
		record_many(&r);
	else if (!strcmp(what, "flush"))
		record_flush(&r);
	else if (!strcmp(what, "flood"))
		record_flood(&r, 5, false);
	else if (!strcmp(what, "fast"))
		record_flood(&r, 40, true);
	else
		return 2;
	finish(&r);
	return 0;
}
