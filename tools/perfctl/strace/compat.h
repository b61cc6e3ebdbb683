/* SPDX-License-Identifier: GPL-2.0 */
/*
 * 32-bit programs on x86_64: their system calls have numbers of another table. Kernels with pev say
 * of each call whose it is; elsewhere it is the program's file that tells.
 */
#ifndef PERFCTL_STRACE_COMPAT_H
#define PERFCTL_STRACE_COMPAT_H

#include "base/util.h"

/* In the number of a call: it is one of the 32-bit table. */
#define COMPAT_CALL 0x20000000

/* Returns the 32-bit call of that number, NULL if there is none or no such table. */
const char *compat_name(unsigned int nr);
/* Returns how many numbers there may be; 0 where there are no 32-bit calls. */
unsigned int compat_count(void);

/**
 * struct compat - which processes are 32-bit programs
 * @some: one was seen
 */
struct compat {
	struct compat_process {
		uint32_t pid;
		bool is;
		bool known;
	} * processes;
	size_t n, cap;
	struct htab h;
	bool some;
};

/* Of one that has ended before it was looked at, what its parent was, or a 64-bit program. */
bool compat_is(struct compat *c, uint32_t pid);
void compat_set(struct compat *c, uint32_t pid, bool is);
void compat_fork(struct compat *c, uint32_t parent, uint32_t child);
/* It may run another program now. */
void compat_changed(struct compat *c, uint32_t pid);
void compat_free(struct compat *c);

#endif
