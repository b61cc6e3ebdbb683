// SPDX-License-Identifier: GPL-2.0
/* Code that processes make: perf-PID.map, jitdump. */
#include "lookup.h"
#include "tests.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void put_load(FILE *f, uint64_t addr, uint64_t size, const char *name)
{
	uint32_t head[2] = { 0, (uint32_t)(16 + 8 + 32 + strlen(name) + 1 + size) };
	uint64_t words[] = { 0, 0, 0, addr, size, 1 };

	fwrite(head, sizeof(head), 1, f);
	fwrite(words, sizeof(words), 1, f);
	fputs(name, f);
	fputc(0, f);
	while (size--)
		fputc(0x90, f);
}

static void put_move(FILE *f, uint64_t from, uint64_t to, uint64_t size)
{
	uint32_t head[2] = { 1, 16 + 8 + 40 };
	uint64_t words[] = { 0, 0, 0, from, to, size, 1 };

	fwrite(head, sizeof(head), 1, f);
	fwrite(words, sizeof(words), 1, f);
}

static void write_dump(const char *path)
{
	uint32_t head[10] = { 0x4a695444, 1, 40 };
	FILE *f = fopen(path, "we");

	fwrite(head, sizeof(head), 1, f);
	put_load(f, 0x10000, 64, "first");
	put_load(f, 0x20000, 64, "moved");
	put_move(f, 0x20000, 0x30000, 64);
	put_load(f, 0x10000, 32, "second");
	/* a record that was not finished */
	fwrite(head, 8, 1, f);
	fclose(f);
}

static const char *name_at(struct pev_syms *s, int o, uint64_t at)
{
	struct pev_sym sym;

	return pev_sym_find(s, o, at, &sym) == 1 ? pev_sym_name(s, o, sym.index) : "-";
}

void test_jit(void)
{
	uint32_t pid = (uint32_t)getpid();
	char map[64], dump[4200];
	struct pev_syms *s;
	FILE *f;
	int o;

	pev_syms_new(0, &s);
	snprintf(map, sizeof(map), "/tmp/perf-%u.map", pid);
	snprintf(dump, sizeof(dump), "%s/jit-%u.dump", objects, pid);
	f = fopen(map, "we");
	fputs("7f0000001000 100 LazyCompile:*run /app/main.js:7\n"
	      "7f0000002000 40 old\nno line\n7f0000002000 40 new\n7f0000003000 0 empty\n"
	      "7f0000004000 20 last", f);
	fclose(f);
	write_dump(dump);
	IS_NUM(pev_syms_jitdump(s, pid, dump), 0, "a jitdump file");
	o = pev_syms_code(s, pid);
	IS_NUM(pev_syms_code(s, pid), o, "one object for the code of a process");
	IS_STR(name_at(s, o, 0x7f00000010ff), "LazyCompile:*run /app/main.js:7", "perf-PID.map");
	IS_STR(name_at(s, o, 0x7f0000002000), "new", "what was written last counts");
	IS_STR(name_at(s, o, 0x7f0000004001), "last", "a line without an end");
	IS_STR(name_at(s, o, 0x7f0000003000), "-", "nothing of no size");
	IS_STR(name_at(s, o, 0x10001), "second", "jitdump: code that was replaced");
	IS_STR(name_at(s, o, 0x30001), "moved", "jitdump: code that was moved");
	IS_NUM(pev_syms_jitdump(s, pid, "/other"), -16, "too late for another file");
	unlink(map);
	o = pev_syms_code(s, 4194303);
	IS_STR(name_at(s, o, 0x10001), "-", "a process that left none");
	OK(pev_syms_problem(s, o) && strstr(pev_syms_problem(s, o), "perf-4194303.map"),
	   "... and it is said which file is looked for");
	pev_syms_free(s);
}
