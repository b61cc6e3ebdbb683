// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of pev_open(2) and its descriptors; see README. This file owns the options,
 * the machine, the rounds of workers, and what must hold when all of them are gone.
 */
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "fuzz.h"
#include "pev_enter.h"

#define STUCK		90	/* s without a move of a worker */
#define PATIENCE		10	/* s in which memory must come back */

struct shared *all;
unsigned int nr_cpus;
uint64_t secret;
char self_path[256] = "/tmp/pev-fuzz/fuzz", helper_path[256] = "/tmp/pev-fuzz/helper";

struct options opt = {
	.workers = 8, .seconds = 0, .ops = 0, .uid = -1, .round = 10,
};

static char *without[64];
static unsigned int nr_without;
bool slow;

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* 0 if there is none. */
uint64_t read_number(const char *path)
{
	FILE *f = fopen(path, "re");
	llu number = 0;

	if (f && fscanf(f, "%llu", &number) != 1)
		number = 0;
	if (f)
		fclose(f);
	return number;
}

int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t put;

	if (fd < 0)
		return -errno;
	put = write(fd, text, strlen(text));
	close(fd);
	return put < 0 ? -errno : 0;
}

bool excluded(const char *name)
{
	for (unsigned int i = 0; i < nr_without; i++)
		if (!strcmp(without[i], name))
			return true;
	return false;
}

/* ---- memory ---- */

/* Returns the KiB that a kernel holds and cannot be made to give back. */
static long kernel_memory(char *text, size_t size)
{
	static const char * const names[] = { "SUnreclaim:", "KernelStack:", "PageTables:",
					      "Percpu:", "VmallocUsed:" };
	char line[128], name[64];
	long kb, sum = 0;
	size_t len = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63s %ld", name, &kb) != 2)
			continue;
		for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
			if (!strcmp(name, names[i])) {
				sum += kb;
				len += snprintf(text + len, size - len, " %s %ld", name, kb);
			}
	}
	if (f)
		fclose(f);
	return sum;
}

/* After all are gone: what is freed later is freed by then, or it never is. */
static long settled_memory(long wanted, char *text, size_t size)
{
	long kb = 0;

	for (unsigned int i = 0; i < PATIENCE * 2; i++) {
		world_unload();
		write_file("/proc/sys/vm/drop_caches", "3");
		kb = kernel_memory(text, size);
		if (wanted && kb <= wanted)
			break;
		if (!wanted && i == 5)
			break;
		usleep(500000);
	}
	return kb;
}

static void kmemleak(bool report)
{
	static char text[65536];
	ssize_t got;
	int fd;

	if (write_file("/sys/kernel/debug/kmemleak", report ? "scan" : "clear"))
		return;
	if (!report)
		return;
	/* an object is only a leak if two scans see none that points to it */
	sleep(6);
	write_file("/sys/kernel/debug/kmemleak", "scan");
	fd = open("/sys/kernel/debug/kmemleak", O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	for (char *at = text; (at = strstr(at, "unreferenced object")); at++) {
		char *end = strstr(at + 1, "unreferenced object"), *pev;

		pev = strstr(at, "pev");
		if (pev && (!end || pev < end)) {
			printf("not ok - memory that nothing refers to:\n# %.*s\n",
			       (int)(end ? end - at : 2000), at);
			all->failed = true;
			return;
		}
	}
	printf("ok - no memory of pev that nothing refers to\n");
}

/* ---- the machine ---- */

static uint64_t symbol(const char *wanted)
{
	char line[256], name[128];
	llu address, found = 0;
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %127s", &address, name) == 2 && !strcmp(name, wanted)) {
			found = address;
			break;
		}
	if (f)
		fclose(f);
	return found;
}

static void copy_program(const char *to, mode_t mode)
{
	char buf[65536];
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t got;

	while (in >= 0 && out >= 0 && (got = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, got) != got)
			break;
	if (out < 0 || fchmod(out, mode))
		perror(to);
	close(in);
	close(out);
}

/* A program that is executed often lies in memory, and one of them has more rights. */
static void prepare_machine(void)
{
	const char *flavor = getenv("PEV_FLAVOR");
	struct rlimit limit = { 65536, 65536 };

	mkdir("/tmp/pev-fuzz", 0755);
	copy_program(self_path, 0755);
	copy_program(helper_path, 04755);
	setrlimit(RLIMIT_NOFILE, &limit);
	write_file("/proc/sys/vm/unprivileged_userfaultfd", "1");
	secret = symbol("linux_banner");
	slow = flavor && strcmp(flavor, "plain") && strcmp(flavor, "cover");
	attr_init();
	cover_init();
}

