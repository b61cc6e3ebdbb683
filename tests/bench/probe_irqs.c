// SPDX-License-Identifier: GPL-2.0
/*
 * How long interrupts are off. The instrument is a timer of perf, of 20 us on the CPU, not
 * one of pev, which may be throttled: a sample that comes late by n ns was held up by n
 * instructions. The finest it sees is one period.
 */
#include "bench.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../selftests/pev_child.h"

static char *probe;
static int probe_fd;

void probe_begin(void)
{
	/* it must not be throttled */
	pev_put_number("/proc/sys/kernel/perf_cpu_time_max_percent", 0);
	probe_fd = listen_perf(&(struct perf_listen){
			.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
			.pid = -1, .period = PROBE_NS });
	probe = listen_perf_ring(probe_fd);
}

void probe_end(void)
{
	listen_perf_unmap(probe);
	close(probe_fd);
}

/**
 * struct probe_sample - as listen_perf() asks for it
 * @ip:   where interrupts came on again, if it is late
 * @time: ns
 */
struct probe_sample {
	struct perf_event_header	head;
	uint64_t			ip;
	uint32_t			pid, tid;
	uint64_t			time;
	uint64_t			period;
};

/* The longest that a sample came late since the last call. */
static double probe_longest(uint64_t *ip)
{
	struct perf_event_mmap_page *page = (void *)probe;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t pos = page->data_tail, size = page->data_size;
	uint64_t last = 0, longest = 0;

	while (pos < head) {
		struct probe_sample s;

		for (size_t i = 0; i < sizeof(s); i += 8)
			memcpy((char *)&s + i, probe + page->data_offset + (pos + i) % size,
			       8);
		if (s.head.type == PERF_RECORD_LOST)
			die("the probe lost samples");
		pos += s.head.size;
		if (s.head.type != PERF_RECORD_SAMPLE)
			continue;
		if (last && s.time - last > longest) {
			longest = s.time - last;
			*ip = s.ip;
		}
		last = s.time;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return longest > PROBE_NS ? longest - PROBE_NS : 0;
}

/* "function+0x12", where @ip lies in the kernel. */
static const char *symbol(uint64_t ip)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	static char text[160];
	char name[128];
	uint64_t at, best = 0;

	while (f && fscanf(f, "%lx %*c %127s%*[^\n]", &at, name) == 2)
		if (at <= ip && at > best) {
			best = at;
			snprintf(text, sizeof(text), "%s+0x%lx", name, ip - at);
		}
	if (f)
		fclose(f);
	return best ? text : "?";
}

void probe_into(struct figure *f)
{
	uint64_t ip = 0;

	f->at[PEV] = probe_longest(&ip);
	if (f->goal && f->at[PEV] > f->goal)
		printf("%s: interrupts come on again at %s\n", f->name, symbol(ip));
}

void probe_restart(void)
{
	uint64_t ip;

	probe_longest(&ip);
}
