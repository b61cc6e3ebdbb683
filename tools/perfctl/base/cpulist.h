/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of CPUs as text ("0-3,8") and as the kernel's mask. */
#ifndef PERFCTL_BASE_CPULIST_H
#define PERFCTL_BASE_CPULIST_H

#include "util.h"

#define CPULIST_MAX 65536

/**
 * struct cpulist - a set of CPUs
 * @words: bit n%64 of word n/64 is CPU n
 * @n:     words
 */
struct cpulist {
	uint64_t *words;
	unsigned int n;
};

int cpulist_parse(struct cpulist *l, const char *text, struct msg *m);
void cpulist_copy(struct cpulist *to, const struct cpulist *from);
void cpulist_free(struct cpulist *l);
bool cpulist_has(const struct cpulist *l, unsigned int cpu);
unsigned int cpulist_count(const struct cpulist *l);
/* "0-3,8" */
void cpulist_put(struct strbuf *b, const struct cpulist *l);
/* The CPUs that are online; empty if the kernel does not say. */
int cpulist_online(struct cpulist *l);

#endif
