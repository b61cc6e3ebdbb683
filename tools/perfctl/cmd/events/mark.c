// SPDX-License-Identifier: GPL-2.0
/* perfctl mark: writes a mark, for scripts. */
#include "cmd/commands.h"
#include "base/status.h"
#include "base/text.h"

#include <errno.h>
#include <pev/user.h>
#include <stdlib.h>

struct mark_opts {
	bool unused;
};

static const struct opt mark_options[] = {
	{ 0 },
};

static int not_registered(const char *name, int err, struct msg *m)
{
	if (err == -EINVAL)
		return msg_set(m, err, "\"%s\" is not PROVIDER:EVENT, of letters, digits and _",
			       name);
	if (err != -EOPNOTSUPP)
		return msg_set(m, err, "%s: %s", name, strerror(-err));
	/* a script goes on, with its marks off, as a program does */
	return 0;
}

static bool is_name(const char *name)
{
	const char *colon = strchr(name, ':');
	size_t len = strlen(name);

	return colon && colon != name && colon[1] && !strchr(colon + 1, ':') &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:") ==
		       len;
}

static int mark_run(const void *opts, int n, char **args, struct msg *m)
{
	struct pev_marks *marks = NULL;
	struct pev_user_value value;
	struct strbuf text = { 0 };
	int err;

	(void)opts;
	if (!n)
		return msg_set(m, -EINVAL, "which mark? perfctl mark PROVIDER:EVENT [TEXT]...");
	err = is_name(args[0]) ? pev_marks_new(args[0], "%s", "text", &marks) : -EINVAL;
	if (err)
		return not_registered(args[0], err, m);
	for (int i = 1; i < n; i++)
		strbuf_addf(&text, "%s%s", i > 1 ? " " : "", args[i]);
	value = (struct pev_user_value){ .text = text.s ? text.s : "", .len = (uint32_t)text.len };
	pev_marks_write(marks, &value);
	pev_marks_free(marks);
	strbuf_free(&text);
	return STATUS_OK;
}

const struct command command_mark = {
	.name = "mark",
	.operands = "NAME [TEXT]...",
	.summary = "write an event from a script",
	.about =
		"Writes the event user:NAME with a text into the recordings of those who listen to "
		"it, in order with all other events. NAME is PROVIDER:EVENT. If nobody listens, or the "
		"kernel has no pev, nothing happens.",
	.opts = mark_options,
	.opts_size = sizeof(struct mark_opts),
	.run = mark_run,
};
