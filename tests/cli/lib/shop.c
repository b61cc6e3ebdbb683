// SPDX-License-Identifier: GPL-2.0
/*
 * usage: shop MODE [ARGUMENT...]
 *
 *   orders N          N orders: a mark, a system call that nothing else makes, a mark
 *   wait N            the same, each when a line comes on stdin; an empty one ends it
 *   killed N          N marks, and then SIGKILL from itself
 *   plugins N LIB...  N times: all libraries loaded, used by two threads, and unloaded, with
 *                     marks of this program between
 *   exits N LIB       its marks by a thread that goes on while the program ends
 */
#include <dlfcn.h>
#include <pev/mark.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

static void order(unsigned long n)
{
	static const char *const cities[] = { "Rome", "Oslo", "", "Saint-Remy-en-Bouzemont" };

	PEV_USER_MARK(shop, begin, "%lu", n);
	syscall(SYS_sched_get_priority_max, n);
	PEV_USER_MARK(shop, checkout, "%lu city %s price %f", n, cities[n % 4], n * 0.25);
}

static int wait_orders(unsigned long n)
{
	char line[16];

	for (unsigned long i = 0; i < n && fgets(line, sizeof(line), stdin) && line[0] != '\n'; i++)
		order(i);
	return 0;
}

static int killed(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		PEV_USER_MARK(shop, last, "%lu", i);
	kill(getpid(), SIGKILL);
	return 1;
}

/* ---- libraries that come and go ---- */

#define MOST 64

static void (*works[MOST])(unsigned long round, unsigned long thread);
static int nr_works;
static unsigned long round_nr;

static void *use(void *arg)
{
	for (int i = 0; i < nr_works; i++)
		works[i](round_nr, (uintptr_t)arg);
	return NULL;
}

static int load(void **handles, char **libs)
{
	for (nr_works = 0; libs[nr_works] && nr_works < MOST; nr_works++) {
		handles[nr_works] = dlopen(libs[nr_works], RTLD_NOW);
		if (!handles[nr_works]) {
			fprintf(stderr, "shop: %s\n", dlerror());
			return -1;
		}
		works[nr_works] = (void (*)(unsigned long, unsigned long))dlsym(handles[nr_works],
										"work");
	}
	return 0;
}

static int plugins(unsigned long rounds, char **libs)
{
	void *handles[MOST];
	pthread_t other;

	for (round_nr = 0; round_nr < rounds; round_nr++) {
		if (load(handles, libs))
			return 1;
		PEV_USER_MARK(shop, loaded, "%lu", round_nr);
		if (pthread_create(&other, NULL, use, (void *)1))
			return 1;
		use((void *)0);
		pthread_join(other, NULL);
		for (int i = 0; i < nr_works; i++)
			dlclose(handles[i]);
		PEV_USER_MARK(shop, unloaded, "%lu", round_nr);
	}
	return 0;
}

static void *use_on(void *arg)
{
	while (works[0])
		works[0](1, (uintptr_t)arg);
	return NULL;
}

static int exits(unsigned long n, char **libs)
{
	void *handles[MOST];
	pthread_t other;

	if (!libs[0] || load(handles, libs) || pthread_create(&other, NULL, use_on, (void *)1))
		return 1;
	for (unsigned long i = 0; i < n; i++)
		works[0](i, 0);
	*(volatile int *)dlsym(handles[0], "lasting") = 1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "plugins"))
		return plugins(n, argv + 3);
	if (!strcmp(argv[1], "exits"))
		return exits(n, argv + 3);
	if (!strcmp(argv[1], "killed"))
		return killed(n);
	if (!strcmp(argv[1], "wait"))
		return wait_orders(n);
	for (unsigned long i = 0; i < n; i++)
		order(i);
	return 0;
}
