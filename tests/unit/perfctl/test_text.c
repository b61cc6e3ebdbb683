// SPDX-License-Identifier: GPL-2.0
/* Numbers and names as shown; sizes, hash chains, JSON. */
#include "tests.h"
#include "base/json.h"
#include "base/text.h"

#include <stdlib.h>

static void sizes(void)
{
	uint64_t v;

	OK(!parse_size("64K", &v) && v == 65536, "64K is 65536");
	OK(!parse_size("2MiB", &v) && v == 2097152, "2MiB is 2097152");
	OK(!parse_size("1g", &v) && v == 1073741824, "1g is 1073741824");
	OK(!parse_size("4096", &v) && v == 4096, "a bare number is bytes");
	OK(parse_size("K", &v) && parse_size("1X", &v) && parse_size("-1", &v) &&
	   parse_size("", &v), "no sizes: K, 1X, -1 and nothing");
	OK(parse_size("99999999999999999T", &v), "a size that overflows is refused");
	OK(!parse_u64("0x10", &v) && v == 16, "0x10 is 16");
	OK(parse_u64("12a", &v) && parse_u64("99999999999999999999", &v), "12a and 10^20 are not");
}

static void quoted(void)
{
	static const char data[] = "a\"b\\\n\t\x1b[31m\0007\0x\xc3\xa4\177";
	struct strbuf b = { 0 };

	text_quoted(&b, data, sizeof(data) - 1);
	IS_STR(b.s, "\"a\\\"b\\\\\\n\\t\\33[31m\\0007\\0x\\303\\244\\177\"",
	    "data as a string of C: quotes, escapes, a digit behind a NUL");
	strbuf_reset(&b);
	text_quoted(&b, data, 0);
	IS_STR(b.s, "\"\"", "... of nothing");
	strbuf_free(&b);
}

/* XML can't have U+FFFE and U+FFFF, and terminals turn the direction at U+061C. */
static void no_characters(void)
{
	static const char *const bad[] = { "\xef\xbf\xbe", "\xef\xbf\xbf", "\xd8\x9c", "\xef\xb7\x90",
					   "\xf0\x9f\xbf\xbe", "\xe2\x81\xa0", "\xe2\x81\xaf" };
	static const char *const good[] = { "\xef\xbf\xbd", "\xd8\x9b", "\xef\xb7\x8f", "\xf0\x9f\x98\x80",
					    "\xe2\x81\x9f" };
	struct strbuf b = { 0 };
	bool escaped = true, kept = true;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		strbuf_reset(&b);
		text_name(&b, bad[i]);
		escaped &= b.s[0] == '\\' && b.len == 4 * strlen(bad[i]);
	}
	OK(escaped, "bytes that are not characters are escaped");
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		strbuf_reset(&b);
		text_name(&b, good[i]);
		kept &= !strcmp(b.s, good[i]);
	}
	OK(kept, "... its neighbours are not");
	strbuf_free(&b);
}

static void chains(void)
{
	struct strtab t = { 0 };
	bool same = true;
	char name[16];

	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		same &= strtab_id(&t, name) == (uint32_t)i;
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		same &= strtab_id(&t, name) == (uint32_t)i && !strcmp(strtab_get(&t, (uint32_t)i), name);
	}
	OK(same, "5000 strings keep their numbers");
	strtab_free(&t);
}

static void globs(void)
{
	static const struct {
		const char *globs, *s;
		bool match;
	} cases[] = {
		{ "read", "read", true },
		{ "read", "readv", false },
		{ "readv", "read", false },
		{ "open,read", "read", true },
		{ "open,read,write", "open", true },
		{ "open,read", "open,read", false },
		{ "open*,read", "openat", true },
		{ "read,open*", "openat", true },
		{ "open*,read", "read", true },
		{ "open*,read", "reader", false },
		{ "op?n,x", "open", true },
		{ "[rw]*,x", "write", true },
		{ "\\*,x", "*", true },
		{ "\\*,x", "y", false },
		{ ",,read,", "read", true },
		{ "read,", "", false },
		{ "", "", false },
		{ "*", "", true },
	};

	OK(glob_match("sched:*", "sched:sched_switch"), "sched:* matches sched:sched_switch");
	OK(!glob_match("sched:*", "irq:irq_entry"), "sched:* does not match irq:irq_entry");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		OK(globs_match(cases[i].globs, cases[i].s) == cases[i].match, "\"%s\" %s \"%s\"",
		   cases[i].globs, cases[i].match ? "matches" : "does not match", cases[i].s);
}

