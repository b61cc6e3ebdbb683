// SPDX-License-Identifier: GPL-2.0
/*
 * What is asked of a store, and what it answers: whatever was typed, a condition has no literal
 * that its text ended, and as many parentheses as were opened; whatever comes back is read or
 * refused, and becomes a recording that can be parsed.
 */
// FUZZ-SOURCES: tools/perfctl/store/where.c tools/perfctl/store/sql.c tools/perfctl/store/wire.c tools/perfctl/store/answer.c tools/perfctl/store/tables.c tools/perfctl/fleet/places.c tools/perfctl/symbols/names_elf.c tools/perfctl/fleet/ids.c tools/perfctl/base/util.c
// FUZZ-CFLAGS: -iquote tools/perfctl -Iinclude/uapi
// FUZZ-SEEDS: printf 'wservice = "db" and (host ~ "eu-.*" or version != '"'1.2'"')' > "$1/where"; printf "s'; DROP TABLE pev_rows; -- \\\\ " > "$1/sql"; printf 'r0123456701234567012345670123456701234567012345670123' > "$1/rows"; printf 'f01234567\001\002ab\003/an01234567\001x' > "$1/frames"; printf 'y\002ab01234567012345670\001f' > "$1/symbols"; printf 'k01234567\002ab\0010123456701' > "$1/stacks"
// FUZZ-RUNS: 20000
#include "fleet/places.h"
#include "store/sql.h"
#include "store/where.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

/* Reads a literal as ClickHouse does; returns what is behind it. */
static const char *read_literal(const char *p, struct strbuf *text)
{
	if (*p++ != '\'')
		abort();
	for (; *p != '\''; p++) {
		unsigned int byte = (unsigned char)*p;

		if (!byte)
			abort();
		if (*p == '\\') {
			if (p[1] != 'x' || sscanf(p + 2, "%2x", &byte) != 1)
				abort();
			p += 3;
		}
		if (text)
			strbuf_putc(text, (char)byte);
	}
	return p + 1;
}

static void try_sql(const char *s)
{
	struct strbuf sql = { 0 }, back = { 0 };

	sql_text(&sql, s);
	strbuf_add(&back, "", 0);
	if (*read_literal(sql.s, &back) || strcmp(back.s ? back.s : "", s))
		abort();
	strbuf_free(&sql);
	strbuf_free(&back);
}

/* Outside of literals there is nothing but our own words. */
static void try_where(const char *s)
{
	struct strbuf sql = { 0 };
	struct msg m;
	int open = 0;

	if (!where_sql(s, "", "1", &sql, &m)) {
		for (const char *p = sql.s; *p;) {
			if (*p == '\'') {
				p = read_literal(p, NULL);
				continue;
			}
			open += (*p == '(') - (*p == ')');
			if (open < 0 || (!isalnum((unsigned char)*p) && !strchr(" _=(),", *p)))
				abort();
			p++;
		}
		if (open)
			abort();
	}
	strbuf_free(&sql);
}

static void try_answer(char kind, const struct strbuf *b)
{
	struct strbuf kallsyms = { 0 };
	struct answer a = { 0 };
	struct places p;

	switch (kind) {
	case 'r':
		answer_read_rows(&a, b);
		break;
	case 'n':
		answer_read_names(&a, b);
		break;
	case 'k':
		answer_read_stacks(&a, b);
		break;
	case 'y':
		answer_read_symbols(&a, b);
		break;
	default:
		answer_read_frames(&a, b);
	}
	places_make(&p, &a);
	for (size_t i = 0; i < a.n_frames; i++) {
		uint64_t at = places_find(&p, a.frames[i].id);

		/* the kernel's half is for its functions alone */
		if (at >> 63 && answer_frame(&a, a.frames[i].id)->kind != STORE_FRAME_KERNEL)
			abort();
	}
	places_kallsyms(&p, &kallsyms);
	for (size_t i = 0; i < kallsyms.len; i++)
		if (!kallsyms.s[i])
			abort();
	strbuf_free(&kallsyms);
	places_free(&p);
	answer_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf b = { 0 };
	char *text;

	if (!size)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	strbuf_add(&b, data + 1, size - 1);
	if (*data == 's')
		try_sql(text);
	else if (*data == 'w')
		try_where(text);
	else
		try_answer((char)*data, &b);
	strbuf_free(&b);
	free(text);
	return 0;
}
