// SPDX-License-Identifier: GPL-2.0
/*
 * Makes traces for the tests of report and script, without a kernel.
 *
 * usage: mktrace DIR flat|renamed|chains|deep|slow|cut|random|hostile|markup|empty|sched|turns|probes|mixed|execs|calls|requests|guests|waits|locks|wakes|missing|phases|own N [PROGRAM SYMBOL-OFFSET...]
 *
 * flat, chains: N samples on two CPUs in PROGRAM, with its code "mapped" at
 * 0x400000, at the file offsets given in turn. renamed: flat, of another program. random: chains that hardly ever
 * come twice. deep: chains of DEEP frames. cut: samples with registers and a byte of the
 * stack. slow: a sample every 5 seconds. probes: wakeups, with the kernel's call chains as pev records them, and symbols.
 * mixed: the same, and behind them one sample of the first event. execs: as cut, three
 * of four in execve(2). waits: records of waits in a pipe and asleep, with what the
 * kernel counted; locks: of waits for a lock in place of the pipe; wakes: the scheduler's events of such; missing: not all of them;
 * own: a thread's own switches, and what wakes it, but no switch of the scheduler;
 * phases: with samples, a thread alone for N us and two at once for as long. calls: system call 0, N times, on the machine PROGRAM.
 * guests: N rounds of a virtual processor, thread 42: in its guest, outside, asleep, waiting; each second exit has a reason.
 * requests: N rounds of samples of three threads, two of which say for which request they work, between switches from one to the next.
 */
#include <pev/pev.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE 0x400000ull
#define T0 1000000000ull
#define DEEP 9000 /* more than 64 KiB of addresses */
#define EPOCH 1700000000000000000ll

static const char sample_context[] = "		uint32_t pid;\n		xint64_t ip;\n";
static const char chain_context[] =
	"		aligned32_t kstack_len;\n		uint32_t ustack_len;\n"
	"		xint64_t kstack[kstack_len];\n		xint64_t ustack[ustack_len];\n";
static const char stack_context[] =
	"		uint64_t uregs_len;\n		xint64_t uregs[uregs_len];\n"
	"		uint64_t dump_len;\n		uint8_t dump[dump_len];\n";

/* What samples have beside their address. */
enum depth { FLAT, CHAINS, STACKS };

/* Classes that only some traces have */
enum more { NO_MORE, CALLS, WAITS, SUMS, WAKES, REQUESTS, GUESTS, OWN };

/* What it says it was recorded for, and of */
enum of { OF_NOTHING, OF_WAITS, OF_MACHINE };

struct order;

/**
 * struct kind - a kind of trace
 * @comm:    the program's name; NULL: no state
 * @program: its file; NULL: the argument behind N
 * @events:  makes N of the events it is about; or
 * @make:    the same, by more of the command line
 */
struct kind {
	const char *name;
	enum depth depth;
	enum more more;
	enum of of;
	const char *comm, *program;
	void (*events)(long n);
	void (*make)(const struct order *o);
};

/* The command line */
struct order {
	const struct kind *kind;
	long n;
	const char *argument;
	int n_offsets;
	char **offsets;
};

/* What a class has of its own beside fields: nothing, chains, an address and chains. */
enum context { BARE, CHAIN_ONLY, SAMPLE, REQUEST, GUEST };

static const char request_context[] =
	"		uint32_t pid;\n		xint64_t ip;\n		xint64_t trace_high;\n"
	"		xint64_t trace_low;\n		xint64_t span;\n";

static const char guest_context[] =
	"		uint32_t pid;\n		xint64_t ip;\n		uint64_t guest;\n		uint64_t exit;\n";

static void add_event(char *text, int id, const char *name, const char *type, enum depth depth,
		      enum context context, const char *fields)
{
	char *p = text + strlen(text);

	p += sprintf(p,
		     "event {\n	name = \"%s\";\n	id = %d;\n	stream_id = 0;\n"
		     "	model.emf.uri = \"pev:%s?period=%d&freq=%d\";\n",
		     name, id, type, context == SAMPLE ? 999 : 1, context == SAMPLE);
	if (context)
		p += sprintf(p, "	context := struct {\n%s%s%s	};\n",
			     context == SAMPLE	? sample_context :
			     context == REQUEST ? request_context :
			     context == GUEST	? guest_context :
						  "",
			     depth ? chain_context : "", depth == STACKS ? stack_context : "");
	sprintf(p, "	fields := struct {\n%s	} align(64);\n};\n", fields);
}

#define WAIT_FIELDS(sums)                                                \
	"		uint64_t blocked;\n		uint64_t runnable;\n		uint32_t state;\n" \
	"		uint32_t waker;\n		uint32_t flags;\n		uint32_t frames;\n"     \
	"		uint32_t waker_pid;\n		uint32_t waker_tid;\n"                 \
	"		text_t waker_comm[16];\n" sums "		xint64_t stack[12];\n"
