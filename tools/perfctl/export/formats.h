/* SPDX-License-Identifier: GPL-2.0 */
/* All formats that perfctl export knows, in the order of its help. */
#ifndef PERFCTL_EXPORT_FORMATS_H
#define PERFCTL_EXPORT_FORMATS_H

#include "export.h"

/* A format NAME is export_NAME. */
#define EXPORT_FORMATS(X) \
	X(perf) X(pprof) X(folded) X(firefox) X(chrome) X(callgrind) X(csv) X(jsonl)

#define DECLARE_FORMAT(name) extern const struct exporter export_##name;
EXPORT_FORMATS(DECLARE_FORMAT)
#undef DECLARE_FORMAT

extern const struct exporter *const export_formats[];
extern const size_t export_formats_n;

#endif
