// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Marks of programs without a kernel: what formats mean, and rings that were written in part,
 * written over, or scribbled on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <pev/user.h>
#include "tap.h"
#include "user/ring.h"

/* "name:kind/bits ..." of a format's fields */
static const char *parsed(const char *format, const char *fields)
{
	static char text[1024];
	struct pev_user_class cls = { 0 };
	int err = pev_user_parse(format, fields, &cls);

	if (err)
		return strerror(-err);
	*text = '\0';
	for (uint32_t i = 0; i < cls.nr_fields; i++)
		sprintf(text + strlen(text), "%s%s:%u/%u", i ? " " : "", cls.fields[i].name,
			cls.fields[i].kind, cls.fields[i].bits);
	return text;
}

static void formats(void)
{
	IS_STR(parsed("", ""), "", "no field");
	IS_STR(parsed("%lu %s", " order, city"), "order:1/64 city:5/64", "arguments name fields");
	IS_STR(parsed("order %lu city=%.16s", "a, b"), "order:1/64 city:5/64", "words name fields");
	IS_STR(parsed("%d%%%hhx %5.2f %p %c %zd", "x->y, f(a, b), z"),
	       "arg0:0/32 arg1:2/8 z:4/64 arg3:2/64 arg4:3/8 arg5:0/64",
	       "kinds, lengths, arguments that name nothing");
	IS_STR(parsed("%d %d", "same, same"), "same:0/32 arg1:0/32", "a name is given once");
	IS_STR(parsed("%d %d", "arg1, 2"), "arg1:0/32 arg1_:0/32", "a name that is taken");
	IS_STR(parsed("%s %d", "\"a, b\", n"), "arg0:5/64 n:0/32", "a string among the arguments");
	IS_STR(parsed("%*d", "a, b"), strerror(EINVAL), "a width from an argument");
	IS_STR(parsed("%n", "a"), strerror(EINVAL), "%n");
	IS_STR(parsed("100%", ""), strerror(EINVAL), "nothing behind %");
	IS_STR(parsed("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", ""), strerror(EINVAL),
	       "too many fields");
}

#define UNITS (PEV_MIN_USER_RING / 8)

/* A program that writes as pev/mark.h does. */
static struct {
	uint64_t head;
	uint64_t data[UNITS];
} program;

static void put(uint64_t value, uint32_t units)
{
	uint32_t at = (uint32_t)program.head, count = (uint32_t)(program.head >> 32);
	uint32_t used = at % PACKET_UNITS;

	if (used && used + units > PACKET_UNITS) {
		program.data[at % UNITS] = 0;
		at += PACKET_UNITS - used;
		used = 0;
	}
	if (!used) {
		program.data[at % UNITS] = (uint64_t)count << 32 | at;
		at++;
	}
	program.data[at % UNITS] = units;
	program.data[(at + 1) % UNITS] = value;
	for (uint32_t i = 2; i < units; i++)
		program.data[(at + i) % UNITS] = value;
	program.head = (uint64_t)(count + 1) << 32 | (uint32_t)(at + units);
}

static struct {
	uint64_t n, first, last;
	bool ordered;
} seen;

static int take(void *arg, const uint64_t *words, uint32_t units)
{
	(void)arg;
	(void)units;
	if (!seen.n++)
		seen.first = words[1];
	else
		seen.ordered &= words[1] == seen.last + 1;
	seen.last = words[1];
	return 0;
}

static struct user_ring begin(uint32_t at)
{
	memset(&program, 0, sizeof(program));
	program.head = at;
	memset(&seen, 0, sizeof(seen));
	seen.ordered = true;
	return (struct user_ring){
		.head = &program.head, .data = program.data, .units = UNITS, .unit = at
	};
}

static void whole(void)
{
	struct user_ring r = begin(0);

	for (uint64_t i = 0; i < 100; i++) {
		put(i, 2 + (uint32_t)(i % 7));
		if (i % 3 == 0)
			user_ring_read(&r, take, NULL);
	}
	user_ring_read(&r, take, NULL);
	IS_NUM(seen.n, 100, "records");
	OK(seen.ordered && !r.lost && !r.damaged, "each record once, in order");
}

/* Positions are modulo 2^32. */
static void wraps(void)
{
	struct user_ring r = begin(-2u * PACKET_UNITS);

	for (uint64_t i = 0; i < 1000; i++) {
		put(i, 5);
		if (i % 20 == 0)
			user_ring_read(&r, take, NULL);
	}
	user_ring_read(&r, take, NULL);
	IS_NUM(seen.n, 1000, "records");
	OK(seen.ordered && !r.lost && !r.damaged, "beyond 2^32 units");
}

static void written_over(void)
{
	struct user_ring r = begin(0);

	for (uint64_t i = 0; i < 50; i++)
		put(i, 3);
	user_ring_read(&r, take, NULL);
	for (uint64_t i = 50; i < 5000; i++)
		put(i, 3);
	seen.ordered = true;
	seen.n = 0;
	user_ring_read(&r, take, NULL);
	OK(seen.n > 200 && seen.ordered && seen.last == 4999, "the newest %u are there",
	   (unsigned int)seen.n);
	IS_NUM(seen.n + r.lost, 4950, "written = read + lost");
	IS_NUM(r.damaged, 0, "nothing is damaged");
}

static void scribbled(void)
{
	struct user_ring r = begin(0);

	for (uint64_t i = 0; i < 250; i++)
		put(i, 4);
	/* behind 40 records of the first packet, and behind 10 of the second */
	program.data[1 + 40 * 4] = 0xffff;
	program.data[PACKET_UNITS + 1 + 10 * 4] = 1;
	user_ring_read(&r, take, NULL);
	IS_NUM(r.damaged, 2, "each damaged place counts once");
	IS_NUM(seen.n, 50, "what comes before the damage is read");
	IS_NUM(seen.n + r.lost, 250, "written = read + lost, in spite of the damage");
}

int main(void)
{
	formats();
	whole();
	wraps();
	written_over();
	scribbled();
	return tap_done();
}
