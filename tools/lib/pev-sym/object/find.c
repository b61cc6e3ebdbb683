// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Looks for the file of an object: below the directories that were named; at its path; below /proc/PID/root, if it is
 * another one there; in the cache; at a debuginfod server; and if only its debug
 * file is left, takes that. The build id decides.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "object/cache.h"
#include "object/debuginfod.h"
#include "object/find.h"
#include "object/foreign.h"
#include "object/process.h"
#include "regular.h"

/* Checks what was opened; -ESTALE with @other if the build id differs. Takes ownership of both. */
static int check(const struct elf_id *id, int fd, char *file, char **found, struct elf_id *other)
{
	if (fd >= 0 && id->len) {
		struct elf_id now;
		int err = elf_id_at(fd, &now);

		/* the caller reports files that are not ELF */
		if (err != -ENOEXEC && !elf_id_equal(&now, id)) {
			*other = now;
			close(fd);
			fd = err == -EFBIG ? err : -ESTALE;
		}
	}
	if (fd < 0)
		free(file);
	else
		*found = file;
	return fd;
}

/* Returns an fd; -ESTALE with @other if the build id differs. Takes ownership of @file. */
static int try(const struct elf_id *id, char *file, char **found, struct elf_id *other)
{
	return check(id, file ? regular_open(file) : -ENOMEM, file, found, other);
}

/* Looks below the directories that the caller has named; @path: there, NULL: by build id alone */
static int in_roots(const struct finder *f, const struct elf_id *id, const char *path,
		    const char *suffix, char **file)
{
	struct elf_id other;
	char text[41];
	int fd = -ENOENT;

	elf_id_text(id, text);
	for (size_t i = 0; fd < 0 && i < f->roots.n; i++) {
		const char *root = f->roots.p[i];

		if (id->len >= 2)
			fd = try(id,
				 text_make("%s/.build-id/%.2s/%s%s", root, text, text + 2, suffix),
				 file, &other);
		if (fd < 0 && path)
			fd = try(id, text_make("%s%s", root, path), file, &other);
	}
	return fd;
}

int find_debug(const struct finder *f, const struct elf_id *id, char **file)
{
	struct elf_id other;
	char text[41];
	int fd;

	if (id->len < 2)
		return -ENOENT;
	fd = in_roots(f, id, NULL, ".debug", file);
	if (fd >= 0)
		return fd;
	elf_id_text(id, text);
	return try(id, text_make("/usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2), file,
		   &other);
}

/* Looks in the mount namespace of a process that has it mapped. */
static int in_namespace(const struct finder *f, struct sym_object *o, char **file,
			struct elf_id *other)
{
	char *path;
	int fd;

	if (!process_lives(o->pid, f->end))
		return -ENOENT;
	/* what serves the file system may be a program that does not answer */
	path = text_make("/proc/%u/root%s", o->pid, o->path);
	fd = path ? foreign_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) : -ENOMEM;
	fd = check(&o->id, fd, path, file, other);
	/* the file may be out of reach when the process has ended */
	if (fd >= 0 && o->id.len && f->flags & PEV_SYMS_CACHE)
		cache_keep(&o->id, fd);
	return fd;
}

/* Gets a file from a debuginfod server, but checks its build id. */
static int from_server(const struct finder *f, const struct elf_id *id, bool debug, char **file)
{
	struct elf_id other;
	char *path;
	int fd = debuginfod_get(id, debug, f->fetch, &path);

	if (fd < 0)
		return fd;
	close(fd);
	return try(id, path, file, &other);
}

static int by_id(const struct finder *f, struct sym_object *o, char **file)
{
	int fd;

	if (!o->id.len)
		return -ENOENT;
	fd = f->flags & PEV_SYMS_CACHE ? cache_open(&o->id, file) : -ENOENT;
	if (fd < 0)
		fd = find_debug(f, &o->id, file);
	if (fd >= 0 || !(f->flags & PEV_SYMS_DEBUGINFOD))
		return fd;
	return from_server(f, &o->id, false, file);
}

/* Goes by the build id only: other kernels lie in the same places. */
static int vmlinux_below(const struct finder *f, const char *root, char **file)
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
	struct elf_id other;
	int fd = -ENOENT;

	for (size_t i = 0; fd < 0 && f->release && i < ARRAY_SIZE(places); i++)
		fd = try(&f->kernel_id,
			 text_make("%s%s%s%s", root, places[i].before, f->release,
				   places[i].behind),
			 file, &other);
	return fd;
}

static int find_vmlinux(const struct finder *f, char **file)
{
	struct elf_id other;
	int fd;

	if (f->vmlinux)
		return try(&f->kernel_id, strdup(f->vmlinux), file, &other);
	fd = in_roots(f, &f->kernel_id, NULL, "", file);
	if (fd < 0)
		fd = find_debug(f, &f->kernel_id, file);
	for (size_t i = 0; fd < 0 && i < f->roots.n; i++)
		fd = vmlinux_below(f, f->roots.p[i], file);
	if (fd < 0)
		fd = vmlinux_below(f, "", file);
	if (fd >= 0 || !(f->flags & PEV_SYMS_DEBUGINFOD))
		return fd;
	return from_server(f, &f->kernel_id, true, file);
}

int find_file(const struct finder *f, struct sym_object *o, char **file, struct elf_id *other)
{
	static const struct elf_id any;
	struct elf_id unused;
	int fd, err, server;

	if (o->kind == PEV_SYM_KIND_KERNEL)
		return find_vmlinux(f, file);
	if (o->kind == PEV_SYM_KIND_VDSO)
		return try(&any, strdup(f->vdso), file, other);
	fd = in_roots(f, &o->id, o->path, "", file);
	if (fd >= 0)
		return fd;
	err = try(&o->id, strdup(o->path), file, other);
	if (err >= 0)
		return err;
	fd = in_namespace(f, o, file, err == -ESTALE ? &unused : other);
	if (fd >= 0)
		return fd;
	if (fd == -ESTALE)
		err = err == -ESTALE ? err : fd;
	server = by_id(f, o, file);
	if (server >= 0)
		return server;
	if (server == -ENOPKG)
		sym_object_problem(o, "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 is not installed "
			       "(Debian: libdebuginfod1); offsets are shown");
	return err;
}
