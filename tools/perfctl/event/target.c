// SPDX-License-Identifier: GPL-2.0
/* Turns options into what is measured. See target.h. */
#include "target.h"
#include "base/say.h"
#include "base/text.h"
#include "kvm/vmm.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#define CGROUP_ROOT "/sys/fs/cgroup"
#define COMM_MOST 15

/* The program's name, or the beginning of it that the kernel keeps */
static bool is_called(const char *pid, const char *name)
{
	char *path = xasprintf("/proc/%s/comm", pid), *comm = file_read(path, NULL);
	size_t len = strlen(name) < COMM_MOST ? strlen(name) : COMM_MOST;
	bool same = comm && !strncmp(comm, name, len) && comm[len] == '\n';

	free(path);
	free(comm);
	return same;
}

/* All processes of a name but this one */
static int add_named(struct target *t, size_t *cap, const char *name, const char *what,
		     struct msg *m)
{
	size_t before = t->n_ids;
	const struct dirent *e;
	DIR *dir = opendir("/proc");
	uint64_t id;

	while (dir && (e = readdir(dir)))
		if (!parse_u64(e->d_name, &id) && id != (uint64_t)getpid() &&
		    is_called(e->d_name, name))
			*ARRAY_PUSH(t->ids, t->n_ids, *cap) = (int)id;
	if (dir)
		closedir(dir);
	if (t->n_ids > before)
		return 0;
	return msg_set(m, -ESRCH, "there is no %s of the name \"%s\"; \"ps -eo pid,comm\" shows the "
		       "names", what, name);
}

/* @names: words may be names of processes */
static int parse_ids(struct target *t, const char *text, const char *what, bool names,
		     struct msg *m)
{
	char *copy = xstrdup(text), *save, *p;
	size_t cap = 0;
	int err = 0;

	for (p = strtok_r(copy, ", \t\n", &save); p && !err; p = strtok_r(NULL, ", \t\n", &save)) {
		uint64_t id;

		if (!parse_u64(p, &id) && id && id <= INT32_MAX)
			*ARRAY_PUSH(t->ids, t->n_ids, cap) = (int)id;
		else if (names && !isdigit((unsigned char)*p) && *p != '-')
			err = add_named(t, &cap, p, what, m);
		else
			err = msg_set(m, -EINVAL, "\"%s\" is not the number of a %s", p, what);
	}
	if (!err && !t->n_ids)
		err = msg_set(m, -EINVAL, "the number of a %s is missing", what);
	free(copy);
	return err;
}

static void one_id(struct target *t, int id)
{
	t->ids = xmalloc(sizeof(*t->ids));
	t->ids[0] = id;
	t->n_ids = 1;
}

/* "processes web,4 (17, 18, 4)": names with the numbers that they stand for */
static char *ids_text(const struct target *t, const char *typed, const char *what)
{
	bool named = typed[strspn(typed, "0123456789, ")] != 0;
	struct strbuf b = { 0 };

	strbuf_addf(&b, "%s%s %s", what, t->n_ids > 1 ? (what[0] == 'p' ? "es" : "s") : "", typed);
	for (size_t i = 0; named && i < t->n_ids; i++)
		strbuf_addf(&b, "%s%d", i ? ", " : " (", t->ids[i]);
	strbuf_addf(&b, "%s%s", named ? ")" : "",
		    t->type == PEV_TARGET_SUBTREE ? " and all its descendants" :
		    t->type == PEV_TARGET_GUEST	  ? " as a guest" :
						    "");
	return b.s;
}

static int processes(struct target *t, uint32_t type, const char *ids, const char *what,
		     struct msg *m)
{
	int err;

	t->type = type;
	err = parse_ids(t, ids, what, type == PEV_TARGET_PROCESS || type == PEV_TARGET_GUEST, m);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_ids; i++)
		if (kill(t->ids[i], 0) && errno == ESRCH)
			return msg_set(m, -ESRCH, "there is no %s %d", what, t->ids[i]);
	t->text = ids_text(t, ids, what);
	return 0;
}

