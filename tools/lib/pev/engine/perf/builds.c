// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads build ids from ELF files, once for each.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "core/compiler.h"
#include "engine/perf/builds.h"

/* a power of two */
#define FILES 1024
#define MOST_PARTS 128
#define MOST_NOTES 4096

struct known {
	uint32_t maj;
	uint32_t min;
	uint64_t ino;
	bool used;
	uint8_t len;
	uint8_t id[BUILD_ID_MOST];
};

/* A file that finds its place taken takes it over. */
struct builds {
	struct known at[FILES];
};

static size_t find_in_notes(const uint8_t *notes, size_t len, uint8_t *id)
{
	Elf64_Nhdr head; /* that of 32 bits is the same */
	size_t pos = 0, name, desc;

	while (len - pos >= sizeof(head)) {
		memcpy(&head, notes + pos, sizeof(head));
		pos += sizeof(head);
		name = align_up((size_t)head.n_namesz, 4);
		desc = align_up((size_t)head.n_descsz, 4);
		if (name > len - pos || desc > len - pos - name)
			return 0;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof("GNU") &&
		    !memcmp(notes + pos, "GNU", sizeof("GNU")) && head.n_descsz &&
		    head.n_descsz <= BUILD_ID_MOST) {
			memcpy(id, notes + pos + name, head.n_descsz);
			return head.n_descsz;
		}
		pos += name + desc;
	}
	return 0;
}

static size_t find_in_part(int fd, uint64_t offset, uint64_t size, uint8_t *id)
{
	uint8_t notes[MOST_NOTES];
	ssize_t got = pread(fd, notes, size < sizeof(notes) ? size : sizeof(notes), (off_t)offset);

	return got > 0 ? find_in_notes(notes, (size_t)got, id) : 0;
}

static size_t find_in_file(int fd, uint8_t *id)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr narrow;
		Elf64_Ehdr wide;
	} h;
	bool wide;
	size_t n, len = 0;

	if (pread(fd, &h, sizeof(h), 0) != sizeof(h) || memcmp(h.ident, ELFMAG, SELFMAG))
		return 0;
	wide = h.ident[EI_CLASS] == ELFCLASS64;
	n = wide ? h.wide.e_phnum : h.narrow.e_phnum;
	for (size_t i = 0; i < n && i < MOST_PARTS && !len; i++) {
		union {
			Elf32_Phdr narrow;
			Elf64_Phdr wide;
		} p = { .wide = { 0 } };
		size_t size = wide ? sizeof(p.wide) : sizeof(p.narrow);
		uint64_t from = wide ? h.wide.e_phoff : h.narrow.e_phoff;

		if (pread(fd, &p, size, (off_t)(from + i * size)) != (ssize_t)size)
			return 0;
		if (wide && p.wide.p_type == PT_NOTE)
			len = find_in_part(fd, p.wide.p_offset, p.wide.p_filesz, id);
		else if (!wide && p.narrow.p_type == PT_NOTE)
			len = find_in_part(fd, p.narrow.p_offset, p.narrow.p_filesz, id);
	}
	return len;
}

static bool is_it(const struct stat *st, const struct mapped_file *file)
{
	return S_ISREG(st->st_mode) && st->st_ino == file->ino && major(st->st_dev) == file->maj &&
	       minor(st->st_dev) == file->min;
}

/* Looks before it opens: what is not a plain file may do something then. */
static int open_it(const char *path, const struct mapped_file *file)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !is_it(&st, file))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0 && (fstat(fd, &st) || !is_it(&st, file))) {
		close(fd);
		return -1;
	}
	return fd;
}

static size_t read_it(const struct mapped_file *file, uint8_t *id)
{
	char path[4096 + 32];
	size_t len;
	int fd = -1;

	/* the process may have another root, or may be gone */
	if ((size_t)snprintf(path, sizeof(path), "/proc/%u/root%s", file->pid, file->path) <
	    sizeof(path))
		fd = open_it(path, file);
	if (fd < 0)
		fd = open_it(file->path, file);
	if (fd < 0)
		return 0;
	len = find_in_file(fd, id);
	close(fd);
	return len;
}

size_t builds_find(struct builds **builds, const struct mapped_file *file, uint8_t *id)
{
	struct known *k;

	if (*file->path != '/' || !file->ino)
		return 0;
	if (!*builds)
		*builds = calloc(1, sizeof(**builds));
	if (!*builds)
		return 0;
	k = &(*builds)->at[(file->ino ^ file->min) % FILES];
	if (!k->used || k->ino != file->ino || k->min != file->min || k->maj != file->maj) {
		size_t len = read_it(file, k->id);

		/* it may be found by another process */
		*k = len ? *k : (struct known){ 0 };
		k->used = len;
		k->len = (uint8_t)len;
		k->maj = file->maj;
		k->min = file->min;
		k->ino = file->ino;
	}
	memcpy(id, k->id, k->len);
	return k->len;
}

void builds_free(struct builds *builds)
{
	free(builds);
}