#define SUM_FIELDS \
	"		uint64_t enabled;\n		uint64_t run;\n		uint64_t folded;\n"

static struct {
	struct pev_writer *w;
	struct pev_meta *meta;
	char text[16384];
} trace;

static void check(int err, const char *what)
{
	if (err < 0) {
		fprintf(stderr, "mktrace: %s: %s\n", what, strerror(-err));
		exit(1);
	}
}

static void add_scheduler(enum depth depth, enum more more)
{
	if (more != OWN)
		add_event(trace.text, 3, "sched:sched_switch", "tracepoint", FLAT, BARE,
			  "		text_t prev_comm[16];\n		int32_t prev_pid;\n"
			  "		int64_t prev_state;\n		int32_t next_pid;\n");
	add_event(trace.text, 4, "sched:sched_wakeup", "tracepoint", depth,
		  depth ? CHAIN_ONLY : BARE,
		  "		text_t comm[16];\n		int32_t pid;\n");
	if (more == WAKES || more == OWN)
		add_event(trace.text, 7, "sched:sched_waking", "tracepoint", FLAT, BARE,
			  "		int32_t pid;\n");
	if (more == OWN)
		add_event(trace.text, 13, "pev:switch", "wait", FLAT, BARE,
			  "		uint32_t out;\n		uint32_t preempted;\n");
}

/* What only some traces have */
static void add_more(enum more more)
{
	if (more == CALLS) {
		add_event(trace.text, 5, "raw_syscalls:sys_enter", "tracepoint", FLAT, BARE,
			  "		int64_t id;\n");
		add_event(trace.text, 6, "raw_syscalls:sys_exit", "tracepoint", FLAT, BARE,
			  "		int64_t id;\n		int64_t ret;\n");
	}
	if (more == WAITS)
		add_event(trace.text, 8, "pev:wait", "wait", CHAINS, CHAIN_ONLY, WAIT_FIELDS(""));
	if (more == SUMS)
		add_event(trace.text, 8, "pev:wait", "wait", CHAINS, CHAIN_ONLY,
			  WAIT_FIELDS(SUM_FIELDS));
	if (more == REQUESTS)
		add_event(trace.text, 9, "task-clock", "timer", FLAT, REQUEST, "");
	if (more == GUESTS) {
		add_event(trace.text, 10, "task-clock", "timer", FLAT, GUEST, "");
		add_event(trace.text, 11, "kvm:kvm_entry", "tracepoint", FLAT, BARE,
			  "		uint32_t vcpu_id;\n");
		add_event(trace.text, 12, "kvm:kvm_exit", "tracepoint", FLAT, BARE,
			  "		uint32_t exit_reason;\n		uint32_t vcpu_id;\n");
	}
}

static void begin(const char *dir, enum depth depth, enum more more)
{
	/* the same in every trace, so that two of them can be compared */
	static const uint8_t uuid[16] = { 0x2a, 0x64, 0x22, 0xd0, 0x6c, 0xee, 0x11, 0xe0,
					  0x8c, 0x08, 0xcb, 0x07, 0xd7, 0xb3, 0xa5, 0x64 };
	struct pev_error e;
	size_t len;
	char *head;

	check(pev_meta_head(uuid, EPOCH, 0, &head, &len), "head");
	snprintf(trace.text, sizeof(trace.text),
		 "%stypealias integer { size = 32; align = 64; signed = false; } := aligned32_t;\n",
		 head);
	free(head);
	add_event(trace.text, 0, "cpu-clock", "timer", depth, SAMPLE, "");
	add_event(trace.text, 1, "pev:mmap", "sideband", FLAT, BARE,
		  "		uint32_t pid;\n		uint32_t tid;\n"
		  "		xint64_t addr;\n		uint64_t len;\n"
		  "		xint64_t pgoff;\n		uint32_t build_id_size;\n"
		  "		uint8_t build_id[20];\n		string filename;\n");
	add_event(trace.text, 2, "pev:comm", "sideband", FLAT, BARE,
		  "		uint32_t pid;\n		uint32_t tid;\n		string comm;\n");
	add_scheduler(depth, more);
	add_more(more);
	check(pev_writer_open(dir, PEV_WRITER_REPLACE, &trace.w, &e), dir);
	check(pev_writer_metadata(trace.w, trace.text, strlen(trace.text)), "metadata");
	check(pev_meta_parse(trace.text, strlen(trace.text), 0, &trace.meta, &e), e.text);
	check(pev_writer_info(trace.w, "command", "mktrace"), "info");
}

static struct pev_encoder *encoder(const char *name, unsigned int cpu)
{
	struct pev_encoder *enc;

