/* SPDX-License-Identifier: GPL-2.0 */
/* A function, instruction by instruction, with the share of samples of each. */
#ifndef PERFCTL_ANNOTATE_H
#define PERFCTL_ANNOTATE_H

#include "profile.h"

/**
 * struct annotate_line - source or instruction
 * @at:     offset of the instruction in the object
 * @weight: of samples there; of a source line: of all its instructions that follow
 * @text:   harmless
 * @is_source: it is a line of source
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

/* annotate_code.c: the bytes of an object and what they mean */
struct annotate_code {
	uint8_t *bytes;
	size_t size;
	uint64_t vaddr; /* of the first byte */
	unsigned int machine; /* EM_X86_64 and such */
	bool big_endian;
};

/* @at: see pev/sym.h. False with @why (to be freed) set. */
bool annotate_read(struct annotate_code *c, struct objects *os, uint32_t object, uint64_t at,
		   uint64_t size, char **why);
/*
 * Calls @fn for each instruction, with its place behind the first byte and, if it
 * is a call or jump to a fixed place, where that is. False with @why set if nothing
 * can be told about this machine's instructions.
 */
#define ANNOTATE_NO_TARGET INT64_MIN
typedef void (*annotate_fn)(void *arg, uint64_t offset, unsigned int size, const char *text,
			    int64_t target);
bool annotate_decode(const struct annotate_code *c, annotate_fn fn, void *arg, char **why);

#endif
