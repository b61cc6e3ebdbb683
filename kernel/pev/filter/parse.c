// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the language of filters: makes a program of an expression. Must not know events.
 *
 *	or:    and { "||" and }
 *	and:   not { "&&" not }
 *	not:   { "!" } ( "(" or ")" | test )
 *	test:  name operator value
 *
 * It is read once, without recursion. Where a test goes on is not known yet when it is
 * read, so it goes on at labels: numbers that stand for a later test, or for another label.
 * All that is built has a bound that follows from the length of the expression.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "parse.h"
#include "program.h"

enum operator { OP_EQ, OP_NE, OP_LE, OP_LT, OP_GE, OP_GT, OP_BAND, OP_GLOB, OP_NONE };

/* Those that begin as another one come before it. */
static const char * const ops[OP_NONE] = {
	[OP_EQ] = "==", [OP_NE] = "!=", [OP_LE] = "<=", [OP_LT] = "<",
	[OP_GE] = ">=", [OP_GT] = ">", [OP_BAND] = "&", [OP_GLOB] = "~",
};

/* Labels that are there from the beginning. */
enum { LABEL_YES, LABEL_NO };

/* What a test takes besides the characters of a pattern, for a number, and for a string. */
#define TEST_STEPS	4
#define TEXT_STEPS	8

/* In the table of labels: this one is another label. */
#define IS_LABEL	BIT(31)

/**
 * struct level - a pair of parentheses, or the whole expression
 * @begin: where it is in the text
 * @yes:   label at which it goes on if it holds
 * @no:    the same if it does not
 * @next:  label behind the next "&&"
 * @other: label behind the next "||"
 */
struct level {
	u32	begin;
	u32	yes;
	u32	no;
	u32	next;
	u32	other;
};

/**
 * struct parser - an expression that is being read
 * @expr:   all of it
 * @pos:    what was read
 * @scope:  the caller's
 * @why:    the caller's
 * @nr:     tests so far
 * @tests:  their @yes and @no are labels
 * @nr_labels: labels so far
 * @labels: the test, or the label with IS_LABEL, that each stands for
 * @pool:   patterns and masks so far
 * @used:   bytes of @pool
 * @cost:   characters that patterns may look at
 * @steps:  see struct pev_program, but for @cost
 * @end:    see struct pev_program
 * @depth:  parentheses that are open
 * @levels: they, and the whole expression
 */
struct parser {
	const char			*expr;
	u32				pos;
	const struct pev_filter_scope	*scope;
	struct pev_filter_mistake	*why;
	u32				nr;
	struct pev_test			*tests;
	u32				nr_labels;
	u32				*labels;
	u8				*pool;
	u32				used;
	u32				cost;
	u32				steps;
	u32				end;
	u32				depth;
	struct level			levels[PEV_FILTER_DEPTH + 1];
};

/**
 * struct operand - what a test looks at
 * @name: in the expression
 * @len:  characters of @name
 * @pos:  of @name
 * @shown: @name in a sentence, where it is cut
 * @kind: enum pev_filter_kind
 * @load: enum pev_load
 * @bits: of a number
 * @sign: of a number
 * @field: in the record
 */
struct operand {
	const char		*name;
	int			len;
	u32			pos;
	char			shown[40];
	u8			kind;
	u8			load;
	u8			bits;
	bool			sign;
	struct pev_filter_field	field;
};

