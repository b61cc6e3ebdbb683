// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Names code that a process made while it ran: by /tmp/perf-PID.map in the mount and
 * PID namespaces of the process, and by jitdump files (jit-PID.dump).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "object/foreign.h"
#include "object/jit.h"
#include "object/process.h"
#include "util/cursor.h"

#define FILE_MOST  (1u << 30)
#define DUMP_MAGIC 0x4a695444u

enum dump_record { DUMP_LOAD = 0, DUMP_MOVE = 1 };

/**
 * struct jit - functions by address; code is replaced, so that the last one counts
 * @pid:     the process, 0: it is not there any more
 * @strange: a file was there that belongs to another user
 * @served: one was not read, as it lies where it might take for ever
 */
struct jit {
	struct symtab	*t;
	struct hmap	by_start;
	uint32_t	pid;
	bool		strange;
	bool served;
};

static void add(struct jit *j, uint64_t start, uint64_t size, const char *name, size_t len)
{
	uint32_t known = hmap_get(&j->by_start, start);
	uint64_t end = start + size < start ? UINT64_MAX : start + size;

	if (known != UINT32_MAX) {
		const char *copy = texts_add(&j->t->names, name, len);

		if (copy) {
			j->t->s.p[known].name = copy;
			j->t->s.p[known].end = end;
		}
		return;
	}
	if (symtab_add(j->t, start, end, name, len, 0, 0, false))
		hmap_add(&j->by_start, start, (uint32_t)(j->t->s.n - 1));
}

static bool is_trusted(struct jit *j, const struct stat *st)
{
	bool ok = process_owns(j->pid, st->st_uid);

	j->strange |= !ok;
	return ok;
}

/*
 * Reads as much as a process has written to a file; NULL if there is none. In /tmp anybody may
 * make a file of that name.
 */
static char *read_all(struct jit *j, const char *path, size_t *len)
{
	int fd = foreign_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	char *data = NULL;
	struct stat st;
	ssize_t n = 0;

	*len = 0;
	j->served |= fd == -EREMOTE || fd == -ETIMEDOUT || fd == -EBUSY;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size <= FILE_MOST && is_trusted(j, &st))
		data = malloc((size_t)st.st_size + 1);
	while (data && *len < (size_t)st.st_size &&
	       (n = read(fd, data + *len, (size_t)st.st_size - *len)) > 0)
		*len += (size_t)n;
	if (data)
		data[*len] = 0;
	if (fd >= 0)
		close(fd);
	return data;
}

/* Reads lines of "3ef414c0 398 Object:foo", hexadecimal. */
static bool load_map(struct jit *j, const char *path)
{
	size_t len;
	char *text = read_all(j, path, &len), *line = text;

	while (line && *line) {
		char *end = strchrnul(line, '\n'), *p;
		uint64_t start = strtoull(line, &p, 16), size;

		if (p != line && p < end && *p == ' ') {
			char *q;

			size = strtoull(p, &q, 16);
			if (q != p && q + 1 < end && *q == ' ' && size)
				add(j, start, size, q + 1, (size_t)(end - q - 1));
		}
		line = *end ? end + 1 : end;
	}
	free(text);
	return text != NULL;
}

/* Returns the PID that the process itself sees. */
static uint32_t inner_pid(uint32_t pid)
{
	char path[64], *text, *line;
	unsigned long inner = pid;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return pid;
	text = calloc(1, 8192);
	n = text ? read(fd, text, 8191) : -1;
	close(fd);
	line = n > 0 ? strstr(text, "\nNSpid:") : NULL;
	for (char *p = line ? line + 7 : NULL, *end; p; p = end) {
		unsigned long v = strtoul(p, &end, 10);

		if (end == p)
			break;
		inner = v;
	}
	free(text);
	return (uint32_t)inner;
}

static void load_record(struct jit *j, uint32_t id, struct cursor *c)
{
	uint64_t addr, size;
	const char *name;
	const uint8_t *nul;

	skip(c, 8); /* pid, tid */
	skip(c, 8); /* vma */
	addr = get_u64(c);
	if (id == DUMP_MOVE) {
		uint64_t to = get_u64(c);
		uint32_t known = hmap_get(&j->by_start, addr);

		size = get_u64(c);
		if (!c->bad && known != UINT32_MAX) {
			name = j->t->s.p[known].name;
			add(j, to, size, name, strlen(name));
		}
		return;
	}
	size = get_u64(c);
	skip(c, 8); /* number of the code */
	nul = memchr(c->p, 0, left(c));
	if (!c->bad && nul && size)
		add(j, addr, size, (const char *)c->p, (size_t)(nul - c->p));
}

static bool load_dump(struct jit *j, const char *path)
{
	size_t len;
	char *data = read_all(j, path, &len);
	struct cursor c = { .p = (uint8_t *)data, .end = (uint8_t *)data + len };
	uint32_t header;

	if (!data)
		return false;
	if (get_u32(&c) != DUMP_MAGIC) {
		free(data);
		return false;
	}
	get_u32(&c); /* version */
	header = get_u32(&c);
	skip(&c, header > 12 ? header - 12 : 0);
	while (!c.bad && left(&c) >= 16) {
		uint32_t id = get_u32(&c), size = get_u32(&c);
		struct cursor r;

		get_u64(&c); /* time */
		if (size < 16 || size - 16 > left(&c))
			break;
		r = (struct cursor){ .p = c.p, .end = c.p + size - 16 };
		if (id == DUMP_LOAD || id == DUMP_MOVE)
			load_record(j, id, &r);
		c.p = r.end;
	}
	free(data);
	return true;
}

/* Tries a path below the root of the process, then the same here. */
static bool either(struct jit *j, bool (*load)(struct jit *j, const char *path), const char *path)
{
	char *inside = j->pid ? text_make("/proc/%u/root%s", j->pid, path) : NULL;
	bool ok = (inside && load(j, inside)) || load(j, path);

	free(inside);
	return ok;
}

void jit_load(struct sym_object *o, const struct finder *finder)
{
	/* another process may have the number now */
	bool lives = process_lives(o->pid, finder->end);
	struct jit j = { .t = &o->syms, .pid = lives ? o->pid : 0 };
	uint32_t inner = lives ? inner_pid(o->pid) : o->pid;
	bool found = false;
	char path[64];

	for (size_t i = 0; i < o->dumps.n; i++)
		found |= either(&j, load_dump, o->dumps.p[i]);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", inner);
	found |= either(&j, load_map, path);
	if (inner != o->pid) {
		snprintf(path, sizeof(path), "/tmp/perf-%u.map", o->pid);
		found |= load_map(&j, path);
	}
	if (!found && j.strange)
		sym_object_problem(o, "generated code without names: /tmp/perf-%u.map or the "
			       "jitdump file belongs neither to you nor to root nor to the "
			       "process, if that lives", o->pid);
	else if (!found && j.served)
		sym_object_problem(
			o,
			"generated code without names: /tmp/perf-%u.map or the "
			"jitdump file lies on a file system that a program serves (FUSE), or "
			"that does not answer, and is not read",
			o->pid);
	else if (!found)
		sym_object_problem(o, "generated code without names: neither /tmp/perf-%u.map nor a "
			       "jitdump file is there", o->pid);
	hmap_free(&j.by_start);
	symtab_finish(&o->syms);
}
