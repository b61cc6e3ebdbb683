// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Unwind tables: turns .eh_frame or .debug_frame into a list of functions by address,
 * in one pass over the section, as the search table of .eh_frame_hdr may be missing or
 * wrong, and .debug_frame never has one.
 */
#include <dwarf.h>
#include <stdlib.h>
#include "dwarf/cfi.h"
#include "util/cursor.h"

/* DW_EH_PE_* */
#define PE_OMIT		0xff
#define PE_FORM		0x0f
#define PE_BASE		0x70
#define PE_PCREL	0x10
#define PE_DATAREL	0x30
#define PE_ALIGNED	0x50

static bool get_form(struct cursor *c, uint8_t form, uint64_t *v)
{
	switch (form) {
	case 0x00:
	case 0x04:
	case 0x0c: *v = get_u64(c); break;
	case 0x01: *v = get_uleb(c); break;
	case 0x02: *v = get_u16(c); break;
	case 0x03: *v = get_u32(c); break;
	case 0x09: *v = (uint64_t)get_sleb(c); break;
	case 0x0a: *v = (uint64_t)(int16_t)get_u16(c); break;
	case 0x0b: *v = (uint64_t)(int32_t)get_u32(c); break;
	default: return false;
	}
	return !c->bad;
}

/* @at: the address of @c->p; @data: what DATAREL counts from */
static bool get_encoded(struct cursor *c, uint8_t enc, uint64_t at, uint64_t data, uint64_t *v)
{
	if (!get_form(c, enc & PE_FORM, v))
		return false;
	switch (enc & PE_BASE) {
	case 0: return true;
	case PE_PCREL: *v += at; return true;
	case PE_DATAREL: *v += data; return true;
	default: return false;
	}
}

/**
 * struct entry - a CIE or FDE
 * @c:   behind the length and id
 * @off: of the entry in the section
 * @id:  CIE id or pointer
 * @id_at: offset of @id
 */
struct entry {
	struct cursor	c;
	size_t		off;
	uint64_t	id;
	size_t		id_at;
	bool		wide;
};

/* Reads the next entry; false at the end, or where the section is damaged. */
static bool next_entry(const struct bytes *sec, size_t *pos, bool eh, struct entry *e)
{
	struct cursor c = { .p = sec->data + *pos, .end = sec->data + sec->size };
	uint64_t len;

	if (left(&c) < 4)
		return false;
	*e = (struct entry){ .off = *pos };
	len = get_u32(&c);
	if (!len)
		return false;
	if (len == 0xffffffff) {
		e->wide = true;
		len = get_u64(&c);
	}
	if (c.bad || len > left(&c) || len < 4)
		return false;
	e->id_at = (size_t)(c.p - sec->data);
	c.end = c.p + len;
	*pos = (size_t)(c.end - sec->data);
	/* .eh_frame has 4 bytes here even if the length is wide */
	e->id = e->wide && !eh ? get_u64(&c) : get_u32(&c);
	e->c = c;
	return !c.bad;
}

static bool is_cie(const struct entry *e, bool eh)
{
	if (eh)
		return !e->id;
	return e->id == (e->wide ? UINT64_MAX : UINT32_MAX);
}

/* Reads what "zPLR" and the like announce. */
static bool augmentation(const struct bytes *sec, struct cie *cie, const char *aug,
			 struct cursor *c)
{
	struct cursor data;
	uint64_t len, unused;

	if (!*aug)
		return true;
	if (*aug != 'z')
		return !strcmp(aug, "S") ? (cie->signal = true) : false;
	len = get_uleb(c);
	if (c->bad || len > left(c))
		return false;
	data = (struct cursor){ .p = c->p, .end = c->p + len };
	c->p += len;
	cie->sized = true;
	for (aug++; *aug && !data.bad; aug++) {
		switch (*aug) {
		case 'L': get_u8(&data); break;
		case 'R': cie->enc = get_u8(&data); break;
		case 'S': cie->signal = true; break;
		case 'P': {
			uint8_t enc = get_u8(&data);

			if (enc == PE_ALIGNED) {
				size_t at = (size_t)(data.p - sec->data);

				skip(&data, (8 - (sec->vaddr + at) % 8) % 8);
				enc = 0;
			}
			if (enc != PE_OMIT && !get_form(&data, enc & PE_FORM, &unused))
				return true; /* what follows is lost, the rest is not */
			break;
		}
		default:
			return true;
		}
	}
	return !data.bad;
}

