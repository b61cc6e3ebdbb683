/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Structures that arguments of system calls point to, in strace's words. Knows no
 * calls: what the bytes are, the kernel says.
 */
#ifndef PERFCTL_STRACE_STRUCTS_H
#define PERFCTL_STRACE_STRUCTS_H

#include "struct_bytes.h"

/* Returns false for a machine that is not known. */
bool structs_abi(const char *machine, enum structs_abi *abi);

/**
 * structs_put() - "{sa_family=AF_UNIX, sun_path="/run/x"}"
 *
 * Return: false, and nothing is written, if the kind is not known or bytes are missing.
 */
bool structs_put(struct strbuf *b, const struct struct_bytes *s);

#endif
