// SPDX-License-Identifier: GPL-2.0
/* The timebase is synchronous and of constant rate by architecture. */
#include <linux/pev_clock.h>
#include <linux/types.h>
#include <asm/time.h>

u64 pev_clock_cycles_hz(void)
{
	return tb_ticks_per_sec;
}
