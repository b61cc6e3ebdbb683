// SPDX-License-Identifier: GPL-2.0
/* A file of lines: "begin NR ID DAY" and "done NR". See journal.h. */
#include "journal.h"
#include "ids.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

/* batches of one recording; a damaged journal must not name more */
#define BATCHES_MOST (1u << 20)

struct journal_batch *journal_batch(struct journal *j, size_t nr)
{
	while (j->n <= nr)
		ARRAY_PUSH(j->batches, j->n, j->cap);
	return &j->batches[nr];
}

/* The last line may be cut off: it was about to be written when its writer ended. */
static bool read_line(struct journal *j, const char *line)
{
	struct journal_batch *b;
	uint64_t nr, id;
	uint32_t day;

	if (sscanf(line, "begin %" SCNu64 " %" SCNx64 " %" SCNu32, &nr, &id, &day) == 3) {
		if (nr >= BATCHES_MOST)
			return false;
		b = journal_batch(j, nr);
		*b = (struct journal_batch){ .id = id, .day = day, .doubt = true };
		return true;
	}
	if (sscanf(line, "done %" SCNu64, &nr) != 1 || nr >= BATCHES_MOST)
		return false;
	b = journal_batch(j, nr);
	b->doubt = false;
	b->done = true;
	return true;
}

static int read_all(struct journal *j, struct msg *m)
{
	char *text = file_read(j->path, NULL), *next = text, *end;
	off_t whole = 0;

	if (!text)
		return msg_set(m, -errno, "%s: %s", j->path, strerror(errno));
	while ((end = strchr(next, '\n'))) {
		*end = '\0';
		if (!read_line(j, next)) {
			free(text);
			return msg_set(m, -EBADMSG,
				       "%s is damaged: what the store has of this recording is not "
				       "known",
				       j->path);
		}
		next = end + 1;
		whole = next - text;
	}
	free(text);
	return ftruncate(j->fd, whole) ? msg_set(m, -errno, "%s: %s", j->path, strerror(errno)) : 0;
}

/* Whatever removes the recording later takes files that it names for a part of it. */
static int add_to_recording(const char *recording, const char *name, struct msg *m)
{
	char *path = xasprintf("%s/info/record", recording);
	FILE *f = fopen(path, "ae");
	int err = 0;

	if (!f || fprintf(f, "file=%s\n", name) < 0)
		err = -errno;
	if (f && fclose(f) && !err)
		err = -errno;
	if (err)
		msg_set(m, err, "%s: %s", path, strerror(-err));
	free(path);
	return err;
}

int journal_open(struct journal *j, const char *recording, const char *store, struct msg *m)
{
	bool is_new;
	int err;

	*j = (struct journal){ .path = xasprintf("%s/info/pushed-%016" PRIx64, recording,
						 id_text(0, store)) };
	is_new = access(j->path, F_OK);
	j->fd = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (j->fd < 0)
		err = msg_set(m, -errno,
			      "%s: %s; it would say what the store has already: push a copy of the "
			      "recording that you may write to",
			      j->path, strerror(errno));
	else if (flock(j->fd, LOCK_EX | LOCK_NB))
		err = msg_set(m, -EBUSY, "%s is being pushed by another perfctl", recording);
	else
		err = is_new ? add_to_recording(recording, strrchr(j->path, '/') + 1, m) :
			       read_all(j, m);
	if (err)
		journal_close(j);
	return err;
}

void journal_close(struct journal *j)
{
	if (!j->path)
		return;
	if (j->fd >= 0)
		close(j->fd);
	free(j->path);
	free(j->batches);
	*j = (struct journal){ .fd = -1 };
}

static int write_line(struct journal *j, const char *line, struct msg *m)
{
	size_t len = strlen(line);

	if (write(j->fd, line, len) == (ssize_t)len && !fdatasync(j->fd))
		return 0;
	return msg_set(m, -EIO, "%s: %s", j->path, strerror(errno));
}

int journal_begin(struct journal *j, size_t nr, uint64_t id, uint32_t day, struct msg *m)
{
	char line[80];
	int err;

	snprintf(line, sizeof(line), "begin %zu %" PRIx64 " %u\n", nr, id, day);
	err = write_line(j, line, m);
	if (!err)
		*journal_batch(j, nr) = (struct journal_batch){ id, day, true, false };
	return err;
}

int journal_done(struct journal *j, size_t nr, struct msg *m)
{
	struct journal_batch *b = journal_batch(j, nr);
	char line[40];

	b->doubt = false;
	b->done = true;
	snprintf(line, sizeof(line), "done %zu\n", nr);
	return write_line(j, line, m);
}
