// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the table of sources, by type. Must not know what any of them does: what differs
 * between them is in struct pev_source_ops.
 */
#include <linux/array_size.h>
#include <linux/init.h>
#include <linux/nospec.h>
#include "base/work.h"
#include "source/list.h"
#include "target/commit.h"
#include "types.h"
#include "sources.h"

static const struct pev_source_ops *const sources[PEV_TYPE_MAX] = {
	[PEV_TYPE_SOFTWARE]	= &pev_software_source,
	[PEV_TYPE_TIMER]	= &pev_timer_source,
	[PEV_TYPE_TRACEPOINT]	= &pev_tracepoint_source,
	[PEV_TYPE_MARKER]	= &pev_marker_source,
	[PEV_TYPE_SIDEBAND]	= &pev_sideband_source,
	[PEV_TYPE_HARDWARE]	= &pev_pmu_source,
	[PEV_TYPE_RAW]		= &pev_raw_source,
	[PEV_TYPE_WAIT]		= &pev_wait_source,
	[PEV_TYPE_USER]		= &pev_user_source,
	[PEV_TYPE_USTACK]	= &pev_ustack_source,
	[PEV_TYPE_PROBE]	= IS_ENABLED(CONFIG_PEV_PROBES) ? &pev_probe_source : NULL,
};

const struct pev_source_ops *pev_source_of(u32 type)
{
	if (type >= ARRAY_SIZE(sources))
		return NULL;
	return sources[array_index_nospec(type, ARRAY_SIZE(sources))];
}

void pev_sources_info(struct pev_info *info)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++)
		if (sources[i] && sources[i]->info)
			sources[i]->info(info);
}

void pev_sources_catalog(struct pev_strbuf *text)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++)
		if (sources[i] && sources[i]->catalog)
			sources[i]->catalog(text);
}

/* The first @nr of them. */
static void take_down(unsigned int nr)
{
	while (nr--)
		if (sources[nr] && sources[nr]->teardown)
			sources[nr]->teardown();
}

int __init pev_sources_setup(void)
{
	int err;

	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++) {
		if (!sources[i])
			continue;
		pev_commit_setup(sources[i]);
		err = sources[i]->setup ? sources[i]->setup() : 0;
		if (err) {
			take_down(i);
			return err;
		}
	}
	return 0;
}

void __pev_teardown pev_sources_teardown(void)
{
	take_down(ARRAY_SIZE(sources));
}
