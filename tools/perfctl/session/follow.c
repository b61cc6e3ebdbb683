// SPDX-License-Identifier: GPL-2.0
/* Waiting for more of a recording that is being made. See follow.h. */
#include "follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

/* a recorder that was killed, and file systems that tell nothing, are noticed after this */
#define LOOK_MS 500

void follow_directory(struct follow *f, const char *path)
{
	char *info = xasprintf("%s/info", path);

	*f = (struct follow){ .on = true };
	f->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (f->notify >= 0)
		inotify_add_watch(f->notify, info, IN_MODIFY | IN_CREATE);
	free(info);
}

/* Takes what comes until events can be read of it, or it ends. */
static int receive(struct follow *f, struct msg *m)
{
	int err = 0;

	do
		err = received_next(&f->received, m);
	while (!err && !f->received.ended && !f->received.synced);
	if (!err && f->received.ended)
		err = received_close(&f->received, 0, m);
	return err;
}

int follow_pipe(struct follow *f, struct pev_writer *w, const void *head, size_t len, struct msg *m)
{
	int err;

	*f = (struct follow){ .on = true, .notify = -1 };
	err = received_open(&f->received, w, head, len, m);
	if (!err)
		err = receive(f, m);
	return err;
}

static void wait_for_change(const struct follow *f)
{
	struct pollfd p = { .fd = f->notify, .events = POLLIN };
	char events[4096];

	if (poll(&p, 1, LOOK_MS) > 0)
		while (read(f->notify, events, sizeof(events)) > 0)
			;
}

/* What records holds a lock: see record/trace_dir.c. */
static bool is_written(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

static int more(struct follow *f, struct pev_trace *trace, struct msg *m)
{
	unsigned int flags = 0;

	if (f->received.pipe) {
		int err = receive(f, m);

		if (err)
			return err;
	} else if (f->received.closed) {
		flags = PEV_UPDATE_ALL;
	} else {
		wait_for_change(f);
		/* look at the lock first: what was written before it was released is seen then */
		if (!is_written(pev_trace_path(trace)))
			flags = PEV_UPDATE_ALL;
	}
	return pev_trace_update(trace, flags);
}

int follow_more(struct follow *f, struct pev_trace *trace, struct msg *m)
{
	int ret;

	*m->text = '\0';
	ret = more(f, trace, m);
	f->ended = ret <= 0;
	if (ret < 0 && !*m->text)
		msg_set(m, ret, "reading the trace: %s", strerror(-ret));
	return ret < 0 ? ret : 0;
}

void follow_close(struct follow *f)
{
	struct msg ignored;

	if (!f->on)
		return;
	if (f->notify >= 0)
		close(f->notify);
	if (f->received.pipe)
		received_close(&f->received, 0, &ignored);
	*f = (struct follow){ 0 };
}
