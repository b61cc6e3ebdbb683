// SPDX-License-Identifier: GPL-2.0
/* Owns how structures that may grow are copied to the user. */
#include <linux/minmax.h>
#include <linux/uaccess.h>
#include "base/user.h"
#include "user.h"

int pev_copy_struct_to_user(void __user *to, size_t usize, const void *from, size_t ksize)
{
	size_t size = min(usize, ksize);

	if (copy_to_user(to, from, size))
		return -EFAULT;
	if (usize > size && clear_user(to + size, usize - size))
		return -EFAULT;
	return 0;
}
