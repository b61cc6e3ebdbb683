// SPDX-License-Identifier: GPL-2.0
/* Whole ELF files: functions, tables, lines. */
// FUZZ-SOURCES: tools/lib/pev-sym/*/*.c
// FUZZ-CFLAGS: -iquote tools/lib/pev-sym -Itools/lib/pev-sym/include -iquote tools/lib/pev -Itools/lib/pev/include
// FUZZ-LIBS: -ldw -lelf -liberty
// FUZZ-SEEDS: printf 'int f(int x) { return x; } int main(void) { return f(1); }' | gcc -g -O1 -s -nostdlib -shared -x c -o "$1/seed" -
#include <pev/sym.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int find(void *arg, uint64_t addr, struct pev_unwind_map *map)
{
	*map = (struct pev_unwind_map){ 0x10000, 0x90000, 0, *(int *)arg };
	return addr >= map->start && addr < map->end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t regs[3] = { 0x7000, 0x6ff0, 0x11000 };
	static const uint64_t stack[4] = { 0x12000, 0x7010, 0x13000, 0 };
	struct pev_unwind_sample s = { .size = sizeof(s), .regs = regs, .nr_regs = 3, .stack = stack,
				       .stack_len = sizeof(stack), .find = find };
	int fd = memfd_create("object", MFD_CLOEXEC), object;
	struct pev_unwind *unwind;
	enum pev_unwind_end end;
	struct pev_sym_line l[4];
	struct pev_syms *syms;
	struct pev_sym sym;
	uint64_t chain[8];
	char path[40];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	pev_syms_new(0, &syms);
	object = pev_syms_object(syms, path, NULL, 0);
	s.arg = &object;
	if (!pev_unwind_new(syms, "x86_64", 1 << 6 | 1 << 7 | 1 << 8, 0, &unwind)) {
		pev_unwind_chain(unwind, &s, chain, 8, &end);
		pev_unwind_free(unwind);
	}
	for (uint64_t at = 0; at < 0x4000; at += 0x230) {
		if (pev_sym_find(syms, object, at, &sym) == 1)
			pev_sym_name(syms, object, sym.index);
		pev_sym_lines(syms, object, at, l, 4);
	}
	pev_syms_free(syms);
	close(fd);
	return 0;
}
