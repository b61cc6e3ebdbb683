// SPDX-License-Identifier: GPL-2.0
/* The time between two events. See latency.h. */
#include "latency.h"
#include "keys.h"

#include <errno.h>
#include <stdlib.h>

/* ---- what is typed ---- */

static int one_key(struct pev_table_key *key, const char *text, struct msg *m)
{
	struct pev_table t = { 0 };
	int err = hist_keys_parse(&t, text, m);

	if (!err && (t.nr_keys != 1 || t.keys[0].bucket != PEV_TABLE_EXACT ||
		     t.keys[0].from & PEV_TABLE_AT_BEGIN))
		return msg_set(m, -EINVAL,
			       "\"%s\": pairs are found by tid, pid, cpu, cgroup or a field", text);
	*key = t.keys[0];
	return err;
}

static int add_pair(struct pev_table *t, char *text, struct msg *m)
{
	char *same = strchr(text, '=');
	int err;

	if (t->nr_pair == PEV_MAX_TABLE_KEYS)
		return msg_set(m, -EINVAL, "--latency: pairs have at most %d keys",
			       PEV_MAX_TABLE_KEYS);
	if (same)
		*same++ = 0;
	err = one_key(&t->begin[t->nr_pair], text, m);
	if (!err)
		err = one_key(&t->end[t->nr_pair], same ? same : text, m);
	t->nr_pair++;
	return err;
}

static int parse_pairs(struct pev_table *t, char *text, struct msg *m)
{
	char *save, *word;
	int err = 0;

	for (word = strtok_r(text, ", ", &save); word && !err; word = strtok_r(NULL, ", ", &save))
		err = add_pair(t, word, m);
	return err;
}

/* "sys_exit_read" behind "syscalls:sys_enter_read.." is of the same system. */
static int add_event(struct event_list *list, const char *first, const char *name, struct msg *m)
{
	size_t system = strcspn(first, ":");
	char *text = strchr(name, ':') || !first[system] ?
			     xstrdup(name) :
			     xasprintf("%.*s:%s", (int)system, first, name);
	int err = event_list_parse(list, text, m);

	if (!err && list->last_n != 1)
		err = msg_set(m, -EINVAL, "--latency: \"%s\" is more than one event", name);
	free(text);
	return err;
}

static int wrong(const char *text, struct msg *m)
{
	return msg_set(m, -EINVAL,
		       "--latency takes two events, what they have in common, and what is to be "
		       "kept of the first, as in block:block_rq_issue..block_rq_complete by "
		       "dev,sector with comm; not \"%s\"",
		       text);
}

/* What is kept of the first event */
static int parse_with(struct pev_table *t, const char *text, struct msg *m)
{
	unsigned int first = t->nr_keys;
	int err = hist_keys_parse(t, text, m);

	for (unsigned int i = first; i < t->nr_keys && !err; i++) {
		if (t->keys[i].from == PEV_TABLE_EVENT || t->keys[i].from == PEV_TABLE_REQUEST)
			err = msg_set(m, -EINVAL,
				      "--latency: \"with\" takes a field, comm, pid, tid, cpu, "
				      "cgroup or call of the first event");
		t->keys[i].from |= PEV_TABLE_AT_BEGIN;
	}
	return err;
}

int hist_latency_parse(struct pev_table *t, struct event_list *list, const char *text,
		       struct msg *m)
{
	char *copy = xstrdup(text), *with = strstr(copy, " with "), *by, *second;
	char tid[] = "tid";
	int err;

	if (with)
		*with = 0;
	by = strstr(copy, " by ");
	second = strstr(copy, "..");
	if (by)
		*by = 0;
	if (!second || second == copy || (by && second > by) || !second[2]) {
		free(copy);
		return wrong(text, m);
	}
	*second = 0;
	second += 2;
	err = add_event(list, copy, copy, m);
	if (!err)
		err = add_event(list, copy, second + strspn(second, " "), m);
	if (!err)
		err = parse_pairs(t, by ? by + 4 : tid, m);
	t->keys[t->nr_keys++] = (struct pev_table_key){
		.from = PEV_TABLE_LATENCY,
		.bucket = PEV_TABLE_EIGHTHS,
	};
	t->value = PEV_TABLE_OF_LATENCY;
	if (!err && with)
		err = parse_with(t, with + 6, m);
	free(copy);
	return err;
}

/* ---- what is made of the buckets ---- */

const char *const hist_quantile_names[HIST_QUANTILES] = {
	[HIST_P50] = "p50",
	[HIST_P90] = "p90",
	[HIST_P99] = "p99",
};

static const double shares[HIST_QUANTILES] = {
	[HIST_P50] = 0.5,
	[HIST_P90] = 0.9,
	[HIST_P99] = 0.99,
};

static uint64_t within(const struct hist_row *row, double part)
{
	return row->min + (uint64_t)((double)(row->max - row->min) * part);
}

static uint64_t quantile(const struct hist_rows *r, size_t first, double share)
{
	double wanted = share * (double)r->v[first].group, seen = 0;
	size_t i = first;

	for (; i + 1 < r->n && !hist_rows_begins(r, i + 1); i++) {
		if (seen + (double)r->v[i].count >= wanted)
			break;
		seen += (double)r->v[i].count;
	}
	wanted -= seen;
	if (wanted > (double)r->v[i].count)
		wanted = (double)r->v[i].count;
	return within(&r->v[i], wanted / (double)r->v[i].count);
}

void hist_quantiles(const struct hist_rows *r, size_t first, uint64_t values[HIST_QUANTILES])
{
	for (int i = 0; i < HIST_QUANTILES; i++)
		values[i] = quantile(r, first, shares[i]);
}

static uint64_t power_of(const struct pev_table_key *key, const struct pev_table_key *power,
			 uint64_t word)
{
	uint64_t low = 0, high = 0, to = 0;

	pev_table_bounds(key, word, &low, &high);
	pev_table_bucket(power, 0, low, &to);
	return to;
}

void hist_rows_coarse(const struct hist_rows *from, struct hist_rows *to, struct pev_table *t)
{
	int axis = hist_axis(from->table);

	*t = *from->table;
	t->keys[axis].bucket = PEV_TABLE_LOG2;
	*to = *from;
	to->table = t;
	to->v = NULL;
	to->n = to->cap = 0;
	for (size_t i = 0; i < from->n; i++) {
		struct hist_row row = from->v[i], *last = to->n ? &to->v[to->n - 1] : NULL;

		row.key[axis][0] = power_of(&from->table->keys[axis], &t->keys[axis],
					    row.key[axis][0]);
		if (!last || hist_rows_begins(from, i) || last->key[axis][0] != row.key[axis][0]) {
			*ARRAY_PUSH(to->v, to->n, to->cap) = row;
			continue;
		}
		last->count += row.count;
		last->sum += row.sum;
		last->min = min_u64(last->min, row.min);
		last->max = max_u64(last->max, row.max);
	}
}
