// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs to count an event in a row of a table, beside ftrace's histograms, bpftrace's
 * maps, and records that user space would have to add up. In instructions; see bench.h.
 */
#include "bench.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../selftests/pev_util.h"

#define SYS_ENTER "raw_syscalls:sys_enter"
#define FTRACE_ENTER "events/raw_syscalls/sys_enter/"
#define ROWS 128

typedef double load_fn(unsigned int calls);

static double least(load_fn *load)
{
	return load_least(load, TURNS);
}

/* ---- one listener at a time; each returns ns a call ---------------------- */

static uint64_t swap(int table)
{
	static struct {
		struct pev_table_row row;
		uint64_t key[2 * PEV_MAX_TABLE_KEYS];
	} rows[ROWS];
	static uint64_t words[PEV_MIN_TABLE_FRAMES];
	struct pev_table_swap swap = {
		.size = sizeof(swap),
		.rows = (uintptr_t)rows,
		.nr_rows = ROWS,
		.stacks = (uintptr_t)words,
		.nr_words = PEV_MIN_TABLE_FRAMES,
	};

	if (ioctl(table, PEV_IOC_TABLE_SWAP, &swap))
		die("a table: %m");
	if (swap.lost.count || swap.other.count)
		die("%llu events have no row",
		    (unsigned long long)(swap.lost.count + swap.other.count));
	return swap.generated.count;
}

static double in_table(struct pev_table *table, load_fn *load)
{
	int sink, fd;
	double ns;

	table->size = sizeof(*table);
	table->rows = ROWS;
	sink = pev_open(&(struct pev_attr){ .type = PEV_TYPE_TABLE,
					    .config = (uintptr_t)table,
					    .channel_fd = -1,
					    .group_fd = -1 });
	if (sink < 0)
		die("a table: %s", pev_reason());
	fd = listen_pev(
		&(struct pev_listen){ .type = PEV_TYPE_TRACEPOINT, .name = SYS_ENTER, .period = 1 },
		sink);
	ns = least(load);
	if (swap(sink) < TRIES * TURNS)
		die("the table counted less than happened");
	close(fd);
	close(sink);
	load_settle();
	return ns;
}

static double counted(load_fn *load)
{
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_TRACEPOINT, .name = SYS_ENTER },
			    -1);
	double ns = least(load);

	close(fd);
	load_settle();
	return ns;
}

static double recorded(uint64_t sample, load_fn *load)
{
	int channel = listen_pev_channel();
	int fd = listen_pev(&(struct pev_listen){ .type = PEV_TYPE_TRACEPOINT,
						  .name = SYS_ENTER,
						  .period = 1,
						  .sample = sample },
			    channel);
	double ns = least(load);

	if (listen_pev_records(fd) < TRIES * TURNS)
		die("pev recorded less than happened");
	close(fd);
	close(channel);
	load_settle();
	return ns;
}

static double by_perf(void)
{
	int fd = listen_perf(&(struct perf_listen){
		.type = PERF_TYPE_TRACEPOINT,
		.cpu = -1,
		.period = 1,
		.config = listen_tracepoint_id("raw_syscalls", "sys_enter") });
	void *ring = listen_perf_ring(fd);
	double ns = least(load_calls);

	if (listen_perf_records(ring) < TRIES * TURNS)
		die("perf recorded less than happened");
	listen_perf_unmap(ring);
	close(fd);
	load_settle();
	return ns;
}

/* What ftrace's histogram has counted. */
static unsigned long histogram_hits(void)
{
	unsigned long hits = 0;
	char line[300];
	FILE *f = fopen("/sys/kernel/tracing/" FTRACE_ENTER "hist", "re");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, " Hits: %lu", &hits);
	if (f)
		fclose(f);
	return hits;
}

/* Return: NAN if this kernel has no histograms. */
static double by_ftrace(const char *keys)
{
	char trigger[100];
	double ns;

	if (access("/sys/kernel/tracing/" FTRACE_ENTER "hist", F_OK))
		return NAN;
	snprintf(trigger, sizeof(trigger), "!hist:keys=%s:size=128", keys);
	listen_ftrace(FTRACE_ENTER "trigger", trigger + 1);
	ns = least(load_calls);
	if (histogram_hits() < TRIES * TURNS)
		die("ftrace's histogram counted less than happened");
	listen_ftrace(FTRACE_ENTER "trigger", trigger);
	return ns;
}

