// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the fields of probes: checks what a user wants, finds it when a place is reached,
 * and describes it. Must not know events, nor how places are probed.
 *
 * A field is a value and at most PEV_MAX_PROBE_LOADS loads, none of which can fault, so
 * that what an occurrence takes is bounded when the probe is opened.
 */
#include <linux/align.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/perf_regs.h>
#include <linux/pev_refuse.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "base/strbuf.h"
#include "filter/parse.h"
#include "record/layout.h"
#include "record/sample.h"
#include "fetch.h"

#ifdef CONFIG_PPC
#define REG_RESULT	PERF_REG_POWERPC_R3
/* what a probe's trap always saves: the others may be an older trap's */
#define REGS_SAVED	(GENMASK_ULL(PERF_REG_POWERPC_CCR, 0) & ~BIT_ULL(PERF_REG_POWERPC_ORIG_R3))
static const u8 argument_regs[] = {
	PERF_REG_POWERPC_R3, PERF_REG_POWERPC_R4, PERF_REG_POWERPC_R5, PERF_REG_POWERPC_R6,
	PERF_REG_POWERPC_R7, PERF_REG_POWERPC_R8, PERF_REG_POWERPC_R9, PERF_REG_POWERPC_R10,
};
#elif defined(CONFIG_ARM64)
#define REG_RESULT	PERF_REG_ARM64_X0
#define REGS_SAVED	U64_MAX
/* what ftrace saves at the beginning of a function */
#define REGS_FUNCTION								\
	(GENMASK_ULL(PERF_REG_ARM64_X8, 0) | BIT_ULL(PERF_REG_ARM64_X29) |	\
	 BIT_ULL(PERF_REG_ARM64_LR) | BIT_ULL(PERF_REG_ARM64_SP) | BIT_ULL(PERF_REG_ARM64_PC))
static const u8 argument_regs[] = {
	PERF_REG_ARM64_X0, PERF_REG_ARM64_X1, PERF_REG_ARM64_X2, PERF_REG_ARM64_X3,
	PERF_REG_ARM64_X4, PERF_REG_ARM64_X5, PERF_REG_ARM64_X6, PERF_REG_ARM64_X7,
};
#else
#define REG_RESULT	PERF_REG_X86_AX
#define REGS_SAVED	U64_MAX
static const u8 argument_regs[] = {
	PERF_REG_X86_DI, PERF_REG_X86_SI, PERF_REG_X86_DX, PERF_REG_X86_CX, PERF_REG_X86_R8,
	PERF_REG_X86_R9,
};
#endif

#ifndef REGS_FUNCTION
#define REGS_FUNCTION	REGS_SAVED
#endif

/* The words above the stack pointer that may be asked for. */
#define STACK_WORDS	4096

static const struct {
	const char	*name;
	u8		size;
	bool		sign;
} types[PEV_PROBE_TYPE_MAX] = {
	[PEV_PROBE_U8]	= { "uint8_t", 1, false },
	[PEV_PROBE_U16]	= { "uint16_t", 2, false },
	[PEV_PROBE_U32]	= { "uint32_t", 4, false },
	[PEV_PROBE_U64]	= { "uint64_t", 8, false },
	[PEV_PROBE_S8]	= { "int8_t", 1, true },
	[PEV_PROBE_S16]	= { "int16_t", 2, true },
	[PEV_PROBE_S32]	= { "int32_t", 4, true },
	[PEV_PROBE_S64]	= { "int64_t", 8, true },
	[PEV_PROBE_X32]	= { "xint32_t", 4, false },
	[PEV_PROBE_X64]	= { "xint64_t", 8, false },
	/* of the two words */
	[PEV_PROBE_TEXT] = { "text_t", 2, false },
};

/* ---- checks ---- */

static bool is_identifier(const char *name)
{
	size_t len = strlen(name);

	if (!len || len >= PEV_FETCH_NAME || isdigit(*name))
		return false;
	for (const char *p = name; *p; p++)
		if (!isascii(*p) || (!isalnum(*p) && *p != '_'))
			return false;
	return true;
}

/* Is @name what the metadata calls one of the words about the text @of? */
static bool is_word_of(const char *name, const char *of)
{
	size_t len = strlen(of);

	return !strncmp(name, of, len) &&
	       (!strcmp(name + len, "_off") || !strcmp(name + len, "_len"));
}

