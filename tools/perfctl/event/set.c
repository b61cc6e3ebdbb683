// SPDX-License-Identifier: GPL-2.0
/* Opens the events of a plan on a target. See plan.h. */
#include "set.h"
#include "engine.h"
#include "kernel.h"
#include "plan.h"
#include "probe.h"
#include "base/say.h"
#include "base/stop.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static bool may_leave_kernel_out(const struct planned_event *e, int err)
{
	return (err == -EACCES || err == -EPERM) &&
	       (e->attr.type == PEV_TYPE_SOFTWARE || e->attr.type == PEV_TYPE_TIMER ||
		e->attr.type == PEV_TYPE_WAIT || event_is_hardware(e)) &&
	       !(e->attr.flags & (PEV_F_EXCLUDE_KERNEL | PEV_F_EXCLUDE_USER));
}

/*
 * Each event takes an fd: all tracepoints at once exceed the usual limit. The command
 * was forked before and keeps its limit.
 */
bool event_raise_files(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) || rl.rlim_cur >= rl.rlim_max)
		return false;
	rl.rlim_cur = rl.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &rl);
}

/* Leaves the CPUs that an event is counted on. Returns 0, or -EINVAL with a sentence. */
static int choose_cpus(struct cpulist *l, const struct planned_event *e, const struct target *t,
		       struct msg *m)
{
	*l = (struct cpulist){ 0 };
	if (e->cpus.n && t->type != PEV_TARGET_CPUS)
		return msg_set(m, -EINVAL, "%s counts what a whole socket or device does, for any process: "
			       "measure the whole machine, with -a", e->label);
	/* the kernel knows which CPU counts for which others, also when one comes or goes */
	cpulist_copy(l, t->cpus.n || engine_is_pev() ? &t->cpus : &e->cpus);
	if (engine_is_pev())
		return 0;
	for (unsigned int i = 0; e->cpus.n && i < l->n; i++)
		l->words[i] &= i < e->cpus.n ? e->cpus.words[i] : 0;
	if (!e->cpus.n || cpulist_count(l))
		return 0;
	cpulist_free(l);
	return msg_set(m, -EINVAL, "%s counts whole sockets or devices, each on one CPU, which is none "
		       "of those of -C: leave -C out", e->label);
}

/* Records of what a guest's host does for it are of its process. */
static uint32_t target_of(const struct planned_event *e, const struct target *t)
{
	return t->type == PEV_TARGET_GUEST && e->attr.type == PEV_TYPE_SIDEBAND ?
		       PEV_TARGET_PROCESS :
		       t->type;
}

static int open_one(struct planned_event *e, const struct target *t, int id, int leader,
		    uint64_t flags, const struct cpulist *cpus, struct msg *m)
{
	struct pev_attr attr = e->attr;
	struct pev_error why, first;
	int fd, err;

	attr.flags |= flags | (e->user_only ? PEV_F_EXCLUDE_KERNEL : 0);
	attr.group_fd = leader;
	pev_attr_target(&attr, target_of(e, t), id);
	if (cpus->n)
		pev_attr_cpus(&attr, cpus->words, cpus->n);
	fd = pev_engine_open(engine(), &attr, 0, &first);
	if (fd == -EMFILE && event_raise_files())
		fd = pev_engine_open(engine(), &attr, 0, &first);
	if (fd >= 0)
		return fd;
	err = fd;
	if (may_leave_kernel_out(e, err)) {
		attr.flags |= PEV_F_EXCLUDE_KERNEL;
		attr.sample &= ~PEV_SAMPLE_KSTACK;
		fd = pev_engine_open(engine(), &attr, 0, &why);
		if (fd >= 0) {
			e->attr.sample = attr.sample;
			e->user_only = true;
			return fd;
		}
		/* not the kernel side is in the way: rings may be too large, or descriptors too many */
		if (fd != err && (fd == -EPERM || fd == -ENOMEM || fd == -EMFILE))
			return kernel_refused(m, fd, &why, "%s", e->label);
	}
	return kernel_refused(m, err, &first, "%s", e->label);
}

static size_t group_first(const struct event_plan *plan, size_t i)
{
	while (plan->events[i].group && i && plan->events[i - 1].group == plan->events[i].group)
		i--;
	return i;
}

static int open_event(struct event_set *set, size_t i, const struct target *t, uint64_t flags,
		      struct msg *m)
{
	struct planned_event *e = &set->plan->events[i];
	bool leads = e->group && (!i || set->plan->events[i - 1].group != e->group);
	size_t first = group_first(set->plan, i);
	struct cpulist cpus;
	int err = choose_cpus(&cpus, e, t, m);