#define BY_BPFTRACE(what) by_bpftrace("tracepoint:raw_syscalls:sys_enter { " what " }", "calls")

/* Beyond load @name on its own. Return: NAN if this kernel has no BPF. */
static double by_bpftrace(const char *program, const char *name)
{
	if (!tool_has_bpf())
		return NAN;
	return tool_bpftrace(program, name, TRIES * TURNS) - tool_load(NULL, name);
}

/* ---- figures ------------------------------------------------------------- */

static struct pev_table by_id(void)
{
	return (struct pev_table){
		.nr_keys = 1,
		.keys[0] = { .from = PEV_TABLE_FIELD, .name = "id" },
	};
}

static struct pev_table by(uint32_t from)
{
	return (struct pev_table){
		.nr_keys = 1,
		.keys[0] = { .from = from },
		.frames = from >= PEV_TABLE_KSTACK ? PEV_MIN_TABLE_FRAMES : 0,
	};
}

static void measure_numbers(double bare)
{
	struct pev_table table = by_id();
	struct figure *f = figure("table_row", 0, "sys_enter counted in the row of its number");

	f->at[PEV] = in_table(&table, load_calls) - bare;
	f->at[PERF] = by_perf() - bare;
	f->at[FTRACE] = by_ftrace("id") - bare;
	f->at[BPFTRACE] = BY_BPFTRACE("@[args->id] = count()");
	f = figure("table_update", 150, "... beyond what it costs to count it");
	f->at[PEV] = f[-1].at[PEV] - (counted(load_calls) - bare);
	table.keys[0].bucket = PEV_TABLE_LOG2;
	f = figure("table_log2", 0, "... in the row of its number's magnitude");
	f->at[PEV] = in_table(&table, load_calls) - bare;
	f->at[FTRACE] = by_ftrace("id.log2") - bare;
	f->at[BPFTRACE] = BY_BPFTRACE("@ = hist(args->id)");
	table = by(PEV_TABLE_PID);
	f = figure("table_process", 0, "... in the row of its process");
	f->at[PEV] = in_table(&table, load_calls) - bare;
	f->at[FTRACE] = by_ftrace("common_pid") - bare;
	f->at[BPFTRACE] = BY_BPFTRACE("@[pid] = count()");
	table = by_id();
	table.nr_keys = 4;
	table.keys[1].from = PEV_TABLE_PID;
	table.keys[2].from = PEV_TABLE_COMM;
	table.keys[3].from = PEV_TABLE_CGROUP;
	f = figure("table_four", 0, "... by number, process, name and cgroup");
	f->at[PEV] = in_table(&table, load_calls) - bare;
	f->at[BPFTRACE] = BY_BPFTRACE("@[args->id, pid, comm, cgroup] = count()");
}

/* What unwinding costs is known from records with a call chain and without. */
static void measure_stacks(double bare)
{
	struct pev_table table = by(PEV_TABLE_USTACK);
	double row, deep = least(load_deep);
	struct figure *f = figure("table_stack", 400,
				  "... by a call chain of 20 frames, beyond that and unwinding");

	row = in_table(&table, load_deep);
	figure("table_unwinding", 0, "... unwinding");
	f[1].at[PEV] = recorded(PEV_SAMPLE_TID | PEV_SAMPLE_USTACK, load_deep) -
		       recorded(PEV_SAMPLE_TID, load_deep);
	f->at[PEV] = row - counted(load_deep) - f[1].at[PEV];
	f = figure("table_stack_all", 0, "... by a call chain of 20 frames, all of it");
	f->at[PEV] = row - deep;
	f->at[BPFTRACE] = by_bpftrace("tracepoint:raw_syscalls:sys_enter { @[ustack] = count() }",
				      "deep");
	table = by(PEV_TABLE_KSTACK);
	f = figure("table_kstack", 0, "... by the kernel's call chain, all of it");
	f->at[PEV] = in_table(&table, load_calls) - bare;
	f->at[FTRACE] = by_ftrace("common_stacktrace") - bare;
	f->at[BPFTRACE] = BY_BPFTRACE("@[kstack] = count()");
}

void measure_tables(void)
{
	double bare = least(load_calls);

	measure_numbers(bare);
	measure_stacks(bare);
}
