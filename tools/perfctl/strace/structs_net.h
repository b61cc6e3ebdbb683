/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structures of calls for sockets, and lists of buffers: for structs.c, which has seen to it that there
 * are as many bytes as each needs.
 */
#ifndef PERFCTL_STRACE_STRUCTS_NET_H
#define PERFCTL_STRACE_STRUCTS_NET_H

#include "struct_bytes.h"

void put_sockaddr(struct strbuf *b, const struct struct_bytes *s);
void put_sockopt(struct strbuf *b, const struct struct_bytes *s);
void put_msghdr(struct strbuf *b, const struct struct_bytes *s);
void put_iovec(struct strbuf *b, const struct struct_bytes *s);
void put_buffers(struct strbuf *b, const struct struct_bytes *s);
void put_int(struct strbuf *b, const struct struct_bytes *s);

#endif
