/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes that a program's author placed with sys/sdt.h: notes in the section
 * .note.stapsdt say where each lies, and where its arguments are.
 */
#ifndef PERFCTL_PROGRAM_USDT_H
#define PERFCTL_PROGRAM_USDT_H

#include "program.h"

/**
 * struct usdt_probe - a place of a probe; others may have the same name
 * @provider:  first half of its name
 * @name:      second half
 * @args:      operands, as "-4@%edi 8@-16(%rbp)"
 * @address:   of the instruction
 * @offset:    the same in the file
 * @semaphore: offset in the file of the counter of those who listen; 0: there is none
 */
struct usdt_probe {
	const char *provider;
	const char *name;
	const char *args;
	uint64_t address;
	uint64_t offset;
	uint64_t semaphore;
};

/**
 * struct usdt_probes - all of a program, those of one name side by side
 */
struct usdt_probes {
	struct usdt_probe *probes;
	size_t n;
	size_t cap;
};

/* @p has to stay open as long as they are used. Returns 0, or -errno with a sentence. */
int usdt_read(const struct program *p, struct usdt_probes *to, struct msg *m);
void usdt_free(struct usdt_probes *probes);

#endif
