/* SPDX-License-Identifier: GPL-2.0 */
#define is_kernel_addr(a)	((a) >= 0xc000000000000000ULL)
