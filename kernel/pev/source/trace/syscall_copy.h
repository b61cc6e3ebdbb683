/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copying what the arguments of a system call point to.
 */
#ifndef _PEV_SYSCALL_COPY_H
#define _PEV_SYSCALL_COPY_H

#include <uapi/linux/pev.h>
#include "syscall_plan.h"

struct pev_trace;

/**
 * struct pev_call_copy - the texts of one record
 * @copied: as in struct pev_call_structs
 * @cut:    as there
 * @kind:   as there
 * @len:    as there, but of every argument
 * @used:   bytes of @text
 * @text:   one byte more, in which a string that is cut has its NUL
 */
struct pev_call_copy {
	u8	copied;
	u8	cut;
	u8	kind[PEV_NR_ARGS];
	u16	len[PEV_NR_ARGS];
	u32	used;
	u8	text[PEV_MAX_CALL_TEXT + 1];
};

int pev_call_copies_make(void);
void pev_call_copies_free(void);
const struct pev_call_copy *pev_call_copy_enter(const struct pev_trace *trace, int nr,
						const unsigned long *args);
const struct pev_call_copy *pev_call_copy_exit(const struct pev_trace *trace, int nr,
					       const unsigned long *args, long ret);

#endif
