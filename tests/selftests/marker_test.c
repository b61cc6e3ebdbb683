// SPDX-License-Identifier: GPL-2.0
/* Kernel markers, with those of the sample module (samples/pev). */
#include <pthread.h>
#include "kselftest_harness.h"
#include "pev_sample.h"
#include "pev_util.h"

#define MK	PEV_TYPE_MARKER
FIXTURE(marker) {
	int		channel;
	struct pev_map	map;
};

FIXTURE_SETUP(marker)
{
	int err;

	if (!pev_present())
		SKIP(return, "no pev in this kernel");
	err = pev_sample_load();
	if (err)
		SKIP(return, "pev-sample.ko can't be loaded: %s", strerror(-err));
	self->channel = pev_open_channel(1 << 18, 0, 0);
	ASSERT_LE(0, self->channel) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_map_channel(self->channel, &self->map));
}

FIXTURE_TEARDOWN(marker)
{
	pev_unmap_channel(&self->map);
	close(self->channel);
}

struct number {
	int32_t		number;
	uint32_t	pad;
	uint64_t	pointer;
};

TEST_F(marker, number)
{
	static const int sizes[] = { sizeof(struct number) };
	struct pev_record record;
	struct pev_value value;
	int fd, more, nr = 0;

	fd = pev_open_event(MK, "pev_sample:number", NULL, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	/* in one ring, records come in the order of the calls */
	ASSERT_EQ(0, pev_pin(sched_getcpu()));
	ASSERT_EQ(0, pev_sample_fire("task", 10));
	EXPECT_EQ(0, pev_read(fd).value);
	pev_on(fd);
	ASSERT_EQ(0, pev_sample_fire("task", 100));
	pev_off(fd);
	ASSERT_EQ(0, pev_sample_fire("task", 10));
	value = pev_read(fd);
	EXPECT_EQ(100, value.value);
	EXPECT_EQ(100, value.samples);
	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&self->map, cpu, sizes, 1);

		while ((more = pev_walk_next(&walk, &record)) > 0) {
			struct number n;

			memcpy(&n, record.payload, sizeof(n));
			EXPECT_EQ(-nr, n.number);
			EXPECT_EQ(0, n.pad);
			EXPECT_EQ(0x1000UL + nr, n.pointer);
			nr++;
		}
		ASSERT_EQ(0, more);
	}
	EXPECT_EQ(100, nr);
	close(fd);
}

struct text {
	uint16_t	off;
	uint16_t	len;
	uint32_t	pad;
	uint64_t	length;
};

TEST_F(marker, text)
{
	struct pev_value value;
	char *metadata;
	int fd;

	fd = pev_open_event(MK, "pev_sample:text", "name == \"task\" && length == 4",
			    self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	ASSERT_EQ(0, pev_sample_fire("task", 10));
	pev_off(fd);
	value = pev_read(fd);
	EXPECT_EQ(5, value.value);
	EXPECT_EQ(5, value.filtered);
	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		const uint8_t *p = self->map.rings[cpu].data + sizeof(struct pev_packet) + 8;
		struct text t;

		if (!self->map.rings[cpu].kernel || !self->map.rings[cpu].kernel->head)
			continue;
		memcpy(&t, p, sizeof(t));
		EXPECT_EQ(8 + sizeof(t), t.off);
		EXPECT_EQ(5, t.len);
		EXPECT_EQ(4, t.length);
		EXPECT_EQ(0, memcmp(p + t.off - 8, "task", 5));
	}
	metadata = pev_read_text(self->channel);
	EXPECT_NE(NULL, strstr(metadata, "text_t name[name_len];"));
	EXPECT_NE(NULL, strstr(metadata, "uint64_t length;"));
	free(metadata);
	close(fd);
}

/* "hh %hhd hhu=%hhu h %hd hu=%hx i %i u: %#x l %ld llu %llu c %c s %.4s ... z %zd" */
struct types {
	int8_t		hh;
	uint8_t		hhu;
	int16_t		h;
	uint16_t	hu;
	uint16_t	pad;
	int32_t		i;
	uint32_t	u;
	int64_t		l;
	uint64_t	llu;
	char		c;
	char		pad2[3];
	uint16_t	off;
	uint16_t	len;
	int64_t		z;
};

