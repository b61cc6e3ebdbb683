// SPDX-License-Identifier: LGPL-2.1-only
/* The kernel's functions, from the text of /proc/kallsyms as recorded. */
#include "internal.h"

#include <stdio.h>

/* Parses in place. */
static char *hex(char *p, uint64_t *v)
{
	*v = 0;
	for (;; p++) {
		unsigned int c = (unsigned char)*p;

		if (c - '0' < 10)
			*v = *v << 4 | (c - '0');
		else if ((c | 0x20) - 'a' < 6)
			*v = *v << 4 | ((c | 0x20) - 'a' + 10);
		else
			return p;
	}
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
static bool parse_line(struct pev_syms *s, struct symtab *t, char *line, struct module_cache *c)
{
	int owner = PEV_SYM_KERNEL;
	char *p, *name, *end, type;
	uint64_t addr;

	p = hex(line, &addr);
	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ' || !addr)
		return true;
	type = p[1];
	if (type != 't' && type != 'T' && type != 'w' && type != 'W')
		return true;
	name = p + 3;
	end = name + strcspn(name, "\t ");
	if (*end) {
		char *module = strchr(end, '['), *close = module ? strchr(module, ']') : NULL;

		*end = 0;
		if (close) {
			*close = 0;
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
		if (!parse_line(s, &t, text, &c))
			break;
		text = last ? end : end + 1;
	}
	symtab_finish(&t);
	syms_object(s, PEV_SYM_KERNEL)->syms = t;
	return t.s.n > 0;
}
