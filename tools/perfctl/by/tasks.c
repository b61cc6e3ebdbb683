// SPDX-License-Identifier: GPL-2.0
/*
 * Counts by thread without tables: each thread has counters of its own, also those that begin
 * meanwhile, from when that is told. The events themselves are counted on the whole target, by
 * counters that threads inherit, so that what is not in a row is known. See source.h.
 */
#include "source.h"
#include "base/say.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "procs/stat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define RING (256u << 10)
/* each record of a new thread is to be read at once */
#define WATERMARK 8
#define TOLD (1u << PEV_SB_COMM | 1u << PEV_SB_FORK | 1u << PEV_SB_EXIT)
#define NO_TABLES "perf_event_open(2) has no tables: "

static enum by_kind kind_of(const struct by_source *s)
{
	return s->keys->kind[0];
}

static bool of_cgroups(const struct by_source *s)
{
	return kind_of(s) == BY_CGROUP || kind_of(s) == BY_SERVICE;
}

/* ---- a thread's counters ---- */

static struct by_task *find(const struct by_tasks *t, int tid)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (t->v[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return &t->v[low];
}

static bool is_there(const struct by_tasks *t, const struct by_task *task, int tid)
{
	return task < t->v + t->n && task->tid == tid;
}

static void close_counters(const struct by_source *s, struct by_task *task)
{
	for (size_t i = 0; task->fds && i < s->plan->n; i++)
		if (task->fds[i] >= 0)
			pev_engine_close(engine(), task->fds[i]);
	free(task->fds);
	free(task->before);
	free(task->cgroup);
}

/* A thread that has ended was last where it was seen. */
static void find_cgroup(const struct by_source *s, struct by_task *task)
{
	char *path = of_cgroups(s) ? cgroup_of_thread(task->tid) : NULL;

	if (!path)
		return;
	free(task->cgroup);
	task->cgroup = path;
}

static uint64_t cgroup_key(const struct by_source *s, const struct by_task *task,
			   struct by_rows *to)
{
	const char *path = task->cgroup ? task->cgroup : "/";
	char *name = kind_of(s) == BY_SERVICE ? by_service_of(path) : xstrdup(path);
	uint64_t number = strtab_id(&to->names, name);

	free(name);
	return number;
}

/* Has a row's key a name? */
static bool is_named(const struct by_source *s)
{
	return kind_of(s) == BY_COMM || of_cgroups(s);
}

static uint64_t key_of(const struct by_source *s, const struct by_task *task, struct by_rows *to)
{
	if (of_cgroups(s))
		return cgroup_key(s, task, to);
	if (kind_of(s) == BY_COMM)
		return strtab_id(&to->names, task->comm);
	return kind_of(s) == BY_PROCESS ? (uint64_t)task->pid : (uint64_t)task->tid;
}

/* Returns -ESRCH if the thread has ended, or another error of the first that was refused. */
static int open_counters(struct by_source *s, struct by_task *task, uint64_t flags)
{
	int err = 0;

	task->fds = xmalloc(s->plan->n * sizeof(*task->fds));
	task->before = xcalloc(s->plan->n, sizeof(*task->before));
	for (size_t i = 0; i < s->plan->n; i++)
		task->fds[i] = -1;
	for (size_t i = 0; i < s->plan->n && err >= 0; i++) {
		const struct planned_event *e = &s->plan->events[i];
		struct pev_attr attr = e->attr;
		struct pev_error why;

		if (e->refused)
			continue;
		attr.flags |= flags | (e->user_only ? PEV_F_EXCLUDE_KERNEL : 0);
		pev_attr_target(&attr, PEV_TARGET_TASK, task->tid);
		err = task->fds[i] = pev_engine_open(engine(), &attr, 0, &why);
	}
	return err < 0 ? err : 0;
}

/* @flags: PEV_F_* of its counters. Returns NULL if it can't be counted any more. */
static struct by_task *join(struct by_source *s, int pid, int tid, const char *comm, uint64_t flags)
{
	struct by_tasks *t = &s->tasks;
	struct by_task task = { .pid = pid, .tid = tid }, *at = find(t, tid);
	size_t index = (size_t)(at - t->v);

	/* told of twice: it was looked for when its begin was read */
	if (is_there(t, at, tid))
		return at;
	snprintf(task.comm, sizeof(task.comm), "%s", comm);
	find_cgroup(s, &task);
	if (open_counters(s, &task, flags)) {
		close_counters(s, &task);
		t->missed++;
		return NULL;
	}
	(void)ARRAY_PUSH(t->v, t->n, t->cap);
	memmove(t->v + index + 1, t->v + index, (t->n - 1 - index) * sizeof(*t->v));
	t->v[index] = task;
	return &t->v[index];
}

/* Adds what a thread has counted since the last call to rows, of what it is now. */
static void add_up(struct by_source *s, struct by_task *task, struct by_rows *to)
{
	uint64_t key[BY_MAX] = { 0 };

	find_cgroup(s, task);
	key[0] = key_of(s, task, to);
	for (size_t i = 0; i < s->plan->n; i++) {
		struct pev_value v;
		uint64_t more;

		if (task->fds[i] < 0 || pev_engine_read(engine(), task->fds[i], &v) < 0)
			continue;
		more = v.value - task->before[i];
		/* what finds no row is the rest of the event's own count */
		if ((int64_t)more <= 0 || !by_rows_room(to, key, s->room))
			continue;
		task->before[i] = v.value;
		by_rows_add(to, key, of_cgroups(s) ? NULL : task->comm, i, more);
	}
}

static void leave(struct by_source *s, int tid)
{
	struct by_tasks *t = &s->tasks;
	struct by_task *task = find(t, tid);

	if (!is_there(t, task, tid))
		return;
	add_up(s, task, &t->rows);
	close_counters(s, task);
	t->n--;
	memmove(task, task + 1, (size_t)(t->v + t->n - task) * sizeof(*task));
}

/* ---- what is told of threads ---- */

static uint32_t number(const struct pev_event *ev, const char *field)
{
	const struct pev_field *f = pev_class_field(ev->cls, field);

	return f ? (uint32_t)pev_event_int(ev, f) : 0;
}

static void rename_task(struct by_source *s, const struct pev_event *ev, int tid)
{
	struct by_task *task = find(&s->tasks, tid);

	if (!is_there(&s->tasks, task, tid))
		return;
	/*
	 * What was counted since the exec that this tells of can't be known from what was before: a row
	 * of a thread gets the name that it has when it is added up. A command that waits for its exec
	 * has counted nothing.
	 */
	if (kind_of(s) == BY_COMM && *task->comm)
		add_up(s, task, &s->tasks.rows);
	find_cgroup(s, task);
	pev_event_copy_text(ev, pev_class_field(ev->cls, "comm"), task->comm, sizeof(task->comm));
}

static void begin(struct by_source *s, const struct pev_event *ev, int tid)
{
	int parent = (int)number(ev, "ptid");
	const struct by_task *from = find(&s->tasks, parent);
	bool known = is_there(&s->tasks, from, parent);
	char comm[BY_COMM_SIZE + 1] = "";

	if (known)
		memcpy(comm, from->comm, sizeof(comm));
	s->tasks.joined++;
	join(s, (int)number(ev, "pid"), tid, comm, s->tasks.on ? 0 : PEV_F_DISABLED);
}

static void take_told(struct by_source *s, const struct pev_event *ev)
{
	const char *name = ev->cls->name;
	int tid = (int)number(ev, "tid");

	if (!strcmp(name, "pev:fork"))
		begin(s, ev, tid);
	else if (!strcmp(name, "pev:comm"))
		rename_task(s, ev, tid);
	else if (!strcmp(name, "pev:exit"))
		leave(s, tid);
}

static int tasks_take(struct by_source *s, struct msg *m)
{
	const struct pev_event *ev;
	struct pev_error why;
	int err = pev_reader_fetch(s->tasks.reader, PEV_FETCH_ALL, &why);

	if (err)
		return msg_set(m, err, "%s", why.text);
	while (pev_reader_next(s->tasks.reader, &ev) > 0)
		take_told(s, ev);
	return 0;
}

/* ---- the source ---- */

static int check_cgroups(struct msg *m)
{
	char *own = cgroup_of_thread(getpid());

	if (!own)
		return msg_set(m, -ENOENT, "there is no cgroup v2 hierarchy");
	free(own);
	note(NO_TABLES "what a thread has counted when it is read goes to the cgroup that it is in "
		       "then");
	return 0;
}

static int tasks_check(const struct by_source *s, struct msg *m)
{
	if (s->keys->n > 1)
		return msg_set(m, -ENOSYS, NO_TABLES "--by takes one name there");
	if (of_cgroups(s))
		return check_cgroups(m);
	if (s->target->type == PEV_TARGET_SUBTREE || !target_has_threads(s->target, m))
		return 0;
	return msg_set(m, -ENOSYS,
		       NO_TABLES "--by %s counts the threads of a command, or of -p, -t and "
				 "--subtree there",
		       by_kind_name(kind_of(s)));
}

static int open_told(struct by_source *s, struct msg *m)
{
	struct by_tasks *t = &s->tasks;
	struct pev_error why;
	struct pev_attr attr;
	int err;

	pev_attr_channel(&attr, RING);
	attr.watermark = WATERMARK;
	t->channel = pev_engine_open(engine(), &attr, 0, &why);
	if (t->channel < 0)
		return kernel_refused(m, t->channel, &why, "the rings for what threads begin");
	event_plan_sideband(&t->told, t->channel, TOLD, "tell of new threads");
	err = event_set_open(&t->set, &t->told, s->target, 0, m);
	if (err)
		return err;
	err = pev_reader_open(engine(), t->channel, 0, &t->reader, &why);
	return err ? msg_set(m, err, "%s", why.text) : 0;
}

static void join_running(struct by_source *s, int tid, uint64_t flags)
{
	struct proc_stat stat;

	if (proc_stat_read(&stat, (uint32_t)tid))
		join(s, proc_of_thread(tid), tid, stat.comm, flags);
}

/* The command is still perfctl, and gets its name with its exec. */
static int join_all(struct by_source *s, uint64_t flags, struct msg *m)
{
	struct target threads;
	int err;

	if (s->target->workload) {
		join(s, s->target->ids[0], s->target->ids[0], "", flags);
		return 0;
	}
	if (s->target->type == PEV_TARGET_SUBTREE) {
		struct target process = *s->target;

		process.type = PEV_TARGET_PROCESS;
		err = target_threads(&threads, &process, m);
	} else {
		err = target_threads(&threads, s->target, m);
	}
	for (size_t i = 0; i < threads.n_ids && !err; i++)
		join_running(s, threads.ids[i], flags);
	if (!err)
		target_free(&threads);
	return err;
}

static int tasks_open(struct by_source *s, uint64_t flags, struct msg *m)
{
	int err;

	/* what a command begins that counts from its exec on */
	s->tasks.on = flags & PEV_F_ENABLE_ON_EXEC;
	s->tasks.rows.n_keys = s->keys->n;
	s->tasks.ahead = xcalloc(s->plan->n, sizeof(*s->tasks.ahead));
	s->tasks.rows.events = s->plan->n;
	err = event_set_open(&s->set, s->plan, s->target, flags, m);
	event_raise_files();
	if (!err)
		err = open_told(s, m);
	return err ? err : join_all(s, flags, m);
}

/* Counters of single threads are on while those of the whole are. */
static int tasks_on(struct by_source *s, bool on, struct msg *m)
{
	(void)m;
	s->tasks.on = on;
	for (size_t k = 0; k < s->tasks.n; k++)
		for (size_t i = 0; i < s->plan->n; i++) {
			int fd = s->tasks.v[k].fds[i];

			if (fd < 0)
				continue;
			if (on)
				pev_engine_enable(engine(), fd, 0);
			else
				pev_engine_disable(engine(), fd, 0);
		}
	return 0;
}

static int tasks_fd(const struct by_source *s)
{
	return s->tasks.channel;
}

static int tasks_fetch(struct by_source *s, struct by_counts *to, struct msg *m)
{
	struct by_rows *rows = &s->tasks.rows;
	int err = tasks_take(s, m);

	if (err)
		return err;
	for (size_t i = 0; i < s->tasks.n; i++)
		add_up(s, &s->tasks.v[i], rows);
	for (size_t k = 0; k < rows->n; k++) {
		uint64_t key[BY_MAX] = { rows->v[k].key[0] };

		if (is_named(s))
			key[0] = strtab_id(&to->rows.names,
					   strtab_get(&rows->names, (uint32_t)key[0]));
		for (size_t i = 0; i < s->plan->n; i++)
			if (rows->v[k].values[i])
				by_rows_add(&to->rows, key, of_cgroups(s) ? NULL : rows->v[k].comm,
					    i, rows->v[k].values[i]);
	}
	by_rows_clear(rows);
	return 0;
}

/*
 * What the events have counted on the whole and no thread's own counters have. What was read of a
 * thread may be ahead of the whole, which is read at another time: then it is counted to the whole
 * of this time, too, and not to that of the next.
 */
static void tasks_rest(struct by_source *s, struct by_counts *to)
{
	for (size_t i = 0; i < s->plan->n; i++) {
		uint64_t *ahead = &s->tasks.ahead[i], sum = 0, before = *ahead;

		for (size_t k = 0; k < to->rows.n; k++)
			sum += to->rows.v[k].values[i];
		*ahead = before + sum > to->total[i] ? before + sum - to->total[i] : 0;
		to->total[i] = to->total[i] + *ahead - before;
		to->other[i] = to->total[i] - sum;
	}
}

static void tasks_note(const struct by_source *s)
{
	char missed[96] = "";

	if (!s->tasks.joined)
		return;
	if (s->tasks.missed)
		snprintf(missed, sizeof(missed),
			 "; %" PRIu64 " had ended by then, and are all in (other)",
			 s->tasks.missed);
	note("perf_event_open(2) has no tables: threads that began meanwhile (%" PRIu64
	     ") had counters of "
	     "their own from when that was told; what they did before is (other)%s",
	     s->tasks.joined, missed);
}

static void tasks_close(struct by_source *s)
{
	struct by_tasks *t = &s->tasks;

	for (size_t i = 0; i < t->n; i++)
		close_counters(s, &t->v[i]);
	free(t->v);
	free(t->ahead);
	by_rows_free(&t->rows);
	pev_reader_close(t->reader);
	event_set_close(&t->set);
	event_plan_free(&t->told);
	if (t->channel > 0)
		pev_engine_close(engine(), t->channel);
	event_set_close(&s->set);
	*t = (struct by_tasks){ .joined = t->joined, .missed = t->missed };
}

const struct by_source_ops by_tasks = {
	.check = tasks_check,
	.open = tasks_open,
	.on = tasks_on,
	.fd = tasks_fd,
	.take = tasks_take,
	.fetch = tasks_fetch,
	.rest = tasks_rest,
	.note = tasks_note,
	.close = tasks_close,
};