void test_util(void)
{
	sizes();
	quoted();
	no_characters();
	chains();
	globs();
}

static const char *named(const char *s)
{
	static char buf[256];

	return text_safe(buf, sizeof(buf), s);
}

static void names(void)
{
	struct strbuf b = { 0 };
	char tiny[6];

	IS_STR(named("plain"), "plain", "a plain name stays");
	IS_STR(named("\033[31mred"), "\\x1b[31mred", "an escape is shown, not sent");
	IS_STR(named("a\nb\tc\177"), "a\\x0ab\\x09c\\x7f", "newline, tab, delete");
	IS_STR(named("gr\303\274n"), "gr\303\274n", "UTF-8 stays");
	IS_STR(named("\302\233x"), "\\xc2\\x9bx", "a C1 control in UTF-8 is shown");
	IS_STR(named("\300\257"), "\\xc0\\xaf", "an overlong form is shown");
	IS_STR(named("\342\200\256x"), "\\xe2\\x80\\xaex", "a direction override is shown");
	IS_STR(named("\303"), "\\xc3", "a cut sequence is shown");
	text_safe(tiny, sizeof(tiny), "ab\033c");
	IS_STR(tiny, "ab", "what has no room is left out whole");
	text_name(&b, "\033x");
	IS_STR(b.s, "\\x1bx", "the growing form does the same");
	strbuf_free(&b);
	IS_NUM(text_width("gr\303\274n"), 4, "width counts characters");
}

static void json(void)
{
	char *s = NULL;
	size_t n = 0;
	struct json j = { .out = open_memstream(&s, &n) };

	json_open(&j, NULL, '{');
	json_string(&j, "a\"b", "x\\\n\377");
	json_open(&j, "list", '[');
	json_u64(&j, NULL, 18446744073709551615ull);
	json_i64(&j, NULL, -1);
	json_close(&j, ']');
	json_double(&j, "d", 0.5, 2);
	json_double(&j, "nan", 0.0 / 0.0, 2);
	json_bool(&j, "t", true);
	json_close(&j, '}');
	fclose(j.out);
	IS_STR(s, "{\"a\\\"b\": \"x\\\\\\u000a\\u00ff\", \"list\": [18446744073709551615, -1], "
		  "\"d\": 0.50, \"nan\": null, \"t\": true}", "JSON is escaped and separated");
	free(s);
}

