/* SPDX-License-Identifier: GPL-2.0 */
/* Requests of ioctl(2) by their names. */
#ifndef PERFCTL_STRACE_IOCTLS_H
#define PERFCTL_STRACE_IOCTLS_H

#include "base/util.h"

/* "TCGETS", or of what has no name here its parts: "_IOC(_IOC_READ|_IOC_WRITE, 0x41, 0x3, 0x18)" */
void ioctls_put(struct strbuf *b, uint64_t request);

#endif
