/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads the kernel's own file, and its code in memory.
 */
#ifndef _PEV_SYM_SYMS_KERNEL_H
#define _PEV_SYM_SYMS_KERNEL_H

#include "syms/syms.h"

/* Returns the object of vmlinux, or NULL. */
struct sym_object *kernel_image(struct pev_syms *s);
/* As pev_sym_bytes(); @module: the address is a module's */
int kernel_code(struct pev_syms *s, bool module, uint64_t addr, void *buf, size_t len,
		struct pev_sym_bytes *what);

#endif /* _PEV_SYM_SYMS_KERNEL_H */
