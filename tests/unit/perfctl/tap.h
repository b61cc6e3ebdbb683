/* SPDX-License-Identifier: GPL-2.0 */
/* Test Anything Protocol, in the smallest form. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stddef.h>

/* One result; returns @cond. */
bool tap_ok(bool cond, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
bool tap_str(const char *got, const char *want, const char *file, int line, const char *name);
bool tap_num(long long got, long long want, const char *file, int line, const char *name);

#define OK(cond, ...)	      tap_ok((cond), __FILE__, __LINE__, __VA_ARGS__)
#define IS_STR(got, want, name) tap_str((got), (want), __FILE__, __LINE__, (name))
#define IS_NUM(got, want, name)                                                            \
	tap_num((long long)(got), (long long)(want), __FILE__, __LINE__, (name))

void test_util(void);
void test_text(void);
void test_opt(void);
void test_event_spec(void);
void test_cpulist(void);
void test_object(void);
void test_machine(void);
void test_profile(void);
void test_rows(void);
void test_diff(void);
void test_stat(void);
void test_pmu_text(void);
void test_processor(void);

#endif
