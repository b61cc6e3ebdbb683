/* SPDX-License-Identifier: GPL-2.0 */
/* Test Anything Protocol, in the smallest form. */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

/* One result; returns @cond. */
bool ok(bool cond, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool is_str(const char *got, const char *want, const char *name);
bool is_num(long long got, long long want, const char *name);

/* The directory with generated objects. */
extern const char *objects;

void test_tables(void);
void test_names(void);
void test_files(void);
void test_lines(void);
void test_kernel(void);
void test_jit(void);
void test_chains(void);
void test_hostile(void);

#endif
