// SPDX-License-Identifier: GPL-2.0
/* From cgroups to services. See services.h. */
#include "services.h"
#include "procs/stat.h"

#include <ctype.h>
#include <stdlib.h>

/* digits of a container's id, and how many of them are enough to know it */
#define ID_DIGITS 64
#define ID_SHOWN 12
#define NONE "(no service)"
/* of a process, in its service */
#define ANCESTORS_MOST 32

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

/* The hierarchy of systemd: the only one of v2, or v1's "name=systemd"; false: it has ended */
static bool look_up(struct services *s, uint32_t pid, uint32_t *id)
{
	char path[64], *text, *line, *next;
	struct strbuf name = { 0 };
	bool lives;

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
	*id = strtab_id(&s->names, name.len ? name.s : NONE);
	lives = text;
	free(text);
	strbuf_free(&name);
	return lives;
}

/* ---- versions ---- */

static uint32_t parent_of(uint32_t pid)
{
	struct proc_stat stat;

	proc_stat_read(&stat, pid);
	return stat.ppid;
}

/* The one that the others of its service come from */
static uint32_t first_process(struct services *s, uint32_t pid, uint32_t name)
{
	uint32_t parent, of;

	for (int i = 0; i < ANCESTORS_MOST; i++) {
		parent = parent_of(pid);
		if (!parent || !look_up(s, parent, &of) || of != name)
			break;
		pid = parent;
	}
	return pid;
}

/* The program of a process lies below its libraries. */
static const struct object *program_of(struct session *session, uint32_t pid)
{
	const struct mapset *space = machine_seen(&session->machine, pid, pid)->space;

	for (size_t i = 0; space && i < space->n; i++) {
		const struct object *o = &session->objects.o[space->maps[i].object];

		if (o->kind == OBJECT_FILE)
			return o;
	}
	return NULL;
}

static void find_version(struct services *s, struct service_version *v)
{
	const struct object *program = program_of(s->session, v->first);
	char hex[41], text[sizeof(hex) + 8] = "";

	if (program && program->id.len) {
		build_id_text(&program->id, hex);
		snprintf(text, sizeof(text), "build %.*s", ID_SHOWN, hex);
	}
	v->text = strtab_id(&s->names, text);
	v->waits = !program;
}

static const char *version_of(struct services *s, uint32_t pid, uint32_t name)
{
	struct service_version *v;

	if (!s->session || !strcmp(strtab_get(&s->names, name), NONE))
		return "";
	if (name >= s->n_versions) {
		s->versions = xrealloc(s->versions, (name + 1) * sizeof(*s->versions));
		memset(s->versions + s->n_versions, 0,
		       (name + 1 - s->n_versions) * sizeof(*s->versions));
		s->n_versions = name + 1;
	}
	v = &s->versions[name];
	if (!v->first)
		v->first = first_process(s, pid, name);
	else if (!v->waits)
		return strtab_get(&s->names, v->text);
	find_version(s, v);
	return strtab_get(&s->names, v->text);
}

/* ---- processes ---- */

static struct known_process *process(struct services *s, uint32_t pid, bool *is_new)
{
	struct known_process *p;

	*is_new = HTAB_GET(p, &s->h, hash_u64(pid), p->pid == pid, s->processes, s->n, s->cap);
	p->pid = pid;
	return p;
}

static struct known_process *known(struct services *s, uint32_t pid)
{
	uint32_t hash = hash_u64(pid), pos, ref = htab_first(&s->h, hash, &pos);

	while (ref && s->processes[ref - 1].pid != pid)
		ref = htab_next(&s->h, hash, &pos);
	return ref ? &s->processes[ref - 1] : NULL;
}

struct service services_find(void *arg, uint32_t pid)
{
	struct services *s = arg;
	uint32_t name;
	const char *version;
	bool is_new;
	struct known_process *p = process(s, pid, &is_new);

	if ((is_new || p->moves) && (look_up(s, pid, &name) || is_new))
		p->name = name;
	p->moves = false;
	name = p->name;
	version = version_of(s, pid, name);
	return (struct service){ strtab_get(&s->names, name), version };
}

void services_fork(struct services *s, uint32_t parent, uint32_t pid)
{
	struct known_process *p = known(s, parent);
	uint32_t name;
	bool is_new;

	if (parent == pid)
		return;
	if (p)
		name = p->name;
	else if (look_up(s, parent, &name))
		process(s, parent, &is_new)->name = name;
	else
		return;
	p = process(s, pid, &is_new);
	p->name = name;
	p->moves = true;
}

void services_exec(struct services *s, uint32_t pid)
{
	struct known_process *p = known(s, pid);

	if (p)
		p->moves = true;
	for (size_t i = 0; i < s->n_versions; i++) {
		if (s->versions[i].first == pid)
			s->versions[i].first = 0;
	}
}

void services_forget(struct services *s)
{
	s->n = 0;
	s->n_versions = 0;
	htab_clear(&s->h);
}

void services_free(struct services *s)
{
	strtab_free(&s->names);
	htab_free(&s->h);
	free(s->processes);
	free(s->versions);
	*s = (struct services){ 0 };
}
