// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how build IDs are read from the disk for Linux 6.1, which reads them only from what is
 * in memory: all that it looks at is in the first page.
 */
#define PEV_OLDER
#include <linux/buildid.h>
#include <linux/fs.h>
#include <linux/mm.h>

int pev_older_build_id_parse(struct vm_area_struct *vma, unsigned char *id, u32 *size)
{
	int err = build_id_parse(vma, id, size);
	loff_t beginning = 0;
	char byte;

	if (err != -EFAULT || kernel_read(vma->vm_file, &byte, 1, &beginning) != 1)
		return err;
	return build_id_parse(vma, id, size);
}
