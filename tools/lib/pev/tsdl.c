// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses CTF 1.8 metadata text (TSDL), as far as a pev trace needs it: integers
 * of whole bytes, arrays and sequences of them, strings, and for the header of
 * records also integers of bits, enumerations and variants.
 *
 * One declaration of the top level at a time becomes part of struct pev_meta;
 * one that has an error leaves the metadata as it was before it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "internal.h"

#define MAX_DEPTH	16
#define MAX_FIELDS	1024
#define MAX_ID		(1U << 20)
#define MAX_COUNT	(1U << 20)

enum token_kind {
	TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN,
};

/* Signs of more than one character, in token.sign */
#define SIGN_ASSIGN_TYPE	256	/* := */
#define SIGN_RANGE		257	/* ... */

struct token {
	enum token_kind	kind;
	const char	*start;
	size_t		len;
	unsigned int	line;
	int		sign;
	uint64_t	number;
};

struct parser {
	struct pev_meta		*meta;
	const char		*pos;
	const char		*end;
	unsigned int		line;
	unsigned int		depth;
	struct token		token;
	struct pev_error	*err;
	bool			failed;
	int			error;
};

enum type_kind {
	TYPE_INT, TYPE_STRING, TYPE_STRUCT, TYPE_VARIANT,
};

struct member {
	const char	*name;
	const struct type *type;
	uint8_t		shape;
	uint32_t	count;
	int32_t		length;
	unsigned int	line;
};

/* size and align are bits */
struct type {
	enum type_kind	kind;
	uint32_t	size;
	uint32_t	align;
	bool		is_signed;
	bool		is_text;
	bool		is_clock;
	uint8_t		base;
	unsigned int	nr;
	struct member	*members;
};

struct named_type {
	struct named_type	*next;
	char			kind;	/* 'a'lias, 's'truct, 'v'ariant, 'e'num */
	const char		*name;
	const struct type	*type;
};

struct env_entry {
	struct env_entry	*next;
	const char		*key;
	const char		*value;
};

static int fail(struct parser *p, const char *fmt, ...) PEV_PRINTF(2, 3);

/* The first failure is the one that counts. */
static int fail(struct parser *p, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (!p->failed) {
		p->failed = true;
		p->error = EBADMSG;
		va_start(ap, fmt);
		vsnprintf(text, sizeof(text), fmt, ap);
		va_end(ap);
		pev_fail(p->err, EBADMSG, p->token.line, "metadata line %u: %s",
			 p->token.line, text);
	}
	return -EBADMSG;
}

static void *alloc(struct parser *p, size_t size)
{
	void *mem = arena_alloc(&p->meta->arena, size);

	if (!mem && !p->failed) {
		p->failed = true;
		p->error = ENOMEM;
		pev_fail(p->err, ENOMEM, 0, "out of memory");
	}
	return mem;
}

/* ---- Tokens ---- */

/* Blanks and comments. Returns false for a comment without an end. */
static bool skip_space(struct parser *p)
{
	while (p->pos < p->end) {
		char c = *p->pos;

		if (c == '\n') {
			p->line++;
			p->pos++;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			p->pos++;
		} else if (c == '/' && p->end - p->pos > 1 && p->pos[1] == '/') {
			while (p->pos < p->end && *p->pos != '\n')
				p->pos++;
		} else if (c == '/' && p->end - p->pos > 1 && p->pos[1] == '*') {
			p->pos += 2;
			for (;;) {
				if (p->end - p->pos < 2)
					return false;
				if (p->pos[0] == '*' && p->pos[1] == '/')
					break;
				p->line += *p->pos++ == '\n';
			}
			p->pos += 2;
		} else {
			break;
		}
	}
	return true;
}

