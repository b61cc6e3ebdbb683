// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Errors with a sentence.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/error.h"

int pev_fail(struct pev_error *err, int error, unsigned int line, const char *fmt, ...)
{
	va_list ap;

	if (err) {
		memset(err, 0, sizeof(*err));
		err->field = UINT32_MAX;
		err->error = error;
		err->line = line;
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return -error;
}