	check(pev_writer_encoder(trace.w, trace.meta, name, cpu, &enc), name);
	return enc;
}

static void state(const char *comm, const char *program)
{
	struct pev_encoder *enc = encoder("state", 0);

	pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "pev:comm"), T0, 42);
	pev_encoder_int(enc, "pid", 42);
	pev_encoder_int(enc, "tid", 42);
	pev_encoder_data(enc, "comm", comm, strlen(comm) + 1);
	check(pev_encoder_commit(enc), "comm");
	pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "pev:mmap"), T0, 42);
	pev_encoder_int(enc, "pid", 42);
	pev_encoder_int(enc, "tid", 42);
	pev_encoder_int(enc, "addr", BASE);
	pev_encoder_int(enc, "len", 0x1000000);
	pev_encoder_data(enc, "filename", program, strlen(program) + 1);
	check(pev_encoder_commit(enc), "mmap");
	check(pev_encoder_close(enc), "state");
}

/* The registers that record takes, in the order of perf_regs.h */
#define REGS 17
#define REG_SP 7
#define REG_IP 8

/* With a stack that short, frame pointers tell more. */
static void cut_stack(struct pev_encoder *enc, uint64_t ip)
{
	uint64_t regs[REGS] = { [REG_SP] = 0x7ffd0000, [REG_IP] = ip };
	uint64_t stack[] = { ip, ip + 1, ip + 1, ip + 1 };

	pev_encoder_data(enc, "ustack", stack, sizeof(stack));
	pev_encoder_data(enc, "uregs", regs, sizeof(regs));
	pev_encoder_data(enc, "dump", "", 1);
}

static void sample(struct pev_encoder *enc, long i, enum depth depth, int n_offsets, char **offsets)
{
	uint64_t ip = BASE + strtoull(offsets[i % n_offsets], NULL, 0), stack[24];
	unsigned int n = 0;

	pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "cpu-clock"),
			  T0 + (uint64_t)i * 1000, 42);
	pev_encoder_int(enc, "pid", 42);
	pev_encoder_int(enc, "ip", ip);
	if (depth == CHAINS) {
		stack[n++] = ip;
		for (unsigned int k = 0; k < 10 + (unsigned int)i % 7; k++)
			stack[n++] = BASE + 1 + strtoull(offsets[(i + k) % n_offsets], NULL, 0) +
				     k % 3;
		pev_encoder_data(enc, "ustack", stack, n * 8);
	} else if (depth == STACKS) {
		cut_stack(enc, ip);
	}
	check(pev_encoder_commit(enc), "sample");
}

/* As bad for a reader as chains can be. */
static void random_samples(long n)
{
	struct pev_encoder *enc[2] = { encoder("0", 0), encoder("1", 1) };
	uint64_t stack[40], state = 88172645463325252ull;

	for (long i = 0; i < n; i++) {
		unsigned int depth = 4 + (unsigned int)(state >> 40) % 36;

		for (unsigned int k = 0; k < depth; k++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			/* few outer functions, many inner ones */
			stack[k] = BASE + 0x1000 +
				   (state >> 20) % (1u << (8 + (depth - k) / 4)) * 64;
		}
		pev_encoder_begin(enc[i & 1], pev_meta_class_by_name(trace.meta, "cpu-clock"),
				  T0 + (uint64_t)i * 1000, 42);
		pev_encoder_int(enc[i & 1], "pid", 42);
		pev_encoder_int(enc[i & 1], "ip", stack[0]);
		pev_encoder_data(enc[i & 1], "ustack", stack, depth * 8);
		check(pev_encoder_commit(enc[i & 1]), "sample");
	}
	check(pev_encoder_close(enc[0]), "stream 0");
	check(pev_encoder_close(enc[1]), "stream 1");
}

static void deep_samples(long n, int n_offsets, char **offsets)
{
	struct pev_encoder *enc = encoder("0", 0);
	static uint64_t stack[DEEP];

	for (int k = 0; k < DEEP; k++)
		stack[k] = BASE + !!k + strtoull(offsets[k % n_offsets], NULL, 0);
	for (long i = 0; i < n; i++) {
		pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "cpu-clock"),
				  T0 + (uint64_t)i * 1000, 42);
		pev_encoder_int(enc, "pid", 42);
		pev_encoder_int(enc, "ip", stack[0]);
		/* every other one fits */
		pev_encoder_data(enc, "ustack", stack, i & 1 ? 80 : sizeof(stack));
		check(pev_encoder_commit(enc), "sample");
	}
	check(pev_encoder_close(enc), "stream 0");
}

static void slow_samples(long n, int n_offsets, char **offsets)
{
	struct pev_encoder *enc = encoder("0", 0);

	for (long i = 0; i < n; i++)
		sample(enc, i * 5000000, FLAT, n_offsets, offsets);
	check(pev_encoder_close(enc), "stream 0");
}

