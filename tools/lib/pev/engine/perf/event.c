// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opens events at each place of their target, switches and reads them together.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "engine/perf/attr.h"
#include "engine/perf/calls.h"
#include "engine/perf/channel.h"
#include "engine/perf/cpus.h"
#include "engine/perf/error.h"
#include "engine/perf/event.h"
#include "engine/perf/info.h"
#include "engine/perf/places.h"

/* A process that starts threads all the time is attached to so often at most */
#define MOST_TRIES	500

/* read() on a perf event gives this, with the read_format of perf_attr_make(). */
struct reading {
	uint64_t	value;
	uint64_t	enabled;
	uint64_t	running;
	uint64_t	lost;
};

static int control(int fd, unsigned long request, const void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

/* Controls each of its perf events up to the first error. */
static int control_all(struct event *event, unsigned long request, const void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < event->places.nr && !ret; i++)
		if (event->fds[i] >= 0)
			ret = control(event->fds[i], request, arg);
	return ret;
}

/* Closes its perf events; a ring that others use keeps the first one alive. */
static void close_all(struct event *event)
{
	for (size_t i = 0; event->fds && i < event->places.nr; i++) {
		if (event->fds[i] < 0)
			continue;
		control(event->fds[i], PERF_EVENT_IOC_DISABLE, NULL);
		if (event->fds[i] != event->handle)
			close(event->fds[i]);
		event->fds[i] = -1;
	}
}

void perf_event_free(struct perf_engine *engine, struct event *event)
{
	if (event->channel)
		perf_channel_leave(event->channel, event);
	close_all(event);
	if (event->handle >= 0) {
		perf_remember(engine, event->handle, NULL, NULL);
		close(event->handle);
	}
	perf_calls_free(event->calls);
	perf_class_free(&event->cls);
	free(event->members);
	free(event->filter);
	perf_places_free(&event->places);
	free(event->fds);
	free(event);
}

/* A task that ended or a CPU that went away must not fail the others. */
static bool is_gone(const struct event *event, int error)
{
	return event->places.nr > 1 && (error == -ESRCH || error == -ENODEV) &&
	       !(error == -ENODEV && event->attr.type != PERF_TYPE_SOFTWARE);
}

/* A CPU that the PMU is none of counts nothing by it, and has no descriptor. */
static bool is_elsewhere(const struct event *event, size_t i, int error)
{
	return event->some && event->places.at[i].cpu >= 0 && error == -ENOENT;
}

static int open_at(struct event *event, size_t i, struct pev_error *err)
{
	const struct place *at = &event->places.at[i];
	int leader = event->leader ? event->leader->fds[i] : -1, fd;

	if (event->leader && leader < 0)
		return 0;
	fd = perf_open(&event->attr, at->pid, at->cpu, leader,
		       event->places.cgroup ? PERF_FLAG_PID_CGROUP : 0);
	if (fd < 0)
		return is_gone(event, fd) || is_elsewhere(event, i, fd) ?
			       0 :
			       perf_fail_open(err, -fd, &event->attr, &event->places);
	event->fds[i] = fd;
	if (!event->channel)
		return 0;
	return perf_channel_join(event->channel, event, fd, at->cpu, err);
}

static int no_fds(struct event *event)
{
	free(event->fds);
	event->fds = malloc(event->places.nr * sizeof(*event->fds));
	for (size_t i = 0; event->fds && i < event->places.nr; i++)
		event->fds[i] = -1;
	return event->fds ? 0 : -ENOMEM;
}

/*
 * Compares the threads of the target with those that were attached to. If others have begun
 * meanwhile, closes all and takes the new ones: 1, else 0, or -errno.
 */
