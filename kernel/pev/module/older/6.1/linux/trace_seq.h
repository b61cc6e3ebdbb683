/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1: how long a line of a trace event may be. */
#ifndef _PEV_OLDER_LINUX_TRACE_SEQ_H
#define _PEV_OLDER_LINUX_TRACE_SEQ_H

#include_next <linux/trace_seq.h>

#define TRACE_SEQ_SIZE	sizeof_field(struct trace_seq, buffer)

#endif
