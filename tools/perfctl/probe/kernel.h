/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of the kernel that runs, and in which of them it allows no probe. */
#ifndef PERFCTL_PROBE_KERNEL_H
#define PERFCTL_PROBE_KERNEL_H

#include "base/util.h"

/**
 * struct kernel_function - a function of the kernel
 * @name:   of it
 * @module: NULL: of the kernel itself
 * @count:  how many have this name
 * @banned: the kernel's blacklist has it
 */
struct kernel_function {
	char *name;
	char *module;
	unsigned int count;
	bool banned;
};

/**
 * struct kernel_functions - all of them, by name
 * @no_blacklist: the blacklist could not be read
 */
struct kernel_functions {
	struct kernel_function *v;
	size_t n;
	size_t cap;
	bool no_blacklist;
};

#define KERNEL_BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

/* @module: of it alone, NULL: of all; @glob: NULL: all. Returns 0, or -errno with a sentence. */
int kernel_functions_read(struct kernel_functions *to, const char *module, const char *glob,
			  struct msg *m);
void kernel_functions_free(struct kernel_functions *f);

#endif
