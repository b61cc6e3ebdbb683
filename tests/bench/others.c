// SPDX-License-Identifier: GPL-2.0
/*
 * What another CPU and another user feel of what a user does without rights, in
 * microseconds of a machine with two CPUs. See bench.h.
 */
#include "bench.h"

#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../selftests/pev_child.h"

#define ANOTHER 1001

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* ---- the only event ------------------------------------------------------ */

#define LONE	21

static int lone_pev(void)
{
	return pev_open_event(PEV_TYPE_SOFTWARE, NULL, NULL, -1);
}

static int lone_perf(void)
{
	return listen_perf(&(struct perf_listen){ .type = PERF_TYPE_SOFTWARE, .cpu = -1,
						  .config = PERF_COUNT_SW_PAGE_FAULTS });
}

/* Median of opening and closing. */
static double lone(int (*open_one)(void))
{
	double us[LONE];

	for (int i = 0; i < LONE; i++) {
		double begin = now_us();
		int fd = open_one();

		if (fd < 0)
			die("a software event: %s", pev_reason());
		close(fd);
		us[i] = now_us() - begin;
	}
	qsort(us, LONE, sizeof(*us), by_size);
	return us[LONE / 2];
}

/* ---- interrupts of the other CPU ----------------------------------------- */

#define SWITCHES	500

/* Function calls that came to CPU 1. */
static long calls_to_1(void)
{
	FILE *f = fopen("/proc/interrupts", "re");
	char line[1000];
	long calls = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " CAL: %*d %ld", &calls) == 1)
			break;
	if (f)
		fclose(f);
	return calls;
}

static double switching(int fd, unsigned long on, unsigned long off)
{
	long before = calls_to_1();

	if (before < 0)
		die("there is no second CPU");
	for (int i = 0; i < SWITCHES; i++)
		if (ioctl(fd, on, 0) || ioctl(fd, off, 0))
			die("switching an event: %m");
	close(fd);
	return calls_to_1() - before;
}

static void measure_interrupts(void)
{
	struct figure *f;

	pev_pin(0);
	f = figure("foreign_interrupts", 0, "interrupts of CPU 1 by 500 times on and off on CPU 0");
	f->at[PEV] = switching(lone_pev(), PEV_IOC_ENABLE, PEV_IOC_DISABLE);
	f->at[PERF] = switching(lone_perf(), PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE);
	f->goal = f->at[PERF] + 10;
}

/* ---- what one user does all the time ------------------------------------- */

static int channel;

static int open_calls(const char *name)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_TRACEPOINT, .name = (uintptr_t)name, .target = PEV_TARGET_TASK,
		.channel_fd = channel, .group_fd = -1, .period = 1, .sample = PEV_SAMPLE_TID,
		.flags = PEV_F_DISABLED,
	};

	return pev_open(&attr);
}

static void events(unsigned int nr)
{
	channel = pev_open_channel(8192, 4096, 0);
	while (nr--)
		if (open_calls(CLOSE) < 0)
			die("an event of the user: %s", pev_reason());
}

static void filters(void)
{
	struct pev_filter_arg arg = { .filter = (uintptr_t)"fd == 1" };

	if (!channel)
		events(100);
	ioctl(channel, PEV_IOC_FILTER, &arg);
}

static void switches(void)
{
	if (!channel)
		events(500);
	pev_on(channel);
	pev_off(channel);
}

static void opens(void)
{
	close(lone_pev());
}

static void channels(void)
{
	close(pev_open_channel(1 << 20, 0, 0));
}

/* ---- ... or once: an address of a page that does not come ---------------- */

#define AWAY_US	500000

static int uffd;
static char *page;

static void keep_out(void)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	long size = sysconf(_SC_PAGESIZE);

	uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range = (struct uffdio_range) { (uintptr_t)page, size };
	if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg))
		die("userfaultfd: %m");
}

static void *call_name(void *unused)
{
	close(open_calls(page));
	return unused;
}

static void *call_filter(void *unused)
{
	struct pev_filter_arg arg = { .filter = (uintptr_t)page };

	ioctl(channel, PEV_IOC_FILTER, &arg);
	return unused;
}

