// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rust names: the older scheme ("_ZN4core3fmt17h0123456789abcdefE") and v0
 * ("_RNvNtCs1234_7mycrate3foo3bar"; Rust RFC 2603).
 */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MAX 200
#define OUT_MAX	  65536

/**
 * struct rust - a name while it is read
 * @in:    what follows "_R"
 * @len:   bytes of it
 * @pos:   next one
 * @quiet: counts levels at which nothing is written
 * @depth: of recursion
 * @bound: lifetimes bound so far
 * @bad:   it is no such name after all
 */
struct rust {
	const char	*in;
	size_t		len, pos;
	char		*out;
	size_t		n, cap;
	unsigned int	quiet, depth;
	uint64_t	bound;
	bool		bad;
};

static void put(struct rust *r, const char *s, size_t len)
{
	if (r->quiet || r->bad)
		return;
	if (r->n + len + 1 > r->cap) {
		size_t cap = 2 * (r->n + len + 1);
		char *out = cap > 2 * OUT_MAX ? NULL : realloc(r->out, cap);

		if (!out) {
			r->bad = true;
			return;
		}
		r->out = out;
		r->cap = cap;
	}
	memcpy(r->out + r->n, s, len);
	r->n += len;
	r->out[r->n] = 0;
}

static void puts_(struct rust *r, const char *s)
{
	put(r, s, strlen(s));
}

static void put_u64(struct rust *r, uint64_t v)
{
	char buf[24];

	put(r, buf, (size_t)snprintf(buf, sizeof(buf), "%llu", (unsigned long long)v));
}

static void put_char(struct rust *r, uint32_t c)
{
	char b[4];

	if (c < 0x80) {
		b[0] = (char)c;
		put(r, b, 1);
	} else if (c < 0x800) {
		b[0] = (char)(0xc0 | c >> 6);
		b[1] = (char)(0x80 | (c & 63));
		put(r, b, 2);
	} else if (c < 0x10000) {
		b[0] = (char)(0xe0 | c >> 12);
		b[1] = (char)(0x80 | (c >> 6 & 63));
		b[2] = (char)(0x80 | (c & 63));
		put(r, b, 3);
	} else if (c < 0x110000) {
		b[0] = (char)(0xf0 | c >> 18);
		b[1] = (char)(0x80 | (c >> 12 & 63));
		b[2] = (char)(0x80 | (c >> 6 & 63));
		b[3] = (char)(0x80 | (c & 63));
		put(r, b, 4);
	} else {
		r->bad = true;
	}
}

static char peek(const struct rust *r)
{
	return r->pos < r->len ? r->in[r->pos] : 0;
}

static char next(struct rust *r)
{
	if (r->pos >= r->len) {
		r->bad = true;
		return 0;
	}
	return r->in[r->pos++];
}

static bool eat(struct rust *r, char c)
{
	if (r->bad || peek(r) != c)
		return false;
	r->pos++;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static uint64_t decimal(struct rust *r)
{
	uint64_t v = 0;

	if (!is_digit(peek(r))) {
		r->bad = true;
		return 0;
	}
	if (eat(r, '0'))
		return 0;
	while (is_digit(peek(r))) {
		v = v * 10 + (uint64_t)(next(r) - '0');
		if (v > OUT_MAX)
			r->bad = true;
		if (r->bad)
			return 0;
	}
	return v;
}

/* base 62 and "_"; "_" alone is 0, "0_" is 1 */
static uint64_t base62(struct rust *r)
{
	uint64_t v = 0;

	if (eat(r, '_'))
		return 0;
	while (!r->bad) {
		char c = next(r);

		if (c == '_')
			return v + 1;
		v *= 62;
		if (is_digit(c))
			v += (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'z')
			v += (uint64_t)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'Z')
			v += (uint64_t)(c - 'A') + 36;
		else
			r->bad = true;
	}
	return 0;
}

static uint64_t optional62(struct rust *r, char tag)
{
	return eat(r, tag) ? base62(r) + 1 : 0;
}

