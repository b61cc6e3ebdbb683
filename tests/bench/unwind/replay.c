// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinds the samples of a perf.data file (perf record --call-graph dwarf) with
 * libpev-sym, for comparison with perf on equal data.
 *
 * usage: replay [-l] [-p] [-s] [-n TIMES] perf.data
 *
 * Prints samples, frames and seconds. -l: by libunwind; -p: prints the chains'
 * user part as addresses; -s: finds a function for each frame, too.
 */
#include <pev/sym.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_CHAIN 512

struct file_section {
	uint64_t offset, size;
};

struct file_header {
	uint64_t magic, size, attr_size;
	struct file_section attrs, data, types;
};

struct process {
	uint32_t pid;
	uint64_t space;
	struct pev_unwind_map *maps;
	size_t n;
};

static struct {
	struct perf_event_attr attr;
	struct pev_syms *syms;
	struct pev_unwind *unwind;
	struct process *p;
	size_t n_processes;
	uint64_t last_space;
	uint64_t samples, frames, ends[PEV_UNWIND_ENDS];
	bool print, names;
} g;

static struct process *process(uint32_t pid)
{
	for (size_t i = 0; i < g.n_processes; i++)
		if (g.p[i].pid == pid)
			return &g.p[i];
	g.p = realloc(g.p, (g.n_processes + 1) * sizeof(*g.p));
	g.p[g.n_processes] = (struct process){ .pid = pid, .space = ++g.last_space };
	return &g.p[g.n_processes++];
}

static void add_map(uint32_t pid, uint64_t start, uint64_t len, uint64_t off, const char *path)
{
	struct process *p = process(pid);

	p->maps = realloc(p->maps, (p->n + 1) * sizeof(*p->maps));
	p->maps[p->n++] = (struct pev_unwind_map){ start, start + len, off,
						   pev_syms_object(g.syms, path, NULL, 0) };
	p->space = ++g.last_space;
}

static int find_map(void *arg, uint64_t addr, struct pev_unwind_map *map)
{
	struct process *p = arg;

	for (size_t i = p->n; i > 0; i--)
		if (addr >= p->maps[i - 1].start && addr < p->maps[i - 1].end) {
			*map = p->maps[i - 1];
			return 1;
		}
	return 0;
}

static void fork_process(uint32_t from, uint32_t to)
{
	struct process *parent, *child;

	if (from == to)
		return;
	process(from);
	child = process(to);
	parent = process(from);
	child->n = parent->n;
	child->maps = realloc(child->maps, (child->n + 1) * sizeof(*child->maps));
	memcpy(child->maps, parent->maps, child->n * sizeof(*child->maps));
	child->space = ++g.last_space;
}

static void print_chain(const uint64_t *chain, int n)
{
	for (int i = 0; i < n; i++)
		printf("%llx\n", (unsigned long long)chain[i]);
	printf("\n");
}

static void name_chain(struct process *p, const uint64_t *chain, int n)
{
	for (int i = 0; i < n; i++) {
		struct pev_unwind_map map;
		struct pev_sym sym;

		if (find_map(p, chain[i], &map))
			pev_sym_find(g.syms, map.object, chain[i] - !!i - map.start + map.offset,
				     &sym);
	}
}

static uint64_t take(const uint64_t **at)
{
	return *(*at)++;
}

