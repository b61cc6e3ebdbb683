/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Refusals that explain themselves. The code that refuses says which member of the user's
 * structure is to blame and why; the system call hands that to the user.
 */
#ifndef _LINUX_PEV_REFUSE_H
#define _LINUX_PEV_REFUSE_H

#include <linux/compiler.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <uapi/linux/pev.h>

#define PEV_REFUSE_TEXT		320

/**
 * struct pev_refuse - an explanation under construction
 * @error: positive errno, 0 while nothing was refused
 * @field: offset in the user's structure or ~0U
 * @min:   range, see struct pev_refusal
 * @max:   range
 * @text:  NUL-terminated
 */
struct pev_refuse {
	u32	error;
	u32	field;
	u64	min;
	u64	max;
	char	text[PEV_REFUSE_TEXT];
};

#define PEV_NO_FIELD		(~0U)
#define PEV_FIELD(member)	((u32)offsetof(struct pev_attr, member))

/**
 * pev_refuse() - record why a call fails
 * @r:     where to
 * @error: positive errno
 * @field: PEV_FIELD() or PEV_NO_FIELD
 * @fmt:   one sentence without a full stop: what is refused, why, what to do
 *
 * Context: Process context.
 * Return: -@error, so that it can be returned at once.
 */
__printf(4, 5)
int pev_refuse(struct pev_refuse *r, int error, u32 field, const char *fmt, ...);

/**
 * pev_refuse_range() - the same for a value outside of a range
 * @r:     where to
 * @error: positive errno
 * @field: PEV_FIELD()
 * @min:   smallest value that would do
 * @max:   largest
 * @fmt:   the sentence; the range is appended
 *
 * Return: -@error.
 */
__printf(6, 7)
int pev_refuse_range(struct pev_refuse *r, int error, u32 field, u64 min, u64 max,
		     const char *fmt, ...);

/**
 * pev_refuse_report() - hand a refusal to the user who asked for it
 * @r:     the refusal; if nothing was recorded in it, the error's own name will do
 * @error: 0 or negative errno of the call
 * @addr:  where the user wants it, a struct pev_refusal; 0: nowhere
 * @size:  bytes there
 *
 * Context: Process context.
 * Return: @error, or -EFAULT if @addr can't be written.
 */
int pev_refuse_report(const struct pev_refuse *r, int error, u64 addr, u32 size);

#endif
