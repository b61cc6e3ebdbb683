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

/* One byte more than @more, for the NUL that vsnprintf() insists on. */
static bool has_room(const struct pev_strbuf *text, size_t more)
{
	return text->len + more < text->size;
}

int pev_strbuf_room(const struct pev_strbuf *text, size_t more, struct pev_strbuf *wide)
{
	size_t size = max_t(size_t, text->size * 2, 1024);

	if (has_room(text, more))
		return 0;
	while (size <= text->len + more)
		size *= 2;
	wide->buf = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!wide->buf)
		return -ENOMEM;
	wide->size = size;
	if (text->len)
		memcpy(wide->buf, text->buf, text->len);
	return 0;
}

static bool grow(struct pev_strbuf *text, size_t more)
{
	struct pev_strbuf wide = { };

	if (text->fixed)
		return false;
	text->error = pev_strbuf_room(text, more, &wide);
	if (text->error)
		return false;
	kvfree(text->buf);
	text->buf = wide.buf;
	text->size = wide.size;
	return true;
}

/**
 * pev_strbuf_printf() - append
 * @text: where to; a failure sticks in @text->error
 * @fmt:  as printf
 *
 * Context: Process context, may sleep unless @text is fixed.
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
	if (has_room(text, len) || grow(text, len)) {
		va_start(args, fmt);
		vsnprintf(text->buf + text->len, len + 1, fmt, args);
		va_end(args);
	}
	if (text->error)
		return;
	/* a file's llseek() looks without a lock */
	WRITE_ONCE(text->len, text->len + len);
}

void pev_strbuf_append(struct pev_strbuf *text, const struct pev_strbuf *more)
{
	if (WARN_ON_ONCE(!has_room(text, more->len)))
		return;
	memcpy(text->buf + text->len, more->buf, more->len);
	/* as above */
	WRITE_ONCE(text->len, text->len + more->len);
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

static int fill(struct pev_strbuf *text, void (*put)(struct pev_strbuf *text, void *arg), void *arg)
{
	size_t len = 0;

	do {
		text->len = 0;
		text->fixed = false;
		/* it may have become longer meanwhile */
		if (!has_room(text, len) && !grow(text, len + len / 8))
			return text->error;
		text->fixed = true;
		put(text, arg);
		len = text->len;
	} while (!text->error && !has_room(text, 0));
	return text->error;
}

struct file *pev_strbuf_file(const char *name, void (*put)(struct pev_strbuf *text, void *arg),
			     void *arg)
{
	struct pev_strbuf *text = kzalloc(sizeof(*text), GFP_KERNEL_ACCOUNT);
	struct file *file;
	int err;

	if (!text)
		return ERR_PTR(-ENOMEM);
	err = fill(text, put, arg);
	file = err ? ERR_PTR(err) :
		     anon_inode_getfile_fmode(name, &text_fops, text, O_RDONLY, FMODE_PREAD);
	if (IS_ERR(file)) {
		pev_strbuf_free(text);
		kfree(text);
	}
	return file;
}
