/* SPDX-License-Identifier: GPL-2.0 */
/* An ELF file that has nothing but names, for code whose file is not to be had. */
#ifndef PERFCTL_SYMBOLS_NAMES_ELF_H
#define PERFCTL_SYMBOLS_NAMES_ELF_H

#include "base/util.h"

#define NAMES_ELF_SIZE 16 /* of each function of names_elf_code() */

/* Bytes of a build id, at most */
#define NAMES_ELF_ID 20

/* @place: offset in the file */
struct names_elf_function {
	const char *name;
	uint64_t place;
	uint64_t size;
};

/*
 * Appends a file for code that has no place of its own; returns the offset of the first function,
 * behind which are the others. @id: its build id
 */
uint64_t names_elf_code(struct strbuf *to, const char *const *names, size_t n, const uint8_t *id,
			size_t id_len);
/* Appends one that stands for another file: functions are where they are in that. */
void names_elf_file(struct strbuf *to, const struct names_elf_function *f, size_t n,
		    const uint8_t *id, size_t id_len);

#endif
