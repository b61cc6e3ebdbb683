// SPDX-License-Identifier: GPL-2.0
/* Strings and structure of JSON. See json.h. */
#include "json.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>

void json_text(struct strbuf *b, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	strbuf_putc(b, '"');
	while (*p) {
		size_t n = text_utf8_len(p);

		if (!n)
			strbuf_addf(b, "\\u%04x", *p);
		else if (*p == '"' || *p == '\\')
			strbuf_addf(b, "\\%c", *p);
		else
			strbuf_add(b, p, n);
		p += n ? n : 1;
	}
	strbuf_putc(b, '"');
}

static void json_put(struct json *j, const char *text)
{
	struct strbuf b = { 0 };

	json_text(&b, text);
	fwrite(b.s, 1, b.len, j->out);
	strbuf_free(&b);
}

static void json_key(struct json *j, const char *key)
{
	if (j->items[j->depth])
		fputs(", ", j->out);
	j->items[j->depth] = true;
	if (key) {
		json_put(j, key);
		fputs(": ", j->out);
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	json_key(j, key);
	fputc(bracket, j->out);
	if (j->depth + 1 < ARRAY_SIZE(j->items))
		j->depth++;
	j->items[j->depth] = false;
}

void json_close(struct json *j, char bracket)
{
	fputc(bracket, j->out);
	j->depth--;
}

void json_string(struct json *j, const char *key, const char *v)
{
	json_key(j, key);
	json_put(j, v);
}

void json_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	fprintf(j->out, "%" PRIu64, v);
}

void json_i64(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	fprintf(j->out, "%" PRId64, v);
}

void json_double(struct json *j, const char *key, double v, int digits)
{
	json_key(j, key);
	if (isfinite(v))
		fprintf(j->out, "%.*f", digits, v);
	else
		fputs("null", j->out);
}

void json_bool(struct json *j, const char *key, bool v)
{
	json_key(j, key);
	fputs(v ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
	json_key(j, key);
	fputs("null", j->out);
}

void json_end_line(struct json *j)
{
	fputc('\n', j->out);
	j->items[j->depth] = false;
}
