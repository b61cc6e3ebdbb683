/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

extern int failed;	/* in the current test */

#define EQ(a, b) do {								\
	unsigned long long a_ = (a), b_ = (b);					\
										\
	if (a_ != b_) {								\
		printf("# line %d: %s is %#llx (%llu), not %s, %#llx (%llu)\n",	\
		       __LINE__, #a, a_, a_, #b, b_, b_);			\
		failed = 1;							\
	}									\
} while (0)

#define TRUE(a) do {								\
	if (!(a)) {								\
		printf("# line %d: not %s\n", __LINE__, #a);			\
		failed = 1;							\
	}									\
} while (0)

#endif