static void samples(long n, enum depth depth, int n_offsets, char **offsets)
{
	struct pev_encoder *enc[2] = { encoder("0", 0), encoder("1", 1) };

	for (long i = 0; i < n; i++)
		sample(enc[i & 1], i, depth, n_offsets, offsets);
	check(pev_encoder_close(enc[0]), "stream 0");
	check(pev_encoder_close(enc[1]), "stream 1");
}

static void exec_samples(long n, const char *offset)
{
	static const char kallsyms[] =
		"ffffffff81000000 T _stext\nffffffff81000100 t begin_new_exec\n"
		"ffffffff81000200 t bprm_execve\nffffffff81000300 T do_read\n";
	static const uint64_t in_exec[] = { 0xffffffff81000110, 0xffffffff81000210 };
	static const uint64_t in_read[] = { 0xffffffff81000310 };
	struct pev_encoder *enc = encoder("0", 0);

	check(pev_writer_info_file(trace.w, "kallsyms", kallsyms, strlen(kallsyms)), "kallsyms");
	for (long i = 0; i < n; i++) {
		pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "cpu-clock"),
				  T0 + (uint64_t)i * 1000, 42);
		pev_encoder_int(enc, "pid", 42);
		pev_encoder_int(enc, "ip", in_exec[0]);
		pev_encoder_data(enc, "kstack", i % 4 ? in_exec : in_read,
				 i % 4 ? sizeof(in_exec) : sizeof(in_read));
		cut_stack(enc, BASE + strtoull(offset, NULL, 0));
		check(pev_encoder_commit(enc), "sample");
	}
	check(pev_encoder_close(enc), "stream 0");
}

static void switches(long n)
{
	struct pev_encoder *enc = encoder("0", 0);

	for (long i = 0; i < n; i++) {
		pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "sched:sched_switch"),
				  T0 + (uint64_t)i * 1000, 42);
		pev_encoder_data(enc, "prev_comm", "prog\033[2J", 9);
		pev_encoder_int(enc, "prev_pid", 42);
		pev_encoder_int(enc, "next_pid", (uint64_t)i);
		check(pev_encoder_commit(enc), "switch");
	}
	check(pev_encoder_close(enc), "stream 0");
}

/*
 * Every 10 us: threads 42 and 43 alternate; 42 blocks, 43 is pushed aside. The
 * last time 42 ends.
 */
static void turns(long n)
{
	struct pev_encoder *enc = encoder("0", 0);

	for (long i = 0; i < n; i++) {
		int prev = i % 2 ? 43 : 42;

		pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "sched:sched_switch"),
				  T0 + (uint64_t)(i + 1) * 10000, (uint32_t)prev);
		pev_encoder_int(enc, "prev_pid", (uint64_t)prev);
		pev_encoder_int(enc, "prev_state", i + 1 == n ? 16 : i % 2 ? 0 : 1);
		pev_encoder_int(enc, "next_pid", i % 2 ? 42 : 43);
		check(pev_encoder_commit(enc), "switch");
	}
	check(pev_encoder_close(enc), "stream 0");
}

static const char wait_symbols[] =
	"ffffffff81000000 T _stext\nffffffff81000100 t schedule\n"
	"ffffffff81000200 t anon_pipe_read\nffffffff81000300 t do_nanosleep\n"
	"ffffffff81000400 t try_to_wake_up\nffffffff81000500 t pipe_write\n"
	"ffffffff81000600 t hrtimer_wakeup\nffffffff81000700 t ksys_read\n"
	"ffffffff81000800 t rwsem_down_write_slowpath\nffffffff81000900 t down_write\n"
	"ffffffff81000a00 t dup_mmap\n";

/* What the thread did in @n waits and before them, and for @more ns. */
static void sums_of(struct pev_encoder *enc, uint64_t n, uint64_t more)
{
	pev_encoder_int(enc, "enabled", n * 3500001 + more);
	pev_encoder_int(enc, "run", n * 1000000);
	pev_encoder_int(enc, "folded", n);
}

/*
 * Each runs for 1 ms, is blocked for 2 ms and runnable for 0.5 ms: alternately in a pipe that thread
 * 77 writes to, or at a lock that it gives free, and until a timer expires. With @sums the records
 * have these, that of one wait is @missing, and in the last wait it is blocked for 0.7 ms and longer.
 */