TEST_F(marker, types)
{
	struct types t = { };
	int fd;

	/* the softirq may be any task's */
	fd = pev_open_machine(MK, "pev_sample:types", NULL, self->channel);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	ASSERT_EQ(0, pev_sample_fire("softirq", 1));
	pev_off(fd);
	for (unsigned int cpu = 0; cpu < self->map.nr; cpu++) {
		const uint8_t *p = self->map.rings[cpu].data + sizeof(struct pev_packet) + 8;

		if (!self->map.rings[cpu].kernel || !self->map.rings[cpu].kernel->head)
			continue;
		memcpy(&t, p, sizeof(t));
		EXPECT_EQ(0, memcmp(p + t.off - 8, "soft", 5));
	}
	EXPECT_EQ(-1, t.hh);
	EXPECT_EQ(200, t.hhu);
	EXPECT_EQ(-2, t.h);
	EXPECT_EQ(60000, t.hu);
	EXPECT_EQ(0, t.pad);
	EXPECT_EQ(-3, t.i);
	EXPECT_EQ(4000000000U, t.u);
	EXPECT_EQ(-5, t.l);
	EXPECT_EQ(6, t.llu);
	EXPECT_EQ('p', t.c);
	EXPECT_EQ(0, t.pad2[0] | t.pad2[1] | t.pad2[2]);
	EXPECT_EQ(5, t.len);
	EXPECT_EQ(-7, t.z);
	close(fd);
}

TEST_F(marker, without_fields)
{
	int fd = pev_open_event(MK, "pev_sample:plain", NULL, self->channel);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	ASSERT_EQ(0, pev_sample_fire("task", 7));
	pev_off(fd);
	EXPECT_EQ(7, pev_read(fd).samples);
	close(fd);
}

TEST_F(marker, several_listeners)
{
	int all = pev_open_machine(MK, "pev_sample:number", NULL, self->channel);
	int few = pev_open_machine(MK, "pev_sample:number", "number > -10", -1);
	int off = pev_open_machine(MK, "pev_sample:number", NULL, -1);

	ASSERT_LE(0, all) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, few) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, off) TH_LOG("%s", pev_reason());
	pev_on(all);
	pev_on(few);
	ASSERT_EQ(0, pev_sample_fire("irq", 100));
	EXPECT_EQ(100, pev_read(all).value);
	EXPECT_EQ(10, pev_read(few).value);
	EXPECT_EQ(90, pev_read(few).filtered);
	EXPECT_EQ(0, pev_read(off).value);
	close(all);
	ASSERT_EQ(0, pev_sample_fire("irq", 100));
	EXPECT_EQ(20, pev_read(few).value);
	close(few);
	close(off);
}

/* Interrupts write into the midst of a task's records; nothing goes astray. */
TEST_F(marker, all_contexts)
{
	struct pev_value number, text;
	int n, t;

	n = pev_open_machine(MK, "pev_sample:number", NULL, self->channel);
	t = pev_open_machine(MK, "pev_sample:text", "length > 3", self->channel);
	ASSERT_LE(0, n) TH_LOG("%s", pev_reason());
	ASSERT_LE(0, t) TH_LOG("%s", pev_reason());
	pev_on(self->channel);
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(0, pev_sample_fire("mixed", 1000));
	pev_off(self->channel);
	number = pev_read(n);
	text = pev_read(t);
	EXPECT_EQ(60000, number.value);
	EXPECT_EQ(60000, number.samples + number.lost);
	EXPECT_EQ(0, number.filtered);
	EXPECT_EQ(60000, text.value + text.filtered);
	EXPECT_EQ(20000, text.filtered);
	EXPECT_EQ(text.value, text.samples + text.lost);
	close(n);
	close(t);
}

/* An event outlives the module, and sees its markers again when it is back. */
TEST_F(marker, module_goes_and_comes)
{
	int fd = pev_open_machine(MK, "pev_sample:number", NULL, self->channel);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	ASSERT_EQ(0, pev_sample_fire("task", 5));
	ASSERT_EQ(0, pev_sample_unload());
	EXPECT_EQ(5, pev_read(fd).value);
	EXPECT_EQ(-ENOENT, pev_open_machine(MK, "pev_sample:number", NULL, -1));
	EXPECT_NE(NULL, strstr(pev_reason(), "pev_sample:number"));
	ASSERT_EQ(0, pev_sample_load());
	ASSERT_EQ(0, pev_sample_fire("task", 5));
	EXPECT_EQ(10, pev_read(fd).value);
	ASSERT_EQ(0, pev_sample_unload());
	close(fd);
	ASSERT_EQ(0, pev_sample_load());
	ASSERT_EQ(0, pev_sample_fire("task", 5));
}

static volatile bool stop;

static void *opens(void *unused)
{
	while (!stop) {
		int fd = pev_open_machine(MK, "pev_sample:number", NULL, -1);

		if (fd >= 0) {
			pev_on(fd);
			close(fd);
		}
	}
	return NULL;
}

