/* SPDX-License-Identifier: GPL-2.0 */
/* What the words of a row's key mean. */
#ifndef PERFCTL_HIST_WORDS_H
#define PERFCTL_HIST_WORDS_H

#include "event/cgroups.h"
#include "event/plan.h"

/**
 * struct hist_words - what names words have
 * @plan:    the events
 * @cgroups: by their numbers
 */
struct hist_words {
	const struct event_plan *plan;
	struct cgroup_names cgroups;
};

/* Cgroups may have come since: reads them when the next number is to be looked up. */
void hist_words_refresh(struct hist_words *w);
/* Appends the bare name or number; of a key with buckets, the least value. */
void hist_word_plain(struct strbuf *b, struct hist_words *w, const struct pev_table_key *key,
		     const uint64_t *word);
/* The same for people: safe for terminals, "512 to 1,023" of a bucket. */
void hist_word_shown(struct strbuf *b, struct hist_words *w, const struct pev_table_key *key,
		     const uint64_t *word);
/* Is it shown as a number, so that JSON has one, too? */
bool hist_word_is_number(const struct pev_table_key *key);
void hist_words_free(struct hist_words *w);

#endif
