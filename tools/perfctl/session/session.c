// SPDX-License-Identifier: GPL-2.0
/* Reads traces, event by event. See session.h. */
#include "guest.h"
#include "base/clock.h"
#include "session.h"
#include "since.h"
#include "base/say.h"
#include "base/text.h"
#include "cli/term.h"
#include "inventory/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DEFAULT_DIR "pev.trace"
#define YEAR_2000   946684800000000000LL /* ns since the epoch */
/* recordings that are named where there are several */
#define SHOWN_MOST 4
/* events between two looks at the clock */
#define EVENTS_PER_LOOK 4096
/* the kind of a function that came into the kernel: a BPF program */
#define SESSION_CODE_BPF 1

static enum session_kind kind_of(const struct pev_class *cls)
{
	static const struct {
		const char *name;
		enum session_kind kind;
	} kinds[] = {
		{ "mmap", SESSION_MMAP }, { "comm", SESSION_COMM }, { "fork", SESSION_FORK },
		{ "exec", SESSION_EXEC }, { "exit", SESSION_EXIT },
		{ "kernel_function", SESSION_FUNCTION },
	};
	const char *name = cls->name;

	if (cls->type == PEV_TYPE_USTACK)
		return SESSION_USTACK;
	if (cls->type != PEV_TYPE_SIDEBAND && cls->type)
		return SESSION_EVENT;
	if (inventory_class_kind(cls) >= 0)
		return SESSION_INVENTORY;
	if (!strncmp(name, "pev:", 4))
		name += 4;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	return SESSION_EVENT;
}

/* Returns a field that holds one integer. */
static const struct pev_field *int_field(const struct pev_class *cls, const char *name)
{
	const struct pev_field *f = pev_class_field(cls, name);

	return f && f->shape == PEV_SHAPE_INT ? f : NULL;
}

static void look_up(struct session *f, const struct pev_class *cls)
{
	struct session_class *c = &f->classes[cls->index];

	c->kind = kind_of(cls);
	c->event = strtab_id(&f->names, cls->name);
	c->scale = cls->period > 1 && !cls->freq ? cls->period : 1;
	if (c->kind == SESSION_EVENT) {
		c->folded = cls->sample & PEV_SAMPLE_PERIOD ? int_field(cls, "folded") : NULL;
		return;
	}
	c->pid = int_field(cls, "pid");
	c->tid = int_field(cls, "tid");
	c->ppid = int_field(cls, "ppid");
	c->ptid = int_field(cls, "ptid");
	c->addr = int_field(cls, "addr");
	c->len = int_field(cls, "len");
	c->pgoff = int_field(cls, "pgoff");
	c->id = pev_class_field(cls, "build_id");
	c->id_size = int_field(cls, "build_id_size");
	c->code = int_field(cls, "kind");
	c->removed = int_field(cls, "removed");
	c->name = pev_class_field(cls, c->kind == SESSION_COMM ? "comm" :
				       c->kind == SESSION_FUNCTION ? "name" : "filename");
}

/* Only the first of several walks resolves functions. */
static void set_kernel(struct session *f)
{
	struct pev_syms *syms = f->objects.syms;
	struct build_id id;
	size_t len;
	char *text;

	if (pev_trace_info_file(f->trace, "kallsyms", &text, &len))
		return;
	pev_syms_set_kernel(syms, text, len);
	free(text);
	if (build_id_parse(pev_trace_info(f->trace, "build_id"), &id))
		pev_syms_set_kernel_id(syms, pev_trace_info(f->trace, "release"), id.bytes, id.len);
}

