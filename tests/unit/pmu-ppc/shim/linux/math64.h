/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/types.h>

#define div64_u64(a, b) ((a) / (b))
