// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once, for a while: three events that sample with short periods on
 * all CPUs, ten that share the counters, a storm of events opened and closed,
 * forks, execs, task switches, a CPU that goes and comes, a task that reads its own
 * counter. At the end the books must balance:
 *
 * - each sample was delivered or is lost, and rings and events agree on it
 * - work of a known length was counted to the instruction
 * - no time is longer than the time that it is a part of
 * - no interrupt was without an owner, none could not be acknowledged
 *
 * usage: stress [SECONDS]
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/klog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include "pmu_util.h"

#define SAMPLERS	3
#define SHARING		10
#define RING		(1 << 15)
#define PACKET		(1 << 12)
#define ONLINE		"/sys/devices/system/cpu/cpu1/online"

typedef unsigned long long llu;

/* One count of the checker's, and where time went meanwhile. */
struct count {
	uint64_t	value;
	uint64_t	enabled, running;	/* ns, as the event says */
	uint64_t	ran;			/* ns, as the scheduler says */
	int		from, to;		/* CPUs */
};

/* What the processes have in common; plain counters are of one process each. */
static struct shared {
	int		stop;
	unsigned long	checks;		/* work counted ... */
	unsigned long	wrong;		/* ... and not to the instruction */
	unsigned long	waited;		/* pinned, and nevertheless had to wait */
	unsigned long	opened;
	unsigned long	refused;
	unsigned long	times;		/* times that can't be */
	unsigned long	forks;
	unsigned long	switches;
	unsigned long	plugs;
	unsigned long	self_reads;
	unsigned long	self_slow;
	unsigned long	self_back;	/* values that went back */
	struct count	none, many;	/* of the last wrong one */
	uint64_t	wanted;
} *all;

static bool stopping(void)
{
	return __atomic_load_n(&all->stop, __ATOMIC_RELAXED);
}

/* ---- results ---- */

static int failed;

