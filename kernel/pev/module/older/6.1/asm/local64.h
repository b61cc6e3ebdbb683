/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: a change that says whether it was made. */
#ifndef _PEV_OLDER_ASM_LOCAL64_H
#define _PEV_OLDER_ASM_LOCAL64_H

#include_next <asm/local64.h>

#define local64_try_cmpxchg(at, old_at, value)					\
({										\
	s64 *__old_at = (old_at);						\
	s64 __expected = *__old_at;						\
										\
	*__old_at = local64_cmpxchg(at, __expected, value);			\
	likely(*__old_at == __expected);					\
})

#endif
