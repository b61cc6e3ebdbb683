/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Found before the kernel's own: what a header in trace/events includes at its end for it to
 * be expanded. The kernel's defines tracepoints, and trace events in all forms, which the
 * kernel has already; this one makes only what trace/pev.h makes of it, and an entry in the
 * table of probes for each event.
 */
#ifdef CREATE_TRACE_POINTS
#undef CREATE_TRACE_POINTS

#include <linux/stringify.h>
#include <linux/trace_events.h>
#include <linux/pev_tracepoint.h>
#include "probes.h"

#ifndef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE		TRACE_SYSTEM
#endif

#ifdef TRACE_INCLUDE_PATH
#define __TRACE_INCLUDE(system)		__stringify(TRACE_INCLUDE_PATH/system.h)
#else
#define __TRACE_INCLUDE(system)		<trace/events/system.h>
#endif
#define TRACE_INCLUDE(system)		__TRACE_INCLUDE(system)

/* The next header begins with the macros of linux/tracepoint.h. */
#pragma push_macro("TRACE_EVENT")
#pragma push_macro("TRACE_EVENT_CONDITION")
#pragma push_macro("TRACE_EVENT_FN")
#pragma push_macro("TRACE_EVENT_FN_COND")
#pragma push_macro("TRACE_EVENT_NOP")
#pragma push_macro("TRACE_EVENT_FLAGS")
#pragma push_macro("TRACE_EVENT_PERF_PERM")
#pragma push_macro("DECLARE_TRACE")
#pragma push_macro("DECLARE_TRACE_CONDITION")
#pragma push_macro("DECLARE_EVENT_CLASS")
#pragma push_macro("DECLARE_EVENT_NOP")
#pragma push_macro("DEFINE_EVENT")
#pragma push_macro("DEFINE_EVENT_FN")
#pragma push_macro("DEFINE_EVENT_CONDITION")
#pragma push_macro("DEFINE_EVENT_PRINT")
#pragma push_macro("DEFINE_EVENT_NOP")

#define TRACE_HEADER_MULTI_READ
#include <trace/pev_probes.h>
#undef TRACE_HEADER_MULTI_READ

#pragma pop_macro("TRACE_EVENT")
#pragma pop_macro("TRACE_EVENT_CONDITION")
#pragma pop_macro("TRACE_EVENT_FN")
#pragma pop_macro("TRACE_EVENT_FN_COND")
#pragma pop_macro("TRACE_EVENT_NOP")
#pragma pop_macro("TRACE_EVENT_FLAGS")
#pragma pop_macro("TRACE_EVENT_PERF_PERM")
#pragma pop_macro("DECLARE_TRACE")
#pragma pop_macro("DECLARE_TRACE_CONDITION")
#pragma pop_macro("DECLARE_EVENT_CLASS")
#pragma pop_macro("DECLARE_EVENT_NOP")
#pragma pop_macro("DEFINE_EVENT")
#pragma pop_macro("DEFINE_EVENT_FN")
#pragma pop_macro("DEFINE_EVENT_CONDITION")
#pragma pop_macro("DEFINE_EVENT_PRINT")
#pragma pop_macro("DEFINE_EVENT_NOP")

#undef TRACE_INCLUDE
#undef __TRACE_INCLUDE
/* of this header, whether it had its own or not */
#undef TRACE_INCLUDE_FILE
#undef TRACE_INCLUDE_PATH

#define CREATE_TRACE_POINTS
#endif