static void ok(bool good, const char *format, ...)
{
	va_list args;

	printf(good ? "ok - " : "not ok - ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	failed |= !good;
}

static void die(const char *what)
{
	printf("not ok - %s: %s (%s)\n", what, pev_reason(), strerror(errno));
	exit(1);
}

static unsigned int dice(void)
{
	static __thread uint64_t state;

	if (!state)
		state = time(NULL) ^ (uint64_t)gettid() << 20;
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

/* ---- the samplers, and who reads them ---- */

static int channel, samplers[SAMPLERS], sharing[SHARING];
static struct pev_map map;
static uint64_t found[SAMPLERS];
static unsigned int damaged;

static const uint64_t sampled[SAMPLERS] = {
	PEV_HW_CYCLES, PEV_HW_INSTRUCTIONS,
#if defined(__x86_64__)
	PEV_HW_BRANCHES,
#else
	PEV_HW_CYCLES,
#endif
};

static void drain(void)
{
	static const int sizes[SAMPLERS];
	struct pev_record record;

	for (unsigned int cpu = 0; cpu < map.nr; cpu++) {
		struct pev_walk walk = pev_walk_begin(&map, cpu, sizes, SAMPLERS);
		int ret;

		if (!map.rings[cpu].kernel)
			continue;
		while ((ret = pev_walk_next(&walk, &record)) > 0)
			found[record.id]++;
		damaged += ret < 0;
		pev_walk_release(&walk);
	}
}

/* Slow at times: then samples are lost. */
static void *reader(void *unused)
{
	while (!stopping()) {
		drain();
		usleep(dice() % 8 ? 3000 : 300000);
	}
	return unused;
}

static void open_samplers(void)
{
	channel = pev_open_channel(RING, PACKET, 0);
	if (channel < 0 || pev_map_channel(channel, &map))
		die("channel");
	for (int i = 0; i < SAMPLERS; i++) {
		struct pev_attr attr = pmu_attr(sampled[i], 0, channel, 9000 + 5003 * i);

		attr.target = PEV_TARGET_CPUS;
		samplers[i] = pev_open(&attr);
		if (samplers[i] < 0 || pev_event_id(samplers[i]) != (uint64_t)i)
			die("sampler");
	}
}

/* On this process and all that it will start. */
static void open_sharing(void)
{
	for (int i = 0; i < SHARING; i++) {
		struct pev_attr attr = pmu_attr(i % 2 ? PEV_HW_CYCLES : PEV_HW_INSTRUCTIONS,
						i % 3 ? USER_ONLY : 0, -1, 0);

		attr.target = PEV_TARGET_SUBTREE;
		attr.flags &= ~PEV_F_DISABLED;
		sharing[i] = pev_open(&attr);
		if (sharing[i] < 0)
			die("sharing");
	}
}

static void check_times(int fd)
{
	struct pev_multiplexed m = pmu_multiplexed(fd);
	struct pev_value v = pev_read(fd);

	__atomic_fetch_add(&all->times, v.time_running > v.time_enabled, __ATOMIC_RELAXED);
	__atomic_fetch_add(&all->times, m.time_running > m.time_enabled, __ATOMIC_RELAXED);
}

static void *meddler(void *unused)
{
	while (!stopping()) {
		uint64_t period = 4000 + dice() % 60000;

		for (int i = 0; i < SHARING; i++)
			check_times(sharing[i]);
		for (int i = 0; i < SAMPLERS; i++)
			check_times(samplers[i]);
		ioctl(samplers[dice() % SAMPLERS], PEV_IOC_PERIOD, &period);
		if (dice() % 8 == 0) {
			int fd = samplers[dice() % SAMPLERS];

			pev_off(fd);
			usleep(500);
			pev_on(fd);
		}
		usleep(20000);
	}
	return unused;
}

/* ---- a CPU that goes and comes ---- */

static bool put_online(bool on)
{
	int fd = open(ONLINE, O_WRONLY);
	bool done = fd >= 0 && write(fd, on ? "1" : "0", 1) == 1;

	close(fd);
	return done;
}

static void *plugger(void *unused)
{
	while (!stopping()) {
		usleep(200000 + dice() % 300000);
		if (!put_online(false))
			break;
		usleep(dice() % 50000);
		put_online(true);
		all->plugs++;
	}
	return unused;
}

/* ---- processes ---- */

static uint64_t cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static struct count count(int fd, unsigned long rounds)
{
	struct count c = { .ran = cpu_time(), .from = sched_getcpu() };
	struct pev_value v;

	c.value = pmu_count(fd, rounds);
	c.ran = cpu_time() - c.ran;
	c.to = sched_getcpu();
	v = pev_read(fd);
	c.enabled = v.time_enabled;
	c.running = v.time_running;
	return c;
}

static void show_count(const char *name, const struct count *c)
{
	printf("# %s: %llu in %llu of %llu ns, on the CPU for %llu ns, CPU %d to %d\n", name,
	       (llu)c->value, (llu)c->running, (llu)c->enabled, (llu)c->ran, c->from, c->to);
}

/* Work of a known length, in one event that may not wait. */
static void checker(void)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_PINNED);
	struct count none, many;
	uint64_t rounds;

	if (fd < 0)
		_exit(3);
	pmu_count(fd, 1000);
	while (!stopping()) {
		rounds = 1000 + dice() % 100000;
		none = count(fd, 1000);
		many = count(fd, 1000 + rounds);
		all->checks++;
		all->waited += many.running != many.enabled;
		if (many.value - none.value != rounds * PMU_ROUND) {
			all->wrong++;
			all->none = none;
			all->many = many;
			all->wanted = rounds * PMU_ROUND;
		}
	}
}

static struct pev_attr any_event(void)
{
	static const uint64_t configs[] = {
		PEV_HW_CYCLES, PEV_HW_INSTRUCTIONS, PEV_HW_INSTRUCTIONS, PEV_HW_BRANCHES,
		PEV_HW_CACHE_REFS,
	};
	struct pev_attr attr = pmu_attr(configs[dice() % 5], dice() % 2 ? USER_ONLY : 0, -1, 0);

	switch (dice() % 4) {
	case 0:
		attr.target = PEV_TARGET_CPUS;
		break;
	case 1:
		attr.target = PEV_TARGET_SUBTREE;
		attr.target_id = getppid();
		break;
	case 2:
		attr.flags |= PEV_F_USER_PAGE;
	}
	if (dice() % 2)
		attr.flags &= ~PEV_F_DISABLED;
	return attr;
}

