// SPDX-License-Identifier: LGPL-2.1-only
/* Adds up what packed sections say to be, without unpacking them. See swell.h. */
#include <gelf.h>
#include <string.h>
#include "object/swell.h"
#include "util/cursor.h"

/* Nothing sane is packed better; less than this is no harm. */
#define RATIO_MOST 64
#define HARMLESS (64ull << 20)

static bool swells(uint64_t size, uint64_t packed)
{
	return size > HARMLESS && size / RATIO_MOST > packed;
}

static uint32_t get_be16(struct cursor *c)
{
	uint32_t high = get_u8(c);

	return high << 8 | get_u8(c);
}

/* A run of LZMA2 ends with a chunk of no kind, and its decoder where a chunk makes no sense. */
static uint64_t chunks_size(struct cursor *c)
{
	uint64_t size = 0;
	uint32_t here, packed;

	for (;;) {
		uint8_t kind = get_u8(c);

		if (kind >= 0x80) {
			here = ((kind & 0x1fu) << 16) + get_be16(c) + 1;
			packed = get_be16(c) + 1 + (kind >= 0xc0);
		} else if (kind == 1 || kind == 2) {
			here = packed = get_be16(c) + 1;
		} else {
			c->bad |= kind;
			return size;
		}
		size += here;
		skip(c, packed);
		if (c->bad)
			return size;
	}
}

/* The decoder makes no more of an .xz than its chunks say, whatever other sizes are in it. */
static uint64_t xz_size(const uint8_t *data, size_t len)
{
	static const uint8_t magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
	static const uint8_t sums[16] = { 0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64 };
	struct cursor c = { .p = data, .end = data + len };
	uint64_t size = 0;
	uint8_t sum;

	/* another form, of which the size may be left open */
	if (len >= 2 && !memcmp(data, "\x5d", 2))
		return UINT64_MAX;
	if (len < 12 || memcmp(data, magic, sizeof(magic)))
		return 0;
	sum = sums[data[7] & 15];
	skip(&c, 12);
	while (!c.bad && left(&c) && *c.p) {
		const uint8_t *run;

		skip(&c, 4 * ((size_t)*c.p + 1));
		run = c.p;
		size += chunks_size(&c);
		skip(&c, (size_t)(run - c.p) % 4 + sum);
	}
	return size;
}

/* The form before SHF_COMPRESSED */
static uint64_t old_size(const uint8_t *data, size_t len)
{
	uint64_t size = 0;

	if (len < 12 || memcmp(data, "ZLIB", 4))
		return 0;
	for (int i = 4; i < 12; i++)
		size = size << 8 | data[i];
	return size;
}

static bool section_swells(Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	GElf_Chdr ch;
	Elf_Data *d;

	if (sh->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &ch) && swells(ch.ch_size, sh->sh_size);
	if (!name || (strcmp(name, ".gnu_debugdata") && strncmp(name, ".zdebug", 7)))
		return false;
	d = elf_rawdata(scn, NULL);
	if (!d || !d->d_buf)
		return false;
	return swells(name[1] == 'z' ? old_size(d->d_buf, d->d_size) : xz_size(d->d_buf, d->d_size),
		      d->d_size);
}

bool elf_swells(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS &&
		    section_swells(scn, &sh, elf_strptr(elf, names, sh.sh_name)))
			return true;
	}
	return false;
}

bool elf_swells_at(int fd)
{
	Elf *elf;
	bool yes;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	/* elfutils would unpack a packed file, too */
	yes = !elf || elf_kind(elf) != ELF_K_ELF || elf_swells(elf);
	elf_end(elf);
	return yes;
}
