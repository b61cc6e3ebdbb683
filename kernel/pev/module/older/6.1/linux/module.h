/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: the names of all symbols are those of all modules. */
#ifndef _PEV_OLDER_LINUX_MODULE_H
#define _PEV_OLDER_LINUX_MODULE_H

#include_next <linux/module.h>

int pev_older_each_symbol(const char *module,
			  int (*fn)(void *data, const char *symbol, unsigned long addr),
			  void *data);

#ifndef PEV_OLDER
#define module_kallsyms_on_each_symbol(module, fn, data)	\
	pev_older_each_symbol(module, fn, data)
#endif

#endif
