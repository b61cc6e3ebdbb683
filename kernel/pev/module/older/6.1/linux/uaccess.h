/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: an address that user mode may have, or none. */
#ifndef _PEV_OLDER_LINUX_UACCESS_H
#define _PEV_OLDER_LINUX_UACCESS_H

#include_next <linux/uaccess.h>
#include <linux/nospec.h>

/* Without a branch that could be passed before it is known; nothing is mapped at NULL. */
#define mask_user_address(at)								\
({											\
	typeof(at) __user_at = (at);							\
											\
	(typeof(at))((unsigned long)__user_at &						\
		     array_index_mask_nospec((unsigned long)__user_at, TASK_SIZE_MAX));	\
})

#endif