static void open_info(struct session *f)
{
	char *path = xasprintf("%s/info/vdso", pev_trace_path(f->trace));
	struct stat st;

	if (!stat(path, &st) && S_ISREG(st.st_mode)) {
		pev_syms_set_vdso(f->objects.syms, path);
	}
	free(path);
	/* what perfctl archive took along */
	path = xasprintf("%s/symfs", pev_trace_path(f->trace));
	if (!stat(path, &st) && S_ISDIR(st.st_mode) && pev_syms_add_root(f->objects.syms, path))
		checked(NULL);
	free(path);
	path = xasprintf("%s/info" SESSION_JIT, pev_trace_path(f->trace));
	if (!stat(path, &st) && S_ISREG(st.st_mode)) {
		path[strlen(path) - strlen(SESSION_JIT)] = '\0';
		if (pev_syms_add_root(f->objects.syms, path))
			checked(NULL);
	}
	free(path);
	/* an import may not know the time of day */
	if (pev_trace_end_ns(f->trace) > YEAR_2000)
		pev_syms_set_end(f->objects.syms, pev_trace_end_ns(f->trace));
	f->unwind = unwind_new(f->trace);
	if (!f->forked)
		set_kernel(f);
}

int session_vmlinux(struct session *f, const char *file, struct msg *m)
{
	int err = file ? pev_syms_set_vmlinux(f->objects.syms, file) : 0;

	switch (err) {
	case 0:
		return 0;
	case -ESTALE:
		return msg_set(m, err,
			       "--vmlinux %s is not of the kernel that was recorded, whose "
			       "build id is %s",
			       file, pev_trace_info(f->trace, "build_id"));
	case -ENOEXEC:
		return msg_set(m, err,
			       "--vmlinux %s is no ELF file: it takes the uncompressed file "
			       "from the kernel's build or its debug package",
			       file);
	default:
		return msg_set(m, err, "--vmlinux %s: %s", file, strerror(-err));
	}
}

void session_init(struct session *f)
{
	*f = (struct session){ 0 };
	machine_init(&f->machine);
	objects_init(&f->objects);
	stacks_init(&f->stacks, &f->objects);
}

/* Adds up nothing that was measured apart: libpev opens all traces in a directory. */
static int one_recording(const struct pev_trace *trace, struct msg *m)
{
	const struct pev_meta *last = NULL;
	struct strbuf names = { 0 };
	unsigned int n = 0;

	/* the streams of a trace are side by side */
	for (unsigned int i = 0; i < pev_trace_nr_streams(trace); i++) {
		const struct pev_stream *s = pev_trace_stream(trace, i);

		if (s->meta == last)
			continue;
		last = s->meta;
		if (n++ < SHOWN_MOST) {
			strbuf_puts(&names, n > 1 ? ", " : "");
			strbuf_add(&names, s->path, (size_t)(s->name - s->path) - 1);
		}
	}
	if (n > SHOWN_MOST)
		strbuf_addf(&names, " and %u more", n - SHOWN_MOST);
	if (n > 1)
		msg_set(m, -EINVAL, "%s has several recordings, which are not added up: %s; name one",
			pev_trace_path(trace), names.s);
	strbuf_free(&names);
	return n > 1 ? -EINVAL : 0;
}

/* Says what a file is that was taken for a recording, if there is a way from it to one. */
static void hint_at_file(const char *path, struct msg *m)
{
	char head[512] = "";
	FILE *f = fopen(path, "re");
	struct stat st;

	if (f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode) &&
	    fread(head, 1, sizeof(head), f) > 8) {
		if (!memcmp(head, "PERFILE2", 8))
			msg_set(m, 0,
				"%s is a file of perf: \"perfctl import %s\" makes a recording of "
				"it",
				path, path);
		else if (pev_pipe_begins(head, sizeof(head)))
			msg_set(m, 0,
				"%s is a recording as it comes through a pipe: \"perfctl import - < "
				"%s\" makes a directory of it",
				path, path);
		else if (!memcmp(head + 257, "ustar", 5))
			msg_set(m, 0,
				"%s is an archive: unpack it (tar -xf %s), and name the directory "
				"that it has",
				path, path);
	}
	if (f)
		fclose(f);
}

