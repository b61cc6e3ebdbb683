// SPDX-License-Identifier: GPL-2.0
/*
 * Calls handle() as often as it is told, with a request that has members of all sorts: what
 * probes find by debug information. Request N has the id N and the port 8000 + N.
 */
#include <stdio.h>
#include <stdlib.h>

struct hidden;

struct peer {
	unsigned short port;
	char host[8];
};

struct request {
	int id;
	unsigned int urgent : 1;
	unsigned int kind : 3;
	struct peer peer;
	const char *path;
	double cost;
	union {
		long whole;
		struct {
			short low, high;
		};
	};
	int codes[4];
	int grid[2][3];
	struct request *next;
	struct hidden *hidden;
	struct request *bad;
};

struct pair {
	int left, right;
};

static int served;
static __thread int own;

__attribute__((noinline)) int handle(struct request *r, int factor)
{
	int a[4] = { r->id, 10, 20, 30 };
	struct peer s = r->peer;
	int ret = r->id * factor;

	served += factor;
	__asm__ volatile("" : "+r"(ret) : "m"(a), "m"(s), "r"(r), "r"(factor) : "memory");
	own++; /* the line that is probed */
	__asm__ volatile("" : "+r"(ret) : "m"(a), "m"(s), "r"(r), "r"(factor) : "memory");
	return ret;
}

/* The seventh number, and structures, are on the stack. */
__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int seventh,
				   struct request big, double ratio)
{
	__asm__ volatile("" ::: "memory");
	return a + b + c + d + e + f + seventh + big.id + (int)ratio;
}

/* Two registers have both numbers of it, or one. */
__attribute__((noinline)) int halves(struct pair p)
{
	__asm__ volatile("" ::: "memory");
	return p.left + p.right;
}

static inline __attribute__((always_inline)) int inner(int deep)
{
	__asm__ volatile("" : "+r"(deep) : : "memory"); /* what is inlined */
	return deep + 1;
}

__attribute__((noinline)) int one(int x)
{
	return inner(x);
}

__attribute__((noinline)) int two(int x, int y)
{
	__asm__ volatile("" : "+r"(x) : : "memory");
	return inner(y) * x;
}

int main(int argc, char **argv)
{
	struct request next = { .id = 77, .peer = { 81, "other" }, .path = "/next" };
	/* an address that no program has */
	struct request r = { .next = &next,
			     .bad = (struct request *)8,
			     .path = "/first",
			     .peer = { 0, "full8888" } };
	int n = argc > 1 ? atoi(argv[1]) : 1, sum = 0;

	for (int i = 0; i < n; i++) {
		r.id = i;
		r.peer.port = (unsigned short)(8000 + i);
		r.low = (short)-i;
		r.high = 5;
		for (int k = 0; k < 4; k++)
			r.codes[k] = 100 * k + i;
		r.grid[1][2] = 12;
		sum += handle(&r, 10) + many(1, 2, 3, 4, 5, 6, 7, r, 1.5);
		sum += halves((struct pair){ i, 2 }) + one(i) + two(i, 3);
	}
	printf("%d\n", sum + served);
	return 0;
}
