// SPDX-License-Identifier: GPL-2.0
/* Unwind tables: an .eh_frame or .debug_frame and places in it. */
// FUZZ-SOURCES: tools/lib/pev-sym/*/*.c
// FUZZ-CFLAGS: -iquote tools/lib/pev-sym -Itools/lib/pev-sym/include -iquote tools/lib/pev -Itools/lib/pev/include
// FUZZ-LIBS: -ldw -lelf -liberty
// FUZZ-SEEDS: for f in /bin/ls /bin/sh /lib/x86_64-linux-gnu/libm.so.6; do objcopy -O binary --only-section=.eh_frame "$f" "$1/t" && { printf '\001'; head -c 4000 "$1/t"; } > "$1/$(basename "$f")"; done; rm -f "$1/t"
#include <pev/sym.h>
#include "dwarf/cfi_row.h"
#include "dwarf/expr.h"

#include <stdlib.h>

static bool nothing(void *arg, uint64_t addr, uint64_t *v)
{
	(void)arg;
	*v = addr;
	return addr & 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t regs[REGS_MAX] = { 1, 2, 3, 4, 5, 6, 7, 0x7fff0000 };
	const struct arch *arch = arch_find(size && data[0] & 2 ? "ppc64le" : "x86_64");
	struct expr_env env = { .arch = arch, .regs = regs, .valid = ~0ull, .read = nothing };
	struct bytes sec = { data + 1, size - 1, 0x1000 };
	uint64_t v;
	struct row row;
	struct cfi c;

	if (!size)
		return 0;
	cfi_hdr(data + 1, size - 1, 0x1000, &v);
	expr_eval(&env, data + 1, size - 1, data[0] & 4, &v);
	cfi_index(&c, &sec, data[0] & 1);
	for (size_t i = 0; i < c.fdes.n && i < 64; i++) {
		const struct fde *f = &c.fdes.p[i];

		if (cfi_find(&c, f->start) && cfi_row(&c, f, f->end - 1, arch, &row) &&
		    row.cfa.kind == RULE_IS_EXPR)
			expr_eval(&env, sec.data + row.cfa.v, row.cfa.len, false, &v);
	}
	cfi_free(&c);
	return 0;
}
