// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Which library this is: its version, and how large it takes structures to be.
 */
#include <string.h>
#include <pev/pev.h>
#include <pev/version.h>
#include "core/compiler.h"

PEV_EXPORT const char *pev_version(void)
{
	return PEV_VERSION;
}

PEV_EXPORT size_t pev_struct_size(const char *name)
{
	/* clang-format off */
#define SIZE(s)	{ #s, sizeof(struct s) }
	static const struct { const char *name; size_t size; } sizes[] = {
		SIZE(pev_attr), SIZE(pev_catalog_entry), SIZE(pev_channel_info), SIZE(pev_class),
		SIZE(pev_clock_desc), SIZE(pev_error), SIZE(pev_estimate), SIZE(pev_event),
		SIZE(pev_field), SIZE(pev_id), SIZE(pev_info), SIZE(pev_multiplexed),
		SIZE(pev_packet_index), SIZE(pev_piece), SIZE(pev_pmu_event),
		SIZE(pev_pmu_table), SIZE(pev_pmu_unit), SIZE(pev_request), SIZE(pev_self),
		SIZE(pev_stream), SIZE(pev_value),
	};
#undef SIZE
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (!strcmp(sizes[i].name, name))
			return sizes[i].size;
	return 0;
}