/* Events of all kinds that hardly live. */
static void storm(void)
{
	int own = pev_open_channel(1 << 14, 4096, 0);
	long size = sysconf(_SC_PAGESIZE);

	while (!stopping()) {
		struct pev_attr attr = any_event();
		int fds[4], nr = 1 + dice() % 4, got = 0;
		void *page = MAP_FAILED;

		if (dice() % 3 == 0) {
			attr.channel_fd = own;
			attr.sample = PEV_SAMPLE_TID | PEV_SAMPLE_IP | PEV_SAMPLE_READ;
			attr.period = 3000 + dice() % 20000;
		}
		/* one at a time and not alone: the checker's event must not wait */
		if (dice() % 4 == 0 && nr == 1)
			attr.flags |= PEV_F_PINNED;
		else if (dice() % 16 == 0)
			attr.flags |= PEV_F_EXCLUSIVE;
		for (int i = 0; i < nr; i++) {
			fds[got] = pev_open(&attr);
			all->opened++;
			if (fds[got] < 0) {
				all->refused++;
				continue;
			}
			if (!got && dice() % 2)
				attr.group_fd = fds[0];
			got++;
		}
		if (!got)
			continue;
		if (attr.flags & PEV_F_USER_PAGE)
			page = mmap(NULL, size, PROT_READ, MAP_SHARED, fds[0], 0);
		ioctl(fds[0], PEV_IOC_ENABLE, PEV_IOF_GROUP);
		pmu_loop(1 + dice() % 2000);
		for (int i = 0; i < got; i++) {
			if (dice() % 4 == 0)
				ioctl(fds[i], PEV_IOC_RESET, 0);
			check_times(fds[i]);
		}
		if (dice() % 8 == 0 && !fork())
			_exit(0);
		if (page != MAP_FAILED)
			munmap(page, size);
		/* the leader may go first */
		for (int i = 0; i < got; i++)
			close(fds[i]);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

static void forker(void)
{
	while (!stopping()) {
		int nr = 1 + dice() % 4;

		for (int i = 0; i < nr; i++)
			if (!fork()) {
				if (dice() % 2)
					execl("/proc/self/exe", "stress", "nothing", NULL);
				pmu_loop(1000);
				_exit(0);
			}
		while (wait(NULL) > 0)
			all->forks++;
	}
}

static void switcher(void)
{
	int there[2], back[2];
	char c = 0;

	if (pipe(there) || pipe(back))
		_exit(3);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(there[1]);
		while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
			;
		_exit(0);
	}
	while (!stopping() && write(there[1], &c, 1) == 1 && read(back[0], &c, 1) == 1)
		all->switches++;
}

/* A task's own value: by the page where that can be, by read() otherwise. */
static uint64_t self_read(int fd, const volatile struct pev_user_page *page)
{
	uint64_t value = pmu_self_read(page);

	all->self_reads++;
	if (value != PMU_NOTHING)
		return value;
	all->self_slow++;
	return pev_read(fd).value;
}

static void self_reader(void)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY | PEV_F_USER_PAGE);
	uint64_t last = 0, value;
	void *page;

	if (fd < 0)
		_exit(fd == -EOPNOTSUPP ? 0 : 3);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		_exit(3);
	pev_on(fd);
	while (!stopping()) {
		value = self_read(fd, page);
		all->self_back += value < last;
		last = value;
		pmu_loop(100);
	}
}

static pid_t start(void (*what)(void))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	what();
	_exit(0);
}

/* ---- what the kernel says ---- */

/* After @key in the text of PEV_TYPE_PMU; -1: there is none. */
static long pmu_number(const char *key)
{
	struct pev_attr attr = { .type = PEV_TYPE_PMU, .channel_fd = -1, .group_fd = -1 };
	int fd = pev_open(&attr);
	char *text = fd < 0 ? NULL : pev_read_text(fd), *at;
	long number = -1;

	at = text ? strstr(text, key) : NULL;
	if (at)
		number = atol(at + strlen(key));
	free(text);
	if (fd >= 0)
		close(fd);
	return number;
}

static long interrupts(const char *name)
{
	FILE *f = fopen("/proc/interrupts", "r");
	char line[512], *at;
	long sum = 0;

	while (f && fgets(line, sizeof(line), f)) {
		at = strstr(line, name);
		if (!at)
			continue;
		at += strlen(name);
		for (char *end = at;; at = end) {
			long n = strtol(at, &end, 10);

			if (end == at)
				break;
			sum += n;
		}
	}
	if (f)
		fclose(f);
	return sum;
}

/* tests/qemu/races.awk tells data races of pev from others'. */
static char *find_in_log(char *text, const char *bad)
{
	char *at;

	for (at = strstr(text, bad); at; at = strstr(at + 1, bad))
		if (strncmp(at, "BUG: KCSAN:", strlen("BUG: KCSAN:")))
			break;
	return at;
}

static void check_log(void)
{
	static const char * const bad[] = {
		"Uhhuh", "unknown NMI", "unknown reason", "Dazed", "irq loop stuck", "WARNING: CPU",
		"BUG:", "spurious", "lockup", "rcu_sched detected", "hrtimer: interrupt took",
	};
	static char text[1 << 20];
	int n = klogctl(3, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	for (char *at = text; (at = strstr(at, "stress[")); at++)
		printf("# the log has \"%.*s\"\n", (int)strcspn(at, "\n"), at);
	ok(n > 0, "the kernel's log can be read");
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *at = find_in_log(text, bad[i]);

		/* a slow machine is not a broken one */
		if (at && i == sizeof(bad) / sizeof(bad[0]) - 1)
			printf("# the log has \"%s\"\n", bad[i]);
		else if (at)
			ok(false, "the log has \"%.*s\"", (int)strcspn(at, "\n"), at);
	}
}

