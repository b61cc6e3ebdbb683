// SPDX-License-Identifier: GPL-2.0
/* The kernel: its functions by kallsyms, its lines and code by vmlinux. */
#include "lookup.h"
#include "tests.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the kernel was loaded, beside where it was linked. */
#define SLIDE	0x12000000ull

static const char release[] = "6.12.0-no-such-kernel";

/**
 * struct kernel - what a recording would say
 * @worker: address of a function
 * @first:  its first bytes
 */
struct kernel {
	uint64_t worker;
	uint8_t first[4];
	uint8_t id[20];
	char kallsyms[256];
};

/* The file as an ordinary one tells where its functions are. */
static void look(struct kernel *k)
{
	const char *file = object_path("vmlinux");
	struct pev_sym_bytes what;
	struct pev_syms *s;
	uint64_t at;
	int o;

	pev_syms_build_id(file, k->id);
	pev_syms_new(0, &s);
	o = pev_syms_object(s, file, NULL, 0);
	at = find_function(s, o, "worker");
	IS_NUM(pev_sym_bytes(s, o, at, k->first, sizeof(k->first), &what), 0,
	       "the code of a file");
	OK(what.machine == EM_X86_64 && !what.big_endian, "... and whose it is");
	k->worker = what.vaddr + SLIDE;
	at = find_function(s, o, "_stext");
	pev_sym_bytes(s, o, at, &at, 1, &what);
	snprintf(k->kallsyms, sizeof(k->kallsyms),
		 "%016llx T _stext\n%016llx T __workers_start\n%016llx T worker\n%016llx t helper\t[some]\n",
		 (unsigned long long)what.vaddr + SLIDE, (unsigned long long)k->worker,
		 (unsigned long long)k->worker,
		 (unsigned long long)k->worker + 0x10000000);
	IS_NUM(pev_sym_bytes(s, o, 1ull << 40, &at, 1, &what), -ENODATA, "nothing behind the end");
	pev_syms_free(s);
}

static struct pev_syms *begin(const struct kernel *k)
{
	struct pev_syms *s;

	pev_syms_new(0, &s);
	pev_syms_set_kernel(s, k->kallsyms, strlen(k->kallsyms));
	pev_syms_set_kernel_id(s, release, k->id, 20);
	return s;
}

static void with_file(const struct kernel *k)
{
	struct pev_syms *s = begin(k);
	struct pev_sym_bytes what;
	struct pev_sym_line l[4];
	struct pev_sym sym;
	uint8_t code[4];
	int n;

	IS_NUM(pev_syms_set_vmlinux(s, object_path("vmlinux")), 0, "a vmlinux by name");
	OK(pev_sym_find(s, PEV_SYM_KERNEL, k->worker + 1, &sym) == 1 && sym.start == k->worker,
	   "the kernel's functions are those of kallsyms");
	n = pev_sym_lines(s, PEV_SYM_KERNEL, k->worker, l, 4);
	OK(n > 0 && l[n - 1].function && !strcmp(l[n - 1].function, "worker") && l[n - 1].file &&
	   strstr(l[n - 1].file, "kernel.c"), "its lines are those of vmlinux, wherever it was loaded");
	OK(!pev_sym_bytes(s, PEV_SYM_KERNEL, k->worker, code, 4, &what) &&
	   !memcmp(code, k->first, 4) && what.vaddr == k->worker && what.machine == EM_X86_64,
	   "so is its code");
	n = pev_sym_find(s, PEV_SYM_KERNEL, k->worker + 0x10000000, &sym);
	OK(n == 1 && sym.object != PEV_SYM_KERNEL, "a module's function");
	IS_NUM(pev_sym_bytes(s, sym.object, sym.start, code, 4, &what), -ENODATA,
	       "... is in no kernel that doesn't run");
	IS_NUM(pev_sym_lines(s, sym.object, sym.start, l, 4), 0, "... nor its lines in vmlinux");
	pev_syms_free(s);
}

static void without_file(const struct kernel *k)
{
	struct pev_syms *s = begin(k);
	struct pev_sym_bytes what;
	struct pev_sym_line l[4];
	uint8_t code[4];

	IS_NUM(pev_sym_lines(s, PEV_SYM_KERNEL, k->worker, l, 4), 0, "no vmlinux: no lines");
	IS_NUM(pev_sym_bytes(s, PEV_SYM_KERNEL, k->worker, code, 4, &what), -ENODATA,
	       "... and no code");
	pev_syms_free(s);
}

static void other_files(const struct kernel *k)
{
	static const char * const parts[] = { "vmlinux.stripped", "vmlinux.debug" };
	struct pev_sym_bytes what;
	struct pev_sym_line l[4];
	uint8_t code[4];

	for (int i = 0; i < 2; i++) {
		struct pev_syms *s = begin(k);

		IS_NUM(pev_syms_set_vmlinux(s, object_path(parts[i])), 0, parts[i]);
		OK((pev_sym_lines(s, PEV_SYM_KERNEL, k->worker, l, 4) > 0) == i,
		   i ? "... has lines" : "... has none");
		IS_NUM(pev_sym_bytes(s, PEV_SYM_KERNEL, k->worker, code, 4, &what), -ENODATA,
		       i ? "... but no code" : "... and can't be placed");
		pev_syms_free(s);
	}
}

static void refused(struct kernel k)
{
	struct pev_syms *s;

	k.id[0] ^= 1;
	s = begin(&k);
	IS_NUM(pev_syms_set_vmlinux(s, object_path("vmlinux")), -ESTALE,
	       "the vmlinux of another kernel");
	IS_NUM(pev_syms_set_vmlinux(s, "/etc/passwd"), -ENOEXEC, "a file that is no program");
	IS_NUM(pev_syms_set_vmlinux(s, "/no/such/file"), -ENOENT, "no file");
	pev_syms_free(s);
}

void test_kernel(void)
{
	struct kernel k = { 0 };

	look(&k);
	with_file(&k);
	without_file(&k);
	other_files(&k);
	refused(k);
}
