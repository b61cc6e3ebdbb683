// SPDX-License-Identifier: GPL-2.0
/* Asks the running kernel. See kernel.h. */
#include "kernel.h"
#include "engine.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

int kernel_info(struct pev_info *info, struct msg *m)
{
	struct pev_error why;
	int err = engine_ready(m);

	if (err)
		return err;
	err = pev_engine_info(engine(), info, &why);
	if (err)
		return msg_set(m, err, "the kernel does not say what it can do: %s", why.text);
	return 0;
}

int kernel_catalog(struct pev_catalog **catalog, struct msg *m)
{
	struct pev_error why;
	int err = engine_ready(m);

	if (err)
		return err;
	err = pev_engine_catalog(engine(), 0, catalog, &why);
	return err ? kernel_refused(m, err, &why, "the list of events") : 0;
}

/*
 * The kernel's texts use the members of a structure: replaces those by options.
 * Sentences come before the words that they contain.
 */
static const struct {
	const char *api, *typed;
} words[] = {
	{ "give its code by PEV_TYPE_RAW", "give its code, as in -e r01c4" },
	{ "its own codes can be opened as raw events",
	  "its own codes can be given, as in -e r01c4" },
	{ "set PEV_F_EXCLUDE_KERNEL", "add :u to the event for user mode alone" },
	{ "PEV_F_EXCLUDE_USER and PEV_F_EXCLUDE_KERNEL choose user and kernel mode",
	  ":u and :k behind the event choose user and kernel mode" },
	{ "PEV_F_FREQ is for timers and hardware counters: give a period",
	  "a frequency (-F) is for timers and hardware counters: give a period (-c)" },
	{ "PEV_F_FREQ is for timers", "a frequency (-F) is for timers" },
	{ "PEV_TYPE_TIMER samples it", "a timer samples it, as in -e timer/cpu-clock" },
	{ "use PEV_CLOCK_DEFAULT or PEV_CLOCK_MONOTONIC",
	  "use --clock default or --clock monotonic" },
	{ "a CPU mask goes with PEV_TARGET_CPUS and PEV_TARGET_CGROUP only",
	  "CPUs (-C) go with the whole machine (-a) and cgroups (-G) only" },
	{ "for the rest take PEV_TARGET_PROCESS", "for the rest take the process (-p)" },
	{ "take PEV_TARGET_CPUS", "measure the whole machine, with -a" },
	{ "do without PEV_F_EXCLUDE_*", "leave :u, :k, :h, :G and :H out" },
	{ "do without PEV_F_PRECISE", "leave :p out" },
	{ "PEV_F_PRECISE is for the addresses of samples", ":p is for the addresses of samples" },
	{ "PEV_F_PRECISE takes", ":p takes" },
	{ "open its leader with PEV_F_PINNED", "add :D to its first event" },
	{ "PEV_TARGET_GUEST", "--guest" },
	{ "PEV_F_EXCLUDE_KERNEL", ":u" },
	{ "PEV_F_EXCLUDE_USER", ":k" },
	{ "PEV_F_EXCLUDE_HOST", ":G" },
	{ "PEV_F_EXCLUDE_GUEST", ":H" },
	{ "PEV_F_TEXT", "--strings" },
	{ "PEV_F_STRUCTS", "--strings" },
};

const char *kernel_reason(struct pev_error *why)
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

int kernel_refused(struct msg *m, int err, const struct pev_error *why, const char *fmt, ...)
{
	struct pev_error said = *why;
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if ((err == -EMFILE || err == -ENFILE) && engine_is_pev())
		return msg_set(m, err, "%s: too many open files (%s); raise \"ulimit -n\"", what,
			       strerror(-err));
	kernel_reason(&said);
	/* the kernel may have begun with the same name */
	if (!strncmp(said.text, what, strlen(what)) && said.text[strlen(what)] == ':')
		return msg_set(m, err, "%s", said.text);
	return msg_set(m, err, "%s: %s", what, said.text[0] ? said.text : strerror(-err));
}

int kernel_channel(const char *name, struct msg *m)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CLIENT,
		.name = (uintptr_t)name,
		.channel_fd = -1,
		.group_fd = -1,
	};
	struct pev_error why;
	int fd;

	if (!engine_is_pev())
		return msg_set(m, -EOPNOTSUPP,
			       "--channel: perf_event_open(2) has no channels of the kernel's own");
	fd = pev_engine_open(engine(), &attr, 0, &why);
	return fd < 0 ? kernel_refused(m, fd, &why, "--channel %s", name) : fd;
}
