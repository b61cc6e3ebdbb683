// SPDX-License-Identifier: GPL-2.0
/* Turns options into what is measured. See target.h. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define CGROUP_ROOT "/sys/fs/cgroup"

static int parse_ids(struct target *t, const char *text, const char *what, struct msg *m)
{
	char *copy = xstrdup(text), *save, *p;
	size_t cap = 0;
	int err = 0;

	for (p = strtok_r(copy, ", \t\n", &save); p && !err; p = strtok_r(NULL, ", \t\n", &save)) {
		uint64_t id;

		if (parse_u64(p, &id) || !id || id > INT32_MAX)
			err = msg_set(m, -EINVAL, "\"%s\" is not the number of a %s", p, what);
		else
			*ARRAY_PUSH(t->ids, t->n_ids, cap) = (int)id;
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

static int processes(struct target *t, uint32_t type, const char *ids, const char *what,
		     struct msg *m)
{
	int err;

	t->type = type;
	err = parse_ids(t, ids, what, m);
	if (err)
		return err;
	for (size_t i = 0; i < t->n_ids; i++)
		if (kill(t->ids[i], 0) && errno == ESRCH)
			return msg_set(m, -ESRCH, "there is no %s %d", what, t->ids[i]);
	t->text = xasprintf("%s%s %s%s", what, t->n_ids > 1 ? (what[0] == 'p' ? "es" : "s") : "",
			    ids, type == PEV_TARGET_SUBTREE ? " and all its descendants" : "");
	return 0;
}

static int cgroup(struct target *t, const char *path, struct msg *m)
{
	char *full = NULL;
	int fd = -1;

	t->type = PEV_TARGET_CGROUP;
	/* users name it relative to the place where cgroup v2 is mounted */
	if (strncmp(path, CGROUP_ROOT, strlen(CGROUP_ROOT))) {
		full = xasprintf("%s/%s", CGROUP_ROOT, path + strspn(path, "/"));
		fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(full);
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
	int kinds = (o->pids != NULL) + (o->tids != NULL) + (o->subtree != NULL) + o->all +
		    (o->cgroup != NULL);

	if (kinds > 1)
		return msg_set(m, -EINVAL,
			       "-a, -p, -t, --subtree and -G exclude each other: choose one");
	if (o->cpus && (o->pids || o->tids || o->subtree))
		return msg_set(m, -EINVAL,
			       "-C narrows the whole machine (-a) or a cgroup (-G), not processes");
	return 0;
}

int target_make(struct target *t, const struct target_opts *o, char **argv, struct msg *m)
{
	int err = one_kind(o, m);

	*t = (struct target){ 0 };
	if (err)
		return err;
	if (o->cpus) {
		err = cpulist_parse(&t->cpus, o->cpus, m);
		if (err)
			return err;
	}
	if (o->pids)
		return processes(t, PEV_TARGET_PROCESS, o->pids, "process", m);
	if (o->tids)
		return processes(t, PEV_TARGET_TASK, o->tids, "thread", m);
	if (o->subtree)
		return processes(t, PEV_TARGET_SUBTREE, o->subtree, "process", m);
	if (o->cgroup)
		return cgroup(t, o->cgroup, m);
	one_id(t, 0);
	if (o->all || o->cpus) {
		t->type = PEV_TARGET_CPUS;
		t->text = o->cpus ? xasprintf("CPUs %s", o->cpus) : xstrdup("the whole machine");
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

void target_free(struct target *t)
{
	if (t->type == PEV_TARGET_CGROUP && t->n_ids)
		close(t->ids[0]);
	free(t->ids);
	free(t->text);
	cpulist_free(&t->cpus);
	*t = (struct target){ 0 };
}
