// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Names and numbers of system calls.
 */
#include <errno.h>
#include <string.h>
#include <pev/catalog.h>
#include "core/compiler.h"
#include "sys/syscalls.h"

/* The Makefile extracts these from the headers that the library is built with. */
static const struct call {
	unsigned int	nr;
	const char	*name;
} built_in[] = {
#define SYSCALL(nr, name) { nr, name }
#include "syscall_table.h"
#undef SYSCALL
}, newer[] = {
	/* the headers may be older than the kernel; from 424 on all machines share the numbers */
#ifdef __x86_64__
	{ 335, "uretprobe" }, { 336, "uprobe" },
#endif
	{ 451, "cachestat" }, { 452, "fchmodat2" }, { 453, "map_shadow_stack" },
	{ 454, "futex_wake" }, { 455, "futex_wait" }, { 456, "futex_requeue" },
	{ 457, "statmount" }, { 458, "listmount" }, { 459, "lsm_get_self_attr" },
	{ 460, "lsm_set_self_attr" }, { 461, "lsm_list_modules" }, { 462, "mseal" },
	{ 463, "setxattrat" }, { 464, "getxattrat" }, { 465, "listxattrat" },
	{ 466, "removexattrat" }, { 467, "open_tree_attr" }, { 468, "file_getattr" },
	{ 469, "file_setattr" },
};

/* A call, and the function of the kernel that is named otherwise */
static const char *const functions[][2] = {
	{ "umount2", "umount" }, { "sendfile", "sendfile64" }, { "uname", "newuname" },
	{ "stat", "newstat" }, { "fstat", "newfstat" }, { "lstat", "newlstat" },
	{ "fadvise64", "fadvise64_64" }, { "pread64", "pread" }, { "pwrite64", "pwrite" },
};

static const char *by_number(const struct call *calls, size_t nr_calls, unsigned int nr)
{
	for (size_t i = 0; i < nr_calls; i++)
		if (calls[i].nr == nr)
			return calls[i].name;
	return NULL;
}

static int by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(built_in); i++)
		if (!strcmp(built_in[i].name, name))
			return (int)built_in[i].nr;
	for (size_t i = 0; i < ARRAY_SIZE(newer); i++)
		if (!strcmp(newer[i].name, name))
			return (int)newer[i].nr;
	return -ENOENT;
}

PEV_EXPORT const char *pev_syscall_name(unsigned int nr)
{
	const char *name = by_number(built_in, ARRAY_SIZE(built_in), nr);

	return name ? name : by_number(newer, ARRAY_SIZE(newer), nr);
}

PEV_EXPORT int pev_syscall_number(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(functions[i][1], name))
			return by_name(functions[i][0]);
	return by_name(name);
}

const char *syscall_function(unsigned int nr, unsigned int which)
{
	const char *name = pev_syscall_name(nr);

	if (!name || !which)
		return name;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (!strcmp(functions[i][0], name))
			return which == 1 ? functions[i][1] : NULL;
	return NULL;
}
