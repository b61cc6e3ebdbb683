// SPDX-License-Identifier: GPL-2.0
/* Follows steps from value to value. See value.h. */
#include "value.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Says something of a value's type. @fmt has a "%s" for it. */
#define refuse_type(m, type, fmt, ...)                                         \
	({                                                                     \
		char *text_ = (type)->reader->text(type);                      \
		int err_ = msg_set(m, -EOPNOTSUPP, fmt, text_, ##__VA_ARGS__); \
		free(text_);                                                   \
		err_;                                                          \
	})

/* ---- members ---- */

/**
 * struct member_search - a member by its name
 * @name:   wanted, @len bytes
 * @base:   where the structure without a name begins that is being searched
 * @depth:  of such structures
 * @found:  it was, as @member
 * @others: names of those that were passed, and how many
 */
struct member_search {
	const char *name;
	size_t len;
	uint64_t base;
	unsigned int depth;
	bool found;
	struct value_member member;
	struct strbuf others;
	unsigned int n;
};

static bool look_at_member(void *arg, const char *name, const struct value_member *m)
{
	struct member_search *s = arg;
	uint64_t base = s->base;

	if (name && *name) {
		s->found = strlen(name) == s->len && !strncmp(name, s->name, s->len);
		if (s->found) {
			s->member = *m;
			s->member.offset += base;
		} else if (s->n++ < 12) {
			strbuf_addf(&s->others, "%s%s", s->n > 1 ? ", " : "", name);
		}
	} else if (m->type.kind == VALUE_STRUCTURE && s->depth < 8) {
		s->base += m->offset;
		s->depth++;
		m->type.reader->members(&m->type, look_at_member, s);
		s->depth--;
		s->base = base;
	}
	return s->found;
}

static int no_member(const struct value *v, const struct member_search *s, struct msg *m)
{
	if (!s->n)
		return refuse_type(m, &v->type,
				   "the members of \"%s\" are not known here: only its name is, as "
				   "where it is used as a pointer alone");
	return refuse_type(m, &v->type, "\"%s\" has no member \"%.*s\", but %s%s", (int)s->len,
			   s->name, s->others.s, s->n > 12 ? " and others" : "");
}

/* Goes on by so many bytes within what lies in memory, or begins a register. */
static int go_inside(struct value *v, uint64_t offset, struct msg *m)
{
	if (v->memory) {
		v->offset += (int64_t)offset;
		return 0;
	}
	if (!offset)
		return 0;
	return refuse_type(m, &v->type,
			   "the \"%s\" is held in a register there, and only what "
			   "it begins with can be recorded");
}

static int go_to_member(struct value *v, const char *name, size_t len, struct msg *m)
{
	struct member_search s = { .name = name, .len = len };
	int err;

	v->type.reader->members(&v->type, look_at_member, &s);
	if (!s.found)
		err = no_member(v, &s, m);
	else if (s.member.bits)
		err = refuse_type(
			m, &v->type,
			"in \"%s\" \"%.*s\" is a bit-field, from byte %llu on: bits can't be "
			"recorded alone, but the bytes, by an offset behind a register",
			(int)len, name, (unsigned long long)s.member.offset);
	else
		err = go_inside(v, s.member.offset, m);
	if (!err)
		v->type = s.member.type;
	strbuf_free(&s.others);
	return err;
}

/* ---- what is pointed to ---- */

static int too_far(struct msg *m)
{
	return msg_set(m, -EOPNOTSUPP, "this takes more than the %d loads that a field has",
		       PEV_MAX_PROBE_LOADS);
}

static int go_to_target(struct value *v, struct msg *m)
{
	struct value_type target;

	if (!v->type.reader->target(&v->type, &target))
		return refuse_type(m, &v->type, "it is not known what \"%s\" points to");
	if (!v->memory && v->field.from == PEV_PROBE_CONSTANT)
		return msg_set(m, -EOPNOTSUPP, "it is a constant there, behind which nothing lies");
	if (v->memory) {
		if (v->field.nr_loads == PEV_MAX_PROBE_LOADS)
			return too_far(m);
		v->field.offsets[v->field.nr_loads++] = v->offset;
	}
	v->memory = true;
	v->offset = 0;
	v->type = target;
	return 0;
}

static int go_to_element(struct value *v, int64_t index, struct msg *m)
{
	uint64_t count = v->type.count;
	struct value_type element;
	int err = 0;

	if (v->type.kind == VALUE_POINTER) {
		err = go_to_target(v, m);
		element = v->type;
	} else if (v->type.kind != VALUE_ARRAY) {
		return refuse_type(m, &v->type, "\"%s\" has no elements");
	} else if (index < 0) {
		return msg_set(m, -EINVAL, "the first element of an array is [0]");
	} else if (count && (uint64_t)index >= count) {
		return msg_set(m, -EINVAL, "the array has %llu elements, the first is [0]",
			       (unsigned long long)count);
	} else if (!v->type.reader->target(&v->type, &element)) {
		return refuse_type(m, &v->type, "the elements of \"%s\" are not known");
	}
	if (err)
		return err;
	if (!element.bytes)
		return refuse_type(m, &element, "the size of \"%s\" is not known");
	if (__builtin_mul_overflow(index, (int64_t)element.bytes, &index) || index > INT32_MAX ||
	    index < INT32_MIN)
		return msg_set(m, -EINVAL, "this is more than 2 GiB away");
	if (v->memory)
		v->offset += index;
	else
		err = go_inside(v, (uint64_t)index, m);
	v->type = element;
	return err;
}

/* ---- steps ---- */

static const char *end_of_name(const char *p, const char *end)
{
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	return p;
}

static int step_to_member(struct value *v, bool arrow, const char *name, const char *end,
			  struct msg *m)
{
	bool pointer = v->type.kind == VALUE_POINTER;
	int err = 0;

	if (end == name)
		return msg_set(m, -EINVAL, "behind \"->\" and \".\" comes the name of a member");
	if (arrow && v->type.kind == VALUE_STRUCTURE)
		return refuse_type(m, &v->type, "\"%s\" is no pointer: write .%.*s",
				   (int)(end - name), name);
	if (!arrow && pointer)
		return refuse_type(m, &v->type, "\"%s\" is a pointer: write ->%.*s",
				   (int)(end - name), name);
	if (pointer)
		err = go_to_target(v, m);
	if (!err && v->type.kind != VALUE_STRUCTURE)
		err = refuse_type(m, &v->type, "\"%s\" has no members");
	return err ? err : go_to_member(v, name, (size_t)(end - name), m);
}

static int step_to_element(struct value *v, const char **p, const char *end, struct msg *m)
{
	char *behind;
	long long index;

	errno = 0;
	index = strtoll(*p + 1, &behind, 0);
	if (errno || behind == *p + 1 || isspace((unsigned char)(*p)[1]) || behind >= end ||
	    *behind != ']')
		return msg_set(m, -EINVAL, "an index is a constant number in brackets, as in [2]");
	*p = behind + 1;
	return go_to_element(v, index, m);
}

int value_follow(struct value *v, const char *steps, const char *end, struct msg *m)
{
	const char *p = steps;
	int err = 0;

	while (p < end && !err) {
		bool arrow = end - p > 1 && p[0] == '-' && p[1] == '>';
		const char *name = p + (arrow ? 2 : 1);

		if (arrow || *p == '.') {
			p = end_of_name(name, end);
			err = step_to_member(v, arrow, name, p, m);
		} else if (*p == '[') {
			err = step_to_element(v, &p, end, m);
		} else {
			err = msg_set(m, -EINVAL,
				      "behind a name come ->MEMBER, .MEMBER or "
				      "[NUMBER]");
		}
	}
	return err;
}

/* ---- fields ---- */

static int type_of_number(const struct value_type *t, uint8_t *type, struct msg *m)
{
	static const uint8_t types[][2] = {
		{ PEV_PROBE_U8, PEV_PROBE_S8 },
		{ PEV_PROBE_U16, PEV_PROBE_S16 },
		{ PEV_PROBE_U32, PEV_PROBE_S32 },
		{ PEV_PROBE_U64, PEV_PROBE_S64 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (t->bytes == 1u << i) {
			*type = types[i][t->sign];
			return 0;
		}
	return refuse_type(m, t, "\"%s\" has %u bytes: numbers of 1, 2, 4 or 8 are recorded",
			   t->bytes);
}

/* The text that an array of characters is: its last byte counts, also if it is no NUL. */
static int take_text(const struct value *v, struct pev_probe_field *f, struct msg *m)
{
	if (!v->memory)
		return msg_set(m, -EOPNOTSUPP, "it is an array in a register");
	if (f->nr_loads == PEV_MAX_PROBE_LOADS)
		return too_far(m);
	f->type = PEV_PROBE_TEXT;
	f->offsets[f->nr_loads] = v->offset;
	if (v->type.count && v->type.count < PEV_MAX_PROBE_TEXT)
		f->limit = (uint16_t)(v->type.count + 1);
	return 0;
}

static int check_kind(const struct value_type *t, struct msg *m)
{
	switch (t->kind) {
	case VALUE_STRUCTURE:
		return refuse_type(m, t,
				   "it is of type \"%s\": name one of its members, as in x.y");
	case VALUE_ARRAY:
		return refuse_type(m, t,
				   "it is of type \"%s\": name one of its elements, as in x[0]");
	case VALUE_OTHER:
		return refuse_type(m, t,
				   "it is of type \"%s\", which is neither a number nor a pointer: "
				   "no floating-point numbers are recorded");
	default:
		return 0;
	}
}

int value_field(const struct value *v, enum value_as as, struct pev_probe_field *f, struct msg *m)
{
	struct value_type element;
	int err;

	*f = v->field;
	if (v->type.kind == VALUE_ARRAY && as != VALUE_AS_NUMBER &&
	    v->type.reader->target(&v->type, &element) && (as == VALUE_AS_TEXT || element.letter))
		return take_text(v, f, m);
	err = check_kind(&v->type, m);
	if (err)
		return err;
	f->type = PEV_PROBE_X64;
	if (v->type.kind == VALUE_NUMBER)
		err = type_of_number(&v->type, &f->type, m);
	if (err || !v->memory)
		return err;
	if (f->nr_loads == PEV_MAX_PROBE_LOADS)
		return too_far(m);
	f->offsets[f->nr_loads++] = v->offset;
	return 0;
}
