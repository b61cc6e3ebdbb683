// SPDX-License-Identifier: GPL-2.0
/* Owns text that grows, as metadata and the catalog do, and files that show it. */
#include <linux/anon_inodes.h>
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sprintf.h>
#include <linux/string.h>
#include "base/strbuf.h"
#include "strbuf.h"

bool pev_is_label(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isascii(*text) || !isgraph(*text) || *text == '"' || *text == '\\')
			return false;
	return true;
}

static bool grow(struct pev_strbuf *text, size_t need)
{
	size_t size = max_t(size_t, text->size * 2, 1024);
	char *buf;

	while (size < need)
		size *= 2;
	buf = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!buf) {
		text->error = -ENOMEM;
		return false;
	}
	if (text->len)
		memcpy(buf, text->buf, text->len);
	kvfree(text->buf);
	text->buf = buf;
	text->size = size;
	return true;
}

/**
 * pev_strbuf_printf() - append
 * @text: where to; a failure sticks in @text->error
 * @fmt:  as printf
 *
 * Context: Process context, may sleep.
 */
void pev_strbuf_printf(struct pev_strbuf *text, const char *fmt, ...)
{
	va_list args;
	int len;

	if (text->error)
		return;
	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	/* one more for the NUL that vsnprintf() insists on */
	if (text->len + len + 1 > text->size && !grow(text, text->len + len + 1))
		return;
	va_start(args, fmt);
	vsnprintf(text->buf + text->len, len + 1, fmt, args);
	va_end(args);
	/* a file's llseek() looks without a lock */
	WRITE_ONCE(text->len, text->len + len);
}

void pev_strbuf_free(struct pev_strbuf *text)
{
	kvfree(text->buf);
	memset(text, 0, sizeof(*text));
}

static ssize_t text_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct pev_strbuf *text = file->private_data;

	return simple_read_from_buffer(buf, count, pos, text->buf, text->len);
}

static loff_t text_llseek(struct file *file, loff_t offset, int whence)
{
	struct pev_strbuf *text = file->private_data;

	return fixed_size_llseek(file, offset, whence, text->len);
}

static int text_release(struct inode *inode, struct file *file)
{
	struct pev_strbuf *text = file->private_data;

	pev_strbuf_free(text);
	kfree(text);
	return 0;
}

static const struct file_operations text_fops = {
	.owner		= THIS_MODULE,
	.read		= text_read,
	.llseek		= text_llseek,
	.release	= text_release,
};

struct file *pev_strbuf_file(const char *name, struct pev_strbuf *text)
{
	struct file *file = text->error ? ERR_PTR(text->error) :
			    anon_inode_getfile_fmode(name, &text_fops, text, O_RDONLY,
						     FMODE_PREAD);

	if (IS_ERR(file)) {
		pev_strbuf_free(text);
		kfree(text);
	}
	return file;
}
