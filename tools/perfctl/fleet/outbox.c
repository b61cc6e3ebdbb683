// SPDX-License-Identifier: GPL-2.0
/* Files of batches. See outbox.h. */
#include "outbox.h"
#include "ids.h"
#include "base/say.h"
#include "store/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "pevspool"
#define VERSION 1
#define NEW_NAME "new"
/* of one batch, whatever a damaged file says */
#define FILE_MOST (256u << 20)
#define NAME_SIZE 64

static const char *file_name(const struct spooled *f, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%016" PRIx64 "-%016" PRIx64 "-%" PRIu64 ".%s", f->seq, f->id,
		 f->samples, f->sent ? "sent" : "batch");
	return name;
}

/* ---- the contents of a file ---- */

static void encode(struct strbuf *to, const struct store_batch *b)
{
	strbuf_puts(to, MAGIC);
	wire_put_u32(to, VERSION);
	wire_put_u32(to, b->day);
	wire_put_u64(to, b->samples);
	for (int t = 0; t < STORE_VOIDS; t++) {
		wire_put_size(to, b->rows[t].len);
		strbuf_add(to, b->rows[t].s ? b->rows[t].s : "", b->rows[t].len);
	}
	wire_put_u64(to, id_bytes(0, to->s, to->len));
}

/* A file that was cut off when the machine stopped has another sum. */
static bool decode(const char *data, size_t len, struct store_batch *b)
{
	size_t head = strlen(MAGIC), sum = sizeof(uint64_t);
	struct wire w = { (const uint8_t *)data + head, (const uint8_t *)data + len, false };
	struct wire last;

	*b = (struct store_batch){ 0 };
	if (len < head + sum || memcmp(data, MAGIC, head))
		return false;
	last = (struct wire){ w.end - sum, w.end, false };
	w.end -= sum;
	if (wire_u64(&last) != id_bytes(0, data, len - sum) || wire_u32(&w) != VERSION)
		return false;
	b->day = wire_u32(&w);
	b->samples = wire_u64(&w);
	for (int t = 0; t < STORE_VOIDS; t++) {
		size_t n = wire_size(&w, 1);

		strbuf_add(&b->rows[t], w.p, w.broken ? 0 : n);
		w.p += w.broken ? 0 : n;
	}
	return !w.broken && w.p == w.end;
}

/* ---- the directory ---- */

