// SPDX-License-Identifier: GPL-2.0
/* Which cgroup has a number. See cgroups.h. */
#include "cgroups.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pev/engine.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Where the second version is alone, and where it is beside the first */
static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

/* Numbers of the first version's hierarchies mean nothing. NULL: there is no other */
static const char *find_root(void)
{
	struct statfs fs;

	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (!statfs(roots[i], &fs) && fs.f_type == CGROUP2_SUPER_MAGIC)
			return roots[i];
	return NULL;
}

static const struct cgroup_name *find(const struct cgroup_names *c, uint64_t id)
{
	uint32_t hash = hash_u64(id), pos, ref;

	for (ref = htab_first(&c->by_id, hash, &pos); ref; ref = htab_next(&c->by_id, hash, &pos))
		if (c->v[ref - 1].id == id)
			return &c->v[ref - 1];
	return NULL;
}

/* Those that are gone stay known: what they did may be told later. Returns its index. */
static size_t keep(struct cgroup_names *c, uint64_t id, const char *path, size_t parent)
{
	struct cgroup_name *name;

	if (HTAB_GET(name, &c->by_id, hash_u64(id), name->id == id, c->v, c->n, c->cap)) {
		name->id = id;
		name->path = xstrdup(*path ? path : "/");
		name->parent = parent;
	}
	return (size_t)(name - c->v);
}

/* The number of a cgroup is that of its directory's inode. Closes @fd. */
static void add_tree(struct cgroup_names *c, int fd, const char *path, size_t parent)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;
	struct stat st;
	size_t own;

	if (!dir) {
		close(fd);
		return;
	}
	if (fstat(fd, &st)) {
		closedir(dir);
		return;
	}
	own = keep(c, st.st_ino, path, parent);
	while ((e = readdir(dir))) {
		char *below;
		int sub;

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		below = xasprintf("%s/%s", path, e->d_name);
		sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (sub >= 0)
			add_tree(c, sub, below, own);
		free(below);
	}
	closedir(dir);
}

void cgroup_names_refresh(struct cgroup_names *c)
{
	c->looked = false;
}

void cgroup_names_look(struct cgroup_names *c)
{
	const char *root = c->looked ? NULL : find_root();
	int fd;

	if (!root)
		return;
	fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		add_tree(c, fd, "", 0);
	c->looked = true;
}

const char *cgroup_names_path(struct cgroup_names *c, uint64_t id)
{
	const struct cgroup_name *name = find(c, id);

	if (!name) {
		cgroup_names_look(c);
		name = find(c, id);
	}
	return name ? name->path : NULL;
}

int cgroup_names_open(const struct cgroup_name *c)
{
	const char *root = find_root();
	char *path = xasprintf("%s%s", root ? root : roots[0], c->path);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = fd < 0 ? -errno : fd;

	free(path);
	return err;
}

/* Returns the path in the hierarchy of which a line of /proc/PID/cgroup has @what; "": the second. */
static char *path_of(const char *text, const char *what)
{
	size_t len = strlen(what);

	for (const char *line = text, *end; line && *line; line = end ? end + 1 : NULL) {
		const char *at = strchr(line, ':'), *to;

		end = strchr(line, '\n');
		to = at ? strchr(at + 1, ':') : NULL;
		if (!to || (end && to > end))
			continue;
		for (const char *word = at + 1; word <= to; word += strcspn(word, ",:") + 1)
			if (strcspn(word, ",:") == len && !strncmp(word, what, len))
				return end ? xstrndup(to + 1, (size_t)(end - to - 1)) :
					     xstrdup(to + 1);
	}
	return NULL;
}

static char *path_in(const char *file, const char *what)
{
	char *text = file_read(file, NULL), *path = text ? path_of(text, what) : NULL;

	free(text);
	return path;
}

char *cgroup_of_thread(int tid)
{
	char file[40];

	snprintf(file, sizeof(file), "/proc/%d/cgroup", tid);
	return path_in(file, "");
}

bool cgroup_perf_is_first(void)
{
	char *path = path_in("/proc/self/cgroup", "perf_event");
	bool is = path;

	free(path);
	return is;
}

/* Returns a descriptor of a cgroup below the root, or -1. */
static int open_any(void)
{
	const char *root = find_root();
	DIR *dir = root ? opendir(root) : NULL;
	struct dirent *e;
	int fd = -1;

	while (dir && fd < 0 && (e = readdir(dir)))
		if (e->d_type == DT_DIR && *e->d_name != '.')
			fd = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir)
		closedir(dir);
	return fd;
}

bool cgroup_perf_is_nowhere(struct pev_engine *engine)
{
	int cgroup = open_any(), fd;
	struct pev_error why;
	struct pev_attr attr;

	if (cgroup < 0)
		return false;
	pev_attr_event(&attr, PEV_TYPE_SOFTWARE, PEV_SW_PAGE_FAULTS, NULL);
	attr.flags |= PEV_F_EXCLUDE_KERNEL | PEV_F_DISABLED;
	pev_attr_target(&attr, PEV_TARGET_CGROUP, cgroup);
	/* rights to count it are asked for later */
	fd = pev_engine_open(engine, &attr, 0, &why);
	if (fd >= 0)
		pev_engine_close(engine, fd);
	close(cgroup);
	return fd == -ENOENT;
}

void cgroup_names_free(struct cgroup_names *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].path);
	free(c->v);
	htab_free(&c->by_id);
	*c = (struct cgroup_names){ 0 };
}
