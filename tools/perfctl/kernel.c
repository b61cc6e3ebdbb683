// SPDX-License-Identifier: GPL-2.0
/* Asking the running kernel. See kernel.h. */
#include "kernel.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/utsname.h>

static int no_pev(struct msg *m)
{
	struct utsname u;

	if (uname(&u))
		strcpy(u.release, "?");
	return msg_set(m, -ENOSYS,
		       "the running kernel (%s) has no pev: boot a kernel that was built with "
		       "CONFIG_PEV, or try one with \"make vm\" in the pev sources", u.release);
}

int kernel_info(struct pev_info *info, struct msg *m)
{
	int err = pev_query_info(info);

	if (err == -ENOSYS)
		return no_pev(m);
	if (err == -EPERM)
		return msg_set(m, err,
			       "pev_open(2) is not permitted here: a seccomp filter (as containers "
			       "have) or a security module forbids it");
	if (err)
		return msg_set(m, err, "the kernel does not say what it can do: %s",
			       strerror(-err));
	return 0;
}

int kernel_catalog(struct pev_catalog **catalog, struct msg *m)
{
	struct pev_why why;
	int err = pev_catalog_read(catalog, &why);

	if (err == -ENOSYS)
		return no_pev(m);
	if (err)
		return kernel_refused(m, err, &why, "the list of events");
	return 0;
}

/*
 * The kernel speaks to those who fill in a structure. Sentences come before the
 * words that are in them.
 */
static const struct {
	const char *api, *typed;
} words[] = {
	{ "give its code by PEV_TYPE_RAW", "give its code, as in -e r01c4" },
	{ "its own codes can be opened as raw events", "its own codes can be given, as in -e r01c4" },
	{ "set PEV_F_EXCLUDE_KERNEL", "add :u to the event for user mode alone" },
	{ "PEV_F_EXCLUDE_USER and PEV_F_EXCLUDE_KERNEL choose user and kernel mode",
	  ":u and :k behind the event choose user and kernel mode" },
	{ "PEV_F_FREQ is for timers and hardware counters: give a period",
	  "a frequency (-F) is for timers and hardware counters: give a period (-c)" },
	{ "PEV_F_FREQ is for timers", "a frequency (-F) is for timers" },
	{ "PEV_TYPE_TIMER samples it", "a timer samples it, as in -e timer/cpu-clock" },
	{ "use PEV_CLOCK_DEFAULT or PEV_CLOCK_MONOTONIC", "use --clock default or --clock monotonic" },
	{ "a CPU mask goes with PEV_TARGET_CPUS and PEV_TARGET_CGROUP only",
	  "CPUs (-C) go with the whole machine (-a) and cgroups (-G) only" },
	{ "PEV_F_EXCLUDE_KERNEL", ":u" },
	{ "PEV_F_EXCLUDE_USER", ":k" },
	{ "PEV_F_EXCLUDE_HOST", ":G" },
	{ "PEV_F_EXCLUDE_GUEST", ":H" },
	{ "PEV_F_TEXT", "--strings" },
};

const char *kernel_reason(struct pev_why *why)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		char *at = strstr(why->text, words[i].api), *rest;

		if (!at)
			continue;
		rest = xstrdup(at + strlen(words[i].api));
		snprintf(at, sizeof(why->text) - (size_t)(at - why->text), "%s%s", words[i].typed,
			 rest);
		free(rest);
	}
	return why->text;
}

int kernel_refused(struct msg *m, int err, const struct pev_why *why, const char *fmt, ...)
{
	struct pev_why said = *why;
	char what[512];
	va_list ap;

	if (err == -ENOSYS)
		return no_pev(m);
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (err == -EMFILE || err == -ENFILE)
		return msg_set(m, err, "%s: too many open files (%s); raise \"ulimit -n\"", what,
			       strerror(-err));
	kernel_reason(&said);
	/* the kernel may have begun with the same name */
	if (!strncmp(said.text, what, strlen(what)) && said.text[strlen(what)] == ':')
		return msg_set(m, err, "%s", said.text);
	return msg_set(m, err, "%s: %s", what, said.text[0] ? said.text : strerror(-err));
}
