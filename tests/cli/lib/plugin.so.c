// SPDX-License-Identifier: GPL-2.0
/* A library with a mark, for shop plugins and shop exits. */
#include <pev/mark.h>

void work(unsigned long round, unsigned long thread);

/* Does a thread still call work() when the library has ended? */
volatile int lasting;

static volatile unsigned long calls;

void work(unsigned long round, unsigned long thread)
{
	PEV_USER_MARK(plugin, work, "%lu %lu", round, thread);
	calls++;
}

/* Behind the destructor of marks: the number is the last one that programs may have. */
static __attribute__((destructor(101))) void last(void)
{
	unsigned long end = calls + 1000;

	while (lasting && calls < end)
		;
}
