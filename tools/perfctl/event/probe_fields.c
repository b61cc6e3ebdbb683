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
#elif defined(__aarch64__)
static const struct {
	const char *name;
	uint32_t number;
} registers[] = {
	{ "ip", PERF_REG_ARM64_PC }, { "pc", PERF_REG_ARM64_PC },  { "sp", PERF_REG_ARM64_SP },
	{ "lr", PERF_REG_ARM64_LR }, { "fp", PERF_REG_ARM64_X29 },
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

/* "ax", "rax", "r8" on x86; "r3", "ip" on PowerPC; "x0", "sp" on arm64 */
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
#elif defined(__aarch64__)
	if (*text != 'x' || !number(text + 1, end, 30, &n))
		return false;
	*to = PERF_REG_ARM64_X0 + n;
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

static void add_register(uint32_t number, struct strbuf *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (registers[i].number == number) {
			strbuf_addf(to, "%%%s", registers[i].name);
			return;
		}
#ifdef __powerpc64__
	strbuf_addf(to, "%%r%u", number - PERF_REG_POWERPC_R0);
#elif defined(__aarch64__)
	strbuf_addf(to, "%%x%u", number - PERF_REG_ARM64_X0);
#else
	strbuf_addf(to, "%%r%u", number - PERF_REG_X86_R8 + 8);
#endif
}

static void add_start(const struct pev_probe_field *f, struct strbuf *to)
{
	switch (f->from) {
	case PEV_PROBE_ARGUMENT:
		strbuf_addf(to, "arg%u", f->number);
		break;
	case PEV_PROBE_REGISTER:
		add_register(f->number, to);
		break;
	case PEV_PROBE_STACK:
		strbuf_addf(to, "stack%u", f->number);
		break;
	case PEV_PROBE_CONSTANT:
		strbuf_addf(to, "%lld", (long long)f->offsets[0]);
		break;
	default:
		strbuf_puts(to, f->from == PEV_PROBE_RESULT ? "ret" : "duration");
	}
}

void probe_field_text(const struct pev_probe_field *f, struct strbuf *to)
{
	bool text = f->type == PEV_PROBE_TEXT;
	long long last = text ? f->offsets[f->nr_loads - 1] : 0;

	add_start(f, to);
	/* the last load is that of the text itself, which may lie inside of something */
	for (unsigned int i = 0; i + text < f->nr_loads; i++)
		strbuf_addf(to, "[%lld]", (long long)f->offsets[i]);
	if (last)
		strbuf_addf(to, "%+lld", last);
	strbuf_addf(to, ":%s",
		    text && f->flags & PEV_PROBE_USER_MEMORY ? "ustr" : probe_type_name(f->type));
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

/* Takes over where it is, and its type, unless one was given. */
static void take_known(struct pev_probe_field *f, const struct field_text *t,
		       const struct probe_argument *a)
{
	uint8_t type = f->type, flags = f->flags;

	*f = a->field;
	f->flags = flags;
	if (t->typed)
		f->type = type;
}

static int set_known(struct pev_probe_field *f, const struct field_text *t, size_t i,
		     struct msg *m)
{
	const struct probe_argument *a = t->args->v + i;

	if (i >= t->args->n)
		return msg_set(m, -EINVAL, "a probe's field \"%.*s\": there is no argument %zu, the "
			       "place has %zu", (int)t->len, t->text, i, t->args->n);
	if (a->why)
		return msg_set(m, -EOPNOTSUPP, "a probe's field \"%.*s\": argument %zu can't be "
			       "recorded: %s", (int)t->len, t->text, i, a->why);
	take_known(f, t, a);
	return 0;
}

static int set_result(struct pev_probe_field *f, const struct field_text *t, struct msg *m)
{
	const struct probe_argument *a = t->args ? t->args->result : NULL;

	if (a && a->why)
		return msg_set(m, -EOPNOTSUPP,
			       "a probe's field \"%.*s\": the result can't be "
			       "recorded: %s",
			       (int)t->len, t->text, a->why);
	if (a)
		take_known(f, t, a);
	f->from = PEV_PROBE_RESULT;
	return 0;
}

/* @counted: it is one in the order of the source; else that in a register */
static int set_argument(struct pev_probe_field *f, const struct field_text *t, uint32_t number,
			bool counted, struct msg *m)
{
	if (t->args && (t->args->numbered || (counted && t->args->n)))
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

/* ---- variables ---- */

static bool is_name(const char *text, const char *end)
{
	return text < end && (isalpha((unsigned char)*text) || *text == '_');
}

/* Where a name, "$arg1" or "$retval" ends */
static const char *end_of_root(const char *text, const char *end)
{
	text += text < end && *text == '$';
	while (text < end && (isalnum((unsigned char)*text) || *text == '_'))
		text++;
	return text;
}

/* Words that stand for something where no variable is called so */
static bool is_reserved(const char *text, const char *end)
{
	uint32_t n;

	return is_word(text, end, "ret") || is_word(text, end, "duration") ||
	       argument_number(text, end, &n) ||
	       (end - text > 5 && !strncmp(text, "stack", 5) &&
		number(text + 5, end, UINT32_MAX, &n));
}

int probe_fields_gone(const char *name, size_t len, struct msg *m)
{
	if (name && is_reserved(name, name + len) && strncmp(name, "arg", 3) != 0)
		return -ENOENT;
	return msg_set(m, -EINVAL, "arguments are gone when a function returns, as are variables");
}

/* Makes a clause a sentence about the field. */
static int refuse(const struct field_text *t, int err, const struct msg *why, struct msg *m)
{
	return msg_set(m, err, "a probe's field \"%.*s\": %s", (int)t->len, t->text, why->text);
}

/* Takes over how a value is found, with the type that was given, if one was. */
static int take_value(struct pev_probe_field *f, const struct field_text *t, const struct value *v,
		      struct msg *m)
{
	uint8_t type = f->type, flags = f->flags;
	enum value_as as = !t->typed		  ? VALUE_AS_IT_IS :
			   type == PEV_PROBE_TEXT ? VALUE_AS_TEXT :
						    VALUE_AS_NUMBER;
	struct msg why;
	int err = value_field(v, as, f, &why);

	if (err)
		return refuse(t, err, &why, m);
	f->flags = flags;
	if (t->typed)
		f->type = type;
	if (flags & PEV_PROBE_USER_MEMORY && t->args->scope->kernel && (v->memory || f->nr_loads))
		return wrong(t,
			     "its address lies in the kernel's memory, the text in that of the "
			     "process: one field does not load from both, record the address",
			     m);
	return 0;
}

static int none_such(const struct field_text *t, const char *root, const char *end, struct msg *m)
{
	struct strbuf names = { 0 };
	int err;

	t->args->scope->names(t->args->scope->arg, &names);
	err = msg_set(m, -EINVAL,
		      "a probe's field \"%.*s\": there is no variable \"%.*s\" there%s%s",
		      (int)t->len, t->text, (int)(end - root), root, names.len ? ", but " : "",
		      names.len ? names.s : "");
	strbuf_free(&names);
	return err;
}

static int no_types(const struct field_text *t, struct msg *m)
{
	const char *why = t->args ? t->args->unknown : NULL;

	return msg_set(m, -EOPNOTSUPP,
		       "a probe's field \"%.*s\": members are found by types, and "
		       "%s",
		       (int)t->len, t->text, why ? why : "none are known at this place");
}

/* What the number of the result or of an argument is, if it is asked for so */
static int number_of_root(const char *root, const char *end)
{
	uint32_t n;

	if (is_word(root, end, "ret") || is_word(root, end, "$retval"))
		return PROBE_RESULT;
	if (*root == '$' && argument_number(root, end, &n) && n < INT16_MAX)
		return (int)n;
	return PROBE_BY_NAME;
}

/* Finds what a root stands for; -ENOENT: nothing that has a type. */
static int find_root(const struct field_text *t, const char *root, const char *end, bool steps,
		     struct value *v, struct msg *m)
{
	const struct probe_scope *s = t->args->scope;
	int n = number_of_root(root, end), err = -ENOENT;
	struct msg why;

	if (is_name(root, end))
		err = s->find(s->arg, root, (size_t)(end - root), PROBE_BY_NAME, v, &why);
	/* without steps, what is known of it need not be a type */
	if (err == -ENOENT && n != PROBE_BY_NAME && (steps || (n >= 0 && s->whole)))
		err = s->find(s->arg, NULL, 0, n, v, &why);
	return err && err != -ENOENT ? refuse(t, err, &why, m) : err;
}

/*
 * "size", "r->peer.port", "a[2]". Brackets behind what has no name are left to set_loads().
 * Returns -ENOENT if it is nothing like that.
 */
static int set_variable(struct pev_probe_field *f, const struct field_text *t, const char *text,
			const char *end, struct msg *m)
{
	const char *root = end_of_root(text, end);
	bool members = root < end && *root != '[';
	struct value v;
	struct msg why;
	int err = -ENOENT;

	if (root == text || (root < end && !strchr("-.[", *root)))
		return -ENOENT;
	if (!t->args || !t->args->scope)
		return members ? no_types(t, m) : -ENOENT;
	if (members || root == end || !is_reserved(text, root))
		err = find_root(t, text, root, members, &v, m);
	if (err == -ENOENT &&
	    (members || (t->args->scope->whole && is_name(text, root) && !is_reserved(text, root))))
		return none_such(t, text, root, m);
	if (err)
		return err;
	err = value_follow(&v, root, end, &why);
	return err ? refuse(t, err, &why, m) : take_value(f, t, &v, m);
}

static int set_base(struct pev_probe_field *f, const struct field_text *t, const char *text,
		    const char *end, struct msg *m)
{
	uint32_t n;
	size_t i;

	if (find_argument(t, text, end, &i))
		return set_known(f, t, i, m);
	if (argument_number(text, end, &n))
		return set_argument(f, t, n, *text == '$', m);
	if (is_word(text, end, "ret") || is_word(text, end, "$retval"))
		return set_result(f, t, m);
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
	int err = set_variable(f, t, value, end, m);

	if (err != -ENOENT)
		return err;
	err = set_base(f, t, value, bracket ? bracket : end, m);
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
static int set_named(struct probe_fields *all, const struct field_text *t, const char *end,
		     struct msg *m)
{
	struct pev_probe_field *f = &all->fields[all->nr];
	int err = set_variable(f, t, t->text, end, m);
	uint32_t n;
	size_t i;

	if (err != -ENOENT)
		return err;
	if (find_argument(t, t->text, end, &i))
		return set_known(f, t, i, m);
	if (is_word(t->text, end, "ret") || is_word(t->text, end, "duration") || *t->text == '$' ||
	    argument_number(t->text, end, &n))
		return set_base(f, t, t->text, end, m);
	all->by_place |= 1u << all->nr;
	return set_argument(f, t, all->nr, false, m);
}

/* Appends a path without what no name has: "r->peer[2]" becomes "r_peer_2". */
static void add_path(struct strbuf *strings, const char *p, const char *end)
{
	for (; p < end; p++) {
		if (isalnum((unsigned char)*p) || *p == '_')
			strbuf_putc(strings, *p);
		else if (*p == '.' || *p == '[' || *p == '>')
			strbuf_putc(strings, '_');
		else if (*p == '-' && p[1] != '>')
			strbuf_putc(strings, 'm');
	}
	strbuf_putc(strings, '\0');
}

/* Is the last string called as another field, or as what each record has? */
static bool is_taken(const struct probe_fields *all, const struct strbuf *strings, size_t at)
{
	const char *name = strings->s + at;
	bool taken = !strcmp(name, "place") || !strcmp(name, "faults");

	for (unsigned int i = 0; i < all->nr; i++)
		taken = taken || !strcmp(name, strings->s + all->fields[i].name);
	return taken;
}

/* What is reached by steps is called as the last member, if that is unique. */
static void add_steps_name(const struct probe_fields *all, struct strbuf *strings, const char *text,
			   const char *end)
{
	const char *last = text;
	size_t at = strings->len;

	for (const char *p = text; p < end; p++)
		if (*p == '.' || *p == '>')
			last = p + 1;
	add_path(strings, last, end);
	if (last == text || !is_taken(all, strings, at))
		return;
	strings->len = at;
	add_path(strings, text, end);
}

static const char *name_of_argument(const struct probe_arguments *args, uint32_t n)
{
	struct value v = { 0 };
	struct msg m;

	if (args && n < args->n)
		return args->v[n].name;
	if (!args || !args->scope || n > INT16_MAX ||
	    args->scope->find(args->scope->arg, NULL, 0, (int)n, &v, &m))
		return NULL;
	return v.name;
}

/* What a field is called that is a name or a value alone, up to @end */
static void add_name(const struct probe_fields *all, struct strbuf *strings,
		     const struct field_text *t, const char *end)
{
	const char *known;
	uint32_t n;

	if (end_of_root(t->text, end) != end) {
		add_steps_name(all, strings, t->text, end);
		return;
	}
	if (*t->text != '$') {
		strbuf_add(strings, t->text, (size_t)(end - t->text));
	} else if (!argument_number(t->text, end, &n)) {
		strbuf_puts(strings, "ret");
	} else {
		known = name_of_argument(t->args, n);
		if (known)
			strbuf_puts(strings, known);
		else
			strbuf_addf(strings, "arg%u", n);
	}
	strbuf_putc(strings, '\0');
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
	err = eq ? set_value(f, t, eq + 1, value_end, m) : set_named(all, t, name_end, m);
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
	add_name(all, strings, t, name_end);
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