/* RFC 3492 with '_' for '-' */
static bool punycode(struct rust *r, const char *s, size_t len)
{
	uint32_t chars[256], n = 128, i = 0, bias = 72, count = 0;
	size_t basic = 0, at = 0;
	bool first = true;

	for (size_t k = len; k > 0; k--)
		if (s[k - 1] == '_') {
			basic = k - 1;
			at = k;
			break;
		}
	if (basic > 200 || len > 400)
		return false;
	while (count < basic) {
		chars[count] = (unsigned char)s[count];
		count++;
	}
	while (at < len) {
		uint32_t old = i, w = 1, delta, k;

		for (k = 36;; k += 36) {
			uint32_t digit, t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
			char c = at < len ? s[at++] : 0;

			if (c >= 'a' && c <= 'z')
				digit = (uint32_t)(c - 'a');
			else if (is_digit(c))
				digit = (uint32_t)(c - '0') + 26;
			else
				return false;
			if (digit > (UINT32_MAX - i) / w)
				return false;
			i += digit * w;
			if (digit < t)
				break;
			if (w > UINT32_MAX / 36)
				return false;
			w *= 36 - t;
		}
		count++;
		if (count > 250)
			return false;
		delta = first ? (i - old) / 700 : (i - old) / 2;
		first = false;
		delta += delta / count;
		for (k = 0; delta > 455; k += 36)
			delta /= 35;
		bias = k + 36 * delta / (delta + 38);
		n += i / count;
		i %= count;
		memmove(&chars[i + 1], &chars[i], (count - 1 - i) * sizeof(*chars));
		chars[i++] = n;
	}
	for (uint32_t k = 0; k < count; k++)
		put_char(r, chars[k]);
	return true;
}

/* Skips or prints an identifier; its length without printing. */
static void identifier(struct rust *r, bool print)
{
	bool unicode = eat(r, 'u');
	uint64_t len = decimal(r);
	const char *s;

	eat(r, '_');
	if (r->bad || len > r->len - r->pos) {
		r->bad = true;
		return;
	}
	s = r->in + r->pos;
	r->pos += len;
	if (!print)
		return;
	if (!unicode)
		put(r, s, len);
	else if (!r->quiet && !punycode(r, s, len))
		r->bad = true;
}

static void path(struct rust *r, bool in_value);
static void type(struct rust *r);
static void constant(struct rust *r);

/* "B<n>": what was written at an earlier place; returns false for what is none */
static bool backref(struct rust *r, void (*what)(struct rust *))
{
	size_t from = r->pos - 1, here;
	uint64_t to = base62(r);

	if (r->bad || to >= from || r->depth > DEPTH_MAX) {
		r->bad = true;
		return false;
	}
	if (r->quiet)
		return true;
	here = r->pos;
	r->pos = to;
	r->depth++;
	what(r);
	r->depth--;
	r->pos = here;
	return true;
}

static void lifetime(struct rust *r, uint64_t index)
{
	uint64_t at;

	if (!index) {
		puts_(r, "'_");
		return;
	}
	if (index > r->bound) {
		r->bad = true;
		return;
	}
	at = r->bound - index;
	puts_(r, "'");
	if (at < 26)
		put_char(r, 'a' + (uint32_t)at);
	else
		put_u64(r, at);
}

static uint64_t binder(struct rust *r)
{
	uint64_t n = optional62(r, 'G');

	if (!n || r->bad)
		return 0;
	if (n > 100) {
		r->bad = true;
		return 0;
	}
	puts_(r, "for<");
	for (uint64_t i = 0; i < n; i++) {
		r->bound++;
		if (i)
			puts_(r, ", ");
		lifetime(r, 1);
	}
	puts_(r, "> ");
	return n;
}

static void generic_args(struct rust *r)
{
	for (bool more = false; !r->bad && !eat(r, 'E'); more = true) {
		if (more)
			puts_(r, ", ");
		if (eat(r, 'L'))
			lifetime(r, base62(r));
		else if (eat(r, 'K'))
			constant(r);
		else
			type(r);
	}
}

static void path_type(struct rust *r)
{
	path(r, false);
}

static void path_value(struct rust *r)
{
	path(r, true);
}

static void impl_path(struct rust *r)
{
	optional62(r, 's');
	r->quiet++;
	path(r, false);
	r->quiet--;
}

static void nested(struct rust *r, bool in_value)
{
	char ns = next(r);
	uint64_t dis;
	size_t before;

	path(r, in_value);
	dis = optional62(r, 's');
	if (ns >= 'A' && ns <= 'Z') {
		puts_(r, "::{");
		if (ns == 'C')
			puts_(r, "closure");
		else if (ns == 'S')
			puts_(r, "shim");
		else
			put(r, &ns, 1);
		before = r->pos;
		if (peek(r) != '0') {
			puts_(r, ":");
			identifier(r, true);
		} else {
			identifier(r, false);
		}
		(void)before;
		puts_(r, "#");
		put_u64(r, dis);
		puts_(r, "}");
	} else {
		if (peek(r) != '0')
			puts_(r, "::");
		identifier(r, true);
	}
}

