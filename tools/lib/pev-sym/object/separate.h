/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Files with debug information that others name: a debuglink, the file that several share
 * (.gnu_debugaltlink), files of split units. Who made the file that names them may want that
 * something else is opened, or that nothing comes back.
 */
#ifndef _PEV_SYM_OBJECT_SEPARATE_H
#define _PEV_SYM_OBJECT_SEPARATE_H

#include "object/find.h"

/**
 * struct separate - the file that is looked for
 * @id:   its build id
 * @path: the object's
 * @file: that names it
 * @link: its name, NULL: that of the object with ".debug"
 * @crc:  its sum, if there is a name, but no build id
 */
struct separate {
	const struct elf_id *id;
	const char *path;
	const char *file;
	const char *link;
	uint32_t crc;
};

/* Opens it beside the file, or below /usr/lib/debug; -1 if it is not there. */
int separate_open(const struct separate *s, char **found);
/* Opens the file that debug information @dw of @file shares with others; -1 if it is not there. */
int separate_shared(const struct finder *f, void *dw, const char *file, char **found);
/*
 * libdw opens what split units, and what is shared and was not found, are said to be. Returns
 * whether it may: whether nobody but root and the user decides what is at these paths.
 * @files: from which the debug information is, of which either may be NULL
 */
bool separate_may_open(void *dw, const char *const files[2]);

#endif /* _PEV_SYM_OBJECT_SEPARATE_H */
