// SPDX-License-Identifier: GPL-2.0
/* Names of numbers in keys. See words.h. */
#include "words.h"
#include "keys.h"
#include "base/text.h"

#include <inttypes.h>

/* Numbers below are addresses of the kernel rather than less than nothing. */
#define LEAST_NUMBER (-(1LL << 46))

void hist_words_refresh(struct hist_words *w)
{
	cgroup_names_refresh(&w->cgroups);
}

void hist_words_free(struct hist_words *w)
{
	cgroup_names_free(&w->cgroups);
}

bool hist_word_is_number(const struct pev_table_key *key)
{
	uint32_t from = hist_key_from(key);

	return from == PEV_TABLE_PID || from == PEV_TABLE_TID || from == PEV_TABLE_CPU ||
	       from == PEV_TABLE_FIELD || from == PEV_TABLE_LATENCY;
}

static void put_call(struct strbuf *b, int64_t nr)
{
	const char *name = nr >= 0 && nr < INT32_MAX ? pev_syscall_name((unsigned int)nr) : NULL;

	if (nr < 0)
		strbuf_puts(b, "none");
	else if (name)
		strbuf_puts(b, name);
	else
		strbuf_addf(b, "syscall_%" PRId64, nr);
}

/* Of keys that are no numbers */
static void put_name(struct strbuf *b, struct hist_words *w, const struct pev_table_key *key,
		     const uint64_t *word)
{
	const char *path = NULL;

	switch (hist_key_from(key)) {
	case PEV_TABLE_COMM:
		strbuf_add(b, word, strnlen((const char *)word, 2 * sizeof(*word)));
		break;
	case PEV_TABLE_CGROUP:
		path = cgroup_names_path(&w->cgroups, *word);
		if (path)
			strbuf_puts(b, path);
		else
			strbuf_addf(b, "cgroup %" PRIu64, *word);
		break;
	case PEV_TABLE_REQUEST:
		if (word[0] || word[1])
			strbuf_addf(b, "%016" PRIx64 "%016" PRIx64, word[0], word[1]);
		else
			strbuf_puts(b, "none");
		break;
	case PEV_TABLE_EVENT:
		if (*word < w->plan->n)
			strbuf_puts(b, w->plan->events[*word].label);
		break;
	default:
		put_call(b, (int64_t)*word);
	}
}

void hist_word_plain(struct strbuf *b, struct hist_words *w, const struct pev_table_key *key,
		     const uint64_t *word)
{
	uint64_t low, high;

	if (!hist_word_is_number(key))
		put_name(b, w, key, word);
	else if (!pev_table_bounds(key, *word, &low, &high))
		strbuf_addf(b, "%" PRId64, (int64_t)low);
}

static void put_number(struct strbuf *b, uint64_t v, bool separated)
{
	int64_t number = (int64_t)v;
	char buf[32];

	if (number < LEAST_NUMBER)
		strbuf_addf(b, "0x%" PRIx64, v);
	else if (!separated)
		strbuf_addf(b, "%" PRId64, number);
	else
		strbuf_addf(b, "%s%s", number < 0 ? "-" : "", text_count(buf, number < 0 ? -v : v));
}

/* "1.02 us to 2.05 us": from so much to less than that */
static void put_times(struct strbuf *b, uint64_t low, uint64_t high)
{
	char from[32], to[32];

	strbuf_addf(b, "%s to %s", text_ns(from, low), text_ns(to, high + (high < UINT64_MAX)));
}

void hist_word_shown(struct strbuf *b, struct hist_words *w, const struct pev_table_key *key,
		     const uint64_t *word)
{
	uint64_t low, high;

	if (!hist_word_is_number(key)) {
		struct strbuf name = { 0 };

		put_name(&name, w, key, word);
		text_name(b, name.len ? name.s : "");
		strbuf_free(&name);
		return;
	}
	if (pev_table_bounds(key, *word, &low, &high))
		return;
	if (key->from == PEV_TABLE_LATENCY) {
		put_times(b, low, high);
		return;
	}
	/* numbers of processes and the like have no separators anywhere */
	put_number(b, low, key->bucket != PEV_TABLE_EXACT);
	if (low != high) {
		strbuf_puts(b, " to ");
		put_number(b, high, true);
	}
}
