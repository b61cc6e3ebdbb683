/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _PEV_SOFTWARE_H
#define _PEV_SOFTWARE_H

#include <linux/types.h>

/**
 * pev_software_name() - for the catalog
 * @config: enum pev_software
 *
 * Return: the name, or NULL if this machine can't count it.
 */
const char *pev_software_name(u64 config);

#endif
