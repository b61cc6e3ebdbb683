/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: errors, and the version of the library.
 */
#ifndef _PEV_ERROR_H
#define _PEV_ERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PEV_LIB_MAJOR	1
#define PEV_LIB_MINOR	0

/** pev_version() - version of the library that runs, as "1.0" */
const char *pev_version(void);

/**
 * pev_struct_size() - size of a structure in the library that runs
 * @name: without "struct": "pev_event"
 *
 * For bindings that describe structures themselves. A structure that the library
 * allocates may be larger than a program knows; all others always have the same
 * size in libpev.so.1.
 *
 * Return: bytes, 0 for a name that is not one of a public structure.
 */
size_t pev_struct_size(const char *name);

/**
 * struct pev_error - why something could not be done
 * @error: positive errno
 * @field: offset of the member of struct pev_attr that the kernel refused, UINT32_MAX
 *         for none; see pev_attr_field_name()
 * @min:   the least that @field may be, if the kernel says so
 * @max:   the most
 * @text:  one sentence without a full stop or newline at its end
 * @line:  line of the metadata that is to blame, from 1; 0: none
 * @reserved: 0
 *
 * The first members are those of struct pev_refusal, and filled by the kernel
 * where it refuses something. After a failure @error and @text are always filled.
 */
struct pev_error {
	uint32_t	error;
	uint32_t	field;
	uint64_t	min;
	uint64_t	max;
	char		text[488];
	uint32_t	line;
	uint32_t	reserved[5];
};

#ifdef __cplusplus
}
#endif

#endif /* _PEV_ERROR_H */
