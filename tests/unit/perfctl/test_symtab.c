// SPDX-License-Identifier: GPL-2.0
/* Functions by address: tables, kallsyms, real ELF files. */
#include "object.h"
#include "tap.h"

#include <stdlib.h>

__attribute__((noinline)) void test_symtab_landmark(void);

void test_symtab_landmark(void)
{
	__asm__ volatile("");
}

static uint32_t resolve(struct objects *os, uint32_t *object, uint64_t where)
{
	return objects_resolve(os, object, &where);
}

/* A search table with functions at 0x1000, 0x1100 and 0x1400, not in order. */
static void starts(void)
{
	const uint8_t hdr[] = { 1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 3, 0, 0, 0,
				0, 1, 0, 0, 0, 0, 0, 0,
				0, 0, 0, 0, 0, 0, 0, 0,
				0, 4, 0, 0, 0, 0, 0, 0 };
	struct object o = { 0 };
	uint64_t start = 0;

	object_load_starts(&o, hdr, sizeof(hdr), 0x1000);
	OK(o.n_starts == 3 && object_function_start(&o, 0x13ff, &start) && start == 0x1100,
	   "the begin of a function by the unwind table");
	OK(!object_function_start(&o, 0xfff, &start), "nothing before the first one");
	OK(!object_function_start(&o, 0x900000, &start), "nothing far behind the last one");
	object_load_starts(&o, hdr, 29, 0x1000);
	IS_NUM(o.n_starts, 2, "a table that was cut");
	object_load_starts(&o, hdr, 5, 0x1000);
	object_load_starts(&o, (const uint8_t[16]){ 9 }, 16, 0x1000);
	IS_NUM(o.n_starts, 2, "no table at all changes nothing");
	free(o.starts);
}

static const char *at(struct symtab *t, uint64_t addr)
{
	uint32_t i = symtab_find(t, addr);

	return i == SYM_NONE ? "-" : symtab_name(t, i);
}

void test_symtab(void)
{
	struct symtab t = { 0 };

	symtab_add(&t, 0x300, 0x310, "third", 0, 0, false);
	symtab_add(&t, 0x100, 0, "open", 0, 0, false);
	symtab_add(&t, 0x200, 0x220, "weak", 1, 0, false);
	symtab_add(&t, 0x200, 0x220, "strong", 2, 0, false);
	symtab_add(&t, 0x400, 0x500, "outer", 0, 0, false);
	symtab_add(&t, 0x440, 0x450, "inner", 0, 0, false);
	symtab_add(&t, 0x600, 0, "_ZN3foo3barEiPKc", 0, 0, false);
	symtab_finish(&t);
	IS_STR(at(&t, 0x0ff), "-", "before the first function");
	IS_STR(at(&t, 0x1ff), "open", "one without a size reaches to the next");
	IS_STR(at(&t, 0x200), "strong", "the stronger of two stays");
	IS_STR(at(&t, 0x21f), "strong", "the last byte");
	IS_STR(at(&t, 0x220), "-", "one past the last byte");
	IS_STR(at(&t, 0x440), "inner", "a function within another");
	IS_STR(at(&t, 0x600), "foo::bar(int, char const*)", "C++ is demangled");
	IS_STR(at(&t, 0x600), "foo::bar(int, char const*)", "... once");
	OK(!strcmp(at(&t, UINT64_MAX), "-"), "the last address of all");
	symtab_free(&t);
	symtab_finish(&t);
	IS_NUM(symtab_find(&t, 5), SYM_NONE, "an empty table");
	OK(!demangle("main") && !demangle("_Zgarbage") && !demangle("_Z"), "no C++ names");
}

