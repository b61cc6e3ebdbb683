/* SPDX-License-Identifier: GPL-2.0 */
#define DECLARE_STATIC_KEY_FALSE(x) extern bool x
#define static_branch_unlikely(x) (*(x))
