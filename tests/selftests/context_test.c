// SPDX-License-Identifier: GPL-2.0
/*
 * PEV_SAMPLE_CONTEXT: records of all kinds carry the request that their thread says it works
 * for, whatever happens to the thread; and what is wrong with the memory where it says so does
 * no harm: the record is there, without a request.
 */
#include <pthread.h>
#include "kselftest_harness.h"
#include "pev_child.h"
#include "pev_context.h"
#include "pev_place.h"
#include "pev_sample.h"

#define MAX_EVENTS 8
/*
 * Where a process and the program that it begins can both have a page: far from where programs
 * lie, and below 64 TiB, where POWER's address space ends with pages of 4 KiB
 */
#define PLACE ((void *)0x210000000000UL)
#define KERNEL_ADDRESS 0xffff888000001000UL
#define NOBODYS_ADDRESS 0x8000000000001000UL

static void *page_at(void *where, int prot)
{
	return mmap(where, sysconf(_SC_PAGESIZE), prot,
		    MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);
}

/* ---- after an exec ---- */

/*
 * The program that execve() begins: it has the same at the same address as the one before, and
 * makes it known only after some calls.
 */
static __attribute__((constructor)) void next_program(void)
{
	struct self *self;
	int err;

	if (!getenv("PEV_CONTEXT_NEXT"))
		return;
	self = page_at(PLACE, PROT_READ | PROT_WRITE);
	if (self == MAP_FAILED)
		_exit(2);
	say(self, 2);
	pev_call(5);
	err = attach(self);
	pev_call(5);
	_exit(!!err);
}

/* ---- the fixture ---- */

FIXTURE(context)
{
	struct pev_map map;
	struct self self;
	int sizes[MAX_EVENTS];
	int channel;
};

FIXTURE_SETUP(context)
{
	int cpu;

	PEV_NEEDS_ROOT(return );
	self->channel = pev_open_channel(1 << 22, 1 << 16, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
	/* one ring has the records of a thread in order */
	ASSERT_EQ(1, pev_cpus(&cpu, 1));
	ASSERT_EQ(0, pev_pin(cpu));
}

FIXTURE_TEARDOWN(context)
{
	attach_at(0);
	pev_unmap_channel(&self->map);
	close(self->channel);
}

/* Open @attr with a context in its records, and remember how long they are. */
static int open_with(FIXTURE_DATA(context) * self, struct pev_attr *attr)
{
	struct pev_id id = { .size = sizeof(id) };
	int fd;

	attr->channel_fd = self->channel;
	attr->sample = PEV_SAMPLE_TID | PEV_SAMPLE_CONTEXT;
	attr->flags |= PEV_F_DISABLED;
	attr->period = attr->period ?: 1;
	fd = pev_open(attr);
	if (fd < 0)
		return fd;
	if (ioctl(fd, PEV_IOC_ID, &id) || id.id >= MAX_EVENTS || id.nr_lengths || id.varying)
		return -EPROTO;
	self->sizes[id.id] = id.fixed_size - 4 + id.payload_size;
	return fd;
}

static int open_calls(FIXTURE_DATA(context) * self, uint32_t target, int id)
{
	struct pev_attr attr = pev_attr_calls(target, id);

	return open_with(self, &attr);
}

struct seen {
	uint32_t tid;
	struct ids ids;
};

/* All records since the last call, at most @max; -1: a ring is damaged. */
static int see(FIXTURE_DATA(context) * self, struct seen *seen, int max)
{
	int nr = 0, ret;

	if (ioctl(self->channel, PEV_IOC_FLUSH, 0))
		return -1;
	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, self->sizes, MAX_EVENTS);
		struct pev_record record;

		while ((ret = pev_walk_next(&walk, &record)) > 0 && nr < max) {
			seen[nr].tid = record.tid;
			memcpy(&seen[nr++].ids, record.payload, sizeof(struct ids));
		}
		if (ret)
			return -1;
		pev_walk_release(&walk);
	}
	return nr;
}

