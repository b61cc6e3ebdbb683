/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: the copy that knows the size of an array. */
#ifndef _PEV_OLDER_LINUX_STRING_H
#define _PEV_OLDER_LINUX_STRING_H

#include_next <linux/string.h>
#include <linux/args.h>

#define __pev_strscpy_2(to, from)	strscpy(to, from, sizeof(to) + __must_be_array(to))
#define __pev_strscpy_3(to, from, size)	strscpy(to, from, size)
#define strscpy(...)			\
	CONCATENATE(__pev_strscpy_, COUNT_ARGS(__VA_ARGS__))(__VA_ARGS__)

#endif
