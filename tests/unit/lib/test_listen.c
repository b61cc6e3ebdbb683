// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reading the marks of programs from the event's descriptor on, with a kernel made of a file
 * in memory: which programs there are, what their marks are, and what is not believed; and that
 * no two requests have the same number.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <pev/mark.h>
#include <pev/pev.h>
#include "core/compiler.h"
#include "tap.h"

#define SPAN (1ull << 24)
#define RING PEV_MIN_USER_RING
#define PROGRAMS 3

/* What the kernel would know of a program */
struct program {
	uint32_t pid, inner_pid;
	bool gone;
	bool closed;
	struct pev_user_gate *gate;
	char *ring;
};

static struct program programs[PROGRAMS];
static unsigned int nr_programs;
static uint64_t now = 1000;
static int event;

static const char strings[] = "shop:checkout\0order %lu city %s\0\0shop:close\0%d\0n\0bank:x\0";
static const struct pev_user_mark marks[] = {
	{ .name = 0, .format = 14, .fields = 32 },
	{ .name = 33, .format = 44, .fields = 47 },
	{ .name = 49, .format = 32, .fields = 32 },
};

int __wrap_ioctl(int fd, unsigned long request, ...);
uint64_t __wrap_pev_clock(void);

uint64_t __wrap_pev_clock(void)
{
	return now;
}

static int next(struct pev_user_next *next)
{
	while (next->number < nr_programs && programs[next->number].gone)
		next->number++;
	if (next->number >= nr_programs) {
		errno = EAGAIN;
		return -1;
	}
	if (programs[next->number].closed) {
		errno = EACCES;
		return -1;
	}
	memcpy((void *)(uintptr_t)next->marks, marks, sizeof(marks));
	memcpy((void *)(uintptr_t)next->strings, strings, sizeof(strings));
	next->nr_marks = ARRAY_SIZE(marks);
	next->strings_size = sizeof(strings);
	next->id = 100 + next->number;
	next->pid = programs[next->number].pid;
	next->inner_pid = programs[next->number].inner_pid;
	next->nr_rings = 2;
	next->ring_size = RING;
	next->mmap_offset = next->number * SPAN;
	return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	void *arg;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	if (fd != event)
		abort();
	if (request == PEV_IOC_USER_NEXT)
		return next(arg);
	if (request != PEV_IOC_USER_DONE)
		abort();
	programs[*(uint32_t *)arg].gone = true;
	return 0;
}

/* A program begins, with one ring of two. */
static struct program *begin(uint32_t pid, uint32_t inner_pid)
{
	struct program *p = &programs[nr_programs];
	long page = sysconf(_SC_PAGESIZE);
	off_t at = (off_t)(nr_programs++ * SPAN);

	p->pid = pid;
	p->inner_pid = inner_pid;
	p->gate = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_SHARED, event, at);
	p->ring = mmap(NULL, (size_t)page + RING, PROT_READ | PROT_WRITE, MAP_SHARED, event,
		       at + page);
	if (p->gate == MAP_FAILED || p->ring == MAP_FAILED)
		abort();
	p->gate->used_rings = 1;
	return p;
}

/* It writes @n words, of which the first two are a record's head. */
static void put(struct program *p, const uint64_t *words, uint32_t n)
{
	uint64_t *data = (uint64_t *)(void *)(p->ring + sysconf(_SC_PAGESIZE));
	uint64_t *head = (uint64_t *)(void *)p->ring;
	uint32_t at = (uint32_t)*head;

	if (!at)
		data[at++] = 0;
	memcpy(data + at, words, n * sizeof(*words));
	*head = ((*head >> 32) + 1) << 32 | (at + n);
}

#define PUT(p, ...)                           \
	put((p), (uint64_t[]){ __VA_ARGS__ }, \
	    sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))
/* The first word of a record */
#define HEAD(units, mark, tid) ((uint64_t)(tid) << 32 | (mark) << 16 | (units))

/* "name tid time value value ..." of all that was handed out */
static char got[4096];

static int take(void *arg, const struct pev_user_event *ev)
{
	size_t at = strlen(got);

	(void)arg;
	at += (size_t)sprintf(got + at, "%s%s %u/%u %llu", at ? "; " : "", ev->cls->name, ev->pid,
			      ev->tid, (unsigned long long)ev->time);
	for (uint32_t i = 0; i < ev->cls->nr_fields; i++) {
		const struct pev_user_value *v = &ev->values[i];

		if (ev->cls->fields[i].kind == PEV_USER_TEXT)
			at += (size_t)sprintf(got + at, " %s=%.*s", ev->cls->fields[i].name,
					      (int)v->len, v->text);
		else
			at += (size_t)sprintf(got + at, " %s=%lld", ev->cls->fields[i].name,
					      (long long)v->word);
	}
	return 0;
}

