/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * pev: marks, events that a program writes itself, without a system call.
 *
 *	#include <pev/mark.h>
 *
 *	PEV_USER_MARK(shop, checkout, "%lu %s", order, city);
 *
 * and, while it runs or before, perfctl record -e 'user:shop:*' -p PID.
 *
 * All of it is in headers: nothing has to be linked. A mark that is off is a
 * load and a branch. One that is on writes its record into a ring that belongs to the kernel,
 * so that it is read even if the program is killed then. It may be in any function, in a
 * signal handler, too, in C from C99 on with GNU extensions, and in C++ from C++11 on.
 *
 * A program and each shared library registers its own marks when it is loaded. Where the
 * kernel has no pev, or the C library no restartable sequences (glibc before 2.35), marks
 * stay off.
 */
#ifndef _PEV_MARK_H
#define _PEV_MARK_H

#include <fcntl.h>
#include <linux/pev.h>
#include <linux/pev_user.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
#include <type_traits>
extern "C" {
#endif

/* Bytes of each ring. Define it before the header is included, alike in all files. */
#ifndef PEV_MARK_RING
#define PEV_MARK_RING 262144
#endif

#define PEV_MARK_TEXT 256 /* bytes of a string that are written at most */

/* One for each program or library, whatever the number of files that include this. */
#define PEV_MARK_SHARED __attribute__((weak, visibility("hidden")))

/* Is this a library, which may be loaded and unloaded while the program runs? */
#if defined(__PIC__) && !defined(__PIE__)
#define PEV_MARK_LIBRARY
#include <pthread.h>
#endif

/**
 * struct pev_mark_set - marks that were registered together
 * @gate:     says which are on; the kernel's, or zeros
 * @rings:    where the rings begin
 * @stride:   from one ring to the next, bytes
 * @nr_rings: that there may be
 * @mask:     of a position in a ring, in units
 * @page:     bytes
 */
struct pev_mark_set {
	const volatile struct pev_user_gate *gate;
	char *rings;
	uint64_t stride;
	uint32_t nr_rings;
	uint32_t mask;
	long page;
};

/**
 * struct pev_mark_self - what a thread knows of itself
 * @id:  of the producer that this was found for: another one after a fork
 * @tid: as the process sees it
 */
struct pev_mark_self {
	uint64_t id;
	uint32_t tid;
};

/* What PEV_USER_MARK() leaves behind, in the section pev_marks. */
struct pev_mark_entry {
	const char *name;
	const char *format;
	const char *fields;
	uint64_t number;
};

#include <pev/mark_asm.h>

/* Now, in ticks of the clock that recordings have. */
static inline uint64_t pev_mark_time(const volatile struct pev_user_gate *gate)
{
	struct timespec now;

	if (__builtin_expect(gate->clock == PEV_CLOCK_CYCLES, 1))
		return pev_mark_cycles();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- writing ---- */

#define PEV_MARK_UNITS (PEV_USER_PACKET / 8) /* of a packet */
#define PEV_MARK_TRIES 1000 /* a debugger that goes step by step would need more */

/* One that the C library has not started is in no restartable sequence. */
static inline int pev_mark_is_thread(void)
{
	return (int32_t)pev_mark_rseq()->cpu_id >= 0;
}

/* A thread looks for itself: the first time, and after a fork. False: it can't have a ring. */
static inline int pev_mark_know(struct pev_mark_self *self, uint64_t id)
{
	if (!pev_mark_is_thread())
		return 0;
	self->tid = (uint32_t)syscall(SYS_gettid);
	self->id = id;
	return 1;
}

/*
 * One try. @words: room for the packet's head, and the record; @all: also what is rare, a packet
 * that begins or ends, and another clock than the processor's. Return: 0, or -1.
 */
static inline __attribute__((always_inline)) int
pev_mark_try(const struct pev_mark_set *set, uint64_t *words, uint64_t units, int all)
{
	struct pev_mark_rseq *rseq = pev_mark_rseq();
	uint32_t cid = *(volatile uint32_t *)&rseq->mm_cid, unit, count, used;
	uint64_t *head, *data, old, next;

	if (__builtin_expect(cid >= set->nr_rings, 0))
		return -1;
	if (!all && __builtin_expect(set->gate->clock != PEV_CLOCK_CYCLES, 0))
		return -1;
	head = (uint64_t *)(void *)(set->rings + cid * set->stride);
	data = (uint64_t *)(void *)((char *)head + set->page);
	old = *(volatile uint64_t *)head;
	unit = (uint32_t)old;
	count = (uint32_t)(old >> 32);
	used = unit % PEV_MARK_UNITS;
	words[2] = all ? pev_mark_time(set->gate) : pev_mark_cycles();
	if (__builtin_expect(used && used + units <= PEV_MARK_UNITS, 1)) {
		next = (uint64_t)(count + 1) << 32 | (uint32_t)(unit + units);
		return pev_mark_commit(rseq, cid, head, old, next, data + (unit & set->mask),
				       words + 1, units);
	}
	if (!all)
		return -1;
	if (used) {
		/* nothing more fits into the packet: the next one is begun by the next try */
		words[0] = 0;
		next = (uint64_t)count << 32 | (uint32_t)(unit + PEV_MARK_UNITS - used);
		pev_mark_commit(rseq, cid, head, old, next, data + (unit & set->mask), words, 1);
		return -1;
	}
	words[0] = (uint64_t)count << 32 | unit;
	next = (uint64_t)(count + 1) << 32 | (uint32_t)(unit + 1 + units);
	return pev_mark_commit(rseq, cid, head, old, next, data + (unit & set->mask), words,
			       units + 1);
}

/* Apart from what is usual, which needs few registers so. */
PEV_MARK_SHARED __attribute__((noinline, cold)) void
pev_mark_slow(const struct pev_mark_set *set, uint64_t *words, uint64_t units)
{
	for (int i = 0; i < PEV_MARK_TRIES; i++)
		if (!pev_mark_try(set, words, units, 1))
			return;
}

/*
 * Write a record of the thread @tid, 0: which of the process is not known. @words: a word that
 * is free, two for the head, and the fields, which end before @end.
 */
static inline void pev_mark_record(const struct pev_mark_set *set, uint32_t tid, uint64_t number,
				   uint64_t *words, const uint64_t *end)
{
	uint64_t units = (uint64_t)(end - words) - 1;

	words[1] = (uint64_t)tid << 32 | number << 16 | units;
	if (__builtin_expect(pev_mark_try(set, words, units, 0), 0))
		pev_mark_slow(set, words, units);
}

/* The first one of a thread */
PEV_MARK_SHARED __attribute__((noinline, cold)) void
pev_mark_first(const struct pev_mark_set *set, struct pev_mark_self *self, uint64_t number,
	       uint64_t *words, const uint64_t *end)
{
	if (pev_mark_know(self, set->gate->id))
		pev_mark_record(set, self->tid, number, words, end);
}

/* ... of the calling thread, which finds itself by a variable of its own */
static inline void pev_mark_emit(const struct pev_mark_set *set, struct pev_mark_self *self,
				 uint64_t number, uint64_t *words, const uint64_t *end)
{
	if (__builtin_expect(self->id != set->gate->id, 0))
		pev_mark_first(set, self, number, words, end);
	else
		pev_mark_record(set, self->tid, number, words, end);
}

/* ---- fields ---- */

static inline uint64_t *pev_mark_word(uint64_t *at, uint64_t value)
{
	*at = value;
	return at + 1;
}

static inline uint64_t *pev_mark_pointer(uint64_t *at, const volatile void *value)
{
	return pev_mark_word(at, (uintptr_t)value);
}

static inline uint64_t *pev_mark_double(uint64_t *at, double value)
{
	memcpy(at, &value, sizeof(*at));
	return at + 1;
}

static inline uint64_t *pev_mark_text(uint64_t *at, const char *text)
{
	size_t len, units;

	if (!text)
		text = "(null)";
	len = strlen(text);
	if (len > PEV_MARK_TEXT)
		len = PEV_MARK_TEXT;
	units = (len + 7) / 8;
	*at++ = len;
	if (units)
		at[units - 1] = 0;
	memcpy(at, text, len);
	return at + units;
}

/* ---- registering ---- */

/* clang-format off */

/* Which place of the gate a mark has: a sum over the letters of its name. */
#define PEV_MARK_AT(name, i) \
	((i) < sizeof(name) - 1 ? (unsigned char)(name)[(i) < sizeof(name) ? (i) : 0] : 0u)
#define PEV_MARK_8(name, i)                                                             \
	(PEV_MARK_AT(name, i) * 31u + PEV_MARK_AT(name, i + 1) * 131u +                    \
	 PEV_MARK_AT(name, i + 2) * 359u + PEV_MARK_AT(name, i + 3) * 577u +               \
	 PEV_MARK_AT(name, i + 4) * 811u + PEV_MARK_AT(name, i + 5) * 1087u +              \
	 PEV_MARK_AT(name, i + 6) * 1361u + PEV_MARK_AT(name, i + 7) * 1627u)
#define PEV_MARK_SLOT(name)                                                               \
	((PEV_MARK_8(name, 0) + PEV_MARK_8(name, 8) * 3u + PEV_MARK_8(name, 16) * 5u +     \
	  PEV_MARK_8(name, 24) * 7u) % PEV_USER_SLOTS)

/* clang-format on */

/* The same at run time. */
static inline uint32_t pev_mark_slot(const char *name)
{
	static const uint32_t by[8] = { 31, 131, 359, 577, 811, 1087, 1361, 1627 };
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 32 && name[i]; i++)
		sum += (unsigned char)name[i] * by[i % 8] * (2 * (i / 8) + 1);
	return sum % PEV_USER_SLOTS;
}

/* pev_open(2), by the system call or the device. Return: a descriptor or -1. */
static inline int pev_mark_open(const struct pev_attr *attr)
{
	struct pev_open_arg arg;
	long fd = syscall(__NR_pev_open, attr, sizeof(*attr), PEV_OPEN_CLOEXEC);
	int device;

	if (fd >= 0)
		return (int)fd;
	device = open(PEV_DEVICE, O_RDONLY | O_CLOEXEC);
	if (device < 0)
		return -1;
	memset(&arg, 0, sizeof(arg));
	arg.attr = (uintptr_t)attr;
	arg.size = sizeof(*attr);
	arg.flags = PEV_OPEN_CLOEXEC;
	fd = ioctl(device, PEV_IOC_OPEN, &arg);
	close(device);
	return (int)fd;
}

/* Can a thread of this process write at all? */
static inline int pev_mark_possible(void)
{
#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#endif
	return &__rseq_size && __rseq_size && getauxval(AT_RSEQ_FEATURE_SIZE) >= 28;
}

/* As many as threads can run at once. */
static inline uint32_t pev_mark_rings(void)
{
	unsigned long mask[PEV_MAX_USER_RINGS / 8 / sizeof(unsigned long)];
	long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);

	return bytes > 0 ? (uint32_t)bytes * 8 : 1;
}

