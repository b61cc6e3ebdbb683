/* SPDX-License-Identifier: GPL-2.0 */
/* What a program says of its marks. */
#ifndef _PEV_FAMILY_H
#define _PEV_FAMILY_H

#include <linux/kref.h>
#include <uapi/linux/pev_user.h>

struct pev_refuse;

/**
 * struct pev_family - a program's marks, and the processes that have them by fork
 * @ref:          the fd's file, and one for each producer
 * @nr_marks:     of @marks
 * @nr_rings:     that each of the processes may have
 * @ring_size:    bytes of each
 * @strings_size: bytes of @strings
 * @marks:        by number
 * @strings:      checked; their last byte is NUL
 *
 * Nothing of it changes.
 */
struct pev_family {
	struct kref		ref;
	u32			nr_marks;
	u32			nr_rings;
	u32			ring_size;
	u32			strings_size;
	struct pev_user_mark	*marks;
	char			*strings;
};

/**
 * pev_family_create() - copy and check what a user says
 * @uaddr: of a struct pev_producer
 * @r:     says why not
 *
 * Context: Process context, may sleep; no locks held.
 * Return: the family with one reference, or an ERR_PTR().
 */
struct pev_family *pev_family_create(u64 uaddr, struct pev_refuse *r);

struct pev_family *pev_family_get(struct pev_family *family);
void pev_family_put(struct pev_family *family);

static inline const char *pev_family_name(const struct pev_family *family, u32 mark)
{
	return family->strings + family->marks[mark].name;
}

/* Bytes of a ring with the page of its head. */
u64 pev_family_stride(const struct pev_family *family);

#endif
