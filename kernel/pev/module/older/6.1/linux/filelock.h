/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: where it is there. */
#ifndef _PEV_OLDER_LINUX_FILELOCK_H
#define _PEV_OLDER_LINUX_FILELOCK_H

#include <linux/fs.h>

#endif
