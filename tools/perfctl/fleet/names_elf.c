// SPDX-License-Identifier: GPL-2.0
/* Writes a table of symbols as ELF. See names_elf.h. */
#include "names_elf.h"
#include "ids.h"

#include <elf.h>
#include <stdlib.h>

enum { NULL_SECTION, TEXT, SYMTAB, STRTAB, NOTE, N_SECTIONS };

/* What stands before the tables, in the order of the file */
struct head {
	Elf64_Ehdr file;
	Elf64_Phdr load;
	Elf64_Phdr notes;
	Elf64_Shdr sections[N_SECTIONS];
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[NAMES_ELF_ID];
	} note;
};

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.note.gnu.build-id";

static void fill_file(struct head *h)
{
	memcpy(h->file.e_ident, ELFMAG, SELFMAG);
	h->file.e_ident[EI_CLASS] = ELFCLASS64;
	h->file.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB :
									       ELFDATA2MSB;
	h->file.e_ident[EI_VERSION] = EV_CURRENT;
	h->file.e_type = ET_DYN;
	h->file.e_machine = EM_X86_64;
	h->file.e_version = EV_CURRENT;
	h->file.e_phoff = offsetof(struct head, load);
	h->file.e_shoff = offsetof(struct head, sections);
	h->file.e_ehsize = sizeof(h->file);
	h->file.e_phentsize = sizeof(h->load);
	h->file.e_phnum = 2;
	h->file.e_shentsize = sizeof(h->sections[0]);
	h->file.e_shnum = N_SECTIONS;
	h->file.e_shstrndx = STRTAB;
}

static void fill_sections(struct head *h, size_t n, size_t strings)
{
	uint64_t symbols = sizeof(*h), names = symbols + (n + 1) * sizeof(Elf64_Sym);
	uint64_t text = (names + strings + 15) & ~15ull;

	h->sections[TEXT] = (Elf64_Shdr){ .sh_name = 1,
					  .sh_type = SHT_PROGBITS,
					  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					  .sh_addr = text,
					  .sh_offset = text,
					  .sh_size = n * NAMES_ELF_SIZE,
					  .sh_addralign = 16 };
	h->sections[SYMTAB] = (Elf64_Shdr){ .sh_name = 7,
					    .sh_type = SHT_SYMTAB,
					    .sh_offset = symbols,
					    .sh_size = (n + 1) * sizeof(Elf64_Sym),
					    .sh_link = STRTAB,
					    .sh_info = 1,
					    .sh_addralign = 8,
					    .sh_entsize = sizeof(Elf64_Sym) };
	h->sections[STRTAB] = (Elf64_Shdr){ .sh_name = 15,
					    .sh_type = SHT_STRTAB,
					    .sh_offset = names,
					    .sh_size = strings,
					    .sh_addralign = 1 };
	h->load = (Elf64_Phdr){ .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_align = 4096,
				.p_filesz = text + n * NAMES_ELF_SIZE,
				.p_memsz = text + n * NAMES_ELF_SIZE };
}

static void fill_note(struct head *h, const char *const *names, size_t n)
{
	uint64_t at = offsetof(struct head, note), v = n;

	h->note.head = (Elf64_Nhdr){ sizeof(h->note.name), NAMES_ELF_ID, NT_GNU_BUILD_ID };
	memcpy(h->note.name, ELF_NOTE_GNU, sizeof(h->note.name));
	for (size_t i = 0; i < n; i++)
		v = id_text(v, names[i]);
	memcpy(h->note.id, &v, sizeof(v));
	h->sections[NOTE] = (Elf64_Shdr){ .sh_name = 23,
					  .sh_type = SHT_NOTE,
					  .sh_flags = SHF_ALLOC,
					  .sh_addr = at,
					  .sh_offset = at,
					  .sh_size = sizeof(h->note),
					  .sh_addralign = 4 };
	h->notes = (Elf64_Phdr){ .p_type = PT_NOTE,
				 .p_flags = PF_R,
				 .p_offset = at,
				 .p_vaddr = at,
				 .p_filesz = sizeof(h->note),
				 .p_memsz = sizeof(h->note),
				 .p_align = 4 };
}

uint64_t names_elf(struct strbuf *to, const char *const *names, size_t n, uint8_t id[NAMES_ELF_ID])
{
	struct strbuf strings = { 0 }, symbols = { 0 };
	size_t room = sizeof(section_names);
	struct head h = { 0 };
	uint64_t text;

	strbuf_add(&strings, section_names, sizeof(section_names));
	strbuf_add(&symbols, &(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	for (size_t i = 0; i < n; i++)
		room += strlen(names[i]) + 1;
	fill_file(&h);
	fill_sections(&h, n, room);
	fill_note(&h, names, n);
	memcpy(id, h.note.id, NAMES_ELF_ID);
	text = h.sections[TEXT].sh_offset;
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym s = { .st_name = (Elf64_Word)strings.len,
				.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				.st_shndx = TEXT,
				.st_value = text + i * NAMES_ELF_SIZE,
				.st_size = NAMES_ELF_SIZE };

		strbuf_add(&strings, names[i], strlen(names[i]) + 1);
		strbuf_add(&symbols, &s, sizeof(s));
	}
	strbuf_add(to, &h, sizeof(h));
	strbuf_add(to, symbols.s, symbols.len);
	strbuf_add(to, strings.s, strings.len);
	while (to->len < h.load.p_filesz)
		strbuf_putc(to, '\0');
	strbuf_free(&strings);
	strbuf_free(&symbols);
	return text;
}
