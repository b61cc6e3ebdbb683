// SPDX-License-Identifier: GPL-2.0
/* Names escaped, numbers made readable. See text.h. */
#include "text.h"

#include <inttypes.h>

size_t text_utf8_len(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 :
		   s[0] < 0xf5 ? 4 : 0;
	uint32_t c;

	if (n == 1)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (!n)
		return 0;
	c = s[0] & (0x7f >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	/* C1 controls, surrogates, overlong forms, directional overrides, noncharacters */
	if (c < 0xa0 || (c >= 0xd800 && c < 0xe000) || (n == 3 && c < 0x800) ||
	    (n == 4 && (c < 0x10000 || c > 0x10ffff)) || (c >= 0x200b && c <= 0x200f) ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0x061c ||
	    c == 0xfeff || (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe)
		return 0;
	return n;
}

void text_name(struct strbuf *b, const char *s)
{
	const unsigned char *p = (const unsigned char *)s, *from = p;

	while (*p) {
		size_t n = text_utf8_len(p);

		if (n) {
			p += n;
			continue;
		}
		strbuf_add(b, from, (size_t)(p - from));
		strbuf_addf(b, "\\x%02x", *p);
		from = ++p;
	}
	strbuf_add(b, from, (size_t)(p - from));
}

/* @next: the byte that follows; if it is a digit, it must not extend the escape */
static void put_char(struct strbuf *b, unsigned char c, unsigned char next)
{
	static const char plain[] = "\a\b\t\n\v\f\r", letters[] = "abtnvfr";
	const char *p = c ? strchr(plain, c) : NULL;

	if (p)
		strbuf_addf(b, "\\%c", letters[p - plain]);
	else if (c == '"' || c == '\\')
		strbuf_addf(b, "\\%c", c);
	else if (c >= 0x20 && c < 0x7f)
		strbuf_putc(b, (char)c);
	else
		strbuf_addf(b, next >= '0' && next <= '7' ? "\\%03o" : "\\%o", c);
}

void text_quoted(struct strbuf *b, const void *data, size_t len)
{
	const unsigned char *p = data;

	strbuf_putc(b, '"');
	for (size_t i = 0; i < len; i++)
		put_char(b, p[i], i + 1 < len ? p[i + 1] : 0);
	strbuf_putc(b, '"');
}

const char *text_safe(char *buf, size_t size, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t at = 0;

	while (*p) {
		size_t n = text_utf8_len(p);

		if (at + (n ? n : 4) + 1 > size)
			break;
		if (n)
			memcpy(buf + at, p, n);
		else
			snprintf(buf + at, 5, "\\x%02x", *p);
		at += n ? n : 4;
		p += n ? n : 1;
	}
	buf[at] = 0;
	return buf;
}

size_t text_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

const char *text_count(char buf[32], uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v), at = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = 0;
	return buf;
}

const char *text_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

const char *text_bytes(char buf[32], uint64_t v)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double d = (double)v;
	size_t u = 0;

	for (; d >= 1024 && u + 1 < ARRAY_SIZE(units); u++)
		d /= 1024;
	snprintf(buf, 32, u ? "%.1f %s" : "%.0f %s", d, units[u]);
	return buf;
}

