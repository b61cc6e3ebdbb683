/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The expansion of TRACE_EVENT() that writes a trace event's fields straight
 * into a pev ring. Included by define_trace.h, as perf.h is.
 */

#undef TRACE_SYSTEM_VAR

#ifdef CONFIG_PEV

#include <trace/stages/stage6_event_callback.h>

#undef __perf_count
#define __perf_count(c)	(c)

#undef __perf_task
#define __perf_task(t)	(t)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(call, proto, args, tstruct, assign, ...)	\
static notrace void __maybe_unused					\
pev_probe_##call(void *__data, proto)					\
{									\
	struct trace_event_data_offsets_##call __maybe_unused __data_offsets;\
	struct trace_event_raw_##call *entry;				\
	struct pev_trace_record __record;				\
	int __data_size;						\
									\
	if (!pev_trace_running(__data))					\
		return;							\
									\
	__data_size = trace_event_get_offsets_##call(&__data_offsets, args); \
									\
	__record = pev_trace_begin(__data,				\
				   offsetof(typeof(*entry), __data) +	\
				   __data_size, _RET_IP_);		\
	entry = __record.entry;						\
	if (!entry)							\
		return;							\
									\
	tstruct								\
									\
	{ assign; }							\
									\
	pev_trace_end(__record.token);					\
}

/*
 * This part is compiled out, it is only here as a build time check
 * to make sure that if the tracepoint handling changes, the
 * pev probe will fail to compile unless it too is updated.
 */
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, call, ...)				\
static inline void pev_test_probe_##call(void)				\
{									\
	check_trace_callback_type_##call(pev_probe_##template);	\
}

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, ...)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
#endif /* CONFIG_PEV */