	if (leads)
		flags |= PEV_F_READ_GROUP;
	for (size_t k = 0; k < set->n_ids && !err; k++) {
		int leader = e->group && !leads ? set->fds[first * set->n_ids + k] : -1;
		int fd = open_one(e, t, t->ids[k], leader, flags, &cpus, m);

		if (fd < 0)
			err = fd;
		else
			set->fds[i * set->n_ids + k] = fd;
		if (fd >= 0 && e->probe && !k)
			probe_places_note(e->probe, e->label);
	}
	cpulist_free(&cpus);
	return err;
}

static void close_event(struct event_set *set, size_t i)
{
	for (size_t k = 0; k < set->n_ids; k++) {
		int *fd = &set->fds[i * set->n_ids + k];

		if (*fd >= 0)
			pev_engine_close(engine(), *fd);
		*fd = -1;
	}
}

/* Returns whether a refusal is about the event, not about rights, the target or memory. */
static bool may_leave_out(const struct planned_event *e, int err)
{
	/* events of the kernel alone, for users who may not observe it */
	if (e->attr.type == PEV_TYPE_SOFTWARE && err == -EACCES)
		return true;
	return event_is_hardware(e) && err != -EACCES && err != -EPERM && err != -EMFILE &&
	       err != -ENFILE && err != -ENOMEM && err != -ESRCH && err != -ENOSYS;
}

/* Drops a whole group, as it counts as one or not at all. Returns where to go on. */
static size_t leave_out(struct event_set *set, size_t i, const struct msg *m)
{
	struct event_plan *plan = set->plan;
	size_t at = group_first(plan, i);
	unsigned int group = plan->events[i].group;

	for (; at < plan->n && (at == i || (group && plan->events[at].group == group)); at++) {
		struct planned_event *e = &plan->events[at];

		close_event(set, at);
		free(e->refused);
		e->refused = at == i ? xstrdup(m->text) :
				       xasprintf("%s: its group has %s, which is not counted",
						 e->label, plan->events[i].label);
	}
	return at;
}

/* Dissolves a weak group, so that each member is opened alone. Returns where to go on. */
static size_t dissolve(struct event_set *set, size_t i)
{
	struct event_plan *plan = set->plan;
	size_t first = group_first(plan, i);
	unsigned int group = plan->events[i].group;

	for (size_t at = first; at < plan->n && plan->events[at].group == group; at++) {
		close_event(set, at);
		plan->events[at].group = 0;
	}
	return first;
}

static void note_probes(struct event_plan *plan, const struct target *t)
{
	if (plan->probes_noted ||
	    (t->type != PEV_TARGET_SUBTREE && t->type != PEV_TARGET_PROCESS))
		return;
	for (size_t i = 0; i < plan->n && !plan->probes_noted; i++)
		plan->probes_noted = plan->events[i].place;
	if (plan->probes_noted)
		note("perf_event_open(2) probes the threads that are there now: what they start later "
		     "hits no probe; the whole machine (-a) or a cgroup (-G) misses nothing");
}

int event_set_open(struct event_set *set, struct event_plan *plan, const struct target *t,
		   uint64_t flags, struct msg *m)
{
	size_t n = plan->n * t->n_ids, i = 0, open = 0;
	int err = 0, refused = 0;

	*set = (struct event_set){ .plan = plan, .n_ids = t->n_ids };
	set->fds = xmalloc(n * sizeof(*set->fds));
	for (size_t k = 0; k < n; k++)
		set->fds[k] = -1;
	while (i < plan->n) {
		/* thousands of events take seconds */
		if (stop_wanted()) {
			err = msg_set(m, -EINTR, "interrupted");
			break;
		}
		free(plan->events[i].refused);
		plan->events[i].refused = NULL;
		err = open_event(set, i, t, flags, m);
		if (err == -EINVAL && plan->events[i].weak && plan->events[i].group) {
			i = dissolve(set, i);
			continue;
		}
		if (err && (!plan->some || !may_leave_out(&plan->events[i], err)))
			break;
		if (err) {
			refused = err;
			i = leave_out(set, i, m);
		} else {
			i++;
		}
		err = 0;
	}
	if (!err)
		note_probes(plan, t);
	for (i = 0; i < plan->n; i++)
		open += !plan->events[i].refused;
	if (!err && !open)
		err = refused;
	if (err)
		event_set_close(set);
	return err;
}

void event_set_more(struct event_set *set, size_t from, const struct target *t, uint64_t flags)
{
	size_t n = set->plan->n * set->n_ids;
	struct msg m;

	set->fds = xrealloc(set->fds, n * sizeof(*set->fds));
	for (size_t k = from * set->n_ids; k < n; k++)
		set->fds[k] = -1;
	for (size_t i = from; i < set->plan->n; i++)
		if (open_event(set, i, t, flags, &m))
			leave_out(set, i, &m);
}

