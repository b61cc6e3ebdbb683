// SPDX-License-Identifier: LGPL-2.1-only
/* Copies files of other users, as many as there is room for in a process. See copy.h. */
#include <pthread.h>
#include "object/copy.h"
#include "object/room.h"
#include "snapshot.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct room room;

static bool take(const struct copy *c)
{
	bool ok;

	pthread_mutex_lock(&lock);
	if (!room.most)
		room.most = snapshot_most();
	ok = room_take(&room, c->uid, c->bytes);
	pthread_mutex_unlock(&lock);
	return ok;
}

int copy_take(int fd, struct copy *c)
{
	struct stat st;
	int copy;

	*c = (struct copy){ 0 };
	if (!snapshot_is_needed(fd, &st))
		return fd;
	*c = (struct copy){ .uid = st.st_uid, .bytes = (uint64_t)st.st_size };
	if (take(c)) {
		copy = snapshot_make(fd, &st);
		if (copy < 0)
			copy_give(c);
	} else {
		copy = -EFBIG;
		c->bytes = 0;
	}
	close(fd);
	return copy;
}

void copy_give(struct copy *c)
{
	pthread_mutex_lock(&lock);
	room_give(&room, c->uid, c->bytes);
	if (!room.used)
		room_free(&room);
	pthread_mutex_unlock(&lock);
	c->bytes = 0;
}
