// SPDX-License-Identifier: GPL-2.0
/* Reads the user's configuration. See config.h. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static char *config_path(void)
{
	const char *path = getenv("PERFCTL_CONFIG"), *dir = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (path)
		return *path ? xstrdup(path) : NULL;
	if (dir && *dir)
		return xasprintf("%s/perfctl/config", dir);
	return home && *home ? xasprintf("%s/.config/perfctl/config", home) : NULL;
}

static char *trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	for (end = s + strlen(s); end > s && isspace((unsigned char)end[-1]);)
		*--end = 0;
	return s;
}

/* Turns "name = value" into "--name=value", "name = no" into "--no-name". */
static char *word_of(char *line)
{
	char *eq = strchr(line, '='), *name, *value;

	if (eq)
		*eq = 0;
	name = trim(line);
	value = eq ? trim(eq + 1) : NULL;
	if (!*name || strpbrk(name, " \t"))
		return NULL;
	if (!value || !strcmp(value, "yes") || !strcmp(value, "true"))
		return xasprintf("--%s", name);
	if (!strcmp(value, "no") || !strcmp(value, "false"))
		return xasprintf("--no-%s", name);
	return xasprintf("--%s=%s", name, value);
}

int config_words(const char *command, char ***words, int *n, struct msg *m)
{
	char *path = config_path(), *text = path ? file_read(path, NULL) : NULL, *save, *line;
	size_t count = 0, cap = 0;
	bool ours = false;
	int err = 0;

	*words = NULL;
	for (line = strtok_r(text ? text : (char[]){ 0 }, "\n", &save); line && !err;
	     line = strtok_r(NULL, "\n", &save)) {
		char *word;

		line = trim(line);
		if (!*line || *line == '#')
			continue;
		if (*line == '[') {
			ours = strlen(line) == strlen(command) + 2 && line[strlen(line) - 1] == ']' &&
			       !strncmp(line + 1, command, strlen(command));
			continue;
		}
		if (!ours)
			continue;
		if (!count)
			*ARRAY_PUSH(*words, count, cap) = xstrdup(command);
		word = word_of(line);
		if (word)
			*ARRAY_PUSH(*words, count, cap) = word;
		else
			err = msg_set(m, -EINVAL, "%s: \"%s\" is no \"option = value\"", path, line);
	}
	*n = (int)count;
	free(text);
	free(path);
	return err;
}
