// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the kernel's functions from the text of /proc/kallsyms as recorded. */
#include <string.h>
#include "names/kallsyms.h"

/* The kernel always writes this many digits, so that the type has a fixed place. */
#define DIGITS 16
/* What a recorder writes where functions follow that it has left out */
#define END 'e'

/* Returns false for what is not an address. */
static bool address(const char *p, uint64_t *v)
{
	static const uint8_t value[256] = {
		['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7,
		['7'] = 8, ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13,
		['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13,
		['D'] = 14, ['E'] = 15, ['F'] = 16,
	};

	*v = 0;
	for (unsigned int i = 0; i < DIGITS; i++) {
		uint8_t digit = value[(uint8_t)p[i]];

		if (!digit)
			return false;
		*v = *v << 4 | (digit - 1u);
	}
	return true;
}

/**
 * struct parser - state kept from line to line
 * @name:  the module of the last line: they come in runs
 * @owner: its number
 */
struct parser {
	struct symtab		*table;
	uint64_t		*stext;
	int			kernel;
	kallsyms_module_fn	module;
	void			*arg;
	const char		*name;
	int			owner;
};

static int module_owner(struct parser *p, const char *name)
{
	if (!p->name || strcmp(p->name, name)) {
		p->name = name;
		p->owner = p->module(p->arg, name);
	}
	return p->owner;
}

/* "ffffffff81000000 T _text" or "ffffffffc0000000 t init_module\t[ext4]" */
static bool parse_line(struct parser *p, char *line, char *end)
{
	char *name = line + DIGITS + 3, *module, type;
	int owner = p->kernel;
	uint64_t addr;

	/* drop non-functions first, which are half of the lines */
	if (end <= name || line[DIGITS] != ' ' || line[DIGITS + 2] != ' ')
		return true;
	type = line[DIGITS + 1];
	if ((type != 't' && type != 'T' && type != 'w' && type != 'W' && type != END) ||
	    !address(line, &addr) || !addr)
		return true;
	if (type == END)
		return symtab_add(p->table, addr, addr, "", 0, 0, p->kernel, true);
	module = memchr(name, '\t', (size_t)(end - name));
	if (module) {
		*module++ = 0;
		if (module[0] == '[' && end[-1] == ']') {
			end[-1] = 0;
			owner = module_owner(p, module + 1);
		}
	}
	if (!*name)
		return true;
	if (owner == p->kernel && !strcmp(name, "_stext"))
		*p->stext = addr;
	return symtab_add(p->table, addr, 0, name, 0,
			  symtab_rank(name, false, type == 'w' || type == 'W', type == 'T'), owner, true);
}

/* Ends have done what they are for. */
static void drop_ends(struct symtab *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->s.n; i++)
		if (*t->s.p[i].name)
			t->s.p[kept++] = t->s.p[i];
	t->s.n = kept;
}

bool kallsyms_parse(char *text, struct symtab *table, int kernel, uint64_t *stext,
		    kallsyms_module_fn module, void *arg)
{
	struct parser p = { .table = table, .stext = stext, .kernel = kernel,
			    .module = module, .arg = arg };

	while (*text) {
		char *end = strchrnul(text, '\n');
		bool last = !*end;

		*end = 0;
		if (!parse_line(&p, text, end))
			break;
		text = last ? end : end + 1;
	}
	symtab_finish(table);
	drop_ends(table);
	return table->s.n > 0;
}