static void check_law(void)
{
	uint64_t lost = 0, ring_lost = 0, samples = 0;

	for (unsigned int cpu = 0; cpu < map.nr; cpu++)
		if (map.rings[cpu].kernel)
			ring_lost += map.rings[cpu].kernel->lost;
	for (int i = 0; i < SAMPLERS; i++) {
		struct pev_value v = pev_read(samplers[i]);
		struct pev_multiplexed m = pmu_multiplexed(samplers[i]);

		printf("# sampler %d: %llu samples, %llu lost, throttled %llu times, %.1f %% of the time\n",
		       i, (llu)v.samples, (llu)v.lost, (llu)m.throttled,
		       v.time_running * 100.0 / v.time_enabled);
		ok(v.samples == found[i], "sampler %d: %llu samples, %llu records", i,
		   (llu)v.samples, (llu)found[i]);
		lost += v.lost;
		samples += v.samples;
	}
	ok(lost == ring_lost, "%llu lost of events, %llu of rings", (llu)lost, (llu)ring_lost);
	ok(!damaged, "the rings were whole");
	ok(samples > 1000, "%llu samples in all", (llu)samples);
}

/* Shows what was done, and checks what came of it. */
static void check_counts(void)
{
	printf("# %lu events opened, %lu refused; %lu forks, %lu switches, %lu times offline\n",
	       all->opened, all->refused, all->forks, all->switches, all->plugs);
	printf("# NMIs %ld, PMIs %ld; incidents: late %ld, foreign %ld\n", interrupts("NMI:"),
	       interrupts("PMI:"), pmu_number("incident late "), pmu_number("incident foreign "));
	check_law();
	if (all->wrong) {
		show_count("1000 rounds", &all->none);
		show_count("more", &all->many);
	}
	ok(all->checks && !all->wrong, "%lu of %lu counts wrong (%llu for %llu)", all->wrong,
	   all->checks, (llu)(all->many.value - all->none.value), (llu)all->wanted);
	ok(!all->waited, "a pinned event waited %lu times", all->waited);
	ok(!all->times, "%lu times were longer than they could be", all->times);
	ok(!all->self_back, "%lu values of %lu went back, %lu by a call", all->self_back,
	   all->self_reads, all->self_slow);
	ok(pmu_number("incident stuck ") == 0, "no overflow was stuck: %ld",
	   pmu_number("incident stuck "));
}

static void check_sharing(void)
{
	for (int i = 0; i < SHARING; i++) {
		struct pev_value v = pev_read(sharing[i]);

		if (!v.value || !v.time_running || v.time_running > v.time_enabled)
			ok(false, "event %d of those that share: %llu in %llu of %llu", i,
			   (llu)v.value, (llu)v.time_running, (llu)v.time_enabled);
		close(sharing[i]);
	}
}

int main(int argc, char **argv)
{
	static void (*const parts[])(void) = {
		checker, storm, forker, switcher, self_reader,
	};
	void *(*const threads[])(void *) = { reader, meddler, plugger };
	enum { PARTS = sizeof(parts) / sizeof(parts[0]), THREADS = 3 };
	pthread_t ids[THREADS];
	pid_t pids[PARTS];
	int status;

	if (argc > 1 && !strcmp(argv[1], "nothing"))
		return 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!pev_present() || !pmu_info().pmu_counters) {
		printf("1..0 # SKIP this machine has no PMU\n");
		return 0;
	}
	printf("TAP version 13\n# %s\n", pmu_info().pmu);
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	open_samplers();
	open_sharing();
	ioctl(channel, PEV_IOC_ENABLE, 0);
	for (int i = 0; i < PARTS; i++)
		pids[i] = start(parts[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, threads[i], NULL);
	sleep(argc > 1 ? atoi(argv[1]) : 60);
	__atomic_store_n(&all->stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < PARTS; i++) {
		waitpid(pids[i], &status, 0);
		ok(!status, "process %d ended: status %#x", i, status);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	ioctl(channel, PEV_IOC_DISABLE, 0);
	ioctl(channel, PEV_IOC_FLUSH, 0);
	drain();
	check_counts();
	check_sharing();
	for (int i = 0; i < SAMPLERS; i++)
		close(samplers[i]);
	check_log();
	return failed;
}
