// SPDX-License-Identifier: GPL-2.0
/* How long threads had to wait for a processor. See sched.h. */
#include "sched.h"

#include <stdlib.h>

void sched_init(struct sched_groups *s, struct session *session)
{
	*s = (struct sched_groups){ .session = session };
	waits_init(&s->waits, session);
	s->waits.no_chains = true;
}

static void free_group(struct sched_group *g)
{
	durations_free(&g->blocked);
	durations_free(&g->runnable);
}

void sched_free(struct sched_groups *s)
{
	for (size_t i = 0; i < s->n; i++)
		free_group(&s->g[i]);
	free_group(&s->all);
	free(s->g);
	htab_free(&s->h);
	waits_free(&s->waits);
	wait_filter_free(&s->filter);
}

static struct sched_group *group_of(struct sched_groups *s, const struct thread *t)
{
	uint32_t tid = s->by_comm ? 0 : t->tid;
	struct sched_group *g;

	if (HTAB_GET(g, &s->h, hash_2u64(t->comm, tid), g->comm == t->comm && g->tid == tid, s->g,
		     s->n, s->cap)) {
		g->comm = t->comm;
		g->tid = tid;
		g->pid = s->by_comm ? 0 : t->pid;
	}
	return g;
}

static void add_to(struct sched_group *g, const struct wait *wait)
{
	g->run += wait->ran;
	/* one that gave its processor away was not blocked */
	if (!wait_is_preempted(wait))
		durations_add(&g->blocked, wait->blocked);
	if (wait->runnable >= g->most) {
		g->most = wait->runnable;
		g->worst = wait->end;
	}
	durations_add(&g->runnable, wait->runnable);
}

static void add_wait(void *arg, const struct wait *wait)
{
	struct sched_groups *s = arg;

	if (!wait_filter_has(&s->filter, wait))
		return;
	add_to(group_of(s, &wait->thread), wait);
	add_to(&s->all, wait);
}

static int by_runnable(const void *a, const void *b)
{
	const struct sched_group *x = a, *y = b;

	if (x->runnable.sum != y->runnable.sum)
		return x->runnable.sum < y->runnable.sum ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

int sched_load(struct sched_groups *s, struct msg *m)
{
	int err;

	s->waits.family = &s->filter.family;
	err = waits_read(&s->waits, add_wait, s, m);
	for (size_t i = 0; i < s->waits.n && !err; i++) {
		const struct wait_thread *t = &s->waits.threads[i];

		/* what it ran since its last wait */
		if (t->next.ran && wait_filter_thread(&s->filter, &t->thread)) {
			group_of(s, &t->thread)->run += t->next.ran;
			s->all.run += t->next.ran;
		}
	}
	if (!err && s->n)
		qsort(s->g, s->n, sizeof(*s->g), by_runnable);
	/* places in the table have changed */
	htab_clear(&s->h);
	return err;
}
