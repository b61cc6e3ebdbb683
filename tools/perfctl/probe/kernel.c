// SPDX-License-Identifier: GPL-2.0
/* Reads the names of the kernel's functions. See kernel.h. */
#include "kernel.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>

/* "ffffffff81000000 T name	[module]" */
static bool parse_line(char *line, struct kernel_function *f)
{
	char *type = strchr(line, ' '), *name, *end, *module;

	if (!type || !type[1] || !strchr("tTwW", type[1]) || type[2] != ' ')
		return false;
	name = type + 3;
	end = name + strcspn(name, "\t\n ");
	module = strchr(end, '[');
	*end = '\0';
	if (module)
		module[strcspn(module, "]")] = '\0';
	*f = (struct kernel_function){ .name = name, .module = module ? module + 1 : NULL,
				       .count = 1 };
	return !strstr(name, ".cold");
}

static int by_name(const void *va, const void *vb)
{
	const struct kernel_function *a = va, *b = vb;

	return strcmp(a->name, b->name);
}

static void join_namesakes(struct kernel_functions *f)
{
	size_t kept = 0;

	if (f->n)
		qsort(f->v, f->n, sizeof(*f->v), by_name);
	for (size_t i = 0; i < f->n; i++) {
		if (kept && !by_name(&f->v[kept - 1], &f->v[i])) {
			f->v[kept - 1].count++;
			free(f->v[i].name);
			free(f->v[i].module);
		} else {
			f->v[kept++] = f->v[i];
		}
	}
	f->n = kept;
}

/* "0xffffffff81000000-0xffffffff81000010	name" */
static void read_blacklist(struct kernel_functions *f)
{
	FILE *file = fopen(KERNEL_BLACKLIST, "re");
	char *line = NULL;
	size_t room = 0;

	f->no_blacklist = !file;
	while (file && getline(&line, &room, file) > 0) {
		struct kernel_function key = { .name = strchr(line, '\t') }, *found;

		if (!key.name)
			continue;
		key.name++;
		key.name[strcspn(key.name, "\n")] = '\0';
		found = f->n ? bsearch(&key, f->v, f->n, sizeof(*f->v), by_name) : NULL;
		if (found)
			found->banned = true;
	}
	free(line);
	if (file)
		fclose(file);
}

static bool is_of(const struct kernel_function *f, const char *module)
{
	return !module || (f->module && !strcmp(f->module, module));
}

int kernel_functions_read(struct kernel_functions *to, const char *module, const char *glob,
			  struct msg *m)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t room = 0;

	*to = (struct kernel_functions){ 0 };
	if (!file)
		return msg_set(m, -errno, "/proc/kallsyms: %s", strerror(errno));
	while (getline(&line, &room, file) > 0) {
		struct kernel_function f;

		if (!parse_line(line, &f) || !is_of(&f, module) ||
		    (glob && !glob_match(glob, f.name)))
			continue;
		f.name = xstrdup(f.name);
		f.module = f.module ? xstrdup(f.module) : NULL;
		*ARRAY_PUSH(to->v, to->n, to->cap) = f;
	}
	fclose(file);
	free(line);
	join_namesakes(to);
	read_blacklist(to);
	return 0;
}

void kernel_functions_free(struct kernel_functions *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].name);
		free(f->v[i].module);
	}
	free(f->v);
	*f = (struct kernel_functions){ 0 };
}
