/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Expands a header in trace/events into pev's probes. Each stage defines the macros that
 * the header is made of, and reads it again.
 */

/* ---- a kind of trace event is a class with one event, where it is more than that ---- */

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)			\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
			    PARAMS(assign), PARAMS(print))			\
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))

#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print)	\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),		\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg)	\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),		\
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_FN_COND
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, reg, unreg)	\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),		\
		    PARAMS(assign), PARAMS(print))

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)		\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)			\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

/* What makes no event, or is there already. */
#undef DECLARE_TRACE
#define DECLARE_TRACE(...)
#undef DECLARE_TRACE_CONDITION
#define DECLARE_TRACE_CONDITION(...)
#undef TRACE_EVENT_NOP
#define TRACE_EVENT_NOP(...)
#undef DECLARE_EVENT_NOP
#define DECLARE_EVENT_NOP(...)
#undef DEFINE_EVENT_NOP
#define DEFINE_EVENT_NOP(...)
#undef TRACE_EVENT_FLAGS
#define TRACE_EVENT_FLAGS(...)
#undef TRACE_EVENT_PERF_PERM
#define TRACE_EVENT_PERF_PERM(...)
#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(...)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(...)

/* ---- 1: the record of a class ---- */

#include <trace/stages/stage1_struct_define.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct trace_event_raw_##name {					\
		struct trace_entry	ent;				\
		tstruct							\
		char			__data[];			\
	};
#undef DEFINE_EVENT
#define DEFINE_EVENT(...)

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

/* ---- 2: where its dynamic fields are ---- */

#include <trace/stages/stage2_data_offsets.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct trace_event_data_offsets_##name {			\
		tstruct;						\
	};

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

/* ---- 3: how long they are ---- */

#include <trace/stages/stage5_get_offsets.h>

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
static __always_inline notrace int					\
trace_event_get_offsets_##name(struct trace_event_data_offsets_##name *__data_offsets, proto)	\
{									\
	struct trace_event_raw_##name __maybe_unused *entry;		\
	int __maybe_unused __item_length;				\
	int __data_size = 0;						\
									\
	tstruct;							\
	return __data_size;						\
}

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

/* ---- 4: the probes, as in the built-in form ---- */

#include <trace/pev.h>

/* ---- 5: the table ---- */

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(...)
#undef DEFINE_EVENT
#define DEFINE_EVENT(template, event, ...)				\
static struct pev_probe_entry __used __aligned(8) __section("__pev_probes") \
pev_probe_entry_##event = {						\
	.system	= __stringify(TRACE_SYSTEM),				\
	.name	= #event,						\
	.probe	= pev_probe_##template,					\
};

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, event, proto, args, print)		\
	DEFINE_EVENT(template, event, PARAMS(proto), PARAMS(args))

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)
