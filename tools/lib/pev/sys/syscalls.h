/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the kernel's tracepoints call a system call.
 */
#ifndef _PEV_SYS_SYSCALLS_H
#define _PEV_SYS_SYSCALLS_H

/*
 * Returns the names that a call's tracepoints may have behind "syscalls:sys_enter_", by @which
 * from 0, the likeliest first; NULL: there are no more.
 */
const char *syscall_function(unsigned int nr, unsigned int which);

#endif /* _PEV_SYS_SYSCALLS_H */