static bool parse_cie(const struct bytes *sec, struct entry *e, struct cie *cie)
{
	struct cursor *c = &e->c;
	uint8_t version = get_u8(c);
	const char *aug = (const char *)c->p;
	const uint8_t *nul = memchr(c->p, 0, left(c));

	*cie = (struct cie){ .off = e->off };
	if (c->bad || !nul || (version != 1 && version != 3 && version != 4))
		return false;
	c->p = nul + 1;
	if (version == 4) {
		/* addresses of 8 bytes, no segments */
		uint8_t address = get_u8(c), segment = get_u8(c);

		if (address != 8 || segment)
			return false;
	}
	cie->code_align = get_uleb(c);
	cie->data_align = get_sleb(c);
	cie->ra = (uint32_t)(version == 1 ? get_u8(c) : get_uleb(c));
	if (c->bad || !augmentation(sec, cie, aug, c))
		return false;
	cie->insns = (size_t)(c->p - sec->data);
	cie->insns_len = left(c);
	return true;
}

/* CIEs are sorted: they were read in the order of their offsets. */
static const struct cie *find_cie(const struct cfi *c, size_t off)
{
	size_t lo = 0, hi = c->cies.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (c->cies.p[mid].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->cies.n && c->cies.p[lo].off == off ? &c->cies.p[lo] : NULL;
}

static bool parse_fde(const struct cfi *cfi, struct entry *e, bool eh, struct fde *f)
{
	const struct bytes *sec = &cfi->sec;
	size_t off = eh ? e->id_at - (size_t)e->id : (size_t)e->id;
	const struct cie *cie = e->id > e->id_at && eh ? NULL : find_cie(cfi, off);
	struct cursor *c = &e->c;
	uint64_t len;

	if (!cie || !get_encoded(c, cie->enc, sec->vaddr + (uint64_t)(c->p - sec->data), 0,
				 &f->start) ||
	    !get_form(c, cie->enc & PE_FORM, &len))
		return false;
	/* leave out what the linker discarded, and what wraps around */
	if (!f->start || !len || f->start + len < f->start)
		return false;
	f->end = f->start + len;
	if (cie->sized)
		skip(c, get_uleb(c));
	if (c->bad || left(c) > UINT32_MAX)
		return false;
	f->cie = (uint32_t)(cie - cfi->cies.p);
	f->insns = (size_t)(c->p - sec->data);
	f->insns_len = (uint32_t)left(c);
	return true;
}

static int by_start(const void *va, const void *vb)
{
	const struct fde *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->insns < b->insns ? -1 : a->insns > b->insns;
}

static bool is_sorted(const struct cfi *c)
{
	for (size_t i = 1; i < c->fdes.n; i++)
		if (c->fdes.p[i - 1].start > c->fdes.p[i].start)
			return false;
	return true;
}

bool cfi_index(struct cfi *cfi, const struct bytes *sec, bool eh)
{
	struct entry e;
	size_t pos = 0;

	*cfi = (struct cfi){ .sec = *sec };
	while (next_entry(sec, &pos, eh, &e)) {
		struct cie cie;
		struct fde fde, *f;

		if (is_cie(&e, eh)) {
			struct cie *to;

			if (!parse_cie(sec, &e, &cie))
				continue;
			to = VEC_PUSH(&cfi->cies);
			if (!to)
				return false;
			*to = cie;
		} else if (parse_fde(cfi, &e, eh, &fde)) {
			f = VEC_PUSH(&cfi->fdes);
			if (!f)
				return false;
			*f = fde;
		}
	}
	if (!is_sorted(cfi))
		qsort(cfi->fdes.p, cfi->fdes.n, sizeof(*cfi->fdes.p), by_start);
	return true;
}

const struct fde *cfi_find(const struct cfi *c, uint64_t vaddr)
{
	size_t lo = 0, hi = c->fdes.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (c->fdes.p[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || vaddr >= c->fdes.p[lo - 1].end)
		return NULL;
	return &c->fdes.p[lo - 1];
}

void cfi_free(struct cfi *c)
{
	free(c->cies.p);
	free(c->fdes.p);
	*c = (struct cfi){ 0 };
}

bool cfi_hdr(const uint8_t *hdr, size_t size, uint64_t vaddr, uint64_t *eh_frame)
{
	struct cursor c = { .p = hdr, .end = hdr + size };
	uint8_t version = get_u8(&c), enc = get_u8(&c);

	get_u16(&c);
	return !c.bad && version == 1 && enc != PE_OMIT &&
	       get_encoded(&c, enc, vaddr + 4, vaddr, eh_frame);
}
