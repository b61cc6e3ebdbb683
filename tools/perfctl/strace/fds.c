// SPDX-License-Identifier: GPL-2.0
/* What descriptors are. See fds.h. */
#include "fds.h"
#include "live.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Descriptors above have no names: few programs have so many. */
#define FDS_MOST 65536
/* All is forgotten then: a long trace opens ever new files. */
#define NAMES_MOST (1u << 20)
/* The flag of memfd_create(); those of the other calls are O_CLOEXEC. */
#define MFD_CLOEXEC_FLAG 1

/**
 * struct opener - a call that opens
 * @path:  argument that is a name, -1: none; one before it may be a directory
 * @flags: argument that may have O_CLOEXEC, -1: none
 * @what:  the name of what has none
 */
struct opener {
	const char *call;
	int path;
	int flags;
	const char *what;
};

static const struct opener openers[] = {
	{ "open", 0, 1, NULL },
	{ "openat", 1, 2, NULL },
	{ "openat2", 1, -1, NULL },
	{ "creat", 0, -1, NULL },
	{ "socket", -1, 1, "socket" },
	{ "accept", -1, -1, "socket" },
	{ "accept4", -1, 3, "socket" },
	{ "epoll_create", -1, -1, "epoll" },
	{ "epoll_create1", -1, 0, "epoll" },
	{ "eventfd", -1, -1, "eventfd" },
	{ "eventfd2", -1, 1, "eventfd" },
	{ "timerfd_create", -1, 1, "timerfd" },
	{ "signalfd", -1, -1, "signalfd" },
	{ "signalfd4", -1, 3, "signalfd" },
	{ "inotify_init", -1, -1, "inotify" },
	{ "inotify_init1", -1, 0, "inotify" },
	{ "memfd_create", -1, 1, "memfd" },
	{ "pidfd_open", -1, -1, "pidfd" },
};

static const struct opener *opener_of(const char *call)
{
	for (size_t i = 0; i < ARRAY_SIZE(openers); i++)
		if (!strcmp(openers[i].call, call))
			return &openers[i];
	return NULL;
}

static const struct fd_owner *owner_find(const struct fds *f, uint32_t pid)
{
	uint32_t hash = hash_u64(pid), pos, ref;

	for (ref = htab_first(&f->h, hash, &pos); ref; ref = htab_next(&f->h, hash, &pos))
		if (f->owners[ref - 1].pid == pid)
			return &f->owners[ref - 1];
	return NULL;
}

static struct fd_owner *owner_get(struct fds *f, uint32_t pid)
{
	struct fd_owner *o;

	if (HTAB_GET(o, &f->h, hash_u64(pid), o->pid == pid, f->owners, f->n, f->cap))
		o->pid = pid;
	return o;
}

static uint32_t name_id(struct fds *f, const char *name)
{
	/* the first number means that there is none */
	if (!f->names.n)
		strtab_id(&f->names, "");
	return strtab_id(&f->names, name);
}

static void set(struct fd_owner *o, uint64_t fd, uint32_t name, bool cloexec)
{
	if (fd >= FDS_MOST || (!name && fd >= o->n))
		return;
	if (fd >= o->n) {
		size_t n = max_u64(fd + 1, o->n * 2);

		o->slots = xrealloc(o->slots, n * sizeof(*o->slots));
		memset(o->slots + o->n, 0, (n - o->n) * sizeof(*o->slots));
		o->n = n;
	}
	o->slots[fd] = (struct fd_slot){ name, cloexec };
}

static struct fd_slot get(const struct fd_owner *o, uint64_t fd)
{
	return fd < o->n ? o->slots[fd] : (struct fd_slot){ 0 };
}

/* ---- What a process has open ---- */

static bool closes_at_exec(uint32_t pid, int fd)
{
	char path[64], *text, *flags;
	size_t len;
	bool is;

	snprintf(path, sizeof(path), "/proc/%u/fdinfo/%d", pid, fd);
	text = file_read(path, &len);
	flags = text ? strstr(text, "flags:") : NULL;
	is = flags && strtoul(flags + strlen("flags:"), NULL, 8) & O_CLOEXEC;
	free(text);
	return is;
}

static uint32_t read_name(struct fds *f, int dir, const char *entry)
{
	char name[PATH_MAX];
	ssize_t len = readlinkat(dir, entry, name, sizeof(name) - 1);

	if (len <= 0)
		return 0;
	name[len] = 0;
	return name_id(f, name);
}

void fds_look(struct fds *f, uint32_t pid)
{
	struct fd_owner now = { 0 }, *o;
	struct dirent *e;
	char path[32];
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			set(&now, strtoul(e->d_name, NULL, 10), read_name(f, dirfd(d), e->d_name),
			    closes_at_exec(pid, atoi(e->d_name)));
	if (d)
		closedir(d);
	o = owner_get(f, pid);
	for (size_t fd = 0; o->slots && fd < now.n; fd++)
		if (get(o, fd).name != now.slots[fd].name)
			now.slots[fd].name = 0;
	free(o->slots);
	o->slots = now.slots;
	o->n = now.n;
}

void fds_set(struct fds *f, uint32_t pid, uint64_t fd, const char *name, bool cloexec)
{
	set(owner_get(f, pid), fd, name_id(f, name), cloexec);
}

