// SPDX-License-Identifier: GPL-2.0
/* What stat counts unless it is told. See events.h. */
#include "events.h"

bool stat_counts(const struct pev_info *info, uint32_t event)
{
	return info->pmu_counters && info->hardware >> event & 1;
}

int stat_add_pair(struct event_list *list, const struct pev_info *info, uint32_t a, uint32_t b,
		  struct msg *m)
{
	const char *na = pev_config_name(PEV_TYPE_HARDWARE, a);
	const char *nb = pev_config_name(PEV_TYPE_HARDWARE, b);
	char text[128];
	int err;

	if (stat_counts(info, a) && stat_counts(info, b))
		snprintf(text, sizeof(text), "{%s,%s}", na, nb);
	else if (stat_counts(info, a) || stat_counts(info, b))
		snprintf(text, sizeof(text), "%s", stat_counts(info, a) ? na : nb);
	else
		return 0;
	err = event_list_parse(list, text, m);
	for (size_t i = list->n - list->last_n; !err && i < list->n; i++)
		list->specs[i].weak = true;
	return err;
}

int stat_default_events(struct event_list *list, const struct pev_info *info, bool guests,
			struct msg *m)
{
	int err = event_list_parse(list, guests ? STAT_GUEST_EVENTS : STAT_EVENTS, m);

	if (!err)
		err = stat_add_pair(list, info, PEV_HW_CYCLES, PEV_HW_INSTRUCTIONS, m);
	if (!err)
		err = stat_add_pair(list, info, PEV_HW_BRANCHES, PEV_HW_BRANCH_MISSES, m);
	return err;
}
