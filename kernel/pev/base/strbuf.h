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
 * @fixed: no memory is waited for: what has no room is counted in @len, and not kept
 */
struct pev_strbuf {
	char	*buf;
	size_t	len;
	size_t	size;
	int	error;
	bool	fixed;
};

/* May @text stand in quotes, in metadata as in messages? */
bool pev_is_label(const char *text);

__printf(2, 3) void pev_strbuf_printf(struct pev_strbuf *text, const char *fmt, ...);
void pev_strbuf_free(struct pev_strbuf *text);

/**
 * pev_strbuf_room() - memory for what will be appended
 * @text: stays as it is
 * @more: bytes
 * @wide: gets a copy with room for them; nothing if @text has that
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int pev_strbuf_room(const struct pev_strbuf *text, size_t more, struct pev_strbuf *wide);

/* Append what there is room for. Context: Any. */
void pev_strbuf_append(struct pev_strbuf *text, const struct pev_strbuf *more);

/**
 * pev_strbuf_file() - a file whose contents are a text
 * @name: of its inode
 * @put:  appends the text. It is called again until there is room for all, and may hold
 *        locks that others wait for: it waits for no memory
 * @arg:  for @put
 *
 * Context: Process context, may sleep.
 * Return: the file, or an ERR_PTR(), that of the text if it has one.
 */
struct file *pev_strbuf_file(const char *name, void (*put)(struct pev_strbuf *text, void *arg),
			     void *arg);

#endif