static void path(struct rust *r, bool in_value)
{
	char tag = next(r);

	if (r->bad || ++r->depth > DEPTH_MAX) {
		r->bad = true;
		return;
	}
	switch (tag) {
	case 'C':
		optional62(r, 's');
		identifier(r, true);
		break;
	case 'N':
		nested(r, in_value);
		break;
	case 'M':
	case 'X':
		impl_path(r);
		/* fall through */
	case 'Y':
		puts_(r, "<");
		type(r);
		if (tag != 'M') {
			puts_(r, " as ");
			path(r, false);
		}
		puts_(r, ">");
		break;
	case 'I':
		path(r, in_value);
		puts_(r, in_value ? "::<" : "<");
		generic_args(r);
		puts_(r, ">");
		break;
	case 'B':
		backref(r, in_value ? path_value : path_type);
		break;
	default:
		r->bad = true;
	}
	r->depth--;
}

static const char *basic_type(char c)
{
	static const char *const names[26] = {
		"i8", "bool", "char", "f64", "str", "f32", NULL, "u8", "isize", "usize", NULL,
		"i32", "u32", "i128", "u128", "_", NULL, NULL, "i16", "u16", "()", "...", NULL,
		"i64", "u64", "!",
	};

	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

static void fn_sig(struct rust *r)
{
	uint64_t bound = binder(r);

	if (eat(r, 'U'))
		puts_(r, "unsafe ");
	if (eat(r, 'K')) {
		puts_(r, "extern \"");
		if (eat(r, 'C'))
			puts_(r, "C");
		else
			identifier(r, true);
		puts_(r, "\" ");
	}
	puts_(r, "fn(");
	for (bool more = false; !r->bad && !eat(r, 'E'); more = true) {
		if (more)
			puts_(r, ", ");
		type(r);
	}
	puts_(r, ")");
	if (!eat(r, 'u')) {
		puts_(r, " -> ");
		type(r);
	}
	r->bound -= bound;
}

/* A trait of "dyn": its generic arguments stay open for "Name = type". */
static void dyn_trait(struct rust *r)
{
	bool open = false;

	if (peek(r) == 'I') {
		r->pos++;
		path(r, false);
		puts_(r, "<");
		generic_args(r);
		open = true;
	} else {
		path(r, false);
	}
	while (eat(r, 'p')) {
		puts_(r, open ? ", " : "<");
		open = true;
		identifier(r, true);
		puts_(r, " = ");
		type(r);
	}
	if (open)
		puts_(r, ">");
}

static void dyn_type(struct rust *r)
{
	uint64_t bound, life;

	puts_(r, "dyn ");
	bound = binder(r);
	for (bool more = false; !r->bad && !eat(r, 'E'); more = true) {
		if (more)
			puts_(r, " + ");
		dyn_trait(r);
	}
	r->bound -= bound;
	if (!eat(r, 'L')) {
		r->bad = true;
		return;
	}
	life = base62(r);
	if (life) {
		puts_(r, " + ");
		lifetime(r, life);
	}
}

static void tuple(struct rust *r)
{
	unsigned int n = 0;

	puts_(r, "(");
	for (; !r->bad && !eat(r, 'E'); n++) {
		if (n)
			puts_(r, ", ");
		type(r);
	}
	puts_(r, n == 1 ? ",)" : ")");
}

static void reference(struct rust *r, bool mutable)
{
	uint64_t life;

	puts_(r, "&");
	if (eat(r, 'L')) {
		life = base62(r);
		if (life) {
			lifetime(r, life);
			puts_(r, " ");
		}
	}
	if (mutable)
		puts_(r, "mut ");
	type(r);
}

static void type(struct rust *r)
{
	char tag = peek(r);
	const char *basic = basic_type(tag);

	if (r->bad || ++r->depth > DEPTH_MAX) {
		r->bad = true;
		return;
	}
	if (basic) {
		r->pos++;
		puts_(r, basic);
	} else if (tag && strchr("ASTRQPOFDB", tag)) {
		r->pos++;
		switch (tag) {
		case 'A':
		case 'S':
			puts_(r, "[");
			type(r);
			if (tag == 'A') {
				puts_(r, "; ");
				constant(r);
			}
			puts_(r, "]");
			break;
		case 'T':
			tuple(r);
			break;
		case 'R':
		case 'Q':
			reference(r, tag == 'Q');
			break;
		case 'P':
		case 'O':
			puts_(r, tag == 'P' ? "*const " : "*mut ");
			type(r);
			break;
		case 'F':
			fn_sig(r);
			break;
		case 'D':
			dyn_type(r);
			break;
		default:
			backref(r, type);
		}
	} else {
		path(r, false);
	}
	r->depth--;
}

static void constant(struct rust *r)
{
	uint64_t v = 0;
	size_t from;
	char tag;

	if (r->bad || r->depth > DEPTH_MAX) {
		r->bad = true;
		return;
	}
	if (eat(r, 'p')) {
		puts_(r, "_");
		return;
	}
	if (eat(r, 'B')) {
		backref(r, constant);
		return;
	}
	tag = next(r);
	if (r->bad || !basic_type(tag)) {
		r->bad = true;
		return;
	}
	if (eat(r, 'n'))
		puts_(r, "-");
	from = r->pos;
	while (!r->bad && peek(r) != '_') {
		char c = next(r);

		if (is_digit(c))
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			r->bad = true;
	}
	if (r->bad)
		return;
	if (tag == 'b') {
		puts_(r, v ? "true" : "false");
	} else if (r->pos - from > 16) {
		puts_(r, "0x");
		put(r, r->in + from, r->pos - from);
	} else if (tag == 'c') {
		puts_(r, "'");
		if (v < ' ' || v == 127)
			v = '?';
		put_char(r, (uint32_t)v);
		puts_(r, "'");
	} else {
		put_u64(r, v);
	}
	r->pos++;
}

static char *demangle_v0(const char *name, size_t len)
{
	struct rust r = { .in = name + 2, .len = len - 2 };
	const char *suffix = memchr(r.in, '.', r.len);

	if (suffix)
		r.len = (size_t)(suffix - r.in);
	path(&r, true);
	/* the crate where a generic function was made */
	if (!r.bad && r.pos < r.len) {
		r.quiet++;
		path(&r, false);
		r.quiet--;
	}
	if (!r.bad && r.pos == r.len && r.n)
		return r.out;
	free(r.out);
	return NULL;
}

/* "17h" and 16 hexadecimal digits end an older name: "E" is behind them. */
static bool has_hash(const char *name, size_t len)
{
	const char *h = name + len - 20;

	if (len < 24 || memcmp(h, "17h", 3) || name[len - 1] != 'E')
		return false;
	for (int i = 3; i < 19; i++)
		if (!is_digit(h[i]) && (h[i] < 'a' || h[i] > 'f'))
			return false;
	return true;
}

/* "$LT$" and the like; returns bytes read, 0 for none */
static size_t escape(struct rust *r, const char *s, size_t len)
{
	static const struct {
		const char *from, *to;
	} table[] = {
		{ "$SP$", "@" }, { "$BP$", "*" }, { "$RF$", "&" }, { "$LT$", "<" },
		{ "$GT$", ">" }, { "$LP$", "(" }, { "$RP$", ")" }, { "$C$", "," },
	};
	uint32_t c = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		size_t n = strlen(table[i].from);

		if (len >= n && !memcmp(s, table[i].from, n)) {
			puts_(r, table[i].to);
			return n;
		}
	}
	if (len < 4 || s[1] != 'u')
		return 0;
	for (i = 2; i < len && i < 8 && s[i] != '$'; i++) {
		if (is_digit(s[i]))
			c = c << 4 | (uint32_t)(s[i] - '0');
		else if (s[i] >= 'a' && s[i] <= 'f')
			c = c << 4 | (uint32_t)(s[i] - 'a' + 10);
		else
			return 0;
	}
	if (i == 2 || i >= len || s[i] != '$' || c < ' ' || c == 127)
		return 0;
	put_char(r, c);
	return i + 1;
}

