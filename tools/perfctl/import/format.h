/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the formats of tracepoints. */
#ifndef PERFCTL_IMPORT_FORMAT_H
#define PERFCTL_IMPORT_FORMAT_H

#include "bytes.h"
#include "import.h"

void import_tracing_data(struct import *im, struct bytes b);

#endif
