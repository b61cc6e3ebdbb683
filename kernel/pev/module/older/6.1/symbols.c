// SPDX-License-Identifier: GPL-2.0
/* Owns the names of one module's symbols for Linux 6.1, which has only those of all modules. */
#define PEV_OLDER
#include <linux/module.h>
#include <linux/string.h>

/**
 * struct one_module - what is wanted of all symbols
 * @name: of the module
 * @fn:   is called for each of its symbols
 * @data: for it
 */
struct one_module {
	const char	*name;
	int		(*fn)(void *data, const char *symbol, unsigned long addr);
	void		*data;
};

static int each(void *data, const char *symbol, struct module *module, unsigned long addr)
{
	const struct one_module *one = data;

	return strcmp(module->name, one->name) ? 0 : one->fn(one->data, symbol, addr);
}

int pev_older_each_symbol(const char *module,
			  int (*fn)(void *data, const char *symbol, unsigned long addr),
			  void *data)
{
	struct one_module one = { module, fn, data };

	return module_kallsyms_on_each_symbol(each, &one);
}
