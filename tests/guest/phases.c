// SPDX-License-Identifier: GPL-2.0
/*
 * What a guest that is recorded from outside does, and its own account of it: turns of a function in user
 * mode, another one, and one of the kernel's, that of samples/pev/pev-cost.c. The processor's clock, which has
 * to be the host's, says from when to when each was running.
 *
 * usage: phases left|right TURNS     two guests that have not a function in common
 *        phases left|right path      one short turn, in the kernel's part of which ftrace is switched on
 *
 *   between FROM TO            what runs between the phases
 *   function NAME FROM TO      of the phase NAME; a kernel's phase is a system call of it
 *   kernel NAME FUNCTION...    functions of the kernel's loop
 *   phase NAME BEGIN END
 *
 * The guest stops before all turns, and behind them, before the account, until the host lets it go on.
 */
#include "linux_vmm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#define ROUNDS 10000
#define WORDS 1024
#define TRACING_ON "/sys/kernel/tracing/tracing_on"
#define LOOPS "/sys/kernel/debug/pev_cost/"

struct turn {
	int phase;
	uint64_t begin, end;
};

static uint64_t words[WORDS];
static volatile uint64_t sink;
static int loop_fd, msr_fd;
static const char *kernel_rounds;
static size_t kernel_rounds_len;

/* Each phase is a section, whose bounds the linker knows. */
#define PHASE(name)                                                \
	extern const char __start_in_##name[], __stop_in_##name[]; \
	static __attribute__((noinline, noclone, section("in_" #name))) void name(struct turn *t)

PHASE(left_mix)
{
	uint64_t x = 1;

	t->begin = __rdtsc();
	for (int i = 0; i < ROUNDS; i++)
		x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
	sink = x;
	t->end = __rdtsc();
}

PHASE(left_walk)
{
	uint64_t at = 0;

	t->begin = __rdtsc();
	for (int i = 0; i < ROUNDS; i++)
		at = words[at];
	sink = at;
	t->end = __rdtsc();
}

PHASE(right_sum)
{
	uint64_t sum = 0;

	t->begin = __rdtsc();
	for (int i = 0; i < ROUNDS; i++)
		sum += words[i % WORDS];
	sink = sum;
	t->end = __rdtsc();
}

PHASE(right_divide)
{
	uint64_t x = UINT64_MAX;

	t->begin = __rdtsc();
	for (int i = 1; i < ROUNDS; i++)
		x = UINT64_MAX / (x | i);
	sink = x;
	t->end = __rdtsc();
}

/* Inlined: a function of the C library's would be one of its own. */
static inline __attribute__((always_inline)) void enter_kernel(struct turn *t)
{
	long ret;

	t->begin = __rdtsc();
	asm volatile("syscall"
		     : "=a"(ret)
		     : "a"(SYS_write), "D"(loop_fd), "S"(kernel_rounds), "d"(kernel_rounds_len)
		     : "rcx", "r11", "memory");
	t->end = __rdtsc();
	sink = ret;
}

PHASE(left_kernel)
{
	enter_kernel(t);
}

PHASE(right_kernel)
{
	enter_kernel(t);
}

struct phase {
	const char *name;
	void (*run)(struct turn *t);
	const char *from, *to;
};

#define PHASE_OF(name) #name, name, __start_in_##name, __stop_in_##name

static const struct who {
	const char *name;
	struct phase phases[3];
	const char *loop; /* the file that begins it */
	const char *rounds;
	const char *functions;
} who[] = {
	{
		.name = "left",
		.phases = { { PHASE_OF(left_mix) },
			    { PHASE_OF(left_kernel) },
			    { PHASE_OF(left_walk) } },
		.loop = LOOPS "bare",
		.rounds = "10000",
		.functions = "bare bare_set",
	},
	{
		.name = "right",
		.phases = { { PHASE_OF(right_sum) },
			    { PHASE_OF(right_kernel) },
			    { PHASE_OF(right_divide) } },
		.loop = LOOPS "callback",
		.rounds = "4000",
		.functions = "callback callback_set consume ktime_get", /* which consume() asks */
	},
};

#define PHASES (sizeof(who[0].phases) / sizeof(who[0].phases[0]))

static void give_up(const char *what)
{
	printf("phases: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void stop(void)
{
	const uint64_t any = 0;

	if (pwrite(msr_fd, &any, sizeof(any), MSR_STOP) != sizeof(any))
		give_up("the register that stops");
}

static void run(const struct who *w, struct turn *turns, int nr)
{
	for (int i = 0; i < nr; i++) {
		struct turn *t = &turns[i];

		t->phase = i % PHASES;
		w->phases[t->phase].run(t);
	}
}

static void set_rounds(const char *rounds)
{
	kernel_rounds = rounds;
	kernel_rounds_len = strlen(rounds);
}

/* With as few rounds as can be */
static void trace_path(const struct who *w)
{
	int fd = open(TRACING_ON, O_WRONLY | O_CLOEXEC);
	struct turn t;

	if (fd < 0)
		give_up(TRACING_ON);
	set_rounds("1");
	if (pwrite(fd, "1", 1, 0) != 1)
		give_up(TRACING_ON);
	w->phases[1].run(&t);
	if (pwrite(fd, "0", 1, 0) != 1)
		give_up(TRACING_ON);
}

static void tell(const struct who *w, const struct turn *turns, int nr)
{
	extern const char __executable_start[], etext[];

	printf("between %p %p\n", (void *)__executable_start, (void *)etext);
	for (size_t i = 0; i < PHASES; i++) {
		const struct phase *p = &w->phases[i];

		printf("function %s %p %p\n", p->name, (void *)p->from, (void *)p->to);
	}
	printf("kernel %s %s\n", w->phases[1].name, w->functions);
	for (int i = 0; i < nr; i++) {
		const struct turn *t = &turns[i];

		printf("phase %s %lu %lu\n", w->phases[t->phase].name, t->begin, t->end);
	}
}

int main(int argc, char **argv)
{
	const struct who *w = argc == 3 && !strcmp(argv[1], "right") ? &who[1] : &who[0];
	bool path = argc == 3 && !strcmp(argv[2], "path");
	int nr = path ? (int)PHASES : argc == 3 ? atoi(argv[2]) : 0;
	struct turn *turns = calloc(nr > 0 ? nr + PHASES : 1, sizeof(*turns));

	if (nr <= 0 || strcmp(argv[1], w->name) || !turns) {
		printf("usage: phases left|right TURNS|path\n");
		return 2;
	}
	for (int i = 0; i < WORDS; i++)
		words[i] = (i * 389 + 1) % WORDS;
	loop_fd = open(w->loop, O_WRONLY | O_CLOEXEC);
	if (loop_fd < 0)
		give_up(w->loop);
	msr_fd = open("/dev/cpu/0/msr", O_WRONLY | O_CLOEXEC);
	if (msr_fd < 0)
		give_up("/dev/cpu/0/msr");
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		give_up("mlockall");
	set_rounds(w->rounds);
	/* what is used for the first time is used before */
	run(w, turns, PHASES);
	if (path) {
		trace_path(w);
		return 0;
	}
	stop();
	run(w, turns, nr);
	stop();
	tell(w, turns, nr);
	return 0;
}
