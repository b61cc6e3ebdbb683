/* SPDX-License-Identifier: GPL-2.0 */
/* pev_open(2), however it is called. */
#ifndef _PEV_OPEN_H
#define _PEV_OPEN_H

#include <linux/compiler_types.h>
#include <linux/types.h>

struct pev_attr;

long pev_open(const struct pev_attr __user *uattr, size_t size, u32 flags);

#endif