static int all_guests(struct target *t, struct msg *m)
{
	struct vmms found;

	vmms_find(&found);
	t->text = xstrdup("all guests");
	t->n_ids = found.n;
	if (found.n)
		t->ids = xcalloc(found.n, sizeof(*t->ids));
	for (size_t i = 0; i < found.n; i++)
		t->ids[i] = found.v[i].pid;
	vmms_free(&found);
	if (t->n_ids)
		return 0;
	return msg_set(m, -ESRCH,
		       "there is no process that runs a guest of KVM, or none that you may see");
}

static int guests(struct target *t, const struct target_opts *o, struct msg *m)
{
	bool all = !strcmp(o->guests, "all");
	int err;

	t->type = PEV_TARGET_GUEST;
	t->guest_root = o->guest_root;
	err = all ? all_guests(t, m) : processes(t, PEV_TARGET_GUEST, o->guests, "process", m);
	if (!err && o->guest_root && t->n_ids > 1)
		err = msg_set(m, -EINVAL,
			      "--guest-mount is the root of one guest, and --guest %s are %zu: "
			      "name one by its number",
			      o->guests, t->n_ids);
	for (size_t i = 0; i < t->n_ids && !err && !all; i++)
		if (!vmm_runs_machine(t->ids[i]))
			err = msg_set(m, -EINVAL,
				      "process %d runs no virtual machine of KVM: \"perfctl guest "
				      "list\" shows those that do",
				      t->ids[i]);
	return err;
}

/* Return: of its directory, -1 and errno if it cannot be opened, or is no cgroup's (ENOTTY). */
static int open_cgroup(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || (!fstatfs(fd, &fs) &&
		       (fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC)))
		return fd;
	close(fd);
	errno = ENOTTY;
	return -1;
}

/* Users name it relative to the place where cgroups of version 2 are mounted. */
static int find_cgroup(const char *path)
{
	/* where they are alone, and where they are beside those of the first version */
	static const char *const roots[] = { CGROUP_ROOT, CGROUP_ROOT "/unified" };
	bool relative = strncmp(path, CGROUP_ROOT, strlen(CGROUP_ROOT)) != 0, other = false;
	int fd = -1;

	for (size_t i = 0; i < ARRAY_SIZE(roots) && fd < 0 && relative; i++) {
		char *full = xasprintf("%s/%s", roots[i], path + strspn(path, "/"));

		fd = open_cgroup(full);
		other |= fd < 0 && errno == ENOTTY;
		free(full);
	}
	if (fd < 0)
		fd = open_cgroup(path);
	if (fd < 0 && other)
		errno = ENOTTY;
	return fd;
}

static int cgroup(struct target *t, const char *path, struct msg *m)
{
	int fd = find_cgroup(path);

	t->type = PEV_TARGET_CGROUP;
	if (fd < 0 && errno == ENOTTY)
		return msg_set(m, -EINVAL,
			       "%s is a directory, but no cgroup: \"cat /proc/PID/cgroup\" "
			       "shows that of a process, \"findmnt -t cgroup2\" where they are",
			       path);
	if (fd < 0)
		return msg_set(m, -errno, "cgroup %s: %s", path, strerror(errno));
	one_id(t, fd);
	t->text = xasprintf("cgroup %s", path);
	return 0;
}

static char *command_text(char **argv)
{
	struct strbuf b = { 0 };

	strbuf_putc(&b, '\'');
	for (int i = 0; argv[i]; i++)
		strbuf_addf(&b, "%s%s", i ? " " : "", argv[i]);
	strbuf_putc(&b, '\'');
	return b.s;
}

static int one_kind(const struct target_opts *o, struct msg *m)
{
	/* perf wants -a before -G, which says where already */
	bool both = o->all && o->guests && !strcmp(o->guests, "all");
	int kinds = (o->pids != NULL) + (o->tids != NULL) + (o->subtree != NULL) +
		    (o->guests != NULL) + (o->all || o->cgroup) - both;

	if (kinds > 1)
		return msg_set(m, -EINVAL,
			       "-p, -t, --subtree, %s-a or -G exclude each other: choose one%s",
			       o->guests ? "--guest, and " : "and ",
			       o->guests && o->all ? ", or \"-a --guest all\"" : "");
	if (o->cpus && (o->pids || o->tids || o->subtree || o->guests))
		return msg_set(m, -EINVAL,
			       "-C narrows the whole machine (-a) or a cgroup (-G), not processes");
	return 0;
}

