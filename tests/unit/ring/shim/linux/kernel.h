/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#define round_down(x, y)	((x) & ~((__typeof__(x))((y) - 1)))

#endif
