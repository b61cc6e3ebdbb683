/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structures of calls for processes, signals and the machine: for structs.c, which has seen to it that there
 * are as many bytes as each needs.
 */
#ifndef PERFCTL_STRACE_STRUCTS_TASK_H
#define PERFCTL_STRACE_STRUCTS_TASK_H

#include "struct_bytes.h"

void put_wait_status(struct strbuf *b, const struct struct_bytes *s);
void put_rlimit(struct strbuf *b, const struct struct_bytes *s);
void put_sigset(struct strbuf *b, const struct struct_bytes *s);
void put_sigaction(struct strbuf *b, const struct struct_bytes *s);
void put_siginfo(struct strbuf *b, const struct struct_bytes *s);
void put_utsname(struct strbuf *b, const struct struct_bytes *s);
void put_sysinfo(struct strbuf *b, const struct struct_bytes *s);

#endif
