// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses the types of CTF metadata text: integers, strings, enumerations, structures
 * and variants.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include "ctf/label.h"
#include "ctf/tsdl_type.h"

#define MAX_DEPTH	16
#define MAX_FIELDS	1024
#define MAX_COUNT	(1U << 20)

/* ---- Types that have names ---- */

static int by_name(const void *va, const void *vb)
{
	const struct named_type *a = va, *b = vb;

	return a->kind != b->kind ? a->kind - b->kind : strcmp(a->name, b->name);
}

/* In a tree, not a hash: metadata can't be written such that it degenerates. */
static const struct type *find_type(struct parser *p, char kind, const char *name)
{
	const struct named_type key = { .kind = kind, .name = name };
	struct named_type *const *n = tfind(&key, &p->meta->type_tree, by_name);

	return n ? (*n)->type : NULL;
}

void tsdl_drop_types(struct pev_meta *meta, const struct named_type *last)
{
	while (meta->types != last) {
		tdelete(meta->types, &meta->type_tree, by_name);
		meta->types = meta->types->next;
	}
}

static int add_type(struct parser *p, char kind, const char *name, const struct type *type)
{
	struct named_type *n;

	if (find_type(p, kind, name))
		return tsdl_fail(p, "the type %s is declared twice", name);
	n = tsdl_alloc(p, sizeof(*n));
	if (!n)
		return -p->error;
	n->kind = kind;
	n->name = name;
	n->type = type;
	if (!tsearch(n, &p->meta->type_tree, by_name))
		return tsdl_no_memory(p);
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
		if (!tsdl_upto(v, 64) || !v->number)
			return tsdl_fail(p, "an integer's size must be 1 to 64 bits");
		t->size = v->number;
	} else if (!strcmp(v->path, "align")) {
		if (!tsdl_upto(v, 64) || !power_of_two(v->number))
			return tsdl_fail(p, "an alignment must be a power of two up to 64");
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
			return tsdl_fail(p, "only little-endian integers can be read");
	}
	return 0;
}

static const struct type *parse_integer(struct parser *p)
{
	struct type *t = tsdl_alloc(p, sizeof(*t));
	struct value v;

	if (!t || tsdl_next(p) || tsdl_expect(p, '{'))
		return NULL;
	t->kind = TYPE_INT;
	t->base = 10;
	while (!tsdl_is_sign(p, '}')) {
		if (tsdl_dotted(p, v.path, sizeof(v.path)) || tsdl_expect(p, '=') ||
		    tsdl_value(p, &v) || integer_attribute(p, t, &v) || tsdl_expect(p, ';'))
			return NULL;
	}
	if (!t->size) {
		tsdl_fail(p, "an integer has no size");
		return NULL;
	}
	if (!t->align)
		t->align = t->size % 8 ? 1 : 8;
	return tsdl_next(p) ? NULL : t;
}

static const struct type *parse_string_type(struct parser *p)
{
	struct type *t = tsdl_alloc(p, sizeof(*t));
	struct value v;

	if (!t || tsdl_next(p))
		return NULL;
	t->kind = TYPE_STRING;
	t->size = 8;
	t->align = 8;
	t->is_text = true;
	t->base = 10;
	if (!tsdl_accept(p, '{'))
		return p->failed ? NULL : t;
	while (!tsdl_is_sign(p, '}')) {
		if (tsdl_dotted(p, v.path, sizeof(v.path)) || tsdl_expect(p, '=') ||
		    tsdl_value(p, &v) || tsdl_expect(p, ';'))
			return NULL;
	}
	return tsdl_next(p) ? NULL : t;
}

/* Steps over "struct" and the like, and takes the name behind it, if there is one. */
static int take_tag(struct parser *p, const char **name)
{
	*name = NULL;
	if (tsdl_next(p))
		return -1;
	if (p->token.kind != TOKEN_NAME)
		return 0;
	*name = tsdl_take_name(p, "a name");
	return *name ? 0 : -1;
}

/* An integer whose values have labels */
static const struct type *with_labels(struct parser *p, const struct type *integer)
{
	struct type *t = tsdl_alloc(p, sizeof(*t));

	if (!t)
		return NULL;
	*t = *integer;
	return label_mappings(p, &t->labels) ? NULL : t;
}

