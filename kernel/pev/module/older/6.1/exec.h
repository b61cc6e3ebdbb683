/* SPDX-License-Identifier: GPL-2.0 */
/* What is left of an exec that was redirected; nothing on 6.12. */
#ifndef _PEV_OLDER_EXEC_H
#define _PEV_OLDER_EXEC_H

/* No exec will be: wait for those that are. Process context. */
#ifdef PEV_LINUX_6_1
void pev_older_exec_teardown(void);
#else
static inline void pev_older_exec_teardown(void)
{
}
#endif

#endif
