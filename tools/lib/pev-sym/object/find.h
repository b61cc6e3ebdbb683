/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Looks for the file of an object.
 */
#ifndef _PEV_SYM_OBJECT_FIND_H
#define _PEV_SYM_OBJECT_FIND_H

#include "object/object.h"
#include "object/room.h"

/**
 * struct fetch - a debuginfod server is asked
 * @fn:      told about it, or NULL
 * @gave_up: it said so
 */
struct fetch {
	pev_syms_fetch_fn	fn;
	void			*arg;
	bool			gave_up;
};

/**
 * struct finder - where to look for files
 * @flags:     PEV_SYMS_*
 * @release:   the kernel's, and @kernel_id its build id
 * @vmlinux:   path as given, NULL: to be looked for
 * @roots:     directories in which files are looked for first
 * @vdso:      a file with the vdso's image
 * @end:       of the recording, ns since the epoch: processes that began later were not in it;
 *             0: not known
 * @fetch:     the caller's
 * @code_room: for names of generated code
 */
struct finder {
	unsigned int	flags;
	char		*release;
	struct elf_id	kernel_id;
	char		*vmlinux;
	VEC(char *)	roots;
	char		*vdso;
	int64_t		end;
	struct fetch	*fetch;
	struct room *code_room;
};

/* Anybody may make code, and names of it, in any number of processes: bytes, for all of them. */
#define CODE_ROOM (128u << 20)

/* Opens an object's file: a descriptor, or -errno; -ESTALE with @other: it has changed */
int find_file(const struct finder *f, struct sym_object *o, char **file, struct elf_id *other);
/* Opens a separate file with debug information, by build id. */
int find_debug(const struct finder *f, const struct elf_id *id, char **file);

#endif /* _PEV_SYM_OBJECT_FIND_H */
