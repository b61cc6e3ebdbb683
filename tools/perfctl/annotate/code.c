// SPDX-License-Identifier: GPL-2.0
/* Disassembles objects by capstone. See annotate.h. */
#include "code.h"

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#define FUNCTION_MOST (4u << 20)

static char *no_bytes(struct objects *os, uint32_t object, int err)
{
	const struct object *o = &os->o[object];

	switch (o->kind) {
	case OBJECT_KERNEL:
		return xstrdup("no vmlinux with the kernel's build id was found (name it by "
			       "--vmlinux), and it isn't the one that runs here or /proc/kcore may "
			       "not be read");
	case OBJECT_MODULE:
		return xstrdup("the kernel that was recorded doesn't run here, or /proc/kcore may not "
			       "be read");
	case OBJECT_FILE:
	case OBJECT_VDSO:
		if (err == -ENOEXEC)
			return xstrdup("it is a 32-bit program");
		if (pev_syms_problem(os->syms, (int)object))
			return xstrdup(pev_syms_problem(os->syms, (int)object));
		return xstrdup("its file has no code there");
	default:
		return xasprintf("the code of %s is in no file", o->name);
	}
}

bool annotate_read(struct annotate_code *c, struct objects *os, uint32_t object, uint64_t at,
		   uint64_t size, char **why)
{
	struct pev_sym_bytes what;
	int err;

	*c = (struct annotate_code){ 0 };
	if (!size || size > FUNCTION_MOST) {
		*why = xstrdup("the size of the function is not known");
		return false;
	}
	c->bytes = xmalloc(size);
	err = pev_sym_bytes(os->syms, (int)object, at, c->bytes, size, &what);
	if (err) {
		*why = no_bytes(os, object, err);
		free(c->bytes);
		c->bytes = NULL;
		return false;
	}
	c->size = size;
	c->vaddr = what.vaddr;
	c->machine = what.machine;
	c->big_endian = what.big_endian;
	return true;
}

#ifdef HAVE_CAPSTONE

static bool open_engine(const struct annotate_code *c, csh *engine)
{
	cs_arch arch = CS_ARCH_X86;
	cs_mode mode = CS_MODE_64;

	if (c->machine == EM_PPC64) {
		arch = CS_ARCH_PPC;
		mode = CS_MODE_64 | (c->big_endian ? CS_MODE_BIG_ENDIAN : CS_MODE_LITTLE_ENDIAN);
	} else if (c->machine == EM_AARCH64) {
		arch = CS_ARCH_ARM64;
		mode = CS_MODE_LITTLE_ENDIAN;
	} else if (c->machine != EM_X86_64) {
		return false;
	}
	if (cs_open(arch, mode, engine) != CS_ERR_OK)
		return false;
	cs_option(*engine, CS_OPT_DETAIL, CS_OPT_ON);
	/* bytes that are not an instruction are data; decoding goes on behind them */
	cs_option(*engine, CS_OPT_SKIPDATA, CS_OPT_ON);
	if (arch == CS_ARCH_X86)
		cs_option(*engine, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return true;
}

/* Returns a call's or jump's target from the first byte; all machines write it last. */
static int64_t target_of(const struct annotate_code *c, csh engine, const cs_insn *insn)
{
	const char *last = strrchr(insn->op_str, ' ');

	if (!insn->detail || (!cs_insn_group(engine, insn, CS_GRP_CALL) &&
			      !cs_insn_group(engine, insn, CS_GRP_JUMP)))
		return ANNOTATE_NO_TARGET;
	last = last ? last + 1 : insn->op_str;
	last += *last == '#';
	if (strncmp(last, "0x", 2) || last[2 + strspn(last + 2, "0123456789abcdef")])
		return ANNOTATE_NO_TARGET;
	return (int64_t)(strtoull(last, NULL, 16) - c->vaddr);
}

bool annotate_decode(const struct annotate_code *c, annotate_fn fn, void *arg, char **why)
{
	const uint8_t *bytes = c->bytes;
	uint64_t vaddr = c->vaddr;
	size_t left = c->size;
	cs_insn *insn;
	csh engine;

	if (!open_engine(c, &engine)) {
		*why = xasprintf("capstone does not know the instructions of ELF machine %u",
				 c->machine);
		return false;
	}
	insn = cs_malloc(engine);
	while (cs_disasm_iter(engine, &bytes, &left, &vaddr, insn)) {
		char text[256];

		snprintf(text, sizeof(text), "%-8s %s", insn->mnemonic, insn->op_str);
		fn(arg, insn->address - c->vaddr, insn->size, text, target_of(c, engine, insn));
	}
	cs_free(insn, 1);
	cs_close(&engine);
	return true;
}

#else

bool annotate_decode(const struct annotate_code *c, annotate_fn fn, void *arg, char **why)
{
	(void)c;
	(void)fn;
	(void)arg;
	*why = xstrdup("perfctl was built without capstone (libcapstone-dev)");
	return false;
}

#endif
