// SPDX-License-Identifier: GPL-2.0
/* Takes stock of a recording. See contents.h. */
#include "contents.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

static void count_program(struct contents *c, const struct pev_event *ev)
{
	const struct seen *who = machine_seen(&c->session->machine, ev->pid, ev->tid);
	uint32_t pid = who->thread.pid, comm = who->thread.comm;
	struct contents_program *p;

	if (HTAB_GET(p, &c->h_programs, hash_u64(hash_pair(pid, comm)),
		     p->pid == pid && p->comm == comm, c->programs, c->n_programs,
		     c->cap_programs)) {
		p->pid = pid;
		p->comm = comm;
	}
	p->records++;
}

static int count_records(struct contents *c, struct msg *m)
{
	const struct session_class *cls;
	const struct pev_event *ev;
	int err;

	session_progress(c->session, "reading");
	while ((err = session_next(c->session, &ev, &cls, m)) > 0) {
		struct contents_event *e = &c->events[cls->event];

		e->records++;
		e->bytes += ev->record_len;
		if (e->sideband)
			continue;
		c->records++;
		count_program(c, ev);
	}
	return err;
}

static int by_records(const void *a, const void *b)
{
	const struct contents_program *x = a, *y = b;

	if (x->records != y->records)
		return x->records < y->records ? 1 : -1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int by_name(const void *a, const void *b)
{
	const struct contents_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* What else lies in the directory does not belong to the recording. */
static bool is_part(const char *below, const char *name)
{
	if (!*below)
		return !strcmp(name, "info") || !strcmp(name, "index") || !strcmp(name, "symfs");
	return !strncmp(below, "symfs/", 6) && strcmp(name, ".") && strcmp(name, "..");
}

static void add_files(struct contents *c, const char *below);

static void add_file(struct contents *c, const char *below, const char *name, const struct stat *st)
{
	char *path = xasprintf("%s%s%s", below, name, S_ISDIR(st->st_mode) ? "/" : "");
	struct contents_file *f;

	if (S_ISREG(st->st_mode)) {
		f = ARRAY_PUSH(c->files, c->n_files, c->cap_files);
		f->name = path;
		f->bytes = (uint64_t)st->st_size;
		c->bytes += f->bytes;
		return;
	}
	if (S_ISDIR(st->st_mode) && is_part(below, name))
		add_files(c, path);
	free(path);
}

/* Adds the regular files of a directory; what cannot be seen is not there. */
static void add_files(struct contents *c, const char *below)
{
	char *path = xasprintf("%s/%s", pev_trace_path(c->session->trace), below);
	DIR *dir = opendir(path);
	struct dirent *d;
	struct stat st;

	free(path);
	while (dir && (d = readdir(dir)))
		if (!fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			add_file(c, below, d->d_name, &st);
	if (dir)
		closedir(dir);
}

/* "RECORDS LOST FILTERED NAME" of each event, as the recorder has read it from the kernel */
static void read_counts(struct contents *c)
{
	char *text, *line, *rest;
	size_t len;

	if (pev_trace_info_file(c->session->trace, "counts", &text, &len))
		return;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		uint64_t written, lost, filtered;
		int at = 0;

		if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &written, &lost,
			   &filtered, &at) != 3 ||
		    !at)
			continue;
		for (size_t i = 0; i < c->n_events; i++) {
			struct contents_event *e = &c->events[i];

			if (!e->cls || strcmp(e->cls->name, line + at))
				continue;
			e->counted = true;
			e->written += written;
			e->lost += lost;
			e->filtered += filtered;
		}
	}
	free(text);
}

static uint64_t number_of(const struct pev_trace *t, const char *key)
{
	const char *text = pev_trace_info(t, key);
	uint64_t n;

	return text && !parse_u64(text, &n) ? n : 0;
}

static void read_crash(struct contents_crash *crash, const struct pev_trace *t)
{
	const char *booted = pev_trace_nr_metas(t) ?
				     pev_meta_env(pev_trace_meta(t, 0), "kernel_booted") :
				     NULL;
	uint64_t s;

	*crash = (struct contents_crash){
		.known = pev_trace_info(t, "crash_records") != NULL,
		.booted = booted && !parse_u64(booted, &s) ? s * 1000000000 : 0,
		.began = number_of(t, "crash_began"),
		.records = number_of(t, "crash_records"),
		.packets = number_of(t, "crash_packets"),
		.rings = number_of(t, "crash_rings"),
		.bad_rings = number_of(t, "crash_bad_rings"),
		.torn = number_of(t, "crash_torn_packets"),
		.cut = number_of(t, "crash_cut_packets"),
		.cut_bytes = number_of(t, "crash_cut_bytes"),
		.unpublished = number_of(t, "crash_unpublished"),
		.lost = number_of(t, "crash_lost"),
	};
}

int contents_load(struct contents *c, struct session *session, struct msg *m)
{
	int err;

	*c = (struct contents){ .session = session, .n_events = session->names.n };
	c->events = xcalloc(c->n_events + 1, sizeof(*c->events));
	for (unsigned int i = session->n_classes; i-- > 0;) {
		struct contents_event *e = &c->events[session->classes[i].event];

		e->cls = pev_trace_class(session->trace, i);
		e->sideband = session->classes[i].kind != SESSION_EVENT;
		e->inventory = session->classes[i].kind == SESSION_INVENTORY;
	}
	err = count_records(c, m);
	if (err)
		return err;
	if (c->n_programs)
		qsort(c->programs, c->n_programs, sizeof(*c->programs), by_records);
	inventory_load(&c->inventory, session->trace);
	add_files(c, "");
	qsort(c->files, c->n_files, sizeof(*c->files), by_name);
	read_counts(c);
	read_crash(&c->crash, session->trace);
	for (size_t i = 0; i < session->objects.n; i++) {
		const struct object *o = &session->objects.o[i];

		c->code += o->kind == OBJECT_FILE;
		c->code_ids += o->kind == OBJECT_FILE && o->id.len;
	}
	return 0;
}

void contents_free(struct contents *c)
{
	for (size_t i = 0; i < c->n_files; i++)
		free(c->files[i].name);
	free(c->files);
	free(c->events);
	free(c->programs);
	htab_free(&c->h_programs);
	inventory_free(&c->inventory);
	*c = (struct contents){ 0 };
}

const char *contents_carries(const struct pev_class *cls, char *buf, size_t size)
{
	static const struct {
		uint64_t bits;
		const char *text;
	} parts[] = {
		{ PEV_SAMPLE_PID | PEV_SAMPLE_TID, "thread" },
		{ PEV_SAMPLE_IP, "place" },
		{ PEV_SAMPLE_ADDR, "address" },
		{ PEV_SAMPLE_PERIOD, "weight" },
		{ PEV_SAMPLE_KSTACK, "kernel chain" },
		{ PEV_SAMPLE_USTACK, "user chain" },
		{ PEV_SAMPLE_USTACK_DUMP, "stack" },
		{ PEV_SAMPLE_READ, "counts" },
	};
	size_t len = 0;

	*buf = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (cls->sample & parts[i].bits && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						parts[i].text);
	return buf;
}
