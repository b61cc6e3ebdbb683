/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a directory holds that a new trace is to be written to, and the removal of
 * an older trace: never of a file that no writer has made.
 */
#ifndef _PEV_TRACE_OLDER_H
#define _PEV_TRACE_OLDER_H

#include <stdbool.h>
#include <stddef.h>

struct pev_error;

/*
 * Makes the directory of a trace, or empties that of an older one: see pev_writer_open(). Returns a
 * descriptor or -errno.
 */
int older_make_dir(const char *path, unsigned int flags, struct pev_error *err);

/* Returns 1 if the directory holds nothing, 0, or -errno. */
int older_is_empty(int dir);

/**
 * older_sweep() - look through a trace's directory, and with @erase remove its files
 * @alien: the name of the first thing in it that is no part of a trace
 *
 * Without @erase nothing changes. The directory itself stays.
 *
 * Return: 0, -EEXIST with @alien set, -errno.
 */
int older_sweep(int dir, bool erase, char *alien, size_t size);

/* A file of the directory info that is not one of each trace is listed under this key. */
#define OLDER_FILE_KEY	"file"

/*
 * A file of info while the trace is written: the ticks up to which all is there, twice, so that
 * what is read while it changes is noticed
 */
#define SYNCED_FILE "synced"
#define SYNCED_FORMAT "%020llu %020llu\n"
#define SYNCED_LEN 42

/* Is it a file of info that needs no such line? */
bool older_info_known(const char *name);

#endif /* _PEV_TRACE_OLDER_H */
