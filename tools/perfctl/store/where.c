// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions on labels. All that the user typed gets into SQL as literals: columns, tables and
 * operators are taken from the lists here.
 */
#include "where.h"
#include "sql.h"
#include "tables.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#define DEPTH_MOST 32

/**
 * struct label - what a name in an expression is asked of
 * @column: of pev_rows
 * @table:  whose ids these are
 * @kind:   in pev_names, 0: another table
 * @text:   column of @table
 */
static const struct label {
	const char *name;
	const char *column;
	enum store_table table;
	enum store_name kind;
	const char *text;
} labels[] = {
	{ "host", "host", STORE_NAMES, STORE_HOST, "name" },
	{ "service", "service", STORE_NAMES, STORE_SERVICE, "name" },
	{ "version", "service", STORE_NAMES, STORE_SERVICE, "more" },
	{ "event", "event", STORE_NAMES, STORE_EVENT, "name" },
	{ "program", "stack", STORE_STACKS, 0, "program" },
};

struct parser {
	const char *expr;
	const char *p;
	const char *suffix;
	const char *days;
	struct strbuf *sql;
	struct msg *m;
	unsigned int depth;
};

static int refuse(const struct parser *p, const char *want)
{
	return msg_set(p->m, -EINVAL,
		       "--where: %s is expected at \"%.40s\", as in: "
		       "service = \"db\" and host ~ \"eu-.*\"",
		       want, *p->p ? p->p : "the end");
}

static void skip_space(struct parser *p)
{
	while (isspace((unsigned char)*p->p))
		p->p++;
}

static bool take(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	skip_space(p);
	if (strncmp(p->p, word, len) ||
	    (isalpha((unsigned char)*word) && isalnum((unsigned char)p->p[len])))
		return false;
	p->p += len;
	return true;
}

static const struct label *take_label(struct parser *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
		if (take(p, labels[i].name))
			return &labels[i];
	return NULL;
}

/* In quotes of either kind; a backslash takes away the meaning of the next sign. */
static int take_text(struct parser *p, struct strbuf *text)
{
	char quote;

	skip_space(p);
	quote = *p->p;
	if (quote != '"' && quote != '\'')
		return refuse(p, "a text in quotes");
	strbuf_add(text, "", 0);
	for (p->p++; *p->p != quote; p->p++) {
		/* of a regular expression the other backslashes are part */
		if (*p->p == '\\' && (p->p[1] == quote || p->p[1] == '\\'))
			strbuf_putc(text, *++p->p == '\\' ? '\\' : quote);
		else if (*p->p)
			strbuf_putc(text, *p->p);
		else
			return refuse(p, "the quote that ends a text");
	}
	p->p++;
	return 0;
}

static void put_test(struct parser *p, const struct label *l, bool not_, bool pattern,
		     const char *text)
{
	struct strbuf whole = { 0 };

	strbuf_addf(p->sql, "%s GLOBAL %sIN (SELECT id FROM %s%s WHERE %s AND ", l->column,
		    not_ ? "NOT " : "", store_table_name(l->table), p->suffix, p->days);
	if (l->kind)
		strbuf_addf(p->sql, "kind = %d AND ", l->kind);
	if (pattern) {
		/* all of the name, as in Prometheus */
		strbuf_addf(&whole, "^(?:%s)$", text);
		strbuf_addf(p->sql, "match(%s, ", l->text);
		sql_text(p->sql, whole.s);
		strbuf_puts(p->sql, "))");
	} else {
		strbuf_addf(p->sql, "%s = ", l->text);
		sql_text(p->sql, text);
		strbuf_puts(p->sql, ")");
	}
	strbuf_free(&whole);
}

static int test(struct parser *p)
{
	const struct label *l = take_label(p);
	struct strbuf text = { 0 };
	bool not_, pattern;
	int err;

	if (!l)
		return refuse(p, "host, service, version, event or program");
	not_ = take(p, "!");
	pattern = take(p, "~");
	if (!pattern && !take(p, "="))
		return refuse(p, "=, !=, ~ or !~");
	err = take_text(p, &text);
	if (!err)
		put_test(p, l, not_, pattern, text.s ? text.s : "");
	strbuf_free(&text);
	return err;
}

static int any_of(struct parser *p);

static int one(struct parser *p)
{
	int err;

	if (!take(p, "("))
		return test(p);
	if (++p->depth > DEPTH_MOST)
		return msg_set(p->m, -EINVAL, "--where: more than %d parentheses are open",
			       DEPTH_MOST);
	err = any_of(p);
	if (!err && !take(p, ")"))
		err = refuse(p, "and, or, or a closing parenthesis");
	p->depth--;
	return err;
}

static int all_of(struct parser *p)
{
	int err = one(p);

	while (!err && take(p, "and")) {
		strbuf_puts(p->sql, " AND ");
		err = one(p);
	}
	return err;
}

static int any_of(struct parser *p)
{
	int err;

	strbuf_puts(p->sql, "(");
	err = all_of(p);
	while (!err && take(p, "or")) {
		strbuf_puts(p->sql, " OR ");
		err = all_of(p);
	}
	strbuf_puts(p->sql, ")");
	return err;
}

int where_sql(const char *expr, const char *suffix, const char *days, struct strbuf *sql,
	      struct msg *m)
{
	struct parser p = {
		.expr = expr, .p = expr, .suffix = suffix, .days = days, .sql = sql, .m = m
	};
	int err = any_of(&p);

	skip_space(&p);
	if (!err && *p.p)
		err = refuse(&p, "and, or, or the end");
	return err;
}