__printf(3, 4)
static int mistake(struct parser *p, u32 pos, const char *fmt, ...)
{
	va_list args;

	p->why->pos = pos;
	va_start(args, fmt);
	vscnprintf(p->why->text, sizeof(p->why->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

static char peek(struct parser *p)
{
	while (isspace(p->expr[p->pos]))
		p->pos++;
	return p->expr[p->pos];
}

static bool skip(struct parser *p, const char *token)
{
	size_t len = strlen(token);

	if (strncmp(p->expr + p->pos, token, len))
		return false;
	p->pos += len;
	return true;
}

/* ---- labels ---- */

static u32 new_label(struct parser *p)
{
	return p->nr_labels++;
}

/* The next test is what @label stands for. */
static void place(struct parser *p, u32 label)
{
	p->labels[label] = p->nr;
}

static void alias(struct parser *p, u32 label, u32 other)
{
	p->labels[label] = other | IS_LABEL;
}

static u16 resolve(const struct parser *p, u32 label)
{
	while (p->labels[label] & IS_LABEL)
		label = p->labels[label] & ~IS_LABEL;
	return p->labels[label];
}

static void open_level(struct parser *p, u32 yes, u32 no)
{
	struct level *level = &p->levels[p->depth];

	level->begin = p->pos;
	level->yes = yes;
	level->no = no;
	level->next = new_label(p);
	level->other = new_label(p);
}

static void close_level(struct parser *p)
{
	struct level *level = &p->levels[p->depth];

	alias(p, level->next, level->yes);
	alias(p, level->other, level->no);
}

/* ---- names ---- */

/* What is known of an occurrence of any event. */
static const struct {
	const char	*name;
	u8		kind;
	u8		load;
	u8		bits;
	bool		sign;
} context[] = {
	{ "CPU",		PEV_FILTER_NUMBER, PEV_LOAD_CPU, 32, true },
	{ "cpu",		PEV_FILTER_NUMBER, PEV_LOAD_CPU, 32, true },
	{ "common_cpu",		PEV_FILTER_NUMBER, PEV_LOAD_CPU, 32, true },
	{ "COMM",		PEV_FILTER_ARRAY, PEV_LOAD_COMM },
	{ "comm",		PEV_FILTER_ARRAY, PEV_LOAD_COMM },
	{ "common_pid",		PEV_FILTER_NUMBER, PEV_LOAD_PID, 32, true },
	{ "common_tgid",	PEV_FILTER_NUMBER, PEV_LOAD_TGID, 32, true },
	{ "common_cgroup",	PEV_FILTER_NUMBER, PEV_LOAD_CGROUP, 64 },
	{ "common_ip",		PEV_FILTER_NUMBER, PEV_LOAD_IP, 64 },
};

/* What the tracing file system knows, and pev does not. */
static const char * const foreign[] = {
	"common_type", "common_flags", "common_preempt_count", "stacktrace", "STACKTRACE",
};

static bool is_name(const struct operand *o, const char *name)
{
	return strlen(name) == o->len && !memcmp(name, o->name, o->len);
}

u8 pev_filter_load_of(const struct pev_filter_field *field)
{
	switch (field->size) {
	case 8:
		return PEV_LOAD_64;
	case 4:
		return field->sign ? PEV_LOAD_S32 : PEV_LOAD_U32;
	case 2:
		return field->sign ? PEV_LOAD_S16 : PEV_LOAD_U16;
	default:
		return field->sign ? PEV_LOAD_S8 : PEV_LOAD_U8;
	}
}

static void take_field(struct operand *o)
{
	o->kind = o->field.kind;
	switch (o->kind) {
	case PEV_FILTER_ARRAY:
		o->load = PEV_LOAD_ARRAY;
		break;
	case PEV_FILTER_LOC:
	case PEV_FILTER_CPUS:
		o->load = PEV_LOAD_LOC;
		break;
	case PEV_FILTER_REL_LOC:
		o->load = PEV_LOAD_REL_LOC;
		break;
	default:
		o->load = pev_filter_load_of(&o->field);
		o->bits = o->field.size * 8;
		o->sign = o->field.sign;
		break;
	}
}

static bool take_context(struct operand *o)
{
	for (u32 i = 0; i < ARRAY_SIZE(context); i++) {
		if (!is_name(o, context[i].name))
			continue;
		o->kind = context[i].kind;
		o->load = context[i].load;
		o->bits = context[i].bits;
		o->sign = context[i].sign;
		o->field = (struct pev_filter_field){ .size = TASK_COMM_LEN };
		return true;
	}
	return false;
}

static int find_name(struct parser *p, struct operand *o)
{
	if (p->scope->find(p->scope->from, o->name, o->len, &o->field)) {
		take_field(o);
		if (o->kind == PEV_FILTER_OTHER)
			return mistake(p, o->pos, "%s is neither a number nor a string", o->shown);
		return 0;
	}
	for (u32 i = 0; i < ARRAY_SIZE(foreign); i++) {
		if (is_name(o, foreign[i]))
			return mistake(p, o->pos, "only tracefs has %s", foreign[i]);
	}
	if (!take_context(o))
		return mistake(p, o->pos, "Field not found: \"%s\"", o->shown);
	if (o->load == PEV_LOAD_IP && p->scope->no_ip) {
		mistake(p, o->pos,
			"CAP_PERFMON is needed, by who opens the event and who sets its filter, for common_ip");
		return -EACCES;
	}
	if (o->load == PEV_LOAD_CGROUP && !IS_ENABLED(CONFIG_CGROUPS))
		return mistake(p, o->pos, "this kernel has no cgroups");
	return 0;
}

static int read_name(struct parser *p, struct operand *o)
{
	peek(p);
	o->pos = p->pos;
	o->name = p->expr + p->pos;
	while (isalnum(p->expr[p->pos]) || p->expr[p->pos] == '_')
		p->pos++;
	o->len = p->pos - o->pos;
	if (!o->len)
		return mistake(p, o->pos, "the name of a field is missing");
	snprintf(o->shown, sizeof(o->shown), "%.*s", o->len, o->name);
	if (skip(p, ".ustring"))
		return mistake(p, o->pos + o->len,
			       ".ustring is refused: filters follow no pointers");
	if (skip(p, ".function"))
		return mistake(p, o->pos + o->len,
			       ".function is refused: compare with the function's addresses");
	return find_name(p, o);
}

/* ---- values ---- */

static int add_test(struct parser *p, const struct operand *o, struct pev_test *test,
		    bool opposite)
{
	if (opposite)
		swap(test->yes, test->no);
	test->load = o->load;
	test->offset = o->field.offset;
	test->size = o->field.size;
	p->steps += TEST_STEPS + test->len / sizeof(long);
	if (o->load < PEV_LOAD_CPU || (o->load >= PEV_LOAD_ARRAY && o->load < PEV_LOAD_COMM))
		p->end = max_t(u32, p->end, o->field.offset + o->field.size);
	p->tests[p->nr++] = *test;
	return 0;
}

/* A number of @o: bits that it can have, so that masks can be written for signed ones. */
static int read_number(struct parser *p, const struct operand *o, u64 *value)
{
	const char *text = p->expr + p->pos;
	bool negative = *text == '-';
	u32 pos = p->pos;
	char digits[24];
	u32 len = negative;

	while (isalnum(text[len]))
		len++;
	p->pos += len;
	if (len - negative >= sizeof(digits))
		return mistake(p, pos, "the number is too long");
	memcpy(digits, text + negative, len - negative);
	digits[len - negative] = '\0';
	/* kstrtoull() would take a plus */
	if (!isdigit(*digits) || kstrtoull(digits, 0, value))
		return mistake(p, pos, "this is no number of up to 64 bits");
	if (negative && !o->sign && *value)
		return mistake(p, pos, "%s has no sign", o->shown);
	if (negative ? *value > BIT_ULL(o->bits - 1) : o->bits < 64 && *value >> o->bits)
		return mistake(p, pos, "the number is beyond the %u bits of %s", o->bits,
			       o->shown);
	if (negative)
		*value = -*value;
	if (o->sign)
		*value = sign_extend64(*value, o->bits - 1);
	return 0;
}

/* "<" is the opposite of ">=", as no range is empty then. */
static int number_test(struct parser *p, const struct operand *o, enum operator op,
		       struct pev_test *test)
{
	u64 least = o->sign ? (u64)S64_MIN : 0;
	u64 most = o->sign ? S64_MAX : U64_MAX;
	u64 value = 0;
	int err;

	err = read_number(p, o, &value);
	if (err)
		return err;
	switch (op) {
	case OP_BAND:
		test->check = PEV_CHECK_BITS;
		test->low = value;
		return add_test(p, o, test, false);
	case OP_EQ:
	case OP_NE:
		test->low = value;
		break;
	case OP_GE:
	case OP_LT:
		test->low = value;
		test->span = most - value;
		break;
	default:
		test->low = least;
		test->span = value - least;
		break;
	}
	return add_test(p, o, test, op == OP_NE || op == OP_LT || op == OP_GT);
}

/* The shape of a pattern; what is left of it is the literal to look for. */
static enum pev_check shape(const char **pattern, u32 *len)
{
	bool front, end;
	u32 n = *len;

	if (!n)
		return PEV_CHECK_EQUAL;
	/* a * in front leaves the end open to compare, and the reverse */
	end = **pattern == '*';
	front = n > end && (*pattern)[n - 1] == '*';
	for (u32 i = end; i < n - front; i++)
		if (strchr("*?[\\", (*pattern)[i]))
			return PEV_CHECK_GLOB;
	*pattern += end;
	*len -= end + front;
	if (end && front)
		return PEV_CHECK_MIDDLE;
	return end ? PEV_CHECK_END : front ? PEV_CHECK_FRONT : PEV_CHECK_EQUAL;
}

static int add_cost(struct parser *p, const struct operand *o, const struct pev_test *test)
{
	/* paths are the longest of those whose length is not known */
	u32 text = o->kind == PEV_FILTER_ARRAY ? o->field.size : PATH_MAX;

	if (test->check == PEV_CHECK_MIDDLE || test->check == PEV_CHECK_GLOB)
		p->cost += min_t(u32, text, PEV_FILTER_TEXT) * (test->len + 1U);
	else if (test->check == PEV_CHECK_END)
		p->cost += text;
	return p->cost > PEV_FILTER_COST ? -E2BIG : 0;
}

static int add_text(struct parser *p, const struct operand *o, enum operator op,
		    struct pev_test *test, const char *text, u32 len)
{
	bool opposite = op == OP_NE;

	test->check = PEV_CHECK_EQUAL;
	if (op == OP_GLOB) {
		opposite = len && *text == '!';
		text += opposite;
		len -= opposite;
		test->check = shape(&text, &len);
	}
	test->pool = p->used;
	test->len = len;
	memcpy(p->pool + p->used, text, len);
	p->used += len;
	p->steps += TEXT_STEPS;
	if (add_cost(p, o, test))
		return mistake(p, o->pos,
			       "the patterns may take too long: make them fewer or shorter");
	return add_test(p, o, test, opposite);
}

static int text_test(struct parser *p, const struct operand *o, enum operator op,
		     struct pev_test *test)
{
	const char *text = p->expr + p->pos + 1, *end;
	u32 pos = p->pos;

	if (o->kind == PEV_FILTER_POINTER)
		return mistake(p, o->pos, "%s points to a string, and filters follow no pointers",
			       o->shown);
	if (o->kind == PEV_FILTER_NUMBER || o->kind == PEV_FILTER_CPUS)
		return mistake(p, pos, "%s is no string: Expecting numeric field value",
			       o->shown);
	if (op != OP_EQ && op != OP_NE && op != OP_GLOB)
		return mistake(p, pos, "strings have ==, != and ~ only");
	end = strchr(text, text[-1]);
	if (!end)
		return mistake(p, pos, "the quote is not closed");
	if (end - text > PEV_FILTER_PATTERN)
		return mistake(p, pos, "the string is longer than %u characters",
			       PEV_FILTER_PATTERN);
	p->pos = end + 1 - p->expr;
	return add_text(p, o, op, test, text, end - text);
}

/* ---- sets of CPUs ---- */

static u32 mask_size(void)
{
	return BITS_TO_LONGS(nr_cpu_ids) * sizeof(long);
}

/* Read what is between braces into the pool. */
static int read_cpus(struct parser *p, unsigned long *mask)
{
	u32 pos = p->pos;
	const char *end = strchr(p->expr + pos, '}');
	char *list;
	int err;

	if (!end)
		return mistake(p, pos, "the } of the CPUs is missing");
	list = kmemdup_nul(p->expr + pos, end - (p->expr + pos), GFP_KERNEL_ACCOUNT);
	if (!list)
		return -ENOMEM;
	err = bitmap_parselist(list, mask, nr_cpu_ids);
	kfree(list);
	if (err == -ENOMEM)
		return err;
	if (err || bitmap_empty(mask, nr_cpu_ids))
		return mistake(p, pos,
			       "this is no list of CPUs of this machine, as in CPUS{0-3,6}");
	p->pos = end + 1 - p->expr;
	return 0;
}

/* A number is a set of one CPU: it equals others of one only, and can't be in an empty one. */
static int add_number_cpus(struct parser *p, const struct operand *o, enum operator op,
			   struct pev_test *test, const unsigned long *mask)
{
	test->check = PEV_CHECK_CPU;
	if (op == OP_BAND)
		return add_test(p, o, test, false);
	test->check = PEV_CHECK_RANGE;
	test->low = find_first_bit(mask, nr_cpu_ids);
	test->span = 0;
	if (bitmap_weight(mask, nr_cpu_ids) == 1)
		return add_test(p, o, test, op == OP_NE);
	/* all numbers are in this range */
	test->low = 0;
	test->span = U64_MAX;
	return add_test(p, o, test, op == OP_EQ);
}

static int cpus_test(struct parser *p, const struct operand *o, enum operator op,
		     struct pev_test *test)
{
	u32 at = round_up(p->used, sizeof(long));
	unsigned long *mask = (unsigned long *)(p->pool + at);
	u32 pos = p->pos;
	int err;

	if (o->kind != PEV_FILTER_NUMBER && o->kind != PEV_FILTER_CPUS)
		return mistake(p, pos, "%s is neither a CPU nor a set of CPUs", o->shown);
	if (op != OP_EQ && op != OP_NE && op != OP_BAND)
		return mistake(p, pos, "sets of CPUs have ==, != and & only");
	p->pos += strlen("CPUS");
	if (!skip(p, "{"))
		return mistake(p, p->pos, "the { of the CPUs is missing");
	err = read_cpus(p, mask);
	if (err)
		return err;
	test->pool = at;
	test->len = mask_size();
	p->used = at + test->len;
	if (o->kind == PEV_FILTER_NUMBER)
		return add_number_cpus(p, o, op, test, mask);
	test->check = op == OP_BAND ? PEV_CHECK_CPUS_MEET : PEV_CHECK_CPUS;
	return add_test(p, o, test, op == OP_NE);
}

/* ---- expressions ---- */

static enum operator read_op(struct parser *p)
{
	peek(p);
	for (enum operator op = 0; op < OP_NONE; op++)
		if (skip(p, ops[op]))
			return op;
	return OP_NONE;
}

static int read_test(struct parser *p, u32 yes, u32 no)
{
	struct pev_test test = { .yes = yes, .no = no };
	struct operand o = { };
	enum operator op;
	char c;
	int err;

	err = read_name(p, &o);
	if (err)
		return err;
	op = read_op(p);
	if (op == OP_NONE)
		return mistake(p, p->pos, "Invalid operator: use ==, !=, <, <=, >, >=, & or ~");
	c = peek(p);
	if (c == '"' || c == '\'')
		return text_test(p, &o, op, &test);
	if (!strncmp(p->expr + p->pos, "CPUS", 4))
		return cpus_test(p, &o, op, &test);
	if (!isdigit(c) && c != '-')
		return mistake(p, p->pos, "a number, or a string in quotes, is missing");
	if (o.kind != PEV_FILTER_NUMBER && o.kind != PEV_FILTER_POINTER)
		return mistake(p, p->pos, "%s is no number", o.shown);
	if (op == OP_GLOB)
		return mistake(p, p->pos, "~ is for strings");
	return number_test(p, &o, op, &test);
}

/* Read up to the end of a test. */
static int read_operand(struct parser *p)
{
	bool negated = false;

	for (;;) {
		struct level *level = &p->levels[p->depth];
		u32 yes = level->next, no = level->other;
		char c = peek(p);

		if (c == '!') {
			negated = !negated;
			p->pos++;
			continue;
		}
		if (negated)
			swap(yes, no);
		if (c != '(')
			return read_test(p, yes, no);
		if (p->depth == PEV_FILTER_DEPTH)
			return mistake(p, p->pos, "more than %u '(' in each other",
				       PEV_FILTER_DEPTH);
		p->depth++;
		open_level(p, yes, no);
		p->pos++;
		negated = false;
	}
}

/* Read up to the next operand. Return: 1 at the end of the expression, 0 or an error. */
static int read_operators(struct parser *p)
{
	for (;;) {
		struct level *level = &p->levels[p->depth];
		char c = peek(p);

		if (skip(p, "&&")) {
			place(p, level->next);
			level->next = new_label(p);
			return 0;
		}
		if (skip(p, "||")) {
			alias(p, level->next, level->yes);
			place(p, level->other);
			level->next = new_label(p);
			level->other = new_label(p);
			return 0;
		}
		if (c && c != ')')
			return mistake(p, p->pos, "&& or || is missing");
		if (c && !p->depth)
			return mistake(p, p->pos, "Too few '('");
		if (!c && p->depth)
			return mistake(p, level->begin, "Too many '('");
		close_level(p);
		if (!c)
			return 1;
		p->depth--;
		p->pos++;
	}
}

static int read_all(struct parser *p)
{
	int ret;

	p->labels[LABEL_YES] = PEV_FILTER_YES;
	p->labels[LABEL_NO] = PEV_FILTER_NO;
	p->nr_labels = LABEL_NO + 1;
	open_level(p, LABEL_YES, LABEL_NO);
	do {
		ret = read_operand(p);
		if (!ret)
			ret = read_operators(p);
	} while (!ret);
	return min(ret, 0);
}

static struct pev_program *make_program(const struct parser *p)
{
	struct pev_program *program;
	u8 *pool;

	program = kvmalloc(struct_size(program, tests, p->nr) + p->used, GFP_KERNEL_ACCOUNT);
	if (!program)
		return ERR_PTR(-ENOMEM);
	pool = (u8 *)&program->tests[p->nr];
	memcpy(pool, p->pool, p->used);
	program->nr = p->nr;
	program->end = p->end;
	program->steps = p->steps + p->cost;
	program->pool = pool;
	program->pid_ns = p->scope->pid_ns;
	for (u32 i = 0; i < p->nr; i++) {
		program->tests[i] = p->tests[i];
		program->tests[i].yes = resolve(p, p->tests[i].yes);
		program->tests[i].no = resolve(p, p->tests[i].no);
	}
	return program;
}

/* Bytes of all patterns, which are no longer than the expression, and of all masks. */
static size_t pool_room(const char *expr)
{
	size_t room = strlen(expr);

	while ((expr = strstr(expr, "CPUS"))) {
		room += mask_size() + sizeof(long);
		expr += 4;
	}
	return room;
}

struct pev_program *pev_filter_parse(const char *expr, const struct pev_filter_scope *scope,
				     struct pev_filter_mistake *why)
{
	/* the shortest test is "a>1", and no token makes more than two labels */
	size_t len = strlen(expr), tests = len / 3 + 1, labels = 2 * len + 4;
	struct parser *p __free(kfree) = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	struct pev_test *room __free(kvfree) = kvcalloc(tests, sizeof(*room), GFP_KERNEL_ACCOUNT);
	u32 *table __free(kvfree) = kvcalloc(labels, sizeof(*table), GFP_KERNEL_ACCOUNT);
	u8 *pool __free(kvfree) = kvzalloc(pool_room(expr) + 1, GFP_KERNEL_ACCOUNT);
	int err;

	if (!p || !room || !table || !pool)
		return ERR_PTR(-ENOMEM);
	p->expr = expr;
	p->scope = scope;
	p->why = why;
	p->tests = room;
	p->labels = table;
	p->pool = pool;
	err = read_all(p);
	return err ? ERR_PTR(err) : make_program(p);
}
