/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_TIMEX_H
#define SHIM_LINUX_TIMEX_H

unsigned long long get_cycles(void);

#endif
