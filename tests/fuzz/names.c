// SPDX-License-Identifier: GPL-2.0
/* Mangled names of C++ and Rust: libiberty's parsers, with our limits around them. */
// FUZZ-SOURCES: tools/lib/pev-sym/names/demangle.c
// FUZZ-CFLAGS: -iquote tools/lib/pev-sym -Itools/lib/pev-sym/include
// FUZZ-LIBS: -liberty
// FUZZ-SEEDS: for n in _RNvNtCs1234_7mycrate3foo3bar _RINvC1a1fFUKCPvEuE _ZN4core3fmt9Formatter3pad17h0123456789abcdefE _RNvXCs1234_7mycrateNtB2_3FooNtB2_5Trait3bar _ZNSt6vectorIiSaIiEE9push_backEOi _Z1fSt4pairIxxES_IS0_S0_E; do printf %s "$n" > "$1/$n"; done
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "names/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = strndup((const char *)data, size);

	if (name)
		free(demangle(name));
	free(name);
	return 0;
}
