// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>

#include "cli/command.h"
#include "use.h"

int session_use(int n, char **args, const char *input, session_use_fn *use, const void *opts,
		struct msg *m)
{
	struct session session = { 0 };
	int err;

	if (command_trace_twice(n, args, input, m))
		return -EINVAL;
	err = session_open(&session, n ? args[0] : input, m);
	if (!err)
		err = use(&session, opts, m);
	/* notes come after what they are about */
	fflush(stdout);
	if (!err)
		session_note_damage(&session);
	session_close(&session);
	return err;
}