/* Map what @fd has: the gate, a page that the program has already, is replaced last. */
static inline int pev_mark_map(struct pev_mark_set *set, int fd, void *gate)
{
	void *rings;

	set->page = sysconf(_SC_PAGESIZE);
	set->stride = (uint64_t)set->page + PEV_MARK_RING;
	set->stride = (set->stride + (uint64_t)set->page - 1) / (uint64_t)set->page *
		      (uint64_t)set->page;
	set->mask = PEV_MARK_RING / 8 - 1;
	set->gate = (const volatile struct pev_user_gate *)gate;
	rings = mmap(NULL, set->nr_rings * set->stride, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     set->page);
	if (rings == MAP_FAILED)
		return -1;
	set->rings = (char *)rings;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (mmap(gate, (size_t)set->page, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED)
		return 0;
	munmap(rings, set->nr_rings * set->stride);
	return -1;
}

/*
 * Become a producer. Return: 0; -1 if that can't be, and nothing is changed then.
 * @marks and @strings: see struct pev_producer; @gate: a page, aligned
 */
static inline int pev_mark_register(struct pev_mark_set *set, const struct pev_user_mark *marks,
				    uint32_t nr, const char *strings, uint32_t size, void *gate)
{
	struct pev_producer producer;
	struct pev_attr attr;
	int fd, err;

	set->nr_rings = pev_mark_rings();
	memset(&producer, 0, sizeof(producer));
	producer.size = sizeof(producer);
	producer.nr_marks = nr;
	producer.marks = (uintptr_t)marks;
	producer.strings = (uintptr_t)strings;
	producer.strings_size = size;
	producer.nr_rings = set->nr_rings;
	producer.ring_size = PEV_MARK_RING;
	memset(&attr, 0, sizeof(attr));
	attr.type = PEV_TYPE_PRODUCER;
	attr.channel_fd = -1;
	attr.group_fd = -1;
	attr.config = (uintptr_t)&producer;
	fd = pev_mark_open(&attr);
	if (fd < 0)
		return -1;
	err = pev_mark_map(set, fd, gate);
	close(fd);
	return err;
}

/* ---- the marks of this program or library ---- */

extern struct pev_mark_entry __start_pev_marks[] __attribute__((weak, visibility("hidden")));
extern struct pev_mark_entry __stop_pev_marks[] __attribute__((weak, visibility("hidden")));

union pev_mark_page {
	struct pev_user_gate gate;
	char page[PEV_MARK_PAGE];
};

PEV_MARK_SHARED __attribute__((aligned(PEV_MARK_PAGE))) union pev_mark_page pev_mark_gate = {};
PEV_MARK_SHARED struct pev_mark_set pev_mark_set = {};

#ifdef PEV_MARK_LIBRARY
/*
 * A variable of the thread's would be one in its static memory, of which there is so little
 * that the sixtieth library could not be loaded; any other is allocated at its first use,
 * which may be in a signal handler. So is the value of a key, but for the first ones.
 */
#define PEV_MARK_KEYS 32 /* whose values every thread has room for */
#define PEV_MARK_NO_KEY (~(pthread_key_t)0)

PEV_MARK_SHARED pthread_key_t pev_mark_key = PEV_MARK_NO_KEY;

/* What a thread knows: its tid, and half of the id of the producer that it was found for. */
static inline void pev_mark_out(uint64_t number, uint64_t *words, const uint64_t *end)
{
	uint64_t id = pev_mark_set.gate->id, known = 0;

	if (pev_mark_key < PEV_MARK_KEYS) {
		known = (uintptr_t)pthread_getspecific(pev_mark_key);
		if (__builtin_expect(known >> 32 != (uint32_t)id, 0) && pev_mark_is_thread()) {
			known = id << 32 | (uint32_t)syscall(SYS_gettid);
			pthread_setspecific(pev_mark_key, (void *)(uintptr_t)known);
		}
	}
	if (known || pev_mark_is_thread())
		pev_mark_record(&pev_mark_set, (uint32_t)known, number, words, end);
}
#else
PEV_MARK_SHARED __thread struct pev_mark_self pev_mark_self = {};

static inline void pev_mark_out(uint64_t number, uint64_t *words, const uint64_t *end)
{
	pev_mark_emit(&pev_mark_set, &pev_mark_self, number, words, end);
}
#endif

/* Write the record of a mark, if it is this one that is on. */
PEV_MARK_SHARED __attribute__((noinline)) void pev_mark_write(const struct pev_mark_entry *entry,
							      uint64_t *words, const uint64_t *end)
{
	const volatile struct pev_user_gate *gate = &pev_mark_gate.gate;

	if (entry->number < PEV_MAX_USER_MARKS && gate->on[entry->number])
		pev_mark_out(entry->number, words, end);
}

/* Where a string is put, with its end. */
static inline uint32_t pev_mark_string(char *strings, uint32_t *used, const char *text)
{
	uint32_t at = *used;

	strcpy(strings + at, text);
	*used += (uint32_t)strlen(text) + 1;
	return at;
}

/* The arguments of a mark as they were written: what follows the format. */
static inline const char *pev_mark_fields(const char *arguments)
{
	int quoted = 0;
	const char *p;

	for (p = arguments; *p && (quoted || *p != ','); p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '"')
			quoted = !quoted;
	}
	return *p ? p + 1 : p;
}

