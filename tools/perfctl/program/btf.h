/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel's own type information, BTF, says of its functions. By libbpf. */
#ifndef PERFCTL_PROGRAM_BTF_H
#define PERFCTL_PROGRAM_BTF_H

#include "debug.h"
#include "value.h"

/**
 * struct kernel_types - the types of the kernel that runs
 * @kernel: of libbpf
 * @module: the same of one of its modules, or NULL
 */
struct kernel_types {
	struct btf *kernel;
	struct btf *module;
};

/*
 * @module: also those of this one; NULL: none. Returns 0, or -errno with a sentence that says why
 * nothing is known.
 */
int kernel_types_open(struct kernel_types *t, const char *module, struct msg *m);
void kernel_types_close(struct kernel_types *t);

/* The function of a name; returns whether there is one. Names are those of @t. */
bool kernel_types_function(const struct kernel_types *t, const char *name, struct parameters *to);
/* The type of one of its arguments, or with -1 of its result; returns whether it is known. */
bool kernel_types_value(const struct kernel_types *t, const char *name, int argument,
			struct value_type *to);

#endif
