// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>

#include "use.h"

bool session_given_twice(int n, char **args, const char *input, struct msg *m)
{
	if (n > 1 || (n && input))
		return msg_set(m, -EINVAL, "one trace at a time: \"%s\" is one too many",
			       args[n - 1]);
	return false;
}

int session_use(int n, char **args, const char *input, session_use_fn *use, const void *opts,
		struct msg *m)
{
	struct session session = { 0 };
	int err;

	if (session_given_twice(n, args, input, m))
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