static int read_string(struct parser *p)
{
	struct token *t = &p->token;

	t->kind = TOKEN_STRING;
	t->start = ++p->pos;
	while (p->pos < p->end && *p->pos != '"' && *p->pos != '\n')
		p->pos += *p->pos == '\\' && p->end - p->pos > 1 && p->pos[1] != '\n' ? 2 : 1;
	if (p->pos >= p->end || *p->pos != '"')
		return fail(p, "a string has no end");
	t->len = p->pos++ - t->start;
	return 0;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static int read_number(struct parser *p)
{
	struct token *t = &p->token;
	unsigned int base = 10;
	uint64_t value = 0;
	bool any = false;

	t->kind = TOKEN_NUMBER;
	if (*p->pos == '0' && p->end - p->pos > 1 && (p->pos[1] | 0x20) == 'x') {
		base = 16;
		p->pos += 2;
	} else if (*p->pos == '0') {
		base = 8;
	}
	for (; p->pos < p->end && digit(*p->pos) < (int)base; p->pos++) {
		if (value > (UINT64_MAX - digit(*p->pos)) / base)
			return fail(p, "a number is too large");
		value = value * base + digit(*p->pos);
		any = true;
	}
	while (any && p->pos < p->end && strchr("uUlL", *p->pos) && *p->pos)
		p->pos++;
	if (!any || (p->pos < p->end && (isalnum((unsigned char)*p->pos) || *p->pos == '_')))
		return fail(p, "a number is malformed");
	t->number = value;
	t->len = p->pos - t->start;
	return 0;
}

static int next(struct parser *p)
{
	struct token *t = &p->token;
	bool closed;

	if (p->failed)
		return -p->error;
	t->line = p->line;
	closed = skip_space(p);
	if (!closed)
		return fail(p, "a comment has no end");
	t->line = p->line;
	t->start = p->pos;
	t->len = 0;
	t->sign = 0;
	if (p->pos >= p->end) {
		t->kind = TOKEN_END;
		return 0;
	}
	if (*p->pos == '"')
		return read_string(p);
	if (isdigit((unsigned char)*p->pos))
		return read_number(p);
	if (isalpha((unsigned char)*p->pos) || *p->pos == '_') {
		t->kind = TOKEN_NAME;
		while (p->pos < p->end && (isalnum((unsigned char)*p->pos) || *p->pos == '_'))
			p->pos++;
		t->len = p->pos - t->start;
		return 0;
	}
	t->kind = TOKEN_SIGN;
	if (p->end - p->pos >= 3 && !memcmp(p->pos, "...", 3)) {
		t->sign = SIGN_RANGE;
		t->len = 3;
	} else if (p->end - p->pos >= 2 && !memcmp(p->pos, ":=", 2)) {
		t->sign = SIGN_ASSIGN_TYPE;
		t->len = 2;
	} else if (*p->pos && strchr("{}[]()<>;:,=.-+", *p->pos)) {
		t->sign = *p->pos;
		t->len = 1;
	} else if (isprint((unsigned char)*p->pos)) {
		return fail(p, "'%c' has no place here", *p->pos);
	} else {
		return fail(p, "byte 0x%02x has no place here", (unsigned char)*p->pos);
	}
	p->pos += t->len;
	return 0;
}

static bool is_sign(const struct parser *p, int sign)
{
	return !p->failed && p->token.kind == TOKEN_SIGN && p->token.sign == sign;
}

static bool is_name(const struct parser *p, const char *name)
{
	return !p->failed && p->token.kind == TOKEN_NAME && p->token.len == strlen(name) &&
	       !memcmp(p->token.start, name, p->token.len);
}

static int unexpected(struct parser *p, const char *wanted)
{
	if (p->token.kind == TOKEN_END)
		return fail(p, "the text ends where %s must be", wanted);
	return fail(p, "'%.*s' where %s must be",
		    p->token.len > 40 ? 40 : (int)p->token.len, p->token.start, wanted);
}

static int expect(struct parser *p, char sign)
{
	char wanted[4] = { '\'', sign, '\'' };

	if (!is_sign(p, sign))
		return unexpected(p, wanted);
	return next(p);
}

static bool accept(struct parser *p, char sign)
{
	if (!is_sign(p, sign))
		return false;
	return !next(p);
}

/* Takes the name and goes on. */
static const char *take_name(struct parser *p, const char *wanted)
{
	char *name;

	if (p->failed || p->token.kind != TOKEN_NAME) {
		unexpected(p, wanted);
		return NULL;
	}
	name = alloc(p, p->token.len + 1);
	if (name)
		memcpy(name, p->token.start, p->token.len);
	return next(p) ? NULL : name;
}

static const char *take_string(struct parser *p)
{
	const char *from = p->token.start, *end = from + p->token.len;
	char *text = alloc(p, p->token.len + 1), *to = text;

	if (!text)
		return NULL;
	while (from < end) {
		if (*from == '\\' && end - from > 1) {
			from++;
			*to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from;
			from++;
		} else {
			*to++ = *from++;
		}
	}
	return next(p) ? NULL : text;
}

/* ---- Attributes: "a.b = value;" ---- */

struct value {
	char		path[64];
	bool		is_number;
	bool		negative;
	uint64_t	number;
	const char	*text;		/* string, or dotted name */
	unsigned int	line;
};

static int dotted(struct parser *p, char *buf, size_t room)
{
	size_t used = 0;

	for (;;) {
		if (p->failed || p->token.kind != TOKEN_NAME)
			return unexpected(p, "a name");
		if (used + p->token.len + 2 > room)
			return fail(p, "a name is too long");
		memcpy(buf + used, p->token.start, p->token.len);
		used += p->token.len;
		buf[used] = '\0';
		if (next(p))
			return -p->error;
		if (!is_sign(p, '.'))
			return 0;
		buf[used++] = '.';
		if (next(p))
			return -p->error;
	}
}

static int parse_value(struct parser *p, struct value *v)
{
	char name[128], *copy;

	v->is_number = false;
	v->negative = false;
	v->number = 0;
	v->text = "";
	v->line = p->token.line;
	if (is_sign(p, '-')) {
		v->negative = true;
		if (next(p))
			return -p->error;
	} else if (is_sign(p, '+') && next(p)) {
		return -p->error;
	}
	switch (p->token.kind) {
	case TOKEN_NUMBER:
		v->is_number = true;
		v->number = v->negative ? -p->token.number : p->token.number;
		return next(p);
	case TOKEN_STRING:
		v->text = take_string(p);
		return v->text ? 0 : -p->error;
	default:
		if (dotted(p, name, sizeof(name)))
			return -p->error;
		copy = alloc(p, strlen(name) + 1);
		if (!copy)
			return -p->error;
		v->text = strcpy(copy, name);
		return 0;
	}
}

static bool number_upto(const struct value *v, uint64_t max)
{
	return v->is_number && !v->negative && v->number <= max;
}

static int need_number(struct parser *p, const struct value *v, uint64_t max)
{
	if (!number_upto(v, max))
		return fail(p, "%s must be a number from 0 to %llu", v->path,
			    (unsigned long long)max);
	return 0;
}

/* ---- Types ---- */

static const struct type *parse_type(struct parser *p);
static int parse_alias(struct parser *p);

static const struct type *find_type(struct parser *p, char kind, const char *name)
{
	const struct named_type *n;

	for (n = p->meta->types; n; n = n->next)
		if (n->kind == kind && !strcmp(n->name, name))
			return n->type;
	return NULL;
}

static int add_type(struct parser *p, char kind, const char *name, const struct type *type)
{
	struct named_type *n;

	if (find_type(p, kind, name))
		return fail(p, "the type %s is declared twice", name);
	n = alloc(p, sizeof(*n));
	if (!n)
		return -p->error;
	n->kind = kind;
	n->name = name;
	n->type = type;
	n->next = p->meta->types;
	p->meta->types = n;
	return 0;
}

static bool power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

static int integer_attribute(struct parser *p, struct type *t, const struct value *v)
{
	static const struct { const char *name; uint8_t base; } bases[] = {
		{ "decimal", 10 }, { "dec", 10 }, { "d", 10 }, { "i", 10 }, { "u", 10 },
		{ "hexadecimal", 16 }, { "hex", 16 }, { "x", 16 }, { "X", 16 }, { "p", 16 },
		{ "octal", 8 }, { "oct", 8 }, { "o", 8 }, { "binary", 2 }, { "b", 2 },
	};

	if (!strcmp(v->path, "size")) {
		if (!number_upto(v, 64) || !v->number)
			return fail(p, "an integer's size must be 1 to 64 bits");
		t->size = v->number;
	} else if (!strcmp(v->path, "align")) {
		if (!number_upto(v, 64) || !power_of_two(v->number))
			return fail(p, "an alignment must be a power of two up to 64");
		t->align = v->number;
	} else if (!strcmp(v->path, "signed")) {
		if (v->is_number)
			t->is_signed = v->number;
		else
			t->is_signed = !strcmp(v->text, "true") || !strcmp(v->text, "TRUE");
	} else if (!strcmp(v->path, "base")) {
		if (v->is_number)
			t->base = v->number == 16 || v->number == 8 || v->number == 2 ?
				  v->number : 10;
		for (size_t i = 0; !v->is_number && i < ARRAY_SIZE(bases); i++)
			if (!strcmp(v->text, bases[i].name))
				t->base = bases[i].base;
	} else if (!strcmp(v->path, "encoding")) {
		t->is_text = !strcmp(v->text, "UTF8") || !strcmp(v->text, "ASCII");
	} else if (!strcmp(v->path, "map")) {
		t->is_clock = true;
	} else if (!strcmp(v->path, "byte_order")) {
		if (strcmp(v->text, "le") && strcmp(v->text, "native"))
			return fail(p, "only little-endian integers can be read");
	}
	return 0;
}

static const struct type *parse_integer(struct parser *p)
{
	struct type *t = alloc(p, sizeof(*t));
	struct value v;

	if (!t || next(p) || expect(p, '{'))
		return NULL;
	t->kind = TYPE_INT;
	t->base = 10;
	while (!is_sign(p, '}')) {
		if (dotted(p, v.path, sizeof(v.path)) || expect(p, '=') ||
		    parse_value(p, &v) || integer_attribute(p, t, &v) || expect(p, ';'))
			return NULL;
	}
	if (!t->size) {
		fail(p, "an integer has no size");
		return NULL;
	}
	if (!t->align)
		t->align = t->size % 8 ? 1 : 8;
	return next(p) ? NULL : t;
}

static const struct type *parse_string_type(struct parser *p)
{
	struct type *t = alloc(p, sizeof(*t));
	struct value v;

	if (!t || next(p))
		return NULL;
	t->kind = TYPE_STRING;
	t->size = 8;
	t->align = 8;
	t->is_text = true;
	t->base = 10;
	if (!accept(p, '{'))
		return p->failed ? NULL : t;
	while (!is_sign(p, '}')) {
		if (dotted(p, v.path, sizeof(v.path)) || expect(p, '=') ||
		    parse_value(p, &v) || expect(p, ';'))
			return NULL;
	}
	return next(p) ? NULL : t;
}

/* The mappings of an enumeration are read over. */
static int skip_mappings(struct parser *p)
{
	struct value v;

	if (expect(p, '{'))
		return -p->error;
	while (!is_sign(p, '}')) {
		if (p->token.kind != TOKEN_NAME && p->token.kind != TOKEN_STRING)
			return unexpected(p, "a label");
		if (next(p))
			return -p->error;
		if (accept(p, '=')) {
			if (parse_value(p, &v))
				return -p->error;
			if (is_sign(p, SIGN_RANGE) && (next(p) || parse_value(p, &v)))
				return -p->error;
		}
		if (!accept(p, ',') && !is_sign(p, '}'))
			return unexpected(p, "',' or '}'");
	}
	return next(p);
}

static const struct type *parse_enum(struct parser *p)
{
	const struct type *t = NULL;
	const char *name = NULL;

	if (next(p))
		return NULL;
	if (p->token.kind == TOKEN_NAME) {
		name = take_name(p, "a name");
		if (!name)
			return NULL;
	}
	if (accept(p, ':')) {
		t = parse_type(p);
		if (!t)
			return NULL;
	} else if (name && !is_sign(p, '{')) {
		t = find_type(p, 'e', name);
		if (!t)
			fail(p, "enum %s is not declared", name);
		return t;
	} else {
		t = find_type(p, 'a', "int");
	}
	if (!t || t->kind != TYPE_INT) {
		fail(p, "an enumeration needs an integer type");
		return NULL;
	}
	if (skip_mappings(p) || (name && add_type(p, 'e', name, t)))
		return NULL;
	return t;
}

/* "[length]" behind a member's name */
static int parse_length(struct parser *p, struct member *m, const struct member *before,
			unsigned int nr)
{
	char path[160], *last;

	if (m->type->kind != TYPE_INT)
		return fail(p, "only integers can be arrays");
	if (p->token.kind == TOKEN_NUMBER) {
		if (p->token.number > MAX_COUNT)
			return fail(p, "array %s is too long", m->name);
		m->shape = PEV_SHAPE_ARRAY;
		m->count = p->token.number;
		return next(p) ? -p->error : expect(p, ']');
	}
	if (dotted(p, path, sizeof(path)))
		return -p->error;
	last = strrchr(path, '.');
	last = last ? last + 1 : path;
	m->shape = PEV_SHAPE_SEQUENCE;
	m->length = -1;
	if (*last == '_')
		last++;
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(before[i].name, last))
			m->length = i;
	if (m->length < 0)
		return fail(p, "%s, the length of %s, is no earlier field", last, m->name);
	if (before[m->length].shape != PEV_SHAPE_INT || before[m->length].type->is_signed ||
	    before[m->length].type->kind != TYPE_INT)
		return fail(p, "%s, the length of %s, is no unsigned integer", last, m->name);
	return expect(p, ']');
}

