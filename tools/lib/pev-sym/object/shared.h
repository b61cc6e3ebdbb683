/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Unwind tables of a file are indexed once in a process, however many threads have a
 * struct pev_syms of their own with it.
 */
#ifndef _PEV_SYM_OBJECT_SHARED_H
#define _PEV_SYM_OBJECT_SHARED_H

#include <pthread.h>
#include "dwarf/cfi.h"
#include "util/elf_id.h"

struct elf_file;

/**
 * struct shared_cfi - the functions of one section of one file
 * @lock:  held by the thread that makes @cfi; constant once it is @ready
 * @owner: the file in whose memory the section is
 */
struct shared_cfi {
	struct shared_cfi	*next;
	struct elf_id		id;
	char			*name;
	unsigned int		which;
	unsigned int		refs;
	pthread_mutex_t		lock;
	bool			ready;
	struct cfi		cfi;
	struct elf_file		*owner;
};

/* Files with a build id are the same if that and @name are. Returns NULL without memory. */
struct shared_cfi *shared_cfi_get(const struct elf_id *id, const char *name, unsigned int which);
/* Returns the owner if this was the last user, to be released; else NULL. */
struct elf_file *shared_cfi_put(struct shared_cfi *s);

#endif /* _PEV_SYM_OBJECT_SHARED_H */
