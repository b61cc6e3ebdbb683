/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads build ids of ELF files.
 */
#ifndef _PEV_SYM_UTIL_ELF_ID_H
#define _PEV_SYM_UTIL_ELF_ID_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct elf_id - a build id
 * @len: bytes, 0 for none
 */
struct elf_id {
	uint8_t		len;
	uint8_t		bytes[20];
};

/* @len may be more than there is room for: the rest is cut */
struct elf_id elf_id_make(const void *bytes, size_t len);
bool elf_id_equal(const struct elf_id *a, const struct elf_id *b);
/* Writes hex digits; "" for none. */
void elf_id_text(const struct elf_id *id, char buf[41]);
/* Reads the build id: 0, or -ENOENT if the file has none. */
int elf_id_read(Elf *elf, struct elf_id *id);
/*
 * Reads that of an open file: 0, -ENOENT, -ENOEXEC for a file that is not ELF, -EFBIG for one that
 * others may write and that is larger than a copy may be
 */
int elf_id_at(int fd, struct elf_id *id);
/* Reads that of a file now: 0, -ENOENT, -ENOEXEC, -EFBIG, -errno */
int elf_id_of(const char *file, struct elf_id *id);

#endif /* _PEV_SYM_UTIL_ELF_ID_H */
