/* SPDX-License-Identifier: GPL-2.0 */
/* Many texts that grow at the same time, in one temporary file. */
#ifndef PERFCTL_EXPORT_SPOOL_H
#define PERFCTL_EXPORT_SPOOL_H

#include "base/output.h"

/**
 * struct spool - many texts that grow at the same time, in one temporary file
 *
 * Each text has one block in memory; full blocks go to the file, each
 * headed by the offset of the next one.
 */
#define SPOOL_BLOCK 1024

struct spool_text {
	uint64_t first;
	uint64_t at;
	uint64_t blocks;
	uint32_t used;
	char *block;
};

struct spool {
	int fd;
	uint64_t end;
	int error;
};

int spool_open(struct spool *s, const char *beside, struct msg *m);
void spool_add(struct spool *s, struct spool_text *t, const char *data, size_t len);
/* Writes a text out and frees it. */
void spool_take(struct spool *s, struct spool_text *t, struct out *o);
void spool_close(struct spool *s);

#endif
