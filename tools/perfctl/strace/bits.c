// SPDX-License-Identifier: GPL-2.0
/* Names of values. See bits.h. */
#include "bits.h"

#include <inttypes.h>

void bits_put(struct strbuf *b, uint64_t v, const struct bit *bits, size_t n, const char *none)
{
	bool some = false;

	for (size_t i = 0; i < n; i++) {
		if (!bits[i].value || (v & bits[i].value) != bits[i].value)
			continue;
		strbuf_addf(b, "%s%s", some ? "|" : "", bits[i].name);
		v &= ~bits[i].value;
		some = true;
	}
	if (v)
		strbuf_addf(b, "%s0x%" PRIx64, some ? "|" : "", v);
	else if (!some)
		strbuf_puts(b, none);
}

void bits_put_one(struct strbuf *b, uint64_t v, const struct bit *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (values[i].value == v) {
			strbuf_puts(b, values[i].name);
			return;
		}
	strbuf_addf(b, "%" PRId64, (int64_t)v);
}