static int parse_member(struct parser *p, struct member *m, const struct member *before,
			unsigned int nr)
{
	memset(m, 0, sizeof(*m));
	m->line = p->token.line;
	m->type = parse_type(p);
	if (!m->type)
		return -p->error;
	m->name = take_name(p, "a field's name");
	if (!m->name)
		return -p->error;
	/* an underscore protects names that are words of the language */
	if (*m->name == '_' && m->name[1])
		m->name++;
	m->shape = m->type->kind == TYPE_STRING ? PEV_SHAPE_STRING : PEV_SHAPE_INT;
	m->count = 1;
	m->length = -1;
	if (accept(p, '[') && parse_length(p, m, before, nr))
		return -p->error;
	if (is_sign(p, '['))
		return fail(p, "%s is an array of arrays", m->name);
	return expect(p, ';');
}

static int parse_members(struct parser *p, struct type *t)
{
	struct member *m, *more;
	unsigned int room = 8;
	int ret = 0;

	m = malloc(room * sizeof(*m));
	while (m && !is_sign(p, '}')) {
		if (is_name(p, "typealias")) {
			ret = parse_alias(p);
			if (ret)
				break;
			continue;
		}
		if (t->nr >= MAX_FIELDS) {
			ret = fail(p, "a structure has more than %d fields", MAX_FIELDS);
			break;
		}
		if (t->nr == room) {
			room *= 2;
			more = realloc(m, room * sizeof(*m));
			if (!more) {
				free(m);
				m = NULL;
				break;
			}
			m = more;
		}
		ret = parse_member(p, &m[t->nr], m, t->nr);
		if (ret)
			break;
		for (unsigned int i = 0; i < t->nr; i++)
			if (!strcmp(m[i].name, m[t->nr].name)) {
				ret = fail(p, "two fields are called %s", m[i].name);
				break;
			}
		if (ret)
			break;
		t->nr++;
	}
	if (m && !ret) {
		t->members = alloc(p, (t->nr + 1) * sizeof(*m));
		if (t->members)
			memcpy(t->members, m, t->nr * sizeof(*m));
	}
	free(m);
	if (!ret && (!m || !t->members)) {
		p->failed = true;
		p->error = ENOMEM;
		ret = pev_fail(p->err, ENOMEM, 0, "out of memory");
	}
	return ret ? ret : next(p);
}