static void waits(long n, bool lock, bool sums, long missing)
{
	static const uint64_t in_read[] = { 0xffffffff81000110, 0xffffffff81000210,
					    0xffffffff81000710 };
	static const uint64_t in_lock[] = { 0xffffffff81000110, 0xffffffff81000810,
					    0xffffffff81000910, 0xffffffff81000a10 };
	static const uint64_t in_sleep[] = { 0xffffffff81000110, 0xffffffff81000310 };
	static const uint64_t writer[12] = { 0xffffffff81000410, 0xffffffff81000510 };
	static const uint64_t timer[12] = { 0xffffffff81000410, 0xffffffff81000610 };
	struct pev_encoder *enc = encoder("0", 0);
	char text[256];

	check(pev_writer_info_file(trace.w, "kallsyms", wait_symbols, strlen(wait_symbols)),
	      "kallsyms");
	snprintf(
		text, sizeof(text),
		"enabled=%ld run=%ld blocked=%ld runnable=%ld folded=%ld waits=%ld folded_waits=%ld",
		n * 3500001, n * 1000000, n * 2000000, n * 500000, n, n, n);
	check(pev_writer_info(trace.w, "waits", text), "info");
	for (long i = 0; i < n; i++) {
		bool sleeps = i % 2;

		if (i == missing)
			continue;
		pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "pev:wait"),
				  T0 + (uint64_t)(i + 1) * 3500000, 42);
		pev_encoder_data(enc, "kstack",
				 sleeps ? in_sleep :
				 lock	? in_lock :
					  in_read,
				 sleeps ? sizeof(in_sleep) :
				 lock	? sizeof(in_lock) :
					  sizeof(in_read));
		pev_encoder_int(enc, "blocked", 2000000);
		pev_encoder_int(enc, "runnable", 500000);
		pev_encoder_int(enc, "state", 1);
		pev_encoder_int(enc, "waker", sleeps ? 4 : 1);
		pev_encoder_int(enc, "frames", 2);
		pev_encoder_int(enc, "waker_pid", sleeps ? 0 : 77);
		pev_encoder_int(enc, "waker_tid", sleeps ? 0 : 77);
		pev_encoder_data(enc, "waker_comm", sleeps ? "" : "as", sleeps ? 1 : 3);
		pev_encoder_data(enc, "stack", sleeps ? timer : writer, sizeof(writer));
		if (sums)
			sums_of(enc, (uint64_t)(i + 1), 0);
		check(pev_encoder_commit(enc), "wait");
	}
	if (sums) {
		pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "pev:wait"),
				  T0 + (uint64_t)n * 3500000 + 700000, 42);
		pev_encoder_int(enc, "blocked", 700000);
		pev_encoder_int(enc, "state", 1);
		pev_encoder_int(enc, "flags", 4);
		sums_of(enc, (uint64_t)n, 700000);
		check(pev_encoder_commit(enc), "open wait");
	}
	check(pev_encoder_close(enc), "stream 0");
}

/* An event of the scheduler: of waking, @pid; else from @pid with @state to @next. */
static void scheduler(struct pev_encoder *enc, const char *name, uint64_t us, int by, int pid,
		      int state, int next)
{
	pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, name), T0 + us * 1000,
			  (uint32_t)by);
	if (!strcmp(name, "sched:sched_switch")) {
		pev_encoder_int(enc, "prev_pid", (uint64_t)pid);
		pev_encoder_int(enc, "prev_state", (uint64_t)state);
		pev_encoder_int(enc, "next_pid", (uint64_t)next);
	} else {
		pev_encoder_int(enc, "pid", (uint64_t)pid);
	}
	check(pev_encoder_commit(enc), name);
}

/*
 * 42 is woken by 43, N times: blocked and runnable; before it has left, so that it is not
 * blocked; and while it runs on, which is no wake-up. It runs for 10 us before each.
 */
static void wakes(long n)
{
	static const char sw[] = "sched:sched_switch", waking[] = "sched:sched_waking";
	static const char wakeup[] = "sched:sched_wakeup";
	struct pev_encoder *enc = encoder("0", 0);
	uint64_t t = 0;

	scheduler(enc, sw, t, 0, 0, 0, 42);
	for (long i = 0; i < n; i++, t += 410) {
		scheduler(enc, sw, t + 10, 42, 42, 1, 43);
		scheduler(enc, waking, t + 110, 43, 42, 0, 0);
		scheduler(enc, wakeup, t + 120, 43, 42, 0, 0);
		scheduler(enc, sw, t + 130, 43, 43, 0, 42);

		scheduler(enc, waking, t + 138, 43, 42, 0, 0);
		scheduler(enc, sw, t + 140, 42, 42, 1, 43);
		scheduler(enc, wakeup, t + 145, 43, 42, 0, 0);
		scheduler(enc, sw, t + 150, 43, 43, 0, 42);

		scheduler(enc, waking, t + 155, 43, 42, 0, 0);
		scheduler(enc, wakeup, t + 156, 43, 42, 0, 0);
		scheduler(enc, sw, t + 160, 42, 42, 2, 43);
		scheduler(enc, sw, t + 410, 43, 43, 0, 42);
	}
	scheduler(enc, sw, t + 10, 42, 42, 16, 0);
	check(pev_encoder_close(enc), "stream 0");
}

