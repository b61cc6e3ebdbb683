/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structures of calls for descriptors and files: for structs.c, which has seen to it that there
 * are as many bytes as each needs.
 */
#ifndef PERFCTL_STRACE_STRUCTS_FILE_H
#define PERFCTL_STRACE_STRUCTS_FILE_H

#include "struct_bytes.h"

void put_fds(struct strbuf *b, const struct struct_bytes *s);
void put_fd_set(struct strbuf *b, const struct struct_bytes *s);
void put_pollfd(struct strbuf *b, const struct struct_bytes *s);
void put_epoll_event(struct strbuf *b, const struct struct_bytes *s);
void put_stat(struct strbuf *b, const struct struct_bytes *s);
void put_statx(struct strbuf *b, const struct struct_bytes *s);
void put_statfs(struct strbuf *b, const struct struct_bytes *s);

/*
 * "[{fd=3, revents=POLLIN}]", "[3 5]": what poll() or select() has found. Returns false, and writes
 * nothing, if that is none.
 */
bool structs_put_found(struct strbuf *b, const struct struct_bytes *s);

#endif
