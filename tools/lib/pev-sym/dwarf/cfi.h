/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Unwind tables: .eh_frame and .debug_frame.
 */
#ifndef _PEV_SYM_DWARF_CFI_H
#define _PEV_SYM_DWARF_CFI_H

#include "util/vec.h"

/**
 * struct bytes - a section
 * @vaddr: of @data[0]
 */
struct bytes {
	const uint8_t	*data;
	size_t		size;
	uint64_t	vaddr;
};

/**
 * struct cie - what functions have in common
 * @off:      where it is in its section
 * @insns:    first instructions: offset in the section ...
 * @insns_len: ... and bytes
 * @enc:      of addresses in its FDEs
 * @sized:    its FDEs have augmentation data
 * @signal:   a frame that the kernel made: the address is not a return address
 */
struct cie {
	size_t		off;
	size_t		insns;
	size_t		insns_len;
	uint64_t	code_align;
	int64_t		data_align;
	uint32_t	ra;
	uint8_t		enc;
	bool		sized;
	bool		signal;
};

/**
 * struct fde - a function
 * @insns: offset in the section
 */
struct fde {
	uint64_t	start;
	uint64_t	end;
	size_t		insns;
	uint32_t	insns_len;
	uint32_t	cie;
};

/**
 * struct cfi - the functions of one section, by address
 */
struct cfi {
	struct bytes	sec;
	VEC(struct cie)	cies;
	VEC(struct fde)	fdes;
};

/* Leaves out damaged entries. Returns false if there is no memory. */
bool cfi_index(struct cfi *c, const struct bytes *sec, bool eh);
const struct fde *cfi_find(const struct cfi *c, uint64_t vaddr);
void cfi_free(struct cfi *c);
/* Gets the place of .eh_frame from .eh_frame_hdr at @vaddr; false if it is not there. */
bool cfi_hdr(const uint8_t *hdr, size_t size, uint64_t vaddr, uint64_t *eh_frame);

#endif /* _PEV_SYM_DWARF_CFI_H */