static int check_name(const struct pev_fetches *all, const char *name, struct pev_refuse *r)
{
	if (!is_identifier(name))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "\"%.40s\" is not a field's name: at most %d letters, digits and _",
				  name, PEV_FETCH_NAME - 1);
	if (!strcmp(name, "place") || !strcmp(name, "faults"))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "each record of a probe has a field \"%s\" already", name);
	for (u32 i = 0; i < all->nr; i++)
		if (!strcmp(all->fetch[i].name, name) || is_word_of(name, all->fetch[i].name) ||
		    is_word_of(all->fetch[i].name, name))
			return pev_refuse(r, EINVAL, PEV_FIELD(config),
					  "the fields \"%s\" and \"%s\" can't be distinguished",
					  all->fetch[i].name, name);
	return 0;
}

static int check_number(const struct pev_probe_field *want, const char *name, u32 most,
			const char *what, struct pev_refuse *r)
{
	if (want->number <= most)
		return 0;
	return pev_refuse(r, EINVAL, PEV_FIELD(config),
			  "field \"%s\": there is no %s %u, but 0 to %u", name, what,
			  want->number, most);
}

static int check_register(u32 kind, const struct pev_probe_field *want, const char *name,
			  struct pev_refuse *r)
{
	u64 saved = kind == PEV_PROBE_FUNCTION ? REGS_FUNCTION : REGS_SAVED;

	if (want->number < 64 && pev_sample_regs() & saved & BIT_ULL(want->number))
		return 0;
	return pev_refuse(r, EINVAL, PEV_FIELD(config), "field \"%s\": there is no register %u",
			  name, want->number);
}

static int check_from(u32 kind, const struct pev_probe_field *want, const char *name,
		      struct pev_refuse *r)
{
	switch (want->from) {
	case PEV_PROBE_ARGUMENT:
		if (pev_probe_at_return(kind))
			return pev_refuse(r, EINVAL, PEV_FIELD(config),
					  "field \"%s\": arguments are gone when a function returns",
					  name);
		return check_number(want, name, ARRAY_SIZE(argument_regs) - 1,
				    "argument in a register", r);
	case PEV_PROBE_REGISTER:
		return check_register(kind, want, name, r);
	case PEV_PROBE_STACK:
		return check_number(want, name, STACK_WORDS - 1, "word of the stack", r);
	case PEV_PROBE_RESULT:
		if (!pev_probe_at_return(kind))
			return pev_refuse(r, EINVAL, PEV_FIELD(config),
					  "field \"%s\": only probes of a return have a result",
					  name);
		return check_number(want, name, 0, "result", r);
	case PEV_PROBE_DURATION:
		if (!pev_probe_at_return(kind))
			return pev_refuse(r, EINVAL, PEV_FIELD(config),
					  "field \"%s\": only probes of a return have a duration",
					  name);
		return check_number(want, name, 0, "duration", r);
	case PEV_PROBE_CONSTANT:
		if (want->nr_loads)
			return pev_refuse(r, EINVAL, PEV_FIELD(config),
					  "field \"%s\": a constant is no address: set nr_loads to 0",
					  name);
		return check_number(want, name, 0, "constant", r);
	default:
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "field \"%s\": from %u is not known", name, want->from);
	}
}

static int check_loads(u32 kind, const struct pev_probe_field *want, const char *name,
		       struct pev_refuse *r)
{
	u32 used = want->from == PEV_PROBE_CONSTANT ? 1 : want->nr_loads;

	if (want->nr_loads > PEV_MAX_PROBE_LOADS)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "field \"%s\": %u loads are more than %d", name, want->nr_loads,
				  PEV_MAX_PROBE_LOADS);
	for (u32 i = used; i < PEV_MAX_PROBE_LOADS; i++)
		if (want->offsets[i])
			return pev_refuse(r, EINVAL, PEV_FIELD(config),
					  "field \"%s\": an offset without a load: set it to 0",
					  name);
	if (want->flags & ~PEV_PROBE_USER_MEMORY)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "field \"%s\": flags 0x%x are not known", name, want->flags);
	if (want->flags && pev_probe_in_file(kind))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "field \"%s\": the memory of a probe in a file is the process's: leave PEV_PROBE_USER_MEMORY out",
				  name);
	return 0;
}

static int check_type(const struct pev_probe_field *want, const char *name, struct pev_refuse *r)
{
	if (want->type >= PEV_PROBE_TYPE_MAX)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "field \"%s\": type %u is not known", name, want->type);
	if (want->type != PEV_PROBE_TEXT) {
		if (!want->limit)
			return 0;
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "field \"%s\": a number has no limit: set it to 0", name);
	}
	if (!want->nr_loads)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "field \"%s\": a text has to be loaded", name);
	if (want->limit > PEV_MAX_PROBE_TEXT || want->limit == 1)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "field \"%s\": limit %u is neither 0 nor one of 2 to %d bytes",
				  name, want->limit, PEV_MAX_PROBE_TEXT);
	return 0;
}

