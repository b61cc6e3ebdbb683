// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs libunwind in remote mode over the same stacks and files: for rules that we do
 * not understand, and to compare with. It only knows the machine it was built for.
 */
#include "object/elf.h"
#include "unwind/libunwind.h"

#ifdef HAVE_LIBUNWIND

#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

/*
 * In the library, though in none of its headers: the public ways to the same search leak.
 * See "Why a private symbol" in Documentation/design/unwinding.rst.
 */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di,
				       unw_proc_info_t *pi, int need_unwind_info, void *arg);
#define search_table UNW_OBJ(dwarf_search_unwind_table)

struct lu {
	unw_addr_space_t as;
};

/*
 * DWARF's numbers are libunwind's, but for the link register of ppc64. On arm64 it takes the link
 * register for the instruction pointer: there we do without.
 */
static int own_reg(const struct arch *a, unw_regnum_t reg)
{
	if (a->lr == 0xff)
		return reg >= 0 && reg < a->nr ? reg : -1;
	return reg >= 0 && reg < 32 ? reg : reg == 65 ? a->lr : reg == UNW_REG_IP ? a->ip : -1;
}

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need,
			  void *arg)
{
	struct unwind_walk *w = arg;
	uint64_t offset, size, vaddr, at;
	unw_dyn_info_t di = { 0 };
	struct sym_object *o;
	uint8_t hdr[12];
	uint32_t count;

	if (!walk_map(w, ip))
		return -UNW_ENOINFO;
	o = syms_loaded(w->u->syms, w->map.object);
	/* version, the encodings that all toolchains write, number of entries */
	if (!elf_hdr(o, &offset, &size) || size < 12 || !elf_read(o, offset, hdr, 12) ||
	    hdr[0] != 1 || hdr[2] != 0x03 || hdr[3] != 0x3b)
		return -UNW_ENOINFO;
	vaddr = sym_object_vaddr(o, offset);
	at = sym_object_vaddr(o, w->map.offset);
	memcpy(&count, hdr + 8, sizeof(count));
	if (count > (size - 12) / 8)
		return -UNW_ENOINFO;
	di.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	di.start_ip = w->map.start;
	di.end_ip = w->map.end;
	di.u.rti.segbase = w->map.start + (vaddr - at);
	di.u.rti.table_data = di.u.rti.segbase + 12;
	di.u.rti.table_len = count * 8 / sizeof(unw_word_t);
	return search_table(as, ip, &di, pi, need, arg);
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as;
	(void)pi;
	(void)arg;
}

static int no_dyn_list(unw_addr_space_t as, unw_word_t *at, void *arg)
{
	(void)as;
	(void)at;
	(void)arg;
	return -UNW_ENOINFO;
}

/* Unwind tables lie beside the code, outside of executable maps: use the last one's bias. */
static bool read_beside(struct unwind_walk *w, unw_word_t addr, uint64_t *v)
{
	const struct sym_object *o;
	uint64_t base, offset;

	if (!w->map.end)
		return false;
	o = syms_object(w->u->syms, w->map.object);
	base = w->map.start - sym_object_vaddr(o, w->map.offset);
	offset = sym_object_offset(o, addr - base);
	return offset != UINT64_MAX && elf_read(o, offset, v, sizeof(*v));
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *v, int write, void *arg)
{
	struct unwind_walk *w = arg;
	uint64_t off = addr - w->sp0, word;

	(void)as;
	if (write)
		return -UNW_EINVAL;
	if (off < w->in->stack_len && w->in->stack_len - off >= 8)
		memcpy(&word, (const char *)w->in->stack + off, 8);
	else if (!read_beside(w, addr, &word) && !walk_read(w, addr, &word))
		return -UNW_EINVAL;
	*v = word;
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *v, int write, void *arg)
{
	struct unwind_walk *w = arg;
	int own = own_reg(w->u->arch, reg);

	(void)as;
	if (write || own < 0 || !(w->valid >> own & 1))
		return -UNW_EBADREG;
	*v = w->regs[own];
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *v, int write,
			void *arg)
{
	(void)as;
	(void)reg;
	(void)v;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *c, void *arg)
{
	(void)as;
	(void)c;
	(void)arg;
	return -UNW_EINVAL;
}