static void all_online(void)
{
	char path[128];

	for (unsigned int cpu = 1; cpu < nr_cpus; cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
		write_file(path, "1");
	}
}

static void hold(uint32_t type, uint64_t config, const char *name)
{
	struct pev_attr attr = {
		.type = type, .config = config, .target = PEV_TARGET_TASK,
		.name = (uintptr_t)name, .flags = PEV_F_DISABLED, .channel_fd = -1, .group_fd = -1,
	};

	pev_enter(&attr, sizeof(attr), 0);
}

/*
 * Holds an event of each kind: a hook is placed with the first event of a kind and
 * removed with the last one, and the code is patched each time. In one round of four
 * no process does, so that hooks come and go.
 */
static pid_t keeper(void)
{
	pid_t pid = fork();
	const char *name;
	bool marker;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0; i < PEV_SW_MAX; i++)
		hold(PEV_TYPE_SOFTWARE, i, NULL);
	hold(PEV_TYPE_WAIT, 0, NULL);
	for (unsigned int i = 0; (name = attr_point(i, &marker)); i++)
		hold(marker ? PEV_TYPE_MARKER : PEV_TYPE_TRACEPOINT, 0, name);
	for (;;)
		pause();
}

/* ---- rounds ---- */

/* The last round is. */
static bool over(uint64_t end)
{
	return all->failed || now_ns() >= end ||
	       (opt.ops && __atomic_load_n(&all->ops, __ATOMIC_RELAXED) >= opt.ops);
}

/* Returns the length of DIR/WHAT in @text, which ends with '\0'. */
static size_t proc_text(const char *dir, const char *what, char *text, size_t size)
{
	char path[PATH_MAX];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, what);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? 0 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0 ? got : 0;
}

static void show_threads(pid_t pid)
{
	char path[64], thread[128], text[4096];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!atoi(entry->d_name))
			continue;
		snprintf(thread, sizeof(thread), "%s/%.16s", path, entry->d_name);
		proc_text(thread, "stat", text, sizeof(text));
		printf("#  %.100s\n", text);
		proc_text(thread, "stack", text, sizeof(text));
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			printf("#   %s\n", line);
	}
	if (dir)
		closedir(dir);
}

/* A process and what it may wait for. */
static void show_family(pid_t of)
{
	DIR *proc = opendir("/proc");
	char path[64], text[512];
	struct dirent *entry;

	show_threads(of);
	while (proc && (entry = readdir(proc))) {
		const char *end;
		pid_t parent;

		snprintf(path, sizeof(path), "/proc/%.16s", entry->d_name);
		if (!atoi(entry->d_name) || !proc_text(path, "stat", text, sizeof(text)))
			continue;
		end = strrchr(text, ')');
		if (end && sscanf(end, ") %*c %d", &parent) == 1 && parent == of)
			show_family(atoi(entry->d_name));
	}
	if (proc)
		closedir(proc);
}

/* Workers that no longer move. */
static void look_after(uint64_t *beats, uint64_t *since)
{
	char text[128];

	for (unsigned int i = 0; i < opt.workers; i++) {
		const struct op *op = &all->now[i];

		if (!all->pids[i] || all->beat[i] != beats[i]) {
			beats[i] = all->beat[i];
			since[i] = now_ns();
			continue;
		}
		if (now_ns() - since[i] < STUCK * 1000000000ULL)
			continue;
		op_text(text, sizeof(text), op);
		printf("not ok - worker %u has been in %s for %d s\n", i, text, STUCK);
		show_family(all->pids[i]);
		write_file("/proc/sys/kernel/printk", "8");
		write_file("/proc/sysrq-trigger", "w");
		write_file("/proc/sysrq-trigger", "l");
		all->failed = true;
		all->stop = true;
		return;
	}
}

static pid_t start_worker(unsigned int index, unsigned int round, int post)
{
	static struct player w;
	uint64_t seed = mix(opt.seed, (uint64_t)round << 32 | index);
	pid_t pid;

	w.index = index;
	w.round = round;
	w.seed = seed;
	w.rng.state = seed;
	w.post = post;
	w.uid = opt.uid >= 0 ? (uid_t)opt.uid : index & 1 ? 1000 + index / 2 : 0;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		while (!__atomic_load_n(&all->pids[index], __ATOMIC_ACQUIRE))
			sched_yield();
		exit(worker_run(&w));
	}
	__atomic_store_n(&all->pids[index], pid, __ATOMIC_RELEASE);
	return pid;
}