/* Says which of the CPUs that were asked for are not there; refuses if that is all of them. */
static int note_offline(const struct cpulist *asked, struct msg *m)
{
	struct cpulist online, missing;
	struct strbuf text = { 0 };
	unsigned int n;
	int err = 0;

	if (cpulist_online(&online))
		return 0;
	cpulist_copy(&missing, asked);
	for (unsigned int i = 0; i < missing.n && i < online.n; i++)
		missing.words[i] &= ~online.words[i];
	n = cpulist_count(&missing);
	cpulist_put(&text, n ? &missing : &online);
	if (n && n == cpulist_count(asked)) {
		strbuf_puts(&text, "; online are ");
		cpulist_put(&text, &online);
		err = msg_set(m, -ENODEV, "-C: none of these CPUs is online: %s", text.s);
	} else if (n) {
		note("CPU%s %s %s not online, and measured only once %s", text_s(n), text.s,
		     n == 1 ? "is" : "are", n == 1 ? "it is" : "they are");
	}
	strbuf_free(&text);
	cpulist_free(&missing);
	cpulist_free(&online);
	return err;
}

int target_make(struct target *t, const struct target_opts *o, char **argv, struct msg *m)
{
	int err = one_kind(o, m);

	*t = (struct target){ 0 };
	if (err)
		return err;
	if (o->cpus) {
		err = cpulist_parse(&t->cpus, o->cpus, m);
		if (!err)
			err = note_offline(&t->cpus, m);
		if (err)
			return err;
	}
	if (o->pids)
		return processes(t, PEV_TARGET_PROCESS, o->pids, "process", m);
	if (o->tids)
		return processes(t, PEV_TARGET_TASK, o->tids, "thread", m);
	if (o->subtree)
		return processes(t, PEV_TARGET_SUBTREE, o->subtree, "process", m);
	/* beside -a, it says that samples tell guests from the host */
	if (o->guests && !o->all)
		return guests(t, o, m);
	if (o->guest_root)
		return msg_set(m, -EINVAL, "--guest-mount goes with --guest PID");
	if (o->cgroup)
		return cgroup(t, o->cgroup, m);
	one_id(t, 0);
	if (o->all || o->cpus) {
		t->type = PEV_TARGET_CPUS;
		t->text = o->cpus ? xasprintf("CPUs %s", o->cpus) : xstrdup(TARGET_MACHINE);
		return 0;
	}
	if (!argv || !argv[0])
		return msg_set(m, -EINVAL,
			       "what is to be measured? A command behind \"--\", -a, -p, -t, "
			       "--subtree or -G");
	t->type = PEV_TARGET_SUBTREE;
	t->workload = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	t->text = command_text(argv);
	return 0;
}

static void add_threads(struct target *t, size_t *cap, int pid)
{
	char *path = xasprintf("/proc/%d/task", pid);
	const struct dirent *e;
	DIR *dir = opendir(path);
	uint64_t id;

	while (dir && (e = readdir(dir)))
		if (!parse_u64(e->d_name, &id))
			*ARRAY_PUSH(t->ids, t->n_ids, *cap) = (int)id;
	if (dir)
		closedir(dir);
	free(path);
}

int target_has_threads(const struct target *t, struct msg *m)
{
	if (t->type == PEV_TARGET_PROCESS || t->type == PEV_TARGET_TASK)
		return 0;
	return msg_set(m, -EINVAL,
		       "threads are distinguished of what runs already: give processes with -p or "
		       "threads with -t");
}

int target_threads(struct target *t, const struct target *from, struct msg *m)
{
	size_t cap = 0;

	*t = (struct target){ .type = PEV_TARGET_TASK };
	for (size_t i = 0; i < from->n_ids; i++) {
		if (from->type == PEV_TARGET_PROCESS)
			add_threads(t, &cap, from->ids[i]);
		else
			*ARRAY_PUSH(t->ids, t->n_ids, cap) = from->ids[i];
	}
	return t->n_ids ? 0 : msg_set(m, -ESRCH, "%s: no thread is left", from->text);
}

void target_free(struct target *t)
{
	if (t->type == PEV_TARGET_CGROUP && t->n_ids)
		close(t->ids[0]);
	free(t->ids);
	free(t->text);
	cpulist_free(&t->cpus);
	*t = (struct target){ 0 };
}