static void *call_read(void *unused)
{
	if (read(channel, page, 100) < 0)
		die("reading a channel: %m");
	return unused;
}

/* Says when the page is asked for, and has it come later. */
static void stalled(struct pev_child *c, void *(*call)(void *))
{
	struct uffdio_zeropage zero = { .range = { (uintptr_t)page, sysconf(_SC_PAGESIZE) } };
	struct pollfd p = { .fd = uffd, .events = POLLIN };
	pthread_t thread, other;

	events(10);
	pthread_create(&thread, NULL, call, NULL);
	if (poll(&p, 1, 10000) != 1)
		die("the page is not asked for");
	/* what waits for the channel may hold what all wait for */
	pthread_create(&other, NULL, (void *(*)(void *))switches, NULL);
	usleep(10000);
	pev_child_say(c, 0);
	usleep(AWAY_US);
	ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
	pthread_join(thread, NULL);
	pthread_join(other, NULL);
}

struct load {
	const char	*name;
	const char	*text;
	void		(*again)(void);
	void		*(*once)(void *);
};

static const struct load loads[] = {
	{ "open_quiet", "another user's longest open and close, undisturbed", NULL, NULL },
	{ "open_beside_filters", "... beside filters of a channel of 100", filters, NULL },
	{ "open_beside_switches", "... a channel of 500 on and off", switches, NULL },
	{ "open_beside_opens", "... opens of a lone event", opens, NULL },
	{ "open_beside_channels", "... opens of a channel", channels, NULL },
	{ "open_beside_name", "... a name in a page that is 0.5 s away", NULL, call_name },
	{ "open_beside_filter", "... a filter in such a page", NULL, call_filter },
	{ "open_beside_read", "... a channel read into such a page", NULL, call_read },
};

static void be_user(struct pev_child *c, const struct load *load)
{
	pev_pin(0);
	if (load->once)
		keep_out();
	if (pev_become(USER, -1))
		die("another user: %m");
	if (load->once) {
		stalled(c, load->once);
		_exit(0);
	}
	if (load->again)
		load->again();
	pev_child_say(c, 0);
	for (;;) {
		if (load->again)
			load->again();
		else
			pause();
	}
}

#define OPENS	10

static void be_another(struct pev_child *c)
{
	pev_pin(1);
	if (pev_become(ANOTHER, -1))
		die("another user: %m");
	for (;;) {
		double longest = 0;

		pev_child_wait(c);
		/* one of seconds says it all */
		for (int i = 0; i < OPENS && longest < 1e6; i++) {
			double begin = now_us();
			int fd = pev_open_event(PEV_TYPE_TRACEPOINT, CLOSE, NULL, -1);

			if (fd < 0)
				die("another user's event: %s", pev_reason());
			close(fd);
			longest = fmax(longest, now_us() - begin);
		}
		pev_child_say(c, longest);
	}
}

static void measure_latency(void)
{
	struct pev_child another;
	double quiet = 0;

	if (pev_child_start(&another) < 0)
		die("fork: %m");
	if (!another.pid)
		be_another(&another);
	for (unsigned int i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		struct figure *f = figure(loads[i].name, 2 * quiet, loads[i].text);
		struct pev_child user;

		if (pev_child_start(&user) < 0)
			die("fork: %m");
		if (!user.pid)
			be_user(&user, &loads[i]);
		if (pev_child_hear(&user))
			die("%s: the user is gone", loads[i].name);
		pev_child_go(&another);
		f->at[PEV] = pev_child_hear(&another);
		if (!i)
			quiet = f->at[PEV];
		if (!loads[i].once)
			kill(user.pid, SIGKILL);
		pev_child_end(&user);
	}
	kill(another.pid, SIGKILL);
	pev_child_end(&another);
}

void measure_others(void)
{
	struct figure *f = figure("lone_event", 2000, "opening and closing the only event");

	f->at[PEV] = lone(lone_pev);
	f->at[PERF] = lone(lone_perf);
	measure_interrupts();
	measure_latency();
}