static void sample(const void *record)
{
	const uint64_t *at = (const uint64_t *)((const char *)record + 8);
	uint64_t type = g.attr.sample_type, chain[MAX_CHAIN], abi;
	struct pev_unwind_sample s = { .size = sizeof(s), .find = find_map };
	enum pev_unwind_end end = PEV_UNWIND_DONE;
	uint32_t pid = 0;
	int n = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		take(&at);
	if (type & PERF_SAMPLE_IP)
		take(&at);
	if (type & PERF_SAMPLE_TID)
		pid = (uint32_t)take(&at);
	for (int bit = 0; bit < 6; bit++) {
		static const uint64_t words[] = { PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR,
						  PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
						  PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD };

		if (type & words[bit])
			take(&at);
	}
	if (type & PERF_SAMPLE_CALLCHAIN)
		at += take(&at);
	abi = take(&at);
	if (abi) {
		s.regs = at;
		s.nr_regs = (unsigned int)__builtin_popcountll(g.attr.sample_regs_user);
		at += s.nr_regs;
	}
	s.stack_len = take(&at);
	s.stack = at;
	if (s.stack_len)
		s.stack_len = *(const uint64_t *)((const char *)at + s.stack_len);
	if (abi) {
		s.arg = process(pid);
		s.space = process(pid)->space;
		n = pev_unwind_chain(g.unwind, &s, chain, MAX_CHAIN, &end);
		g.ends[end]++;
	}
	if (g.print)
		print_chain(chain, n);
	if (g.names)
		name_chain(process(pid), chain, n);
	g.samples++;
	g.frames += (uint64_t)n;
}

static void walk(const char *data, uint64_t size)
{
	for (uint64_t at = 0; at + 8 <= size;) {
		const struct perf_event_header *h = (const void *)(data + at);
		const uint32_t *w = (const uint32_t *)(h + 1);
		uint64_t v[3];

		if (h->size < 8 || at + h->size > size)
			break;
		memcpy(v, w + 2, h->size >= 40 ? sizeof(v) : 0);
		switch (h->type) {
		case PERF_RECORD_MMAP:
			if (!(h->misc & PERF_RECORD_MISC_MMAP_DATA) && w[0] != UINT32_MAX)
				add_map(w[0], v[0], v[1], v[2], (const char *)(w + 8));
			break;
		case PERF_RECORD_MMAP2:
			add_map(w[0], v[0], v[1], v[2], (const char *)(w + 16));
			break;
		case PERF_RECORD_FORK:
			fork_process(w[1], w[0]);
			break;
		case PERF_RECORD_COMM:
			if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
				process(w[0])->n = 0;
			break;
		case PERF_RECORD_SAMPLE:
			sample(h);
			break;
		}
		at += h->size;
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	unsigned int flags = 0, times = 1;
	const struct file_header *h;
	double start, seconds;
	struct stat st;
	const char *data;
	int c, fd, err;

	while ((c = getopt(argc, argv, "lpsn:")) >= 0) {
		if (c == 'l')
			flags |= PEV_UNWIND_LIBUNWIND;
		else if (c == 'n')
			times = (unsigned int)atoi(optarg);
		else
			*(c == 'p' ? &g.print : &g.names) = true;
	}
	fd = optind < argc ? open(argv[optind], O_RDONLY) : -1;
	if (fd < 0 || fstat(fd, &st))
		return 2;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return 2;
	h = (const void *)data;
	memcpy(&g.attr, data + h->attrs.offset,
	       h->attr_size < sizeof(g.attr) ? h->attr_size : sizeof(g.attr));
	start = now();
	err = pev_syms_new(0, &g.syms);
	if (!err)
		err = pev_unwind_new(g.syms, "x86_64", g.attr.sample_regs_user, flags, &g.unwind);
	if (err) {
		fprintf(stderr, "replay: %s\n", strerror(-err));
		return 1;
	}
	while (times--)
		walk(data + h->data.offset, h->data.size);
	seconds = now() - start;
	if (!g.print)
		printf("%llu samples %llu frames %.6f s; done %llu short %llu no-info %llu no-map "
		       "%llu broken %llu\n", (unsigned long long)g.samples,
		       (unsigned long long)g.frames, seconds, (unsigned long long)g.ends[0],
		       (unsigned long long)g.ends[1], (unsigned long long)g.ends[2],
		       (unsigned long long)g.ends[3], (unsigned long long)g.ends[4]);
	pev_unwind_free(g.unwind);
	pev_syms_free(g.syms);
	return 0;
}