static int threads_changed(struct perf_engine *engine, struct event *event,
			   const struct pev_attr *attr, struct pev_error *err)
{
	struct places now;
	int ret;

	/* the list ends early where a thread ends while it is read: that does not happen twice */
	for (unsigned int looks = 0; looks < 2; looks++) {
		ret = perf_places_make(engine, &now, attr, err);
		if (ret)
			return ret;
		if (!perf_places_equal(&now, &event->places))
			break;
		perf_places_free(&now);
	}
	if (!now.nr)
		return 0;
	close_all(event);
	perf_places_free(&event->places);
	event->places = now;
	ret = no_fds(event);
	return ret ? pev_fail(err, ENOMEM, 0, "no memory") : 1;
}

static int open_places(struct event *event, struct pev_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < event->places.nr && !ret; i++)
		ret = open_at(event, i, err);
	return ret;
}

/*
 * A thread that begins while its process is attached to, by one that is not attached yet, is
 * missed with all that it starts: attach again until none has begun meanwhile. One that is in the
 * midst of clone(2) shows in no list yet, and is still missed. A group's members are on the
 * threads of its leader, and of threads before an exec one is left.
 */
static int open_all(struct perf_engine *engine, struct event *event, const struct pev_attr *attr,
		    struct pev_error *err)
{
	bool tasks = event->attr.inherit && !event->leader && !(attr->flags & PEV_F_ENABLE_ON_EXEC);
	int ret = open_places(event, err);

	for (int tries = 1; tasks && !ret && tries < MOST_TRIES; tries++) {
		ret = threads_changed(engine, event, attr, err);
		if (ret <= 0)
			break;
		ret = open_places(event, err);
	}
	for (size_t i = 0; i < event->places.nr && !ret && event->handle < 0; i++)
		event->handle = event->fds[i];
	if (!ret && event->handle < 0)
		ret = perf_fail_open(err, event->some ? ENOENT : ESRCH, &event->attr,
				     &event->places);
	return ret;
}

static int join_group(struct event *event, struct event *leader, struct pev_error *err)
{
	struct event **more;

	if (!leader)
		return pev_fail(err, EINVAL, 0, "the leader of the group is no event");
	if (!perf_places_equal(&leader->places, &event->places))
		return pev_fail(err, EINVAL, 0, "the leader of its group is counted on other CPUs or "
				"tasks: count them apart, or let one of its kind lead");
	more = realloc(leader->members, (leader->nr_members + 1) * sizeof(*more));
	if (!more)
		return pev_fail(err, ENOMEM, 0, "no memory");
	leader->members = more;
	more[leader->nr_members++] = event;
	event->leader = leader;
	return 0;
}

static void leave_group(struct event *event)
{
	if (event->leader)
		event->leader->nr_members--;
}

static int copy_places(struct places *to, const struct places *from, struct pev_error *err)
{
	return perf_places_copy(to, from) ? pev_fail(err, ENOMEM, 0, "no memory") : 0;
}

/*
 * Where an event was that is switched on by an exec, the next one of the same process is, too:
 * of its threads one is left then, and what it started before is not counted. All events of
 * a command would otherwise look for its threads and children, one after the other.
 */
static int places_at_exec(struct perf_engine *engine, struct places *p,
			  const struct pev_attr *attr, struct pev_error *err)
{
	struct held *held = &engine->held;
	bool rings = attr->channel_fd >= 0;
	int ret;

	if (held->places.nr && held->pid == attr->target_id && held->target == attr->target &&
	    held->rings == rings)
		return copy_places(p, &held->places, err);
	perf_places_free(&held->places);
	ret = perf_places_make(engine, p, attr, err);
	if (!ret && !p->mask)
		ret = copy_places(&held->places, p, err);
	held->target = attr->target;
	held->pid = attr->target_id;
	held->rings = rings;
	return ret;
}

/* Members of a group are where their leader is, whatever threads have begun since. */
static int make_places(struct perf_engine *engine, struct event *event,
		       const struct pev_attr *attr, struct pev_error *err)
{
	const struct event *leader = perf_event_of(&engine->base, attr->group_fd);
	bool same = leader && leader->pid == attr->target_id && leader->target == attr->target;

	event->target = attr->target;
	event->pid = attr->target_id;
	if (same && leader->places.inherit)
		return copy_places(&event->places, &leader->places, err);
	if (attr->flags & PEV_F_ENABLE_ON_EXEC)
		return places_at_exec(engine, &event->places, attr, err);
	return perf_places_make(engine, &event->places, attr, err);
}

