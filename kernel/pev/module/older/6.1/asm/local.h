/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: changes of a word by its own CPU, without the lock of the bus. */
#ifndef _PEV_OLDER_ASM_LOCAL_H
#define _PEV_OLDER_ASM_LOCAL_H

#include_next <asm/local.h>
#include <linux/atomic.h>

#define try_cmpxchg_local(at, old_at, value)					\
({										\
	typeof(old_at) __old_at = (old_at);					\
	typeof(*__old_at) __expected = *__old_at;				\
										\
	*__old_at = cmpxchg_local(at, __expected, value);			\
	*__old_at == __expected;						\
})

#endif
