// SPDX-License-Identifier: GPL-2.0
/* Mangled names of Rust (those of C++ are the C++ runtime's business). */
// FUZZ-SOURCES: tools/lib/pev/sym/rust.c tools/lib/pev/sym/vec.c
// FUZZ-CFLAGS: -Itools/lib/pev/sym -Itools/lib/pev/include
// FUZZ-SEEDS: for n in _RNvNtCs1234_7mycrate3foo3bar _RINvC1a1fFUKCPvEuE _ZN4core3fmt9Formatter3pad17h0123456789abcdefE _RNvXCs1234_7mycrateNtB2_3FooNtB2_5Trait3bar; do printf %s "$n" > "$1/$n"; done
#include "internal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	free(rust_demangle((const char *)data, size));
	return 0;
}
