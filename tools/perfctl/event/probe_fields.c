// SPDX-License-Identifier: GPL-2.0
/* Parses the fields of probes. See probe_fields.h. */
#include "probe_fields.h"

#include <asm/perf_regs.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* ---- words ---- */

static const struct {
	const char *name;
	uint8_t type;
	bool user;
} types[] = {
	{ "u8", PEV_PROBE_U8, false },	  { "u16", PEV_PROBE_U16, false },
	{ "u32", PEV_PROBE_U32, false },  { "u64", PEV_PROBE_U64, false },
	{ "s8", PEV_PROBE_S8, false },	  { "s16", PEV_PROBE_S16, false },
	{ "s32", PEV_PROBE_S32, false },  { "s64", PEV_PROBE_S64, false },
	{ "x32", PEV_PROBE_X32, false },  { "x64", PEV_PROBE_X64, false },
	{ "str", PEV_PROBE_TEXT, false }, { "ustr", PEV_PROBE_TEXT, true },
};

#ifdef __powerpc64__
static const struct {
	const char *name;
	uint32_t number;
} registers[] = {
	{ "ip", PERF_REG_POWERPC_NIP },	   { "nip", PERF_REG_POWERPC_NIP },
	{ "msr", PERF_REG_POWERPC_MSR },   { "ctr", PERF_REG_POWERPC_CTR },
	{ "link", PERF_REG_POWERPC_LINK }, { "xer", PERF_REG_POWERPC_XER },
	{ "ccr", PERF_REG_POWERPC_CCR },   { "sp", PERF_REG_POWERPC_R1 },
};
#else
static const struct {
	const char *name;
	uint32_t number;
} registers[] = {
	{ "ax", PERF_REG_X86_AX },	 { "bx", PERF_REG_X86_BX }, { "cx", PERF_REG_X86_CX },
	{ "dx", PERF_REG_X86_DX },	 { "si", PERF_REG_X86_SI }, { "di", PERF_REG_X86_DI },
	{ "bp", PERF_REG_X86_BP },	 { "sp", PERF_REG_X86_SP }, { "ip", PERF_REG_X86_IP },
	{ "flags", PERF_REG_X86_FLAGS },
};
#endif

/* Parses a number that ends where @end is. */
static bool number(const char *text, const char *end, unsigned long max, uint32_t *to)
{
	char *behind;
	unsigned long n;

	if (text == end || !isdigit((unsigned char)*text))
		return false;
	errno = 0;
	n = strtoul(text, &behind, 10);
	if (errno || behind != end || n > max)
		return false;
	*to = (uint32_t)n;
	return true;
}

static bool is_word(const char *text, const char *end, const char *word)
{
	return (size_t)(end - text) == strlen(word) && !strncmp(text, word, strlen(word));
}

/* "ax", "rax", "r8" on x86; "r3", "ip" on PowerPC */
static bool find_register(const char *text, const char *end, uint32_t *to)
{
	uint32_t n;

	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (is_word(text, end, registers[i].name)) {
			*to = registers[i].number;
			return true;
		}
#ifdef __powerpc64__
	if (*text != 'r' || !number(text + 1, end, 31, &n))
		return false;
	*to = PERF_REG_POWERPC_R0 + n;
	return true;
#else
	if (*text != 'r')
		return false;
	if (!number(text + 1, end, 15, &n))
		return end - text > 2 && find_register(text + 1, end, to);
	if (n < 8)
		return false;
	*to = PERF_REG_X86_R8 + n - 8;
	return true;
#endif
}

/* ---- fields ---- */

static int wrong(const char *text, size_t len, const char *what, struct msg *m)
{
	return msg_set(m, -EINVAL, "a probe's field \"%.*s\": %s", (int)len, text, what);
}

