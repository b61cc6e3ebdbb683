/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the arguments of a function of the kernel. */
#ifndef PERFCTL_EVENT_PROBE_KERNEL_H
#define PERFCTL_EVENT_PROBE_KERNEL_H

#include "probe_fields.h"
#include "program/btf.h"

/**
 * struct probe_kernel_arguments - the arguments of a function, by the kernel's types
 * @types:  have their names
 * @name:   of the function, without its module
 * @scope:  finds values by them, if @known
 * @back:   the place is its return: there is the result alone
 * @params: as they are there
 * @v:      the same as fields
 * @result: the same of what it returns, or NULL
 * @there:  the kernel or a module has such a function
 * @known:  what they are
 * @why:    not @known: a sentence that says why
 */
struct probe_kernel_arguments {
	struct kernel_types types;
	char *name;
	struct probe_scope scope;
	bool back;
	struct parameters params;
	struct probe_argument *v;
	const struct probe_argument *result;
	bool there;
	bool known;
	struct msg why;
};

/* @name: "FUNCTION" or "MODULE:FUNCTION" */
void probe_kernel_arguments(struct probe_kernel_arguments *to, const char *name, bool back);
void probe_kernel_arguments_free(struct probe_kernel_arguments *a);

/* How many bytes the function has; 0: it is not known, as nothing is to unprivileged users. */
uint64_t probe_kernel_size(const char *name);

#endif
