// SPDX-License-Identifier: GPL-2.0
/* Commands by a FIFO or a descriptor. See control.h. */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int bad(struct msg *m, const char *text)
{
	return msg_set(m, -EINVAL,
		       "--control takes fifo:PATH[,PATH] or fd:N[,N]: where commands "
		       "come from, and where answers go; not \"%s\"",
		       text);
}

/* Both ends are open, so that neither a program that is not there yet nor one that ends matters. */
static int open_fifo(const char *path, struct msg *m)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return msg_set(m, -errno, "--control: %s: %s%s", path, strerror(errno),
			       errno == ENOENT ? " (mkfifo makes it)" : "");
	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode))
		return fd;
	close(fd);
	return msg_set(m, -EINVAL, "--control: %s is no FIFO (mkfifo makes one)", path);
}

static int open_fd(const char *text, struct msg *m)
{
	uint64_t n;
	int fd;

	if (parse_u64(text, &n) || n > INT_MAX)
		return msg_set(m, -EINVAL, "--control: \"%s\" is no descriptor", text);
	fd = fcntl((int)n, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? msg_set(m, -errno, "--control: descriptor %s: %s", text, strerror(errno)) :
			fd;
}

int control_open(struct control *c, const char *text, struct msg *m)
{
	bool fifo = !strncmp(text, "fifo:", 5);
	char *in, *out;
	int err = 0;

	*c = (struct control){ .in = -1, .out = -1 };
	if (!fifo && strncmp(text, "fd:", 3))
		return bad(m, text);
	in = xstrdup(strchr(text, ':') + 1);
	out = strchr(in, ',');
	if (out)
		*out++ = '\0';
	if (!*in || (out && !*out))
		err = bad(m, text);
	if (!err && out)
		err = c->out = fifo ? open_fifo(out, m) : open_fd(out, m);
	if (err >= 0)
		err = c->in = fifo ? open_fifo(in, m) : open_fd(in, m);
	free(in);
	if (err >= 0)
		return 0;
	control_close(c);
	return err;
}

static bool is_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, 0) > 0 && p.revents & events;
}

/* What its reader leaves no room for is dropped: the measurement does not wait for it. */
static void answer(const struct control *c, const char *text, size_t len)
{
	size_t part;

	for (; len && c->out >= 0; text += part, len -= part) {
		/* a pipe that is ready has room for this much */
		part = len < PIPE_BUF ? len : PIPE_BUF;
		if (!is_ready(c->out, POLLOUT) || write(c->out, text, part) != (ssize_t)part)
			return;
	}
}

/* Returns what stands behind a command and a blank, "" if nothing does, NULL for another command. */
static const char *operand(const char *line, const char *command)
{
	size_t len = strlen(command);

	if (strncmp(line, command, len) || (line[len] && line[len] != ' '))
		return NULL;
	return line + len + strspn(line + len, " ");
}

static int enable(const struct control_ops *ops, void *arg, const char *event, bool on,
		  struct msg *m)
{
	return ops->enable(arg, *event ? event : NULL, on, m);
}

static int do_line(const char *line, const struct control_ops *ops, void *arg, struct strbuf *out,
		   struct msg *m)
{
	const char *on = operand(line, "enable"), *off = operand(line, "disable");

	if (!on)
		on = operand(line, "start");
	if (on || off)
		return enable(ops, arg, on ? on : off, on != NULL, m);
	if (!strcmp(line, "snapshot"))
		return ops->snapshot(arg, m);
	if (!strcmp(line, "stop"))
		return ops->stop(arg, m);
	if (!strcmp(line, "evlist"))
		ops->list(arg, out);
	else if (strcmp(line, "ping"))
		return msg_set(m, -EINVAL,
			       "\"%s\" is none of enable, disable, snapshot, evlist, ping "
			       "and stop",
			       line);
	return 0;
}

static void take_line(struct control *c, const struct control_ops *ops, void *arg)
{
	struct strbuf out = { 0 };
	struct msg m;
	int err;

	if (c->long_line)
		err = msg_set(&m, -E2BIG, "a line has %d bytes at most", CONTROL_LINE - 1);
	else
		err = do_line(c->line, ops, arg, &out, &m);
	if (err)
		strbuf_addf(&out, "error: %s\n", m.text);
	else
		strbuf_puts(&out, "ack\n");
	answer(c, out.s, out.len);
	strbuf_free(&out);
}

static void take(struct control *c, char byte, const struct control_ops *ops, void *arg)
{
	if (byte != '\n' && byte) {
		if (c->len < sizeof(c->line) - 1)
			c->line[c->len++] = byte;
		else
			c->long_line = true;
		return;
	}
	while (c->len && strchr(" \t\r", c->line[c->len - 1]))
		c->len--;
	c->line[c->len] = '\0';
	if (c->len || c->long_line)
		take_line(c, ops, arg);
	c->len = 0;
	c->long_line = false;
}

void control_read(struct control *c, const struct control_ops *ops, void *arg)
{
	char bytes[CONTROL_LINE];
	ssize_t n;

	/* a descriptor of another program may block */
	if (c->in < 0 || !is_ready(c->in, POLLIN | POLLHUP | POLLERR))
		return;
	n = read(c->in, bytes, sizeof(bytes));
	for (ssize_t i = 0; i < n; i++)
		take(c, bytes[i], ops, arg);
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	/* nothing more comes */
	close(c->in);
	c->in = -1;
}

void control_close(struct control *c)
{
	if (c->in >= 0)
		close(c->in);
	if (c->out >= 0)
		close(c->out);
	c->in = c->out = -1;
}