static int set_up(struct perf_engine *engine, struct event *event, const struct pev_attr *attr,
		  struct pev_error *err)
{
	int ret = perf_attr_make(engine, attr, &event->attr, &event->cls, err);

	if (!ret)
		ret = make_places(engine, event, attr, err);
	if (ret)
		return ret;
	/*
	 * To inherit a probe, the kernel looks for its name where config1 points to in the process
	 * that forks, finds nothing, and lets the fork fail.
	 */
	if (!perf_is_probe(&event->attr)) {
		event->attr.inherit = event->places.inherit;
		event->attr.inherit_thread = event->places.threads;
	}
	event->read_group = attr->flags & PEV_F_READ_GROUP;
	event->on = !(attr->flags & PEV_F_DISABLED);
	event->some = attr->pmu != PEV_PMU_CORE;
	if (no_fds(event))
		return pev_fail(err, ENOMEM, 0, "no memory");
	if (event->channel) {
		event->attr.watermark = 1;
		event->attr.wakeup_watermark = perf_channel_watermark(event->channel);
	}
	if (attr->group_fd >= 0)
		ret = join_group(event, perf_event_of(&engine->base, attr->group_fd), err);
	return ret;
}

static int name_class(const struct perf_engine *engine, struct event *event,
		      const struct pev_attr *attr)
{
	const char *name = (const char *)(uintptr_t)attr->name;

	if (!name)
		name = attr->type == PEV_TYPE_WAIT ? "pev:switch" :
						     pev_config_name(attr->type, attr->config);
	event->cls.name = strdup(name ? name : "raw");
	if (!event->cls.name)
		return -ENOMEM;
	if (attr->flags & PEV_EF_CALLS)
		return perf_calls_new(engine, event);
	return event->cls.format.name ? perf_class_layout(&event->cls) : 0;
}

/* A further sideband event gets a class, but shares the perf event. */
static int share_sideband(struct event *event)
{
	struct event *first = perf_channel_sideband(event->channel);

	perf_places_free(&event->places);
	event->handle = fcntl(first->handle, F_DUPFD_CLOEXEC, 0);
	return event->handle < 0 ? -errno : 0;
}

static int bring_up(struct perf_engine *engine, struct event *event, const struct pev_attr *attr,
		    struct pev_error *err)
{
	const char *filter = (const char *)(uintptr_t)attr->filter;
	bool sideband = attr->type == PEV_TYPE_SIDEBAND && event->channel &&
			attr->config < PEV_SB_MAX;
	int ret = event->channel ? name_class(engine, event, attr) : 0;

	if (!ret && event->channel)
		ret = perf_channel_describe(event->channel, event);
	if (ret)
		return pev_fail(err, -ret, 0, "no memory");
	if (sideband && perf_channel_sideband(event->channel))
		return share_sideband(event);
	ret = open_all(engine, event, attr, err);
	if (!ret && filter)
		ret = perf_event_filter(event, filter, err);
	if (!ret && filter && !(attr->flags & PEV_F_DISABLED))
		ret = perf_event_enable(event, true);
	if (!ret && sideband)
		perf_channel_set_sideband(event->channel, event);
	return ret;
}

static int new_event(struct perf_engine *engine, const struct pev_attr *attr,
		     struct pev_error *err)
{
	struct event *event = calloc(1, sizeof(*event));
	int ret;

