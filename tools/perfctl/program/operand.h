/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operands: where a probe of sys/sdt.h has an argument, in the words of the assembler, of
 * x86_64, ppc64le and arm64.
 *
 *	OPERANDS := OPERAND { " " OPERAND }
 *	OPERAND	 := [ [ "-" ] SIZE [ "f" ] "@" ] PLACE
 *	PLACE	 := REGISTER | CONSTANT | [ NUMBER ] "(" REGISTER ")" | SYMBOL [ "(%rip)" ]
 *		 | "[" REGISTER [ ", " NUMBER ] "]"
 */
#ifndef PERFCTL_PROGRAM_OPERAND_H
#define PERFCTL_PROGRAM_OPERAND_H

#include "usdt.h"

#include <pev/pev.h>

/**
 * struct operand - an operand
 * @text:  as in the note
 * @field: finds its value: type, from, number and offsets are filled in
 * @why:   no field can: a clause that says why; NULL: it can
 */
struct operand {
	char *text;
	struct pev_probe_field field;
	const char *why;
};

/* More than sys/sdt.h can write. */
#define OPERANDS_MAX 16

/* Parses what a probe has; returns their number. */
size_t operands_parse(const struct program *p, const struct usdt_probe *probe,
		      struct operand operands[OPERANDS_MAX]);
void operands_free(struct operand *operands, size_t n);

#endif
