// SPDX-License-Identifier: GPL-2.0
/* A library with a mark, for shop plugins. */
#include <pev/mark.h>

void work(unsigned long round, unsigned long thread);

void work(unsigned long round, unsigned long thread)
{
	PEV_USER_MARK(plugin, work, "%lu %lu", round, thread);
}
