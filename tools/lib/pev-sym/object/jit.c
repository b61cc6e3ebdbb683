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
#define PIECE (64u << 10)
/* longer names are cut */
#define NAME_MOST 4096
#define LINE_MOST (NAME_MOST + 64)

enum dump_record { DUMP_LOAD = 0, DUMP_MOVE = 1 };

/**
 * struct jit - functions by address; code is replaced, so that the last one counts
 * @pid:     the process, 0: it is not there any more
 * @used:    bytes that its names take
 * @room:    what they may take
 * @full:    there was no room for some
 * @strange: a file was there that belongs to another user
 * @served: one was not read, as it lies where it might take for ever
 */
struct jit {
	struct symtab	*t;
	struct hmap	by_start;
	uint32_t	pid;
	uint64_t used;
	uint64_t room;
	bool full;
	bool		strange;
	bool served;
};

/* What a process says of its code has no end that it doesn't choose. */
static bool take_room(struct jit *j, size_t len)
{
	uint64_t bytes = sizeof(struct symbol) + len + 1;

	if (bytes > j->room - j->used) {
		j->full = true;
		return false;
	}
	j->used += bytes;
	return true;
}

static void add(struct jit *j, uint64_t start, uint64_t size, const char *name, size_t len)
{
	uint32_t known = hmap_get(&j->by_start, start);
	uint64_t end = start + size < start ? UINT64_MAX : start + size;

	if (!take_room(j, len))
		return;
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

/* In /tmp anybody may make a file of that name. */
static int open_it(struct jit *j, const char *path)
{
	int fd = foreign_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	struct stat st;

	j->served |= fd == -EREMOTE || fd == -ETIMEDOUT || fd == -EBUSY;
	if (fd < 0)
		return fd;
	if (!fstat(fd, &st) && st.st_size > 0 && st.st_size <= FILE_MOST && is_trusted(j, &st))
		return fd;
	close(fd);
	return -EACCES;
}

/**
 * struct piece - of a file, which may be far larger than what is wanted of it
 * @at:   where it begins
 * @last: behind it there is nothing
 */
struct piece {
	int fd;
	uint64_t at;
	size_t n;
	bool last;
	uint8_t data[PIECE];
};

/* Returns how many bytes there are at a place: @want at least, if the file has them. */
static size_t look(struct piece *p, uint64_t at, size_t want, const uint8_t **data)
{
	ssize_t n = 1;

	if (at < p->at || at > p->at + p->n || (!p->last && at + want > p->at + p->n)) {
		p->at = at;
		p->n = 0;
		while (p->n < PIECE && n > 0) {
			n = pread(p->fd, p->data + p->n, PIECE - p->n, (off_t)(at + p->n));
			p->n += n > 0 ? (size_t)n : 0;
		}
		p->last = n <= 0;
	}
	*data = p->data + (at - p->at);
	return p->n - (size_t)(at - p->at);
}

/* "3ef414c0 398 Object:foo", hexadecimal */
static void load_line(struct jit *j, const char *line)
{
	char *p, *q;
	uint64_t start = strtoull(line, &p, 16), size;

	if (p == line || *p != ' ')
		return;
	size = strtoull(p, &q, 16);
	if (q != p && *q == ' ' && q[1] && size)
		add(j, start, size, q + 1, strnlen(q + 1, NAME_MOST));
}

/* What follows a zero is no text, and a file with a hole may be of any size. */
static bool load_map(struct jit *j, struct piece *p)
{
	char line[LINE_MOST + 1];
	const uint8_t *data, *end;
	bool begins = true;
	uint64_t at = 0;
	size_t n;

	while (at < FILE_MOST && !j->full && (n = look(p, at, LINE_MOST, &data))) {
		n = n < LINE_MOST ? n : LINE_MOST;
		end = memchr(data, '\n', n);
		n = end ? (size_t)(end - data) : n;
		if (memchr(data, 0, n))
			break;
		memcpy(line, data, n);
		line[n] = 0;
		if (begins)
			load_line(j, line);
		begins = end;
		at += n + begins;
	}
	return true;
}

/* Returns the PID that the process itself sees, and has whose it is. */
static uint32_t inner_pid(uint32_t pid, uid_t *owner)
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
	/* the owner of /proc/PID is root if the process has said that it can't be dumped */
	line = n > 0 ? strstr(text, "\nUid:") : NULL;
	if (line)
		*owner = (uid_t)strtoul(line + 5, NULL, 10);
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
	/* a name whose end was not read is cut */
	if (!c->bad && size && (nul || left(c) >= NAME_MOST))
		add(j, addr, size, (const char *)c->p, nul ? (size_t)(nul - c->p) : left(c));
}