/*
 * 42 is woken, N times, and its return is missing when it leaves the next time; then it returns
 * after 60 us. It runs for 10 us before.
 */
static void missing(long n)
{
	static const char sw[] = "sched:sched_switch", waking[] = "sched:sched_waking";
	struct pev_encoder *enc = encoder("0", 0);
	uint64_t t = 0;

	scheduler(enc, sw, t, 0, 0, 0, 42);
	for (long i = 0; i < n; i++, t += 200) {
		scheduler(enc, sw, t + 10, 42, 42, 1, 0);
		scheduler(enc, waking, t + 110, 0, 42, 0, 0);
		scheduler(enc, sw, t + 140, 42, 42, 1, 0);
		scheduler(enc, sw, t + 200, 0, 0, 0, 42);
	}
	check(pev_encoder_close(enc), "stream 0");
}

static void own_switch(struct pev_encoder *enc, uint64_t us, bool out)
{
	pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "pev:switch"), T0 + us * 1000,
			  42);
	pev_encoder_int(enc, "out", out);
	check(pev_encoder_commit(enc), "switch");
}

/* 42 runs for 10 us and sleeps for 90, N times. */
static void own(long n)
{
	struct pev_encoder *enc = encoder("0", 0);

	for (long i = 0; i < n; i++) {
		uint64_t t = (uint64_t)i * 100;

		own_switch(enc, t + 10, true);
		scheduler(enc, "sched:sched_waking", t + 95, 43, 42, 0, 0);
		own_switch(enc, t + 100, false);
	}
	check(pev_encoder_close(enc), "stream 0");
}

static void clock_sample(struct pev_encoder *enc, long us, uint32_t tid)
{
	pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "cpu-clock"),
			  T0 + (uint64_t)us * 1000, tid);
	pev_encoder_int(enc, "pid", 42);
	pev_encoder_int(enc, "ip", BASE + 0x1000);
	check(pev_encoder_commit(enc), "sample");
}

/* 42 runs alone for N us, and for as long beside 43. Each is sampled once each us. */
static void phases(long n)
{
	static const char sw[] = "sched:sched_switch";
	struct pev_encoder *enc[2] = { encoder("0", 0), encoder("1", 1) };

	scheduler(enc[0], sw, 0, 0, 0, 0, 42);
	scheduler(enc[1], sw, (uint64_t)n, 0, 0, 0, 43);
	for (long us = 0; us < 2 * n; us++) {
		clock_sample(enc[0], us, 42);
		if (us >= n)
			clock_sample(enc[1], us, 43);
	}
	for (int i = 0; i < 2; i++) {
		scheduler(enc[i], sw, 2 * (uint64_t)n, 42 + i, 42 + i, 1, 0);
		check(pev_encoder_close(enc[i]), "stream");
	}
}

static void late_sample(long n)
{
	struct pev_encoder *enc = encoder("1", 1);
	char *offsets[] = { "0x1000" };

	sample(enc, n, FLAT, 1, offsets);
	check(pev_encoder_close(enc), "stream 1");
}

/* Two callers alternately, below them what pev adds to the chain. */
static void probes(long n)
{
	static const char kallsyms[] =
		"ffffffff81000000 T _stext\n"
		"ffffffff81000100 t pev_trace_begin\nffffffff81000200 t pev_probe_sched_wakeup\n"
		"ffffffff81000300 T __traceiter_sched_wakeup\nffffffff81000400 t ttwu_do_activate\n"
		"ffffffff81000500 t pev_is_no_probe\nffffffff81000600 T hrtimer_wakeup\n";
	uint64_t chain[] = { 0xffffffff81000110, 0xffffffff81000210, 0xffffffff81000310,
			     0xffffffff81000410, 0xffffffff81000510 };
	struct pev_encoder *enc = encoder("0", 0);

	check(pev_writer_info_file(trace.w, "kallsyms", kallsyms, strlen(kallsyms)), "kallsyms");
	for (long i = 0; i < n; i++) {
		pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "sched:sched_wakeup"),
				  T0 + (uint64_t)i * 1000, 42);
		chain[3] = i % 4 ? 0xffffffff81000410 : 0xffffffff81000610;
		pev_encoder_int(enc, "pid", 42);
		pev_encoder_data(enc, "kstack", chain, sizeof(chain));
		pev_encoder_data(enc, "comm", "woken", 6);
		check(pev_encoder_commit(enc), "wakeup");
	}
	check(pev_encoder_close(enc), "stream 0");
}