/* One call of the event that is on: what its record says. */
static struct ids one_call(FIXTURE_DATA(context) * self)
{
	struct seen seen[2];

	pev_call(1);
	if (see(self, seen, 2) != 1 || seen[0].tid != (uint32_t)gettid())
		return (struct ids){ ~0ULL, ~0ULL, ~0ULL };
	return seen[0].ids;
}

/* ---- what a thread says is in its records ---- */

TEST_F(context, follows_the_pointer)
{
	struct pev_thread_context other = request(0x81);
	int fd = open_calls(self, PEV_TARGET_TASK, 0);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(fd));
	EXPECT_TRUE(same(NONE, one_call(self)));
	say(&self->self, 1);
	EXPECT_TRUE(same(NONE, one_call(self)));
	ASSERT_EQ(0, attach(&self->self)) TH_LOG("%s", pev_reason());
	EXPECT_TRUE(same(ids_of(1), one_call(self)));
	say(&self->self, 7);
	EXPECT_TRUE(same(ids_of(7), one_call(self)));
	point_at(&self->self, &other);
	EXPECT_TRUE(same(ids_of(0x81), one_call(self)));
	point_at(&self->self, NULL);
	EXPECT_TRUE(same(NONE, one_call(self)));
	say(&self->self, 9);
	EXPECT_TRUE(same(ids_of(9), one_call(self)));
	ASSERT_EQ(0, attach_at(0));
	EXPECT_TRUE(same(NONE, one_call(self)));
	/* what is not there can be forgotten, too */
	ASSERT_EQ(0, attach_at(0));
	close(fd);
}

TEST_F(context, is_none_while_invalid)
{
	int fd = open_calls(self, PEV_TARGET_TASK, 0);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, attach(&self->self));
	say(&self->self, 1);
	ASSERT_EQ(0, pev_on(fd));
	for (unsigned int valid = 0; valid < 256; valid++) {
		*(volatile uint8_t *)&self->self.record.valid = valid;
		EXPECT_TRUE(same(valid == 1 ? ids_of(1) : NONE, one_call(self)));
	}
	close(fd);
}

/* Another address takes the place of the first. */
TEST_F(context, moves)
{
	int fd = open_calls(self, PEV_TARGET_TASK, 0);
	struct self other;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	say(&self->self, 1);
	say(&other, 2);
	ASSERT_EQ(0, pev_on(fd));
	for (unsigned int i = 0; i < 100; i++) {
		ASSERT_EQ(0, attach(i & 1 ? &other : &self->self));
		EXPECT_TRUE(same(ids_of(i & 1 ? 2 : 1), one_call(self)));
	}
	ASSERT_EQ(0, attach_at(0));
	close(fd);
}

TEST_F(context, in_software_events)
{
	struct pev_attr attr = pev_attr_software(PEV_SW_PAGE_FAULTS, PEV_TARGET_TASK, 0);
	volatile uint8_t *page = page_at(NULL, PROT_READ | PROT_WRITE);
	struct seen seen[64];
	int fd, nr;

	ASSERT_NE(MAP_FAILED, (void *)page);
	fd = open_with(self, &attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	say(&self->self, 3);
	ASSERT_EQ(0, attach(&self->self));
	ASSERT_EQ(0, pev_on(fd));
	*page = 1;
	ASSERT_EQ(0, pev_off(fd));
	nr = see(self, seen, 64);
	ASSERT_LE(1, nr);
	for (int i = 0; i < nr; i++)
		EXPECT_TRUE(same(ids_of(3), seen[i].ids));
	munmap((void *)page, sysconf(_SC_PAGESIZE));
	close(fd);
}

TEST_F(context, in_samples)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TIMER,
		.config = PEV_TIMER_TASK_CLOCK,
		.target = PEV_TARGET_TASK,
		.group_fd = -1,
		.period = 1000000,
	};
	static struct seen seen[1000];
	int fd = open_with(self, &attr), nr;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	say(&self->self, 4);
	ASSERT_EQ(0, attach(&self->self));
	ASSERT_EQ(0, pev_on(fd));
	while (pev_read(fd).samples < 20)
		pev_spin(1000000);
	ASSERT_EQ(0, pev_off(fd));
	nr = see(self, seen, 1000);
	ASSERT_LE(20, nr);
	for (int i = 0; i < nr; i++)
		EXPECT_TRUE(same(ids_of(4), seen[i].ids));
	close(fd);
}

