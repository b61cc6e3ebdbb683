/* SPDX-License-Identifier: GPL-2.0 */
/* Structures of the ABI on their way to the user. */
#ifndef _PEV_USER_H
#define _PEV_USER_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * pev_copy_struct_to_user() - an extensible structure on its way out
 * @to:    the user's
 * @usize: bytes the user has room for
 * @from:  the kernel's
 * @ksize: bytes the kernel knows
 *
 * A longer user structure is filled up with zeroes, a shorter one gets what
 * it knows.
 *
 * Return: 0 or -EFAULT.
 */
int pev_copy_struct_to_user(void __user *to, size_t usize, const void *from, size_t ksize);

#endif