void fds_fork(struct fds *f, uint32_t parent, uint32_t child)
{
	const struct fd_owner *from;
	struct fd_owner *to;

	if (parent == child)
		return;
	to = owner_get(f, child);
	from = owner_find(f, parent);
	free(to->slots);
	to->slots = NULL;
	to->n = 0;
	if (!from || !from->n)
		return;
	to->slots = xmalloc(from->n * sizeof(*to->slots));
	memcpy(to->slots, from->slots, from->n * sizeof(*to->slots));
	to->n = from->n;
}

/* ---- What its calls do ---- */

/* Returns a string that an argument points to, or NULL. */
static char *text_of(const struct fds_done *call, int arg)
{
	for (int i = 0; i < 2; i++) {
		const struct live_text *t = call->texts[i];

		if (t && t->copied & 1u << arg && !(t->cut & 1u << arg))
			return xstrndup(t->bytes + t->at[arg], t->len[arg]);
	}
	return NULL;
}

/* Names below a directory that is known are joined with its name. */
static uint32_t path_name(struct fds *f, const struct fd_owner *o, const struct fds_done *call,
			  int arg)
{
	char *path = text_of(call, arg), *both;
	uint32_t dir = path && *path != '/' && arg ? get(o, (uint32_t)call->args[arg - 1]).name : 0;
	uint32_t id;

	if (!path || !*path) {
		free(path);
		return 0;
	}
	both = dir ? xasprintf("%s/%s", strtab_get(&f->names, dir), path) : NULL;
	id = name_id(f, both ? both : path);
	free(both);
	free(path);
	return id;
}

static void opened(struct fds *f, struct fd_owner *o, const struct opener *by,
		   const struct fds_done *call)
{
	uint64_t flag = strcmp(by->call, "memfd_create") ? O_CLOEXEC : MFD_CLOEXEC_FLAG;
	uint32_t name = by->what ? name_id(f, by->what) : path_name(f, o, call, by->path);

	set(o, (uint64_t)call->ret, name, by->flags >= 0 && call->args[by->flags] & flag);
}

static void control(struct fd_owner *o, const struct fds_done *call)
{
	uint32_t fd = (uint32_t)call->args[0], name = get(o, fd).name;

	switch (call->args[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		set(o, (uint64_t)call->ret, name, call->args[1] == F_DUPFD_CLOEXEC);
		break;
	case F_SETFD:
		set(o, fd, name, call->args[2] & FD_CLOEXEC);
		break;
	default:
		break;
	}
}

static void close_range_of(struct fd_owner *o, const struct fds_done *call)
{
	uint32_t last = (uint32_t)call->args[1];

	if (call->args[2])
		last = UINT32_MAX; /* with flags it does not close, or not what others have */
	for (uint64_t fd = (uint32_t)call->args[0]; fd < o->n && fd <= last; fd++)
		set(o, fd, 0, false);
}

static void executed(struct fd_owner *o)
{
	for (size_t fd = 0; fd < o->n; fd++)
		if (o->slots[fd].cloexec)
			set(o, fd, 0, false);
}

static void forget(struct fd_owner *o)
{
	free(o->slots);
	o->slots = NULL;
	o->n = 0;
}

void fds_call(struct fds *f, uint32_t pid, const struct fds_done *call)
{
	const char *name = call->desc->name;
	const struct opener *by;
	struct fd_owner *o;

	if (!globs_match(FDS_CALLS, name))
		return;
	if (f->names.n > NAMES_MOST) {
		fds_forget(f);
		strtab_free(&f->names);
	}
	o = owner_get(f, pid);
	/* it is closed whatever close() returns */
	if (!strcmp(name, "close") && call->args)
		set(o, (uint32_t)call->args[0], 0, false);
	if (!strcmp(name, "exit_group"))
		forget(o);
	if (call->ret < 0)
		return;
	by = opener_of(name);
	if (call->desc->execs)
		executed(o);
	else if (!call->args)
		forget(o); /* it began before the trace */
	else if (by)
		opened(f, o, by, call);
	else if (!strncmp(name, "dup", 3))
		set(o, (uint64_t)call->ret, get(o, (uint32_t)call->args[0]).name,
		    !strcmp(name, "dup3") && call->args[2] & O_CLOEXEC);
	else if (!strcmp(name, "fcntl"))
		control(o, call);
	else if (!strcmp(name, "close_range"))
		close_range_of(o, call);
}

void fds_forget(struct fds *f)
{
	for (size_t i = 0; i < f->n; i++)
		forget(&f->owners[i]);
}

const char *fds_name(const struct fds *f, uint32_t pid, int64_t fd)
{
	const struct fd_owner *o = owner_find(f, pid);
	uint32_t name = o && fd >= 0 ? get(o, (uint64_t)fd).name : 0;

	return name ? strtab_get(&f->names, name) : NULL;
}

bool fds_is_result(const struct syscall_desc *d, const uint64_t *args)
{
	if (!strcmp(d->name, "fcntl"))
		return args && (args[1] == F_DUPFD || args[1] == F_DUPFD_CLOEXEC);
	return opener_of(d->name) || globs_match("dup,dup2,dup3", d->name);
}

void fds_free(struct fds *f)
{
	fds_forget(f);
	free(f->owners);
	htab_free(&f->h);
	strtab_free(&f->names);
}
