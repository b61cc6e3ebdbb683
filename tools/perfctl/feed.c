// SPDX-License-Identifier: GPL-2.0
/* A trace into a profile. See feed.h. */
#include "feed.h"
#include "perfctl.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DEFAULT_DIR "pev.trace"

static enum feed_kind kind_of(const struct pev_class *cls)
{
	static const struct {
		const char *name;
		enum feed_kind kind;
	} kinds[] = {
		{ "mmap", FEED_MMAP }, { "comm", FEED_COMM }, { "fork", FEED_FORK },
		{ "exec", FEED_EXEC }, { "exit", FEED_EXIT },
	};
	const char *name = cls->name;

	if (cls->type != PEV_TYPE_SIDEBAND && cls->type)
		return FEED_EVENT;
	if (!strncmp(name, "pev:", 4))
		name += 4;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	return FEED_EVENT;
}

/* A field that holds one integer. */
static const struct pev_field *int_field(const struct pev_class *cls, const char *name)
{
	const struct pev_field *f = pev_class_field(cls, name);

	return f && f->shape == PEV_SHAPE_INT ? f : NULL;
}

static void look_up(struct feed *f, const struct pev_class *cls)
{
	struct feed_class *c = &f->classes[cls->index];

	c->kind = kind_of(cls);
	c->event = strtab_id(&f->names, cls->name);
	c->scale = cls->period > 1 && !cls->freq ? cls->period : 1;
	if (c->kind == FEED_EVENT)
		return;
	c->pid = int_field(cls, "pid");
	c->tid = int_field(cls, "tid");
	c->ppid = int_field(cls, "ppid");
	c->ptid = int_field(cls, "ptid");
	c->addr = int_field(cls, "addr");
	c->len = int_field(cls, "len");
	c->pgoff = int_field(cls, "pgoff");
	c->id = pev_class_field(cls, "build_id");
	c->id_size = int_field(cls, "build_id_size");
	c->name = pev_class_field(cls, c->kind == FEED_COMM ? "comm" : "filename");
}

/* Only the first of several walks resolves functions. */
static void set_kernel(struct feed *f)
{
	struct pev_syms *syms = f->profile.objects.syms;
	struct build_id id;
	size_t len;
	char *text;

	if (pev_trace_info_file(f->trace, "kallsyms", &text, &len))
		return;
	pev_syms_set_kernel(syms, text, len);
	free(text);
	if (build_id_parse(pev_trace_info(f->trace, "build_id"), &id))
		pev_syms_set_kernel_id(syms, pev_trace_info(f->trace, "release"), id.bytes,
				       id.len);
}

static void open_info(struct feed *f)
{
	char *path = xasprintf("%s/info/vdso", pev_trace_path(f->trace));
	struct stat st;

	if (!stat(path, &st) && S_ISREG(st.st_mode)) {
		pev_syms_set_vdso(f->profile.objects.syms, path);
	}
	free(path);
	f->profile.unwind = unwind_new(f->trace);
	if (!f->forked)
		set_kernel(f);
}

int feed_vmlinux(struct feed *f, const char *file, struct msg *m)
{
	int err = file ? pev_syms_set_vmlinux(f->profile.objects.syms, file) : 0;

	switch (err) {
	case 0:
		return 0;
	case -ESTALE:
		return msg_set(m, err, "--vmlinux %s is not of the kernel that was recorded, whose "
			       "build id is %s", file, pev_trace_info(f->trace, "build_id"));
	case -ENOEXEC:
		return msg_set(m, err, "--vmlinux %s is no ELF file: it takes the uncompressed file "
			       "from the kernel's build or its debug package", file);
	default:
		return msg_set(m, err, "--vmlinux %s: %s", file, strerror(-err));
	}
}

int feed_open(struct feed *f, const char *path, struct msg *m)
{
	struct pev_error e;
	int err;

	*f = (struct feed){ 0 };
	if (!path)
		path = DEFAULT_DIR;
	err = pev_trace_open(path, &f->trace, &e);
	if (err == -ENOENT || err == -ENOTDIR || err == -EISDIR || err == -ELOOP ||
	    err == -ENXIO || err == -EFBIG || err == -EINVAL || err == -ENAMETOOLONG)
		err = -EBADMSG;
	if (err)
		return msg_set(m, err, "%s", e.text);
	profile_init(&f->profile);
	f->n_classes = pev_trace_nr_classes(f->trace);
	f->classes = xcalloc(f->n_classes, sizeof(*f->classes));
	for (unsigned int i = 0; i < f->n_classes; i++)
		look_up(f, pev_trace_class(f->trace, i));
	open_info(f);
	err = pev_cursor_open(f->trace, NULL, &f->cursor);
	if (err) {
		msg_set(m, err, "%s: %s", path, strerror(-err));
		feed_close(f);
	}
	return err;
}

