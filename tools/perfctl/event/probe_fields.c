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

const char *probe_type_name(uint8_t type)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(types) && types[i].type != type)
		i++;
	return types[i].name;
}

/* ---- fields ---- */

/**
 * struct field_text - a field as typed
 * @text:  of it
 * @len:   of @text
 * @args:  what is known of arguments, or NULL
 * @typed: its type was given
 */
struct field_text {
	const char *text;
	size_t len;
	const struct probe_arguments *args;
	bool typed;
};

static int wrong(const struct field_text *t, const char *what, struct msg *m)
{
	return msg_set(m, -EINVAL, "a probe's field \"%.*s\": %s", (int)t->len, t->text, what);
}

/* Takes over where an argument is, and its type, unless one was given. */
static int set_known(struct pev_probe_field *f, const struct field_text *t, size_t i,
		     struct msg *m)
{
	const struct probe_argument *a = t->args->v + i;
	uint8_t type = f->type, flags = f->flags;

	if (i >= t->args->n)
		return msg_set(m, -EINVAL, "a probe's field \"%.*s\": there is no argument %zu, the "
			       "place has %zu", (int)t->len, t->text, i, t->args->n);
	if (a->why)
		return msg_set(m, -EOPNOTSUPP, "a probe's field \"%.*s\": argument %zu can't be "
			       "recorded: %s", (int)t->len, t->text, i, a->why);
	*f = a->field;
	f->flags = flags;
	if (t->typed)
		f->type = type;
	return 0;
}

static int set_argument(struct pev_probe_field *f, const struct field_text *t, uint32_t number,
			struct msg *m)
{
	if (t->args && t->args->numbered)
		return set_known(f, t, number, m);
	f->from = PEV_PROBE_ARGUMENT;
	f->number = number;
	return 0;
}

/* Returns the index of the argument of that name, or that there is none. */
static bool find_argument(const struct field_text *t, const char *name, const char *end, size_t *i)
{
	for (*i = 0; t->args && *i < t->args->n; ++*i)
		if (t->args->v[*i].name && is_word(name, end, t->args->v[*i].name))
			return true;
	return false;
}

/* "arg0", and "$arg1" as perf and ftrace have it, which is the same */
static bool argument_number(const char *text, const char *end, uint32_t *to)
{
	bool dollar = *text == '$';

	text += dollar;
	if (end - text < 4 || strncmp(text, "arg", 3) || !number(text + 3, end, UINT32_MAX, to))
		return false;
	*to -= dollar;
	return !dollar || *to != UINT32_MAX;
}

static int set_base(struct pev_probe_field *f, const struct field_text *t, const char *text,
		    const char *end, struct msg *m)
{
	uint32_t n;
	size_t i;

	if (find_argument(t, text, end, &i))
		return set_known(f, t, i, m);
	if (argument_number(text, end, &n))
		return set_argument(f, t, n, m);
	if (is_word(text, end, "ret") || is_word(text, end, "$retval")) {
		f->from = PEV_PROBE_RESULT;
		return 0;
	}
	if (is_word(text, end, "duration")) {
		f->from = PEV_PROBE_DURATION;
		return 0;
	}
	f->from = *text == '%' ? PEV_PROBE_REGISTER : PEV_PROBE_STACK;
	if (end - text > 1 && *text == '%' && find_register(text + 1, end, &f->number))
		return 0;
	if (end - text > 5 && !strncmp(text, "stack", 5) &&
	    number(text + 5, end, UINT32_MAX, &f->number))
		return 0;
	return wrong(t, "its value is the name of an argument, arg0 and so on, a register as %ip, "
		     "stack0 and so on, ret or duration", m);
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

static int set_value(struct pev_probe_field *f, const struct field_text *t, const char *value,
		     const char *end, struct msg *m)
{
	const char *bracket = memchr(value, '[', (size_t)(end - value));
	uint8_t type = f->type;
	int err = set_base(f, t, value, bracket ? bracket : end, m);

	if (err || !bracket)
		return err;
	/* what lies behind a pointer is not of its type */
	f->type = type;
	if (!set_loads(f, bracket, end))
		return wrong(t, "behind a value come at most 4 offsets, as in arg0[16][-8]; an "
			     "argument in memory needs one of them itself", m);
	return 0;
}

/* A name alone: of an argument, of the result, or of the argument at this place */
static int set_named(struct pev_probe_field *f, const struct field_text *t, const char *end,
		     uint32_t place, struct msg *m)
{
	size_t i;

	if (find_argument(t, t->text, end, &i))
		return set_known(f, t, i, m);
	if (is_word(t->text, end, "ret") || is_word(t->text, end, "duration"))
		return set_base(f, t, t->text, end, m);
	return set_argument(f, t, place, m);
}

static int parse_field(struct probe_fields *all, struct field_text *t, struct strbuf *strings,
		       struct msg *m)
{
	const char *end = t->text + t->len, *colon = memchr(t->text, ':', t->len);
	const char *value_end = colon ? colon : end;
	const char *eq = memchr(t->text, '=', (size_t)(value_end - t->text));
	const char *name_end = eq ? eq : value_end;
	struct pev_probe_field *f;
	int err;

	if (all->nr == PEV_MAX_PROBE_FIELDS)
		return msg_set(m, -EINVAL, "a probe has at most %d fields", PEV_MAX_PROBE_FIELDS);
	f = &all->fields[all->nr];
	*f = (struct pev_probe_field){ .type = PEV_PROBE_U64 };
	if (name_end == t->text)
		return wrong(t, "it has no name", m);
	t->typed = colon;
	if (colon && !set_type(f, colon + 1, end))
		return wrong(t, "its type is one of u8, u16, u32, u64, s8 to s64, x32, x64, str, "
			     "ustr", m);
	err = eq ? set_value(f, t, eq + 1, value_end, m) : set_named(f, t, name_end, all->nr, m);
	if (!err && f->from == PEV_PROBE_CONSTANT && (f->nr_loads || f->type == PEV_PROBE_TEXT))
		return wrong(t, "its value is a constant, behind which nothing lies", m);
	/* the address of a text is a value: what lies there is loaded */
	if (!err && f->type == PEV_PROBE_TEXT) {
		if (f->nr_loads == PEV_MAX_PROBE_LOADS)
			return wrong(t, "a text has at most 3 offsets", m);
		f->nr_loads++;
	}
	if (err)
		return err;
	f->name = (uint32_t)strings->len;
	strbuf_add(strings, t->text, (size_t)(name_end - t->text));
	strbuf_putc(strings, '\0');
	all->nr++;
	return 0;
}

int probe_fields_parse(struct probe_fields *f, const char *text, size_t len,
		       const struct probe_arguments *args, struct strbuf *strings, struct msg *m)
{
	const char *end = text + len;

	while (text < end) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		const char *to = comma ? comma : end;
		struct field_text t = { .args = args };
		int err;

		while (text < to && *text == ' ')
			text++;
		t.text = text;
		t.len = (size_t)(to - text);
		err = parse_field(f, &t, strings, m);
		if (err)
			return err;
		text = to + 1;
	}
	return 0;
}
