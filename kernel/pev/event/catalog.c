// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the catalog: a snapshot of all events that can be opened, one line each.
 * Where the lines come from is the business of the sources, and of what lies above.
 */
#include "base/strbuf.h"
#include "catalog.h"
#include "sources.h"

/* What lies above has lines, too. */
struct above {
	void	(*put)(struct pev_strbuf *text);
};

static void put(struct pev_strbuf *text, void *arg)
{
	const struct above *above = arg;

	pev_sources_catalog(text);
	above->put(text);
}

struct file *pev_catalog_file(void (*more)(struct pev_strbuf *text))
{
	struct above above = { .put = more };

	return pev_strbuf_file("[pev-catalog]", put, &above);
}