int feed_fork(struct feed *f, const struct feed *from, struct msg *m)
{
	int err;

	*f = (struct feed){ .trace = from->trace, .classes = from->classes,
			    .n_classes = from->n_classes, .names = from->names, .forked = true };
	profile_init(&f->profile);
	open_info(f);
	err = pev_cursor_open(f->trace, NULL, &f->cursor);
	if (err) {
		msg_set(m, err, "%s: %s", pev_trace_path(f->trace), strerror(-err));
		feed_close(f);
	}
	return err;
}

void feed_close(struct feed *f)
{
	if (!f->trace)
		return;
	if (f->forked) {
		pev_cursor_close(f->cursor);
		profile_free(&f->profile);
		*f = (struct feed){ 0 };
		return;
	}
	pev_cursor_close(f->cursor);
	profile_free(&f->profile);
	strtab_free(&f->names);
	free(f->classes);
	pev_trace_close(f->trace);
	*f = (struct feed){ 0 };
}

static uint32_t u32_of(const struct pev_event *ev, const struct pev_field *field, uint32_t other)
{
	return field ? (uint32_t)pev_event_int(ev, field) : other;
}

static void feed_mmap(struct feed *f, const struct feed_class *c, const struct pev_event *ev)
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
		/* code that the process makes: places in it are addresses */
		snprintf(path, sizeof(path), "[jit %u]", pid);
		offset = start;
	}
	object = objects_get(&f->profile.objects, path, &id);
	objects_mapped_by(&f->profile.objects, object, pid);
	machine_mmap(&f->profile.machine, pid, start, pev_event_int(ev, c->len), offset, object);
}

void feed_sideband(struct feed *f, const struct feed_class *c, const struct pev_event *ev)
{
	struct machine *m = &f->profile.machine;
	uint32_t pid = u32_of(ev, c->pid, ev->pid), tid = u32_of(ev, c->tid, ev->tid);
	char name[256];

	switch (c->kind) {
	case FEED_MMAP:
		feed_mmap(f, c, ev);
		break;
	case FEED_COMM:
		pev_event_copy_text(ev, c->name, name, sizeof(name));
		machine_comm(m, pid, tid, name);
		break;
	case FEED_FORK:
		machine_fork(m, u32_of(ev, c->ppid, ev->pid), u32_of(ev, c->ptid, ev->tid), pid,
			     tid);
		break;
	case FEED_EXEC:
		machine_exec(m, pid);
		break;
	default:
		break;
	}
}

static const struct mapset *feed_space(struct feed *f, const struct pev_event *ev)
{
	return machine_seen(&f->profile.machine, ev->pid, ev->tid)->space;
}

int feed_next(struct feed *f, const struct pev_event **ev, const struct feed_class **cls,
	      struct msg *m)
{
	int err = pev_cursor_next(f->cursor, ev);

	if (err < 0)
		return msg_set(m, err, "reading the trace: %s", strerror(-err));
	if (!err)
		return 0;
	*cls = &f->classes[(*ev)->cls->index];
	if ((*cls)->kind != FEED_EVENT)
		feed_sideband(f, *cls, *ev);
	else if ((*ev)->uregs_len)
		*ev = unwind_event(f->profile.unwind, &f->profile.objects, feed_space(f, *ev), *ev);
	return 1;
}

const struct thread *feed_thread(struct feed *f, const struct pev_event *ev)
{
	return machine_thread(&f->profile.machine, ev->pid, ev->tid);
}

void feed_note_damage(const struct feed *f)
{
	uint64_t lost = pev_trace_lost(f->trace);
	unsigned int n = pev_trace_nr_warnings(f->trace);
	char a[32], safe[1024];

	for (unsigned int i = 0; i < n; i++)
		note("%s", text_safe(safe, sizeof(safe), pev_trace_warning(f->trace, i)));
	if (lost)
		note("%s records were lost while recording: shares may be off; record with a "
		     "larger ring (-m)", text_count(a, lost));
}
