/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the source lines of places in code, from debug information. */
#ifndef PERFCTL_SESSION_LINES_H
#define PERFCTL_SESSION_LINES_H

#include "object.h"

/**
 * struct line_at - where a place was written
 * @file: as the compiler saw it; valid until objects_free()
 * @base: the last part of @file
 * @line: from 1
 */
struct line_at {
	const char *file;
	const char *base;
	int line;
};

/* @at: offset in the object, as in struct frame. */
bool lines_find(struct objects *os, uint32_t object, uint64_t at, struct line_at *out);

#endif
