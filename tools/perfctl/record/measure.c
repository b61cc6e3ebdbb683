// SPDX-License-Identifier: GPL-2.0
/* Holding, measuring and ending a command. See measure.h. */
#include "measure.h"
#include "base/say.h"
#include "base/stop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int measure_init(struct measure *me, struct msg *m)
{
	int err = wait_loop_init(&me->wait, m);

	if (err)
		return err;
	wait_loop_watch(&me->wait, &me->target);
	me->guests |= me->target.type == PEV_TARGET_GUEST;
	if (me->target.type == PEV_TARGET_SUBTREE && !me->target.workload && !me->argv)
		descendants_open(&me->descendants, &me->target, &me->wait);
	return 0;
}

static int start(struct measure *me, const struct measure_ops *ops, void *arg, struct msg *m)
{
	int err = me->span.delay ? 0 : ops->start(arg, m);

	if (!err && me->argv)
		err = workload_go(&me->workload, me->argv[0], &me->status, m);
	if (!err && me->span.delay)
		return wait_loop_alarm(&me->wait, WAIT_BEGIN, me->span.delay, m);
	return err ? err : measure_begins(me, m);
}

int measure_begins(struct measure *me, struct msg *m)
{
	return wait_loop_alarm(&me->wait, WAIT_TIME, me->span.timeout, m);
}

/* Measures once, with the command held back until all is open. */
static int with_workload(struct measure *me, const struct measure_ops *ops, void *arg,
			 struct msg *m)
{
	int err = ops->open(arg, m);

	/* Ctrl-C has also ended the command that is held back, which may be what failed */
	if (stop_wanted())
		err = msg_set(m, -EINTR, "interrupted before anything was measured");
	if (!err) {
		err = start(me, ops, arg, m);
		if (!err)
			err = ops->run(arg, m);
		if (ops->end && !me->status)
			err = ops->end(arg, err, m);
	}
	ops->close(arg);
	return err;
}

int measure_run(struct measure *me, const struct measure_ops *ops, void *arg, struct msg *m)
{
	int err = 0;

	me->workload = (struct workload){ .go = -1, .failed = -1 };
	me->status = 0;
	me->timed_out = false;
	if (me->argv) {
		err = workload_hold(&me->workload, me->argv, &me->wait.old, &me->status, m);
		if (!err && me->target.workload)
			me->target.ids[0] = me->workload.pid;
	}
	if (!err)
		err = with_workload(me, ops, arg, m);
	workload_end(&me->workload);
	/* a command that was ended because its time was up did nothing wrong */
	if (!err && me->workload.ended && !me->timed_out)
		me->status = workload_status(&me->workload);
	return err;
}

/* A process that nobody has waited for has ended, too. */
static bool has_ended(int pid)
{
	struct pollfd p = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	bool ended = p.fd < 0 ? errno == ESRCH : poll(&p, 1, 0) > 0;

	if (p.fd >= 0)
		close(p.fd);
	return ended;
}

/* The guests that are left are measured on, which is easily missed. */
static void note_ended(struct measure *me)
{
	if (!me->told)
		me->told = xcalloc(me->target.n_ids, sizeof(*me->told));
	for (size_t i = 0; i < me->target.n_ids; i++) {
		if (me->told[i] || !has_ended(me->target.ids[i]))
			continue;
		me->told[i] = true;
		note("process %d has ended, and with it its virtual machine", me->target.ids[i]);
	}
}

bool measure_goes_on(struct measure *me, unsigned int got)
{
	bool ended = me->argv && workload_wait(&me->workload, false);

	if (got & WAIT_GONE && me->guests)
		note_ended(me);
	if (got & WAIT_TIME)
		me->timed_out = !ended;
	if (got & (WAIT_STOP | WAIT_TIME))
		return false;
	if (me->argv)
		return !ended;
	descendants_read(&me->descendants, &me->wait);
	return !(got & WAIT_GONE) || me->wait.n;
}

int measure_exit(struct measure *me, int err, const struct msg *m)
{
	if (err && me->status) {
		print_error("%s", m->text);
		err = 0;
	}
	descendants_close(&me->descendants);
	wait_loop_free(&me->wait);
	free(me->told);
	target_free(&me->target);
	return err ? err : me->status;
}
