// SPDX-License-Identifier: GPL-2.0
/* Takes the place of the terminal interface where there is no curses library. */
#include "tui.h"

#include <errno.h>

int tui_run(struct load *l, const struct rows_config *config, double limit, bool color,
	    struct msg *m)
{
	(void)l;
	(void)config;
	(void)limit;
	(void)color;
	return msg_set(m, -ENOTSUP, "perfctl was built without curses");
}
