/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

extern int failed;	/* in the current test */

struct test {
	const char *name;
	void (*test)(void);
};

/* Return: whether one failed. */
static inline int run_tests(const struct test *tests, unsigned int n)
{
	int bad = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned int i = 0; i < n; i++) {
		failed = 0;
		tests[i].test();
		printf("%s - %s\n", failed ? "not ok" : "ok", tests[i].name);
		bad |= failed;
	}
	return bad;
}

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
