// SPDX-License-Identifier: GPL-2.0
/*
 * A program with a known call path. In its innermost function it writes what
 * a sample would carry: registers, a piece of its stack, its maps.
 *
 * usage: victim FILE plain|signal|alloca|deep|vdso|badcall
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define STACK 16384

static const char *to;
static int kind;

/* bx bp sp ip r12-r15, as the sample's registers in that order */
static uint64_t regs[8];

#define NOINLINE __attribute__((noinline))

static void put(int fd, const void *data, size_t len)
{
	if (write(fd, data, len) != (ssize_t)len)
		_exit(3);
}

static void put_file(int fd, const char *path)
{
	char buf[4096];
	int in = open(path, O_RDONLY);
	ssize_t n;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		put(fd, buf, (size_t)n);
	close(in);
}

/* Bytes from here to the end of the stack, STACK at most. */
static uint64_t stack_left(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, here = (unsigned long)&f, left = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && here >= start && here < end)
			left = end - here - 512;
	if (f)
		fclose(f);
	return left < STACK ? left & ~7ul : STACK;
}

/* A sample: taken here, so this is the innermost function. */
NOINLINE void leaf(void)
{
	uint64_t n = sizeof(regs) / sizeof(regs[0]), len = stack_left();
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	__asm__ volatile("mov %%rbx, 0(%0)\n\tmov %%rbp, 8(%0)\n\tmov %%rsp, 16(%0)\n\t"
			 "lea 0(%%rip), %%rcx\n\tmov %%rcx, 24(%0)\n\t"
			 "mov %%r12, 32(%0)\n\tmov %%r13, 40(%0)\n\tmov %%r14, 48(%0)\n\t"
			 "mov %%r15, 56(%0)" : : "r"(regs) : "rcx", "memory");
	put(fd, &n, sizeof(n));
	put(fd, regs, sizeof(regs));
	put(fd, &len, sizeof(len));
	put(fd, (void *)regs[2], len);
	put_file(fd, "/proc/self/maps");
	close(fd);
	if (kind == 'v') {
		char name[300];

		snprintf(name, sizeof(name), "%s.vdso", to);
		fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		put(fd, (void *)getauxval(AT_SYSINFO_EHDR), 0x2000);
		close(fd);
	}
}

static void on_signal(int sig)
{
	(void)sig;
	leaf();
	__asm__ volatile("");
}

NOINLINE int f4(int x)
{
	if (kind == 's') {
		signal(SIGUSR1, on_signal);
		raise(SIGUSR1);
	} else {
		leaf();
	}
	return x + 1;
}

NOINLINE int f3(int x)
{
	volatile char room[4000];

	room[x & 63] = 1;
	return f4(x + room[x & 63]) + 1;
}

NOINLINE int f2(int x)
{
	/* its frame is found by the frame pointer: its size is not known */
	char *p = kind == 'a' ? __builtin_alloca((size_t)x * 100 + 64) : (char *)&x;

	__asm__ volatile("" : : "r"(p) : "memory");
	return f3(x) + 1;
}

NOINLINE int f1(int x)
{
	int got = kind == 'd' && x > 0 ? f1(x - 1) : f2(x);

	/* a frame for each call, not a loop */
	__asm__ volatile("" : "+r"(got) : : "memory");
	return got + 1;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	to = argv[1];
	kind = argv[2][0];
	return f1(kind == 'd' ? 2000 : argc) ? 0 : 1;
}
