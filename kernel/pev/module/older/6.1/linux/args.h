/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: where it is there. */
#ifndef _PEV_OLDER_LINUX_ARGS_H
#define _PEV_OLDER_LINUX_ARGS_H

#include <linux/kernel.h>

#endif