static const char *read_now(struct pev_user *user)
{
	*got = '\0';
	if (pev_user_find(user))
		return "an error";
	return pev_user_read(user, take, NULL) < 0 ? "an error" : got;
}

static uint64_t text(const char *s)
{
	uint64_t word = 0;

	memcpy(&word, s, strlen(s));
	return word;
}

static struct pev_user *user;

static void records(void)
{
	uint32_t self = (uint32_t)getpid();
	struct program *p = begin(self, self);
	char want[200];

	PUT(p, HEAD(5, 0, self), 1500, 4711, 4, text("Rome"));
	snprintf(want, sizeof(want), "shop:checkout %u/%u 1500 order=4711 city=Rome", self, self);
	IS_STR(read_now(user), want, "a record");
	IS_STR(read_now(user), "", "which is read once");
	PUT(p, HEAD(3, 1, self), 1600, (uint64_t)-5);
	snprintf(want, sizeof(want), "shop:close %u/%u 1600 n=-5", self, self);
	IS_STR(read_now(user), want, "another mark");
}

static void what_is_not_believed(void)
{
	uint32_t self = (uint32_t)getpid(), parent = (uint32_t)getppid();
	struct program *p = &programs[0];
	struct pev_user_sums sums;
	char want[200];

	PUT(p, HEAD(3, 1, self), 99999, 1);
	PUT(p, HEAD(3, 1, self), 3, 2);
	snprintf(want, sizeof(want), "shop:close %u/%u 2000 n=1; shop:close %u/%u 2000 n=2", self,
		 self, self, self);
	IS_STR(read_now(user), want, "times are not of the future, and do not step back");
	PUT(p, HEAD(3, 1, parent), 2000, 3);
	PUT(p, HEAD(3, 1, 0), 2000, 4);
	snprintf(want, sizeof(want), "shop:close %u/%u 2000 n=3; shop:close %u/%u 2000 n=4", self,
		 self, self, self);
	IS_STR(read_now(user), want, "nor is a thread another process's, or none");
	PUT(p, HEAD(2, 0, self), 2000);
	PUT(p, HEAD(4, 0, self), 2000, 1, 9);
	PUT(p, HEAD(5, 0, self), 2000, 1, ~0ull, 0);
	PUT(p, HEAD(2, 77, self), 2000);
	PUT(p, HEAD(2, 2, self), 2000);
	IS_STR(read_now(user), "", "records without their fields, and of other marks");
	pev_user_sums(user, &sums);
	IS_NUM(sums.damaged, 4, "are counted if they are damaged");
	IS_NUM(sums.records, 6, "records");
	IS_NUM(sums.lost, 0, "none is lost");
}

/* Its threads have other numbers there. */
static void another_pid_namespace(void)
{
	struct program *p = begin(4000000, 1);
	struct pev_user_sums sums;

	p->gate->flags = PEV_USER_NO_ROOM;
	PUT(p, HEAD(3, 1, 17), 2000, 1);
	IS_STR(read_now(user), "shop:close 4000000/4000000 2000 n=1", "another namespace");
	p->gate->flags = PEV_USER_ENDED | PEV_USER_NO_ROOM;
	PUT(p, HEAD(3, 1, 1), 2000, 2);
	IS_STR(read_now(user), "shop:close 4000000/4000000 2000 n=2", "the last words");
	OK(programs[1].gone, "a program that ended is done with");
	programs[nr_programs].closed = true;
	begin(1, 1);
	IS_STR(read_now(user), "", "one that has gained rights is passed over");
	pev_user_sums(user, &sums);
	IS_NUM(sums.producers, 2, "programs");
	IS_NUM(sums.no_room, 1, "of which one had no room");
	IS_NUM(pev_user_count(user), 2, "marks, of which each is there once");
}

/* All numbers of linux/pev*.h: the compiler refuses one that is there twice. */
static bool is_request(unsigned long request)
{
	switch (request) {
#include "requests.h"
		return true;
	default:
		return false;
	}
}

int main(void)
{
	event = memfd_create("event", MFD_CLOEXEC);
	if (event < 0 || ftruncate(event, PROGRAMS * SPAN))
		return 1;
	OK(!pev_user_new(&user) && !pev_user_listen(user, event, "shop:*"), "a reader");
	IS_STR(read_now(user), "", "no program is there");
	now = 2000;
	records();
	what_is_not_believed();
	another_pid_namespace();
	pev_user_free(user);
	OK(programs[0].gone, "the others at the end");
	OK(is_request(PEV_IOC_READ_COUNTS) && is_request(PEV_IOC_USER_NEXT) &&
		   is_request(PEV_IOC_OPEN),
	   "each request has a number of its own");
	return tap_done();
}
