/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit for user space, as much of it as the tests of pure code need: a suite is
 * a program that prints TAP. A failed assertion ends its case, as in the kernel;
 * of a case only the first failures are printed.
 */
#ifndef SHIM_KUNIT_TEST_H
#define SHIM_KUNIT_TEST_H

#include <assert.h>
#include <linux/types.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/* Memory that is given back behind the case. */
struct shim_memory {
	struct shim_memory	*next;
};

struct kunit {
	jmp_buf			end;
	unsigned int		failures;
	struct shim_memory	*memory;
	const void		*param_value;
};

struct kunit_case {
	void		(*run)(struct kunit *test);
	const char	*name;
	const void	*(*next_param)(const void *last, char *name);
};

struct kunit_suite {
	const char		*name;
	struct kunit_case	*test_cases;
};

#define KUNIT_CASE(f)		{ .run = f, .name = #f }
#define KUNIT_CASE_SLOW(f)	KUNIT_CASE(f)
#define KUNIT_CASE_PARAM_ATTR(f, next, ...) { .run = f, .name = #f, .next_param = next }

/* The elements of an array, without names. */
#define KUNIT_ARRAY_PARAM(name, array, describe)				\
static const void *name##_gen_params(const void *last, char *text)		\
{										\
	__typeof__((array)[0]) *next = last ? (__typeof__(next))last + 1 : (array); \
										\
	(void)text;								\
	return next - (array) < ARRAY_SIZE(array) ? next : NULL;		\
}

/* The first lines of what went wrong say it; thousands don't say more. */
#define SHIM_FAIL(test, fmt, ...) do {						\
	if ((test)->failures++ < 5)						\
		printf("# %s:%d: " fmt "\n", __FILE__, __LINE__, ##__VA_ARGS__);	\
} while (0)

#define SHIM_CHECK(test, a, op, b, more, fmt, ...) do {				\
	__auto_type a_ = (a);							\
	__typeof__(a_) b_ = (b);						\
										\
	if (!(a_ op b_)) {							\
		SHIM_FAIL(test, "%s " #op " %s: %lld, %lld " fmt, #a, #b,	\
			  (long long)a_, (long long)b_, ##__VA_ARGS__);		\
		more;								\
	}									\
} while (0)

#define SHIM_END(test)		longjmp((test)->end, 1)

#define KUNIT_EXPECT_EQ(t, a, b)	SHIM_CHECK(t, a, ==, b, , "")
#define KUNIT_EXPECT_LE(t, a, b)	SHIM_CHECK(t, a, <=, b, , "")
#define KUNIT_EXPECT_LT(t, a, b)	SHIM_CHECK(t, a, <, b, , "")
#define KUNIT_EXPECT_GE(t, a, b)	SHIM_CHECK(t, a, >=, b, , "")
#define KUNIT_EXPECT_GT(t, a, b)	SHIM_CHECK(t, a, >, b, , "")
#define KUNIT_EXPECT_TRUE(t, a)		SHIM_CHECK(t, !!(a), ==, 1, , "")
#define KUNIT_EXPECT_FALSE(t, a)	SHIM_CHECK(t, !(a), ==, 1, , "")
#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...)	SHIM_CHECK(t, a, ==, b, , __VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(t, a, ...)	SHIM_CHECK(t, !!(a), ==, 1, , __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(t, a, b, ...)	SHIM_CHECK(t, a, <=, b, , __VA_ARGS__)
#define KUNIT_EXPECT_GE_MSG(t, a, b, ...)	SHIM_CHECK(t, a, >=, b, , __VA_ARGS__)

#define KUNIT_ASSERT_EQ(t, a, b)	SHIM_CHECK(t, a, ==, b, SHIM_END(t), "")
#define KUNIT_ASSERT_LE(t, a, b)	SHIM_CHECK(t, a, <=, b, SHIM_END(t), "")
#define KUNIT_ASSERT_LT(t, a, b)	SHIM_CHECK(t, a, <, b, SHIM_END(t), "")
#define KUNIT_ASSERT_GE(t, a, b)	SHIM_CHECK(t, a, >=, b, SHIM_END(t), "")
#define KUNIT_ASSERT_GT(t, a, b)	SHIM_CHECK(t, a, >, b, SHIM_END(t), "")
#define KUNIT_ASSERT_TRUE(t, a)		SHIM_CHECK(t, !!(a), ==, 1, SHIM_END(t), "")
#define KUNIT_ASSERT_FALSE(t, a)	SHIM_CHECK(t, !(a), ==, 1, SHIM_END(t), "")
#define KUNIT_ASSERT_NOT_NULL(t, p)	SHIM_CHECK(t, !!(p), ==, 1, SHIM_END(t), "")

#define kunit_info(test, fmt, ...)	printf("# " fmt, ##__VA_ARGS__)

#define kunit_kzalloc(test, size, gfp)	shim_alloc(test, size)

static inline void *shim_alloc(struct kunit *test, size_t size)
{
	struct shim_memory *m = calloc(1, sizeof(*m) + size);

	if (!m)
		return NULL;
	m->next = test->memory;
	test->memory = m;
	return m + 1;
}

static void shim_free(struct kunit *test)
{
	struct shim_memory *next;

	for (; test->memory; test->memory = next) {
		next = test->memory->next;
		free(test->memory);
	}
}

static int shim_run(const char *suite, const struct kunit_case *c)
{
	struct kunit test = {};

	if (c->next_param)
		test.param_value = c->next_param(NULL, NULL);
	do {
		if (!setjmp(test.end))
			c->run(&test);
		shim_free(&test);
		if (c->next_param)
			test.param_value = c->next_param(test.param_value, NULL);
	} while (test.param_value);
	printf("%sok - %s: %s\n", test.failures ? "not " : "", suite, c->name);
	return !!test.failures;
}

#define kunit_test_suite(suite)							\
int main(void)									\
{										\
	const struct kunit_case *c;						\
	int failed = 0;								\
										\
	for (c = (suite).test_cases; c->run; c++)				\
		failed |= shim_run((suite).name, c);				\
	return failed;								\
}										\
static_assert(true, "takes the semicolon")

#endif