int pev_fetch_add(struct pev_fetches *all, const struct pev_probe_field *want, const char *name,
		  struct pev_refuse *r)
{
	struct pev_fetch *f = &all->fetch[all->nr];
	int err = check_name(all, name, r);

	err = err ?: check_from(all->kind, want, name, r);
	err = err ?: check_loads(all->kind, want, name, r);
	err = err ?: check_type(want, name, r);
	if (err)
		return err;
	strscpy(f->name, name, sizeof(f->name));
	f->type = want->type;
	f->from = want->from;
	f->loads = want->nr_loads;
	f->user = pev_probe_in_file(all->kind) || want->flags & PEV_PROBE_USER_MEMORY;
	f->number = want->number;
	f->limit = want->limit ?: PEV_MAX_PROBE_TEXT;
	memcpy(f->offsets, want->offsets, sizeof(f->offsets));
	all->nr++;
	return 0;
}

bool pev_fetch_needs_duration(const struct pev_fetches *all)
{
	for (u32 i = 0; i < all->nr; i++)
		if (all->fetch[i].from == PEV_PROBE_DURATION)
			return true;
	return false;
}

void pev_fetch_arrange(struct pev_fetches *all)
{
	u32 at = sizeof(struct pev_probe_record), texts = 0;

	for (u32 i = 0; i < all->nr; i++) {
		struct pev_fetch *f = &all->fetch[i];
		u32 size = types[f->type].size;

		at = ALIGN(at, size);
		f->at = at;
		at += size;
		if (f->type == PEV_PROBE_TEXT) {
			at += size;
			texts += f->limit;
		}
	}
	all->fixed = at;
	all->most = ALIGN(at + texts, sizeof(u64));
}

/* ---- an occurrence ---- */

static bool load(const struct pev_fetch *f, u64 from, void *to, u32 size)
{
	if (f->user)
		return !copy_from_user_nofault(to, (const void __user *)(unsigned long)from, size);
	return !copy_from_kernel_nofault(to, (const void *)(unsigned long)from, size);
}

static bool load_stack(u32 kind, const struct pev_fetch *f, struct pt_regs *regs, u64 *value)
{
	if (pev_probe_in_file(kind)) {
		u64 at = user_stack_pointer(regs) + f->number * sizeof(u64);

		return !copy_from_user_nofault(value, (const void __user *)(unsigned long)at,
					       sizeof(*value));
	}
	/* 0 beyond the end of the stack */
	*value = regs_get_kernel_stack_nth(regs, f->number);
	return true;
}

static bool start_value(u32 kind, const struct pev_fetch *f, const struct pev_fetch_in *in,
			u64 *value)
{
	switch (f->from) {
	case PEV_PROBE_ARGUMENT:
		*value = perf_reg_value(in->regs, argument_regs[f->number]);
		return true;
	case PEV_PROBE_REGISTER:
		*value = perf_reg_value(in->regs, f->number);
		return true;
	case PEV_PROBE_STACK:
		return load_stack(kind, f, in->regs, value);
	case PEV_PROBE_RESULT:
		*value = perf_reg_value(in->regs, REG_RESULT);
		return true;
	case PEV_PROBE_CONSTANT:
		*value = f->offsets[0];
		return true;
	default:
		if (!in->duration)
			return false;
		*value = *in->duration;
		return true;
	}
}

/* Follow all loads but the last: @value is what that begins from. */
static bool follow(const struct pev_fetch *f, u64 *value)
{
	for (u32 i = 0; i + 1 < f->loads; i++)
		if (!load(f, *value + f->offsets[i], value, sizeof(*value)))
			return false;
	return true;
}

static void put_number(const struct pev_fetch *f, void *to, u64 value)
{
	switch (types[f->type].size) {
	case 1:
		*(u8 *)to = value;
		break;
	case 2:
		*(u16 *)to = value;
		break;
	case 4:
		*(u32 *)to = value;
		break;
	default:
		*(u64 *)to = value;
	}
}

static bool fetch_number(u32 kind, const struct pev_fetch *f, const struct pev_fetch_in *in,
			 void *to)
{
	u64 value = 0;
	bool ok = start_value(kind, f, in, &value) && follow(f, &value);

	if (ok && f->loads) {
		u64 from = value + f->offsets[f->loads - 1];

		ok = load(f, from, to, types[f->type].size);
	} else if (ok) {
		put_number(f, to, value);
	}
	if (!ok)
		put_number(f, to, 0);
	return ok;
}

