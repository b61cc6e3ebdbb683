/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes of a structure that the kernel copied, and what all structures are read and
 * shown with. The bytes are of the machine that they come from, and not to be trusted.
 */
#ifndef PERFCTL_STRACE_STRUCT_BYTES_H
#define PERFCTL_STRACE_STRUCT_BYTES_H

#include "base/util.h"

#include <linux/pev.h>

/**
 * enum structs_abi - whose structures
 */
enum structs_abi {
	STRUCTS_X86_64,
	STRUCTS_PPC64LE,
	STRUCTS_ARM64,
};

/**
 * struct struct_bytes - what an argument points to
 * @kind: what it is
 * @request: of PEV_CALL_IOCTL: by which it is that
 * @cut:  there was more of it
 * @most: bytes of data that are shown
 */
struct struct_bytes {
	enum pev_call_kind kind;
	uint32_t request;
	enum structs_abi abi;
	const uint8_t *at;
	size_t len;
	bool cut;
	size_t most;
};

/* Members by their offset; 0 for one that is not there. */
uint16_t struct_u16(const struct struct_bytes *s, size_t at);
uint32_t struct_u32(const struct struct_bytes *s, size_t at);
uint64_t struct_u64(const struct struct_bytes *s, size_t at);
/* "0x7ffd1000", "NULL" */
void struct_pointer(struct strbuf *b, uint64_t v);
/* "[{...}, {...}]" of elements of @size bytes, with "..." if there were more */
void struct_array(struct strbuf *b, const struct struct_bytes *s, size_t size,
		  void (*put)(struct strbuf *b, const struct struct_bytes *s));

#endif