/* "struct name", "struct name { ... } align(n)", the same for variants */
static const struct type *parse_compound(struct parser *p, enum type_kind kind)
{
	char letter = kind == TYPE_STRUCT ? 's' : 'v', path[64];
	const struct type *known;
	const char *name = NULL;
	struct type *t;

	if (next(p))
		return NULL;
	if (p->token.kind == TOKEN_NAME) {
		name = take_name(p, "a name");
		if (!name)
			return NULL;
	}
	if (kind == TYPE_VARIANT && accept(p, '<') &&
	    (dotted(p, path, sizeof(path)) || expect(p, '>')))
		return NULL;
	if (name && !is_sign(p, '{')) {
		known = find_type(p, letter, name);
		if (!known)
			fail(p, "%s %s is not declared", letter == 's' ? "struct" : "variant",
			     name);
		return known;
	}
	t = alloc(p, sizeof(*t));
	if (!t || expect(p, '{'))
		return NULL;
	t->kind = kind;
	t->align = 1;
	if (parse_members(p, t))
		return NULL;
	for (unsigned int i = 0; i < t->nr; i++)
		if (t->members[i].type->align > t->align)
			t->align = t->members[i].type->align;
	if (kind == TYPE_STRUCT && is_name(p, "align")) {
		if (next(p) || expect(p, '('))
			return NULL;
		if (p->token.kind != TOKEN_NUMBER || !power_of_two(p->token.number) ||
		    p->token.number > 64) {
			fail(p, "an alignment must be a power of two up to 64");
			return NULL;
		}
		if (p->token.number > t->align)
			t->align = p->token.number;
		if (next(p) || expect(p, ')'))
			return NULL;
	}
	if (name && add_type(p, letter, name, t))
		return NULL;
	return t;
}

