// SPDX-License-Identifier: GPL-2.0
/*
 * Counts by key without tables: the events are opened once for each process or cgroup
 * that is there at the start, or read by CPU. See source.h.
 */
#include "source.h"
#include "base/say.h"
#include "procs/stat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static enum by_kind kind_of(const struct by_source *s)
{
	return s->keys->kind[0];
}

static bool is_machine(const struct target *t)
{
	return t->type == PEV_TARGET_CPUS;
}

static bool of_cgroups(const struct by_source *s)
{
	return kind_of(s) == BY_CGROUP || kind_of(s) == BY_SERVICE;
}

#define NO_TABLES "perf_event_open(2) has no tables: "

static int ids_check(const struct by_source *s, struct msg *m)
{
	const struct target *t = s->target;
	enum by_kind kind = kind_of(s);

	if (s->keys->n > 1)
		return msg_set(m, -ENOSYS, NO_TABLES "--by takes one name there");
	if (of_cgroups(s) && !is_machine(t))
		return msg_set(m, -ENOSYS,
			       NO_TABLES "--by %s counts each cgroup for itself there, "
					 "with -a or -C, or the threads of a command, -p and -t",
			       by_kind_name(kind));
	if (kind == BY_CPU && !is_machine(t) && t->type != PEV_TARGET_CGROUP)
		return msg_set(m, -ENOSYS, NO_TABLES "it counts by CPU with -a, -C and -G only");
	return 0;
}

/* Counters for each cgroup that there is now. */
static int find_cgroups(struct by_source *s, struct msg *m)
{
	size_t cap = 0;

	cgroup_names_look(&s->cgroups);
	s->own = (struct target){ .type = PEV_TARGET_CGROUP };
	cpulist_copy(&s->own.cpus, &s->target->cpus);
	for (size_t i = 0; i < s->cgroups.n; i++) {
		int fd = cgroup_names_open(&s->cgroups.v[i]);

		*ARRAY_PUSH(s->own.ids, s->own.n_ids, cap) = fd;
		if (fd < 0)
			return msg_set(m, fd, "%s: %s", s->cgroups.v[i].path, strerror(-fd));
	}
	if (!s->own.n_ids)
		return msg_set(m, -ENOENT, "there is no cgroup v2 hierarchy at /sys/fs/cgroup");
	note("perf_event_open(2) counts the cgroups that are there now, each with counters of its own: "
	     "what is made later counts as the one that it is made in");
	return 0;
}

/* Each process of -p has counters that its threads inherit. */
static void find_processes(struct by_source *s)
{
	size_t cap = 0;

	s->own = (struct target){ .type = PEV_TARGET_PROCESS };
	s->own_comm = xcalloc(s->target->n_ids + 1, sizeof(*s->own_comm));
	for (size_t i = 0; i < s->target->n_ids; i++) {
		struct proc_stat stat;

		proc_stat_read(&stat, (uint32_t)s->target->ids[i]);
		s->own_comm[i] = xstrdup(stat.comm);
		*ARRAY_PUSH(s->own.ids, s->own.n_ids, cap) = s->target->ids[i];
	}
}

static int ids_open(struct by_source *s, uint64_t flags, struct msg *m)
{
	int err = 0;

	if (kind_of(s) == BY_CPU)
		return event_set_open(&s->set, s->plan, s->target, flags, m);
	if (of_cgroups(s))
		err = find_cgroups(s, m);
	else
		find_processes(s);
	return err ? err : event_set_open(&s->set, s->plan, &s->own, flags, m);
}

/* What @id of @event counted since it was asked last. */
static uint64_t *before_of(struct by_source *s, size_t n, size_t event)
{
	if (!s->own_before)
		s->own_before = xcalloc(n * s->plan->n, sizeof(*s->own_before));
	return s->own_before + event * n;
}

static uint64_t key_of(struct by_source *s, struct by_rows *to, size_t id)
{
	if (of_cgroups(s))
		return by_cgroup_name(s, to, kind_of(s), s->cgroups.v[id].id);
	return kind_of(s) == BY_CPU ? id : (uint64_t)s->own.ids[id];
}

/* A cgroup's counter has those below it, too, which are counted as themselves. */
static void leave_out_below(const struct by_source *s, uint64_t *values, size_t n)
{
	uint64_t *below = xcalloc(n, sizeof(*below));

	for (size_t i = 1; i < n; i++)
		below[s->cgroups.v[i].parent] += values[i];
	for (size_t i = 0; i < n; i++)
		values[i] -= min_u64(values[i], below[i]);
	free(below);
}

/* Returns the sum of what came. */
static uint64_t add_values(struct by_source *s, struct by_rows *to, size_t event,
			   const uint64_t *values, size_t n)
{
	uint64_t *before = before_of(s, n, event), sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t key[BY_MAX] = { 0 }, value = values[i] - before[i];

		/* cgroups are read one after the other, and what is below may be ahead */
		if ((int64_t)value <= 0)
			continue;
		before[i] = values[i];
		key[0] = key_of(s, to, i);
		by_rows_add(to, key, s->own_comm ? s->own_comm[i] : NULL, event, value);
		sum += value;
	}
	return sum;
}

/* Returns the values of an event, @n of them; NULL with the sentence in @m. */
static uint64_t *read_event(const struct by_source *s, size_t event, size_t *n, struct msg *m)
{
	struct pev_value *values = NULL;
	uint64_t *numbers = NULL;
	unsigned int cpus;
	int err;

	*n = s->set.n_ids;
	if (kind_of(s) == BY_CPU) {
		err = event_set_read_cpus(&s->set, event, &values, &cpus, m);
		*n = cpus;
	} else {
		values = xcalloc(*n, sizeof(*values));
		err = event_set_read_ids(&s->set, event, values, m);
	}
	if (!err)
		numbers = xcalloc(*n, sizeof(*numbers));
	for (size_t i = 0; numbers && i < *n; i++)
		numbers[i] = values[i].value;
	free(values);
	return numbers;
}

static int ids_fetch(struct by_source *s, struct by_counts *to, struct msg *m)
{
	for (size_t i = 0; i < s->plan->n; i++) {
		uint64_t *values, sum;
		size_t n;

		if (s->plan->events[i].refused)
			continue;
		values = read_event(s, i, &n, m);
		if (!values)
			return -EIO;
		if (of_cgroups(s))
			leave_out_below(s, values, n);
		sum = add_values(s, &to->rows, i, values, n);
		/* counters of cgroups overlap: their own sum would count most of it twice */
		if (of_cgroups(s))
			to->total[i] = sum;
		free(values);
	}
	return 0;
}

static void ids_close(struct by_source *s)
{
	event_set_close(&s->set);
	for (size_t i = 0; i < s->own.n_ids; i++) {
		if (s->own_comm)
			free(s->own_comm[i]);
		/* target_free() closes the first */
		if (s->own.type == PEV_TARGET_CGROUP && i && s->own.ids[i] >= 0)
			close(s->own.ids[i]);
	}
	free(s->own_comm);
	free(s->own_before);
	s->own_comm = NULL;
	s->own_before = NULL;
	target_free(&s->own);
}

const struct by_source_ops by_ids = {
	.check = ids_check,
	.open = ids_open,
	.fetch = ids_fetch,
	.close = ids_close,
};
