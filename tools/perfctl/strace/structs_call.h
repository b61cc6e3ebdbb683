/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structures that have the arguments of a call, and the flags that the older calls of that kind
 * have as arguments: for structs.c, which has seen to it that there are as many bytes as each needs.
 */
#ifndef PERFCTL_STRACE_STRUCTS_CALL_H
#define PERFCTL_STRACE_STRUCTS_CALL_H

#include "struct_bytes.h"

void put_open_how(struct strbuf *b, const struct struct_bytes *s);
void put_clone_args(struct strbuf *b, const struct struct_bytes *s);

/* "O_WRONLY|O_CREAT" */
void put_open_flags(struct strbuf *b, uint64_t v);
/* "CLONE_VM|CLONE_VFORK|SIGCHLD" */
void put_clone_flags(struct strbuf *b, uint64_t v);

#endif
