// SPDX-License-Identifier: GPL-2.0
/* The table of all formats. See formats.h. */
#include "formats.h"

#define FORMAT_ENTRY(name, help) &export_##name,

const struct exporter *const export_formats[] = { EXPORT_FORMATS(FORMAT_ENTRY) };
const size_t export_formats_n = ARRAY_SIZE(export_formats);
