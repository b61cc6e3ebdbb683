/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracing internals of Linux that have no header in include/: the lists of
 * trace events and their fields, system calls by number, and, for a test, its filters.
 * This is the only file that reaches into kernel/trace.
 */
#ifndef _PEV_TRACE_INTERNAL_H
#define _PEV_TRACE_INTERNAL_H

#include "../../trace/trace.h"

#endif
