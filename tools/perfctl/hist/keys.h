/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses what perfctl hist counts by, and what it sums up.
 *
 *	KEYS	:= KEY { [ "by" | "," ] KEY }
 *	KEY	:= "comm" | "pid" | "tid" | "cpu" | "cgroup" | "event" | "call" | "request" |
 *		   FIELD | "log2(" FIELD ")" | "linear(" FIELD "," STEP ")" | "begin(" KEY ")"
 *	FIELD	:= NAME | "field(" NAME ")"
 *	VALUE	:= "period" | FIELD
 *
 * "field(pid)" is the field of that name, and not the process. What log2() and linear() have
 * is always a field. "begin(comm)" is what the event had that began a pair.
 */
#ifndef PERFCTL_HIST_KEYS_H
#define PERFCTL_HIST_KEYS_H

#include "base/util.h"

#include <pev/pev.h>

/* Room for the text of a key */
#define HIST_KEY_TEXT (PEV_MAX_TABLE_NAME + 48)

/* PEV_TABLE_PID and so on, wherever the pair had it */
static inline uint32_t hist_key_from(const struct pev_table_key *key)
{
	return key->from & ~PEV_TABLE_AT_BEGIN;
}

/* Appends the keys of a text to those of @t; returns 0, or -EINVAL with a sentence. */
int hist_keys_parse(struct pev_table *t, const char *text, struct msg *m);
/* Sets what @t sums up. */
int hist_value_parse(struct pev_table *t, const char *text, struct msg *m);
/* Has it two words, which are no number? */
static inline bool hist_key_is_wide(const struct pev_table_key *key)
{
	uint32_t from = hist_key_from(key);

	return from == PEV_TABLE_COMM || from == PEV_TABLE_REQUEST;
}

/* The key as it may be typed; returns @buf */
const char *hist_key_text(const struct pev_table_key *key, char buf[HIST_KEY_TEXT]);
/* What it is made of, without log2() and linear() */
const char *hist_key_name(const struct pev_table_key *key);
/* Which key has the bars: the first one with buckets; -1: none */
int hist_axis(const struct pev_table *t);

#endif
