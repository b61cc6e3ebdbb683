// SPDX-License-Identifier: GPL-2.0
/* The system counter is synchronous, of constant rate and goes on in a sleep by architecture. */
#include <linux/pev_clock.h>
#include <linux/types.h>
#include <clocksource/arm_arch_timer.h>

u64 pev_clock_cycles_hz(void)
{
	return arch_timer_get_rate();
}
