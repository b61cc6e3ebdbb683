// SPDX-License-Identifier: GPL-2.0
/* Objects and their functions: the kernel by kallsyms, real ELF files. */
#include "session/object.h"
#include "tests.h"

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

static void set_kernel(struct objects *os, const char *text)
{
	pev_syms_set_kernel(os->syms, text, strlen(text));
}

static void kernel(void)
{
	struct objects os;
	uint32_t object = OBJECT_ID_KERNEL, sym;

	objects_init(&os);
	set_kernel(&os, "ffffffff81000000 T _text\n"
			      "ffffffff81000000 t startup_64\n"
			      "ffffffff81000100 D some_data\n"
			      "garbage\n\n"
			      "ffffffff81000200 t do_work.isra.0\n"
			      "ffffffffc0000000 t mod_func\t[ext4]\n"
			      "ffffffffc0000100 t other\t[xfs]");
	sym = resolve(&os, &object, 0xffffffff81000250);
	OK(sym != SYM_NONE && object == OBJECT_ID_KERNEL, "a kernel function");
	IS_STR(objects_symbol_name(&os, object, sym), "do_work.isra.0", "... by name");
	object = OBJECT_ID_KERNEL;
	sym = resolve(&os, &object, 0xffffffffc0000010);
	IS_STR(object_name(&os, object), "[ext4]", "a module's function is the module's");
	IS_STR(objects_symbol_name(&os, object, sym), "mod_func", "... by name");
	object = OBJECT_ID_KERNEL;
	IS_NUM(resolve(&os, &object, 0xffffffff80000000), SYM_NONE, "below the kernel");
	objects_free(&os);
	objects_init(&os);
	object = OBJECT_ID_KERNEL;
	set_kernel(&os, "ffffffff81000000 T first\nffffffff81000300 t second\n"
			"ffffffff81000100 e -\nffffffff81000400 e -\n");
	IS_STR(objects_symbol_name(&os, object, resolve(&os, &object, 0xffffffff810000ff)), "first",
	       "a function before others that are left out");
	IS_NUM(resolve(&os, &object, 0xffffffff81000100), SYM_NONE, "... which have no name");
	IS_STR(objects_symbol_name(&os, object, resolve(&os, &object, 0xffffffff81000300)),
	       "second", "... up to the next one that is there");
	IS_NUM(resolve(&os, &object, 0xffffffff81000400), SYM_NONE, "... behind the last one, too");
	objects_free(&os);
	objects_init(&os);
	set_kernel(&os, "0000000000000000 T hidden\n");
	resolve(&os, &object, 0xffffffff81000250);
	OK(os.o[OBJECT_ID_KERNEL].problem, "hidden kernel addresses are a problem that is said");
	objects_free(&os);
}

/* Returns where this program's own function lies in its file. */
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

/* Memory without a file is where a process makes code. */
static void code(void)
{
	struct objects os;
	uint32_t a, b;

	objects_init(&os);
	OK(object_is_anon("//anon") && object_is_anon("/memfd:jit (deleted)") &&
	   !object_is_anon("/usr/bin/x") && !object_is_anon("[vdso]"), "memory without a file");
	a = objects_get(&os, "[jit 17]", NULL);
	b = objects_get(&os, "[jit 18]", NULL);
	OK(a != b && objects_get(&os, "[jit 17]", NULL) == a && os.o[a].kind == OBJECT_CODE,
	   "the code of each process is an object");
	OK(os.o[objects_get(&os, "[jit 17x]", NULL)].kind == OBJECT_ANON, "what only looks like it");
	objects_free(&os);
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
	IS_STR(sym == SYM_NONE ? "-" : objects_symbol_name(&os, object, sym),
	       "test_symtab_landmark", "... by name");
	object = objects_get(&os, path, &wrong);
	IS_NUM(resolve(&os, &object, off), SYM_NONE, "another build id: no symbols");
	OK(os.o[object].problem && strstr(os.o[object].problem, "has changed"), "... and it is said");
	off = own_offset((const void *)a64l, path, sizeof(path));
	object = objects_get(&os, path, NULL);
	sym = resolve(&os, &object, off);
	IS_STR(sym == SYM_NONE ? "-" : objects_symbol_name(&os, object, sym), "a64l",
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
	kernel();
	code();
	elf();
}
