/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: registers of a function that is traced. */
#ifndef _PEV_OLDER_LINUX_FTRACE_H
#define _PEV_OLDER_LINUX_FTRACE_H

#include_next <linux/ftrace.h>

#define ftrace_regs_get_argument(fregs, n)	\
	regs_get_kernel_argument(&(fregs)->regs, n)
#define ftrace_regs_set_instruction_pointer(fregs, ip)	\
	ftrace_instruction_pointer_set(fregs, ip)

#endif