static const struct type *parse_enum(struct parser *p)
{
	const struct type *t = NULL;
	const char *name;

	if (take_tag(p, &name))
		return NULL;
	if (tsdl_accept(p, ':')) {
		t = tsdl_type(p);
		if (!t)
			return NULL;
	} else if (name && !tsdl_is_sign(p, '{')) {
		t = find_type(p, 'e', name);
		if (!t)
			tsdl_fail(p, "enum %s is not declared", name);
		return t;
	} else {
		t = find_type(p, 'a', "int");
	}
	if (!t || t->kind != TYPE_INT) {
		tsdl_fail(p, "an enumeration needs an integer type");
		return NULL;
	}
	t = with_labels(p, t);
	if (!t || (name && add_type(p, 'e', name, t)))
		return NULL;
	return t;
}

/* Parses "[length]" behind a member's name. */
static int parse_length(struct parser *p, struct type_member *m, const struct type_member *before,
			unsigned int nr)
{
	char path[160], *last;

	if (m->type->kind != TYPE_INT)
		return tsdl_fail(p, "only integers can be arrays");
	if (p->token.kind == TOKEN_NUMBER) {
		if (p->token.number > MAX_COUNT)
			return tsdl_fail(p, "array %s is too long", m->name);
		m->shape = PEV_SHAPE_ARRAY;
		m->count = p->token.number;
		return tsdl_next(p) ? -p->error : tsdl_expect(p, ']');
	}
	if (tsdl_dotted(p, path, sizeof(path)))
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
		return tsdl_fail(p, "%s, the length of %s, is no earlier field", last, m->name);
	if (before[m->length].shape != PEV_SHAPE_INT || before[m->length].type->is_signed ||
	    before[m->length].type->kind != TYPE_INT)
		return tsdl_fail(p, "%s, the length of %s, is no unsigned integer", last, m->name);
	return tsdl_expect(p, ']');
}

static int parse_member(struct parser *p, struct type_member *m, const struct type_member *before,
			unsigned int nr)
{
	memset(m, 0, sizeof(*m));
	m->line = p->token.line;
	m->type = tsdl_type(p);
	if (!m->type)
		return -p->error;
	m->name = tsdl_take_name(p, "a field's name");
	if (!m->name)
		return -p->error;
	/* an underscore protects names that are words of the language */
	if (*m->name == '_' && m->name[1])
		m->name++;
	m->shape = m->type->kind == TYPE_STRING ? PEV_SHAPE_STRING : PEV_SHAPE_INT;
	m->count = 1;
	m->length = -1;
	if (tsdl_accept(p, '[') && parse_length(p, m, before, nr))
		return -p->error;
	if (tsdl_is_sign(p, '['))
		return tsdl_fail(p, "%s is an array of arrays", m->name);
	return tsdl_expect(p, ';');
}

static int parse_members(struct parser *p, struct type *t)
{
	struct type_member *m, *more;
	unsigned int room = 8;
	int ret = 0;

	m = malloc(room * sizeof(*m));
	while (m && !tsdl_is_sign(p, '}')) {
		if (tsdl_is_name(p, "typealias")) {
			ret = tsdl_alias(p);
			if (ret)
				break;
			continue;
		}
		if (t->nr >= MAX_FIELDS) {
			ret = tsdl_fail(p, "a structure has more than %d fields", MAX_FIELDS);
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
				ret = tsdl_fail(p, "two fields are called %s", m[i].name);
				break;
			}
		if (ret)
			break;
		t->nr++;
	}
	if (m && !ret) {
		t->members = tsdl_alloc(p, (t->nr + 1) * sizeof(*m));
		if (t->members)
			memcpy(t->members, m, t->nr * sizeof(*m));
	}
	free(m);
	if (!ret && (!m || !t->members))
		ret = tsdl_no_memory(p);
	return ret ? ret : tsdl_next(p);
}

