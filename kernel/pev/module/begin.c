// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the begin of the sections of markers and of probes: linked before all that
 * have some.
 */
#include "glue/marks.h"
#include "probes.h"

struct pev_mark pev_marks_begin[0] __section("__pev_marks") __aligned(8);
struct pev_probe_entry pev_probes_begin[0] __section("__pev_probes") __aligned(8);
