/* SPDX-License-Identifier: GPL-2.0 */
/* The tests of libpev-sym, one function a file. */
#ifndef TESTS_H
#define TESTS_H

#include "../../lib/tap.h"

/* The directory with generated objects. */
extern const char *objects;

void test_tables(void);
void test_names(void);
void test_files(void);
void test_lines(void);
void test_kernel(void);
void test_jit(void);
void test_named(void);
void test_others(void);
void test_arm64(void);
void test_chains(void);
void test_hostile(void);

#endif