static const struct type *parse_type_name(struct parser *p)
{
	const struct type *t = NULL;
	char name[128];
	size_t used = 0;

	/* the longest row of words that is a type */
	while (!p->failed && p->token.kind == TOKEN_NAME && !t) {
		if (used + p->token.len + 2 > sizeof(name)) {
			fail(p, "a type's name is too long");
			return NULL;
		}
		if (used)
			name[used++] = ' ';
		memcpy(name + used, p->token.start, p->token.len);
		used += p->token.len;
		name[used] = '\0';
		t = find_type(p, 'a', name);
		if (!t && strcmp(name, "unsigned") && strcmp(name, "long") &&
		    strcmp(name, "unsigned long") && strcmp(name, "const")) {
			fail(p, "the type %s is not declared", name);
			return NULL;
		}
		if (next(p))
			return NULL;
	}
	if (!t)
		unexpected(p, "a type");
	return p->failed ? NULL : t;
}

static const struct type *parse_type(struct parser *p)
{
	const struct type *t = NULL;

	if (p->failed)
		return NULL;
	if (++p->depth > MAX_DEPTH)
		fail(p, "types are nested too deeply");
	else if (is_name(p, "integer"))
		t = parse_integer(p);
	else if (is_name(p, "string"))
		t = parse_string_type(p);
	else if (is_name(p, "enum"))
		t = parse_enum(p);
	else if (is_name(p, "struct"))
		t = parse_compound(p, TYPE_STRUCT);
	else if (is_name(p, "variant"))
		t = parse_compound(p, TYPE_VARIANT);
	else if (is_name(p, "floating_point"))
		fail(p, "floating-point fields cannot be read");
	else if (p->token.kind == TOKEN_NAME)
		t = parse_type_name(p);
	else
		unexpected(p, "a type");
	p->depth--;
	return p->failed ? NULL : t;
}

/* typealias <type> := <name>; */
static int parse_alias(struct parser *p)
{
	const struct type *t;
	char name[128] = "";
	size_t used = 0;
	char *copy;

	if (next(p))
		return -p->error;
	t = parse_type(p);
	if (!t)
		return -p->error;
	if (!is_sign(p, SIGN_ASSIGN_TYPE))
		return unexpected(p, "':='");
	if (next(p))
		return -p->error;
	do {
		if (p->token.kind != TOKEN_NAME)
			return unexpected(p, "a name");
		if (used + p->token.len + 2 > sizeof(name))
			return fail(p, "a type's name is too long");
		if (used)
			name[used++] = ' ';
		memcpy(name + used, p->token.start, p->token.len);
		used += p->token.len;
		if (next(p))
			return -p->error;
	} while (p->token.kind == TOKEN_NAME);
	copy = alloc(p, used + 1);
	if (!copy)
		return -p->error;
	memcpy(copy, name, used);
	if (add_type(p, 'a', copy, t))
		return -p->error;
	return expect(p, ';');
}

/* ---- Blocks of the top level ---- */

typedef int (*attribute_fn)(struct parser *p, void *arg, const struct value *v);
typedef int (*type_fn)(struct parser *p, void *arg, const char *path, const struct type *t);

static int parse_block(struct parser *p, attribute_fn attribute, type_fn type, void *arg)
{
	const struct type *t;
	struct value v;

	if (next(p) || expect(p, '{'))
		return -p->error;
	while (!is_sign(p, '}')) {
		if (is_name(p, "typealias")) {
			if (parse_alias(p))
				return -p->error;
			continue;
		}
		if (dotted(p, v.path, sizeof(v.path)))
			return -p->error;
		if (is_sign(p, SIGN_ASSIGN_TYPE)) {
			if (next(p))
				return -p->error;
			t = parse_type(p);
			if (!t || (type && type(p, arg, v.path, t)))
				return -p->error;
		} else {
			if (expect(p, '=') || parse_value(p, &v) || attribute(p, arg, &v))
				return -p->error;
		}
		if (expect(p, ';'))
			return -p->error;
	}
	if (next(p))
		return -p->error;
	/* the semicolon behind a block is often forgotten */
	accept(p, ';');
	return p->failed ? -p->error : 0;
}

/* Place of a member of a structure of whole bytes, in bytes; -1: not there */
static int place(const struct type *t, unsigned int index)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < t->nr; i++) {
		const struct member *m = &t->members[i];
		uint32_t align = m->type->align;

		if (m->shape > PEV_SHAPE_ARRAY || m->type->kind != TYPE_INT)
			return -1;
		bits = (bits + align - 1) & ~((uint64_t)align - 1);
		if (i == index)
			return bits % 8 ? -1 : (int)(bits / 8);
		bits += (uint64_t)m->type->size * m->count;
	}
	return -1;
}

/* Is there a member of that name, place and size in bytes? */
static bool has(const struct type *t, const char *name, int at, uint32_t size)
{
	for (unsigned int i = 0; i < t->nr; i++) {
		const struct member *m = &t->members[i];

		if (!strcmp(m->name, name))
			return place(t, i) == at &&
			       (uint64_t)m->type->size * m->count == (uint64_t)size * 8;
	}
	return false;
}

static int trace_attribute(struct parser *p, void *arg, const struct value *v)
{
	struct pev_meta *meta = p->meta;
	const char *c = v->text;
	unsigned int n = 0;

	(void)arg;
	if (!strcmp(v->path, "major") || !strcmp(v->path, "minor")) {
		if (need_number(p, v, 255))
			return -p->error;
		if (v->number != (v->path[1] == 'a' ? 1 : 8))
			return fail(p, "only CTF 1.8 can be read");
	} else if (!strcmp(v->path, "byte_order")) {
		if (strcmp(c, "le"))
			return fail(p, "only little-endian traces can be read");
	} else if (!strcmp(v->path, "uuid")) {
		for (; *c; c++) {
			if (*c == '-')
				continue;
			if (digit(*c) > 15 || n >= 32)
				break;
			meta->uuid[n / 2] = meta->uuid[n / 2] << 4 | digit(*c);
			n++;
		}
		if (*c || n != 32)
			return fail(p, "the UUID is malformed");
	}
	return 0;
}

