// SPDX-License-Identifier: GPL-2.0
/* perfctl probe: what can be probed, what is to be had there, and why a place is refused. */
#include "cmd/commands.h"
#include "probe/explain.h"
#include "probe/list.h"
#include "probe/show.h"

#include <errno.h>

static const struct opt probe_options[] = {
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct probe_view, json) },
	{ 0, OPT_FLAG, "names", NULL, "with list: print places alone, one a line",
	  offsetof(struct probe_view, names) },
	{ 0 },
};

static int probe_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct probe_view *view = opts;

	if (view->json && view->names)
		return msg_set(m, -EINVAL, "--json and --names exclude each other");
	if ((n == 2 || n == 3) && !strcmp(args[0], "list"))
		return probe_list(args[1], n == 3 ? args[2] : NULL, view, m);
	if (view->names)
		return msg_set(m, -EINVAL, "--names is for \"perfctl probe list\"");
	if (n == 2 && !strcmp(args[0], "show"))
		return probe_show(args[1], view, m);
	if (n == 2 && !strcmp(args[0], "explain"))
		return probe_explain(args[1], view, m);
	return msg_set(m, -EINVAL,
		       "probe takes list and a FILE, a PID, \"kernel\" or a MODULE, or show or "
		       "explain and a PLACE as -e takes it");
}

const struct command command_probe = {
	.name = "probe",
	.operands = "list FILE|PID|kernel|MODULE [GLOB] | show PLACE | explain PLACE",
	.summary = "see what can be probed, what it records, and why it is refused",
	.about =
		"With list, shows what can be probed in a file, in the files of a process, in the "
		"kernel or in a module of it: functions, and the probes that its author placed with sys/sdt.h. With show, "
		"where a place is, and what arguments it has to record. With explain, whether a place "
		"can be probed, and if not, why: a function that was inlined, and where; a file that "
		"was stripped; the kernel's blacklist; the middle of an instruction. A PLACE is one "
		"that -e of record and stat takes.",
	.examples = "  perfctl probe list ./app            functions and probes of a program\n"
		    "  perfctl probe list 1234 'parse_*'   in a process and its libraries\n"
		    "  perfctl probe list kernel 'tcp_*'   functions of the kernel\n"
		    "  perfctl probe list ext4             functions of a module\n"
		    "  perfctl probe show uprobe:./app:main\n"
		    "  perfctl probe explain kprobe:native_save_fl\n",
	.opts = probe_options,
	.opts_size = sizeof(struct probe_view),
	.run = probe_run,
};