/* Says what comes through a pipe, if it is none of ours. */
static int hint_at_pipe(const char *head, ssize_t len, struct msg *m)
{
	if (len >= 8 && !memcmp(head, "PERFILE2", 8))
		return msg_set(m, -EBADMSG,
			       "the standard input is a file of perf: \"perfctl import -\" "
			       "makes a recording of it");
	return len > 0 ? msg_set(m, -EBADMSG,
				 "the standard input is no recording, as \"perfctl record "
				 "-o -\" writes it") :
			 msg_set(m, -EBADMSG, "the standard input ended before a recording came");
}

/* @f: follow it, NULL: wait for its end */
static int receive(struct received_dir *dir, struct follow *f, struct msg *m)
{
	struct received r = { 0 };
	struct pev_writer *w;
	char head[8];
	ssize_t len;
	int err = received_head(head, &len, m);

	if (!err && !pev_pipe_begins(head, (size_t)len))
		return hint_at_pipe(head, len, m);
	if (!err)
		err = received_dir_make(dir, &w, m);
	if (err)
		return err;
	if (f) {
		err = follow_pipe(f, w, head, (size_t)len, m);
		if (err)
			follow_close(f);
	} else {
		err = received_open(&r, w, head, (size_t)len, m);
		if (!err)
			err = received_all(&r, m);
		err = received_close(&r, err, m);
	}
	if (err)
		received_dir_remove(dir);
	return err;
}

/* @flags: of pev_trace_open() */
static int open_path(struct session *f, const char *path, unsigned int flags, struct msg *m)
{
	bool named = path != NULL;
	struct pev_trace *trace;
	struct pev_error e;
	int err;

	if (!path)
		path = DEFAULT_DIR;
	err = pev_trace_open(path, flags, &trace, &e);
	if (err == -ENOENT && !named)
		snprintf(e.text, sizeof(e.text),
			 DEFAULT_DIR ": there is no recording here: \"perfctl record\" "
				     "makes one; name it if it lies elsewhere");
	if (err == -ENOENT || err == -ENOTDIR || err == -EISDIR || err == -ELOOP || err == -ENXIO ||
	    err == -EFBIG || err == -EINVAL || err == -ENAMETOOLONG)
		err = -EBADMSG;
	if (err) {
		msg_set(m, err, "%s", e.text);
		hint_at_file(path, m);
		return err;
	}
	err = one_recording(trace, m);
	if (err) {
		pev_trace_close(trace);
		return err;
	}
	session_init(f);
	f->trace = trace;
	f->tracer = tracer_new(trace);
	f->owed = owed_new(trace);
	f->n_classes = pev_trace_nr_classes(f->trace);
	f->classes = xcalloc(f->n_classes, sizeof(*f->classes));
	for (unsigned int i = 0; i < f->n_classes; i++)
		look_up(f, pev_trace_class(f->trace, i));
	open_info(f);
	err = guest_names_open(f->trace, m);
	if (err) {
		session_close(f);
		return err;
	}
	err = pev_cursor_open(f->trace, NULL, 0, &f->cursor);
	if (err) {
		msg_set(m, err, "%s: %s", path, strerror(-err));
		session_close(f);
	}
	return err;
}

int session_open(struct session *f, const char *path, struct msg *m)
{
	struct received_dir dir = { 0 };
	int err = path && !strcmp(path, "-") ? receive(&dir, NULL, m) : 0;

	*f = (struct session){ 0 };
	if (err)
		return err;
	err = open_path(f, dir.path ? dir.path : path, 0, m);
	if (err)
		received_dir_remove(&dir);
	else
		f->dir = dir;
	return err;
}

