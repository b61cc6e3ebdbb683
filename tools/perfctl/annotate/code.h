/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the bytes of an object and decodes its instructions. */
#ifndef PERFCTL_ANNOTATE_CODE_H
#define PERFCTL_ANNOTATE_CODE_H

#include "session/object.h"

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