void event_set_close(struct event_set *set)
{
	for (size_t i = 0; set->plan && i < set->plan->n * set->n_ids; i++)
		if (set->fds[i] >= 0)
			pev_engine_close(engine(), set->fds[i]);
	for (size_t i = 0; set->fds && i < set->plan->n; i++)
		if (set->plan->events[i].probe)
			probe_places_note_file(set->plan->events[i].probe,
					       set->plan->events[i].label);
	free(set->fds);
	*set = (struct event_set){ 0 };
}

void event_value_add(struct pev_value *to, const struct pev_value *v)
{
	to->value += v->value;
	to->time_enabled += v->time_enabled;
	to->time_running += v->time_running;
	to->lost += v->lost;
	to->filtered += v->filtered;
	to->samples += v->samples;
}

static void share_among(const struct event_plan *plan, unsigned int sum,
			struct pev_value *const *values)
{
	double enabled = 0, running = 0;

	for (size_t i = 0; i < plan->n; i++) {
		if (plan->events[i].sum != sum || !values[i])
			continue;
		enabled = fmax(enabled, (double)values[i]->time_enabled);
		running += (double)values[i]->time_running;
	}
	for (size_t i = 0; i < plan->n && running > 0; i++)
		if (plan->events[i].sum == sum && values[i])
			values[i]->time_enabled = (uint64_t)((double)values[i]->time_running *
							     fmax(1, enabled / running));
}

void event_share_waiting(const struct event_plan *plan, const struct target *t,
			 struct pev_value *const *values)
{
	if (engine_is_pev() || t->type == PEV_TARGET_CPUS || t->type == PEV_TARGET_CGROUP)
		return;
	for (unsigned int sum = 1; sum <= plan->sums; sum++)
		share_among(plan, sum, values);
}

/* Returns the members of the group that starts at @first, 1 if there is none. */
static size_t group_size(const struct event_plan *plan, size_t first)
{
	unsigned int group = plan->events[first].group;
	size_t n = 1;

	while (group && first + n < plan->n && plan->events[first + n].group == group)
		n++;
	return n;
}

/* Of timers' ticks, the time that they stand for */
static void weigh(const struct planned_event *e, struct pev_value *v)
{
	if (e->tick)
		v->value *= e->tick;
}

/* Reads a group in one call, so that its values are of one moment. */
static int read_group(const struct event_set *set, size_t first, size_t n, size_t id,
		      struct pev_value *values)
{
	int fd = set->fds[first * set->n_ids + id];
	int got = set->plan->events[first].group ?
			  pev_engine_read_group(engine(), fd, values, (unsigned int)n) :
			  pev_engine_read(engine(), fd, values);

	for (size_t i = 0; i < n && got >= 0; i++)
		weigh(&set->plan->events[first + i], &values[i]);
	return got < 0 ? got : 0;
}

static int add_group(const struct event_set *set, size_t first, size_t n, struct pev_value *values)
{
	struct pev_value *now = xcalloc(n, sizeof(*now));
	int err = 0;

	for (size_t k = 0; k < set->n_ids && !err; k++) {
		err = read_group(set, first, n, k, now);
		for (size_t i = 0; i < n && !err; i++)
			event_value_add(&values[i], &now[i]);
	}
	free(now);
	return err;
}

int event_set_read(const struct event_set *set, struct pev_value *values, struct msg *m)
{
	size_t n;

	memset(values, 0, set->plan->n * sizeof(*values));
	for (size_t i = 0; i < set->plan->n; i += n) {
		int err;

		n = group_size(set->plan, i);
		if (set->plan->events[i].refused)
			continue;
		err = add_group(set, i, n, values + i);
		if (err)
			return msg_set(m, err, "reading %s: %s", set->plan->events[i].label,
				       strerror(-err));
	}
	return 0;
}

int event_set_read_waits(const struct event_set *set, size_t event, size_t id,
			 struct pev_waits *waits)
{
	struct {
		struct pev_value value;
		struct pev_waits waits;
	} both;
	ssize_t n = read(set->fds[event * set->n_ids + id], &both, sizeof(both));

	if (n != sizeof(both))
		return n < 0 ? -errno : -EIO;
	*waits = both.waits;
	return 0;
}

int event_set_read_counts(const struct event_set *set, size_t event, struct pev_counts *sum)
{
	*sum = (struct pev_counts){ 0 };
	if (!engine_is_pev() || set->plan->events[event].refused)
		return -EOPNOTSUPP;
	for (size_t id = 0; id < set->n_ids; id++) {
		struct pev_counts c;
		int err = pev_fd_read_counts(set->fds[event * set->n_ids + id], &c);

		if (err)
			return err;
		sum->value += c.value;
		sum->samples += c.samples;
		sum->lost += c.lost;
		sum->filtered += c.filtered;
		sum->unarmed += c.unarmed;
		sum->fired += c.fired;
		sum->acted += c.acted;
	}
	return 0;
}

