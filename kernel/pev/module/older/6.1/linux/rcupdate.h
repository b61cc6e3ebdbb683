/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: names that have changed. */
#ifndef _PEV_OLDER_LINUX_RCUPDATE_H
#define _PEV_OLDER_LINUX_RCUPDATE_H

#include_next <linux/rcupdate.h>

#define rcu_is_watching_curr_cpu()	rcu_is_watching()

#endif
