/* SPDX-License-Identifier: GPL-2.0 */
/* How the guest's init.c talks to the VMM: host-x86_64.c, host-ppc64le.c */
#ifndef HOST_H
#define HOST_H

#include <stddef.h>

#define HOST_PAGE 4096

enum host_stream { HOST_STDOUT, HOST_FILE };

/* What fails is said, and ends the program. */
void host_open(void);
/* @page is a whole one, of which the first @size bytes are sent. */
void host_send(enum host_stream to, const void *page, size_t size);
/* The VMM ends the guest, and has this exit status. */
__attribute__((noreturn)) void host_end(int status);

__attribute__((noreturn, format(printf, 1, 2))) void die(const char *fmt, ...);

#endif
