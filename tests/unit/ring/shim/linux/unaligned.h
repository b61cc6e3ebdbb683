/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_UNALIGNED_H
#define _SHIM_UNALIGNED_H

#include <string.h>

#define put_unaligned(val, ptr) do {				\
	__typeof__(*(ptr)) shim_val = (val);			\
	memcpy((ptr), &shim_val, sizeof(shim_val));		\
} while (0)

#endif