static void reap(unsigned int index, int status)
{
	all->pids[index] = 0;
	if (WIFSIGNALED(status)) {
		printf("not ok - worker %u died of signal %d, in %s\n", index, WTERMSIG(status),
		       op_types[all->now[index].kind].name);
		all->failed = true;
		all->stop = true;
	} else if (WEXITSTATUS(status)) {
		all->failed = true;
	}
}

static void play_round(unsigned int round, uint64_t end)
{
	uint64_t beats[MAX_WORKERS] = { 0 }, since[MAX_WORKERS], limit;
	static pid_t keeps;
	bool alone = opt.alone || round % 4 == 3;
	int post[2], status;
	unsigned int left;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, post))
		exit(2);
	if (!alone && !keeps)
		keeps = keeper();
	/* mostly it is not about how long a grace period takes */
	write_file("/sys/kernel/rcu_expedited", alone && round % 8 == 3 ? "0" : "1");
	for (unsigned int i = 0; i < opt.workers; i++) {
		since[i] = now_ns();
		start_worker(i, round, post[i & 1]);
	}
	limit = opt.once ? ~0ULL : now_ns() + opt.round * 1000000000ULL;
	left = opt.workers;
	while (left && !all->stop && !over(end) && now_ns() < limit) {
		usleep(200000);
		look_after(beats, since);
		for (unsigned int i = 0; i < opt.workers; i++)
			if (all->pids[i] && waitpid(all->pids[i], &status, WNOHANG) > 0) {
				reap(i, status);
				left--;
			}
	}
	__atomic_store_n(&all->stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < opt.workers; i++)
		since[i] = now_ns();
	do {
		left = 0;
		usleep(20000);
		for (unsigned int i = 0; i < opt.workers; i++) {
			if (!all->pids[i])
				continue;
			if (waitpid(all->pids[i], &status, WNOHANG) > 0)
				reap(i, status);
			else if (all->failed)
				kill(all->pids[i], SIGKILL);
			else
				left++;
		}
		if (left)
			look_after(beats, since);
	} while (left && !all->failed);
	/* after the first and the last one memory is looked at */
	if (keeps > 0 && (!round || round % 4 == 2 || over(end))) {
		kill(keeps, SIGKILL);
		waitpid(keeps, NULL, 0);
		keeps = 0;
	}
	close(post[0]);
	close(post[1]);
	all_online();
	all->plugging = 0;
}

static void report(uint64_t played)
{
	double seconds = played / 1e9 ?: 1;

	printf("# %llu operations in %.0f s: %.0f a second, %.0f %% of them open, attach or close; %llu opens refused\n",
	       (llu)all->ops, seconds, all->ops / seconds, 100.0 * all->opens / (all->ops ?: 1),
	       (llu)all->refused);
	printf("# %llu laws looked at, %llu records read, %llu KiB looked through; %llu pages of memory and %llu of files held back\n",
	       (llu)all->laws, (llu)all->records, (llu)all->scanned >> 10, (llu)all->held[0],
	       (llu)all->held[1]);
	if (cover_points())
		printf("# coverage: %u points, the last one found at operation %llu of %llu, %u pairs; corpus: %u programs\n",
		       cover_points(), (llu)cover_newest(), (llu)cover_operations(), cover_pairs(),
		       corpus_size());
	for (unsigned int i = 0; opt.verbose && i < nr_op_types; i++)
		printf("#   %-22s %8llu times, %8llu us each, longest %6llu ms\n",
		       op_types[i].name, (llu)all->kinds[i],
		       (llu)(all->spent[i] / (all->kinds[i] ?: 1)), (llu)all->longest[i] / 1000);
}

/**
 * struct play - what was played, and what the kernel held
 * @round: of the next one
 * @ns: that rounds took
 * @kb: that the kernel held after the first round, or where the growth that is looked at began
 * @text: of what @kb is the sum
 */
struct play {
	unsigned int round;
	uint64_t ns;
	long kb;
	char text[256];
};

/* Rounds of workers, for the seconds or the operations of the command line. */
static void play_on(struct play *p)
{
	uint64_t begin, end = opt.seconds ? now_ns() + opt.seconds * 1000000000ULL : ~0ULL;

	do {
		all->stop = false;
		begin = now_ns();
		play_round(p->round, end);
		p->ns += now_ns() - begin;
		all->stop = all->failed;
		if (opt.verbose || (opt.corpus && p->round % 16 == 0)) {
			printf("# round %u: %llu operations, %u points, %u pairs\n", p->round,
			       (llu)all->ops, cover_points(), cover_pairs());
			corpus_store(opt.corpus);
			cover_store(opt.corpus);
		}
		if (p->round++ == 0 && !all->failed)
			p->kb = settled_memory(0, p->text, sizeof(p->text));
	} while (!opt.once && !over(end));
	report(p->ns);
}

