// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The catalog: the events that the kernel offers.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pev/pev.h>
#include "core/error.h"
#include "core/file.h"

struct pev_catalog {
	size_t nr;
	struct pev_catalog_entry *entries;
	char *text;
};

PEV_EXPORT int pev_catalog_read(unsigned int flags, struct pev_catalog **catalog,
				struct pev_error *err)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG };
	size_t len;
	char *text;
	int fd, ret;

	*catalog = NULL;
	if (flags)
		return pev_fail(err, EINVAL, 0, "pev_catalog_read() has no flags 0x%x", flags);
	fd = pev_attr_open(&attr, 0, err);
	if (fd < 0)
		return fd;
	ret = pev_read_whole(fd, &text, &len);
	close(fd);
	if (ret)
		return pev_fail(err, -ret, 0, "reading the catalog: %s", strerror(-ret));
	ret = pev_catalog_parse(text, len, catalog);
	free(text);
	return ret;
}

/* Parses one line, which ends at a NUL; false if it has another form. */
static bool parse_line(char *line, struct pev_catalog_entry *e)
{
	char *name = strchr(line, ' '), *fields, *way = strchr(line, '\t');
	int type;

	if (way)
		*way++ = '\0';
	if (!name || name == line || (way && name > way))
		return false;
	*name++ = '\0';
	fields = strchr(name, ' ');
	if (fields)
		*fields++ = '\0';
	if (!*name)
		return false;
	type = pev_type_by_name(line);
	e->type = type > 0 ? type : 0;
	e->type_name = line;
	e->name = name;
	e->fields = !fields || !strcmp(fields, "-") ? "" : fields;
	e->way = way ?: "";
	return true;
}

PEV_EXPORT int pev_catalog_parse(const char *text, size_t len, struct pev_catalog **out)
{
	struct pev_catalog *c = calloc(1, sizeof(*c));
	size_t lines = 1;
	char *line, *end;

	*out = NULL;
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	if (c) {
		c->text = malloc(len + 1);
		c->entries = calloc(lines, sizeof(*c->entries));
	}
	if (!c || !c->text || !c->entries) {
		pev_catalog_free(c);
		return -ENOMEM;
	}
	memcpy(c->text, text, len);
	c->text[len] = '\0';
	for (line = c->text; line < c->text + len; line = end + 1) {
		end = memchr(line, '\n', c->text + len - line);
		if (!end)
			end = c->text + len;
		*end = '\0';
		if (parse_line(line, &c->entries[c->nr]))
			c->nr++;
	}
	*out = c;
	return 0;
}

PEV_EXPORT size_t pev_catalog_count(const struct pev_catalog *catalog)
{
	return catalog->nr;
}

PEV_EXPORT const struct pev_catalog_entry *pev_catalog_entry(const struct pev_catalog *catalog,
							     size_t nr)
{
	return nr < catalog->nr ? &catalog->entries[nr] : NULL;
}

PEV_EXPORT void pev_catalog_free(struct pev_catalog *catalog)
{
	if (!catalog)
		return;
	free(catalog->text);
	free(catalog->entries);
	free(catalog);
}
