// SPDX-License-Identifier: GPL-2.0
/* Owns the probes of trace events of x86, generated from Linux's headers. */
#include <linux/mm.h>
#include <linux/sched.h>
#define CREATE_TRACE_POINTS
#include <asm/trace/exceptions.h>
#include <asm/trace/fpu.h>
#include <asm/trace/irq_vectors.h>
#include <trace/events/mce.h>
