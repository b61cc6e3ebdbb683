/* SPDX-License-Identifier: GPL-2.0 */
/* A function, instruction by instruction, with the share of samples of each. */
#ifndef PERFCTL_ANNOTATE_ANNOTATE_H
#define PERFCTL_ANNOTATE_ANNOTATE_H

#include "profile/profile.h"

/**
 * struct annotate_line - source or instruction
 * @at:     offset of the instruction in the object
 * @weight: of samples there; of a source line: of all its instructions that follow
 * @text:   escaped
 * @is_source: this is a line of source
 */
struct annotate_line {
	uint64_t at;
	uint64_t weight;
	char *text;
	bool is_source;
};

/**
 * struct annotation - a function
 * @name:   of it
 * @object: its number
 * @weight: of all samples in it
 * @note:   what could not be shown and why, or NULL
 */
struct annotation {
	char *name;
	uint32_t object;
	struct annotate_line *lines;
	size_t n, cap;
	uint64_t weight;
	uint64_t samples;
	char *note;
};

/* @event: number, or UINT32_MAX for all. The profile is resolved. */
void annotate_make(struct annotation *a, struct profile *p, uint32_t func, uint32_t event);
void annotate_free(struct annotation *a);

#endif
