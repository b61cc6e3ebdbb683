/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program or library as a file: its sections, its symbols' addresses, and where in the file
 * an address lies. By libelf; of 64-bit files alone.
 */
#ifndef PERFCTL_PROGRAM_PROGRAM_H
#define PERFCTL_PROGRAM_PROGRAM_H

#include "base/util.h"

#include <gelf.h>

/**
 * struct program - an opened file
 * @path:    as it was given, for messages
 * @fd:      of the file
 * @elf:     of libelf
 * @machine: EM_X86_64 and the like
 */
struct program {
	char *path;
	int fd;
	Elf *elf;
	unsigned int machine;
};

/* Returns 0, or -errno with a sentence. Close it with program_close(). */
int program_open(struct program *p, const char *path, struct msg *m);
void program_close(struct program *p);

/* Finds a section by its name; returns NULL if there is none. */
Elf_Scn *program_section(const struct program *p, const char *name, GElf_Shdr *header);
/* Where in the file an address lies; returns whether it does. */
bool program_offset(const struct program *p, uint64_t address, uint64_t *offset);
/* The address of a symbol, of @len bytes; returns whether there is one with that name. */
bool program_symbol(const struct program *p, const char *name, size_t len, uint64_t *address);

#endif
