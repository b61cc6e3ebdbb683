// SPDX-License-Identifier: GPL-2.0
/* Owns the probes of trace events of PowerPC, generated from Linux's headers. */
#include <linux/mm.h>
#include <linux/sched.h>
#define CREATE_TRACE_POINTS
#include <asm/trace.h>
