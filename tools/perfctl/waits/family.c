// SPDX-License-Identifier: GPL-2.0
/* Follows forks. See family.h. */
#include "family.h"

#include <stdlib.h>

static void add(struct family *f, uint32_t pid)
{
	uint32_t *p;

	if (HTAB_GET(p, &f->h, hash_u64(pid), *p == pid, f->pids, f->n, f->cap))
		*p = pid;
}

void family_init(struct family *f, const struct pev_trace *trace)
{
	const char *first = pev_trace_info(trace, "command_pid");
	uint64_t pid;

	*f = (struct family){ 0 };
	if (first && !parse_u64(first, &pid))
		add(f, (uint32_t)pid);
}

void family_free(struct family *f)
{
	free(f->pids);
	htab_free(&f->h);
	*f = (struct family){ 0 };
}

void family_event(struct family *f, const struct session_class *cls, const struct pev_event *ev)
{
	if (cls->kind != SESSION_FORK || !cls->pid || !cls->ppid)
		return;
	if (family_has(f, (uint32_t)pev_event_int(ev, cls->ppid)))
		add(f, (uint32_t)pev_event_int(ev, cls->pid));
}

bool family_has(const struct family *f, uint32_t pid)
{
	uint32_t hash = hash_u64(pid), pos, ref;

	for (ref = htab_first(&f->h, hash, &pos); ref; ref = htab_next(&f->h, hash, &pos))
		if (f->pids[ref - 1] == pid)
			return true;
	return false;
}
