// SPDX-License-Identifier: GPL-2.0
/* From cgroups to services. See services.h. */
#include "services.h"

#include <ctype.h>
#include <stdlib.h>

/* digits of a container's id, and how many of them are enough to know it */
#define ID_DIGITS 64
#define ID_SHOWN 12
#define NONE "(no service)"

static bool is_id(const char *s)
{
	return strspn(s, "0123456789abcdef") >= ID_DIGITS;
}

/* "docker-0123...scope" is docker-0123, "0123..." a container, "nginx.service" nginx. */
static void put_part(const char *part, struct strbuf *name)
{
	static const char *const endings[] = { ".service", ".scope", ".slice", ".mount",
					       ".socket" };
	size_t len = strlen(part);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		size_t end = strlen(endings[i]);

		if (len > end && !strcmp(part + len - end, endings[i]))
			len -= end;
	}
	for (size_t i = 0; i < len; i++) {
		if ((!i || !isxdigit((unsigned char)part[i - 1])) && is_id(part + i)) {
			strbuf_add(name, part, i + ID_SHOWN);
			return;
		}
	}
	strbuf_add(name, part, len);
}

static bool ends(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len > n && !strcmp(s + len - n, end);
}

void service_name(const char *cgroup, struct strbuf *name)
{
	char *copy = xstrdup(cgroup), *next = copy, *part, *best = NULL;

	/* the innermost unit or container; below it are what these made for themselves */
	while ((part = strsep(&next, "/"))) {
		bool unit = ends(part, ".service") || ends(part, ".scope");

		if (unit || is_id(part) || (*part && !best) ||
		    (ends(part, ".slice") && best && ends(best, ".slice")))
			best = part;
	}
	if (best && *best)
		put_part(best, name);
	else
		strbuf_puts(name, NONE);
	free(copy);
}

/* The hierarchy of systemd: the only one of v2, or v1's "name=systemd" */
static uint32_t look_up(struct services *s, uint32_t pid)
{
	char path[64], *text, *line, *next;
	struct strbuf name = { 0 };
	uint32_t id;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	text = next = file_read(path, NULL);
	while (next && (line = strsep(&next, "\n"))) {
		char *group = strchr(line, ':');

		group = group ? strchr(group + 1, ':') : NULL;
		if (!group || (strncmp(line, "0::", 3) && !strstr(line, ":name=systemd:")))
			continue;
		strbuf_reset(&name);
		service_name(group + 1, &name);
	}
	id = strtab_id(&s->names, name.len ? name.s : NONE);
	free(text);
	strbuf_free(&name);
	return id;
}

static struct known_process *process(struct services *s, uint32_t pid, bool *is_new)
{
	struct known_process *p;

	*is_new = HTAB_GET(p, &s->h, hash_u64(pid), p->pid == pid, s->processes, s->n, s->cap);
	p->pid = pid;
	return p;
}

struct service services_find(void *arg, uint32_t pid)
{
	struct services *s = arg;
	bool is_new;
	struct known_process *p = process(s, pid, &is_new);

	if (is_new)
		p->name = look_up(s, pid);
	return (struct service){ strtab_get(&s->names, p->name), "" };
}

void services_fork(struct services *s, uint32_t parent, uint32_t pid)
{
	uint32_t hash = hash_u64(parent), pos, ref = htab_first(&s->h, hash, &pos), name;
	bool is_new;

	if (parent == pid)
		return;
	while (ref && s->processes[ref - 1].pid != parent)
		ref = htab_next(&s->h, hash, &pos);
	if (!ref)
		return;
	name = s->processes[ref - 1].name;
	process(s, pid, &is_new)->name = name;
}

void services_forget(struct services *s)
{
	s->n = 0;
	htab_clear(&s->h);
}

void services_free(struct services *s)
{
	strtab_free(&s->names);
	htab_free(&s->h);
	free(s->processes);
	*s = (struct services){ 0 };
}
