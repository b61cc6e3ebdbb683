// SPDX-License-Identifier: GPL-2.0
/* Decodes a function by capstone. See middle.h. */
#include "middle.h"

#include <stdlib.h>
#include <unistd.h>
#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

/* Longer functions are decoded up to here. */
#define CODE_MAX (1U << 20)

#ifdef HAVE_CAPSTONE
static bool decode(const uint8_t *code, size_t size, uint64_t at, uint64_t offset,
		   uint64_t *begin)
{
	cs_insn *insn;
	bool in = false;
	csh handle;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle))
		return false;
	insn = cs_malloc(handle);
	while (insn && at < offset && cs_disasm_iter(handle, &code, &size, &at, insn)) {
		*begin = insn->address;
		in = at > offset;
	}
	if (insn)
		cs_free(insn, 1);
	cs_close(&handle);
	return in;
}
#else
static bool decode(const uint8_t *code, size_t size, uint64_t at, uint64_t offset,
		   uint64_t *begin)
{
	(void)code;
	(void)size;
	(void)at;
	(void)offset;
	(void)begin;
	return false;
}
#endif

bool middle_of(const struct program *p, const struct function *f, uint64_t offset,
	       uint64_t *begin)
{
	size_t size = (size_t)min_u64(f->size, CODE_MAX);
	uint8_t *code;
	bool in;

	if (p->machine == EM_PPC64 || p->machine == EM_AARCH64) {
		*begin = offset & ~(uint64_t)3;
		return *begin != offset;
	}
	if (p->machine != EM_X86_64)
		return false;
	code = xmalloc(size ? size : 1);
	in = pread(p->fd, code, size, (off_t)f->offset) == (ssize_t)size &&
	     decode(code, size, f->offset, offset, begin);
	free(code);
	return in;
}