int session_follow(struct session *f, const char *path, void (*idle)(void), struct msg *m)
{
	struct received_dir dir = { 0 };
	struct follow follow = { 0 };
	int err = 0;

	if (!path)
		path = DEFAULT_DIR;
	*f = (struct session){ 0 };
	if (!strcmp(path, "-"))
		err = receive(&dir, &follow, m);
	else
		follow_directory(&follow, path);
	if (err)
		return err;
	err = open_path(f, dir.path ? dir.path : path, PEV_TRACE_FOLLOW, m);
	if (err) {
		follow_close(&follow);
		received_dir_remove(&dir);
		return err;
	}
	f->follow = follow;
	f->dir = dir;
	f->idle = idle;
	return 0;
}

int session_fork(struct session *f, const struct session *from, struct msg *m)
{
	int err;

	session_init(f);
	f->trace = from->trace;
	f->classes = from->classes;
	f->n_classes = from->n_classes;
	f->names = from->names;
	f->tracer = from->tracer;
	f->owed = from->owed;
	f->forked = true;
	open_info(f);
	err = pev_cursor_open(f->trace, NULL, 0, &f->cursor);
	if (err) {
		msg_set(m, err, "%s: %s", pev_trace_path(f->trace), strerror(-err));
		session_close(f);
	}
	return err;
}

int session_seek(struct session *f, int64_t from, struct msg *m)
{
	int64_t since;
	int err;

	if (from == INT64_MIN || f->follow.on)
		return 0;
	err = pev_trace_find(f->trace, from);
	since = since_checkpoint(f->trace, from);
	if (!err && since != INT64_MIN)
		err = pev_trace_find(f->trace, since);
	if (err)
		return msg_set(m, err, "%s: %s", pev_trace_path(f->trace), strerror(-err));
	f->early = xrealloc(f->early, (f->n_classes + 1) * sizeof(*f->early));
	for (unsigned int i = 0; i < f->n_classes; i++)
		f->early[i] = f->classes[i].kind != SESSION_EVENT;
	pev_cursor_seek_early(f->cursor, since, f->early, from);
	return 0;
}

void session_close(struct session *f)
{
	if (!f->objects.syms)
		return;
	pev_cursor_close(f->cursor);
	free(f->early);
	stacks_free(&f->stacks);
	unwind_free(f->unwind);
	machine_free(&f->machine);
	objects_free(&f->objects);
	if (!f->forked) {
		tracer_free(f->tracer);
		owed_free(f->owed);
		strtab_free(&f->names);
		free(f->classes);
		pev_trace_close(f->trace);
		follow_close(&f->follow);
		received_dir_remove(&f->dir);
	}
	*f = (struct session){ 0 };
}

static uint32_t u32_of(const struct pev_event *ev, const struct pev_field *field, uint32_t other)
{
	return field ? (uint32_t)pev_event_int(ev, field) : other;
}

static void session_mmap(struct session *f, const struct session_class *c,
			 const struct pev_event *ev)
{
	struct build_id id = { 0 };
	const uint8_t *bytes;
	uint64_t start, offset;
	uint32_t pid, object;
	char path[4096];
	size_t n = 0;

	pev_event_copy_text(ev, c->name, path, sizeof(path));
	bytes = c->id ? pev_event_locate(ev, c->id, &n) : NULL;
	if (bytes) {
		size_t size = c->id_size ? pev_event_int(ev, c->id_size) : n;

		id.len = (uint8_t)min_u64(min_u64(size, n), sizeof(id.bytes));
		memcpy(id.bytes, bytes, id.len);
		if (!c->id_size && id.len == 20 && !memcmp(id.bytes, (char[20]){ 0 }, 20))
			id.len = 0;
	}
	pid = u32_of(ev, c->pid, ev->pid);
	start = pev_event_int(ev, c->addr);
	offset = pev_event_int(ev, c->pgoff);
	if (!path[0] || object_is_anon(path)) {
		/* the process makes this code: places in it are addresses */
		snprintf(path, sizeof(path), "[jit %u]", pid);
		offset = start;
	}
	object = objects_get(&f->objects, path, &id);
	objects_mapped_by(&f->objects, object, pid);
	machine_mmap(&f->machine, pid, start, pev_event_int(ev, c->len), offset, object);
}