/* Returns whether the kernel holds more than it did, and says what. */
static bool has_grown(struct play *p)
{
	long tolerance = slow ? 96 << 10 : 4 << 10, kb;
	char text[sizeof(p->text)] = "";

	kb = settled_memory(p->kb + tolerance, text, sizeof(text));
	printf("# memory: %+ld KiB, from%s to%s\n", kb - p->kb, p->text, text);
	if (kb <= p->kb + tolerance)
		return false;
	p->kb = kb;
	memcpy(p->text, text, sizeof(text));
	return true;
}

/*
 * Whether the machine is as before when all are gone. What warms up grows once, and what leaks grows
 * with each round: growth is looked at again, after as many rounds.
 */
static void play_rounds(void)
{
	static struct play p;

	play_on(&p);
	if (!all->failed && p.round > 1 && has_grown(&p)) {
		opt.ops += opt.ops ? all->ops : 0;
		play_on(&p);
		if (!all->failed && has_grown(&p)) {
			printf("not ok - memory\n");
			all->failed = true;
		}
	}
	if (!all->failed)
		printf("ok - memory\n");
}

static void usage(void)
{
	printf("usage: fuzz [-s SEED] [-n OPERATIONS] [-t SECONDS] [-w WORKERS] [-r SECONDS A ROUND]\n"
	       "            [-u UID] [-g] [-c CORPUS] [-l LOG] [-p LOG [-k KEPT]] [-x OPERATION]...\n"
	       "            [-o OPERATIONS] [-avL]\n"
	       "       fuzz -N [-x CALL]... [-v]	the n-th failure of each call\n");
	exit(2);
}

static bool parse(int argc, char **argv)
{
	bool nth = false;
	int c;

	while ((c = getopt(argc, argv, "s:n:t:w:r:u:gc:l:p:k:x:o:avNL")) != -1)
		switch (c) {
		case 's': opt.seed = strtoull(optarg, NULL, 0); break;
		case 'n': opt.ops = strtoull(optarg, NULL, 0); break;
		case 't': opt.seconds = atoi(optarg); break;
		case 'w': opt.workers = atoi(optarg); break;
		case 'r': opt.round = atoi(optarg); break;
		case 'u': opt.uid = atoi(optarg); break;
		case 'g': opt.guided = true; break;
		case 'c': opt.corpus = optarg; break;
		case 'l': opt.log = optarg; break;
		case 'p': opt.replay = optarg; break;
		case 'k':
			opt.keep = optarg;
			break;
		case 'o': opt.only = optarg; break;
		case 'a': opt.alone = true; break;
		case 'v': opt.verbose = true; break;
		case 'N': nth = true; break;
		case 'L':
			opt.leaks_later = true;
			break;
		case 'x':
			if (nr_without < ARRAY_SIZE(without))
				without[nr_without++] = optarg;
			break;
		default: usage();
		}
	if (opt.workers < 1 || opt.workers > MAX_WORKERS || optind != argc)
		usage();
	opt.once = opt.replay && !opt.seconds && !opt.ops;
	if (!opt.seconds && !opt.ops && !opt.once)
		opt.seconds = 10;
	return nth;
}

int main(int argc, char **argv)
{
	bool nth;

	if (argc > 1 && !strcmp(argv[1], "nothing"))
		return 0;
	if (argc > 3 && !strcmp(argv[1], "victim")) {
		nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
		return victim_main(atoi(argv[2]), strtoull(argv[3], NULL, 0));
	}
	if (argc > 2 && !strcmp(argv[1], "addresses"))
		return helper_main(argc, argv);
	opt.seed = time(NULL);
	nth = parse(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (nr_cpus > MAX_CPUS)
		nr_cpus = MAX_CPUS;
	all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (getuid() || pev_enter(NULL, 0, 0) >= 0 || errno == ENOSYS) {
		printf("1..0 # SKIP %s\n", getuid() ? "not root" : "no pev");
		return 0;
	}
	printf("TAP version 13\n");
	prepare_machine();
	if (nth)
		return nth_main();
	printf("# seed %llu, %u workers, %u CPUs%s\n", (llu)opt.seed, opt.workers, nr_cpus,
	       opt.guided ? ", guided" : "");
	corpus_load(opt.corpus);
	cover_load(opt.corpus);
	kmemleak(false);
	play_rounds();
	corpus_store(opt.corpus);
	cover_store(opt.corpus);
	if (!all->failed && !opt.leaks_later)
		kmemleak(true);
	printf("%s - fuzzed with seed %llu\n", all->failed ? "not ok" : "ok", (llu)opt.seed);
	return all->failed;
}
