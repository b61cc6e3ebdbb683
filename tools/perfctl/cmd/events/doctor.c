// SPDX-License-Identifier: GPL-2.0
/* perfctl doctor: what this kernel and machine can do, what is missing, and why. */
#include "cmd/commands.h"
#include "base/status.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "doctor/bundle.h"
#include "doctor/summary.h"
#include "doctor/self_test.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct doctor_opts {
	bool self_test;
	bool bundle;
	bool json;
	const char *bundle_path;
};

static int want_bundle(void *opts, const char *arg, struct msg *m)
{
	struct doctor_opts *o = opts;

	if (arg && !*arg)
		return msg_set(m, -EINVAL, "--bundle wants the name of a file, or none");
	o->bundle = true;
	o->bundle_path = arg;
	return 0;
}

static bool is_file_name(const char *word)
{
	return *word != '-';
}

static int doctor_run(const void *opts, int n, char **args, struct msg *m)
{
	struct doctor d = { .out = stdout, .color = isatty(1) && !getenv("NO_COLOR") };
	const struct doctor_opts *o = opts;
	int err;

	(void)n;
	(void)args;
	if (o->bundle && o->self_test)
		return msg_set(m, -EINVAL, "--bundle and --self-test exclude each other");
	if (o->bundle)
		return bundle_write(o->bundle_path, commands, commands_n, m);
	if (o->json && o->self_test)
		return msg_set(m, -EINVAL, "--json and --self-test exclude each other");
	if (o->json)
		return doctor_report_json(&d);
	if (!o->self_test)
		return doctor_report(&d);
	err = kernel_info(&d.info, m);
	if (err)
		return err;
	if (!engine_is_pev())
		return msg_set(m, -ENOSYS, "the self-test is of pev's counters, and this kernel "
			       "has no pev");
	return self_test(&d.info) ? STATUS_FAILED : STATUS_OK;
}

static const struct opt doctor_options[] = {
	ENGINE_OPT,
	{ 0, OPT_CALL, "bundle", "FILE",
	  "write a text for bug reports, without secrets: version, "
	  "findings, kernel, processor, settings (default: perfctl-doctor-DATE.txt)",
	  0, want_bundle, is_file_name },
	{ 0, OPT_FLAG, "self-test", NULL,
	  "open counters and see whether they count, are multiplexed, "
	  "sample and can be read as they should",
	  offsetof(struct doctor_opts, self_test) },
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct doctor_opts, json) },
	{ 0 },
};

const struct command command_doctor = {
	.name = "doctor",
	.operands = "",
	.summary = "see what this kernel and machine can do, and what is missing",
	.about = "Asks the kernel what it offers, tries the usual ways of measuring, and says for "
		 "everything that does not work why, and what would help. Exits with 0 if nothing "
		 "is bad.",
	.opts = doctor_options,
	.opts_size = sizeof(struct doctor_opts),
	.run = doctor_run,
};