static bool set_base(struct pev_probe_field *f, const char *text, const char *end)
{
	if (is_word(text, end, "ret")) {
		f->from = PEV_PROBE_RESULT;
	} else if (is_word(text, end, "duration")) {
		f->from = PEV_PROBE_DURATION;
	} else if (end - text > 1 && *text == '%') {
		f->from = PEV_PROBE_REGISTER;
		return find_register(text + 1, end, &f->number);
	} else if (end - text > 3 && !strncmp(text, "arg", 3)) {
		f->from = PEV_PROBE_ARGUMENT;
		return number(text + 3, end, UINT32_MAX, &f->number);
	} else if (end - text > 5 && !strncmp(text, "stack", 5)) {
		f->from = PEV_PROBE_STACK;
		return number(text + 5, end, UINT32_MAX, &f->number);
	} else {
		return false;
	}
	return true;
}

/* "[16][-8]" up to @end */
static bool set_loads(struct pev_probe_field *f, const char *p, const char *end)
{
	while (p < end) {
		char *behind;

		if (*p != '[' || f->nr_loads == PEV_MAX_PROBE_LOADS)
			return false;
		errno = 0;
		f->offsets[f->nr_loads++] = strtoll(p + 1, &behind, 0);
		if (errno || behind == p + 1 || behind >= end || *behind != ']')
			return false;
		p = behind + 1;
	}
	return true;
}

static bool set_type(struct pev_probe_field *f, const char *text, const char *end)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (is_word(text, end, types[i].name)) {
			f->type = types[i].type;
			f->flags = types[i].user ? PEV_PROBE_USER_MEMORY : 0;
			return true;
		}
	return false;
}

static int set_value(struct pev_probe_field *f, const char *text, const char *value,
		     const char *end, struct msg *m)
{
	const char *bracket = memchr(value, '[', (size_t)(end - value));
	size_t len = (size_t)(end - text);

	if (!set_base(f, value, bracket ? bracket : end))
		return wrong(text, len,
			     "its value is arg0 and so on, a register as %ip, stack0 and so "
			     "on, ret or duration",
			     m);
	if (bracket && !set_loads(f, bracket, end))
		return wrong(text, len, "behind a value come at most 4 offsets, as in arg0[16][-8]",
			     m);
	return 0;
}

static int parse_field(struct probe_fields *all, const char *text, size_t len,
		       struct strbuf *strings, struct msg *m)
{
	const char *end = text + len, *colon = memchr(text, ':', len);
	const char *value_end = colon ? colon : end;
	const char *eq = memchr(text, '=', (size_t)(value_end - text));
	const char *name_end = eq ? eq : value_end;
	struct pev_probe_field *f;
	int err = 0;

	if (all->nr == PEV_MAX_PROBE_FIELDS)
		return msg_set(m, -EINVAL, "a probe has at most %d fields", PEV_MAX_PROBE_FIELDS);
	f = &all->fields[all->nr];
	*f = (struct pev_probe_field){ .type = PEV_PROBE_U64, .number = all->nr };
	if (name_end == text)
		return wrong(text, len, "it has no name", m);
	if (colon && !set_type(f, colon + 1, end))
		return wrong(text, len,
			     "its type is one of u8, u16, u32, u64, s8 to s64, x32, x64, str, "
			     "ustr",
			     m);
	if (eq) {
		f->number = 0;
		err = set_value(f, text, eq + 1, value_end, m);
	} else if (is_word(text, name_end, "ret") || is_word(text, name_end, "duration")) {
		f->number = 0;
		set_base(f, text, name_end);
	}
	/* the address of a text is a value: what lies there is loaded */
	if (!err && f->type == PEV_PROBE_TEXT) {
		if (f->nr_loads == PEV_MAX_PROBE_LOADS)
			return wrong(text, len, "a text has at most 3 offsets", m);
		f->nr_loads++;
	}
	if (err)
		return err;
	f->name = (uint32_t)strings->len;
	strbuf_add(strings, text, (size_t)(name_end - text));
	strbuf_putc(strings, '\0');
	all->nr++;
	return 0;
}

int probe_fields_parse(struct probe_fields *f, const char *text, size_t len, struct strbuf *strings,
		       struct msg *m)
{
	const char *end = text + len;

	while (text < end) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		const char *to = comma ? comma : end;
		int err;

		while (text < to && *text == ' ')
			text++;
		err = parse_field(f, text, (size_t)(to - text), strings, m);
		if (err)
			return err;
		text = to + 1;
	}
	return 0;
}
