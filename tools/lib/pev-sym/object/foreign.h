/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Files at paths that other users have a say in: a file system of theirs may never answer.
 */
#ifndef _PEV_SYM_OBJECT_FOREIGN_H
#define _PEV_SYM_OBJECT_FOREIGN_H

#define FOREIGN_MOST 8

/*
 * As open() of a regular file, with O_CLOEXEC. Returns -EISDIR, -ENXIO for other files, which are
 * not opened; -EREMOTE for a file on a file system that a program serves (FUSE), whose reads could
 * last for ever; -ETIMEDOUT if the path itself takes longer than a second; -EBUSY if that has
 * happened to FOREIGN_MOST others that still wait.
 */
int foreign_open(const char *path, int flags);

#endif /* _PEV_SYM_OBJECT_FOREIGN_H */
