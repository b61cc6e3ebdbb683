// SPDX-License-Identifier: GPL-2.0
/* Adds up what a store has by labels. See sums.h. */
#include "sums.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

static const struct label {
	const char *name;
	enum store_name kind;
} labels[LABELS] = {
	[LABEL_HOST] = { "host", STORE_HOST },
	[LABEL_SERVICE] = { "service", STORE_SERVICE },
	[LABEL_VERSION] = { "version", STORE_SERVICE },
};

const char *sums_label(int label)
{
	return labels[label].name;
}

int sums_parse_by(struct sums *s, const char *by, struct msg *m)
{
	char *copy = xstrdup(by), *next = copy, *word;
	int err = 0, l;

	while (!err && (word = strsep(&next, ","))) {
		for (l = 0; l < LABELS && strcmp(word, labels[l].name); l++)
			;
		if (l == LABELS)
			err = msg_set(m, -EINVAL,
				      "--by %s: host, service and version are what samples of a "
				      "store have",
				      word);
		else
			s->by[l] = true;
	}
	free(copy);
	return err;
}

struct pull_shape sums_shape(const struct sums *s)
{
	return (struct pull_shape){ .host = s->by[LABEL_HOST],
				    .service = s->by[LABEL_SERVICE] || s->by[LABEL_VERSION] };
}

/* ---- the event ---- */

static const char *event_name(const struct answer *a, unsigned int n, uint64_t id)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct answer_name *name = answer_name(&a[i], STORE_EVENT, id);

		if (name)
			return name->name;
	}
	return "unknown";
}

/* Samples of an event, of all spans */
struct event_sum {
	uint64_t id;
	uint64_t samples;
};

static size_t sum_events(const struct answer *a, unsigned int spans, struct event_sum **sums)
{
	size_t n = 0, cap = 0, at = 0;

	for (unsigned int span = 0; span < spans; span++) {
		for (size_t i = 0; i < a[span].n_rows; i++) {
			const struct answer_row *row = &a[span].rows[i];

			/* the row before was mostly of the same event */
			if (at >= n || (*sums)[at].id != row->event)
				for (at = 0; at < n && (*sums)[at].id != row->event; at++)
					;
			if (at == n)
				*ARRAY_PUSH(*sums, n, cap) = (struct event_sum){ row->event, 0 };
			(*sums)[at].samples += row->samples;
		}
	}
	return n;
}

static int choose_event(struct sums *s, const struct answer *a, const char *wanted, struct msg *m)
{
	struct event_sum *sums = NULL;
	size_t n = sum_events(a, s->spans, &sums);
	uint64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		if (sums[i].samples <= most ||
		    (wanted && strcmp(event_name(a, s->spans, sums[i].id), wanted)))
			continue;
		most = sums[i].samples;
		s->id = sums[i].id;
	}
	free(sums);
	if (!most)
		return msg_set(m, -ENODATA, "the store has no samples of %s in that time",
			       wanted ? wanted : "any event");
	s->event = xstrdup(event_name(a, s->spans, s->id));
	s->clock = !strcmp(s->event, "cpu-clock") || !strcmp(s->event, "task-clock");
	return 0;
}

/* ---- rows ---- */

static const char *text_of(const struct sums *s, const struct answer *a, int label,
			   const struct answer_row *row)
{
	const struct answer_name *n;

	if (!s->by[label])
		return "";
	n = answer_name(a, labels[label].kind, label == LABEL_HOST ? row->host : row->service);
	if (label == LABEL_VERSION)
		return n ? n->more : "";
	return n ? n->name : "unknown";
}

/* The row of the same labels */
static struct sums_row *find_row(struct sums *s, const struct answer *a,
				 const struct answer_row *row)
{
	struct strbuf key = { 0 };
	struct sums_row *r;
	uint32_t nr;

	for (int l = 0; l < LABELS; l++) {
		const char *text = text_of(s, a, l, row);

		/* a length, as names have any bytes */
		strbuf_addf(&key, "%zu %s", strlen(text), text);
	}
	nr = strtab_id(&s->names, key.s);
	strbuf_free(&key);
	if (nr < s->n)
		return &s->rows[nr];
	r = ARRAY_PUSH(s->rows, s->n, s->cap);
	for (int l = 0; l < LABELS; l++)
		r->text[l] = xstrdup(text_of(s, a, l, row));
	for (unsigned int span = 0; span < s->spans; span++)
		r->block[span] = xcalloc(s->nr[span], sizeof(double));
	return r;
}

static void add_up(struct sums *s, unsigned int span, const struct answer *a)
{
	const struct store_query *q = &s->query[span];

	for (size_t i = 0; i < a->n_rows; i++) {
		const struct answer_row *row = &a->rows[i];
		uint32_t block = row->time < q->from ? 0 : (row->time - q->from) / q->step;
		struct sums_row *r;

		/* the rest of the span makes no whole block */
		if (row->event != s->id || block >= s->nr[span])
			continue;
		r = find_row(s, a, row);
		r->block[span][block] += (double)row->weight;
		r->samples[span] += row->samples;
	}
}

int sums_ask(struct sums *s, const struct pull_opts *o, const char *event, struct msg *m)
{
	struct answer answers[SUMS_SPANS] = { 0 };
	int err = 0;

	for (unsigned int i = 0; i < s->spans && !err; i++) {
		s->query[i].sums = true;
		s->nr[i] = (s->query[i].to - s->query[i].from) / s->query[i].step;
		err = pull_answer(o, &s->query[i], &answers[i], m);
	}
	if (!err)
		err = choose_event(s, answers, event, m);
	for (unsigned int i = 0; i < s->spans; i++) {
		if (!err)
			add_up(s, i, &answers[i]);
		answer_free(&answers[i]);
	}
	return err;
}

void sums_free(struct sums *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (int l = 0; l < LABELS; l++)
			free(s->rows[i].text[l]);
		for (unsigned int span = 0; span < s->spans; span++)
			free(s->rows[i].block[span]);
	}
	free(s->rows);
	free(s->event);
	strtab_free(&s->names);
	*s = (struct sums){ 0 };
}

/* ---- labels as columns ---- */

static bool is_last(const struct sums *s, int label)
{
	while (++label < LABELS)
		if (s->by[label])
			return false;
	return true;
}

/* Names are others' choice: made safe for a terminal. */
static void put_label(const struct sums_row *row, int label, struct strbuf *b)
{
	strbuf_reset(b);
	text_name(b, *row->text[label] ? row->text[label] : "-");
}

void sums_measure(const struct sums *s, const struct sums_row *row, struct sums_widths *w)
{
	struct strbuf b = { 0 };

	for (int l = 0; l < LABELS; l++) {
		w->of[l] = max_u64(w->of[l], strlen(labels[l].name));
		if (!row || !s->by[l])
			continue;
		put_label(row, l, &b);
		w->of[l] = max_u64(w->of[l], text_width(b.s));
	}
	strbuf_free(&b);
}

void sums_print_head(const struct sums *s, const struct sums_widths *w)
{
	for (int l = 0; l < LABELS; l++)
		if (s->by[l])
			printf("  %-*s", is_last(s, l) ? 0 : (int)w->of[l], labels[l].name);
}

void sums_print_labels(const struct sums *s, const struct sums_row *row,
		       const struct sums_widths *w)
{
	struct strbuf b = { 0 };

	for (int l = 0; l < LABELS; l++) {
		if (!s->by[l])
			continue;
		put_label(row, l, &b);
		printf("  %s%*s", b.s, is_last(s, l) ? 0 : (int)(w->of[l] - text_width(b.s)), "");
	}
	strbuf_free(&b);
}
