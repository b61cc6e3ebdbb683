// SPDX-License-Identifier: GPL-2.0
/* What probes cost: to attach, to reach and to leave thousands of them. See bench.h. */
#include "bench.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../selftests/pev_place.h"
#include "../selftests/pev_util.h"

#define PLACES	2000
/* What perf takes grows with their number, and is minutes for all of them. */
#define PERF_PLACES	100
#define CALL	"__x64_sys_getppid"

/* bench_place_0 to bench_place_1999, which glob finds; each is a function. */
asm(".pushsection .text\n"
    ".altmacro\n"
    ".macro bench_place nr\n"
    ".balign 16\n"
    ".type bench_place_\\nr, @function\n"
    "bench_place_\\nr: nop\n"
#ifdef __powerpc64__
    "blr\n"
#else
    "ret\n"
#endif
    ".size bench_place_\\nr, . - bench_place_\\nr\n"
    ".endm\n"
    ".globl bench_places\n"
    ".balign 16\n"
    "bench_places:\n"
    ".set place, 0\n"
    ".rept 2000\n"
    "bench_place %place\n"
    ".set place, place + 1\n"
    ".endr\n"
    ".noaltmacro\n"
    ".popsection\n");

extern char bench_places[];

#define PLACE_SIZE	16
#define LAST		((PLACES - 1) * PLACE_SIZE)

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Where the places are in this program's file. */
static uint64_t file_offset(void)
{
	uint64_t place = pev_place_of(bench_places);

	if (!place)
		die("the places are not in a file");
	return place;
}

/* ---- attaching and detaching --------------------------------------------- */

static char clean[PLACES * PLACE_SIZE];

/* Has the last place got its breakpoint? */
static bool all_attached(void)
{
	return memcmp(bench_places + LAST, clean + LAST, PLACE_SIZE);
}

static void await_detached(void)
{
	while (memcmp(bench_places, clean, sizeof(clean)))
		usleep(100);
}

static int open_places(uint32_t kind, unsigned int nr, const char *name, int exe, bool off,
		       int channel)
{
	static struct pev_probe_place places[PLACES];
	struct pev_probe probe = {
		.size = sizeof(probe), .kind = kind, .fd = exe, .nr_places = nr,
		.places = (uintptr_t)places, .strings = (uintptr_t)name,
		.strings_size = strlen(name) + 1,
	};
	uint64_t offset = exe ? file_offset() : 0;

	for (unsigned int i = 0; i < nr; i++)
		places[i] = (struct pev_probe_place){ .offset = offset + i * PLACE_SIZE * !!exe };
	return listen_pev(&(struct pev_listen){ .type = PEV_TYPE_PROBE, .name = "places",
			.config = (uintptr_t)&probe, .period = channel >= 0, .off = off,
			.sample = channel >= 0 ? PEV_SAMPLE_TID : 0 }, channel);
}

/* Sums of what opening, and closing until no breakpoint is left, took. */
static double attach_pev(int exe)
{
	double begin = now_us();
	int fd = open_places(PEV_PROBE_USER, PLACES, "place", exe, false, -1);

	if (!all_attached())
		die("pev placed no breakpoint");
	close(fd);
	await_detached();
	return now_us() - begin;
}

static uint32_t perf_type(const char *pmu)
{
	char path[100];
	uint32_t type;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%u", &type) != 1)
		die("%s: %m", path);
	fclose(f);
	return type;
}

static double attach_perf(const char *path)
{
	uint32_t type = perf_type("uprobe");
	uint64_t offset = file_offset();
	double begin = now_us();
	int fds[PERF_PLACES];

	for (int i = 0; i < PERF_PLACES; i++)
		fds[i] = listen_perf(&(struct perf_listen){ .type = type, .cpu = -1,
				.config1 = (uintptr_t)path, .config2 = offset + i * PLACE_SIZE });
	if (!memcmp(bench_places, clean, PLACE_SIZE))
		die("perf placed no breakpoint");
	for (int i = 0; i < PERF_PLACES; i++)
		close(fds[i]);
	await_detached();
	return (now_us() - begin) * PLACES / PERF_PLACES;
}

static void measure_attaching(const char *self, int exe)
{
	struct figure *f;

	memcpy(clean, bench_places, sizeof(clean));
	f = figure("uprobes_attach", 0, "2,000 uprobes attached and detached (perf: 20 times 100), us");
	f->at[PEV] = attach_pev(exe);
	f->at[PERF] = attach_perf(self);
	f->goal = f->at[PERF] / 50;
}

/* perfctl is recording all places: it has to end soon after Ctrl-C. */
static void measure_interrupt(const char *self)
{
	struct figure *f = figure("uprobes_interrupt", 100000,
				  "Ctrl-C until perfctl record of 2,000 uprobes ended, us");
	char event[4200];

	await_detached();
	snprintf(event, sizeof(event), "uprobe:%s:bench_place_*", self);
	f->at[PEV] = tool_interrupt(event, all_attached);
}

static int open_own(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die("/proc/self/exe: %m");
	return fd;
}

