// SPDX-License-Identifier: GPL-2.0
/* Parses keys of tables. See keys.h. */
#include "keys.h"
#include "cli/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

static const char *const key_names[PEV_TABLE_FROM_MAX] = {
	[PEV_TABLE_PID] = "pid",	 [PEV_TABLE_TID] = "tid",
	[PEV_TABLE_COMM] = "comm",	 [PEV_TABLE_CPU] = "cpu",
	[PEV_TABLE_CGROUP] = "cgroup",	 [PEV_TABLE_EVENT] = "event",
	[PEV_TABLE_SYSCALL] = "call",	 [PEV_TABLE_LATENCY] = "latency",
	[PEV_TABLE_REQUEST] = "request",
};

/**
 * struct scan - a text that is parsed
 * @at:   what is left of it
 * @text: all of it, for messages
 */
struct scan {
	const char *at;
	const char *text;
	struct msg *m;
};

static void skip_blanks(struct scan *s)
{
	s->at += strspn(s->at, " \t");
}

static int unexpected(const struct scan *s, const char *wanted)
{
	return msg_set(s->m, -EINVAL, "\"%s\": %s is wanted at \"%s\"", s->text, wanted,
		       *s->at ? s->at : "the end");
}

static int expect(struct scan *s, char c)
{
	char wanted[] = { '"', c, '"', 0 };

	skip_blanks(s);
	if (*s->at != c)
		return unexpected(s, wanted);
	s->at++;
	return 0;
}

static int take_name(struct scan *s, char name[PEV_MAX_TABLE_NAME])
{
	size_t len = 0;

	skip_blanks(s);
	while (isalnum((unsigned char)s->at[len]) || s->at[len] == '_')
		len++;
	if (!len)
		return unexpected(s, "a name");
	if (len >= PEV_MAX_TABLE_NAME)
		return msg_set(s->m, -EINVAL, "\"%s\": names have at most %d bytes", s->text,
			       PEV_MAX_TABLE_NAME - 1);
	memcpy(name, s->at, len);
	name[len] = 0;
	s->at += len;
	return 0;
}

/* Is what follows the name the beginning of something in parentheses? */
static bool opens(const struct scan *s)
{
	return s->at[strspn(s->at, " \t")] == '(';
}

/* FIELD, of which @name is the first word */
static int rest_of_field(struct scan *s, char name[PEV_MAX_TABLE_NAME])
{
	int err;

	if (strcmp(name, "field") || !opens(s))
		return 0;
	err = expect(s, '(');
	if (!err)
		err = take_name(s, name);
	return err ? err : expect(s, ')');
}

static int take_field(struct scan *s, char name[PEV_MAX_TABLE_NAME])
{
	int err = take_name(s, name);

	return err ? err : rest_of_field(s, name);
}

static int take_step(struct scan *s, uint64_t *step)
{
	char digits[24];
	size_t len;

	if (expect(s, ','))
		return msg_set(s->m, -EINVAL,
			       "\"%s\": linear() needs the width of a bucket, as in "
			       "linear(NAME,100)",
			       s->text);
	skip_blanks(s);
	len = strspn(s->at, "0123456789");
	snprintf(digits, sizeof(digits), "%.*s", (int)len, s->at);
	if (len >= sizeof(digits) || parse_u64(digits, step) || !*step)
		return unexpected(s, "a whole number, 1 or more,");
	s->at += len;
	return 0;
}

static int take_bucket(struct scan *s, struct pev_table_key *key, const char *function)
{
	struct suggestion near = { .word = function };
	int err;

	if (!strcmp(function, "log2")) {
		key->bucket = PEV_TABLE_LOG2;
	} else if (!strcmp(function, "linear")) {
		key->bucket = PEV_TABLE_LINEAR;
	} else {
		suggest_offer(&near, "log2");
		suggest_offer(&near, "linear");
		return msg_set(s->m, -EINVAL,
			       "\"%s\": there is no %s()%s%s%s; there are log2(NAME), "
			       "linear(NAME,STEP), field(NAME) and begin(KEY)",
			       s->text, function, near.best ? ", did you mean " : "",
			       near.best ? near.best : "", near.best ? "()" : "");
	}
	key->from = PEV_TABLE_FIELD;
	err = expect(s, '(');
	if (!err)
		err = take_field(s, key->name);
	if (!err && key->bucket == PEV_TABLE_LINEAR) {
		uint64_t step = 0;

		err = take_step(s, &step);
		key->step = step;
	}
	return err ? err : expect(s, ')');
}

static int from_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(key_names); i++)
		if (i != PEV_TABLE_LATENCY && key_names[i] && !strcmp(key_names[i], name))
			return (int)i;
	return PEV_TABLE_FIELD;
}

static int take_key(struct scan *s, struct pev_table_key *key);