/* One that was removed keeps its name: samples of it are resolved later. */
static void session_function(struct session *f, const struct session_class *c,
			     const struct pev_event *ev)
{
	char name[512];

	if (!c->addr || !c->len || u32_of(ev, c->removed, 0))
		return;
	pev_event_copy_text(ev, c->name, name, sizeof(name));
	pev_syms_kernel_function(f->objects.syms, pev_event_int(ev, c->addr),
				 pev_event_int(ev, c->len), name,
				 u32_of(ev, c->code, 0) == SESSION_CODE_BPF ? "bpf" : NULL);
}

void session_forget(struct session *f)
{
	bool *used = xcalloc(f->objects.n, sizeof(*used));

	stacks_forget(&f->stacks);
	machine_forget_names(&f->machine);
	machine_objects(&f->machine, used);
	unwind_forget(f->unwind);
	objects_keep(&f->objects, used);
	free(used);
}

void session_sideband(struct session *f, const struct session_class *c, const struct pev_event *ev)
{
	struct machine *m = &f->machine;
	uint32_t pid = u32_of(ev, c->pid, ev->pid), tid = u32_of(ev, c->tid, ev->tid);
	char name[256];

	switch (c->kind) {
	case SESSION_MMAP:
		session_mmap(f, c, ev);
		break;
	case SESSION_COMM:
		pev_event_copy_text(ev, c->name, name, sizeof(name));
		machine_comm(m, pid, tid, name);
		break;
	case SESSION_FORK:
		machine_fork(m, u32_of(ev, c->ppid, ev->pid), u32_of(ev, c->ptid, ev->tid), pid,
			     tid);
		break;
	case SESSION_EXEC:
		machine_exec(m, pid);
		break;
	case SESSION_EXIT:
		machine_exit(m, pid, tid);
		break;
	case SESSION_FUNCTION:
		session_function(f, c, ev);
		break;
	case SESSION_USTACK:
		/* of a recording that is finished all are known */
		if (f->follow.on)
			owed_add(f->owed, ev);
		break;
	default:
		break;
	}
}

void session_progress(struct session *f, const char *doing)
{
	if (f->doing)
		term_progress_end();
	f->doing = doing;
	f->done = f->total = 0;
	for (unsigned int i = 0; i < pev_trace_nr_streams(f->trace); i++)
		f->total += pev_trace_stream(f->trace, i)->size;
	/* from here on it takes long */
	if (doing)
		term_progress((void *)doing, 0, f->total);
}

static void tell(struct session *f, const struct pev_event *ev)
{
	f->done += ev->record_len;
	if (++f->untold < EVENTS_PER_LOOK)
		return;
	f->untold = 0;
	term_progress((void *)f->doing, f->done, f->total);
}

/* Events may be of classes that are new. */
static int wait_for_more(struct session *f, struct msg *m)
{
	unsigned int had = f->n_classes;
	int err;

	if (f->idle)
		f->idle();
	err = follow_more(&f->follow, f->trace, m);
	if (err)
		return err;
	f->n_classes = pev_trace_nr_classes(f->trace);
	f->classes = xrealloc(f->classes, (f->n_classes + 1) * sizeof(*f->classes));
	for (unsigned int i = had; i < f->n_classes; i++) {
		f->classes[i] = (struct session_class){ 0 };
		look_up(f, pev_trace_class(f->trace, i));
	}
	if (f->owed)
		owed_look(f->owed, f->trace);
	else
		f->owed = owed_new(f->trace);
	return 0;
}

/* A record that has its stack later is shown when that has come. */
static int wait_for_stack(struct session *f, const struct pev_event *ev, struct msg *m)
{
	int err = 0;

	while (!err && f->follow.on && !f->follow.ended &&
	       owed_waits(f->owed, ev, pev_trace_synced(f->trace), now_ms()))
		err = wait_for_more(f, m);
	return err;
}

