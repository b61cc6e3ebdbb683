/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structures of times: for structs.c, which has seen to it that there
 * are as many bytes as each needs.
 */
#ifndef PERFCTL_STRACE_STRUCTS_TIME_H
#define PERFCTL_STRACE_STRUCTS_TIME_H

#include "struct_bytes.h"

void put_timespec(struct strbuf *b, const struct struct_bytes *s);
void put_timeval(struct strbuf *b, const struct struct_bytes *s);
void put_itimerspec(struct strbuf *b, const struct struct_bytes *s);
void put_itimerval(struct strbuf *b, const struct struct_bytes *s);
void put_rusage(struct strbuf *b, const struct struct_bytes *s);

#endif
