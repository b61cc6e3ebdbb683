// SPDX-License-Identifier: GPL-2.0
/*
 * What days of "perfctl record --fold -F 99 -a" take, in seconds: its own writer, and libpev's
 * reader of tables, with a clock that is set forward, and rows that no kernel has counted.
 *
 * usage: fold_week DIR DAYS [PROGRAMS [SECONDS]]    SECONDS of a day, 86400
 *
 * Two CPUs, busy for 60 % of the time: 119 samples a second. 6 programs, or as many as are asked for,
 * with 8 threads have 300 call chains each, of 8 to 40 frames, which come as Zipf's law says (exponent 1.2), as do threads. 35 %
 * of the samples are in the kernel, with one of three chains that belong to the program's. One
 * sample of a thousand has a chain that never comes again.
 *
 * Prints a line for each day: bytes written that day, and kilobytes in memory at its end; and then
 * how many samples there were, and how many records say so.
 */
#include "fold/fold.h"
#include "event/plan.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define CPUS 2
#define HZ 99
#define BUSY 0.6
#define PROGRAMS 6
#define PROGRAMS_MOST 24
#define THREADS 8
#define CHAINS 300
#define DEEPEST 40
#define KERNEL_DEEPEST 20
#define NS 1000000000ull
#define TABLE_FD 1000000

/* ---- what samples are like ---- */

static uint64_t seed = 88172645463325252ull;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Numbers that depend on @a and @b alone */
static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a + 1) * 0x9e3779b97f4a7c15ull ^ (b + 0x7f4a7c15) * 0xbf58476d1ce4e5b9ull;

	h ^= h >> 29;
	h *= 0x94d049bb133111ebull;
	return h ^ h >> 32;
}

/* Ranks with the weights of Zipf's law: 0 is the most frequent one. */
struct zipf {
	unsigned int n;
	double *sums;
};

static struct zipf zipf_of(unsigned int n, double exponent)
{
	struct zipf z = { .n = n, .sums = malloc(n * sizeof(double)) };
	double sum = 0;

	for (unsigned int i = 0; i < n; i++)
		z.sums[i] = sum += pow(i + 1, -exponent);
	return z;
}

