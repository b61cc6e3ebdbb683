/* SPDX-License-Identifier: GPL-2.0 */
/* Text that grows, and files that show it. */
#ifndef _PEV_STRBUF_H
#define _PEV_STRBUF_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

struct file;

/**
 * struct pev_strbuf - text that only grows
 * @buf:   the text, not NUL-terminated
 * @len:   bytes of it
 * @size:  bytes allocated
 * @error: sticky: 0 or -ENOMEM
 */
struct pev_strbuf {
	char	*buf;
	size_t	len;
	size_t	size;
	int	error;
};

/* May @text stand in quotes, in metadata as in messages? */
bool pev_is_label(const char *text);

__printf(2, 3) void pev_strbuf_printf(struct pev_strbuf *text, const char *fmt, ...);
void pev_strbuf_free(struct pev_strbuf *text);

/**
 * pev_strbuf_file() - a file whose contents are @text
 * @name: of its inode
 * @text: from kzalloc(); freed with the file, or if there is none
 *
 * Return: the file, or an ERR_PTR(), that of @text if it has one.
 */
struct file *pev_strbuf_file(const char *name, struct pev_strbuf *text);

#endif