static int trace_type(struct parser *p, void *arg, const char *path, const struct type *t)
{
	(void)arg;
	if (strcmp(path, "packet.header"))
		return 0;
	if (t->kind != TYPE_STRUCT || !has(t, "magic", 0, 4) || !has(t, "uuid", 4, 16) ||
	    !has(t, "stream_id", 20, 4) || t->nr != 3)
		return fail(p, "the header of packets is not that of a pev trace");
	return 0;
}

static int parse_trace(struct parser *p)
{
	if (p->meta->have_trace)
		return fail(p, "there are two trace blocks");
	if (parse_block(p, trace_attribute, trace_type, NULL))
		return -p->error;
	p->meta->have_trace = true;
	return 0;
}

static int env_attribute(struct parser *p, void *arg, const struct value *v)
{
	struct env_entry *e = alloc(p, sizeof(*e));
	char number[24];

	(void)arg;
	if (!e)
		return -p->error;
	e->key = arena_strndup(&p->meta->arena, v->path, strlen(v->path));
	e->value = v->text;
	if (v->is_number) {
		snprintf(number, sizeof(number), v->negative ? "%lld" : "%llu",
			 (long long)v->number);
		e->value = arena_strndup(&p->meta->arena, number, strlen(number));
	}
	if (!e->key || !e->value)
		return fail(p, "out of memory");
	e->next = p->meta->env;
	p->meta->env = e;
	return 0;
}

static int clock_attribute(struct parser *p, void *arg, const struct value *v)
{
	struct pev_clock_desc *clock = arg;
	int64_t number = v->number;

	if (!strcmp(v->path, "name")) {
		clock->name = v->text;
	} else if (!strcmp(v->path, "freq")) {
		if (!number_upto(v, 1000000000000ULL) || !v->number)
			return fail(p, "a clock's frequency must be 1 to 10^12");
		clock->freq = v->number;
	} else if (!strcmp(v->path, "offset_s")) {
		/* some thousand years fit into 64 bits of ns nowhere */
		if (!v->is_number || number > 9000000000LL || number < -9000000000LL)
			return fail(p, "a clock's offset_s is out of range");
		clock->offset_s = number;
	} else if (!strcmp(v->path, "offset")) {
		if (!v->is_number)
			return fail(p, "a clock's offset is no number");
		clock->offset = number;
	}
	return 0;
}

static int parse_clock(struct parser *p)
{
	struct pev_clock_desc clock = { .name = "", .freq = 1000000000 };

	if (parse_block(p, clock_attribute, NULL, &clock))
		return -p->error;
	if (!p->meta->have_clock)
		p->meta->clock = clock;
	p->meta->have_clock = true;
	return 0;
}

/* The header of records: a word of id and time, and the extended form behind it */
static int check_header(struct parser *p, const struct type *t)
{
	static const char wrong[] = "the header of records is not that of a pev trace";
	const struct type *v, *compact = NULL, *ext = NULL;
	struct pev_meta *meta = p->meta;
	uint32_t start, end = 0;

	if (t->kind != TYPE_STRUCT || t->nr != 2 || t->align != 64)
		return fail(p, wrong);
	v = t->members[1].type;
	if (t->members[0].type->kind != TYPE_INT || t->members[0].type->size != PEV_ID_BITS ||
	    v->kind != TYPE_VARIANT)
		return fail(p, wrong);
	for (unsigned int i = 0; i < v->nr; i++) {
		if (v->members[i].type->kind != TYPE_STRUCT)
			return fail(p, wrong);
		if (!strcmp(v->members[i].name, "compact"))
			compact = v->members[i].type;
		if (!strcmp(v->members[i].name, "extended"))
			ext = v->members[i].type;
	}
	if (!compact || !ext || compact->nr != 1 || compact->align != 1 ||
	    compact->members[0].type->kind != TYPE_INT ||
	    compact->members[0].type->size != PEV_TIME_BITS || ext->align < 32)
		return fail(p, wrong);
	start = ext->align / 8;
	meta->ext_id = 0;
	meta->ext_time = 0;
	for (unsigned int i = 0; i < ext->nr; i++) {
		const struct member *m = &ext->members[i];
		int at = place(ext, i);

		if (at < 0 || m->shape != PEV_SHAPE_INT || m->type->size % 8 || at > 64)
			return fail(p, wrong);
		if (!strcmp(m->name, "id") && m->type->size == 32)
			meta->ext_id = start + at;
		else if (!strcmp(m->name, "timestamp") && m->type->size == 64)
			meta->ext_time = start + at;
		end = start + at + m->type->size / 8;
	}
	if (!meta->ext_id || !meta->ext_time)
		return fail(p, wrong);
	meta->header[0] = 4;
	meta->header[1] = end;
	return 0;
}

struct stream_types {
	const struct type	*header;
	const struct type	*context;
	bool			packet;
};

static int stream_attribute(struct parser *p, void *arg, const struct value *v)
{
	(void)arg;
	if (!strcmp(v->path, "id") && !number_upto(v, 0))
		return fail(p, "a pev trace has only the stream 0");
	return 0;
}

