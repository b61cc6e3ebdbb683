// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that ran before the recording: their names and the code that they
 * have mapped, from /proc, as records of the same sideband events.
 */
#include "state.h"
#include "stat.h"
#include "session/object.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define TASK_COMM_LEN 16

/**
 * struct known_file - the build id of a file that was met before
 */
struct known_file {
	uint64_t dev;
	uint64_t ino;
	struct build_id id;
};

/**
 * struct proc_state - while it is written
 * @enc:   where to
 * @time:  of all records
 * @since: of write_descendants()
 * @files: build ids by device and inode
 */
struct proc_state {
	struct pev_encoder *enc;
	const struct pev_class *mmap;
	const struct pev_class *comm;
	uint64_t time;
	uint64_t since;
	struct known_file *files;
	size_t n_files, cap_files;
	struct htab h_files;
};

/**
 * struct proc_map - a line of /proc/PID/maps
 */
struct proc_map {
	uint64_t start, end, offset, ino;
	unsigned int maj, min;
	char perms[5];
	char *path;
};

/* The kernel writes a newline in a path as \012. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (!strncmp(s, "\\012", 4)) {
			*to++ = '\n';
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

static bool parse_map(char *line, struct proc_map *p)
{
	unsigned long start, end, offset, ino;
	int at = 0;

	if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &start, &end, p->perms, &offset, &p->maj,
		   &p->min, &ino, &at) < 7 || !at)
		return false;
	p->start = start;
	p->end = end;
	p->offset = offset;
	p->ino = ino;
	p->path = line + at;
	unescape(p->path);
	return true;
}

/* Opens the file by its path, or as the process sees it. */
static bool find_file(int pid, const struct proc_map *p, char *file, size_t size)
{
	const char *const roots[] = { "", NULL };
	char root[32];
	struct stat st;

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		snprintf(file, size, "%s%s", roots[i] ? roots[i] : root, p->path);
		if (!stat(file, &st) && st.st_ino == p->ino)
			return true;
	}
	return false;
}

static const struct build_id *file_build_id(struct proc_state *s, int pid,
					    const struct proc_map *p)
{
	uint64_t dev = makedev(p->maj, p->min);
	struct known_file *k;
	char file[4200];

	if (!HTAB_GET(k, &s->h_files, hash_2u64(dev, p->ino), k->dev == dev && k->ino == p->ino,
		      s->files, s->n_files, s->cap_files))
		return &k->id;
	k->dev = dev;
	k->ino = p->ino;
	if (find_file(pid, p, file, sizeof(file)))
		elf_build_id(file, &k->id);
	return &k->id;
}

static int write_map(struct proc_state *s, int pid, const struct proc_map *p)
{
	static const struct build_id none;
	const struct build_id *id = p->path[0] == '/' && p->ino ? file_build_id(s, pid, p) : &none;
	const char *path = p->path[0] ? p->path : "//anon";
	int err = pev_encoder_begin(s->enc, s->mmap, s->time, (uint32_t)pid);

	if (err)
		return err;
	pev_encoder_int(s->enc, "pid", (uint32_t)pid);
	pev_encoder_int(s->enc, "tid", (uint32_t)pid);
	pev_encoder_int(s->enc, "addr", p->start);
	pev_encoder_int(s->enc, "len", p->end - p->start);
	pev_encoder_int(s->enc, "pgoff", p->offset);
	pev_encoder_int(s->enc, "maj", p->maj);
	pev_encoder_int(s->enc, "min", p->min);
	pev_encoder_int(s->enc, "ino", p->ino);
	pev_encoder_int(s->enc, "prot", 5);
	pev_encoder_int(s->enc, "flags", 2);
	pev_encoder_int(s->enc, "build_id_size", id->len);
	pev_encoder_data(s->enc, "build_id", id->bytes, id->len);
	pev_encoder_data(s->enc, "filename", path, strlen(path) + 1);
	return pev_encoder_commit(s->enc);
}