static int by_seq(const void *a, const void *b)
{
	const struct spooled *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

static void look_at(struct outbox *s, const char *name)
{
	struct spooled f = { 0 };
	char kind[8] = "", again[NAME_SIZE];
	struct stat st;

	if (sscanf(name, "%16" SCNx64 "-%16" SCNx64 "-%" SCNu64 ".%7s", &f.seq, &f.id, &f.samples,
		   kind) != 4)
		return;
	f.sent = !strcmp(kind, "sent");
	/* files of others stay where they are */
	if (strcmp(file_name(&f, again), name) || fstatat(s->fd, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return;
	f.bytes = (uint64_t)st.st_size;
	*ARRAY_PUSH(s->files, s->n, s->cap) = f;
	s->bytes += f.bytes;
	s->next = max_u64(s->next, f.seq + 1);
}

static int read_directory(struct outbox *s, struct msg *m)
{
	DIR *dir = opendir(s->path);
	struct dirent *e;

	if (!dir)
		return msg_set(m, -errno, "%s: %s", s->path, strerror(errno));
	while ((e = readdir(dir)))
		look_at(s, e->d_name);
	closedir(dir);
	if (s->n)
		qsort(s->files, s->n, sizeof(*s->files), by_seq);
	unlinkat(s->fd, NEW_NAME, 0);
	return 0;
}

int outbox_open(struct outbox *s, const char *path, uint64_t most, struct msg *m)
{
	*s = (struct outbox){ .path = xstrdup(path), .most = most };
	pthread_mutex_init(&s->lock, NULL);
	mkdir(path, 0700);
	s->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0)
		return msg_set(m, -errno, "the spool %s: %s", path, strerror(errno));
	if (flock(s->fd, LOCK_EX | LOCK_NB))
		return msg_set(m, -EBUSY, "the spool %s is used by another agent", path);
	return read_directory(s, m);
}

void outbox_close(struct outbox *s)
{
	if (!s->path)
		return;
	if (s->fd >= 0)
		close(s->fd);
	pthread_mutex_destroy(&s->lock);
	free(s->path);
	free(s->files);
	*s = (struct outbox){ .fd = -1 };
}

/* ---- batches ---- */

/* @nr: of a file that is not being sent */
static void drop(struct outbox *s, size_t nr)
{
	char name[NAME_SIZE];

	unlinkat(s->fd, file_name(&s->files[nr], name), 0);
	s->dropped_batches++;
	s->dropped_samples += s->files[nr].samples;
	s->bytes -= s->files[nr].bytes;
	memmove(&s->files[nr], &s->files[nr + 1], (--s->n - nr) * sizeof(*s->files));
}

static int write_file(struct outbox *s, const struct strbuf *b)
{
	int fd = openat(s->fd, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t at = 0;
	ssize_t n = 0;
	int err = fd < 0 ? -errno : 0;

	while (!err && at < b->len) {
		n = write(fd, b->s + at, b->len - at);
		if (n < 0 && errno != EINTR)
			err = -errno;
		at += n > 0 ? (size_t)n : 0;
	}
	if (!err && fsync(fd))
		err = -errno;
	if (fd >= 0)
		close(fd);
	if (err)
		unlinkat(s->fd, NEW_NAME, 0);
	return err;
}

static int rename_file(struct outbox *s, const char *from, const char *to)
{
	if (renameat(s->fd, from, s->fd, to) || fsync(s->fd))
		return -errno;
	return 0;
}

/* The oldest that can go: not the one that is being sent. */
static bool make_room(struct outbox *s)
{
	size_t nr = s->taken;

	if (nr >= s->n)
		return false;
	drop(s, nr);
	return true;
}

static int add(struct outbox *s, struct spooled *f, const struct strbuf *b)
{
	char name[NAME_SIZE];
	int err;

	while (s->bytes + b->len > s->most && make_room(s))
		;
	if (s->bytes + b->len > s->most)
		return -ENOSPC;
	do {
		err = write_file(s, b);
	} while ((err == -ENOSPC || err == -EDQUOT) && make_room(s));
	return err ? err : rename_file(s, NEW_NAME, file_name(f, name));
}

int outbox_add(struct outbox *s, const struct store_batch *b, struct msg *m)
{
	struct spooled f = { .id = store_new_id(), .samples = b->samples };
	struct strbuf data = { 0 };
	int err;

	encode(&data, b);
	f.bytes = data.len;
	pthread_mutex_lock(&s->lock);
	f.seq = s->next++;
	err = add(s, &f, &data);
	if (err) {
		s->dropped_batches++;
		s->dropped_samples += b->samples;
		msg_set(m, err, "%s: %s; %" PRIu64 " samples are lost", s->path, strerror(-err),
			b->samples);
	} else {
		*ARRAY_PUSH(s->files, s->n, s->cap) = f;
		s->bytes += f.bytes;
	}
	pthread_mutex_unlock(&s->lock);
	strbuf_free(&data);
	return err;
}

static char *read_file(struct outbox *s, const struct spooled *f, size_t *len)
{
	char name[NAME_SIZE], *path = xasprintf("%s/%s", s->path, file_name(f, name)), *data;

	data = f->bytes <= FILE_MOST ? file_read(path, len) : NULL;
	free(path);
	return data;
}

bool outbox_take(struct outbox *s, struct spooled *f, struct store_batch *b)
{
	bool good = false;

	pthread_mutex_lock(&s->lock);
	while (s->n && !good) {
		size_t len = 0;
		char *data = read_file(s, &s->files[0], &len);

		good = data && decode(data, len, b);
		free(data);
		if (good)
			break;
		store_batch_free(b);
		drop(s, 0);
	}
	s->taken = good;
	if (good)
		*f = s->files[0];
	pthread_mutex_unlock(&s->lock);
	return good;
}

int outbox_sending(struct outbox *s, struct spooled *f, uint64_t id, struct msg *m)
{
	char from[NAME_SIZE], to[NAME_SIZE];
	int err;

	file_name(f, from);
	f->id = id;
	f->sent = true;
	pthread_mutex_lock(&s->lock);
	err = rename_file(s, from, file_name(f, to));
	if (!err)
		s->files[0] = *f;
	pthread_mutex_unlock(&s->lock);
	return err ? msg_set(m, err, "%s: %s", s->path, strerror(-err)) : 0;
}

void outbox_give(struct outbox *s, bool done)
{
	char name[NAME_SIZE];

	pthread_mutex_lock(&s->lock);
	s->taken = false;
	if (done) {
		unlinkat(s->fd, file_name(&s->files[0], name), 0);
		s->bytes -= s->files[0].bytes;
		memmove(&s->files[0], &s->files[1], --s->n * sizeof(*s->files));
	}
	pthread_mutex_unlock(&s->lock);
}
