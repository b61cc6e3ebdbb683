/* SPDX-License-Identifier: GPL-2.0 */
/* Tells where the instructions of a function begin. */
#ifndef PERFCTL_PROGRAM_MIDDLE_H
#define PERFCTL_PROGRAM_MIDDLE_H

#include "functions.h"

/*
 * Is an offset in the file within an instruction of a function, which begins at @begin? False
 * also where that is not known: without capstone on x86_64.
 */
bool middle_of(const struct program *p, const struct function *f, uint64_t offset,
	       uint64_t *begin);

#endif
