// SPDX-License-Identifier: GPL-2.0
/* The kernel's functions, from the text of /proc/kallsyms as recorded. */
#include "object.h"

/* Parses in place; 0 at the end of the digits. */
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
	uint32_t owner;
};

static uint32_t module_owner(struct objects *os, struct module_cache *c, const char *name)
{
	char path[300];

	if (c->name && !strcmp(c->name, name))
		return c->owner;
	snprintf(path, sizeof(path), "[%s]", name);
	c->name = name;
	c->owner = objects_get(os, path, NULL);
	os->o[c->owner].kind = OBJECT_MODULE;
	os->o[c->owner].loaded = true;
	return c->owner;
}

/* "ffffffff81000000 T _text" or "ffffffffc0000000 t init_module\t[ext4]" */
static void parse_line(struct objects *os, struct symtab *t, char *line, struct module_cache *c)
{
	uint32_t owner = OBJECT_ID_KERNEL;
	char *p, *name, *end, type;
	uint64_t addr;
	uint8_t rank;

	p = hex(line, &addr);
	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ' || !addr)
		return;
	type = p[1];
	if (type != 't' && type != 'T' && type != 'w' && type != 'W')
		return;
	name = p + 3;
	end = name + strcspn(name, "\t ");
	if (*end) {
		char *module = strchr(end, '['), *close = module ? strchr(module, ']') : NULL;

		*end = 0;
		if (close) {
			*close = 0;
			owner = module_owner(os, c, module + 1);
		}
	}
	if (!*name)
		return;
	rank = type == 'T' ? 2 : type == 't' ? 1 : 0;
	symtab_add(t, addr, 0, name, rank, owner, true);
}

bool kallsyms_parse(struct objects *os, char *text)
{
	struct symtab t = { 0 };
	struct module_cache c = { 0 };

	while (*text) {
		char *end = strchrnul(text, '\n');
		bool last = !*end;

		*end = 0;
		parse_line(os, &t, text, &c);
		text = last ? end : end + 1;
	}
	symtab_finish(&t);
	os->o[OBJECT_ID_KERNEL].syms = t;
	return t.n > 0;
}
