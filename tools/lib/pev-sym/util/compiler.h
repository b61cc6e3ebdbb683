/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What every file of libpev-sym uses of the compiler.
 */
#ifndef _PEV_SYM_UTIL_COMPILER_H
#define _PEV_SYM_UTIL_COMPILER_H

#define PEV_EXPORT	__attribute__((visibility("default")))
#define PRINTF(f, a)	__attribute__((format(printf, f, a)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#endif /* _PEV_SYM_UTIL_COMPILER_H */