static int write_maps(struct proc_state *s, int pid)
{
	char path[64], *text, *line;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	text = file_read(path, NULL);
	for (line = text; line && *line && !err;) {
		char *end = strchrnul(line, '\n');
		bool last = !*end;
		struct proc_map p;

		*end = 0;
		if (parse_map(line, &p) && p.perms[2] == 'x')
			err = write_map(s, pid, &p);
		line = last ? NULL : end + 1;
	}
	free(text);
	return err;
}

static int write_name(struct proc_state *s, int pid, int tid, const char *name)
{
	int err = pev_encoder_begin(s->enc, s->comm, s->time, (uint32_t)tid);

	if (err)
		return err;
	pev_encoder_int(s->enc, "pid", (uint32_t)pid);
	pev_encoder_int(s->enc, "tid", (uint32_t)tid);
	pev_encoder_data(s->enc, "comm", name, strlen(name) + 1);
	return pev_encoder_commit(s->enc);
}

static int write_comm(struct proc_state *s, int pid, int tid)
{
	char path[64], *name;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	name = file_read(path, &len);
	if (!name)
		return 0; /* it has ended */
	if (len && name[len - 1] == '\n')
		name[--len] = 0;
	err = write_name(s, pid, tid, name);
	free(name);
	return err;
}

/*
 * Writes the command's name alone: it maps its code while it is recorded. exec
 * renames it halfway, and the time before that is to count for the new name, too.
 */
static int write_workload(struct proc_state *s, const struct target *t)
{
	char name[TASK_COMM_LEN];

	snprintf(name, sizeof(name), "%s", t->workload);
	return write_name(s, t->ids[0], t->ids[0], name);
}

/* Calls @each for all numbers in a directory. */
static int for_numbers(const char *dir, int (*each)(struct proc_state *s, int outer, int n),
		       struct proc_state *s, int outer)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int err = 0;

	while (d && !err && (e = readdir(d))) {
		int n = atoi(e->d_name);

		if (n > 0)
			err = each(s, outer, n);
	}
	if (d)
		closedir(d);
	return err;
}

static int write_process(struct proc_state *s, int unused, int pid)
{
	char path[64];
	int err;

	(void)unused;
	/* the leader first: threads without a name are called after it */
	err = write_comm(s, pid, pid);
	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	err = for_numbers(path, write_comm, s, pid);
	return err ? err : write_maps(s, pid);
}

/**
 * struct family - all processes of the machine with their parents
 */
struct family {
	struct {
		int pid;
		int ppid;
		bool in;
	} *p;
	size_t n, cap;
};

static void read_family(struct family *f)
{
	DIR *d = opendir("/proc");
	struct proc_stat stat;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		int pid = atoi(e->d_name);

		if (pid <= 0)
			continue;
		f->p = array_grow(f->p, f->n, &f->cap, sizeof(*f->p));
		f->p[f->n].pid = pid;
		proc_stat_read(&stat, (uint32_t)pid);
		f->p[f->n].ppid = (int)stat.ppid;
		f->p[f->n++].in = false;
	}
	if (d)
		closedir(d);
}

static bool is_in(const struct family *f, int pid)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->p[i].pid == pid)
			return f->p[i].in;
	return false;
}

/* Adds generation by generation, until there is no further one. */
int proc_state_subtree(int root, int (*fn)(void *arg, int pid), void *arg)
{
	struct family f = { 0 };
	bool more = true;
	int err = 0;

	read_family(&f);
	while (more && !err) {
		more = false;
		for (size_t i = 0; i < f.n && !err; i++) {
			if (f.p[i].in || (f.p[i].pid != root && !is_in(&f, f.p[i].ppid)))
				continue;
			f.p[i].in = more = true;
			err = fn(arg, f.p[i].pid);
		}
	}
	free(f.p);
	return err;
}

static int write_one(void *arg, int pid)
{
	return write_process(arg, 0, pid);
}

