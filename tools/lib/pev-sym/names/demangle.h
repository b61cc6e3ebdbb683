/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Readable names of C++ and Rust.
 */
#ifndef _PEV_SYM_NAMES_DEMANGLE_H
#define _PEV_SYM_NAMES_DEMANGLE_H

/* Returns a name to be freed; NULL if @name is not mangled, or its readable form too long */
char *demangle(const char *name);

#endif /* _PEV_SYM_NAMES_DEMANGLE_H */