static int proc_name(unw_addr_space_t as, unw_word_t addr, char *buf, size_t len,
		     unw_word_t *off, void *arg)
{
	(void)as;
	(void)addr;
	(void)buf;
	(void)len;
	(void)off;
	(void)arg;
	return -UNW_ENOINFO;
}

bool lu_new(struct pev_unwind *u)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = no_dyn_list,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = proc_name,
	};

#if defined(__x86_64__)
	if (strcmp(u->arch->machine, "x86_64"))
		return false;
#elif defined(__powerpc64__)
	if (strcmp(u->arch->machine, "ppc64le"))
		return false;
#else
	return false;
#endif
	u->lu = calloc(1, sizeof(*u->lu));
	if (!u->lu)
		return false;
	u->lu->as = unw_create_addr_space(&accessors, 0);
	if (!u->lu->as) {
		lu_free(u);
		return false;
	}
	/* a cache would only be right for addresses of one space */
	unw_set_caching_policy(u->lu->as, u->flags & PEV_UNWIND_LIBUNWIND ? UNW_CACHE_GLOBAL :
									      UNW_CACHE_NONE);
	return true;
}

void lu_free(struct pev_unwind *u)
{
	if (u->lu && u->lu->as)
		unw_destroy_addr_space(u->lu->as);
	free(u->lu);
	u->lu = NULL;
}

int lu_step(struct unwind_walk *w)
{
	const struct arch *a = w->u->arch;
	uint64_t new[REGS_MAX], valid = 0;
	unw_cursor_t c;
	int n;

	if (!w->u->lu || unw_init_remote(&c, w->u->lu->as, w))
		return -1;
	n = unw_step(&c);
	if (n <= 0)
		return n ? -1 : 0;
	for (int i = 0; i < a->nr; i++) {
		unw_word_t v;
		int reg = i == a->ip ? UNW_REG_IP : i == a->lr ? 65 : i;

		if (!unw_get_reg(&c, reg, &v)) {
			new[i] = v;
			valid |= 1ULL << i;
		}
	}
	if (!(valid >> a->ip & 1) || !(valid >> a->sp & 1) || new[a->sp] < w->regs[a->sp] ||
	    (new[a->sp] == w->regs[a->sp] && new[a->ip] == w->regs[a->ip]))
		return -1;
	w->u->lu_steps++;
	w->exact = unw_is_signal_frame(&c) > 0;
	memcpy(w->regs, new, a->nr * sizeof(*new));
	w->valid = valid;
	return 1;
}

int lu_chain(struct unwind_walk *w, uint64_t *chain, unsigned int room)
{
	unsigned int n = 0;
	unw_cursor_t c;
	int more;

	w->why = PEV_UNWIND_BROKEN;
	if (unw_init_remote(&c, w->u->lu->as, w))
		return 0;
	do {
		unw_word_t ip;

		if (unw_get_reg(&c, UNW_REG_IP, &ip) || (n && !ip)) {
			w->why = PEV_UNWIND_DONE;
			break;
		}
		if (n == room) {
			w->why = PEV_UNWIND_ROOM;
			break;
		}
		chain[n++] = ip;
		more = unw_step(&c);
		w->u->lu_steps += more > 0;
		if (!more)
			w->why = PEV_UNWIND_DONE;
	} while (more > 0);
	return (int)n;
}

#else /* !HAVE_LIBUNWIND */

bool lu_new(struct pev_unwind *u)
{
	(void)u;
	return false;
}

void lu_free(struct pev_unwind *u)
{
	(void)u;
}

int lu_step(struct unwind_walk *w)
{
	(void)w;
	return -1;
}

int lu_chain(struct unwind_walk *w, uint64_t *chain, unsigned int room)
{
	(void)w;
	(void)chain;
	(void)room;
	return 0;
}

#endif
