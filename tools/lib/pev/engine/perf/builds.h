/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Build ids of files for mappings: before Linux 5.12 perf does not tell them.
 */
#ifndef _PEV_ENGINE_PERF_BUILDS_H
#define _PEV_ENGINE_PERF_BUILDS_H

#include <stddef.h>
#include <stdint.h>

struct builds;

/**
 * struct mapped_file - of which file a mapping is, by perf
 * @pid:  of a process that has it
 * @path: as the process has it
 */
struct mapped_file {
	uint32_t pid;
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	const char *path;
};

#define BUILD_ID_MOST 20

/**
 * builds_find() - read the build id of a file, or know it from before
 * @builds: what is known; NULL at first
 *
 * Return: its length, at most BUILD_ID_MOST; 0 if it has none, or is not that file any more.
 */
size_t builds_find(struct builds **builds, const struct mapped_file *file, uint8_t *id);
void builds_free(struct builds *builds);

#endif /* _PEV_ENGINE_PERF_BUILDS_H */