void measure_probes(void)
{
	const char *self = own_path();
	int exe = open_own();

	measure_attaching(self, exe);
	measure_interrupt(self);
}

/* ---- hits ---------------------------------------------------------------- */

static double load_places(unsigned int calls)
{
	void (*volatile place)(void) = (void (*)(void))bench_places;
	double begin = now_us();

	for (unsigned int i = 0; i < calls; i++)
		place();
	return (now_us() - begin) * 1000 / calls;
}

#define TURNS	5000
#define TRIES	4

static double least(double (*load)(unsigned int calls))
{
	double ns = INFINITY;

	for (int i = 0; i < TRIES; i++)
		ns = fmin(ns, load(TURNS));
	return ns;
}

/**
 * struct hit - a place that is reached again and again
 * @name:     of the figures
 * @what:     for people
 * @kind:     enum pev_probe_kind
 * @load:     reaches it
 * @pmu:      of perf; NULL: it has none
 * @tracefs:  a line for this file makes ftrace's probe; NULL: the function tracer
 */
struct hit {
	const char	*name;
	const char	*what;
	uint32_t	kind;
	double		(*load)(unsigned int calls);
	const char	*pmu;
	const char	*tracefs;
};

static double hit_pev(const struct hit *h, int exe, bool off)
{
	bool user = h->kind == PEV_PROBE_USER;
	int channel = listen_pev_channel();
	int fd = open_places(h->kind, 1, user ? "place" : CALL, user ? exe : 0, off, channel);
	double ns = least(h->load);

	if (!off && listen_pev_records(fd) < TRIES * TURNS)
		die("%s: pev recorded less than happened", h->name);
	close(fd);
	close(channel);
	load_settle();
	return ns;
}

static double hit_perf(const struct hit *h, const char *self)
{
	bool user = h->kind == PEV_PROBE_USER;
	double ns;
	void *ring;
	int fd;

	if (!h->pmu)
		return NAN;
	fd = listen_perf(&(struct perf_listen){ .cpu = -1, .period = 1, .type = perf_type(h->pmu),
			.config1 = user ? (uintptr_t)self : (uintptr_t)CALL,
			.config2 = user ? file_offset() : 0 });
	ring = listen_perf_ring(fd);
	ns = least(h->load);
	if (listen_perf_records(ring) < TRIES * TURNS)
		die("%s: perf recorded less than happened", h->name);
	listen_perf_unmap(ring);
	close(fd);
	load_settle();
	return ns;
}

static double hit_ftrace(const struct hit *h, const char *self)
{
	char line[4300];
	double ns;

	if (!h->tracefs) {
		listen_ftrace("set_ftrace_filter", CALL);
		listen_ftrace("current_tracer", "function");
		ns = least(h->load);
		listen_ftrace("current_tracer", "nop");
		listen_ftrace("set_ftrace_filter", "\n");
		return ns;
	}
	if (h->kind == PEV_PROBE_USER)
		snprintf(line, sizeof(line), "p:bench/place %s:0x%llx", self,
			 (unsigned long long)file_offset());
	else
		snprintf(line, sizeof(line), "p:bench/place " CALL);
	listen_ftrace(h->tracefs, line);
	listen_ftrace("events/bench/place/enable", "1");
	ns = least(h->load);
	listen_ftrace("events/bench/place/enable", "0");
	listen_ftrace(h->tracefs, "\n");
	return ns;
}

static const struct hit hits[] = {
	{ "kprobe", "a kprobe", PEV_PROBE_KERNEL, load_calls, "kprobe", "kprobe_events" },
	{ "uprobe", "a uprobe", PEV_PROBE_USER, load_places, "uprobe", "uprobe_events" },
	{ "function", "a function by ftrace", PEV_PROBE_FUNCTION, load_calls, NULL, NULL },
};

static void measure_hit(const struct hit *h, const char *self, int exe)
{
	static char text[3][2][80], name[3][2][40];
	size_t i = h - hits;
	double bare = least(h->load), trap;
	struct figure *f;

	snprintf(text[i][0], sizeof(text[i][0]), "%s, reached while switched off", h->what);
	snprintf(name[i][0], sizeof(name[i][0]), "%s_trap", h->name);
	trap = hit_pev(h, exe, true) - bare;
	f = figure(name[i][0], 0, text[i][0]);
	f->at[PEV] = trap;
	snprintf(text[i][1], sizeof(text[i][1]), "... recorded for a task, beyond that");
	snprintf(name[i][1], sizeof(name[i][1]), "%s_record", h->name);
	f = figure(name[i][1], 0, text[i][1]);
	f->at[PEV] = hit_pev(h, exe, false) - bare - trap;
	f->at[PERF] = hit_perf(h, self) - bare - trap;
	f->at[FTRACE] = hit_ftrace(h, self) - bare - trap;
	f->goal = 0.6 * fmin(f->at[PERF], f->at[FTRACE]);
}

void measure_hits(void)
{
	const char *self = own_path();
	int exe = open_own();

	for (size_t i = 0; i < sizeof(hits) / sizeof(*hits); i++)
		measure_hit(&hits[i], self, exe);
}
