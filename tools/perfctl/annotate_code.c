// SPDX-License-Identifier: GPL-2.0
/* Instructions of an object, by capstone. See annotate.h. */
#include "annotate.h"

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUNCTION_MOST (4u << 20)

static bool read_at(int fd, void *buf, size_t size, uint64_t at)
{
	return pread(fd, buf, size, (off_t)at) == (ssize_t)size;
}

/* Where offset @at of the file is loaded. */
static uint64_t to_vaddr(int fd, const Elf64_Ehdr *h, uint64_t at)
{
	for (unsigned int i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr ph;

		if (!read_at(fd, &ph, sizeof(ph), h->e_phoff + (uint64_t)i * h->e_phentsize))
			break;
		if (ph.p_type == PT_LOAD && at >= ph.p_offset && at - ph.p_offset < ph.p_filesz)
			return at - ph.p_offset + ph.p_vaddr;
	}
	return at;
}

static bool read_file(struct annotate_code *c, int fd, uint64_t at, uint64_t size, char **why)
{
	struct stat st;
	Elf64_Ehdr h;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !read_at(fd, &h, sizeof(h), 0) ||
	    memcmp(h.e_ident, ELFMAG, SELFMAG) || h.e_ident[EI_CLASS] != ELFCLASS64 ||
	    h.e_ident[EI_DATA] != (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)) {
		*why = xstrdup("its file is no ELF file of this kind of machine");
		return false;
	}
	if (!size || size > FUNCTION_MOST || at > (uint64_t)st.st_size ||
	    size > (uint64_t)st.st_size - at) {
		*why = xstrdup("the size of the function is not known");
		return false;
	}
	c->machine = h.e_machine;
	c->big_endian = h.e_ident[EI_DATA] == ELFDATA2MSB;
	c->vaddr = to_vaddr(fd, &h, at);
	c->bytes = xmalloc(size);
	c->size = size;
	if (read_at(fd, c->bytes, size, at))
		return true;
	*why = xasprintf("its file cannot be read: %s", strerror(errno));
	free(c->bytes);
	c->bytes = NULL;
	return false;
}

bool annotate_read(struct annotate_code *c, const struct object *o, uint64_t at, uint64_t size,
		   char **why)
{
	bool ok;
	int fd;

	*c = (struct annotate_code){ 0 };
	if (o->kind != OBJECT_FILE) {
		*why = xasprintf("the code of %s is in no file", o->name);
		return false;
	}
	fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0) {
		*why = xasprintf("%s", strerror(errno));
		return false;
	}
	ok = read_file(c, fd, at, size, why);
	close(fd);
	return ok;
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
	/* bytes that are no instruction are data; what follows is looked at again */
	cs_option(*engine, CS_OPT_SKIPDATA, CS_OPT_ON);
	if (arch == CS_ARCH_X86)
		cs_option(*engine, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return true;
}

bool annotate_decode(const struct annotate_code *c, annotate_fn fn, void *arg, char **why)
{
	const uint8_t *bytes = c->bytes;
	uint64_t vaddr = c->vaddr;
	size_t left = c->size;
	cs_insn *insn;
	csh engine;

	if (!open_engine(c, &engine)) {
		*why = xasprintf("capstone does not know the instructions of ELF machine %d",
				 c->machine);
		return false;
	}
	insn = cs_malloc(engine);
	while (cs_disasm_iter(engine, &bytes, &left, &vaddr, insn)) {
		char text[256];

		snprintf(text, sizeof(text), "%-8s %s", insn->mnemonic, insn->op_str);
		fn(arg, insn->address - c->vaddr, insn->size, text);
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
