// SPDX-License-Identifier: GPL-2.0
/*
 * What channels of kernel code cost, in instructions: a record that the sample pev-cost writes
 * beside a marker with the same fields, the same read by its consumer, and events as text by
 * pev's file beside ftrace's. See bench.h.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COST "/sys/kernel/debug/pev_cost/"
#define TEXT "/sys/kernel/debug/pev/text"
#define TRACE "/sys/kernel/tracing/trace"

/* Records that each of pev-cost's files is asked for at once */
#define RECORDS 50000

/* A client's record may take so much more than a marker's. */
#define MORE 10
/* What a consumer's record may cost beyond its own work */
#define CONSUMED 60

#define LINES 100000
/* The rings behind pev's file hold so many of them. */
#define LINES_AT_ONCE 10000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/* ---- a module's records --------------------------------------------------- */

static const char *file;

static double repeat_once(unsigned int nr)
{
	char text[16];
	double begin;
	int fd, len;

	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		die("%s: %m: is pev-cost.ko loaded?", file);
	len = snprintf(text, sizeof(text), "%u", nr);
	begin = now();
	if (write(fd, text, len) != len)
		die("%s: %m", file);
	begin = now() - begin;
	close(fd);
	return begin / nr;
}

/* Numbers that one of pev-cost's files tells of. */
static void ask(const char *name, const char *format, unsigned long long *a, unsigned long long *b)
{
	FILE *f = fopen(name, "re");

	if (!f || fscanf(f, format, a, b) < 1)
		die("%s: %m", name);
	fclose(f);
}

/* ns for one of what @name repeats */
static double repeat(const char *name)
{
	file = name;
	return load_least(repeat_once, RECORDS);
}

/* Reads all of the channel; ns that it took. */
static double drain(unsigned long long expected)
{
	unsigned long long nr;
	double begin = now();

	ask(COST "read", "%llu", &nr, NULL);
	begin = now() - begin;
	if (nr != expected)
		die("%llu records were read of the channel, not %llu", nr, expected);
	return begin;
}

/* ns for one of what @name writes to the channel, from which all is read */
static double client(const char *name)
{
	double ns = repeat(name);

	drain(TRIES * RECORDS);
	return ns;
}

static double marker(void)
{
	int channel = listen_pev_channel();
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_MARKER,
						  .name = "pev_cost:numbers",
						  .target = PEV_TARGET_CPUS,
						  .period = 1,
						  .sample = PEV_SAMPLE_TID },
			    channel);
	double ns = repeat(COST "marker");

	if (listen_pev_records(fd) != TRIES * RECORDS)
		die("pev_cost:numbers was not recorded %u times", TRIES * RECORDS);
	close(fd);
	close(channel);
	load_settle();
	return ns;
}

/* A turn of pev_client_read() and of what it calls, without what a call takes that finds nothing */
static double read_by_client(unsigned int nr)
{
	double nothing = drain(0);

	file = COST "reserve";
	repeat_once(nr);
	return (drain(nr) - nothing) / nr;
}

/* From the first to the last call of the channel's worker */
static double delivered(unsigned int nr)
{
	unsigned long long calls, ns;

	file = COST "deliver";
	repeat_once(nr);
	do {
		usleep(1000);
		ask(COST "delivered", "%llu %llu", &calls, &ns);
	} while (!calls);
	if (calls != nr)
		die("the consumer was called %llu times, not %u", calls, nr);
	return (double)ns / (nr - 1);
}

static void measure_records(void)
{
	double bare = repeat(COST "bare"), on;
	struct figure *f;

	on = marker() - bare;
	f = figure("client_marker", 0, "a marker with two numbers, recorded");
	f->at[PEV] = on;
	f = figure("client_record", on + MORE, "the same, reserved and committed by a module");
	f->at[PEV] = client(COST "reserve") - bare;
	f = figure("client_copy", 0, "... written from a copy");
	f->at[PEV] = client(COST "copy") - bare;
	f = figure("client_consume", CONSUMED, "... given to the module's consumer");
	f->at[PEV] = load_least(delivered, RECORDS) - (repeat(COST "callback") - bare);
	f = figure("client_read", 0, "... read by the module, its function included");
	f->at[PEV] = load_least(read_by_client, RECORDS);
}

/* ---- text ------------------------------------------------------------------ */

/* Longer than all lines of either; it was written to before it is read into. */
static char text[32 << 20];
#define PIECE (1 << 16)

/* Reads what there is, and its end. Return: bytes */
static size_t read_text(int fd)
{
	size_t used = 0;
	ssize_t len;

	while ((len = read(fd, text + used, PIECE)) > 0) {
		used += len;
		if (used > sizeof(text) - PIECE)
			die("text: more than %zu bytes", sizeof(text));
	}
	if (len < 0 && errno != EAGAIN)
		die("text: %m");
	return used;
}

/* Lines but for those that begin with "#" */
static unsigned int count_lines(size_t bytes)
{
	unsigned int lines = 0;

	for (const char *at = text, *end = text + bytes; at < end; at++) {
		lines += *at != '#';
		at = memchr(at, '\n', end - at);
		if (!at)
			die("text: the last line has no end");
	}
	return lines;
}

static const char *only_calls(void)
{
	static char filter[32];

	/* or reading would make events of its own */
	snprintf(filter, sizeof(filter), "id == %d", SYS_getppid);
	return filter;
}

static void call(unsigned int calls)
{
	while (calls--)
		syscall(SYS_getppid);
}

/* ns that reading @calls lines took */
static double read_lines(int fd, unsigned int calls)
{
	double begin = now();
	size_t bytes = read_text(fd);
	unsigned int lines;

	begin = now() - begin;
	lines = count_lines(bytes);
	if (lines != calls)
		die("%u lines were read, not %u", lines, calls);
	return begin;
}

static double text_pev(void)
{
	int fd = open(TEXT, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	double ns = 0;

	if (fd < 0 || dprintf(fd, "raw_syscalls:sys_enter %s\n", only_calls()) < 0)
		die(TEXT ": %m");
	for (unsigned int i = 0; i < LINES; i += LINES_AT_ONCE) {
		call(LINES_AT_ONCE);
		ns += read_lines(fd, LINES_AT_ONCE);
	}
	close(fd);
	load_settle();
	return ns / LINES;
}

#define ENTER "events/raw_syscalls/sys_enter/"

static double text_ftrace(void)
{
	double ns;
	int fd;

	listen_ftrace("buffer_size_kb", "16384");
	listen_ftrace("trace", "");
	listen_ftrace(ENTER "filter", only_calls());
	listen_ftrace(ENTER "enable", "1");
	call(LINES);
	listen_ftrace(ENTER "enable", "0");
	fd = open(TRACE, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(TRACE ": %m");
	ns = read_lines(fd, LINES);
	close(fd);
	listen_ftrace(ENTER "filter", "0");
	return ns / LINES;
}

static void measure_text(void)
{
	struct figure *f;
	double ftrace;

	memset(text, ' ', sizeof(text));
	ftrace = text_ftrace();
	f = figure("client_text", ftrace, "a line of text of sys_enter");
	f->at[PEV] = text_pev();
	f->at[FTRACE] = ftrace;
}

void measure_clients(void)
{
	measure_records();
	measure_text();
}
