// SPDX-License-Identifier: GPL-2.0
/* Writes a table of symbols as ELF. See names_elf.h. */
#include "names_elf.h"

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

/* @strings: bytes of the names; returns where what is behind the tables begins. */
static uint64_t fill_tables(struct head *h, size_t n, size_t strings)
{
	uint64_t symbols = sizeof(*h), names = symbols + (n + 1) * sizeof(Elf64_Sym);

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
	return (names + strings + 15) & ~15ull;
}

/* @type: SHT_NOBITS: the code itself is not in the file */
static void fill_text(struct head *h, uint32_t type, uint64_t begin, uint64_t end)
{
	h->sections[TEXT] = (Elf64_Shdr){ .sh_name = 1,
					  .sh_type = type,
					  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					  .sh_addr = begin,
					  .sh_offset = begin,
					  .sh_size = end - begin,
					  .sh_addralign = 16 };
	h->load = (Elf64_Phdr){ .p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_align = 4096,
				.p_filesz = end,
				.p_memsz = end };
}

static void fill_note(struct head *h, const uint8_t *id, size_t id_len)
{
	uint64_t at = offsetof(struct head, note);
	uint64_t size = sizeof(h->note) - sizeof(h->note.id) + ((id_len + 3) & ~3ull);

	h->note.head = (Elf64_Nhdr){ sizeof(h->note.name), (Elf64_Word)id_len, NT_GNU_BUILD_ID };
	memcpy(h->note.name, ELF_NOTE_GNU, sizeof(h->note.name));
	memcpy(h->note.id, id, id_len);
	h->sections[NOTE] = (Elf64_Shdr){ .sh_name = 23,
					  .sh_type = SHT_NOTE,
					  .sh_flags = SHF_ALLOC,
					  .sh_addr = at,
					  .sh_offset = at,
					  .sh_size = size,
					  .sh_addralign = 4 };
	h->notes = (Elf64_Phdr){ .p_type = PT_NOTE,
				 .p_flags = PF_R,
				 .p_offset = at,
				 .p_vaddr = at,
				 .p_filesz = size,
				 .p_memsz = size,
				 .p_align = 4 };
}

static size_t names_size(const struct names_elf_function *f, size_t n)
{
	size_t size = sizeof(section_names);

	for (size_t i = 0; i < n; i++)
		size += strlen(f[i].name) + 1;
	return size;
}

/* Appends the head and both tables. */
static void put(struct strbuf *to, const struct head *h, const struct names_elf_function *f,
		size_t n)
{
	size_t name = sizeof(section_names);

	strbuf_add(to, (const char *)h, sizeof(*h));
	strbuf_add(to, (const char *)&(Elf64_Sym){ 0 }, sizeof(Elf64_Sym));
	for (size_t i = 0; i < n; i++) {
		Elf64_Sym s = { .st_name = (Elf64_Word)name,
				.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				.st_shndx = TEXT,
				.st_value = f[i].place,
				.st_size = f[i].size };

		strbuf_add(to, (const char *)&s, sizeof(s));
		name += strlen(f[i].name) + 1;
	}
	strbuf_add(to, section_names, sizeof(section_names));
	for (size_t i = 0; i < n; i++)
		strbuf_add(to, f[i].name, strlen(f[i].name) + 1);
}

uint64_t names_elf_code(struct strbuf *to, const char *const *names, size_t n, const uint8_t *id,
			size_t id_len)
{
	struct names_elf_function *f = xcalloc(n + 1, sizeof(*f));
	struct head h = { 0 };
	size_t before = to->len;
	uint64_t text;

	for (size_t i = 0; i < n; i++)
		f[i].name = names[i];
	fill_file(&h);
	text = fill_tables(&h, n, names_size(f, n));
	fill_text(&h, SHT_PROGBITS, text, text + n * NAMES_ELF_SIZE);
	fill_note(&h, id, id_len);
	for (size_t i = 0; i < n; i++) {
		f[i].place = text + i * NAMES_ELF_SIZE;
		f[i].size = NAMES_ELF_SIZE;
	}
	put(to, &h, f, n);
	while (to->len - before < h.load.p_filesz)
		strbuf_putc(to, '\0');
	free(f);
	return text;
}

void names_elf_file(struct strbuf *to, const struct names_elf_function *f, size_t n,
		    const uint8_t *id, size_t id_len)
{
	uint64_t begin = UINT64_MAX, end = 0;
	struct head h = { 0 };

	for (size_t i = 0; i < n; i++) {
		begin = min_u64(begin, f[i].place);
		end = max_u64(end, f[i].place + f[i].size);
	}
	fill_file(&h);
	fill_tables(&h, n, names_size(f, n));
	fill_text(&h, SHT_NOBITS, n ? begin : 0, end);
	fill_note(&h, id, id_len);
	put(to, &h, f, n);
}