/* What runs in interrupts hits the thread, which is what the record is about. */
TEST_F(context, in_markers)
{
	static const char *const contexts[] = { "task", "softirq", "irq" };
	struct pev_attr attr = {
		.type = PEV_TYPE_MARKER,
		.name = (uintptr_t) "pev_sample:number",
		.target = PEV_TARGET_TASK,
		.group_fd = -1,
	};
	struct seen seen[64];
	int fd;

	if (pev_sample_load())
		SKIP(return, "the sample module is not there");
	fd = open_with(self, &attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	say(&self->self, 5);
	ASSERT_EQ(0, attach(&self->self));
	ASSERT_EQ(0, pev_on(fd));
	ASSERT_EQ(0, pev_sample_fire(contexts[0], 10));
	ASSERT_EQ(10, see(self, seen, 64));
	for (unsigned int i = 0; i < 10; i++)
		EXPECT_TRUE(same(ids_of(5), seen[i].ids));
	for (unsigned int c = 1; c < 3; c++) {
		int nr;

		ASSERT_EQ(0, pev_sample_fire(contexts[c], 10));
		nr = see(self, seen, 64);
		for (int i = 0; i < nr; i++)
			EXPECT_TRUE(same(seen[i].tid == (uint32_t)gettid() ? ids_of(5) : NONE,
					 seen[i].ids));
	}
	EXPECT_EQ(0, pev_read(fd).lost);
	close(fd);
}

static __attribute__((noinline, noclone, aligned(64))) void probed(void)
{
	__asm__ volatile("nop\n\tnop\n\tnop" : : : "memory");
}

TEST_F(context, in_probes)
{
	struct pev_probe_place place = { .offset = pev_place_of(probed) };
	struct pev_probe probe = {
		.size = sizeof(probe),
		.kind = PEV_PROBE_USER,
		.nr_places = 1,
		.places = (uintptr_t)&place,
		.strings = (uintptr_t) "probed",
		.strings_size = 7,
	};
	struct pev_attr attr = {
		.type = PEV_TYPE_PROBE,
		.name = (uintptr_t) "a_probe",
		.config = (uintptr_t)&probe,
		.target = PEV_TARGET_PROCESS,
		.group_fd = -1,
	};
	struct seen seen[64];
	int fd;

	ASSERT_NE(0, place.offset);
	probe.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, probe.fd);
	fd = open_with(self, &attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, attach(&self->self));
	ASSERT_EQ(0, pev_on(fd));
	for (unsigned int i = 0; i < 10; i++) {
		say(&self->self, i);
		probed();
	}
	ASSERT_EQ(10, see(self, seen, 64));
	for (unsigned int i = 0; i < 10; i++)
		EXPECT_TRUE(same(ids_of(i), seen[i].ids));
	close(fd);
	close(probe.fd);
}

/* The layout is in the metadata, for readers that know nothing else. */
TEST_F(context, in_metadata)
{
	int fd = open_calls(self, PEV_TARGET_TASK, 0);
	char *text = pev_read_text(self->channel);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_NE(NULL, text);
	EXPECT_NE(NULL,
		  strstr(text,
			 "xint64_t trace_high;\n\t\txint64_t trace_low;\n\t\txint64_t span;\n"));
	free(text);
	close(fd);
}

/* ---- memory that is not what it should be ---- */

