/* SPDX-License-Identifier: GPL-2.0 */
/* All formats that perfctl export knows, in the order of its help. */
#ifndef PERFCTL_EXPORT_FORMATS_H
#define PERFCTL_EXPORT_FORMATS_H

#include "export.h"

/* A format NAME is export_NAME; behind it what --help says of it: its readers. */
/* clang-format off */
#define EXPORT_FORMATS(X)						\
	X(perf, "perf.data (perf report, perf script, hotspot)")	\
	X(pprof, "pprof (go tool pprof, Pyroscope, Parca)")		\
	X(folded, "folded (flame graphs, speedscope)")			\
	X(firefox, "firefox (profiler.firefox.com)")			\
	X(chrome, "chrome (ui.perfetto.dev, chrome://tracing)")	\
	X(callgrind, "callgrind (kcachegrind)")			\
	X(csv, "csv")							\
	X(jsonl, "jsonl (a JSON object a line)")
/* clang-format on */

#define DECLARE_FORMAT(name, help) extern const struct exporter export_##name;
EXPORT_FORMATS(DECLARE_FORMAT)
#undef DECLARE_FORMAT

extern const struct exporter *const export_formats[];
extern const size_t export_formats_n;

#endif