static void legacy_part(struct rust *r, const char *s, size_t len)
{
	size_t i = 0, n;

	/* "_$LT$": the underscore only makes it an identifier */
	if (len > 1 && s[0] == '_' && s[1] == '$')
		i = 1;
	while (i < len) {
		if (s[i] == '.' && i + 1 < len && s[i + 1] == '.') {
			puts_(r, "::");
			i += 2;
			continue;
		}
		n = s[i] == '$' ? escape(r, s + i, len - i) : 0;
		if (!n)
			put(r, s + i, 1);
		i += n ? n : 1;
	}
}

static char *demangle_legacy(const char *name, size_t len)
{
	/* without "_ZN", and without "17h...E" */
	struct rust r = { .in = name + 3, .len = len - 3 - 20 };

	while (!r.bad && r.pos < r.len) {
		uint64_t n = decimal(&r);

		if (r.bad || !n || n > r.len - r.pos) {
			r.bad = true;
			break;
		}
		if (r.n)
			puts_(&r, "::");
		legacy_part(&r, r.in + r.pos, n);
		r.pos += n;
	}
	if (!r.bad && r.n)
		return r.out;
	free(r.out);
	return NULL;
}

char *rust_demangle(const char *name, size_t len)
{
	const char *suffix;

	if (len > 2 && name[0] == '_' && name[1] == 'R')
		return demangle_v0(name, len);
	if (len < 4 || memcmp(name, "_ZN", 3))
		return NULL;
	/* ".llvm.1234" */
	suffix = memmem(name, len, ".llvm.", 6);
	if (suffix)
		len = (size_t)(suffix - name);
	return has_hash(name, len) ? demangle_legacy(name, len) : NULL;
}
