// SPDX-License-Identifier: GPL-2.0
/* How many threads ran at once. See latency.h. */
#include "latency.h"

#include <inttypes.h>

/* Numbers of threads that are printed; the others are one */
#define NUMBERS 8

/**
 * struct line - while it is printed
 * @n:    numbers that were printed
 * @more: ns with more threads, @of all
 */
struct line {
	FILE *out;
	unsigned int n;
	uint64_t more;
	uint64_t of;
};

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

static void print_number(void *arg, uint64_t threads, uint64_t ns, uint64_t of)
{
	struct line *l = arg;

	l->of = of;
	if (l->n == NUMBERS) {
		l->more += ns;
		return;
	}
	fprintf(l->out, "%s%" PRIu64 " in %.1f %%", l->n ? ", " : "", threads, percent(ns, of));
	l->n++;
}

void latency_print(const struct parallel *p, FILE *out)
{
	struct line l = { .out = out };

	fputs("# shares are of the time that passed: while n threads ran, a sample counts 1/n\n"
	      "# threads at once: ",
	      out);
	parallel_each(p, print_number, &l);
	if (l.more)
		fprintf(out, ", more in %.1f %%", percent(l.more, l.of));
	fputs(l.n ? " of the time that any ran\n" : "none was seen to run\n", out);
}

static void json_number(void *arg, uint64_t threads, uint64_t ns, uint64_t of)
{
	struct json *j = arg;

	(void)of;
	json_open(j, NULL, '{');
	json_u64(j, "threads", threads);
	json_u64(j, "ns", ns);
	json_close(j, '}');
}

void latency_json(const struct parallel *p, struct json *j)
{
	json_open(j, "parallel", '[');
	parallel_each(p, json_number, j);
	json_close(j, ']');
}
