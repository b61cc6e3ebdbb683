// SPDX-License-Identifier: GPL-2.0
/*
 * Throws expressions that are nearly right at the parser, and records whose location words
 * say anything at the programs. All memory is as large as it has to be, so that the address
 * sanitizer sees what reads beyond.
 */
#include <time.h>
#include "filter/generate_test.h"
#include "filter/parse.h"
#include "filter/program.h"

static const struct pev_filter_scope scope = { .find = made_find, .pid_ns = &init_pid_ns };

static const char * const tokens[] = {
	"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "array", "loc", "rel", "cpus",
	"COMM", "CPU", "common_pid", "common_tgid", "common_cgroup", "common_ip", "stacktrace",
	"==", "!=", "<", "<=", ">", ">=", "&", "~", "&&", "||", "!", "(", ")", "((", "))",
	"\"", "'", "'a*'", "'*a'", "'*'", "''", "'[a-'", "'[!]'", "'\\'", "'*a*b?'", "\"[]-]\"",
	"CPUS", "CPUS{", "}", "CPUS{0-3}", "CPUS{7}", "CPUS{0-99}", "CPUS{}",
	"0", "1", "-1", "0x", "0xffffffffffffffff", "-9223372036854775808", "256", ".ustring",
	".function", " ", "\t", "\xff",
};

static void soup(struct made *m)
{
	u32 nr = 1 + made_random(m, 40);

	m->len = 0;
	while (nr--)
		made_print(m, "%s", tokens[made_random(m, ARRAY_SIZE(tokens))]);
}

/* Characters of an expression that was right go, come or change. */
static void damage(struct made *m)
{
	u32 nr = made_random(m, 4);

	made_next(m);
	while (nr-- && m->len) {
		u32 at = made_random(m, m->len);

		switch (made_random(m, 3)) {
		case 0:
			memmove(m->expr + at, m->expr + at + 1, m->len-- - at);
			break;
		case 1:
			m->expr[at] = 1 + made_random(m, 255);
			break;
		default:
			m->expr[at] = "()!&|'\"*[0-"[made_random(m, 11)];
			break;
		}
	}
	m->expr[m->len] = '\0';
}

static void wrong(const struct made *m, const char *what)
{
	printf("# %s: %s\n", what, m->expr);
	printf("not ok - programs of generated expressions\n");
	exit(1);
}

static void check_program(const struct made *m, const struct pev_program *p)
{
	for (u32 i = 0; i < p->nr; i++) {
		const struct pev_test *t = &p->tests[i];

		if ((t->yes <= i || t->yes >= p->nr) && t->yes < PEV_FILTER_NO)
			wrong(m, "a jump back or out");
		if ((t->no <= i || t->no >= p->nr) && t->no < PEV_FILTER_NO)
			wrong(m, "a jump back or out");
	}
	if (!p->nr)
		wrong(m, "no tests");
}

static void judge(struct made *m, const struct pev_program *p)
{
	u32 size = made_random(m, 4) ? sizeof(m->record) : made_random(m, 300);
	struct pev_occurrence o = { .size = size };
	u8 *record = malloc(size);

	for (u32 i = 0; i < size; i++)
		record[i] = made_random(m, 4) ? "ab\0"[made_random(m, 3)] : made_random(m, 256);
	o.record = record;
	pev_program_passes(p, &o);
	free(record);
}

/* Return: was it an expression? */
static bool try(struct made *m)
{
	struct pev_filter_mistake why = { .pos = ~0U };
	char *expr = strdup(m->expr);
	struct pev_program *p = pev_filter_parse(expr, &scope, &why);
	bool parsed = !IS_ERR(p);

	if (parsed) {
		check_program(m, p);
		for (u32 i = 0; i < 4; i++)
			judge(m, p);
		kvfree(p);
	} else if (why.pos > strlen(expr) || !*why.text) {
		wrong(m, "a mistake without place or reason");
	}
	free(expr);
	return parsed;
}

int main(void)
{
	const char *seconds = getenv("FUZZ_SECONDS");
	time_t end = time(NULL) + (seconds ? atoi(seconds) : 5);
	struct made m = { .seed = 7777777, .task = current };
	u64 tries = 0, parsed = 0;
	bool fine;

	if (seconds)
		m.seed += end;
	while (tries < 100000 || time(NULL) < end) {
		if (made_random(&m, 2))
			soup(&m);
		else
			damage(&m);
		parsed += try(&m);
		tries++;
	}
	printf("# %llu expressions, of which %llu were right\n", tries, parsed);
	/* both kinds were tried */
	fine = parsed > tries / 100 && parsed < tries / 4 * 3;
	printf("%sok - generated expressions end in a program or a reason\n", fine ? "" : "not ");
	return !fine;
}