/* Nothing is lost where nothing can be read. */
TEST_F(context, survives_its_memory)
{
	const long size = sysconf(_SC_PAGESIZE);
	int fd = open_calls(self, PEV_TARGET_TASK, 0);
	struct self *away = page_at(NULL, PROT_READ | PROT_WRITE);
	uint8_t *two = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	const uint64_t pointers[] = {
		KERNEL_ADDRESS,
		NOBODYS_ADDRESS,
		~0ULL,
		~0ULL - 20,
		1,
		4096,
		(uintptr_t)two + size - 8,
		(uintptr_t)two + size - 24,
		(uintptr_t)two + size,
	};
	const struct pev_thread_context last = { .trace_id = { 1 }, .valid = 1 };
	unsigned int calls = 0;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_NE(MAP_FAILED, (void *)away);
	ASSERT_NE(MAP_FAILED, (void *)two);
	memset(two, 1, size);
	ASSERT_EQ(0, munmap(two + size, size));
	ASSERT_EQ(0, attach(&self->self));
	ASSERT_EQ(0, pev_on(fd));
	for (unsigned int i = 0; i < sizeof(pointers) / sizeof(*pointers); i++, calls++) {
		point_at(&self->self, (void *)pointers[i]);
		EXPECT_TRUE(same(NONE, one_call(self))) TH_LOG("at %#lx", (long)pointers[i]);
	}
	/* at any address, as long as all of it is there */
	point_at(&self->self, memcpy(two + size - sizeof(last), &last, sizeof(last)));
	EXPECT_TRUE(same((struct ids){ 1ULL << 56 }, one_call(self)));
	calls++;
	ASSERT_EQ(0, attach(away));
	/* never touched: no record brings it in */
	EXPECT_TRUE(same(NONE, one_call(self)));
	say(away, 6);
	EXPECT_TRUE(same(ids_of(6), one_call(self)));
	ASSERT_EQ(0, mprotect(away, size, PROT_NONE));
	EXPECT_TRUE(same(NONE, one_call(self)));
	ASSERT_EQ(0, mprotect(away, size, PROT_READ));
	EXPECT_TRUE(same(ids_of(6), one_call(self)));
	ASSERT_EQ(0, munmap(away, size));
	EXPECT_TRUE(same(NONE, one_call(self)));
	calls += 5;
	EXPECT_EQ(calls, pev_read(fd).samples);
	EXPECT_EQ(0, pev_read(fd).lost);
	ASSERT_EQ(0, attach_at(0));
	munmap(two, size);
	close(fd);
}

#define REFUSED(error, field_, text, at)                           \
	do {                                                       \
		EXPECT_EQ(-(error), attach_at(at));                \
		EXPECT_EQ(PEV_OFFSET(field_), pev_why.head.field); \
		EXPECT_NE(NULL, strstr(pev_reason(), text))        \
		TH_LOG("%s", pev_reason());                        \
	} while (0)

TEST_F(context, refusals)
{
	struct pev_attr attr = { .type = PEV_TYPE_CONTEXT,
				 .target = PEV_TARGET_TASK,
				 .channel_fd = -1,
				 .group_fd = -1 };

	REFUSED(EINVAL, config, "not a multiple of 8", (uintptr_t)&self->self + 1);
	REFUSED(EINVAL, config, "not a multiple of 8", 4);
	REFUSED(EFAULT, config, "none of a program's", KERNEL_ADDRESS);
	REFUSED(EFAULT, config, "none of a program's", NOBODYS_ADDRESS);
	REFUSED(EFAULT, config, "none of a program's", ~7ULL);
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(target), pev_why.head.field);
	/* without a channel there is no record to put it in */
	attr = pev_attr_calls(PEV_TARGET_TASK, 0);
	attr.sample = PEV_SAMPLE_CONTEXT;
	EXPECT_EQ(-EINVAL, pev_open(&attr));
	EXPECT_EQ(PEV_OFFSET(sample), pev_why.head.field);
}