int session_next(struct session *f, const struct pev_event **ev, const struct session_class **cls,
		 struct msg *m)
{
	int err = pev_cursor_next(f->cursor, ev);

	while (!err && f->follow.on && !f->follow.ended) {
		err = wait_for_more(f, m);
		if (err)
			return err;
		err = pev_cursor_next(f->cursor, ev);
	}
	if (err <= 0 && f->doing)
		term_progress_end();
	if (err < 0)
		return msg_set(m, err, "reading the trace: %s", strerror(-err));
	if (!err)
		return 0;
	if (f->owed && f->follow.on) {
		err = wait_for_stack(f, *ev, m);
		if (err)
			return err;
	}
	if (f->doing)
		tell(f, *ev);
	*cls = &f->classes[(*ev)->cls->index];
	if ((*cls)->kind != SESSION_EVENT)
		session_sideband(f, *cls, *ev);
	return 1;
}

const struct pev_event *session_unwind(struct session *f, const struct seen *who,
				       const struct pev_event *ev)
{
	uint32_t own = tracer_frames(f->tracer, &f->places, ev);
	enum pev_unwind_end end;

	ev = owed_join(f->owed, &f->owes, ev, &f->joined);
	if (own) {
		f->ev = *ev;
		f->ev.kstack += own;
		f->ev.kstack_len -= own;
		ev = &f->ev;
	}
	if (!ev->uregs_len)
		return ev;
	if (!who)
		who = machine_seen(&f->machine, ev->pid, ev->tid);
	ev = unwind_event(f->unwind, &f->objects, who->space, ev, &end);
	if (end < PEV_UNWIND_ENDS && end != PEV_UNWIND_DONE &&
	    tracer_in_exec(f->tracer, &f->places, ev)) {
		f->ev = *ev;
		f->ev.ustack_len = 0;
		return &f->ev;
	}
	unwind_count(f->unwind, end, ev);
	return ev;
}

bool session_owes(const struct session *f, const struct pev_event *ev)
{
	return f->follow.on && !f->follow.ended && !owed_has(f->owed, ev);
}

uint64_t session_samples(const struct session_class *cls, const struct pev_event *ev)
{
	return cls->folded ? pev_event_int(ev, cls->folded) : 1;
}

const struct thread *session_thread(struct session *f, const struct pev_event *ev)
{
	return machine_thread(&f->machine, ev->pid, ev->tid);
}

const char *session_incomplete(const struct session *f, char *text, size_t size)
{
	const char *missing = pev_trace_info(f->trace, "incomplete");
	const char *complete = pev_trace_info(f->trace, "complete");
	const char *error = pev_trace_info(f->trace, "error");
	char safe[256];

	if (missing)
		return text_safe(text, size, missing);
	if (!complete || strcmp(complete, "no"))
		return NULL;
	if (error)
		snprintf(text, size, "its end could not be written (%s)",
			 text_safe(safe, sizeof(safe), error));
	else
		snprintf(text, size, "it is being made, or its recorder was killed");
	return text;
}

void session_note_damage(const struct session *f)
{
	uint64_t lost = pev_trace_lost(f->trace);
	unsigned int n = pev_trace_nr_warnings(f->trace);
	char a[32], safe[1024];

	for (unsigned int i = 0; i < n; i++)
		note("%s", text_safe(safe, sizeof(safe), pev_trace_warning(f->trace, i)));
	if (session_incomplete(f, safe, sizeof(safe)))
		note("%s is incomplete: %s", pev_trace_path(f->trace), safe);
	if (lost)
		note("%s%s record%s %s lost while recording: shares may be off; record with a "
		     "larger ring (-m)",
		     pev_trace_info(f->trace, "losses") ? "at least " : "", text_count(a, lost),
		     text_s(lost), lost == 1 ? "was" : "were");
}
