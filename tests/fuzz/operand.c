// SPDX-License-Identifier: GPL-2.0
/* Operands of probes of sys/sdt.h; the first byte chooses the processor. */
// FUZZ-SOURCES: tools/perfctl/program/operand.c tools/perfctl/program/program.c tools/perfctl/base/util.c
// FUZZ-CFLAGS: -iquote tools/perfctl -Itools/lib/pev/include -Itools/lib/pev-sym/include -Iinclude/uapi
// FUZZ-LIBS: -lelf
// FUZZ-SEEDS: n=0; for o in 'x-4@%edi 8@-16(%rbp)' 'x8@4+a+4(%rip) 1@%r15b' 'x8f@%xmm0 2@$-1' 'p-4@3 8@16(31)' 'p8@%r9 1@i-5'; do n=$((n + 1)); printf %s "$o" > "$1/$n"; done
#include "program/operand.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program p = { .machine = size && *data == 'p' ? EM_PPC64 : EM_X86_64 };
	struct operand operands[OPERANDS_MAX];
	struct usdt_probe probe = { 0 };
	char *text;

	if (!size)
		return 0;
	text = xstrndup((const char *)data + 1, size - 1);
	probe.args = text;
	operands_free(operands, operands_parse(&p, &probe, operands));
	free(text);
	return 0;
}
