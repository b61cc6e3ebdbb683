/* SPDX-License-Identifier: GPL-2.0 */
/* A recording with the programs and libraries that its addresses lie in, as one file. */
#ifndef PERFCTL_EXPORT_ARCHIVE_H
#define PERFCTL_EXPORT_ARCHIVE_H

#include "base/output.h"
#include "session/session.h"

/**
 * struct archive - while one is written
 * @name:    of the recording, without the directories above
 * @out:     the archive
 * @objects: programs and libraries in it
 * @debugs:  separate files with debug information
 * @missing: programs and libraries that could not be had
 * @bytes:   of all files
 */
struct archive {
	struct session *session;
	char *name;
	struct out out;
	size_t objects;
	size_t debugs;
	size_t missing;
	uint64_t bytes;
};

/*
 * Reads the recording and writes it to a.out, which is open; notes what is missing.
 * @debug: with debug information that lies in separate files
 */
int archive_write(struct archive *a, bool debug, struct msg *m);

#endif