int event_set_flush_threads(const struct event_set *set)
{
	int more = 0;

	for (size_t i = 0; engine_is_pev() && i < set->plan->n; i++) {
		uint32_t type = set->plan->events[i].attr.type;

		if ((type != PEV_TYPE_WAIT && type != PEV_TYPE_USTACK) ||
		    set->plan->events[i].refused)
			continue;
		for (size_t id = 0; id < set->n_ids; id++) {
			int ret = pev_fd_flush(set->fds[i * set->n_ids + id]);

			if (ret < 0)
				return ret;
			more |= ret;
		}
	}
	return more;
}

int event_set_read_ids(const struct event_set *set, size_t event, struct pev_value *values,
		       struct msg *m)
{
	size_t first = group_first(set->plan, event), n = group_size(set->plan, first);
	struct pev_value *now = xcalloc(n, sizeof(*now));
	int err = 0;

	for (size_t k = 0; k < set->n_ids && !err; k++) {
		err = read_group(set, first, n, k, now);
		values[k] = now[event - first];
	}
	free(now);
	return err ? msg_set(m, err, "reading %s: %s", set->plan->events[event].label,
			     strerror(-err)) : 0;
}

int event_set_read_windows(const struct event_set *set, size_t event,
			   struct pev_multiplexed *windows)
{
	const struct planned_event *e = &set->plan->events[event];
	int err = 0;

	memset(windows, 0, set->n_ids * sizeof(*windows));
	if (!event_is_hardware(e) || e->refused)
		return -EOPNOTSUPP;
	for (size_t k = 0; k < set->n_ids && !err; k++)
		err = pev_engine_read_multiplexed(engine(), set->fds[event * set->n_ids + k],
						  &windows[k]);
	return err;
}

static int read_cpus(const struct planned_event *e, int fd, struct pev_value **values,
		     unsigned int *nr)
{
	struct pev_value none;
	int err;

	*nr = 0;
	err = pev_engine_read_cpus(engine(), fd, &none, nr);
	if (err && err != -ENOSPC)
		return err;
	*values = xcalloc(*nr, sizeof(**values));
	err = pev_engine_read_cpus(engine(), fd, *values, nr);
	for (unsigned int c = 0; !err && c < *nr; c++)
		weigh(e, &(*values)[c]);
	if (err)
		free(*values);
	return err;
}

int event_set_read_cpus(const struct event_set *set, size_t event, struct pev_value **values,
			unsigned int *nr, struct msg *m)
{
	struct pev_value *more;
	unsigned int n;

	*values = NULL;
	*nr = 0;
	if (set->plan->events[event].refused)
		return 0;
	for (size_t k = 0; k < set->n_ids; k++) {
		int err = read_cpus(&set->plan->events[event], set->fds[event * set->n_ids + k],
				    k ? &more : values, k ? &n : nr);

		if (err) {
			free(k ? *values : NULL);
			return msg_set(m, err, "reading %s by CPU: %s",
				       set->plan->events[event].label, strerror(-err));
		}
		for (unsigned int c = 0; k && c < n && c < *nr; c++)
			event_value_add(&(*values)[c], &more[c]);
		if (k)
			free(more);
	}
	return 0;
}

int event_set_enable_one(const struct event_set *set, size_t event, bool on, struct msg *m)
{
	for (size_t i = event * set->n_ids; i < (event + 1) * set->n_ids; i++) {
		int err;

		if (set->fds[i] < 0)
			continue;
		err = on ? pev_engine_enable(engine(), set->fds[i], 0) :
			   pev_engine_disable(engine(), set->fds[i], 0);
		if (err)
			return msg_set(m, err, "switching %s %s: %s",
				       set->plan->events[event].label, on ? "on" : "off",
				       strerror(-err));
	}
	return 0;
}

int event_set_enable(const struct event_set *set, bool on, struct msg *m)
{
	int err = 0;

	for (size_t i = 0; i < set->plan->n && !err; i++)
		err = event_set_enable_one(set, i, on, m);
	return err;
}

static bool is_periodic(const struct pev_attr *a)
{
	return a->period > 1 && !(a->flags & PEV_F_FREQ);
}

int event_set_thin(const struct event_set *set, unsigned int shift, struct msg *m)
{
	for (size_t i = 0; i < set->plan->n; i++) {
		const struct planned_event *e = &set->plan->events[i];

		for (size_t k = i * set->n_ids; k < (i + 1) * set->n_ids; k++) {
			int err;

			if (set->fds[k] < 0 || !is_periodic(&e->attr))
				continue;
			err = pev_engine_set_period(engine(), set->fds[k], e->attr.period << shift);
			if (err)
				return msg_set(m, err, "the period of %s: %s", e->label,
					       strerror(-err));
		}
	}
	return 0;
}
