/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: a way to free that they lack. */
#ifndef _PEV_OLDER_LINUX_SLAB_H
#define _PEV_OLDER_LINUX_SLAB_H

#include_next <linux/slab.h>
#include <linux/cleanup.h>

DEFINE_FREE(kvfree, void *, if (!IS_ERR_OR_NULL(_T)) kvfree(_T))

#endif