static void system_calls(long n)
{
	struct pev_encoder *enc = encoder("0", 0);

	for (long i = 0; i < 2 * n; i++) {
		pev_encoder_begin(enc,
				  pev_meta_class_by_name(trace.meta,
							 i & 1 ? "raw_syscalls:sys_exit" :
								 "raw_syscalls:sys_enter"),
				  T0 + (uint64_t)i * 1000, 42);
		pev_encoder_int(enc, "id", 0);
		if (i & 1)
			pev_encoder_int(enc, "ret", (uint64_t)i);
		check(pev_encoder_commit(enc), "call");
	}
	check(pev_encoder_close(enc), "stream 0");
}

#define TRACE_HIGH 0x4bf92f3577b34da6ull
#define TRACE_LOW 0xa3ce929d0e0e4736ull

static void request_sample(struct pev_encoder *enc, uint64_t us, uint32_t tid, int request,
			   uint64_t span)
{
	pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "task-clock"), T0 + us * 1000,
			  tid);
	pev_encoder_int(enc, "pid", 42);
	pev_encoder_int(enc, "ip", BASE + 0x1000);
	if (request) {
		pev_encoder_int(enc, "trace_high", TRACE_HIGH);
		pev_encoder_int(enc, "trace_low", TRACE_LOW + (uint64_t)request);
		pev_encoder_int(enc, "span", span);
	}
	check(pev_encoder_commit(enc), "sample");
}

/*
 * Each round takes 40 us: 42 works for request 1 and 43 for request 2, 44 for none, each for
 * 10 us; then 42 works for request 2. Of that there are two samples, of the others one.
 */
static void requests(long n)
{
	struct pev_encoder *enc = encoder("0", 0);

	for (long i = 0; i < n; i++) {
		uint64_t t = 10 + (uint64_t)i * 40;

		scheduler(enc, "sched:sched_switch", t, 44, i ? 42 : 0, 0, 42);
		request_sample(enc, t + 5, 42, 1, (uint64_t)i + 1);
		scheduler(enc, "sched:sched_switch", t + 10, 42, 42, 1, 43);
		request_sample(enc, t + 15, 43, 2, 1);
		scheduler(enc, "sched:sched_switch", t + 20, 43, 43, 1, 44);
		request_sample(enc, t + 25, 44, 0, 0);
		scheduler(enc, "sched:sched_switch", t + 30, 44, 44, 1, 42);
		request_sample(enc, t + 33, 42, 2, 2);
		request_sample(enc, t + 36, 42, 2, 2);
	}
	check(pev_encoder_close(enc), "stream 0");
}

static void guest_sample(struct pev_encoder *enc, uint64_t us, uint64_t ip, uint64_t guest,
			 uint64_t exit)
{
	pev_encoder_begin(enc, pev_meta_class_by_name(trace.meta, "task-clock"), T0 + us * 1000,
			  42);
	pev_encoder_int(enc, "pid", 42);
	pev_encoder_int(enc, "ip", ip);
	pev_encoder_int(enc, "guest", guest);
	pev_encoder_int(enc, "exit", exit);
	check(pev_encoder_commit(enc), "sample");
}

static void cross(struct pev_encoder *enc, uint64_t us, bool entry)
{
	pev_encoder_begin(
		enc, pev_meta_class_by_name(trace.meta, entry ? "kvm:kvm_entry" : "kvm:kvm_exit"),
		T0 + us * 1000, 42);
	if (!entry)
		pev_encoder_int(enc, "exit_reason", 0x78);
	pev_encoder_int(enc, "vcpu_id", 3);
	check(pev_encoder_commit(enc), "crossing");
}

static void guests(long n)
{
	struct pev_encoder *enc = encoder("0", 0);

	scheduler(enc, "sched:sched_switch", 0, 0, 0, 0, 42);
	for (long i = 0; i < n; i++) {
		uint64_t t = (uint64_t)i * 100;

		cross(enc, t + 10, true);
		guest_sample(enc, t + 20, 0xffffffff81000210, 1, 0);
		guest_sample(enc, t + 30, 0xffffffff81000210, 1, 0);
		guest_sample(enc, t + 40, 0x401000, 3, 0);
		cross(enc, t + 50, false);
		guest_sample(enc, t + 55, BASE + 0x1000, 0,
			     i % 2 ? PEV_EXIT_WORD(PEV_EXIT_SVM, 0x78) : 0);
		scheduler(enc, "sched:sched_switch", t + 60, 42, 42, 1, 0);
		scheduler(enc, "sched:sched_wakeup", t + 80, 0, 42, 0, 0);
		scheduler(enc, "sched:sched_switch", t + 90, 0, 0, 0, 42);
	}
	check(pev_encoder_close(enc), "stream 0");
}

static void flat_samples(const struct order *o)
{
	samples(o->n, o->kind->depth, o->n_offsets, o->offsets);
}

