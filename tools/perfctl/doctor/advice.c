// SPDX-License-Identifier: GPL-2.0
/* Chooses the one command that gives more; it asks nothing itself. See advice.h. */
#include "advice.h"

static struct advice as_root(const struct situation *s, const char *command, const char *gives)
{
	struct advice a;

	snprintf(a.command, sizeof(a.command), "%s%s", s->root ? "" : "sudo ", command);
	snprintf(a.gives, sizeof(a.gives), "%s", gives);
	return a;
}

/* A lower level for everyone, one step at a time. */
static struct advice lower_level(const struct situation *s)
{
	if (s->pev)
		return as_root(s, s->can[CAN_OWN] ? "sysctl kernel.pev_paranoid=1" :
						    "sysctl kernel.pev_paranoid=2",
			       s->can[CAN_OWN] ? "everyone may measure the kernel side of their programs" :
						 "everyone may measure their own programs");
	if (s->paranoid > 1)
		return as_root(s, "sysctl kernel.perf_event_paranoid=1",
			       "everyone may measure their own programs, with the kernel side");
	if (s->paranoid > 0)
		return as_root(s, "sysctl kernel.perf_event_paranoid=0",
			       "everyone may measure the whole machine");
	return as_root(s, "sysctl kernel.perf_event_paranoid=-1",
		       "everyone may measure the whole machine, with tracepoints");
}

/* For those who may use pev-perfmon, or could: nothing changes for everyone else. */
static struct advice by_perfmon(const struct situation *s)
{
	const struct perfmon *p = s->perfmon;
	struct advice a = { "" };

	if (!p->there || s->pev || s->root)
		return a;
	if (p->may_run && p->perfmon && s->paranoid > 2)
		return as_root(s, "sysctl kernel.perf_event_paranoid=2",
			       "CAP_PERFMON is enough then, and everyone may measure their own programs");
	if (!p->may_run && p->perfmon) {
		a = as_root(s, "usermod", "for you, after you have logged in again: the kernel side and "
			    "the whole machine");
		snprintf(a.command, sizeof(a.command), "sudo usermod -aG %s \"$USER\"", p->group);
	} else if (!p->perfmon && p->packaged) {
		a = as_root(s, "dpkg-reconfigure perfctl",
			    "offers the kernel side and the whole machine to a group of users");
	}
	return a;
}

/* Whether a lower level would give a thing that is missing */
static bool is_held_back(const struct situation *s)
{
	int lowest = s->pev ? 1 : -1;

	if (s->paranoid <= lowest || (s->root && s->can[CAN_OWN]))
		return false;
	return !s->can[CAN_OWN] || !s->can[CAN_KERNEL] || (!s->pev && !s->can[CAN_MACHINE]);
}

struct advice advise(const struct situation *s)
{
	struct advice a;

	if (is_held_back(s)) {
		a = by_perfmon(s);
		return *a.command ? a : lower_level(s);
	}
	if (!s->pev && !s->can[CAN_TRACEPOINTS] && !s->tracefs)
		return as_root(s, "mount -t tracefs tracefs /sys/kernel/tracing",
			       s->root ? "tracepoints, and system calls by \"perfctl trace\"" :
					 "root may use tracepoints, and \"perfctl trace\"");
	/* the self-test is of pev's counters */
	if (s->pev && s->can[CAN_COUNTERS])
		return (struct advice){ "perfctl doctor --self-test",
					"a check that the counters count right" };
	return (struct advice){ "" };
}