	if (!event)
		return pev_fail(err, ENOMEM, 0, "no memory");
	event->handle = -1;
	event->type = attr->type;
	event->config = attr->config;
	if (attr->channel_fd >= 0) {
		event->channel = perf_channel_of(&engine->base, attr->channel_fd);
		if (!event->channel) {
			free(event);
			return pev_fail(err, EBADF, 0, "the channel is none of this engine");
		}
	}
	ret = set_up(engine, event, attr, err);
	if (!ret)
		ret = bring_up(engine, event, attr, err);
	if (!ret)
		ret = perf_remember(engine, event->handle, event, NULL);
	if (ret) {
		leave_group(event);
		perf_event_free(engine, event);
		return ret;
	}
	return event->handle;
}

/*
 * Functions come into the kernel on any CPU, whatever is measured. Without the right to
 * watch them, names end with those that were there before.
 */
static void watch_functions(struct perf_engine *engine, const struct pev_attr *side)
{
	const struct pev_attr attr = {
		.type = PEV_TYPE_SIDEBAND, .config = PERF_SB_FUNCTION, .flags = side->flags,
		.target = PEV_TARGET_CPUS, .channel_fd = side->channel_fd, .group_fd = -1,
	};
	struct channel *channel = perf_channel_of(&engine->base, side->channel_fd);
	int handle = new_event(engine, &attr, NULL);

	if (handle >= 0)
		perf_channel_set_functions(channel, perf_event_of(&engine->base, handle));
}

int perf_event_new(struct perf_engine *engine, const struct pev_attr *attr, struct pev_error *err)
{
	bool sideband = attr->type == PEV_TYPE_SIDEBAND;
	struct channel *channel = perf_channel_of(&engine->base, attr->channel_fd);
	bool first = sideband && channel && !perf_channel_sideband(channel);
	int handle;

	if (sideband && attr->config >= PEV_SB_MAX)
		return pev_fail(err, EINVAL, 0, "there is no such sideband event");
	handle = new_event(engine, attr, err);
	if (handle >= 0 && first)
		watch_functions(engine, attr);
	return handle;
}

int perf_event_enable(struct event *event, bool on)
{
	event->on = on;
	return control_all(event, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL);
}

int perf_event_reset(struct event *event)
{
	return control_all(event, PERF_EVENT_IOC_RESET, NULL);
}

int perf_event_period(struct event *event, uint64_t period)
{
	event->attr.sample_period = period;
	return control_all(event, PERF_EVENT_IOC_PERIOD, &period);
}

/* CPUs that come later get it, too. */
static int keep_filter(struct event *event, const char *filter, struct pev_error *err)
{
	char *copy = filter ? strdup(filter) : NULL;

	if (filter && !copy)
		return pev_fail(err, ENOMEM, 0, "no memory");
	free(event->filter);
	event->filter = copy;
	return 0;
}

static bool has_fields(const struct event *event)
{
	return event->type == PEV_TYPE_TRACEPOINT || perf_is_probe(&event->attr);
}

int perf_event_filter(struct event *event, const char *filter, struct pev_error *err)
{
	int ret = control_all(event, PERF_EVENT_IOC_SET_FILTER, filter ? filter : "0");

	if (!ret)
		return keep_filter(event, filter, err);
	if (ret == -EINVAL && !has_fields(event))
		return pev_fail(err, EOPNOTSUPP, 0,
				"perf_event_open(2) filters tracepoints and probes only: software "
				"events and timers have filters where the kernel has pev");
	if (ret == -EINVAL)
		return pev_fail(err, EINVAL, 0,
				"the kernel does not understand the filter: compare "
				"fields of the tracepoint with numbers or strings, as in "
				"'prev_prio < 100 && prev_comm == \"make\"'");
	return pev_fail(err, -ret, 0, "the filter: %s", strerror(-ret));
}

