// SPDX-License-Identifier: GPL-2.0
/* How durations are spread. See durations.h. */
#include "durations.h"
#include "base/text.h"

#include <stdlib.h>

void durations_add(struct durations *s, uint64_t ns)
{
	*ARRAY_PUSH(s->v, s->n, s->cap) = ns;
	s->sum += ns;
	s->sorted = false;
}

void durations_merge(struct durations *s, const struct durations *more)
{
	for (size_t i = 0; i < more->n; i++)
		durations_add(s, more->v[i]);
}

static int by_length(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t durations_at(struct durations *s, double percent)
{
	double nth = percent / 100 * (double)s->n;
	size_t i = (size_t)nth;

	if (!s->n)
		return 0;
	if (!s->sorted)
		qsort(s->v, s->n, sizeof(*s->v), by_length);
	s->sorted = true;
	/* the nearest rank */
	if (i && (double)i >= nth)
		i--;
	return s->v[i < s->n ? i : s->n - 1];
}

uint64_t durations_mean(const struct durations *s)
{
	return s->n ? s->sum / s->n : 0;
}

void durations_free(struct durations *s)
{
	free(s->v);
	*s = (struct durations){ 0 };
}

const char *durations_heading(void)
{
	return "      Total    Times       Mean       50 %       95 %       99 %       Most";
}

void durations_columns(struct durations *s, struct strbuf *b)
{
	const uint64_t columns[] = { durations_mean(s), durations_at(s, 50), durations_at(s, 95),
				     durations_at(s, 99), durations_at(s, 100) };
	char text[32];

	strbuf_addf(b, "%11s", text_ns(text, s->sum));
	strbuf_addf(b, "  %7s", text_count(text, s->n));
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		strbuf_addf(b, "  %9s", text_ns(text, columns[i]));
}

void durations_json(struct durations *s, const char *name, struct json *j)
{
	json_open(j, name, '{');
	json_u64(j, "total_ns", s->sum);
	json_u64(j, "times", s->n);
	json_u64(j, "mean_ns", durations_mean(s));
	json_u64(j, "p50_ns", durations_at(s, 50));
	json_u64(j, "p95_ns", durations_at(s, 95));
	json_u64(j, "p99_ns", durations_at(s, 99));
	json_u64(j, "most_ns", durations_at(s, 100));
	json_close(j, '}');
}