/* What is in the parentheses of begin() */
static int take_begin(struct scan *s, struct pev_table_key *key)
{
	int err = expect(s, '(');

	if (!err)
		err = take_key(s, key);
	if (!err && (key->from & PEV_TABLE_AT_BEGIN || key->from == PEV_TABLE_EVENT ||
		     key->from == PEV_TABLE_REQUEST))
		err = msg_set(s->m, -EINVAL,
			      "\"%s\": begin() takes a field, comm, pid, tid, cpu, "
			      "cgroup or call",
			      s->text);
	key->from |= PEV_TABLE_AT_BEGIN;
	return err ? err : expect(s, ')');
}

static int take_key(struct scan *s, struct pev_table_key *key)
{
	char word[PEV_MAX_TABLE_NAME];
	int err = take_name(s, word);

	if (err)
		return err;
	if (!strcmp(word, "begin") && opens(s))
		return take_begin(s, key);
	if (strcmp(word, "field") && opens(s))
		return take_bucket(s, key, word);
	if (!opens(s) && (!strcmp(word, "kstack") || !strcmp(word, "ustack")))
		return msg_set(s->m, -EINVAL,
			       "\"%s\": call chains are counted by \"perfctl record --fold\", and "
			       "shown by report and flame; field(%s) is a field of that name",
			       s->text, word);
	key->from = (uint32_t)(opens(s) ? PEV_TABLE_FIELD : from_of(word));
	err = rest_of_field(s, word);
	if (!err && key->from == PEV_TABLE_FIELD)
		strcpy(key->name, word);
	return err;
}

/* True if another key follows. */
static bool skip_separator(struct scan *s)
{
	skip_blanks(s);
	if (*s->at == ',') {
		s->at++;
		return true;
	}
	if (!strncmp(s->at, "by", 2) && (isblank((unsigned char)s->at[2]) || !s->at[2])) {
		s->at += 2;
		return true;
	}
	return *s->at;
}

int hist_keys_parse(struct pev_table *t, const char *text, struct msg *m)
{
	struct scan s = { .at = text, .text = text, .m = m };

	do {
		int err;

		if (t->nr_keys == PEV_MAX_TABLE_KEYS)
			return msg_set(m, -EINVAL, "\"%s\": there are at most %d keys", text,
				       PEV_MAX_TABLE_KEYS);
		err = take_key(&s, &t->keys[t->nr_keys]);
		if (err)
			return err;
		t->nr_keys++;
	} while (skip_separator(&s));
	return 0;
}

int hist_value_parse(struct pev_table *t, const char *text, struct msg *m)
{
	struct scan s = { .at = text, .text = text, .m = m };
	char name[PEV_MAX_TABLE_NAME];
	bool plain;
	int err = take_name(&s, name);

	plain = !err && !opens(&s);
	if (!err)
		err = rest_of_field(&s, name);
	if (err)
		return err;
	skip_blanks(&s);
	if (*s.at)
		return msg_set(m, -EINVAL, "--sum takes the name of a field, or period, not \"%s\"",
			       text);
	if (plain && !strcmp(name, "period")) {
		t->value = PEV_TABLE_PERIOD;
	} else {
		t->value = PEV_TABLE_OF_FIELD;
		strcpy(t->field, name);
	}
	return 0;
}

const char *hist_key_name(const struct pev_table_key *key)
{
	uint32_t from = hist_key_from(key);

	return from == PEV_TABLE_FIELD ? key->name : key_names[from];
}

const char *hist_key_text(const struct pev_table_key *key, char buf[HIST_KEY_TEXT])
{
	bool begin = key->from & PEV_TABLE_AT_BEGIN;
	const char *name = hist_key_name(key), *before = begin ? "begin(" : "",
		   *behind = begin ? ")" : "";

	if (key->bucket == PEV_TABLE_LOG2)
		snprintf(buf, HIST_KEY_TEXT, "%slog2(%s)%s", before, name, behind);
	else if (key->bucket == PEV_TABLE_EIGHTHS)
		snprintf(buf, HIST_KEY_TEXT, "%seighths(%s)%s", before, name, behind);
	else if (key->bucket == PEV_TABLE_LINEAR)
		snprintf(buf, HIST_KEY_TEXT, "%slinear(%s,%" PRIu64 ")%s", before, name,
			 (uint64_t)key->step, behind);
	else if (hist_key_from(key) == PEV_TABLE_FIELD && from_of(name) != PEV_TABLE_FIELD)
		snprintf(buf, HIST_KEY_TEXT, "%sfield(%s)%s", before, name, behind);
	else
		snprintf(buf, HIST_KEY_TEXT, "%s%s%s", before, name, behind);
	return buf;
}

int hist_axis(const struct pev_table *t)
{
	for (unsigned int i = 0; i < t->nr_keys; i++)
		if (t->keys[i].bucket != PEV_TABLE_EXACT)
			return (int)i;
	return -1;
}