static void json_bytes(void)
{
	struct strbuf b = { 0 };
	char all[256];
	bool plain = true;

	for (int i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	all[255] = 0;
	json_text(&b, all);
	for (size_t i = 0; i < b.len; i++)
		plain &= b.s[i] >= 0x20 && b.s[i] < 0x7f;
	OK(plain, "each byte that is no text alone becomes ASCII in JSON");
	strbuf_reset(&b);
	json_text(&b, "gr\303\274n \303 \342\200\256");
	IS_STR(b.s, "\"gr\303\274n \\u00c3 \\u00e2\\u0080\\u00ae\"",
	       "... UTF-8 stays, unless it is cut or turns the direction");
	strbuf_free(&b);
}

static void base_names(void)
{
	static const struct {
		const char *name, *base;
	} tries[] = {
		{ "main", "main" },
		{ "foo.isra.0", "foo.isra.0" },
		{ "divs(int, int)", "divs" },
		{ "ns::Map<int, std::less<int> >::find(int const&) const", "find" },
		{ "int ns::twice<int>(int)", "twice" },
		{ "(anonymous namespace)::work(char const*)", "work" },
		{ "void (anonymous namespace)::Box<int>::put<long>(long)", "put" },
		{ "ns::Box::operator()(int) const", "operator()" },
		{ "operator<<(std::ostream&, int)", "operator<<" },
		{ "Box::operator->() const", "operator->" },
		{ "main::{lambda(int)#1}::operator()(int) const", "operator()" },
		{ "alloc::vec::Vec<T,A>::push", "push" },
		{ "run(int) [clone .isra.0]", "run" },
		{ "Box::~Box()", "~Box" },
		{ "broken<(", "broken" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		struct strbuf b = { 0 };

		text_base_name(&b, tries[i].name);
		IS_STR(b.s, tries[i].base, tries[i].name);
		strbuf_free(&b);
	}
}

static void short_names(void)
{
	static const struct {
		const char *name, *brief;
	} tries[] = {
		{ "main", "main" },
		{ "foo.isra.0", "foo.isra.0" },
		{ "divs(int, int)", "divs" },
		{ "int ns::Map<int>::hash<long>(char const*) const", "ns::Map<>::hash<>" },
		{ "std::vector<int, std::allocator<int> >::push_back(int&&)",
		  "std::vector<>::push_back" },
		{ "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, int)",
		  "std::operator<<<>" },
		{ "bool operator==<char>(A<char> const&, A<char> const&)", "operator==<>" },
		{ "std::function<void ()>::operator()() const", "std::function<>::operator()" },
		{ "Box::operator->() const", "Box::operator->" },
		{ "Box::operator unsigned long() const", "Box::operator unsigned long" },
		{ "Box::operator Map<int>() const", "Box::operator Map<>" },
		{ "operator new(unsigned long)", "operator new" },
		{ "(anonymous namespace)::work(char const*)", "(anonymous namespace)::work" },
		{ "f(int)::{lambda(int)#1}::operator()(int) const",
		  "f::{lambda(int)#1}::operator()" },
		{ "non-virtual thunk to A<int>::f()", "non-virtual thunk to A<>::f" },
		{ "decltype(auto) ns::f<int>(int)", "ns::f<>" },
		{ "run(int) [clone .isra.0]", "run [clone .isra.0]" },
		{ "main.(*T).Method", "main.(*T).Method" },
		{ "<T as core::Trait<X>>::next", "<T as core::Trait<X>>::next" },
		{ "core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place<>" },
		{ "my_operator(int)", "my_operator" },
		{ "[unknown]", "[unknown]" },
		{ "broken<(", "broken<>" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		struct strbuf b = { 0 };

		text_short_name(&b, tries[i].name);
		IS_STR(b.s, tries[i].brief, tries[i].name);
		strbuf_free(&b);
	}
}

void test_text(void)
{
	struct strbuf b = { 0 };
	char buf[32];

	names();
	json_bytes();
	IS_STR(text_count(buf, 0), "0", "0");
	IS_STR(text_count(buf, 999), "999", "999");
	IS_STR(text_count(buf, 1000), "1,000", "1,000");
	IS_STR(text_count(buf, 18446744073709551615ull), "18,446,744,073,709,551,615", "2^64-1");
	IS_STR(text_bytes(buf, 1536), "1.5 KiB", "1.5 KiB");
	IS_STR(text_bytes(buf, 17), "17 B", "17 B");
	IS_STR(text_ns(buf, 1500000), "1.50 ms", "1.50 ms");
	text_csv(&b, "a,b", ",");
	IS_STR(b.s, "\"a,b\"", "a CSV cell with the separator is quoted");
	strbuf_reset(&b);
	text_csv(&b, "a\"b", ";");
	IS_STR(b.s, "\"a\"\"b\"", "a quote in a CSV cell is doubled");
	strbuf_free(&b);
	json();
	base_names();
	short_names();
}
