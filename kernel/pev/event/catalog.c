// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the catalog: a snapshot of all events that can be opened, one line each.
 * Where the lines come from is the business of the sources, and of what lies above.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/uidgid.h>
#include <linux/wait_bit.h>
#include "base/strbuf.h"
#include "catalog.h"
#include "sources.h"

/*
 * A bit for each user, or for a few: one of a user's threads makes a catalog at a time, so that
 * no more of them than that come between others and the locks of what is listed.
 */
static unsigned long busy;

/* What lies above has lines, too. */
struct above {
	void	(*put)(struct pev_strbuf *text);
};

static void put(struct pev_strbuf *text, void *arg)
{
	u32 bit = hash_32(__kuid_val(current_uid()), ilog2(BITS_PER_LONG));
	const struct above *above = arg;
	/* nobody makes those wait who may watch all */
	bool queues = !perfmon_capable();

	if (queues && wait_on_bit_lock(&busy, bit, TASK_KILLABLE)) {
		text->error = -EINTR;
		return;
	}
	pev_sources_catalog(text);
	above->put(text);
	if (queues)
		clear_and_wake_up_bit(bit, &busy);
}

struct file *pev_catalog_file(void (*more)(struct pev_strbuf *text))
{
	struct above above = { .put = more };

	return pev_strbuf_file("[pev-catalog]", put, &above);
}
