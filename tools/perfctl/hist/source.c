// SPDX-License-Identifier: GPL-2.0
/* Chooses where rows come from. See source.h. */
#include "source.h"
#include "event/engine.h"
#include "event/kernel.h"

#include <errno.h>

int hist_source_init(struct hist_source *s, struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (engine_is_pev() && !(info.types & 1ULL << PEV_TYPE_TABLE))
		return msg_set(m, -ENOSYS,
			       "the running kernel's pev has no tables: --engine perf adds up what "
			       "it records");
	s->ops = engine_is_pev() ? &hist_tables : &hist_records;
	return s->ops->check ? s->ops->check(s, m) : 0;
}
