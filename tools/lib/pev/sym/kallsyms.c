// SPDX-License-Identifier: LGPL-2.1-only
/* The kernel's functions, from the text of /proc/kallsyms as recorded. */
#include "internal.h"

#include <stdio.h>

/* The kernel writes as many digits, so that the type stands where it always does. */
#define DIGITS 16

/* False: what begins there is no address. */
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
 * struct module_cache - the module of the last line: they come in runs
 */
struct module_cache {
	const char *name;
	int owner;
};

static int module_owner(struct pev_syms *s, struct module_cache *c, const char *name)
{
	static const struct build_id none;
	char path[300];

	if (c->name && !strcmp(c->name, name))
		return c->owner;
	snprintf(path, sizeof(path), "[%s]", name);
	c->name = name;
	c->owner = syms_add(s, path, PEV_SYM_KIND_MODULE, &none);
	if (c->owner < 0)
		c->owner = PEV_SYM_KERNEL;
	syms_object(s, c->owner)->loaded = true;
	return c->owner;
}

/* "ffffffff81000000 T _text" or "ffffffffc0000000 t init_module\t[ext4]" */
static bool parse_line(struct pev_syms *s, struct symtab *t, char *line, char *end,
		       struct module_cache *c)
{
	char *name = line + DIGITS + 3, *module, type;
	int owner = PEV_SYM_KERNEL;
	uint64_t addr;

	/* what is no function, which is half of it, goes first */
	if (end <= name || line[DIGITS] != ' ' || line[DIGITS + 2] != ' ')
		return true;
	type = line[DIGITS + 1];
	if ((type != 't' && type != 'T' && type != 'w' && type != 'W') ||
	    !address(line, &addr) || !addr)
		return true;
	module = memchr(name, '\t', (size_t)(end - name));
	if (module) {
		*module++ = 0;
		if (module[0] == '[' && end[-1] == ']') {
			end[-1] = 0;
			owner = module_owner(s, c, module + 1);
		}
	}
	if (!*name)
		return true;
	if (owner == PEV_SYM_KERNEL && !strcmp(name, "_stext"))
		s->stext = addr;
	return symtab_add(t, addr, 0, name, 0, type == 'T' ? 2 : type == 't' ? 1 : 0, owner, true);
}

bool kallsyms_parse(struct pev_syms *s, char *text)
{
	struct symtab t = { 0 };
	struct module_cache c = { 0 };

	while (*text) {
		char *end = strchrnul(text, '\n');
		bool last = !*end;

		*end = 0;
		if (!parse_line(s, &t, text, end, &c))
			break;
		text = last ? end : end + 1;
	}
	symtab_finish(&t);
	syms_object(s, PEV_SYM_KERNEL)->syms = t;
	return t.s.n > 0;
}
