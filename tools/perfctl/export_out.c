// SPDX-License-Identifier: GPL-2.0
/* The file that an export writes, and a temporary one. See export.h. */
#include "export.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below stdio, so that the reason of the first failure is kept. */
static ssize_t out_fd_write(void *cookie, const char *data, size_t len)
{
	struct out *o = cookie;
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(o->fd, data + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (!o->error)
				o->error = n ? errno : ENOSPC;
			return 0;
		}
		done += (size_t)n;
	}
	return (ssize_t)len;
}

static int out_fd_seek(void *cookie, off64_t *offset, int whence)
{
	struct out *o = cookie;

	*offset = lseek(o->fd, *offset, whence);
	return *offset < 0 ? -1 : 0;
}

int out_open(struct out *o, const char *path, struct msg *m)
{
	static const cookie_io_functions_t io = { .write = out_fd_write, .seek = out_fd_seek };
	bool std = !strcmp(path, "-");
	struct stat st;

	*o = (struct out){ .fd = 1, .path = std ? "the standard output" : path };
	if (!std) {
		o->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (o->fd < 0 && (errno == EACCES || errno == EINVAL || errno == EPERM))
			o->fd = open(path, O_WRONLY | O_CLOEXEC);
		if (o->fd < 0)
			return msg_set(m, -EIO, "%s: %s", path, strerror(errno));
		o->is_file = !fstat(o->fd, &st) && S_ISREG(st.st_mode);
	}
	o->f = fopencookie(o, "w", io);
	if (!o->f)
		return msg_set(m, -ENOMEM, "%s: %s", path, strerror(errno));
	setvbuf(o->f, NULL, _IOFBF, 1 << 18);
	return 0;
}

int out_close(struct out *o, int err, struct msg *m)
{
	int write_err;

	if (!o->f)
		return err;
	if (fclose(o->f) && !o->error)
		o->error = errno;
	write_err = o->error;
	if (o->fd > 1 && close(o->fd) && !write_err)
		write_err = errno;
	o->f = NULL;
	if (!err && write_err == EPIPE)
		err = msg_set(m, -EIO, "%s: whoever read it stopped before the end", o->path);
	else if (!err && write_err)
		err = msg_set(m, -EIO, "%s: %s%s", o->path, strerror(write_err),
			      o->is_file ? "; the incomplete file is removed" : "");
	if (err && o->is_file)
		unlink(o->path);
	return err;
}

void out_printf(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(o->f, fmt, ap);
	va_end(ap);
}

void strbuf_json(struct strbuf *b, const char *text)
{
	struct strbuf clean = { 0 };

	text_name(&clean, text);
	strbuf_putc(b, '"');
	for (const char *p = clean.s; *p; p++) {
		if (*p == '"' || *p == '\\')
			strbuf_putc(b, '\\');
		strbuf_putc(b, *p);
	}
	strbuf_putc(b, '"');
	strbuf_free(&clean);
}

/* ---- A temporary file ---- */

#define SPOOL_DATA (SPOOL_BLOCK - sizeof(uint64_t))

int spool_open(struct spool *s, const char *beside, struct msg *m)
{
	char *copy = xstrdup(strcmp(beside, "-") ? beside : "/tmp/x");
	const char *tmp = getenv("TMPDIR");
	FILE *f;

	*s = (struct spool){ .fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) };
	free(copy);
	if (s->fd < 0 && tmp)
		s->fd = open(tmp, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd < 0) {
		f = tmpfile();
		if (!f)
			return msg_set(m, -EIO, "a temporary file: %s", strerror(errno));
		s->fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
		fclose(f);
	}
	return s->fd < 0 ? msg_set(m, -EIO, "a temporary file: %s", strerror(errno)) : 0;
}

static uint64_t new_block(struct spool *s)
{
	s->end += SPOOL_BLOCK;
	return s->end - SPOOL_BLOCK;
}

static void put_block(struct spool *s, struct spool_text *t)
{
	uint64_t next = new_block(s);

	memcpy(t->block, &next, sizeof(next));
	if (!s->error && pwrite(s->fd, t->block, SPOOL_BLOCK, (off_t)t->at) != SPOOL_BLOCK)
		s->error = errno ? errno : ENOSPC;
	t->at = next;
	t->blocks++;
	t->used = 0;
}

void spool_add(struct spool *s, struct spool_text *t, const char *data, size_t len)
{
	if (!t->block) {
		t->block = xmalloc(SPOOL_BLOCK);
		t->first = t->at = new_block(s);
	}
	while (len) {
		size_t n = min_u64(len, SPOOL_DATA - t->used);

		memcpy(t->block + sizeof(uint64_t) + t->used, data, n);
		t->used += (uint32_t)n;
		data += n;
		len -= n;
		if (t->used == SPOOL_DATA)
			put_block(s, t);
	}
}

void spool_take(struct spool *s, struct spool_text *t, struct out *o)
{
	uint64_t at = t->first;
	char block[SPOOL_BLOCK];

	for (uint64_t i = 0; i < t->blocks && !s->error; i++) {
		errno = 0;
		if (pread(s->fd, block, SPOOL_BLOCK, (off_t)at) != SPOOL_BLOCK) {
			s->error = errno ? errno : EIO;
			break;
		}
		memcpy(&at, block, sizeof(at));
		out_write(o, block + sizeof(at), SPOOL_DATA);
	}
	if (t->used)
		out_write(o, t->block + sizeof(at), t->used);
	free(t->block);
	*t = (struct spool_text){ 0 };
}

void spool_close(struct spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