const char *text_ns(char buf[32], uint64_t ns)
{
	if (ns < 1000)
		snprintf(buf, 32, "%" PRIu64 " ns", ns);
	else if (ns < 1000000)
		snprintf(buf, 32, "%.2f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, 32, "%.2f ms", (double)ns / 1e6);
	else
		snprintf(buf, 32, "%.3f s", (double)ns / 1e9);
	return buf;
}

void text_csv(struct strbuf *b, const char *s, const char *sep)
{
	if (!strstr(s, sep) && !strpbrk(s, "\"\n")) {
		strbuf_puts(b, s);
		return;
	}
	strbuf_putc(b, '"');
	for (; *s; s++) {
		if (*s == '"')
			strbuf_putc(b, '"');
		strbuf_putc(b, *s);
	}
	strbuf_putc(b, '"');
}

void text_wrapped(FILE *out, const char *text, int indent, int column)
{
	const int width = 80;

	while (*text) {
		int len = (int)strcspn(text, " ");

		if (column > indent && column + 1 + len > width) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* Returns what is behind the bracket that closes the one at @s, or the end. */
static const char *behind_bracket(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		depth += *s == '<' || *s == '(' || *s == '{';
		/* the arrow of "operator->" closes nothing */
		depth -= (*s == '>' && s[-1] != '-') || *s == ')' || *s == '}';
		if (!depth)
			return s + 1;
	}
	return s;
}

void text_base_name(struct strbuf *b, const char *name)
{
	static const char operator[] = "operator";
	const char *start = name, *end = NULL, *s = name;

	while (*s) {
		if (s == start && !strncmp(s, operator, sizeof(operator) - 1)) {
			/* its sign may be a bracket */
			s += sizeof(operator) - 1;
			end = s + strcspn(s, "(");
			end += !strncmp(s, "()", 2) ? 2 : 0;
			break;
		}
		if (*s == ':' || (*s == ' ' && s[1] != '[')) {
			start = ++s;
			end = NULL;
		} else if (*s == '{') {
			s = behind_bracket(s); /* "{lambda(int)#1}" */
		} else if (*s == '<' || *s == '(') {
			if (!end && s > start)
				end = s;
			if (*s == '(' && end && strncmp(behind_bracket(s), "::", 2))
				break;
			s = behind_bracket(s);
		} else if (*s == ' ') {
			break;
		} else {
			s++;
		}
	}
	if (!end)
		end = s;
	strbuf_add(b, start, (size_t)(end - start));
}

/* The name goes on behind "operator" and its sign. */
static const char *behind_operator(const char *s)
{
	static const char *const signs[] = { "()", "<=>", "<<=", "<<", "<=", "<" };

	s += sizeof("operator") - 1;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (!strncmp(s, signs[i], strlen(signs[i])))
			return s + strlen(signs[i]);
	return s + strspn(s, "+-*/%^&|~!=>,[]");
}

static bool is_operator(const char *name, const char *s)
{
	return !strncmp(s, "operator", 8) && s[8] && strchr("(<>=+-*/%^&|~!,[", s[8]) &&
	       (s == name || s[-1] == ':' || s[-1] == ' ');
}

/* Is @word what stands before @s? */
static bool follows(const char *name, const char *s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s - name) >= n && !strncmp(s - n, word, n);
}

/* Is it parameters that begin here? Go's receivers and namespaces without a name are none. */
static bool is_parameters(const char *name, const char *s)
{
	return *s == '(' && s > name && !strchr(".: *~", s[-1]) && !follows(name, s, "decltype");
}

void text_short_name(struct strbuf *b, const char *name)
{
	size_t begin = b->len, word = begin;
	const char *s = name, *end;

	while (*s && (!is_parameters(name, s) || !strncmp(behind_bracket(s), "::", 2))) {
		if (is_operator(name, s)) {
			end = behind_operator(s);
			strbuf_add(b, s, (size_t)(end - s));
		} else if (is_parameters(name, s)) {
			end = behind_bracket(s);
		} else if (*s == '<' && s > name) {
			end = behind_bracket(s);
			strbuf_puts(b, "<>");
		} else if (strchr("{(<", *s)) {
			end = behind_bracket(s);
			strbuf_add(b, s, (size_t)(end - s));
		} else {
			end = s + 1;
			/* "operator<< <char>" */
			if (*s != ' ' || s[1] != '<')
				strbuf_putc(b, *s);
			if (*s == ' ' && s[1] != '<' && !follows(name, s, "operator"))
				word = b->len;
		}
		s = end;
	}
	/* of functions, only what is made from a template has its type in front */
	if (*s && s[-1] == '>' && word > begin) {
		memmove(b->s + begin, b->s + word, b->len - word + 1);
		b->len -= word - begin;
	}
	s = strstr(s, " [");
	if (s)
		strbuf_puts(b, s);
}
