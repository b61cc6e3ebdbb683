// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the catalog: a snapshot of all events that can be opened, one line each.
 * Where the lines come from is the business of the sources, and of what lies above.
 */
#include <linux/slab.h>
#include "base/strbuf.h"
#include "catalog.h"
#include "sources.h"

struct file *pev_catalog_file(void (*more)(struct pev_strbuf *text))
{
	struct pev_strbuf *text = kzalloc(sizeof(*text), GFP_KERNEL_ACCOUNT);

	if (!text)
		return ERR_PTR(-ENOMEM);
	pev_sources_catalog(text);
	more(text);
	return pev_strbuf_file("[pev-catalog]", text);
}
