/* SPDX-License-Identifier: GPL-2.0 */
/* Source files, which are what a program says of itself. */
#ifndef PERFCTL_ANNOTATE_SOURCE_TEXT_H
#define PERFCTL_ANNOTATE_SOURCE_TEXT_H

#include "session/object.h"

/*
 * Reads a source file of an object, NUL-terminated; NULL if it can't be read, or if the program is
 * another user's who may not read it: what only the user may read is no source of that one.
 */
char *source_text(const struct objects *os, uint32_t object, const char *path);

#endif