/* Calls @fn for all processes of the machine. */
static int each_process(int (*fn)(void *arg, int pid), void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int err = 0;

	while (d && !err && (e = readdir(d))) {
		int pid = atoi(e->d_name);

		if (pid > 0)
			err = fn(arg, pid);
	}
	if (d)
		closedir(d);
	return err;
}

/* Returns when a process began, in ticks since boot; 0: it is gone. */
static uint64_t start_of(int pid)
{
	struct proc_stat stat;

	proc_stat_read(&stat, (uint32_t)pid);
	return stat.start;
}

static int write_younger(struct proc_state *s, int unused, int pid)
{
	return start_of(pid) >= s->since ? write_process(s, unused, pid) : 0;
}

/*
 * Descendants whose parents have ended cannot be found by them; but all of them are younger than
 * the process that all began with.
 */
static int write_descendants(struct proc_state *s, int root)
{
	s->since = start_of(root);
	return for_numbers("/proc", write_younger, s, 0);
}

int proc_state_each(const struct target *t, int (*fn)(void *arg, int pid), void *arg)
{
	int err = 0;

	if (t->type == PEV_TARGET_CPUS || t->type == PEV_TARGET_CGROUP)
		return each_process(fn, arg);
	for (size_t i = 0; i < t->n_ids && !err; i++) {
		if (t->type == PEV_TARGET_SUBTREE)
			err = proc_state_subtree(t->ids[i], fn, arg);
		else if (t->type == PEV_TARGET_TASK)
			err = fn(arg, proc_of_thread(t->ids[i]));
		else
			err = fn(arg, t->ids[i]);
	}
	return err;
}

static int write_target(struct proc_state *s, const struct target *t, bool later)
{
	if (later && (t->workload || t->type == PEV_TARGET_SUBTREE))
		return write_descendants(s, t->ids[0]);
	if (t->workload)
		return write_workload(s, t);
	return proc_state_each(t, write_one, s);
}

static const struct pev_class *sideband_class(const struct pev_meta *meta, const char *name)
{
	const struct pev_class *cls = pev_meta_class_by_name(meta, name);

	return cls ? cls : pev_meta_class_by_name(meta, name + strlen("pev:"));
}

uint64_t proc_state_time(const struct pev_meta *meta)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return pev_meta_ticks(meta, now.tv_sec * 1000000000LL + now.tv_nsec);
}

static int begin(struct proc_state *s, struct pev_encoder *enc, const struct pev_meta *meta,
		 uint64_t time)
{
	*s = (struct proc_state){
		.enc = enc,
		.mmap = sideband_class(meta, "pev:mmap"),
		.comm = sideband_class(meta, "pev:comm"),
		.time = time,
	};
	return s->mmap && s->comm ? 0 : -ENOENT;
}

static void end(struct proc_state *s)
{
	free(s->files);
	htab_free(&s->h_files);
}

int proc_state_encode(struct pev_encoder *enc, const struct pev_meta *meta, const struct target *t,
		      uint64_t time, bool later)
{
	struct proc_state s;
	int err = begin(&s, enc, meta, time);

	if (!err)
		err = write_target(&s, t, later);
	end(&s);
	return err;
}

int proc_state_encode_one(struct pev_encoder *enc, const struct pev_meta *meta, uint32_t pid,
			  uint64_t time)
{
	struct proc_state s;
	int err = begin(&s, enc, meta, time);

	if (!err)
		err = write_process(&s, 0, (int)pid);
	end(&s);
	return err;
}

int proc_state_write(struct pev_writer *w, const struct pev_meta *meta, const struct target *t,
		     uint64_t time, bool later, struct msg *m)
{
	struct pev_encoder *enc;
	int err = pev_writer_encoder(w, meta, "state", 0, &enc), close_err;

	if (!err) {
		err = proc_state_encode(enc, meta, t, time, later);
		close_err = pev_encoder_close(enc);
		if (!err)
			err = close_err;
	}
	return err ? msg_set(m, err, "the state of running processes: %s", strerror(-err)) : 0;
}
