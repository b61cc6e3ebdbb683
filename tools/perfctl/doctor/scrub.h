/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor: takes names of people and machines out of texts that are sent away. */
#ifndef PERFCTL_DOCTOR_SCRUB_H
#define PERFCTL_DOCTOR_SCRUB_H

#include "base/util.h"

/**
 * struct scrub - what must not be in a text
 * @words: whole words that are replaced, with what stands for them
 * @homes: paths whose rests are left out
 */
struct scrub {
	struct scrub_word {
		char *word;
		const char *instead;
	} *words;
	size_t n_words;
	size_t cap_words;
	char **homes;
	size_t n_homes;
	size_t cap_homes;
};

/* Adds a word; NULL, "" and "root" are passed over. */
void scrub_word(struct scrub *s, const char *word, const char *instead);
/* Adds a directory; NULL and "/" are passed over. */
void scrub_home(struct scrub *s, const char *path);
/* Adds the names of this machine, of its user, and of the user behind sudo. */
void scrub_learn(struct scrub *s);
/* Appends @text to @b without all that, and without passwords in URLs. */
void scrub_text(const struct scrub *s, struct strbuf *b, const char *text);
/* Returns whether a setting's value can't hold a path, a URL or a sentence. */
bool scrub_is_plain(const char *value);
void scrub_free(struct scrub *s);

#endif
