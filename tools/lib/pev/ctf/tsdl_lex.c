// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Splits CTF metadata text into words, and reads the values of attributes.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/error.h"
#include "ctf/tsdl_lex.h"

/* The first failure is the one that counts. */
int tsdl_fail(struct parser *p, const char *fmt, ...)
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

int tsdl_no_memory(struct parser *p)
{
	if (!p->failed) {
		p->failed = true;
		p->error = ENOMEM;
		pev_fail(p->err, ENOMEM, 0, "out of memory");
	}
	return -p->error;
}

void *tsdl_alloc(struct parser *p, size_t size)
{
	void *mem = arena_alloc(&p->meta->arena, size);

	if (!mem)
		tsdl_no_memory(p);
	return mem;
}

/* ---- Tokens ---- */

/* Skips blanks and comments. Returns false for a comment without an end. */
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
		return tsdl_fail(p, "a string has no end");
	t->len = p->pos++ - t->start;
	return 0;
}

int tsdl_digit(char c)
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
	for (; p->pos < p->end && tsdl_digit(*p->pos) < (int)base; p->pos++) {
		if (value > (UINT64_MAX - tsdl_digit(*p->pos)) / base)
			return tsdl_fail(p, "a number is too large");
		value = value * base + tsdl_digit(*p->pos);
		any = true;
	}
	while (any && p->pos < p->end && strchr("uUlL", *p->pos) && *p->pos)
		p->pos++;
	if (!any || (p->pos < p->end && (isalnum((unsigned char)*p->pos) || *p->pos == '_')))
		return tsdl_fail(p, "a number is malformed");
	t->number = value;
	t->len = p->pos - t->start;
	return 0;
}

int tsdl_next(struct parser *p)
{
	struct token *t = &p->token;
	bool closed;

	if (p->failed)
		return -p->error;
	t->line = p->line;
	closed = skip_space(p);
	if (!closed)
		return tsdl_fail(p, "a comment has no end");
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
		return tsdl_fail(p, "'%c' has no place here", *p->pos);
	} else {
		return tsdl_fail(p, "byte 0x%02x has no place here", (unsigned char)*p->pos);
	}
	p->pos += t->len;
	return 0;
}

bool tsdl_is_sign(const struct parser *p, int sign)
{
	return !p->failed && p->token.kind == TOKEN_SIGN && p->token.sign == sign;
}

bool tsdl_is_name(const struct parser *p, const char *name)
{
	return !p->failed && p->token.kind == TOKEN_NAME && p->token.len == strlen(name) &&
	       !memcmp(p->token.start, name, p->token.len);
}

int tsdl_unexpected(struct parser *p, const char *wanted)
{
	if (p->token.kind == TOKEN_END)
		return tsdl_fail(p, "the text ends where %s must be", wanted);
	return tsdl_fail(p, "'%.*s' where %s must be",
		    p->token.len > 40 ? 40 : (int)p->token.len, p->token.start, wanted);
}

int tsdl_expect(struct parser *p, char sign)
{
	char wanted[4] = { '\'', sign, '\'' };

	if (!tsdl_is_sign(p, sign))
		return tsdl_unexpected(p, wanted);
	return tsdl_next(p);
}

bool tsdl_accept(struct parser *p, char sign)
{
	if (!tsdl_is_sign(p, sign))
		return false;
	return !tsdl_next(p);
}

/* Takes the name and goes on. */
const char *tsdl_take_name(struct parser *p, const char *wanted)
{
	char *name;

	if (p->failed || p->token.kind != TOKEN_NAME) {
		tsdl_unexpected(p, wanted);
		return NULL;
	}
	name = tsdl_alloc(p, p->token.len + 1);
	if (name)
		memcpy(name, p->token.start, p->token.len);
	return tsdl_next(p) ? NULL : name;
}

static const char *take_string(struct parser *p)
{
	const char *from = p->token.start, *end = from + p->token.len;
	char *text = tsdl_alloc(p, p->token.len + 1), *to = text;

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
	return tsdl_next(p) ? NULL : text;
}

/* ---- Attributes: "a.b = value;" ---- */

int tsdl_dotted(struct parser *p, char *buf, size_t room)
{
	size_t used = 0;

	for (;;) {
		if (p->failed || p->token.kind != TOKEN_NAME)
			return tsdl_unexpected(p, "a name");
		if (used + p->token.len + 2 > room)
			return tsdl_fail(p, "a name is too long");
		memcpy(buf + used, p->token.start, p->token.len);
		used += p->token.len;
		buf[used] = '\0';
		if (tsdl_next(p))
			return -p->error;
		if (!tsdl_is_sign(p, '.'))
			return 0;
		buf[used++] = '.';
		if (tsdl_next(p))
			return -p->error;
	}
}

int tsdl_value(struct parser *p, struct value *v)
{
	char name[128], *copy;

	v->is_number = false;
	v->negative = false;
	v->number = 0;
	v->text = "";
	v->line = p->token.line;
	if (tsdl_is_sign(p, '-')) {
		v->negative = true;
		if (tsdl_next(p))
			return -p->error;
	} else if (tsdl_is_sign(p, '+') && tsdl_next(p)) {
		return -p->error;
	}
	switch (p->token.kind) {
	case TOKEN_NUMBER:
		v->is_number = true;
		v->number = v->negative ? -p->token.number : p->token.number;
		return tsdl_next(p);
	case TOKEN_STRING:
		v->text = take_string(p);
		return v->text ? 0 : -p->error;
	default:
		if (tsdl_dotted(p, name, sizeof(name)))
			return -p->error;
		copy = tsdl_alloc(p, strlen(name) + 1);
		if (!copy)
			return -p->error;
		v->text = strcpy(copy, name);
		return 0;
	}
}

bool tsdl_upto(const struct value *v, uint64_t max)
{
	return v->is_number && !v->negative && v->number <= max;
}

int tsdl_need_number(struct parser *p, const struct value *v, uint64_t max)
{
	if (!tsdl_upto(v, max))
		return tsdl_fail(p, "%s must be a number from 0 to %llu", v->path,
			    (unsigned long long)max);
	return 0;
}