static inline int pev_mark_is_plain(const char *text)
{
	size_t i;

	for (i = 0; text[i] >= ' ' && text[i] <= '~'; i++)
		;
	return !text[i] && i < PEV_MAX_USER_FORMAT;
}

/* The kernel refuses all marks for the sake of one: those that it would refuse are left out. */
static inline int pev_mark_fits(const struct pev_mark_entry *e)
{
	return strlen(e->name) < PEV_MAX_USER_NAME && pev_mark_is_plain(e->format) &&
	       pev_mark_is_plain(pev_mark_fields(e->fields));
}

/* The number of an entry's mark: one in several places, as by inlining, is one. */
static inline uint32_t pev_mark_number(const struct pev_user_mark *marks, uint32_t nr,
				       const char *strings, const struct pev_mark_entry *e)
{
	uint32_t slot = pev_mark_slot(e->name), i;

	for (i = 0; i < nr; i++)
		if (marks[i].slot == slot && !strcmp(strings + marks[i].name, e->name) &&
		    !strcmp(strings + marks[i].format, e->format) &&
		    !strcmp(strings + marks[i].fields, pev_mark_fields(e->fields)))
			break;
	return i;
}

/* All marks, as the kernel wants them. Return: how many. */
static inline uint32_t pev_mark_collect(struct pev_user_mark *marks, char *strings, uint32_t *used)
{
	const uint32_t most = PEV_MAX_USER_NAME + 2 * PEV_MAX_USER_FORMAT;
	uint32_t nr = 0, at;

	*used = 0;
	for (struct pev_mark_entry *e = __start_pev_marks; e < __stop_pev_marks; e++) {
		e->number = PEV_MAX_USER_MARKS;
		if (!pev_mark_fits(e))
			continue;
		at = pev_mark_number(marks, nr, strings, e);
		if (at == PEV_MAX_USER_MARKS || *used + most > PEV_MAX_USER_STRINGS)
			continue;
		e->number = at;
		if (at < nr)
			continue;
		nr++;
		marks[at].slot = pev_mark_slot(e->name);
		marks[at].name = pev_mark_string(strings, used, e->name);
		marks[at].format = pev_mark_string(strings, used, e->format);
		marks[at].fields = pev_mark_string(strings, used, pev_mark_fields(e->fields));
	}
	return nr;
}

