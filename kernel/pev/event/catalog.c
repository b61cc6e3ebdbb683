// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the catalog: a snapshot of all events that can be opened, one line each.
 * Where the lines come from is the business of the sources, and of what lies above.
 */
#include <linux/err.h>
#include "base/strbuf.h"
#include "base/turn.h"
#include "catalog.h"
#include "sources.h"

/* What lies above has lines, too. */
struct above {
	void	(*put)(struct pev_strbuf *text);
};

static void put_lines(struct pev_strbuf *text, const struct above *above)
{
	pev_sources_catalog(text);
	above->put(text);
}

static void put(struct pev_strbuf *text, void *arg)
{
	/* no more than one thread of each comes between others and the locks of what is listed */
	struct pev_turn *turn = pev_turn_take();

	if (IS_ERR(turn)) {
		text->error = PTR_ERR(turn);
		return;
	}
	put_lines(text, arg);
	pev_turn_end(turn);
}

struct file *pev_catalog_file(void (*more)(struct pev_strbuf *text))
{
	struct above above = { .put = more };

	return pev_strbuf_file("[pev-catalog]", put, &above);
}
