/* SPDX-License-Identifier: GPL-2.0 */
/* Going on in a function of the module's instead of one that is traced. */
#ifndef _PEV_MODULE_REDIRECT_H
#define _PEV_MODULE_REDIRECT_H

#include <linux/ftrace.h>

struct vm_area_struct;

/* Records a mapping, and calls the original. */
void pev_map(struct vm_area_struct *vma);

/* arm64 has what is redirected in ftrace_regs, and nothing that saves more. */
#ifdef CONFIG_ARM64
#define PEV_REDIRECT_FLAGS	FTRACE_OPS_FL_IPMODIFY
#else
#define PEV_REDIRECT_FLAGS	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS)
#endif

#ifdef CONFIG_PPC64
/* The same, and r2 is kept: powerpc/entry.S. */
void pev_map_entry(void);

static __always_inline void pev_redirect_to_map(struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	regs->gpr[12] = (unsigned long)pev_map_entry;
	ftrace_regs_set_instruction_pointer(fregs, regs->gpr[12]);
}
#else
static __always_inline void pev_redirect_to_map(struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)pev_map);
}
#endif

#endif
