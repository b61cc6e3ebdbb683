// SPDX-License-Identifier: GPL-2.0
/*
 * The step by which marks are written (pev_mark_commit() of pev/mark.h), with heads of its own, as
 * no kernel with pev runs here: threads that are preempted and moved each add to the head of the
 * place that they have at the moment. Whatever was committed twice, or not at all, is missing.
 */
#include <pthread.h>
#include <pev/mark.h>
#include "tap.h"

#define THREADS 6
#define ROUNDS 100000
#define CIDS 64
#define WORDS 4

static struct {
	uint64_t head, data[WORDS];
} __attribute__((aligned(128))) place[CIDS];
static uint64_t strange[THREADS], again[THREADS];

static void *work(void *arg)
{
	uint64_t from[WORDS], self = (uint64_t)(uintptr_t)arg;
	struct pev_mark_rseq *rseq = pev_mark_rseq();

	for (int i = 0; i < ROUNDS;) {
		uint32_t cid = *(volatile uint32_t *)&rseq->mm_cid;
		uint64_t old;

		if (cid >= CIDS) {
			strange[self]++;
			break;
		}
		old = *(volatile uint64_t *)&place[cid].head;
		for (int w = 0; w < WORDS; w++)
			from[w] = old + 1;
		if (pev_mark_commit(rseq, cid, &place[cid].head, old, old + 1, place[cid].data,
				    from, WORDS))
			again[self]++;
		else
			i++;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	uint64_t sum = 0, odd = 0, tries = 0, bad = 0;

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		tries += again[i];
		bad += strange[i];
	}
	for (int i = 0; i < CIDS; i++) {
		sum += place[i].head;
		for (int w = 0; w < WORDS; w++)
			odd += place[i].head && place[i].data[w] - place[i].head > 1;
	}
	IS_NUM(bad, 0, "threads have a place");
	IS_NUM(sum, (long long)THREADS * ROUNDS, "each commit counts once");
	/* the last commit's words, or those of a try behind it */
	IS_NUM(odd, 0, "its words lie there");
	OK(tries, "some were tried again: %llu", (unsigned long long)tries);
	return tap_plan();
}