static int read_one(const struct event *event, int fd, struct reading *r)
{
	ssize_t want = event->attr.read_format & PERF_FORMAT_LOST_BIT ? 32 : 24, n;

	*r = (struct reading){ 0 };
	do {
		n = read(fd, r, sizeof(*r));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	/* read() gives 0 for a pinned event that found no counter */
	return !n || n == want ? 0 : -EIO;
}

/* Is it the first that is open of those of its task? */
static bool is_first_of_task(const struct event *event, size_t i)
{
	const struct place *at = event->places.at;

	for (size_t k = i; k && at[k - 1].pid == at[i].pid; k--)
		if (event->fds[k - 1] >= 0)
			return false;
	return true;
}

static void add(const struct event *event, size_t i, const struct reading *r,
		struct pev_value *v)
{
	const struct place *at = &event->places.at[i];

	v->value += r->value;
	v->time_running += r->running;
	v->lost += r->lost;
	/* each event of a task is enabled whatever CPU that is on: count the time once */
	if (at->pid < 0 || event->places.cgroup || is_first_of_task(event, i))
		v->time_enabled += r->enabled;
}

int perf_event_read(struct event *event, struct pev_value *value)
{
	struct reading r;
	int ret = 0;

	*value = (struct pev_value){ 0 };
	for (size_t i = 0; i < event->places.nr && !ret; i++) {
		if (event->fds[i] < 0)
			continue;
		ret = read_one(event, event->fds[i], &r);
		add(event, i, &r, value);
	}
	if (!ret && event->channel)
		ret = perf_channel_pump(event->channel);
	value->samples = event->samples;
	if (event->type == PEV_TYPE_WAIT)
		value->value = event->samples;
	/* perf counts them, but they are not what is asked for */
	value->value -= value->value < event->skipped ? value->value : event->skipped;
	value->filtered = event->skipped;
	return ret < 0 ? ret : 0;
}

void perf_event_add_losses(struct event *event, uint64_t *lost)
{
	struct reading r;

	for (size_t i = 0; i < event->places.nr; i++)
		if (event->fds[i] >= 0 && !read_one(event, event->fds[i], &r))
			lost[event->places.at[i].cpu] += r.lost;
}

int perf_event_read_cpus(struct event *event, struct pev_value *values, unsigned int *nr)
{
	unsigned int room = *nr, need = perf_cpus_room();
	struct reading r;
	int ret = 0;

	*nr = need;
	if (room < need)
		return -ENOSPC;
	memset(values, 0, room * sizeof(*values));
	for (size_t i = 0; i < event->places.nr && !ret; i++) {
		int cpu = event->places.at[i].cpu;

		if (cpu < 0)
			return -EOPNOTSUPP;
		if (event->fds[i] < 0 || (unsigned int)cpu >= need)
			continue;
		ret = read_one(event, event->fds[i], &r);
		add(event, i, &r, &values[cpu]);
	}
	return ret;
}

/* Time goes on for an event that is on, unless its CPU went away under it. */
static bool lives(const struct event *event, size_t i)
{
	struct reading before, behind;

	return event->fds[i] >= 0 && event->on && !read_one(event, event->fds[i], &before) &&
	       !read_one(event, event->fds[i], &behind) && behind.enabled > before.enabled;
}

static int add_place(struct event *event, int cpu)
{
	size_t i = event->places.nr;
	int *more = realloc(event->fds, (i + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	event->fds = more;
	more[i] = -1;
	return perf_places_add(&event->places, event->places.at[0].pid, cpu);
}

int perf_event_add_cpu(struct event *event, unsigned int cpu)
{
	size_t i = event->places.nr;
	int ret;

	if (!event->places.mask || !perf_cpus_has(event->places.mask, cpu))
		return 0;
	/* a member counts where its leader does */
	if (event->leader && event->leader->places.nr != i + 1)
		return 0;
	for (size_t k = 0; k < i; k++)
		if (event->places.at[k].cpu == (int)cpu && lives(event, k))
			return 0;
	ret = add_place(event, (int)cpu);
	if (!ret)
		ret = open_at(event, i, NULL);
	if (ret || event->fds[i] < 0)
		return ret;
	if (event->filter)
		ret = control(event->fds[i], PERF_EVENT_IOC_SET_FILTER, event->filter);
	/* what was switched on or off since it was opened */
	if (!ret)
		ret = control(event->fds[i],
			      event->on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL);
	return ret ? ret : 1;
}