/* Parses "struct name" and "struct name { ... } align(n)", the same for variants. */
static const struct type *parse_compound(struct parser *p, enum type_kind kind)
{
	char letter = kind == TYPE_STRUCT ? 's' : 'v', path[64];
	const struct type *known;
	const char *name;
	struct type *t;

	if (take_tag(p, &name))
		return NULL;
	if (kind == TYPE_VARIANT && tsdl_accept(p, '<') &&
	    (tsdl_dotted(p, path, sizeof(path)) || tsdl_expect(p, '>')))
		return NULL;
	if (name && !tsdl_is_sign(p, '{')) {
		known = find_type(p, letter, name);
		if (!known)
			tsdl_fail(p, "%s %s is not declared", letter == 's' ? "struct" : "variant",
			     name);
		return known;
	}
	t = tsdl_alloc(p, sizeof(*t));
	if (!t || tsdl_expect(p, '{'))
		return NULL;
	t->kind = kind;
	t->align = 1;
	if (parse_members(p, t))
		return NULL;
	for (unsigned int i = 0; i < t->nr; i++)
		if (t->members[i].type->align > t->align)
			t->align = t->members[i].type->align;
	if (kind == TYPE_STRUCT && tsdl_is_name(p, "align")) {
		if (tsdl_next(p) || tsdl_expect(p, '('))
			return NULL;
		if (p->token.kind != TOKEN_NUMBER || !power_of_two(p->token.number) ||
		    p->token.number > 64) {
			tsdl_fail(p, "an alignment must be a power of two up to 64");
			return NULL;
		}
		if (p->token.number > t->align)
			t->align = p->token.number;
		if (tsdl_next(p) || tsdl_expect(p, ')'))
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

	/* take the longest row of words that is a type */
	while (!p->failed && p->token.kind == TOKEN_NAME && !t) {
		if (used + p->token.len + 2 > sizeof(name)) {
			tsdl_fail(p, "a type's name is too long");
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
			tsdl_fail(p, "the type %s is not declared", name);
			return NULL;
		}
		if (tsdl_next(p))
			return NULL;
	}
	if (!t)
		tsdl_unexpected(p, "a type");
	return p->failed ? NULL : t;
}

const struct type *tsdl_type(struct parser *p)
{
	const struct type *t = NULL;

	if (p->failed)
		return NULL;
	if (++p->depth > MAX_DEPTH)
		tsdl_fail(p, "types are nested too deeply");
	else if (tsdl_is_name(p, "integer"))
		t = parse_integer(p);
	else if (tsdl_is_name(p, "string"))
		t = parse_string_type(p);
	else if (tsdl_is_name(p, "enum"))
		t = parse_enum(p);
	else if (tsdl_is_name(p, "struct"))
		t = parse_compound(p, TYPE_STRUCT);
	else if (tsdl_is_name(p, "variant"))
		t = parse_compound(p, TYPE_VARIANT);
	else if (tsdl_is_name(p, "floating_point"))
		tsdl_fail(p, "floating-point fields cannot be read");
	else if (p->token.kind == TOKEN_NAME)
		t = parse_type_name(p);
	else
		tsdl_unexpected(p, "a type");
	p->depth--;
	return p->failed ? NULL : t;
}

/* Parses typealias <type> := <name>; */
int tsdl_alias(struct parser *p)
{
	const struct type *t;
	char name[128] = "";
	size_t used = 0;
	char *copy;

	if (tsdl_next(p))
		return -p->error;
	t = tsdl_type(p);
	if (!t)
		return -p->error;
	if (!tsdl_is_sign(p, SIGN_ASSIGN_TYPE))
		return tsdl_unexpected(p, "':='");
	if (tsdl_next(p))
		return -p->error;
	do {
		if (p->token.kind != TOKEN_NAME)
			return tsdl_unexpected(p, "a name");
		if (used + p->token.len + 2 > sizeof(name))
			return tsdl_fail(p, "a type's name is too long");
		if (used)
			name[used++] = ' ';
		memcpy(name + used, p->token.start, p->token.len);
		used += p->token.len;
		if (tsdl_next(p))
			return -p->error;
	} while (p->token.kind == TOKEN_NAME);
	copy = tsdl_alloc(p, used + 1);
	if (!copy)
		return -p->error;
	memcpy(copy, name, used);
	if (add_type(p, 'a', copy, t))
		return -p->error;
	return tsdl_expect(p, ';');
}
