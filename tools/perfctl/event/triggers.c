// SPDX-License-Identifier: GPL-2.0
/* Events that act on the rings. See triggers.h. */
#include "triggers.h"
#include "engine.h"
#include "base/say.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
	uint64_t flag;
	const char *option;
	const char *did;
} kinds[] = {
	{ PEV_F_START, "--start-on", "started the recording" },
	{ PEV_F_STOP, "--stop-on", "stopped the recording" },
	{ PEV_F_FREEZE, "--snapshot-on", "had a snapshot taken" },
};

static unsigned int kind_of(uint64_t flags)
{
	unsigned int k = 0;

	while (k + 1 < ARRAY_SIZE(kinds) && !(flags & kinds[k].flag))
		k++;
	return k;
}

int triggers_add(struct triggers *t, uint64_t flag, const char *arg, struct msg *m)
{
	t->flags |= flag;
	return event_list_triggers(&t->events, arg, flag, m);
}

int triggers_check(const struct triggers *t, const struct pev_info *info, bool overwrite,
		   const char *other, struct msg *m)
{
	const char *option = kinds[kind_of(t->flags)].option;

	if (!t->flags)
		return 0;
	if (t->flags & PEV_F_FREEZE && !overwrite)
		return msg_set(m, -EINVAL,
			       "--snapshot-on is for --overwrite, which has snapshots of what led "
			       "to an event; without it, everything is written");
	if (other)
		return msg_set(m, -EINVAL,
			       "%s starts and stops records, which %s has none of: leave one of "
			       "them out",
			       option, other);
	if ((info->event_flags & t->flags) == t->flags)
		return 0;
	return msg_set(
		m, -EOPNOTSUPP,
		"%s: %s; \"perfctl record --control\" takes such commands from a program that "
		"waits for the event",
		option,
		engine_is_pev() ? "the running kernel's pev is older than triggers" :
				  "by perf_event_open(2) no event acts on the rings when it "
				  "happens, and a program that is told of it would be late: "
				  "that needs a kernel with pev");
}

int triggers_state(int channel, struct msg *m)
{
	struct pev_channel_state state;
	int err = pev_fd_channel_state(channel, &state);

	return err ? msg_set(m, err, "the state of the rings: %s", strerror(-err)) :
		     (int)state.state;
}

int triggers_thaw(int channel, struct msg *m)
{
	int err = pev_fd_act(channel, PEV_ACT_THAW);

	return err ? msg_set(m, err, "going on after a snapshot: %s", strerror(-err)) : 0;
}

static void say_one(const struct planned_event *e, const struct pev_counts *c)
{
	char a[32], b[32];

	note("%s %s happened %s time%s, and %s %s time%s", kinds[kind_of(e->attr.flags)].option,
	     e->label, text_count(a, c->fired), text_s(c->fired), kinds[kind_of(e->attr.flags)].did,
	     text_count(b, c->acted), text_s(c->acted));
}

void triggers_summary(const struct event_set *set)
{
	const struct event_plan *plan = set->plan;
	uint64_t unarmed = 0;
	char a[32];

	for (size_t i = 0; i < plan->n; i++) {
		struct pev_counts c;

		if (event_set_read_counts(set, i, &c))
			continue;
		unarmed += c.unarmed;
		if (plan->events[i].attr.flags & EVENT_TRIGGERS)
			say_one(&plan->events[i], &c);
	}
	if (unarmed)
		note("%s records came while nothing was to be recorded, and are not lost but left "
		     "out",
		     text_count(a, unarmed));
}