/* Returns where the first record is, 0: it is no such file. */
static uint64_t dump_begin(struct piece *p)
{
	struct cursor c = { 0 };
	uint32_t header;

	c.end = look(p, 0, 12, &c.p) + c.p;
	if (get_u32(&c) != DUMP_MAGIC)
		return 0;
	get_u32(&c); /* version */
	header = get_u32(&c);
	return header > 12 ? header : 12;
}

/* A record's code, which follows its name, is not read. */
static bool load_dump(struct jit *j, struct piece *p)
{
	uint64_t begin = dump_begin(p), at = begin;

	while (begin && at < FILE_MOST && !j->full) {
		struct cursor c = { 0 };
		size_t n = look(p, at, 16 + 40 + NAME_MOST, &c.p);
		uint32_t id, size;

		c.end = c.p + (n < 16 + 40 + NAME_MOST ? n : 16 + 40 + NAME_MOST);
		id = get_u32(&c);
		size = get_u32(&c);
		get_u64(&c); /* time */
		/* one that was not finished */
		if (c.bad || size < 16 || (p->last && size > n))
			break;
		if (size - 16 < left(&c))
			c.end = c.p + size - 16;
		if (id == DUMP_LOAD || id == DUMP_MOVE)
			load_record(j, id, &c);
		at += size;
	}
	return begin;
}

/* Reads a file's names by @read: returns false if it is not such a file. */
typedef bool read_fn(struct jit *j, struct piece *p);

static bool load(struct jit *j, read_fn *read, const char *path)
{
	int fd = open_it(j, path);
	struct piece *p = fd < 0 ? NULL : calloc(1, sizeof(*p));
	bool ok = false;

	if (p) {
		p->fd = fd;
		ok = read(j, p);
	}
	free(p);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Tries a path below the root of the process, then the same here. */
static bool either(struct jit *j, read_fn *read, const char *path)
{
	char *inside = j->pid ? text_make("/proc/%u/root%s", j->pid, path) : NULL;
	bool ok = (inside && load(j, read, inside)) || load(j, read, path);

	free(inside);
	return ok;
}

void jit_load(struct sym_object *o, const struct finder *finder)
{
	/* another process may have the number now */
	bool lives = process_lives(o->pid, finder->end);
	struct jit j = { .t = &o->syms, .pid = lives ? o->pid : 0 };
	/* of one that has ended only the user's files and root's are read */
	uid_t owner = geteuid();
	uint32_t inner = lives ? inner_pid(o->pid, &owner) : o->pid;
	bool found = false;
	char path[64];

	j.room = room_left(finder->code_room, owner);
	for (size_t i = 0; i < o->dumps.n; i++)
		found |= either(&j, load_dump, o->dumps.p[i]);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", inner);
	found |= either(&j, load_map, path);
	if (inner != o->pid) {
		snprintf(path, sizeof(path), "/tmp/perf-%u.map", o->pid);
		found |= load(&j, load_map, path);
	}
	if (room_take(finder->code_room, owner, j.used)) {
		o->code_bytes = j.used;
		o->code_uid = owner;
	}
	if (j.full)
		sym_object_problem(
			o,
			"generated code without names, in part: of the room for those of "
			"all processes, %u MiB, each user has half of what others left",
			CODE_ROOM >> 20);
	else if (!found && j.strange)
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