static int stream_type(struct parser *p, void *arg, const char *path, const struct type *t)
{
	static const struct { const char *name; uint8_t at, size; } need[] = {
		{ "timestamp_begin", 0, 8 }, { "timestamp_end", 8, 8 },
		{ "content_size", 16, 8 }, { "packet_size", 24, 8 },
		{ "events_discarded", 32, 8 }, { "packet_seq_num", 40, 8 },
		{ "cpu_id", 48, 4 }, { "reserved", 52, 4 },
	};
	struct stream_types *types = arg;

	if (!strcmp(path, "event.header")) {
		types->header = t;
	} else if (!strcmp(path, "event.context")) {
		types->context = t;
	} else if (!strcmp(path, "packet.context")) {
		types->packet = t->kind == TYPE_STRUCT && t->nr == ARRAY_SIZE(need);
		for (size_t i = 0; types->packet && i < ARRAY_SIZE(need); i++)
			types->packet = has(t, need[i].name, need[i].at, need[i].size);
		if (!types->packet)
			return fail(p, "the context of packets is not that of a pev trace");
	}
	return 0;
}

static int parse_stream(struct parser *p)
{
	struct stream_types types = { 0 };
	struct pev_meta *meta = p->meta;

	if (meta->have_stream)
		return fail(p, "there are two stream blocks");
	if (parse_block(p, stream_attribute, stream_type, &types))
		return -p->error;
	if (!types.packet || !types.header)
		return fail(p, "the stream describes no packets or no records");
	if (check_header(p, types.header))
		return -p->error;
	if (types.context && types.context->nr) {
		if (types.context->kind != TYPE_STRUCT || types.context->nr != 1 ||
		    !has(types.context, "tid", 0, 4) || types.context->align > 32)
			return fail(p, "the context of records is not that of a pev trace");
		for (int i = 0; i < 2; i++) {
			meta->tid[i] = align_up(meta->header[i], 4);
			meta->header[i] = meta->tid[i] + 4;
		}
	}
	if (meta->header[0] % 8 || meta->header[1] % 8)
		return fail(p, "what follows the header of records is not aligned to 8");
	meta->have_stream = true;
	return 0;
}

struct event_block {
	struct class		*cls;
	bool			have_id;
	const struct type	*context;
	const struct type	*fields;
};

/* "pev:tracepoint?period=1&freq=0" */
static void parse_uri(struct pev_class *cls, const char *uri)
{
	const char *kind = uri, *args;
	char name[32];
	size_t len;

	cls->uri = uri;
	if (!strncmp(uri, "pev:", 4))
		kind += 4;
	len = strcspn(kind, "?");
	if (len < sizeof(name)) {
		memcpy(name, kind, len);
		name[len] = '\0';
		if (pev_type_by_name(name) > 0)
			cls->type = pev_type_by_name(name);
	}
	for (args = kind + len; *args; args += strcspn(args, "&")) {
		args++;
		if (!strncmp(args, "period=", 7))
			cls->period = strtoull(args + 7, NULL, 0);
		else if (!strncmp(args, "freq=", 5))
			cls->freq = strtoull(args + 5, NULL, 0);
	}
}

static int event_attribute(struct parser *p, void *arg, const struct value *v)
{
	struct event_block *e = arg;

	if (!strcmp(v->path, "name")) {
		e->cls->pub.name = v->text;
	} else if (!strcmp(v->path, "id")) {
		if (need_number(p, v, MAX_ID - 1))
			return -p->error;
		e->cls->pub.id = v->number;
		e->have_id = true;
	} else if (!strcmp(v->path, "stream_id")) {
		if (!number_upto(v, 0))
			return fail(p, "a pev trace has only the stream 0");
	} else if (!strcmp(v->path, "model.emf.uri")) {
		parse_uri(&e->cls->pub, v->text);
	}
	return 0;
}

static int event_type(struct parser *p, void *arg, const char *path, const struct type *t)
{
	struct event_block *e = arg;

	if (strcmp(path, "context") && strcmp(path, "fields"))
		return 0;
	if (t->kind != TYPE_STRUCT)
		return fail(p, "the %s of an event must be a structure", path);
	if (!strcmp(path, "context"))
		e->context = t;
	else
		e->fields = t;
	return 0;
}

/*
 * An empty structure as last member is the padding of the record: babeltrace
 * takes what follows the last field of a packet for another record otherwise.
 */
static bool has_padding(const struct type *t)
{
	const struct type *last = t->nr ? t->members[t->nr - 1].type : NULL;

	return last && last->kind == TYPE_STRUCT && !last->nr;
}

/* Members to fields, without offsets */
static struct pev_field *to_fields(struct parser *p, const struct type *t, unsigned int *nr)
{
	struct pev_field *fields = alloc(p, (t->nr + 1) * sizeof(*fields));

	*nr = t->nr - has_padding(t);
	for (unsigned int i = 0; fields && i < *nr; i++) {
		const struct member *m = &t->members[i];

		p->token.line = m->line;
		if (m->type->kind == TYPE_STRUCT || m->type->kind == TYPE_VARIANT) {
			fail(p, "field %s is a structure or variant", m->name);
			return NULL;
		}
		if ((m->type->size != 8 && m->type->size != 16 && m->type->size != 32 &&
		     m->type->size != 64) || m->type->align < 8) {
			fail(p, "field %s does not consist of whole bytes", m->name);
			return NULL;
		}
		fields[i] = (struct pev_field){
			.name = m->name, .shape = m->shape, .size = m->type->size / 8,
			.align = m->type->align / 8, .is_signed = m->type->is_signed,
			.is_text = m->type->is_text, .base = m->type->base,
			.count = m->count, .length = m->length, .offset = -1,
		};
	}
	return fields;
}

