// SPDX-License-Identifier: GPL-2.0
/*
 * Owns how build IDs are read from the disk for Linux 6.1, which reads them only from what is
 * in memory: all that it looks at is in the first page. A file system need not keep there what
 * read(2) reads.
 */
#define PEV_OLDER
#include <linux/buildid.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

int pev_older_build_id_parse(struct vm_area_struct *vma, unsigned char *id, u32 *size)
{
	struct address_space *mapping = vma->vm_file ? vma->vm_file->f_mapping : NULL;
	int err = build_id_parse(vma, id, size);
	struct page *first;

	if (err != -EFAULT || !mapping || !mapping->a_ops->read_folio)
		return err;
	first = read_mapping_page(mapping, 0, vma->vm_file);
	if (IS_ERR(first))
		return err;
	err = build_id_parse(vma, id, size);
	put_page(first);
	return err;
}
