// SPDX-License-Identifier: GPL-2.0
/* Owns the wording frame of refusals. */
#include <linux/kernel.h>
#include <linux/sprintf.h>
#include "refuse.h"

int pev_refuse(struct pev_refuse *r, int error, u32 field, const char *fmt, ...)
{
	va_list args;

	r->error = error;
	r->field = field;
	r->min = 0;
	r->max = 0;
	va_start(args, fmt);
	vscnprintf(r->text, sizeof(r->text), fmt, args);
	va_end(args);
	return -error;
}

int pev_refuse_range(struct pev_refuse *r, int error, u32 field, u64 min, u64 max,
		     const char *fmt, ...)
{
	va_list args;
	int len;

	r->error = error;
	r->field = field;
	r->min = min;
	r->max = max;
	va_start(args, fmt);
	len = vscnprintf(r->text, sizeof(r->text), fmt, args);
	va_end(args);
	scnprintf(r->text + len, sizeof(r->text) - len, " (allowed: %llu to %llu)",
		  min, max);
	return -error;
}
