/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Errors with a sentence.
 */
#ifndef _PEV_CORE_ERROR_H
#define _PEV_CORE_ERROR_H

#include <pev/pev.h>
#include "core/compiler.h"

/* Bytes of struct pev_error that the kernel fills: those of struct pev_refusal */
#define ERROR_FOR_KERNEL	offsetof(struct pev_error, line)

/**
 * pev_fail() - fill an error
 * @err:   may be NULL
 * @error: positive errno
 * @line:  of the metadata, 0 for none
 *
 * Return: -@error, so that a caller can write return pev_fail(...).
 */
int pev_fail(struct pev_error *err, int error, unsigned int line, const char *fmt, ...)
	PEV_PRINTF(4, 5);

#endif /* _PEV_CORE_ERROR_H */