TEST_F(marker, module_goes_while_others_listen)
{
	pthread_t threads[2];

	stop = false;
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, opens, NULL));
	for (int i = 0; i < (pev_kernel_is_slow() ? 6 : 20); i++) {
		pev_sample_fire("task", 100);
		pev_sample_unload();
		EXPECT_EQ(0, pev_sample_load());
	}
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, pev_sample_fire("task", 1));
}

/* A function of another module on a marker, beside an event. */
TEST_F(marker, function)
{
	int fd = pev_open_machine(MK, "pev_sample:number", NULL, self->channel);

	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_connect_load("marker=pev_sample:number"));
	ASSERT_EQ(0, pev_sample_fire("task", 100));
	EXPECT_EQ(100, pev_connect_read("calls"));
	pev_on(fd);
	ASSERT_EQ(0, pev_sample_fire("mixed", 100));
	pev_off(fd);
	EXPECT_EQ(400, pev_connect_read("calls"));
	EXPECT_EQ(200, pev_connect_read("task"));
	EXPECT_EQ(100, pev_connect_read("softirq"));
	EXPECT_EQ(100, pev_connect_read("irq"));
	EXPECT_EQ(300, pev_read(fd).value);
	ASSERT_EQ(0, pev_connect_unload());
	ASSERT_EQ(0, pev_sample_fire("task", 100));
	EXPECT_EQ(300, pev_read(fd).value);
	EXPECT_EQ(-ENOENT, pev_connect_load("marker=pev_sample:nothing"));
	close(fd);
}

/* It stays connected when the marker's module goes, and comes back with it. */
TEST_F(marker, function_outlives_the_marker)
{
	ASSERT_EQ(0, pev_connect_load("marker=pev_sample:plain"));
	ASSERT_EQ(0, pev_sample_fire("task", 5));
	ASSERT_EQ(0, pev_sample_unload());
	ASSERT_EQ(0, pev_sample_load());
	ASSERT_EQ(0, pev_sample_fire("task", 5));
	EXPECT_EQ(10, pev_connect_read("calls"));
	ASSERT_EQ(0, pev_sample_unload());
	ASSERT_EQ(0, pev_connect_unload());
	ASSERT_EQ(0, pev_sample_load());
	ASSERT_EQ(0, pev_sample_fire("task", 5));
}

/* One that takes long is found; a module that forgets to disconnect does no harm. */
TEST_F(marker, function_slow)
{
	int calls;

	ASSERT_EQ(0, pev_connect_load("marker=pev_sample:plain delay_us=2000"));
	ASSERT_EQ(0, pev_sample_fire("irq", 1000));
	calls = pev_connect_read("calls");
	EXPECT_LT(0, calls);
	EXPECT_GT(1000, calls);
	ASSERT_EQ(0, pev_connect_unload());
	ASSERT_EQ(0, pev_connect_load("marker=pev_sample:plain forgets=1"));
	ASSERT_EQ(0, pev_sample_fire("task", 5));
	EXPECT_EQ(5, pev_connect_read("calls"));
	ASSERT_EQ(0, pev_connect_unload());
	ASSERT_EQ(0, pev_sample_fire("mixed", 100));
}

static volatile bool stop_firing;

static void *fires(void *unused)
{
	while (!stop_firing)
		pev_sample_fire("mixed", 100);
	return NULL;
}

TEST_F(marker, functions_come_and_go)
{
	static const char *const params[] = {
		"marker=pev_sample:number", "marker=pev_sample:text forgets=1",
		"marker=pev_sample:types delay_us=500", "marker=pev_sample:plain",
	};
	pthread_t thread;

	stop_firing = false;
	ASSERT_EQ(0, pthread_create(&thread, NULL, fires, NULL));
	for (int i = 0; i < (pev_kernel_is_slow() ? 8 : 16); i++) {
		EXPECT_EQ(0, pev_connect_load(params[i % 4]));
		for (int k = 0; k < 1000 && !pev_connect_read("calls"); k++)
			usleep(1000);
		EXPECT_NE(0, pev_connect_read("calls"));
		EXPECT_EQ(0, pev_connect_unload());
	}
	stop_firing = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, pev_sample_fire("task", 1));
}

TEST_F(marker, refusals)
{
	EXPECT_EQ(-ENOENT, pev_open_event(MK, "pev_sample:nothing", NULL, -1));
	EXPECT_NE(NULL, strstr(pev_reason(), "pev_sample:nothing"));
	EXPECT_EQ(-EINVAL, pev_open_event(MK, "pev_sample", NULL, -1));
	EXPECT_EQ(-EINVAL, pev_open_event(MK, NULL, NULL, -1));
	EXPECT_EQ(-EINVAL, pev_open_event(MK, "pev_sample:number", "nofield == 1", -1));
	EXPECT_NE(NULL, strstr(pev_reason(), "Field not found"));
}

TEST_HARNESS_MAIN