/* Return: bytes at @to, the NUL included. */
static u32 fetch_text(u32 kind, const struct pev_fetch *f, const struct pev_fetch_in *in,
		      char *to, bool *ok)
{
	u64 value = 0, from;
	long len = -EFAULT;

	*ok = start_value(kind, f, in, &value) && follow(f, &value);
	from = value + f->offsets[f->loads - 1];
	if (*ok && f->user)
		len = strncpy_from_user_nofault(to, (const void __user *)(unsigned long)from,
						f->limit);
	else if (*ok)
		len = strncpy_from_kernel_nofault(to, (const void *)(unsigned long)from,
						  f->limit);
	if (len > 0)
		return len;
	/* 0 means an empty string here */
	*ok = !len;
	*to = '\0';
	return 1;
}

u32 pev_fetch_run(const struct pev_fetches *all, u32 place, const struct pev_fetch_in *in,
		  void *to)
{
	struct pev_probe_record *head = to;
	u32 end = all->fixed, faults = 0;

	/* gaps between the fields, and the rest of the last word, are not what was there */
	for (u32 i = 0; i < ALIGN(all->fixed, sizeof(u64)); i += sizeof(u64))
		*(u64 *)(to + i) = 0;
	for (u32 i = 0; i < all->nr; i++) {
		const struct pev_fetch *f = &all->fetch[i];
		bool ok;

		if (f->type == PEV_PROBE_TEXT) {
			u32 len = fetch_text(all->kind, f, in, to + end, &ok);

			*(u16 *)(to + f->at) = PEV_FETCH_BASE + end;
			*(u16 *)(to + f->at + sizeof(u16)) = len;
			end += len;
		} else {
			ok = fetch_number(all->kind, f, in, to + f->at);
		}
		faults |= ok ? 0 : BIT(i);
	}
	head->place = place;
	head->faults = faults;
	memset(to + end, 0, ALIGN(end, sizeof(u64)) - end);
	return end;
}

/* ---- descriptions ---- */

/*
 * Readers drop one underscore before a name: with one before each, no name is a keyword of
 * the metadata's language.
 */
void pev_fetch_tsdl(const struct pev_fetches *all, struct pev_strbuf *text)
{
	pev_strbuf_printf(text, "\t\tuint16_t faults;\n");
	for (u32 i = 0; i < all->nr; i++) {
		const struct pev_fetch *f = &all->fetch[i];

		if (f->type == PEV_PROBE_TEXT)
			pev_strbuf_printf(text, "\t\tuint16_t _%s_off;\n\t\tuint16_t _%s_len;\n",
					  f->name, f->name);
		else
			pev_strbuf_printf(text, "\t\t%s _%s;\n", types[f->type].name, f->name);
	}
	for (u32 i = 0; i < all->nr; i++) {
		const struct pev_fetch *f = &all->fetch[i];

		if (f->type == PEV_PROBE_TEXT)
			pev_strbuf_printf(text, "\t\ttext_t _%s[_%s_len];\n", f->name, f->name);
	}
}

void pev_fetch_layout(const struct pev_fetches *all, struct pev_layout *layout)
{
	layout->payload = all->fixed;
	for (u32 i = 0; i < all->nr; i++)
		if (all->fetch[i].type == PEV_PROBE_TEXT)
			pev_layout_length(layout, all->fetch[i].at + sizeof(u16));
}

static bool find_head(const char *name, size_t len, struct pev_filter_field *field)
{
	bool place = len == 5 && !strncmp(name, "place", len);

	if (!place && (len != 6 || strncmp(name, "faults", len)))
		return false;
	field->kind = PEV_FILTER_NUMBER;
	field->sign = false;
	field->offset = PEV_FETCH_BASE +
			(place ? offsetof(struct pev_probe_record, place) :
				 offsetof(struct pev_probe_record, faults));
	field->size = sizeof(u16);
	return true;
}

bool pev_fetch_find(const struct pev_fetches *all, const char *name, size_t len,
		    struct pev_filter_field *field)
{
	for (u32 i = 0; i < all->nr; i++) {
		const struct pev_fetch *f = &all->fetch[i];

		if (strncmp(f->name, name, len) || f->name[len])
			continue;
		field->kind = f->type == PEV_PROBE_TEXT ? PEV_FILTER_LOC : PEV_FILTER_NUMBER;
		field->sign = types[f->type].sign;
		field->offset = PEV_FETCH_BASE + f->at;
		field->size = f->type == PEV_PROBE_TEXT ? sizeof(u32) : types[f->type].size;
		return true;
	}
	return find_head(name, len, field);
}
