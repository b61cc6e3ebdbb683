/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: what 6.12 says of strings in trace events. */
#ifndef _PEV_OLDER_LINUX_TRACE_EVENTS_H
#define _PEV_OLDER_LINUX_TRACE_EVENTS_H

#include_next <linux/trace_events.h>

#define EVENT_NULL_STR		"(null)"

/* Where a dynamic field is. */
struct trace_dynamic_info {
#ifdef __BIG_ENDIAN
	u16	len;
	u16	offset;
#else
	u16	offset;
	u16	len;
#endif
};

#endif
