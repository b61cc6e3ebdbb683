/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: how far two numbers are apart. */
#ifndef _PEV_OLDER_LINUX_MATH_H
#define _PEV_OLDER_LINUX_MATH_H

#include_next <linux/math.h>

#define abs_diff(a, b)							\
({									\
	typeof(a) __apart_a = (a);					\
	typeof(b) __apart_b = (b);					\
									\
	__apart_a > __apart_b ? __apart_a - __apart_b : __apart_b - __apart_a;	\
})

#endif
