/* SPDX-License-Identifier: GPL-2.0 */
/* Values that have names, alone or joined by |. */
#ifndef PERFCTL_STRACE_BITS_H
#define PERFCTL_STRACE_BITS_H

#include "base/util.h"

/**
 * struct bit - a value, or bits of one
 */
struct bit {
	uint64_t value;
	const char *name;
};

/* clang-format off */
#define B(x) { x, #x }
/* clang-format on */

/* "O_CREAT|O_EXCL|0x1000000"; @none: for 0 */
void bits_put(struct strbuf *b, uint64_t v, const struct bit *bits, size_t n, const char *none);
/* One name, or the number. */
void bits_put_one(struct strbuf *b, uint64_t v, const struct bit *values, size_t n);

#endif