static void kernel(void)
{
	struct objects os;
	uint32_t object = OBJECT_ID_KERNEL, sym;

	objects_init(&os);
	os.kallsyms = xstrdup("ffffffff81000000 T _text\n"
			      "ffffffff81000000 t startup_64\n"
			      "ffffffff81000100 D some_data\n"
			      "garbage\n\n"
			      "ffffffff81000200 t do_work.isra.0\n"
			      "ffffffffc0000000 t mod_func\t[ext4]\n"
			      "ffffffffc0000100 t other\t[xfs]");
	sym = resolve(&os, &object, 0xffffffff81000250);
	OK(sym != SYM_NONE && object == OBJECT_ID_KERNEL, "a kernel function");
	IS_STR(symtab_name(objects_symtab(&os, object), sym), "do_work.isra.0", "... by name");
	object = OBJECT_ID_KERNEL;
	sym = resolve(&os, &object, 0xffffffffc0000010);
	IS_STR(object_name(&os, object), "[ext4]", "a module's function is the module's");
	IS_STR(symtab_name(objects_symtab(&os, object), sym), "mod_func", "... by name");
	object = OBJECT_ID_KERNEL;
	IS_NUM(resolve(&os, &object, 0xffffffff80000000), SYM_NONE, "below the kernel");
	objects_free(&os);
	objects_init(&os);
	os.kallsyms = xstrdup("0000000000000000 T hidden\n");
	resolve(&os, &object, 0xffffffff81000250);
	OK(os.o[OBJECT_ID_KERNEL].problem, "hidden kernel addresses are a problem that is said");
	objects_free(&os);
}

/* Where this program's own function lies in its file. */
static uint64_t own_offset(const void *addr, char *path, size_t size)
{
	char *maps = file_read("/proc/self/maps", NULL), *line = maps;
	uint64_t found = 0;

	for (; line && *line; line = strchr(line, '\n') + 1) {
		unsigned long start, end, off;
		char name[256] = "";

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &start, &end, &off, name) >= 3 &&
		    (uint64_t)(uintptr_t)addr >= start && (uint64_t)(uintptr_t)addr < end) {
			snprintf(path, size, "%s", name);
			found = (uint64_t)(uintptr_t)addr - start + off;
		}
	}
	free(maps);
	return found;
}

static void elf(void)
{
	struct objects os;
	struct build_id id, wrong = { .len = 20 };
	uint32_t object, sym;
	char path[256] = "";
	uint64_t off = own_offset((const void *)test_symtab_landmark, path, sizeof(path));

	objects_init(&os);
	OK(!elf_build_id(path, &id) && id.len == 20, "this program has a build id");
	object = objects_get(&os, path, &id);
	IS_NUM(objects_get(&os, path, &id), object, "the same object again");
	sym = resolve(&os, &object, off);
	OK(sym != SYM_NONE, "this program's function is found in its file");
	IS_STR(sym == SYM_NONE ? "-" : symtab_name(objects_symtab(&os, object), sym),
	       "test_symtab_landmark", "... by name");
	object = objects_get(&os, path, &wrong);
	IS_NUM(resolve(&os, &object, off), SYM_NONE, "another build id: no symbols");
	OK(os.o[object].problem && strstr(os.o[object].problem, "has changed"), "... and it is said");
	off = own_offset((const void *)a64l, path, sizeof(path));
	object = objects_get(&os, path, NULL);
	sym = resolve(&os, &object, off);
	IS_STR(sym == SYM_NONE ? "-" : symtab_name(objects_symtab(&os, object), sym), "a64l",
	       "a stripped library by its dynamic symbols");
	object = objects_get(&os, "/nonexistent/lib.so", NULL);
	IS_NUM(resolve(&os, &object, 0x10), SYM_NONE, "a file that is gone");
	OK(os.o[object].problem, "... has a problem");
	object = objects_get(&os, "/dev/null", NULL);
	IS_NUM(resolve(&os, &object, 0x10), SYM_NONE, "a device is not opened");
	object = objects_get(&os, "/etc/passwd", NULL);
	IS_NUM(resolve(&os, &object, 0x10), SYM_NONE, "a text file");
	OK(os.o[object].problem && strstr(os.o[object].problem, "not an ELF"), "... is no ELF file");
	object = objects_get(&os, "//anon", NULL);
	IS_NUM(resolve(&os, &object, 0x10), SYM_NONE, "anonymous memory");
	objects_free(&os);
}

void test_object(void)
{
	starts();
	kernel();
	elf();
}
