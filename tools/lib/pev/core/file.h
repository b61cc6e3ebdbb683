/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Whole files in memory.
 */
#ifndef _PEV_CORE_FILE_H
#define _PEV_CORE_FILE_H

#include <stddef.h>
#include <stdint.h>

/**
 * pev_read_whole() - read a descriptor to its end
 * @text: set to memory from malloc(), with a NUL behind the last byte
 * @len:  set to the number of bytes; may be NULL
 *
 * Return: 0 or -errno.
 */
int pev_read_whole(int fd, char **text, size_t *len);

/* The same by pread(): the position of the descriptor neither counts nor changes */
int pev_pread_whole(int fd, char **text, size_t *len);

/**
 * pev_read_file() - read a regular file of at most 1 GiB
 * @text: as for pev_read_whole()
 * @len:  as for pev_read_whole()
 *
 * Return: 0; -EISDIR, -ENXIO for other files; -EFBIG; -errno.
 */
int pev_read_file(const char *path, char **text, size_t *len);

/**
 * pev_temporary_file() - make a file without a name, in $TMPDIR or /tmp
 *
 * Return: a descriptor to read from and to write to; -errno.
 */
int pev_temporary_file(uint64_t size);

#endif /* _PEV_CORE_FILE_H */