static __attribute__((constructor, unused)) void pev_mark_begin(void)
{
	const struct pev_mark_entry *first = __start_pev_marks;
	struct pev_user_mark *marks;
	uint32_t nr, size;
	char *strings;

	if (pev_mark_set.gate || first == __stop_pev_marks || !pev_mark_possible())
		return;
	pev_mark_set.gate = &pev_mark_gate.gate;
#ifdef PEV_MARK_LIBRARY
	if (pthread_key_create(&pev_mark_key, NULL))
		pev_mark_key = PEV_MARK_NO_KEY;
#endif
	marks = (struct pev_user_mark *)calloc(PEV_MAX_USER_MARKS, sizeof(*marks));
	strings = (char *)malloc(PEV_MAX_USER_STRINGS);
	if (marks && strings) {
		nr = pev_mark_collect(marks, strings, &size);
		if (nr)
			pev_mark_register(&pev_mark_set, marks, nr, strings, size, &pev_mark_gate);
	}
	free(marks);
	free(strings);
}

#ifdef PEV_MARK_LIBRARY
/*
 * The library is unloaded, or the program ends while other threads still run: what they write
 * from here on goes nowhere. Each file that has marks says so, and it makes no difference.
 */
static __attribute__((destructor, unused)) void pev_mark_end(void)
{
	struct pev_mark_set *set = &pev_mark_set;

	if (set->rings)
		mmap(set->rings, set->nr_rings * set->stride, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	if (pev_mark_key != PEV_MARK_NO_KEY)
		pthread_key_delete(pev_mark_key);
	pev_mark_key = PEV_MARK_NO_KEY;
}
#endif

#ifdef __cplusplus
}

