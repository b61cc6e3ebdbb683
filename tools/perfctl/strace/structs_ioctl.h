/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What arguments of ioctl() point to, by the request: for structs.c.
 */
#ifndef PERFCTL_STRACE_STRUCTS_IOCTL_H
#define PERFCTL_STRACE_STRUCTS_IOCTL_H

#include "struct_bytes.h"

/* Of what is not known here, a number, or the bytes: "[5]", "\1\0\0..." */
void put_ioctl(struct strbuf *b, const struct struct_bytes *s);

#endif