/* It takes no right, but for those who may do nothing. */
TEST_F(context, rights)
{
	struct pev_levels before = pev_get_levels();
	struct pev_child child;

	ASSERT_EQ(0, pev_set_paranoid(2));
	ASSERT_LE(0, pev_child_start(&child));
	if (!child.pid) {
		if (pev_become(PEV_NOBODY, -1))
			_exit(1);
		pev_child_say(&child, attach(&self->self));
		pev_child_wait(&child);
		pev_child_say(&child, attach(&self->self));
		_exit(0);
	}
	EXPECT_EQ(0, pev_child_hear(&child));
	ASSERT_EQ(0, pev_put_number(PEV_PARANOID, 4));
	pev_child_go(&child);
	EXPECT_EQ(-EACCES, pev_child_hear(&child));
	EXPECT_EQ(0, pev_child_end(&child));
	EXPECT_EQ(0, pev_set_levels(before));
}

/* ---- the life of threads and programs ---- */

/* A process with another at the same address: each sees its own. */
TEST_F(context, is_not_inherited)
{
	int fd = open_calls(self, PEV_TARGET_SUBTREE, 0);
	struct seen seen[64];
	struct pev_child child;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	say(&self->self, 1);
	ASSERT_EQ(0, attach(&self->self));
	ASSERT_EQ(0, pev_on(fd));
	ASSERT_LE(0, pev_child_start(&child));
	if (!child.pid) {
		pev_call(1);
		say(&self->self, 2);
		pev_call(1);
		if (attach(&self->self))
			_exit(1);
		pev_call(1);
		pev_child_say(&child, 0);
		pev_child_wait(&child);
		pev_call(1);
		_exit(0);
	}
	EXPECT_EQ(0, pev_child_hear(&child));
	pev_call(1);
	pev_child_go(&child);
	EXPECT_EQ(0, pev_child_end(&child));
	ASSERT_EQ(5, see(self, seen, 64));
	EXPECT_TRUE(same(NONE, seen[0].ids));
	EXPECT_TRUE(same(NONE, seen[1].ids));
	EXPECT_TRUE(same(ids_of(2), seen[2].ids));
	EXPECT_TRUE(same(ids_of(1), seen[3].ids));
	EXPECT_TRUE(same(ids_of(2), seen[4].ids));
	EXPECT_EQ(gettid(), seen[3].tid);
	close(fd);
}

TEST_F(context, ends_with_the_program)
{
	int fd = open_calls(self, PEV_TARGET_SUBTREE, 0);
	struct seen seen[64];
	struct pev_child child;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(fd));
	ASSERT_LE(0, pev_child_start(&child));
	if (!child.pid) {
		struct self *own = page_at(PLACE, PROT_READ | PROT_WRITE);

		if (own == MAP_FAILED || attach(own))
			_exit(3);
		say(own, 1);
		pev_call(1);
		setenv("PEV_CONTEXT_NEXT", "1", 1);
		execl("/proc/self/exe", "next", NULL);
		_exit(4);
	}
	EXPECT_EQ(0, pev_child_end(&child));
	ASSERT_EQ(11, see(self, seen, 64));
	EXPECT_TRUE(same(ids_of(1), seen[0].ids));
	for (unsigned int i = 1; i < 6; i++)
		EXPECT_TRUE(same(NONE, seen[i].ids));
	for (unsigned int i = 6; i < 11; i++)
		EXPECT_TRUE(same(ids_of(2), seen[i].ids));
	close(fd);
}

static void *say_and_end(void *arg)
{
	struct self *self = arg;

	pev_call(1);
	if (attach(self))
		return self;
	pev_call(1);
	return NULL;
}

