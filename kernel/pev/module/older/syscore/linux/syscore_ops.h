/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For headers whose callbacks of a suspend have no argument: what later ones declare. See
 * module/older/syscore/syscore.c.
 */
#ifndef _PEV_OLDER_SYSCORE_H
#define _PEV_OLDER_SYSCORE_H

#include_next <linux/syscore_ops.h>

struct pev_syscore_ops {
	int	(*suspend)(void *data);
	void	(*resume)(void *data);
};

struct syscore {
	struct list_head		node;
	const struct pev_syscore_ops	*ops;
	void				*data;
};

#ifndef PEV_OLDER_SYSCORE
#define syscore_ops	pev_syscore_ops
#endif

void register_syscore(struct syscore *syscore);
void unregister_syscore(struct syscore *syscore);

#endif