template <typename T> static inline uint64_t *pev_mark_put(uint64_t *at, const T &value)
{
	static_assert(std::is_integral<T>::value || std::is_enum<T>::value,
		      "a field of a mark is a number, a string or a pointer");
	return pev_mark_word(at, (uint64_t)value);
}

static inline uint64_t *pev_mark_put(uint64_t *at, double value)
{
	return pev_mark_double(at, value);
}

static inline uint64_t *pev_mark_put(uint64_t *at, float value)
{
	return pev_mark_double(at, value);
}

static inline uint64_t *pev_mark_put(uint64_t *at, const char *value)
{
	return pev_mark_text(at, value);
}

static inline uint64_t *pev_mark_put(uint64_t *at, char *value)
{
	return pev_mark_text(at, value);
}

template <typename T> static inline uint64_t *pev_mark_put(uint64_t *at, T *value)
{
	return pev_mark_pointer(at, value);
}

template <typename T> struct pev_mark_room_of {
	enum { units = 1 };
};
template <> struct pev_mark_room_of<const char *> {
	enum { units = 2 + PEV_MARK_TEXT / 8 };
};
template <> struct pev_mark_room_of<char *> {
	enum { units = 2 + PEV_MARK_TEXT / 8 };
};
#define PEV_MARK_ROOM(arg) (pev_mark_room_of<typename std::decay<decltype(arg)>::type>::units)
/* clang-format off */
#else
#define pev_mark_put(at, arg)						\
	_Generic((arg),							\
		 char *: pev_mark_text, const char *: pev_mark_text,	\
		 float: pev_mark_double, double: pev_mark_double,	\
		 void *: pev_mark_pointer, const void *: pev_mark_pointer, \
		 default: pev_mark_word)(at, arg)