static int add_class(struct parser *p, struct class *cls)
{
	struct pev_meta *meta = p->meta;
	struct class **more;
	uint32_t room;

	if (cls->pub.id < meta->nr_ids && meta->by_id[cls->pub.id])
		return fail(p, "two events have the id %u", cls->pub.id);
	if (cls->pub.id >= meta->nr_ids) {
		room = align_up(cls->pub.id + 1 + cls->pub.id / 2, 64);
		more = realloc(meta->by_id, room * sizeof(*more));
		if (!more)
			return fail(p, "out of memory");
		memset(more + meta->nr_ids, 0, (room - meta->nr_ids) * sizeof(*more));
		meta->by_id = more;
		meta->nr_ids = room;
	}
	if (meta->nr_classes == meta->room_classes) {
		room = meta->room_classes ? meta->room_classes * 2 : 64;
		more = realloc(meta->classes, room * sizeof(*more));
		if (!more)
			return fail(p, "out of memory");
		meta->classes = more;
		meta->room_classes = room;
	}
	cls->pub.index = meta->first_index + meta->nr_classes;
	meta->classes[meta->nr_classes++] = cls;
	meta->by_id[cls->pub.id] = cls;
	return 0;
}

static int parse_event(struct parser *p)
{
	static const struct type nothing = { .kind = TYPE_STRUCT, .align = 8 };
	struct pev_field *context, *fields;
	struct event_block e = { .context = &nothing, .fields = &nothing };
	unsigned int line = p->token.line, nr_context, nr_fields = 0;
	const char *why = "";
	struct class *cls;

	if (!p->meta->have_stream)
		return fail(p, "an event comes before the stream");
	cls = alloc(p, sizeof(*cls));
	if (!cls)
		return -p->error;
	cls->pub.uri = "";
	e.cls = cls;
	if (parse_block(p, event_attribute, event_type, &e))
		return -p->error;
	p->token.line = line;
	if (!cls->pub.name || !e.have_id)
		return fail(p, "an event has no name or no id");
	context = to_fields(p, e.context, &nr_context);
	fields = context ? to_fields(p, e.fields, &nr_fields) : NULL;
	if (!fields)
		return -p->error;
	p->token.line = line;
	cls->has_fields = e.fields != &nothing;
	cls->padded = has_padding(e.fields) && e.fields->members[nr_fields].type->align == 64;
	if (layout_class(p->meta, cls, context, nr_context, fields, nr_fields, &why))
		return fail(p, "event %s: %s", cls->pub.name, why);
	return add_class(p, cls);
}

static int skip_block(struct parser *p)
{
	unsigned int depth = 0;

	for (;;) {
		if (next(p))
			return -p->error;
		if (p->token.kind == TOKEN_END)
			return unexpected(p, "'}'");
		if (is_sign(p, '{')) {
			depth++;
		} else if (is_sign(p, '}')) {
			if (depth <= 1)
				break;
			depth--;
		} else if (is_sign(p, ';') && !depth) {
			return next(p);
		}
	}
	if (next(p))
		return -p->error;
	accept(p, ';');
	return p->failed ? -p->error : 0;
}

static int parse_one(struct parser *p)
{
	if (p->token.kind != TOKEN_NAME)
		return unexpected(p, "a declaration");
	if (is_name(p, "typealias"))
		return parse_alias(p);
	if (is_name(p, "trace"))
		return parse_trace(p);
	if (is_name(p, "env"))
		return parse_block(p, env_attribute, NULL, NULL);
	if (is_name(p, "clock"))
		return parse_clock(p);
	if (is_name(p, "stream"))
		return parse_stream(p);
	if (is_name(p, "event"))
		return parse_event(p);
	if (is_name(p, "callsite"))
		return skip_block(p);
	if (is_name(p, "struct") || is_name(p, "variant") || is_name(p, "enum"))
		return parse_type(p) ? expect(p, ';') : -p->error;
	return fail(p, "'%.*s' begins no declaration",
		    p->token.len > 40 ? 40 : (int)p->token.len, p->token.start);
}

/* Parses meta->text from meta->parsed on. */
int tsdl_parse(struct pev_meta *meta, struct pev_error *err)
{
	struct parser p = {
		.meta = meta,
		.pos = meta->text + meta->parsed,
		.end = meta->text + meta->len,
		.line = meta->line,
		.err = err,
	};
	struct named_type *types;
	bool clock, trace, stream;

	next(&p);
	while (!p.failed && p.token.kind != TOKEN_END) {
		types = meta->types;
		clock = meta->have_clock;
		trace = meta->have_trace;
		stream = meta->have_stream;
		if (parse_one(&p) && !p.failed)
			fail(&p, "the declaration makes no sense");
		if (p.failed) {
			/* as if this declaration had not been there */
			meta->types = types;
			meta->have_clock = clock;
			meta->have_trace = trace;
			meta->have_stream = stream;
			break;
		}
		meta->parsed = p.token.start - meta->text;
		meta->line = p.token.line;
	}
	if (p.failed)
		return -p.error;
	meta->parsed = meta->len;
	meta->line = p.line;
	return 0;
}

PEV_EXPORT const char *pev_meta_env(const struct pev_meta *meta, const char *key)
{
	for (const struct env_entry *e = meta->env; e; e = e->next)
		if (!strcmp(e->key, key))
			return e->value;
	return NULL;
}
