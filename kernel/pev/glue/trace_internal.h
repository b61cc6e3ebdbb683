/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracing internals of Linux that have no header in include/: the list of trace events,
 * for trace_list.c, and the kernel's filters, for a test that compares. This is the only file
 * that reaches into kernel/trace.
 */
#ifndef _PEV_TRACE_INTERNAL_H
#define _PEV_TRACE_INTERNAL_H

#include "../../trace/trace.h"

#endif