/* Threads that come get the memory of those that went, in the kernel and here. */
TEST_F(context, ends_with_the_thread)
{
	enum { THREADS = 100 };
	int fd = open_calls(self, PEV_TARGET_PROCESS, 0);
	struct seen seen[2 * THREADS + 1];
	unsigned int with = 0;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_on(fd));
	say(&self->self, 1);
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_t thread;
		void *failed;

		ASSERT_EQ(0, pthread_create(&thread, NULL, say_and_end, &self->self));
		ASSERT_EQ(0, pthread_join(thread, &failed));
		ASSERT_EQ(NULL, failed);
	}
	ASSERT_EQ(2 * THREADS, see(self, seen, 2 * THREADS + 1));
	for (unsigned int i = 0; i < 2 * THREADS; i += 2) {
		with += same(ids_of(1), seen[i + 1].ids);
		EXPECT_TRUE(same(NONE, seen[i].ids));
	}
	EXPECT_EQ(THREADS, with);
	close(fd);
}

/* ---- storms ---- */

static bool stop_all;

static void *storm(void *arg)
{
	struct self own = {};
	uint64_t nr = 0;

	say(&own, 0xee);
	while (!__atomic_load_n(&stop_all, __ATOMIC_RELAXED)) {
		if (attach(&own) || (nr & 1 && attach_at(0)))
			return (void *)1;
		nr++;
	}
	return NULL;
}

static void *end_soon(void *arg)
{
	struct self own = {};

	return (void *)(long)attach(&own);
}

static void *storm_of_threads(void *arg)
{
	while (!__atomic_load_n(&stop_all, __ATOMIC_RELAXED)) {
		pthread_t thread;
		void *failed;

		if (pthread_create(&thread, NULL, end_soon, NULL) ||
		    pthread_join(thread, &failed) || failed)
			return (void *)1;
	}
	return NULL;
}

/* Whatever others make known: no record is lost, and each has what its thread says. */
TEST_F(context, storms_of_others)
{
	const unsigned int calls = pev_kernel_is_slow() ? 2000 : 20000;
	int fd = open_calls(self, PEV_TARGET_TASK, 0);
	struct seen *seen = calloc(calls + 1, sizeof(*seen));
	unsigned int wrong = 0;
	pthread_t threads[6];

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_NE(NULL, seen);
	__atomic_store_n(&stop_all, false, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < 6; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, i < 4 ? storm : storm_of_threads,
					    NULL));
	ASSERT_EQ(0, attach(&self->self));
	ASSERT_EQ(0, pev_on(fd));
	for (unsigned int i = 0; i < calls; i++) {
		say(&self->self, i);
		pev_call(1);
		if (i % 64 == 0)
			sched_yield();
	}
	ASSERT_EQ(0, pev_off(fd));
	__atomic_store_n(&stop_all, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < 6; i++) {
		void *failed;

		ASSERT_EQ(0, pthread_join(threads[i], &failed));
		EXPECT_EQ(NULL, failed);
	}
	EXPECT_EQ(0, pev_read(fd).lost);
	ASSERT_EQ(calls, see(self, seen, calls + 1));
	for (unsigned int i = 0; i < calls; i++)
		wrong += !same(ids_of(i), seen[i].ids);
	EXPECT_EQ(0, wrong);
	free(seen);
	close(fd);
}

struct flipped {
	struct self *self;
	struct pev_thread_context a, b;
};

static void *flip(void *arg)
{
	struct flipped *f = arg;
	struct pev_thread_context *const to[] = {
		&f->a, NULL, &f->b, (void *)KERNEL_ADDRESS, &f->a, (void *)16, &f->b,
	};

	for (unsigned int i = 0; !__atomic_load_n(&stop_all, __ATOMIC_RELAXED); i++)
		__atomic_store_n(&f->self->pointer, to[i % 7], __ATOMIC_RELAXED);
	return NULL;
}

