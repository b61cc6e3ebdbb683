// SPDX-License-Identifier: GPL-2.0
/* Probes that come and go, and the processes that they are in. */
#include <pthread.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "pev_sample.h"
#include "probe_util.h"

/* A new program of the subtree that works and ends. */
static __attribute__((constructor)) void be_worker(void)
{
	const char *nr = getenv("PROBE_TEST_WORK");

	for (int i = 0; nr && i < atoi(nr); i++)
		work_fn(i, "worker");
	if (nr)
		_exit(0);
}

/* A process that is not in the target keeps its code, at places of the same file. */
TEST_F(probe, others_keep_their_code)
{
	unsigned long before, after;
	int to[2], from[2], status = -1, fd;
	char byte = 0;
	pid_t pid;

	memcpy(&before, (void *)work_fn, sizeof(before));
	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(from));
	pid = fork();
	if (!pid) {
		if (read(to[0], &byte, 1) != 1)
			_exit(2);
		memcpy(&after, (void *)work_fn, sizeof(after));
		_exit(before != after);
	}
	fd = open_probe(&self->probe, -1);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	memcpy(&after, (void *)work_fn, sizeof(after));
	EXPECT_NE(before, after);
	ASSERT_EQ(1, write(to[1], &byte, 1));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(fd);
	/* closed events are removed a little later */
	for (int i = 0; i < 1000 && before != after; i++) {
		usleep(10000);
		memcpy(&after, (void *)work_fn, sizeof(after));
	}
	EXPECT_EQ(before, after);
}

/* What a subtree starts later is probed from its first instruction on. */
TEST_F(probe, exec)
{
	struct pev_attr attr = attr_of(&self->probe, -1);
	int status = -1, fd;
	pid_t pid;

	attr.target = PEV_TARGET_SUBTREE;
	fd = pev_open(&attr);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	pev_on(fd);
	pid = fork();
	if (!pid) {
		work_fn(0, "before");
		setenv("PROBE_TEST_WORK", "77", 1);
		execl("/proc/self/exe", "probe_test", NULL);
		_exit(2);
	}
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	pev_off(fd);
	EXPECT_EQ(78, pev_read(fd).value);
	close(fd);
}

/* A function of the module that each write to its file calls. */
static int open_at_sample(FIXTURE_DATA(probe) * self)
{
	static const char name[] = "pev_sample:fire_write";
	int fd;

	self->probe.kind = PEV_PROBE_FUNCTION;
	self->probe.fd = 0;
	self->probe.strings = (uintptr_t)name;
	self->probe.strings_size = sizeof(name);
	self->places[0] = (struct pev_probe_place){};
	fd = open_probe(&self->probe, -1);
	if (fd >= 0)
		pev_on(fd);
	return fd;
}

/* What comes to lie where a module was that is gone is no place of the probe's. */
TEST_F(probe, function_of_a_module_that_goes)
{
	int fd, later;

	if (pev_sample_load())
		SKIP(return, "pev-sample.ko is not there");
	fd = open_at_sample(self);
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_sample_fire("task", 1));
	EXPECT_EQ(1, pev_read(fd).value);
	/* memory may be used once more only after a while */
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, pev_sample_unload());
		EXPECT_EQ(-ENOENT, open_at_sample(self));
		ASSERT_EQ(0, pev_sample_load());
		ASSERT_EQ(0, pev_sample_fire("task", 1));
	}
	EXPECT_EQ(1, pev_read(fd).value);
	later = open_at_sample(self);
	ASSERT_LE(0, later) TH_LOG("%s", pev_reason());
	ASSERT_EQ(0, pev_sample_fire("task", 1));
	EXPECT_EQ(1, pev_read(later).value);
	EXPECT_EQ(1, pev_read(fd).value);
	close(later);
	close(fd);
	EXPECT_EQ(0, pev_sample_unload());
}

/* Probes that come and go while others hit them. */
static void *busy(void *stop)
{
	while (!__atomic_load_n((int *)stop, __ATOMIC_RELAXED)) {
		work_fn(1, "busy");
		close(open("/dev/null", O_RDONLY));
	}
	return NULL;
}

/* Some of each kind are closed together: they share what they have to wait for. */
TEST_F(probe, many_closed)
{
	static const uint32_t kinds[] = { PEV_PROBE_USER, PEV_PROBE_KERNEL_RETURN,
					  PEV_PROBE_USER_RETURN, PEV_PROBE_KERNEL };
	unsigned long before, now = 0;
	int fds[200];

	memcpy(&before, (void *)work_fn, sizeof(before));
	for (unsigned int i = 0; i < 200; i++) {
		struct pev_probe probe = self->probe;
		struct pev_probe_place place = self->places[0];

		probe.places = (uintptr_t)&place;
		if (i % 2)
			make_kernel(&probe, &place, kinds[i % 4]);
		else
			probe.kind = kinds[i % 4];
		fds[i] = open_probe(&probe, -1);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
		pev_on(fds[i]);
	}
	work_fn(0, "all");
	open_files(1);
	for (unsigned int i = 0; i < 200; i++) {
		EXPECT_EQ(1, pev_read(fds[i]).value) TH_LOG("kind %u", kinds[i % 4]);
	}
	for (unsigned int i = 0; i < 200; i++)
		close(fds[i]);
	for (int i = 0; i < 3000 && before != now; i++) {
		usleep(10000);
		memcpy(&now, (void *)work_fn, sizeof(now));
	}
	EXPECT_EQ(before, now);
}

TEST_F(probe, race)
{
	static const uint32_t kinds[] = { PEV_PROBE_USER, PEV_PROBE_USER_RETURN, PEV_PROBE_KERNEL,
					  PEV_PROBE_KERNEL_RETURN, PEV_PROBE_FUNCTION };
	const unsigned int nr_kinds = sizeof(kinds) / sizeof(*kinds);
	pthread_t thread[2];
	int stop = 0;

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, busy, &stop));
	for (int i = 0; i < (pev_kernel_is_slow() ? 2 : 4) * nr_kinds; i++) {
		struct pev_probe probe = self->probe;
		struct pev_probe_place place = self->places[0];
		struct pev_value value = {};
		int fd;

		probe.places = (uintptr_t)&place;
		if (kinds[i % nr_kinds] == PEV_PROBE_USER_RETURN)
			probe.kind = PEV_PROBE_USER_RETURN;
		else if (kinds[i % nr_kinds] != PEV_PROBE_USER)
			make_kernel(&probe, &place, kinds[i % nr_kinds]);
		fd = open_probe(&probe, self->channel);
		ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
		pev_on(fd);
		for (int k = 0; k < 10000 && !value.value; k++) {
			usleep(1000);
			value = pev_read(fd);
		}
		EXPECT_NE(0, value.value)
		TH_LOG("kind %u, lost %llu", kinds[i % nr_kinds], (unsigned long long)value.lost);
		close(fd);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

TEST_HARNESS_MAIN
