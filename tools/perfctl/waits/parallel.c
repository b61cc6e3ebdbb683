// SPDX-License-Identifier: GPL-2.0
/* How many threads ran at each moment. See parallel.h. */
#include "parallel.h"
#include "base/util.h"

#include <stdlib.h>

static void add(struct parallel *p, int64_t ns, int n)
{
	*ARRAY_PUSH(p->steps, p->n, p->cap) = (struct parallel_step){ ns, n };
}

static bool counts(const struct parallel *p, const struct thread *t)
{
	return t->tid && (!p->family.n || family_has(&p->family, t->pid));
}

static void ran(struct parallel *p, const struct thread *t, int64_t from, int64_t to)
{
	if (from >= to || !counts(p, t))
		return;
	add(p, from, 1);
	add(p, to, -1);
}

static void waited(void *arg, const struct wait *wait)
{
	ran(arg, &wait->thread, wait->begin - (int64_t)wait->ran, wait->begin);
}

/* What came behind the last wait of each. */
static void add_last(struct parallel *p)
{
	for (size_t i = 0; i < p->waits.n; i++) {
		const struct wait_thread *t = &p->waits.threads[i];

		ran(p, &t->thread, t->since - (int64_t)t->next.ran, t->since);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct parallel_step *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Makes numbers of threads of what each step adds or takes away. */
static void add_up(struct parallel *p)
{
	int64_t running = 0;
	size_t n = 0;

	if (p->n)
		qsort(p->steps, p->n, sizeof(*p->steps), by_time);
	for (size_t i = 0; i < p->n; i++) {
		running += p->steps[i].n;
		if (n && p->steps[n - 1].ns == p->steps[i].ns)
			n--;
		p->steps[n++] = (struct parallel_step){ p->steps[i].ns, running };
	}
	p->n = n;
}

int parallel_read(struct parallel *p, const struct session *s, struct msg *m)
{
	int err;

	*p = (struct parallel){ 0 };
	err = session_fork(&p->session, s, m);
	if (err)
		return err;
	waits_init(&p->waits, &p->session);
	family_init(&p->family, s->trace);
	p->waits.family = &p->family;
	p->waits.no_chains = true;
	err = waits_read(&p->waits, waited, p, m);
	if (err)
		return err;
	add_last(p);
	add_up(p);
	return 0;
}

void parallel_free(struct parallel *p)
{
	waits_free(&p->waits);
	family_free(&p->family);
	session_close(&p->session);
	free(p->steps);
}

uint64_t parallel_at(const struct parallel *p, int64_t ns)
{
	size_t from = 0, to = p->n;

	/* the last step at or before @ns is the one before @from */
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (p->steps[mid].ns <= ns)
			from = mid + 1;
		else
			to = mid;
	}
	return from && p->steps[from - 1].n > 1 ? (uint64_t)p->steps[from - 1].n : 1;
}

uint64_t parallel_weigh(const void *arg, const struct thread *thread, uint64_t weight, int64_t ns)
{
	uint64_t n = parallel_at(arg, ns);

	if (!counts(arg, thread))
		return 0;
	return weight / n + (weight % n * 2 >= n);
}

void parallel_each(const struct parallel *p,
		   void (*fn)(void *arg, uint64_t threads, uint64_t ns, uint64_t of), void *arg)
{
	uint64_t *sums = NULL, all = 0;
	int64_t most = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->steps[i].n > most)
			most = p->steps[i].n;
	sums = xcalloc((size_t)most + 1, sizeof(*sums));
	for (size_t i = 0; i + 1 < p->n; i++) {
		uint64_t ns = (uint64_t)(p->steps[i + 1].ns - p->steps[i].ns);

		if (p->steps[i].n > 0) {
			sums[p->steps[i].n] += ns;
			all += ns;
		}
	}
	for (int64_t n = 1; n <= most; n++)
		if (sums[n])
			fn(arg, (uint64_t)n, sums[n], all);
	free(sums);
}
