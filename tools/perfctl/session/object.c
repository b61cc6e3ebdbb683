// SPDX-License-Identifier: GPL-2.0
/* Objects by path and build id: libpev-sym's, with names for tables. See object.h. */
#include "object.h"
#include "fetch.h"
#include "guest.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static void describe(struct objects *os, size_t number, struct object *o)
{
	struct strbuf name = { 0 };
	const char *base;
	const void *id;
	size_t len;

	*o = (struct object){ .path = pev_syms_path(os->syms, (int)number),
			      .kind = (enum object_kind)pev_syms_kind(os->syms, (int)number) };
	id = pev_syms_id(os->syms, (int)number, &len);
	o->id.len = (uint8_t)len;
	if (id)
		memcpy(o->id.bytes, id, len);
	base = strrchr(o->path, '/');
	text_name(&name, o->kind == OBJECT_FILE && base && base[1] ? base + 1 : o->path);
	o->name = name.s;
}

/* Brings @o up to date with libpev-sym, which adds the kernel's modules on its own. */
static void catch_up(struct objects *os)
{
	while (os->n < (size_t)pev_syms_count(os->syms)) {
		size_t number = os->n;

		describe(os, number, ARRAY_PUSH(os->o, os->n, os->cap));
	}
}

static const char *symfs;

int objects_symfs(void *opts, const char *arg, struct msg *m)
{
	struct stat st;

	(void)opts;
	if (stat(arg, &st))
		return msg_set(m, -EINVAL, "--symfs %s: %s", arg, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return msg_set(m, -EINVAL,
			       "--symfs %s: is no directory; it takes one with the files "
			       "of the machine that was recorded, as they lie below its root",
			       arg);
	symfs = arg;
	return 0;
}

void objects_init(struct objects *os)
{
	*os = (struct objects){ 0 };
	if (pev_syms_new(PEV_SYMS_CACHE | PEV_SYMS_DEBUGINFOD, &os->syms))
		os->syms = NULL;
	checked(os->syms);
	pev_syms_set_fetch(os->syms, fetch_told, NULL);
	if (symfs && pev_syms_add_root(os->syms, symfs))
		checked(NULL);
	catch_up(os);
}

void objects_free(struct objects *os)
{
	for (size_t i = 0; i < os->n; i++)
		free(os->o[i].name);
	free(os->o);
	pev_syms_free(os->syms);
	strtab_free(&os->guest_names);
	*os = (struct objects){ 0 };
}

bool object_is_anon(const char *path)
{
	return !strncmp(path, "//anon", 6) || !strncmp(path, "[anon", 5) ||
	       !strncmp(path, "/memfd:", 7) || !strncmp(path, "/dev/zero", 9);
}

/* Returns whether @path is "[jit 123]", as libpev-sym calls such code. */
static bool is_code(const char *path, uint32_t *pid)
{
	int end = 0;

	return sscanf(path, "[jit %u]%n", pid, &end) == 1 && end && !path[end];
}

/* ".../jit-123.dump" describes the code that the process makes. */
static void note_dump(struct objects *os, const char *path)
{
	const char *base = strrchr(path, '/');
	uint32_t pid;
	int end = 0;

	if (base && sscanf(base, "/jit-%u.dump%n", &pid, &end) == 1 && end && !base[end])
		pev_syms_jitdump(os->syms, pid, path);
}

uint32_t objects_get(struct objects *os, const char *path, const struct build_id *id)
{
	uint32_t pid;
	int object;

	if (is_code(path, &pid))
		object = pev_syms_code(os->syms, pid);
	else
		object = pev_syms_object(os->syms, path, id && id->len ? id->bytes : NULL,
					 id ? id->len : 0);
	checked(object < 0 ? NULL : os);
	note_dump(os, path);
	catch_up(os);
	if (os->o[object].forgotten) {
		free(os->o[object].name);
		describe(os, (size_t)object, &os->o[object]);
		os->n_forgotten--;
	}
	return (uint32_t)object;
}

void objects_keep(struct objects *os, const bool *keep)
{
	pev_syms_keep(os->syms, keep, os->n);
	for (size_t i = 0; i < os->n; i++) {
		struct object *o = &os->o[i];

		if (pev_syms_path(os->syms, (int)i) == o->path || o->forgotten)
			continue;
		free(o->name);
		describe(os, i, o);
		o->forgotten = true;
		os->n_forgotten++;
	}
}

void objects_mapped_by(struct objects *os, uint32_t object, uint32_t pid)
{
	if (!pid)
		return;
	os->o[object].pid = pid;
	pev_syms_mapped_by(os->syms, (int)object, pid);
}

uint32_t objects_guest(struct objects *os, bool user)
{
	return objects_get(os, user ? GUEST_USER : GUEST_KERNEL, NULL);
}

uint32_t objects_guest_whole(struct objects *os, uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), GUEST_WHOLE "%u]", pid);
	return objects_get(os, path, NULL);
}

bool object_is_whole_guest(const struct object *o)
{
	return !strncmp(o->path, GUEST_WHOLE, strlen(GUEST_WHOLE));
}

bool object_is_guest(const struct object *o)
{
	return !strcmp(o->path, GUEST_KERNEL) || !strcmp(o->path, GUEST_USER) ||
	       object_is_whole_guest(o);
}

static uint32_t resolve_guest(struct objects *os, const struct object *o, uint64_t at)
{
	const char *name = strcmp(o->path, GUEST_KERNEL) ? NULL : guest_function(at);

	return name ? strtab_id(&os->guest_names, name) : SYM_NONE;
}

uint32_t objects_resolve(struct objects *os, uint32_t *object, uint64_t *at)
{
	uint32_t asked = *object;
	struct pev_sym sym;
	int err;

	if (object_is_guest(&os->o[asked]))
		return resolve_guest(os, &os->o[asked], *at);
	err = pev_sym_find(os->syms, (int)asked, *at, &sym);
	fetch_clear();
	if (err < 0)
		return SYM_NONE;
	catch_up(os);
	os->o[asked].problem = pev_syms_problem(os->syms, (int)asked);
	*object = (uint32_t)sym.object;
	if (sym.index == SYM_NONE)
		*at = sym.start;
	return sym.index;
}

const char *objects_symbol_name(struct objects *os, uint32_t object, uint32_t symbol)
{
	if (object_is_guest(&os->o[object]))
		return strtab_get(&os->guest_names, symbol);
	return pev_sym_name(os->syms, (int)object, symbol);
}

int elf_build_id(const char *file, struct build_id *id)
{
	int n;

	*id = (struct build_id){ 0 };
	n = pev_syms_build_id(file, id->bytes);
	if (n < 0)
		return n;
	id->len = (uint8_t)n;
	return 0;
}

bool build_id_parse(const char *hex, struct build_id *id)
{
	unsigned int byte;

	id->len = 0;
	while (hex && id->len < sizeof(id->bytes) &&
	       sscanf(hex + 2 * id->len, "%2x", &byte) == 1)
		id->bytes[id->len++] = (uint8_t)byte;
	return id->len > 0;
}

void build_id_text(const struct build_id *id, char buf[41])
{
	for (unsigned int i = 0; i < id->len && i < sizeof(id->bytes); i++)
		snprintf(buf + 2 * i, 3, "%02x", id->bytes[i]);
	buf[2 * min_u64(id->len, sizeof(id->bytes))] = 0;
}
