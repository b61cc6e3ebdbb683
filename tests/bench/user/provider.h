/* SPDX-License-Identifier: GPL-2.0 */
/* The same events for LTTng-UST, in the form that its header reads several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "provider.h"

#if !defined(PEV_BENCH_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define PEV_BENCH_PROVIDER_H

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT_CLASS(bench, numbers,
	LTTNG_UST_TP_ARGS(unsigned long, a, unsigned long, b),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(unsigned long, a, a)
		lttng_ust_field_integer(unsigned long, b, b)
	)
)

#define PEV_BENCH_NUMBERS(name)						\
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(bench, numbers, bench, name,	\
		LTTNG_UST_TP_ARGS(unsigned long, a, unsigned long, b))

PEV_BENCH_NUMBERS(row_1)
PEV_BENCH_NUMBERS(row_2)
PEV_BENCH_NUMBERS(row_3)
PEV_BENCH_NUMBERS(row_4)
PEV_BENCH_NUMBERS(row_5)
PEV_BENCH_NUMBERS(row_6)
PEV_BENCH_NUMBERS(row_7)
PEV_BENCH_NUMBERS(row_8)
PEV_BENCH_NUMBERS(two)

LTTNG_UST_TRACEPOINT_EVENT(bench, text,
	LTTNG_UST_TP_ARGS(unsigned long, order, const char *, city),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(unsigned long, order, order)
		lttng_ust_field_string(city, city)
	)
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
