// SPDX-License-Identifier: GPL-2.0
/*
 * Texts of filters: by the grammar, of fields that the event has or not, and sometimes with
 * a byte that is not.
 */
#include <linux/pev.h>
#include <stdarg.h>
#include <string.h>
#include "fuzz.h"

struct text {
	size_t len;
	char at[PEV_MAX_FILTER + 64];
};

static __attribute__((format(printf, 2, 3))) void put(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->len += vsnprintf(t->at + t->len, sizeof(t->at) - t->len, format, args);
	va_end(args);
	if (t->len >= sizeof(t->at))
		t->len = sizeof(t->at) - 1;
}

/* clang-format off */
static const char *const numbers[] = {
	"common_pid", "common_tgid", "common_cgroup", "cpu", "common_cpu", "common_ip", "pid", "id",
	"ret", "fd", "count", "prio", "next_pid", "sig", "number", "length", "place", "faults", "dfd",
	"common_type", "nothing", "faulty", "texts",
};
static const char *const texts[] = {
	"comm", "COMM", "next_comm", "filename", "text", "name", "parent_comm", "args",
};
static const char *const of_numbers[] = { "==", "!=", "<", "<=", ">", ">=", "&", "~", "=" };
static const char *const of_texts[] = { "==", "!=", "~", "<" };
static const char *const patterns[] = {
	"*", "f*", "*zz*", "*z", "?uzz", "[a-z]*", "[!a-f]*", "fuzz", "!f*", "\\*", "[", "f[u]z*?", "",
	"*a*b*c*d*", "????????????????????", "*u*z*", "*[t-v]*[!a]", "*z[", "*[!f]z", "[]f-h]*", "*\\zz",
	"f?*u*", "*[a-", "[f][u]zz",
};
static const char *const lists[] = { "0", "0-2", "1,2", "0-1,2-2", "0-63", "3-1", "99999", "", "1-", "a" };
/* clang-format on */

#define ANY(r, list) list[below(r, ARRAY_SIZE(list))]

static void put_number(struct text *t, struct rng *r)
{
	uint64_t value = one_in(r, 3) ? strange(r) : below(r, 100);

	if (one_in(r, 4))
		put(t, "-");
	switch (below(r, 6)) {
	case 0:
		put(t, "%#llx", (llu)value);
		break;
	case 1:
		put(t, "%#llo", (llu)value);
		break;
	case 2:
		put(t, "%llu%llu", (llu)value, (llu)value);
		break;
	default:
		put(t, "%lld", (long long)value);
	}
}

static void put_test(struct text *t, struct rng *r)
{
	char quote = one_in(r, 4) ? '\'' : '"';

	switch (below(r, 5)) {
	case 0:
		put(t, "%s %s %c%s%c", ANY(r, texts), ANY(r, of_texts), quote, ANY(r, patterns),
		    quote);
		break;
	case 1:
		put(t, "%s %s CPUS{%s}", one_in(r, 4) ? ANY(r, numbers) : "CPU",
		    one_in(r, 2) ? "&" :
		    one_in(r, 2) ? "==" :
				   "!=",
		    ANY(r, lists));
		break;
	default:
		put(t, "%s %s ", ANY(r, numbers), ANY(r, of_numbers));
		put_number(t, r);
	}
}

static void put_all(struct text *t, struct rng *r, unsigned int depth)
{
	unsigned int n = 1 + below(r, 3);

	while (n--) {
		while (one_in(r, 6))
			put(t, "!");
		if (depth && one_in(r, 3)) {
			put(t, "(");
			put_all(t, r, depth - 1);
			put(t, ")");
		} else {
			put_test(t, r);
		}
		if (n)
			put(t, one_in(r, 2) ? " && " : " || ");
	}
}

const char *filter_text(struct rng *r)
{
	static __thread struct text t;
	unsigned int i;

	t.len = 0;
	if (one_in(r, 16)) {
		for (i = below(r, 40); i; i--)
			put(&t, "(");
		put_test(&t, r);
		return t.at;
	}
	put_all(&t, r, 2);
	if (one_in(r, 6))
		t.at[below(r, t.len)] = 1 + below(r, 255);
	if (one_in(r, 32))
		while (t.len < PEV_MAX_FILTER) {
			put(&t, " || ");
			put_test(&t, r);
		}
	return t.at;
}
