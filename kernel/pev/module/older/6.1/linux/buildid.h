/* SPDX-License-Identifier: GPL-2.0 */
/* For headers of 6.1, which read a build ID only from what is in memory. */
#ifndef _PEV_OLDER_LINUX_BUILDID_H
#define _PEV_OLDER_LINUX_BUILDID_H

#include_next <linux/buildid.h>

static inline int build_id_parse_nofault(struct vm_area_struct *vma, unsigned char *id, u32 *size)
{
	return build_id_parse(vma, id, size);
}

/* Also from the disk. Process context, may sleep. */
int pev_older_build_id_parse(struct vm_area_struct *vma, unsigned char *id, u32 *size);

#ifndef PEV_OLDER
#define build_id_parse(vma, id, size)	pev_older_build_id_parse(vma, id, size)
#endif

#endif