static void named_samples(const struct order *o)
{
	char *offsets[] = { "0x1000" };

	samples(o->n, FLAT, 1, offsets);
}

static void deep(const struct order *o)
{
	deep_samples(o->n, o->n_offsets, o->offsets);
}

static void slow(const struct order *o)
{
	slow_samples(o->n, o->n_offsets, o->offsets);
}

static void execs(const struct order *o)
{
	exec_samples(o->n, o->offsets[0]);
}

static void calls(const struct order *o)
{
	check(pev_writer_info(trace.w, "machine", o->argument), "info");
	system_calls(o->n);
}

static void pipe_waits(const struct order *o)
{
	waits(o->n, false, false, -1);
}

static void lock_waits(const struct order *o)
{
	waits(o->n, true, false, -1);
}

static void sums(const struct order *o)
{
	waits(o->n, false, true, atol(o->argument));
}

static void mixed(const struct order *o)
{
	probes(o->n);
	late_sample(o->n);
}

static const struct kind kinds[] = {
	{ "empty" },
	{ "flat", .comm = "prog", .make = flat_samples },
	{ "renamed", .comm = "other", .make = flat_samples },
	{ "chains", CHAINS, .comm = "prog", .make = flat_samples },
	{ "cut", STACKS, .comm = "prog", .make = flat_samples },
	{ "deep", CHAINS, .comm = "prog", .make = deep },
	{ "slow", .comm = "prog", .make = slow },
	{ "execs", STACKS, .comm = "prog", .make = execs },
	{ "random", CHAINS, .comm = "prog", .program = "/tmp/none", .events = random_samples },
	{ "hostile", .comm = "\033[31mred\033]0;x\007", .program = "/tmp/\033[1mlib\n.so",
	  .make = named_samples },
	{ "markup", .comm = "</script><b id=x>",
	  .program = "/tmp/--><img src=x onerror='document.title=1'>\"&amp;",
	  .make = named_samples },
	{ "sched", .comm = "prog", .program = "/bin/true", .events = switches },
	{ "turns", .comm = "prog", .program = "/bin/true", .events = turns },
	{ "probes", CHAINS, .comm = "prog", .program = "/bin/true", .events = probes },
	{ "mixed", CHAINS, .comm = "prog", .program = "/bin/true", .make = mixed },
	{ "calls", FLAT, CALLS, .comm = "prog", .program = "/bin/true", .make = calls },
	{ "requests", FLAT, REQUESTS, .comm = "prog", .program = "/bin/true", .events = requests },
	{ "guests", FLAT, GUESTS, .comm = "CPU 3/KVM", .program = "/bin/true", .events = guests },
	{ "waits", FLAT, WAITS, .comm = "cc1", .program = "/bin/true", .make = pipe_waits },
	{ "locks", FLAT, WAITS, .comm = "cc1", .program = "/bin/true", .make = lock_waits },
	{ "sums", FLAT, SUMS, .comm = "cc1", .program = "/bin/true", .make = sums },
	{ "wakes", FLAT, WAKES, OF_WAITS, .comm = "prog", .program = "/bin/true", .events = wakes },
	{ "missing", FLAT, WAKES, OF_MACHINE, .comm = "prog", .program = "/bin/true",
	  .events = missing },
	{ "own", FLAT, OWN, OF_WAITS, .comm = "prog", .program = "/bin/true", .events = own },
	{ "phases", FLAT, WAKES, OF_MACHINE, .comm = "prog", .program = "/bin/true",
	  .events = phases },
};

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	fprintf(stderr, "mktrace: %s: no such kind\n", name);
	exit(2);
}

static void make(const struct order *o)
{
	const struct kind *kind = o->kind;

	if (kind->of != OF_NOTHING)
		check(pev_writer_info(trace.w, "purpose", "waits"), "info");
	if (kind->of == OF_MACHINE)
		check(pev_writer_info(trace.w, "target", "the whole machine"), "info");
	if (kind->comm)
		state(kind->comm, kind->program ? kind->program : o->argument);
	if (kind->events)
		kind->events(o->n);
	else if (kind->make)
		kind->make(o);
}

int main(int argc, char **argv)
{
	struct order o = { 0 };

	if (argc < 3)
		return 2;
	o.kind = kind_of(argv[2]);
	o.n = argc > 3 ? atol(argv[3]) : 0;
	o.argument = argc > 4 ? argv[4] : NULL;
	o.n_offsets = argc > 5 ? argc - 5 : 0;
	o.offsets = o.n_offsets ? argv + 5 : NULL;
	begin(argv[1], o.kind->depth, o.kind->more);
	make(&o);
	check(pev_writer_close(trace.w), argv[1]);
	pev_meta_free(trace.meta);
	return 0;
}
