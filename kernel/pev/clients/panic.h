/* SPDX-License-Identifier: GPL-2.0 */
/* The last records at a panic. */
#ifndef _PEV_CLIENTS_PANIC_H
#define _PEV_CLIENTS_PANIC_H

/* At boot. Return: 0 or an error. */
int pev_panic_setup(void);
void pev_panic_teardown(void);

#endif