static unsigned int draw(const struct zipf *z)
{
	double at = (double)(rnd() >> 11) / (double)(1ull << 53) * z->sums[z->n - 1];
	unsigned int low = 0, high = z->n - 1;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (z->sums[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * A walk down a tree of calls: chains of a program share their outer frames, as programs' do, and
 * the place within a function depends on which function it calls.
 */
static unsigned int make_chain(uint64_t *ips, uint64_t base, uint64_t chain, unsigned int least,
			       unsigned int most)
{
	unsigned int n = least + (unsigned int)(mix(base, chain) % (most - least + 1));

	for (unsigned int i = 0; i < n; i++) {
		/* so many chains are the same down to this depth */
		uint64_t shared = chain >> (i < 12 ? 12 - i : 0);
		uint64_t at = mix(base ^ i, shared);

		ips[n - 1 - i] = base + (at % 4000 << 9) + (at >> 40) % 512;
	}
	return n;
}

#define KERNEL_CHAINS 400
#define OF_PROGRAMS (PROGRAMS_MOST * CHAINS)
#define KNOWN (OF_PROGRAMS + KERNEL_CHAINS)

static unsigned int programs = PROGRAMS;

/* Those that come again: of the programs, and of the kernel */
static struct chain {
	unsigned int n;
	uint64_t ips[DEEPEST];
} known[KNOWN];

static uint64_t base_of(unsigned int program)
{
	return (0x5500 + (uint64_t)program) << 32;
}

/* ---- the tables of a kernel that there is not ---- */

#define MOST_ROWS 8192

enum { KEY_PID, KEY_TID, KEY_KSTACK, KEY_USTACK, KEY_WORDS };

struct fake_row {
	struct pev_table_row row;
	uint64_t key[KEY_WORDS];
};

/*
 * What a CPU has counted since it was asked, which was @swaps times; and where chains are that it
 * has @seen since
 */
struct fake_cpu {
	struct fake_row rows[MOST_ROWS];
	unsigned int nr;
	uint64_t words[1 << 18];
	unsigned int nr_words;
	uint64_t other;
	unsigned int swaps;
	unsigned int seen[KNOWN];
	uint32_t at[KNOWN];
};

static struct fake_cpu cpus[CPUS];
static struct pev_table asked;
static uint64_t now_ns = 1000 * NS;
static uint64_t generated;

/* Adds a chain to what the CPU has; returns where it is, 0: there is no room. */
static uint32_t add_chain(struct fake_cpu *c, const uint64_t *ips, unsigned int n)
{
	unsigned int at = c->nr_words;

	if (at + n + 1 > asked.frames)
		return 0;
	c->words[at] = n;
	memcpy(c->words + at + 1, ips, n * sizeof(*ips));
	c->nr_words = at + n + 1;
	return at;
}

/* As the kernel's, which keeps a chain once */
static uint32_t intern(struct fake_cpu *c, unsigned int which)
{
	if (c->seen[which] != c->swaps) {
		c->at[which] = add_chain(c, known[which].ips, known[which].n);
		c->seen[which] = c->swaps;
	}
	return c->at[which];
}

static void count_sample(struct fake_cpu *c, const uint64_t key[KEY_WORDS])
{
	for (unsigned int i = 0; i < c->nr; i++)
		if (!memcmp(c->rows[i].key, key, sizeof(c->rows[i].key))) {
			c->rows[i].row.count++;
			c->rows[i].row.max = now_ns;
			return;
		}
	if (c->nr == asked.rows) {
		c->other++;
		return;
	}
	c->rows[c->nr].row = (struct pev_table_row){ .count = 1, .min = now_ns, .max = now_ns };
	memcpy(c->rows[c->nr++].key, key, sizeof(c->rows[0].key));
}

static void one_sample(struct fake_cpu *c, const struct zipf *threads, const struct zipf *chains)
{
	unsigned int thread = draw(threads), program = thread % programs, chain = draw(chains);
	uint64_t key[KEY_WORDS] = { [KEY_PID] = 1000 + program, [KEY_TID] = 2000 + thread };

	if (rnd() % 1000) {
		key[KEY_USTACK] = intern(c, program * CHAINS + chain);
	} else {
		uint64_t ips[DEEPEST];
		unsigned int n = make_chain(ips, base_of(program), CHAINS + rnd() % (1ull << 40), 8,
					    DEEPEST);

		key[KEY_USTACK] = add_chain(c, ips, n);
	}
	if (rnd() % 100 < 35)
		key[KEY_KSTACK] = intern(
			c, OF_PROGRAMS + (unsigned int)(mix(program, 3 * chain + rnd() % 3) %
							KERNEL_CHAINS));
	count_sample(c, key);
	generated++;
}

static void make_known(void)
{
	for (unsigned int i = 0; i < programs * CHAINS; i++)
		known[i].n = make_chain(known[i].ips, base_of(i / CHAINS), i % CHAINS, 8, DEEPEST);
	for (unsigned int i = OF_PROGRAMS; i < KNOWN; i++)
		known[i].n = make_chain(known[i].ips, 0xffffffff81000000ull, i, 5, KERNEL_DEEPEST);
}

static void one_second(const struct zipf *threads, const struct zipf *chains)
{
	for (unsigned int i = 0; i < HZ; i++) {
		now_ns += NS / HZ;
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			if (rnd() % 1000 < BUSY * 1000)
				one_sample(&cpus[cpu], threads, chains);
	}
}

static int swap(struct pev_table_swap *s)
{
	struct fake_cpu *c = &cpus[s->cpu];
	char *to = (char *)(uintptr_t)s->rows;

	for (unsigned int i = 0; i < c->nr; i++, to += s->row_size)
		memcpy(to, &c->rows[i], s->row_size);
	memcpy((void *)(uintptr_t)s->stacks, c->words, c->nr_words * sizeof(*c->words));
	s->nr_rows = c->nr;
	s->nr_words = c->nr_words;
	s->other.count = c->other;
	c->nr = 0;
	c->nr_words = 1;
	c->other = 0;
	c->swaps++;
	return 0;
}

/* ---- what libpev and the writer ask of the system ---- */

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_close(int fd);
int __real_close(int fd);
int __real_ioctl(int fd, unsigned long request, void *arg);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	return request == PEV_IOC_TABLE_SWAP ? swap(arg) : __real_ioctl(fd, request, arg);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ (time_t)(now_ns / NS), (long)(now_ns % NS) };
	return 0;
}

int __wrap_close(int fd)
{
	return fd == TABLE_FD ? 0 : __real_close(fd);
}

int __wrap_pev_query_info(struct pev_info *info);
int __wrap_pev_attr_open(struct pev_attr *attr, unsigned int flags, struct pev_error *err);

int __wrap_pev_query_info(struct pev_info *info)
{
	*info = (struct pev_info){ .types = 1ull << PEV_TYPE_TABLE, .nr_cpus = CPUS };
	return 0;
}

int __wrap_pev_attr_open(struct pev_attr *attr, unsigned int flags, struct pev_error *err)
{
	(void)flags;
	(void)err;
	asked = *(const struct pev_table *)(uintptr_t)attr->config;
	return asked.rows <= MOST_ROWS && asked.frames <= 1 << 18 ? TABLE_FD : -EINVAL;
}

/* ---- days ---- */

static void check(int err, const char *what)
{
	if (err < 0) {
		fprintf(stderr, "fold_week: %s: %s\n", what, strerror(-err));
		exit(1);
	}
}

static long resident_kb(void)
{
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%*d %ld", &pages) != 1)
		exit(1);
	fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void open_trace(struct fold *f, const char *dir, struct pev_writer **w)
{
	static const uint8_t uuid[16] = { 1 };
	struct strbuf text = { 0 };
	struct pev_error e;
	struct msg m;
	size_t len;
	char *head;

	check(pev_writer_open(dir, PEV_WRITER_REPLACE, w, &e), dir);
	check(pev_writer_compress(*w, FOLD_LEVEL), "compression");
	check(pev_meta_head(uuid, 0, 0, &head, &len), "metadata");
	strbuf_add(&text, head, len);
	strbuf_puts(&text,
		    "event {\n	name = \"pev:comm\";\n	id = 2;\n	stream_id = 0;\n"
		    "	fields := struct {\n		uint32_t pid;\n		uint32_t tid;\n"
		    "		string comm;\n	} align(64);\n};\n");
	check(fold_metadata(f, &text), "metadata");
	check(pev_writer_metadata(*w, text.s, text.len), "metadata");
	check(fold_begin(f, *w, text.s, text.len, &m), "the writer");
	strbuf_free(&text);
	free(head);
}

int main(int argc, char **argv)
{
	struct planned_event event = {
		.name = "cpu-clock",
		.attr = { .type = PEV_TYPE_TIMER,
			  .flags = PEV_F_FREQ,
			  .period = HZ,
			  .sample = PEV_SAMPLE_IP },
	};
	struct event_plan plan = { .events = &event, .n = 1 };
	struct zipf threads, chains = zipf_of(CHAINS, 1.2);
	unsigned int seconds = 86400;
	uint64_t before = 0;
	struct pev_writer *w;
	struct fold f;
	struct msg m;

	if (argc > 3)
		programs = (unsigned int)atoi(argv[3]);
	if (argc > 4)
		seconds = (unsigned int)atoi(argv[4]);
	if (argc < 3 || argc > 5 || !programs || programs > PROGRAMS_MOST)
		return 2;
	threads = zipf_of(programs * THREADS, 1);
	for (unsigned int i = 0; i < CPUS; i++)
		cpus[i].nr_words = cpus[i].swaps = 1;
	make_known();
	check(fold_open(&f, &plan,
			&(struct fold_limits){ .tables = true, .clock = PEV_CLOCK_MONOTONIC }, &m),
	      "tables");
	open_trace(&f, argv[1], &w);
	for (int day = 1; day <= atoi(argv[2]); day++) {
		for (unsigned int s = 0; s < seconds; s++) {
			one_second(&threads, &chains);
			check(fold_drain(&f), "writing");
		}
		check(pev_writer_sync(w), "writing");
		printf("day %d: %llu bytes, %ld KiB in memory\n", day,
		       (unsigned long long)(pev_writer_bytes(w) - before), resident_kb());
		fflush(stdout);
		before = pev_writer_bytes(w);
	}
	check(fold_end(&f), "writing");
	check(fold_close_stream(&f), "writing");
	check(pev_writer_close(w), "writing");
	printf("%llu samples in %llu records, %llu of (other)\n", (unsigned long long)generated,
	       (unsigned long long)f.rows, (unsigned long long)f.other);
	fold_close(&f);
	free(threads.sums);
	free(chains.sums);
	return 0;
}
