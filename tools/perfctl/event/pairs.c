// SPDX-License-Identifier: GPL-2.0
/* Pairs of events, of which the long ones are recorded. See pairs.h. */
#include "pairs.h"
#include "base/say.h"
#include "base/text.h"
#include "kernel.h"

#include <errno.h>
#include <stdio.h>

int pairs_open(struct pairs *p, const struct pev_table *table, int channel, struct event_plan *plan,
	       struct msg *m)
{
	struct pev_attr *begin = &plan->events[PAIR_BEGIN].attr;
	struct pev_attr *end = &plan->events[PAIR_END].attr;
	struct pev_table own = *table;
	struct pev_error why;
	int err;

	own.flags |= PEV_TABLE_F_RECORDS;
	own.channel_fd = channel;
	p->least = own.least;
	err = pev_table_open(&own, 0, &p->table, &why);
	if (err)
		return kernel_refused(m, err, &why, "the table of pairs");
	begin->channel_fd = end->channel_fd = pev_table_fd(p->table);
	begin->flags |= PEV_F_BEGIN;
	begin->sample = 0;
	begin->max_stack = 0;
	begin->regs_user = 0;
	begin->stack_user = 0;
	end->sample |= PEV_SAMPLE_PAIR;
	return 0;
}

int pairs_values(struct pairs *p, struct pev_value *values)
{
	struct pev_value *begin = &values[PAIR_BEGIN], *end = &values[PAIR_END];
	struct pev_table_sums sums;
	int err;

	if (!p->table)
		return 0;
	err = pev_table_fetch(p->table);
	if (err)
		return err;
	pev_table_sums(p->table, &sums);
	begin->samples = begin->lost = 0;
	end->samples = sums.recorded;
	end->lost = sums.unrecorded + sums.lost.count;
	return 0;
}

void pairs_summary(const struct pairs *p, const struct event_plan *plan)
{
	struct pev_table_sums s;
	char a[32], b[32], c[32], least[32] = "";
	uint64_t pairs;

	if (!p->table)
		return;
	pev_table_sums(p->table, &s);
	pairs = s.rows.count + s.other.count;
	if (p->least)
		text_ns(least, p->least);
	fprintf(stderr, "  %s pair%s of %s and %s", text_count(a, pairs), text_s(pairs),
		plan->events[PAIR_BEGIN].label, plan->events[PAIR_END].label);
	if (p->least)
		fprintf(stderr, ", %s of %s or more", text_count(b, s.recorded + s.unrecorded),
			least);
	fprintf(stderr, "; %s ended without a begin\n  %s begun: %s replaced",
		text_count(a, s.unmatched.count), text_count(b, s.begun),
		text_count(c, s.replaced));
	fprintf(stderr, ", %s dropped, %s open\n", text_count(a, s.dropped), text_count(b, s.open));
	if (s.dropped)
		note("%s pair%s had no room while open: --open gives more",
		     text_count(a, s.dropped), text_s(s.dropped));
}

void pairs_close(struct pairs *p)
{
	pev_table_close(p->table);
	*p = (struct pairs){ 0 };
}