/* The pointer changes while it is followed: a record has a whole request, or none. */
TEST_F(context, changes_under_the_reader)
{
	/* an emulator may take long for what is not there: as many as there is time for */
	const uint64_t end = pev_clock_ns(CLOCK_MONOTONIC) + 5000000000ULL;
	enum { MOST = 20000 };
	struct flipped f = { &self->self, request(0x11), request(0x91) };
	int fd = open_calls(self, PEV_TARGET_TASK, 0);
	struct seen *seen = calloc(MOST + 1, sizeof(*seen));
	unsigned int calls = 0, wrong = 0, found = 0;
	cpu_set_t all;
	pthread_t thread;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_NE(NULL, seen);
	__atomic_store_n(&stop_all, false, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_create(&thread, NULL, flip, &f));
	/* beside this one, where there is another CPU */
	memset(&all, 0xff, sizeof(all));
	ASSERT_EQ(0, pthread_setaffinity_np(thread, sizeof(all), &all));
	ASSERT_EQ(0, attach(&self->self));
	ASSERT_EQ(0, pev_on(fd));
	while (calls < MOST && pev_clock_ns(CLOCK_MONOTONIC) < end) {
		pev_call(1);
		if (calls++ % 64 == 0)
			sched_yield();
	}
	ASSERT_EQ(0, pev_off(fd));
	__atomic_store_n(&stop_all, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, pev_read(fd).lost);
	ASSERT_EQ(calls, see(self, seen, MOST + 1));
	for (unsigned int i = 0; i < calls; i++) {
		bool any = same(ids_of(0x11), seen[i].ids) || same(ids_of(0x91), seen[i].ids);

		found += any;
		wrong += !any && !same(NONE, seen[i].ids);
	}
	EXPECT_EQ(0, wrong);
	EXPECT_LT(0, found) TH_LOG("of %u", calls);
	free(seen);
	close(fd);
}

static int name_thread(pid_t tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
	return pev_put_text(path, name);
}

struct sleeper {
	int fds[2];
	pid_t tid;
};

static void *sleep_on(void *arg)
{
	struct sleeper *s = arg;
	char byte;

	__atomic_store_n(&s->tid, gettid(), __ATOMIC_RELEASE);
	return (void *)read(s->fds[0], &byte, 1);
}

/* A record about another thread than the one that runs has no request. */
TEST_F(context, is_of_the_thread)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SIDEBAND,
		.config = PEV_SB_COMM,
		.target = PEV_TARGET_PROCESS,
		.group_fd = -1,
		.channel_fd = self->channel,
		.flags = PEV_F_DISABLED,
		.sample = PEV_SAMPLE_TID | PEV_SAMPLE_CONTEXT,
	};
	struct pev_id id = { .size = sizeof(id) };
	int fd = pev_open(&attr);
	struct sleeper sleeper = {};
	struct seen seen[8];
	pthread_t thread;

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, ioctl(fd, PEV_IOC_ID, &id));
	self->sizes[id.id] = id.fixed_size - 4 + id.payload_size;
	ASSERT_EQ(0, pipe(sleeper.fds));
	ASSERT_EQ(0, pthread_create(&thread, NULL, sleep_on, &sleeper));
	while (!__atomic_load_n(&sleeper.tid, __ATOMIC_ACQUIRE))
		pev_yield();
	say(&self->self, 1);
	ASSERT_EQ(0, attach(&self->self));
	ASSERT_EQ(0, pev_on(fd));
	ASSERT_EQ(0, name_thread(gettid(), "mine"));
	ASSERT_EQ(0, name_thread(sleeper.tid, "other"));
	ASSERT_EQ(0, pev_off(fd));
	ASSERT_EQ(2, see(self, seen, 8));
	EXPECT_EQ(gettid(), seen[0].tid);
	EXPECT_TRUE(same(ids_of(1), seen[0].ids));
	EXPECT_EQ(sleeper.tid, seen[1].tid);
	EXPECT_TRUE(same(NONE, seen[1].ids));
	ASSERT_EQ(1, write(sleeper.fds[1], "", 1));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	close(sleeper.fds[0]);
	close(sleeper.fds[1]);
	close(fd);
}

TEST_HARNESS_MAIN
