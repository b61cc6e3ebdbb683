// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Where the file of an object is: at its path; below /proc/PID/root, if it is
 * another one there; in the cache; at a debuginfod server; and if only its debug
 * file is left, that. What counts is the build id.
 */
#include "internal.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static bool same_id(const struct build_id *a, const struct build_id *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

/* An fd; -ESTALE with @other if it is there with another build id. Takes over @file. */
static int try(const struct build_id *id, char *file, char **found, struct build_id *other)
{
	int fd = file ? open_regular(file) : -ENOMEM, n;

	if (fd >= 0 && id->len) {
		struct build_id now = { 0 };

		n = pev_syms_build_id(file, now.bytes);
		/* what is no ELF file at all is told apart later */
		now.len = (uint8_t)(n > 0 ? n : 0);
		if (n != -ENOEXEC && !same_id(&now, id)) {
			*other = now;
			close(fd);
			fd = -ESTALE;
		}
	}
	if (fd < 0)
		free(file);
	else
		*found = file;
	return fd;
}

int find_debug(struct pev_syms *s, const struct build_id *id, char **file)
{
	struct build_id other;
	char text[41];

	(void)s;
	if (id->len < 2)
		return -ENOENT;
	id_text(id, text);
	return try(id, text_make("/usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2), file,
		   &other);
}

/* In the mount namespace of a process that has it mapped. */
static int in_namespace(struct pev_syms *s, struct object *o, char **file,
			struct build_id *other)
{
	int fd;

	if (!o->pid)
		return -ENOENT;
	fd = try(&o->id, text_make("/proc/%u/root%s", o->pid, o->path), file, other);
	/* when the process has ended it may be out of reach */
	if (fd >= 0 && o->id.len && !(s->flags & PEV_SYMS_NO_CACHE))
		cache_keep(&o->id, fd);
	return fd;
}

/* From a debuginfod server, whose word about the build id isn't taken. */
static int from_server(const struct build_id *id, bool debug, char **file)
{
	struct build_id other;
	char *path;
	int fd = debuginfod_get(id, debug, &path);

	if (fd < 0)
		return fd;
	close(fd);
	return try(id, path, file, &other);
}

static int by_id(struct pev_syms *s, struct object *o, char **file)
{
	int fd;

	if (!o->id.len)
		return -ENOENT;
	fd = s->flags & PEV_SYMS_NO_CACHE ? -ENOENT : cache_open(&o->id, file);
	if (fd < 0)
		fd = find_debug(s, &o->id, file);
	if (fd >= 0 || s->flags & PEV_SYMS_NO_DEBUGINFOD)
		return fd;
	return from_server(&o->id, false, file);
}

/* By its build id only: other kernels lie in the same places. */
static int find_vmlinux(struct pev_syms *s, char **file)
{
	static const struct {
		const char *before, *behind;
	} places[] = {
		{ "/boot/vmlinux-", "" },
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
	};
	struct build_id other;
	int fd;

	if (s->vmlinux_path)
		return try(&s->kernel_id, strdup(s->vmlinux_path), file, &other);
	fd = find_debug(s, &s->kernel_id, file);
	for (size_t i = 0; fd < 0 && s->release && i < ARRAY_SIZE(places); i++)
		fd = try(&s->kernel_id,
			 text_make("%s%s%s", places[i].before, s->release, places[i].behind),
			 file, &other);
	if (fd >= 0 || s->flags & PEV_SYMS_NO_DEBUGINFOD)
		return fd;
	return from_server(&s->kernel_id, true, file);
}

int find_file(struct pev_syms *s, struct object *o, char **file, struct build_id *other)
{
	static const struct build_id any;
	struct build_id unused;
	int fd, err, server;

	if (o->kind == PEV_SYM_KIND_KERNEL)
		return find_vmlinux(s, file);
	if (o->kind == PEV_SYM_KIND_VDSO)
		return try(&any, strdup(s->vdso), file, other);
	err = try(&o->id, strdup(o->path), file, other);
	if (err >= 0)
		return err;
	fd = in_namespace(s, o, file, err == -ESTALE ? &unused : other);
	if (fd >= 0)
		return fd;
	if (fd == -ESTALE)
		err = err == -ESTALE ? err : fd;
	server = by_id(s, o, file);
	if (server >= 0)
		return server;
	if (server == -ENOPKG)
		object_problem(o, "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 is not installed "
			       "(Debian: libdebuginfod1); offsets are shown");
	return err;
}