#define PEV_MARK_ROOM(arg) \
	_Generic((arg), char *: 2 + PEV_MARK_TEXT / 8, const char *: 2 + PEV_MARK_TEXT / 8, \
		 default: 1)
#endif

/* The compiler compares the format with the arguments. */
static inline __attribute__((format(printf, 1, 2), unused)) void
pev_mark_check(const char *format, ...)
{
	(void)format;
}

/* How many arguments there are behind the format */
#define PEV_MARK_COUNT_(format, a, b, c, d, e, f, g, h, n, ...)	n
#define PEV_MARK_COUNT(...)	PEV_MARK_COUNT_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0, )
#define PEV_MARK_FORMAT_(format, ...)	format
#define PEV_MARK_FORMAT(...)	PEV_MARK_FORMAT_(__VA_ARGS__, )
#define PEV_MARK_CAT_(a, b)	a##b
#define PEV_MARK_CAT(a, b)	PEV_MARK_CAT_(a, b)

/* f(a) for each of them */
#define PEV_MARK_EACH0(f, x)
#define PEV_MARK_EACH1(f, x, a)		f(a)
#define PEV_MARK_EACH2(f, x, a, ...)	f(a) PEV_MARK_EACH1(f, x, __VA_ARGS__)
#define PEV_MARK_EACH3(f, x, a, ...)	f(a) PEV_MARK_EACH2(f, x, __VA_ARGS__)
#define PEV_MARK_EACH4(f, x, a, ...)	f(a) PEV_MARK_EACH3(f, x, __VA_ARGS__)
#define PEV_MARK_EACH5(f, x, a, ...)	f(a) PEV_MARK_EACH4(f, x, __VA_ARGS__)
#define PEV_MARK_EACH6(f, x, a, ...)	f(a) PEV_MARK_EACH5(f, x, __VA_ARGS__)
#define PEV_MARK_EACH7(f, x, a, ...)	f(a) PEV_MARK_EACH6(f, x, __VA_ARGS__)
#define PEV_MARK_EACH8(f, x, a, ...)	f(a) PEV_MARK_EACH7(f, x, __VA_ARGS__)
#define PEV_MARK_EACH(f, ...) \
	PEV_MARK_CAT(PEV_MARK_EACH, PEV_MARK_COUNT(__VA_ARGS__))(f, __VA_ARGS__)

#define PEV_MARK_ADD_ROOM(arg)	+ PEV_MARK_ROOM(arg)
#define PEV_MARK_PUT(arg)	pev_mark_at_ = pev_mark_put(pev_mark_at_, arg);

/**
 * PEV_USER_MARK() - say that something happens here
 * @provider: an identifier: the program, the library, or a part of it
 * @event:    an identifier
 * @...:      what the fields are, as for printf, a literal; and their values, at most 8, which
 *            are evaluated only while the mark is on
 *
 * A field is called by the word before its conversion ("order %lu city %s"), else by its
 * argument if that is an identifier, else arg0, arg1, ... Numbers, strings, of which at most
 * 256 bytes are written, and pointers as void * are fields; a width or precision has no
 * meaning.
 */
#define PEV_USER_MARK(provider, event, ...)						\
	do {										\
		__label__ pev_mark_on_;							\
											\
		if (0)									\
			pev_mark_check(" " __VA_ARGS__);				\
		PEV_MARK_OFF(pev_mark_gate.gate.slots[PEV_MARK_SLOT(#provider ":" #event)],	\
			     pev_mark_on_);						\
		break;									\
pev_mark_on_:										\
		{									\
			uint64_t pev_mark_words_[3 PEV_MARK_EACH(PEV_MARK_ADD_ROOM,	\
								 __VA_ARGS__)];		\
			uint64_t *pev_mark_at_ = pev_mark_words_ + 3;			\
			struct pev_mark_entry *pev_mark_entry_;				\
											\
			PEV_MARK_ENTRY(pev_mark_entry_, #provider ":" #event,		\
				       PEV_MARK_FORMAT(__VA_ARGS__), "" #__VA_ARGS__);	\
			PEV_MARK_EACH(PEV_MARK_PUT, __VA_ARGS__)			\
			pev_mark_write(pev_mark_entry_, pev_mark_words_, pev_mark_at_);	\
		}									\
	} while (0)

#endif /* _PEV_MARK_H */
