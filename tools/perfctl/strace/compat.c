// SPDX-License-Identifier: GPL-2.0
/* 32-bit programs on x86_64. See compat.h. */
#include "compat.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __x86_64__
#define SYSCALL(number, text) [number] = text
static const char *const names[] = {
#include "syscall_table_32.h"
};

unsigned int compat_count(void)
{
	return ARRAY_SIZE(names);
}

const char *compat_name(unsigned int nr)
{
	return nr < ARRAY_SIZE(names) ? names[nr] : NULL;
}
#else
unsigned int compat_count(void)
{
	return 0;
}

const char *compat_name(unsigned int nr)
{
	(void)nr;
	return NULL;
}
#endif

/* Returns false if it is not known: the process has ended, or is none of ours. */
static bool look(uint32_t pid, bool *is)
{
	unsigned char ident[EI_NIDENT];
	char path[32];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	done = read(fd, ident, sizeof(ident)) == sizeof(ident) && !memcmp(ident, ELFMAG, SELFMAG);
	close(fd);
	if (done)
		*is = ident[EI_CLASS] == ELFCLASS32;
	return done;
}

static struct compat_process *process_get(struct compat *c, uint32_t pid)
{
	struct compat_process *p;

	if (HTAB_GET(p, &c->h, hash_u64(pid), p->pid == pid, c->processes, c->n, c->cap))
		p->pid = pid;
	return p;
}

bool compat_is(struct compat *c, uint32_t pid)
{
	struct compat_process *p;

	if (!compat_count())
		return false;
	p = process_get(c, pid);
	if (!p->known)
		look(pid, &p->is);
	p->known = true;
	c->some |= p->is;
	return p->is;
}

void compat_set(struct compat *c, uint32_t pid, bool is)
{
	struct compat_process *p = process_get(c, pid);

	p->is = is;
	p->known = true;
	c->some |= is;
}

void compat_fork(struct compat *c, uint32_t parent, uint32_t child)
{
	if (parent != child)
		compat_set(c, child, compat_is(c, parent));
}

void compat_changed(struct compat *c, uint32_t pid)
{
	if (!compat_count())
		return;
	process_get(c, pid)->known = false;
	compat_is(c, pid);
}

void compat_free(struct compat *c)
{
	free(c->processes);
	htab_free(&c->h);
	*c = (struct compat){ 0 };
}
