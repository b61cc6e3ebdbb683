// SPDX-License-Identifier: GPL-2.0
/* Takes names and secrets out of texts. See scrub.h. */
#include "scrub.h"

#include <ctype.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

/* Homes of others, whose names paths would tell */
static const char *const home_roots[] = { "/home/", "/Users/", "/var/home/" };

void scrub_word(struct scrub *s, const char *word, const char *instead)
{
	struct scrub_word *w;

	if (!word || !*word || !strcmp(word, "root"))
		return;
	w = ARRAY_PUSH(s->words, s->n_words, s->cap_words);
	w->word = xstrdup(word);
	w->instead = instead;
}

void scrub_home(struct scrub *s, const char *path)
{
	size_t len = path ? strlen(path) : 0;

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len > 1)
		*ARRAY_PUSH(s->homes, s->n_homes, s->cap_homes) = xstrndup(path, len);
}

static void learn_user(struct scrub *s, const struct passwd *p)
{
	if (!p)
		return;
	scrub_word(s, p->pw_name, "(user)");
	/* not the / and /nonexistent of system users, which are not homes */
	if (p->pw_dir && strcmp(p->pw_dir, "/nonexistent"))
		scrub_home(s, p->pw_dir);
}

void scrub_learn(struct scrub *s)
{
	static const char *const users[] = { "USER", "LOGNAME", "SUDO_USER", "DOAS_USER" };
	char host[HOST_NAME_MAX + 1] = "";

	if (!gethostname(host, sizeof(host) - 1)) {
		scrub_word(s, host, "(host)");
		host[strcspn(host, ".")] = '\0';
		scrub_word(s, host, "(host)");
	}
	scrub_home(s, getenv("HOME"));
	learn_user(s, getpwuid(getuid()));
	for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
		const char *name = getenv(users[i]);

		scrub_word(s, name, "(user)");
		if (name && *name)
			learn_user(s, getpwnam(name));
	}
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Where a path ends that stands in a sentence */
static size_t path_len(const char *s)
{
	return strcspn(s, " \t\n\"'`,;()<>|:");
}

/* Returns how many bytes at @at name a home or what is below one. */
static size_t home_at(const struct scrub *s, const char *at)
{
	for (size_t i = 0; i < s->n_homes; i++) {
		size_t len = strlen(s->homes[i]);

		if (!strncmp(at, s->homes[i], len) && !in_word(at[len]))
			return path_len(at);
	}
	for (size_t i = 0; i < ARRAY_SIZE(home_roots); i++)
		if (!strncmp(at, home_roots[i], strlen(home_roots[i])))
			return path_len(at);
	return 0;
}

/* Returns how many bytes behind "://" are "user:password@". */
static size_t credentials_at(const char *text, const char *at)
{
	size_t len;

	if (at - text < 3 || strncmp(at - 3, "://", 3))
		return 0;
	len = strcspn(at, "/ \t\n\"'");
	while (len && at[len - 1] != '@')
		len--;
	return len;
}

static size_t word_at(const struct scrub *s, const char *text, const char *at,
		      const char **instead)
{
	if (at > text && in_word(at[-1]))
		return 0;
	for (size_t i = 0; i < s->n_words; i++) {
		size_t len = strlen(s->words[i].word);

		if (!strncmp(at, s->words[i].word, len) && !in_word(at[len])) {
			*instead = s->words[i].instead;
			return len;
		}
	}
	return 0;
}

/* Returns how many bytes at @at must go, and what stands for them. */
static size_t secret_at(const struct scrub *s, const char *text, const char *at,
			const char **instead)
{
	size_t len = home_at(s, at);

	*instead = "~/...";
	if (len)
		return len;
	*instead = "(removed)@";
	len = credentials_at(text, at);
	return len ? len : word_at(s, text, at, instead);
}

void scrub_text(const struct scrub *s, struct strbuf *b, const char *text)
{
	const char *at = text, *instead;

	while (*at) {
		size_t len = secret_at(s, text, at, &instead);

		if (len)
			strbuf_puts(b, instead);
		else
			strbuf_putc(b, *at);
		at += len ? len : 1;
	}
}

bool scrub_is_plain(const char *value)
{
	size_t len = strlen(value);

	if (len > 80)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)value[i]) && !strchr("_.,:%+*-", value[i]))
			return false;
	return true;
}

void scrub_free(struct scrub *s)
{
	for (size_t i = 0; i < s->n_words; i++)
		free(s->words[i].word);
	for (size_t i = 0; i < s->n_homes; i++)
		free(s->homes[i]);
	free(s->words);
	free(s->homes);
	*s = (struct scrub){ 0 };
}
