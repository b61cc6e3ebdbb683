// SPDX-License-Identifier: GPL-2.0
/*
 * Structures of system calls: a byte for the kind, one for the machine and what was cut, of ioctl()
 * four for the request, the rest.
 */
// FUZZ-SOURCES: tools/perfctl/strace/structs.c tools/perfctl/strace/struct_bytes.c tools/perfctl/strace/structs_call.c tools/perfctl/strace/structs_file.c tools/perfctl/strace/structs_ioctl.c tools/perfctl/strace/structs_net.c tools/perfctl/strace/structs_task.c tools/perfctl/strace/structs_time.c tools/perfctl/strace/bits.c tools/perfctl/strace/signals.c tools/perfctl/base/util.c tools/perfctl/base/text.c
// FUZZ-CFLAGS: -iquote tools/perfctl -Itools/lib/pev/include -Iinclude/uapi
// FUZZ-RUNS: 30000
// FUZZ-SEEDS: for k in $(seq 4 32); do { printf "\\$(printf %o $k)\\0\\2\\0\\0\\120"; head -c 140 /dev/zero; } >"$1/$k"; done; for r in \\1\\124 \\5\\124 \\23\\124 \\22\\211 \\23\\211 \\25\\211 \\47\\211 \\63\\211 \\167\\22; do { printf "\\40\\0$r\\0\\0lo"; head -c 60 /dev/zero; } >"$1/ioctl$r"; done
#include "strace/structs.h"
#include "strace/structs_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf b = { 0 };
	struct struct_bytes s;

	if (size < 2)
		return 0;
	s = (struct struct_bytes){
		.kind = (enum pev_call_kind)data[0],
		.abi = data[1] & 1 ? STRUCTS_PPC64LE : STRUCTS_X86_64,
		.cut = data[1] & 2,
		.at = data + 2,
		.len = size - 2,
		.most = data[1] >> 2,
	};
	if (s.kind == PEV_CALL_IOCTL && s.len >= sizeof(s.request)) {
		memcpy(&s.request, s.at, sizeof(s.request));
		s.at += sizeof(s.request);
		s.len -= sizeof(s.request);
	}
	/* what is not shown leaves no trace, what is ends as a string does */
	if (structs_put(&b, &s) ? b.s[b.len] || !b.len : b.len)
		abort();
	structs_put_found(&b, &s);
	strbuf_free(&b);
	return 0;
}
