/* SPDX-License-Identifier: GPL-2.0 */
/* Finding what Linux does not export. */
#ifndef _PEV_RESOLVE_H
#define _PEV_RESOLVE_H

/**
 * pev_resolve() - find all of it, before anything else is called
 *
 * What is missing is named in the log.
 *
 * Return: 0, or -EOPNOTSUPP if anything is missing, -EEXIST if the kernel has pev built in,
 * -ENOEXEC if it is another one than the module was built for.
 */
int pev_resolve(void);

/* Where a function begins that is to be traced; it was found by pev_resolve(). */
unsigned long pev_address_of_attach_pid(void);
unsigned long pev_address_of_exit_mm_release(void);
/* ... on Linux 6.1 */
unsigned long pev_address_of_security_bprm_creds_from_file(void);
unsigned long pev_address_of_perf_event_mmap(void);

#endif
