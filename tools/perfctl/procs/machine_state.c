// SPDX-License-Identifier: GPL-2.0
/* What the machine has when a recording begins. See machine_state.h. */
#include "machine_state.h"
#include "inventory/encode.h"
#include "inventory/fds.h"
#include "state.h"

#include <fnmatch.h>
#include <stdlib.h>

/**
 * struct open_files - the processes whose descriptors are written
 * @done: they were looked at: a target may name several threads of one
 */
struct open_files {
	struct gather *gather;
	enum gather_fds what;
	struct done {
		int pid;
	} * done;
	size_t n;
	size_t cap;
	struct htab by_pid;
};

/* Do events name descriptors? */
static bool has_calls(const struct event_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (!fnmatch("syscalls:*", plan->events[i].name, 0) ||
		    !fnmatch("raw_syscalls:*", plan->events[i].name, 0))
			return true;
	return false;
}

static bool is_machine(const struct target *t)
{
	return t->type == PEV_TARGET_CPUS || t->type == PEV_TARGET_CGROUP;
}

/* Those of a whole machine are many, and worth it only where numbers are recorded. */
static bool wants_fds(const struct machine_state *s)
{
	return s->target && (!is_machine(s->target) || has_calls(s->plan));
}

static int add_process(void *arg, int pid)
{
	struct open_files *f = arg;
	struct done *d;

	if (!HTAB_GET(d, &f->by_pid, hash_u64((uint64_t)pid), d->pid == pid, f->done, f->n, f->cap))
		return 0;
	d->pid = pid;
	return gather_fds(f->gather, pid, f->what);
}

static int gather_files(struct gather *g, const struct machine_state *s)
{
	struct open_files files = {
		.gather = g,
		.what = s->execs	      ? FDS_KEPT :
			is_machine(s->target) ? FDS_NAMES :
						FDS_FLAGS,
	};
	/* a command that is to exec has no descendants yet */
	int err = s->execs ? add_process(&files, s->target->ids[0]) :
			     proc_state_each(s->target, add_process, &files);

	free(files.done);
	htab_free(&files.by_pid);
	return err;
}

static int gather_all(struct gather *g, const struct machine_state *s)
{
	int err = gather_machine(g);

	if (!err && wants_fds(s))
		err = gather_files(g, s);
	return err ? err : gather_sums(g);
}

int machine_state_write(const struct machine_state *s, struct pev_writer *w,
			const struct pev_meta *meta)
{
	struct inventory_encode to;
	struct gather g = {
		.proc = "/proc", .sys = "/sys", .put = inventory_encode_row, .arg = &to
	};
	struct pev_encoder *enc;
	int err = pev_writer_encoder(w, meta, "machine", 0, &enc), close_err;

	if (!err) {
		err = inventory_encode_init(&to, enc, meta, s->time);
		if (!err)
			err = gather_all(&g, s);
		close_err = pev_encoder_close(enc);
		if (!err)
			err = close_err;
	}
	return err;
}
