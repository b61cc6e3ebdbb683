/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Copies of files that other users may write while elfutils reads them.
 */
#ifndef _PEV_SYM_OBJECT_COPY_H
#define _PEV_SYM_OBJECT_COPY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct copy - what a copy takes of the memory for all
 * @uid:   whose file it is of
 * @bytes: 0: there is no copy
 */
struct copy {
	uid_t uid;
	uint64_t bytes;
};

/*
 * Returns the descriptor of a file that only root and the user may write, or one of a copy;
 * -EFBIG: there is no room for that; -errno. Then, and if there is a copy, @fd is closed.
 */
int copy_take(int fd, struct copy *c);
/* To be called when nothing needs the copy any more. */
void copy_give(struct copy *c);

#endif /* _PEV_SYM_OBJECT_COPY_H */
