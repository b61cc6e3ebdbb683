/* SPDX-License-Identifier: GPL-2.0 */
/* An ELF file that has nothing but names, for code whose file is not to be had. */
#ifndef PERFCTL_FLEET_NAMES_ELF_H
#define PERFCTL_FLEET_NAMES_ELF_H

#include "base/util.h"

#define NAMES_ELF_SIZE 16 /* of each function */

#define NAMES_ELF_ID 20

/*
 * Appends the file; returns the offset of the first function, behind which are the others. @id: gets
 * its build id, which follows from the names.
 */
uint64_t names_elf(struct strbuf *to, const char *const *names, size_t n, uint8_t id[NAMES_ELF_ID]);

#endif
